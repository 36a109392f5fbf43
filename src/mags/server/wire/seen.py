"""What the page and followers get: pictures, regions, changes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Any

from mags.memory.views import LinkView, RegionView
from mags.server.wire.shown import Copied, Shown


class ArcOut(Copied):
    """An arc. `weight`: its charge, in [0, 1]."""

    src: int
    dst: int
    kind: str
    weight: float


class DotOut(Copied):
    """A node of a picture. `region`: 0 where it lies in none. `tentative`: it is a guess."""

    id: int
    kind: str
    label: str
    strength: float
    importance: float
    uses: int
    region: int
    current: bool
    tentative: bool
    pinned: bool
    cold: bool
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime | None


class PictureOut(Copied):
    """The strongest nodes and the arcs between them; `nodes`, `arcs`: how many in all."""

    tick: int
    seq: int
    nodes: int
    arcs: int
    dots: list[DotOut]
    lines: list[ArcOut]


class RegionOut(Copied):
    """A community of associated nodes."""

    id: int
    name: str
    leaders: list[int]
    size: int


class LinkOut(Shown):
    """How strongly two regions hang together."""

    a: int
    b: int
    weight: float
    arcs: int


MOST_LINKS = 2_000
"""Links of a map: between many regions they are as many as the square of these."""


class MapOut(Shown):
    """The regions of a memory, largest first, and the strongest links between them (2,000)."""

    regions: list[RegionOut]
    links: list[LinkOut]

    @classmethod
    def of(cls, regions: Iterable[RegionView], links: Iterable[LinkView]) -> MapOut:
        """From what the memory says."""
        return cls(
            regions=[RegionOut.of(one) for one in regions],
            links=[
                LinkOut(a=one.a, b=one.b, weight=one.weight, arcs=one.arcs)
                for one in islice(links, MOST_LINKS)
            ],
        )


class NamedOut(Copied):
    """A node in its words of now. `current`: false for what is over; `tentative`: it is a guess."""

    id: int
    kind: str
    text: str
    current: bool
    tentative: bool


NAMED = 12
"""Nodes of a change whose words are told with it."""


class ChangeOut(Copied):
    """One Delta, in ids: what it made, changed and removed. `more`: touched but not listed.

    `closed`, `edited`: those of `changed` that ended, or have other words now. `arcs` are new,
    `reweighted` were there before, `cut` are gone. Of what was forgotten the number alone is told:
    `erased_nodes`, `erased_arcs`. `named`: words of up to 12 nodes, those that say most.
    """

    seq: int
    kind: str
    recorded_at: datetime | None
    tick: int
    added: list[int]
    changed: list[int]
    removed: list[int]
    closed: list[int]
    edited: list[int]
    arcs: list[ArcOut]
    reweighted: list[ArcOut]
    cut: list[ArcOut]
    erased_nodes: int
    erased_arcs: int
    named: list[NamedOut]
    more: int
    reasons: list[dict[str, Any]]


class MomentOut(Copied):
    """What one change left of a node: its strength at a tick, and the ticks until half is gone.

    `half_life`: null where the strength stays. `seq` 0: what is known without the journal.
    """

    seq: int
    kind: str
    tick: int
    recorded_at: datetime | None
    strength: float
    uses: int
    half_life: float | None
