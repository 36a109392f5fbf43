"""Deltas in plain numbers, for who follows a memory as it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.edge import ArcKind
from mags.memory.given import whole
from mags.memory.live import Live
from mags.ports.store import Entry
from mags.recall.found import moment_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcView:
    """An arc as a change left it. `weight`: its charge then (0.0 where it was removed)."""

    src: int
    dst: int
    kind: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """One Delta: node ids and arcs by what became of them, at most so many of each.

    `more`: how many touched records are not listed.
    """

    seq: int
    kind: str
    recorded_at: datetime | None
    tick: int
    added: tuple[int, ...]
    changed: tuple[int, ...]
    removed: tuple[int, ...]
    arcs: tuple[ArcView, ...]
    cut: tuple[ArcView, ...]
    more: int
    reasons: tuple[Mapping[str, Any], ...]


def changes(live: Live, after: int, *, limit: int, listed: int = 500) -> list[ChangeView]:
    """Changes after a sequence, oldest first; raises NotFound where they were folded away."""
    after = whole(after, "after is the sequence of a change")
    entries: Iterator[Entry] = iter(live.store.journal.since(after))
    return [_view(entry, listed) for entry in islice(entries, limit)]


def _view(entry: Entry, listed: int) -> ChangeView:
    delta = entry.delta
    nodes, arcs = delta.nodes, delta.arcs
    made = [nodes.created()["id"], nodes.altered().after["id"], nodes.removed()["id"]]
    kept = [tuple(int(i) for i in ids[:listed]) for ids in made]
    there, gone = arcs.after[arcs.has], arcs.before[arcs.had & ~arcs.has]
    more = sum(max(0, len(some) - listed) for some in (*made, there, gone))
    return ChangeView(
        seq=entry.seq,
        kind=delta.kind,
        recorded_at=moment_of(delta.recorded_at),
        tick=delta.tick_after,
        added=kept[0],
        changed=kept[1],
        removed=kept[2],
        arcs=tuple(_arcs(there[:listed], there=True)),
        cut=tuple(_arcs(gone[:listed], there=False)),
        more=more,
        reasons=delta.reasons[:listed],
    )


def _arcs(records: NDArray[np.void], *, there: bool) -> Iterator[ArcView]:
    for arc in records:
        yield ArcView(
            src=int(arc["src"]),
            dst=int(arc["dst"]),
            kind=ArcKind(int(arc["kind"])).name.lower(),
            weight=float(arc["w"]) if there else 0.0,
        )
