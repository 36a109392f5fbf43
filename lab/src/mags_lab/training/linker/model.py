"""The linker in PyTorch Geometric; `mags.engram.attention` computes the same in numpy."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_geometric.nn import GATv2Conv

from mags.engram.attention import AttentionWeights
from mags.engram.settings import AttentionSettings

SMALL = 0.05


class LinkerNet(nn.Module):  # type: ignore[misc] # torch may not be installed
    """One head of a GATv2 from candidates to a new node, their cosine the edge's feature.

    It begins as scaled cosine attention: one hidden unit carries the cosine times
    `sharpness`, and the others hardly count. Trained is its attention itself (as SuperGAT
    does: Kim and Oh, 2021), since nothing else of it is used.
    """

    def __init__(self, dimension: int, hidden: int, settings: AttentionSettings) -> None:
        """`hidden`: units of the attention, the one of the cosine among them."""
        super().__init__()
        self.layer = GATv2Conv(
            (dimension, dimension),
            hidden,
            edge_dim=1,
            add_self_loops=False,
            negative_slope=settings.slope,
        )
        with torch.no_grad():
            self.layer.att.mul_(SMALL)
            self.layer.att[0, 0, 0] = settings.sharpness
            self.layer.lin_edge.weight.zero_()
            self.layer.lin_edge.weight[0, 0] = 1.0
            for side in (self.layer.lin_l, self.layer.lin_r):
                side.weight[0] = 0.0
                side.bias.zero_()

    def forward(self, new: Tensor, others: Tensor) -> Tensor:
        """Attention of new nodes, (b, d), to k candidates each, (b, k, d); shape (b, k)."""
        count, k, dimension = others.shape
        ends = torch.stack([torch.arange(count * k), torch.arange(count).repeat_interleave(k)])
        cosine = torch.einsum("bkd,bd->bk", others, new).reshape(-1, 1)
        sides = (others.reshape(-1, dimension), new)
        _, (_, alpha) = self.layer(sides, ends, cosine, return_attention_weights=True)
        shares: Tensor = alpha.reshape(count, k)
        return shares

    def weights(self) -> AttentionWeights:
        """What the numpy side takes; the two biases always come as a sum."""
        layer = self.layer
        return AttentionWeights(
            new=_array(layer.lin_r.weight),
            other=_array(layer.lin_l.weight),
            cosine=_array(layer.lin_edge.weight)[:, 0],
            bias=_array(layer.lin_l.bias + layer.lin_r.bias),
            a=_array(layer.att)[0, 0],
        )


def _array(tensor: Tensor) -> NDArray[np.float32]:
    return np.array(tensor.detach().numpy(), np.float32)
