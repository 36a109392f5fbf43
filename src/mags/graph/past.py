"""All that a memory ever was: nodes and arcs of structure, on every branch, living or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Delta
from mags.graph.edge import ArcKind
from mags.graph.node import NODE, NodeFlag

LINK = np.dtype([("src", "i8"), ("dst", "i8"), ("kind", "u1")])
"""An arc without its weight."""
AT_ONCE = 1_000
"""Deltas between two clearings of what is the same."""


@dataclass(frozen=True, slots=True)
class Past:
    """`nodes`: shape (n,) of NODE, the last image of each; `links`: shape (m,) of LINK, each once.

    Associations are left out: nothing is derived from them. `given`: shape (k,), ids of what was
    ever asserted by hand.
    """

    nodes: NDArray[np.void]
    links: NDArray[np.void]
    given: NDArray[np.int64]

    @classmethod
    def of(cls, deltas: Iterable[Delta]) -> Past:
        """What Deltas show, each in the order in which it was written."""
        nodes: list[NDArray[np.void]] = [np.zeros(0, NODE)]
        links: list[NDArray[np.void]] = [np.zeros(0, LINK)]
        given: set[int] = set()
        for count, delta in enumerate(deltas, start=1):
            for images in _images(delta):
                nodes.append(images)
                given.update(images["id"][(images["flags"] & int(NodeFlag.GIVEN)) > 0].tolist())
            links += _links(delta)
            if count % AT_ONCE == 0:
                nodes, links = [_last(np.concatenate(nodes))], [np.unique(np.concatenate(links))]
        by_hand = np.fromiter(sorted(given), np.int64, len(given))
        return cls(_last(np.concatenate(nodes)), np.unique(np.concatenate(links)), by_hand)

    def into(self, ids: NDArray[np.int64], *kinds: ArcKind) -> NDArray[np.void]:
        """Links of these kinds that end at one of these nodes."""
        return self._along("dst", ids, kinds)

    def out_of(self, ids: NDArray[np.int64], *kinds: ArcKind) -> NDArray[np.void]:
        """Links of these kinds that begin at one of these nodes."""
        return self._along("src", ids, kinds)

    def _along(
        self, end: str, ids: NDArray[np.int64], kinds: tuple[ArcKind, ...]
    ) -> NDArray[np.void]:
        of_kind = np.isin(self.links["kind"], [int(kind) for kind in kinds])
        return self.links[of_kind & np.isin(self.links[end], ids)]


def _images(delta: Delta) -> Iterator[NDArray[np.void]]:
    changes = delta.nodes
    yield changes.before[changes.had]
    yield changes.after[changes.has]


def _links(delta: Delta) -> Iterator[NDArray[np.void]]:
    changes = delta.arcs
    structural = changes.after["kind"] != int(ArcKind.ASSOCIATION)
    arcs = changes.after[structural & (changes.had | changes.has)]
    made = np.zeros(len(arcs), LINK)
    for name in LINK.names or ():
        made[name] = arcs[name]
    yield made


def _last(nodes: NDArray[np.void]) -> NDArray[np.void]:
    """The last of the images of each node, by id."""
    _, first = np.unique(nodes["id"][::-1], return_index=True)
    return nodes[::-1][first]
