"""The way from a memory's graph to the file of a linker and its figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from mags.engram.attention import AttentionWeights
from mags_lab.training.linker.fit import Fitting, OnEpoch, fit
from mags_lab.training.linker.links import Arcs, Links, held_out, links_of
from mags_lab.training.linker.measure import Figures, measure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linked:
    """A trained linker. `learned`, `held_out`: numbers of links."""

    weights: AttentionWeights
    figures: dict[str, Figures]
    learned: int
    held_out: int


def train(
    data: Any,  # noqa: ANN401 - a torch_geometric Data, which has no types
    config: Fitting,
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
