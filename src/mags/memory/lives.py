"""The life of one node: what each change left of its strength, and how it fades after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from mags.errors import NotFound
from mags.graph.charge import STEADY, half_life
from mags.memory.live import Live
from mags.ports.store import Entry
from mags.recall.found import moment_of

LOOKED_BACK = 10_000
"""Changes of the journal that are looked through, the newest ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentView:
    """What one change left of a node.

    `tick`: at which `strength` was true; `half_life`: ticks until half of it is gone, None where
    it stays. `seq` 0 and `kind` "known": as it is known from a checkpoint, without the change.
    """

    seq: int
    kind: str
    tick: int
    recorded_at: datetime | None
    strength: float
    uses: int
    half_life: float | None


def life(live: Live, node_id: int) -> list[MomentView]:
    """What each change left of a node's strength and uses, oldest first, never empty.

    As far back as the journal goes, 10,000 changes at most. Raises NotFound.
    """
    with live.reading() as state:
        record, head = state.graph.node(node_id)[0], state.seq
    try:
        found = list(_moments(live.store.journal.since(max(0, head - LOOKED_BACK)), node_id))
    except NotFound:  # folded into a checkpoint: what it came to is still known
        found = []
    return found or [_moment(record, seq=0, kind="known", recorded_at=None)]


def _moments(entries: Iterator[Entry], node_id: int) -> Iterator[MomentView]:
    was: tuple[object, ...] = ()
    for entry in entries:
        nodes = entry.delta.nodes
        (places,) = np.nonzero((nodes.after["id"] == node_id) & nodes.has)
        if not len(places):
            continue
        view = _moment(
            nodes.after[places[0]],
            seq=entry.seq,
            kind=entry.delta.kind,
            recorded_at=moment_of(entry.delta.recorded_at),
        )
        now = (view.strength, view.tick, view.uses, view.half_life)
        if now != was:  # an edit of its words is no event in the life of its strength
            yield view
        was = now


def _moment(record: np.void, *, seq: int, kind: str, recorded_at: datetime | None) -> MomentView:
    steady = bool(int(record["flags"]) & STEADY)
    return MomentView(
        seq=seq,
        kind=kind,
        tick=int(record["strength_tick"]),
        recorded_at=recorded_at,
        strength=round(float(record["strength"]), 4),
        uses=int(record["uses"]),
        half_life=None if steady else round(float(half_life(int(record["uses"]), 0)), 1),
    )
