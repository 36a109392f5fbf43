"""Regions: communities of live associations, with the names of their leaders for display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.algorithms import communities
from mags.graph.records import Content, NodeKind
from mags.plasticity.frozen import FrozenGraph

NOWHERE = -1
"""Label of a node without live associations, or in too small a region."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Regions:
    """Which region each node is in.

    `ids`: int64 (n,), ascending; `label`: int32 (n,), 0 for the largest region, NOWHERE for
    none; `leaders`: for each region the ids of its best connected nodes, entities before other
    nodes and themes last. Numbers only, so it may be kept after words are forgotten.
    """

    ids: NDArray[np.int64]
    label: NDArray[np.int32]
    leaders: tuple[tuple[int, ...], ...]

    def members(self, region: int) -> NDArray[np.int64]:
        """Ids of a region's nodes, ascending."""
        return np.asarray(self.ids[self.label == region])


@dataclass(frozen=True, slots=True, kw_only=True)
class FindRegions:
    """Leiden communities of at least `least` nodes, with `leaders` leaders each.

    Nothing is random: the same graph has the same regions. `named`: read, but without effect; names
    are made of the leaders' words when they are asked for.
    """

    resolution: float = 1.0
    least: int = 4
    leaders: int = 3
    named: int = 64

    def __call__(self, frozen: FrozenGraph) -> Regions:
        """Find the regions."""
        net = frozen.net
        label = communities(net.indptr, net.indices, net.weights, resolution=self.resolution)
        size = np.bincount(label)
        label = np.where(size[label] >= self.least, label, NOWHERE).astype(np.int32)
        leaders = self._leaders(frozen, label)
        return Regions(ids=frozen.ids, label=label, leaders=leaders)

    def _leaders(
        self, frozen: FrozenGraph, label: NDArray[np.int32]
    ) -> tuple[tuple[int, ...], ...]:
        net = frozen.net
        # The sum of a node's live weights.
        pull = np.bincount(
            np.repeat(np.arange(net.n), net.degree), weights=net.weights, minlength=net.n
        )
        kind = frozen.nodes["kind"]
        # Themes last: their words may be out of date by the time the region's name is read.
        place = np.where(kind == NodeKind.ENTITY, 0, np.where(kind == NodeKind.THEME, 2, 1))
        inside = np.flatnonzero(label >= 0)
        inside = inside[np.lexsort((-pull[inside], place[inside], label[inside]))]
        region = label[inside]
        rank = np.arange(len(inside)) - np.searchsorted(region, region)
        first = inside[rank < self.leaders]
        groups = np.split(frozen.ids[first], np.flatnonzero(np.diff(label[first])) + 1)
        return tuple(tuple(group.tolist()) for group in groups if len(group))


def name_of(contents: Sequence[Content]) -> str:
    """A region's name from its leaders' words: "Ana, Oslo, rowing"."""
    return ", ".join(content.text[:60] for content in contents)
