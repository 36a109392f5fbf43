"""What the page and followers get: pictures, regions, changes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Any

from mags.memory.changes import ArcView, ChangeView
from mags.memory.lives import MomentView
from mags.memory.pictures import DotView, LinkView, Picture
from mags.memory.regions import RegionView
from mags.server.wire.shown import Shown


class ArcOut(Shown):
    """An arc. `weight`: its charge, in [0, 1]."""

    src: int
    dst: int
    kind: str
    weight: float

    @classmethod
    def of(cls, arc: ArcView) -> ArcOut:
        """From what the memory says."""
        return cls(src=arc.src, dst=arc.dst, kind=arc.kind, weight=arc.weight)


class DotOut(Shown):
    """A node of a picture. `region`: 0 where it lies in none."""

    id: int
    kind: str
    label: str
    strength: float
    importance: float
    uses: int
    region: int
    current: bool
    pinned: bool
    cold: bool
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime | None

    @classmethod
    def of(cls, dot: DotView) -> DotOut:
        """From what the memory says."""
        return cls(
            id=dot.id,
            kind=dot.kind,
            label=dot.label,
            strength=dot.strength,
            importance=dot.importance,
            uses=dot.uses,
            region=dot.region,
            current=dot.current,
            pinned=dot.pinned,
            cold=dot.cold,
            valid_from=dot.valid_from,
            valid_to=dot.valid_to,
            recorded_at=dot.recorded_at,
        )


class PictureOut(Shown):
    """The strongest nodes and the arcs between them; `nodes`, `arcs`: how many in all."""

    tick: int
    seq: int
    nodes: int
    arcs: int
    dots: list[DotOut]
    lines: list[ArcOut]

    @classmethod
    def of(cls, seen: Picture) -> PictureOut:
        """From what the memory says."""
        return cls(
            tick=seen.tick,
            seq=seen.seq,
            nodes=seen.nodes,
            arcs=seen.arcs,
            dots=[DotOut.of(dot) for dot in seen.dots],
            lines=[ArcOut.of(arc) for arc in seen.lines],
        )


class RegionOut(Shown):
    """A community of associated nodes."""

    id: int
    name: str
    leaders: list[int]
    size: int

    @classmethod
    def of(cls, region: RegionView) -> RegionOut:
        """From what the memory says."""
        return cls(id=region.id, name=region.name, leaders=list(region.leaders), size=region.size)


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


class ChangeOut(Shown):
    """One Delta, in ids: what it made, changed and removed. `more`: touched but not listed."""

    seq: int
    kind: str
    recorded_at: datetime | None
    tick: int
    added: list[int]
    changed: list[int]
    removed: list[int]
    arcs: list[ArcOut]
    cut: list[ArcOut]
    more: int
    reasons: list[dict[str, Any]]

    @classmethod
    def of(cls, change: ChangeView) -> ChangeOut:
        """From what the memory says."""
        return cls(
            seq=change.seq,
            kind=change.kind,
            recorded_at=change.recorded_at,
            tick=change.tick,
            added=list(change.added),
            changed=list(change.changed),
            removed=list(change.removed),
            arcs=[ArcOut.of(arc) for arc in change.arcs],
            cut=[ArcOut.of(arc) for arc in change.cut],
            more=change.more,
            reasons=[dict(one) for one in change.reasons],
        )


class MomentOut(Shown):
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

    @classmethod
    def of(cls, moment: MomentView) -> MomentOut:
        """From what the memory says."""
        return cls(
            seq=moment.seq,
            kind=moment.kind,
            tick=moment.tick,
            recorded_at=moment.recorded_at,
            strength=moment.strength,
            uses=moment.uses,
            half_life=moment.half_life,
        )
