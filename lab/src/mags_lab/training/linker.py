"""The linker trained by link prediction (of k candidates, which one is linked?) and saved.

`mags.engram.attention` computes the same network in numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_geometric.nn import GATv2Conv

from mags.engram.attention import AttentionWeights
from mags.engram.settings import AttentionSettings
from mags_lab.training.links import (
    Arcs,
    Choices,
    Links,
    LinkScores,
    choices,
    held_out,
    links_of,
    measure,
)

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


OnEpoch = Callable[[int, float], None]
"""Called with the epoch, from 1, and its loss on the pairs kept for stopping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkerFitting:
    """Numbers of the training.

    `near`: share of the candidates drawn from the nearest; `most`: pairs seen an epoch;
    `watched`: share of the pairs that only say which epoch was best.
    """

    hidden: int = 32
    epochs: int = 20
    batch: int = 128
    rate: float = 1e-3
    decay: float = 1e-3
    near: float = 0.5
    most: int = 5_000
    watched: float = 0.1
    seed: int = 0
    attention: AttentionSettings = field(default_factory=AttentionSettings)


def fit(
    links: Links, config: LinkerFitting, on_epoch: OnEpoch = lambda epoch, loss: None
) -> AttentionWeights:
    """Weights of the best epoch, the untrained start among them; one seed, one result."""
    torch.manual_seed(config.seed)
    rng = np.random.default_rng(config.seed)
    learned, watched = held_out(links, config.watched, config.seed + 1)
    k = config.attention.candidates
    judged = choices(links, watched.pairs[: config.most], k, config.near, rng)
    net = LinkerNet(links.vectors.shape[1], config.hidden, config.attention)
    steps = torch.optim.AdamW(net.parameters(), lr=config.rate, weight_decay=config.decay)
    best, found = _loss(net, links, judged), net.weights()
    for epoch in range(1, config.epochs + 1):
        order = rng.permutation(len(learned.pairs))[: config.most]
        shown = choices(links, learned.pairs[order], k, config.near, rng)
        for start in range(0, len(order), config.batch):
            part = slice(start, start + config.batch)
            alpha = _alpha(net, links, Choices(new=shown.new[part], others=shown.others[part]))
            steps.zero_grad()
            (-alpha[:, 0].clamp_min(1e-9).log().mean()).backward()
            steps.step()
        loss = _loss(net, links, judged)
        on_epoch(epoch, loss)
        if loss < best:
            best, found = loss, net.weights()
    return found


def _alpha(net: LinkerNet, links: Links, shown: Choices) -> torch.Tensor:
    new = torch.from_numpy(links.vectors[shown.new])
    alpha: torch.Tensor = net(new, torch.from_numpy(links.vectors[shown.others]))
    return alpha


@torch.no_grad()
def _loss(net: LinkerNet, links: Links, shown: Choices) -> float:
    return float(-_alpha(net, links, shown)[:, 0].clamp_min(1e-9).log().mean())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linked:
    """A trained linker. `learned`, `held_out`: numbers of links."""

    weights: AttentionWeights
    figures: dict[str, LinkScores]
    learned: int
    held_out: int


def train(
    data: Any,  # noqa: ANN401 - a torch_geometric Data, which has no types
    config: LinkerFitting,
    *,
    share: float = 0.2,
    threads: int = 1,
    on_epoch: OnEpoch = lambda epoch, loss: None,
) -> Linked:
    """Train on what `Memory.to_pyg` gives, a share of the links held out and measured.

    Raises InvalidInput where the memory has too few links.
    """
    torch.set_num_threads(threads)
    links = read(data)
    learned, out = held_out(links, share, config.seed)
    weights = fit(learned, config, on_epoch)
    figures = measure(links, out, weights, config.attention, config.seed)
    return Linked(
        weights=weights, figures=figures, learned=len(learned.pairs), held_out=len(out.pairs)
    )


def read(data: Any) -> Links:  # noqa: ANN401 - a torch_geometric Data, which has no types
    """The links of what `Memory.to_pyg` gives; raises InvalidInput."""
    arcs = Arcs(
        ends=data.edge_index.numpy(), kinds=data.edge_kind.numpy(), uses=data.edge_uses.numpy()
    )
    return links_of(data.x.numpy(), arcs, data.node_id.numpy())


def save(weights: AttentionWeights, path: Path) -> None:
    """Write the .npz that the setting `engram.linker` takes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez(
            file,
            new=weights.new,
            other=weights.other,
            cosine=weights.cosine,
            bias=weights.bias,
            a=weights.a,
        )
