"""Regions in words: what a memory is about, for the eye and for step-back questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mags.index.state import State
from mags.plasticity.regions import Regions, name_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionView:
    """A community of associated nodes.

    `id`: the node in its midst, so a region keeps its id while that node leads it; `name`: the
    words of its leaders; `leaders`: up to three ids, entities first and themes last, the
    best connected first; `members`: ids, ascending, the leaders among them.
    """

    id: int
    name: str
    leaders: tuple[int, ...]
    members: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many members it has."""
        return len(self.members)


def region_views(state: State, regions: Regions) -> list[RegionView]:
    """The regions as far as their nodes are in the memory still, largest first."""
    return sorted(_views(state, regions), key=lambda view: -view.size)


def _views(state: State, regions: Regions) -> Iterator[RegionView]:
    for number, leaders in enumerate(regions.leaders):
        members = tuple(i for i in regions.members(number).tolist() if i in state.graph)
        if not members:
            continue
        alive = tuple(i for i in leaders if i in state.graph) or members[:1]
        name = name_of(state.words(alive))
        yield RegionView(id=alive[0], name=name, leaders=alive, members=members)
