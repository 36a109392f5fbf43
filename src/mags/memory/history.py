"""History: the journal as snapshots, log, diff and changes, the life of a node, and rollback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput, NotFound
from mags.graph.delta import Changes, Delta
from mags.graph.records import NEVER, STEADY, ArcKind, NodeFlag, NodeKind, half_life
from mags.index.state import State
from mags.memory import views, weights
from mags.memory.inputs import whole
from mags.memory.live import Live
from mags.memory.lookup import named, node_view
from mags.ports.store import JournalEntry, Mark
from mags.ports.weights import ArtifactStore
from mags.recall.found import moment_of
from mags.recall.recall import fact_view

LISTED = 500
"""Records of each kind that are listed of one change, at most."""
LOOKED_BACK = 10_000
"""Newest changes of the journal that are searched for the life of a node."""
_TELLING = {kind: i for i, kind in enumerate((NodeKind.FACT, NodeKind.NOTE, NodeKind.EPISODE))}
"""Order of kinds: those whose words say most about a change come first."""


def log(live: Live, limit: int | None = None) -> list[views.LogEntry]:
    """Every Delta, newest first; no more are read than are wanted."""
    limit = None if limit is None else whole(limit, "limit is how many changes to list")
    return [
        views.LogEntry(
            seq=entry.seq,
            branch=entry.branch,
            kind=entry.delta.kind,
            recorded_at=moment_of(entry.delta.recorded_at),
            tick=entry.delta.tick_after,
            nodes=len(entry.delta.nodes),
            arcs=len(entry.delta.arcs),
            reasons=entry.delta.reasons,
        )
        for entry in reversed(_last(live, limit))
    ]


def _last(live: Live, limit: int | None) -> list[JournalEntry]:
    """The newest entries, oldest first."""
    journal = live.store.journal
    if limit is None:
        return list(journal.since(0))
    # From the end backwards: a long journal is not decoded whole for its newest entries.
    head, back = journal.head(), limit
    # Branches share one count of sequences, so this branch may have fewer entries in a range.
    while 0 < back < head:
        try:
            found = list(journal.since(head - back))
        except NotFound:  # folded away: fewer entries are left
            break
        if len(found) >= limit:
            return found[-limit:]
        back *= 4
    return list(journal.since(0))[-limit:] if limit > 0 else []


def snapshot(live: Live, name: str, *, move: bool = False) -> Mark:
    """Name this moment; raises InvalidInput where the name is taken and may not `move`."""
    with live.writing() as state:
        points = live.store.points
        if not move and any(m.name == name and m.seq != state.seq for m in points.marks()):
            raise InvalidInput(
                f"there is a snapshot {name!r} already: choose another name", name=name
            )
        return points.mark(name, state.seq, live.clock())


def diff(live: Live, name: str, artifacts: ArtifactStore | None = None) -> views.Diff:
    """What changed since a snapshot. `artifacts`: where adapters lie."""
    mark = _mark(live, name)
    net = Delta.compose(_since(live, mark.seq), "diff")
    created, removed, altered = net.nodes.created(), net.nodes.removed(), net.nodes.altered()
    closing = altered.before["valid_to"] != altered.after["valid_to"]
    facts = altered.after["kind"] == NodeKind.FACT
    with live.reading() as state:
        return views.Diff(
            since=name,
            added=tuple(node_view(state, i) for i in _there(state, created)),
            removed=_gone(state, removed),
            changed=tuple(node_view(state, i) for i in _there(state, altered.after)),
            closed=tuple(
                fact_view(state, i) for i in _there(state, altered.after[closing & facts])
            ),
            arcs_added=len(net.arcs.created()),
            arcs_removed=len(net.arcs.removed()),
            arcs_changed=len(net.arcs.altered()),
            weights=weights.changed_since(live, artifacts, mark.seq),
        )


def rollback(live: Live, to: str | int) -> Delta:
    """Take back everything since a snapshot, or since a change of the journal, as a new Delta.

    `to`: the snapshot's name, or the sequence of the last change that stays (as `log` has it). What
    was forgotten stays so. Raises NotFound where it is not there, or folded away.
    """
    with live.writing() as state:
        seq = to if isinstance(to, int) else _mark(live, to).seq
        if seq > state.seq:
            raise NotFound(f"there is no change {seq}: the newest is {state.seq}", seq=seq)
        deltas = _since(live, seq)
        tick = state.graph.tick
        back = Delta(kind="rollback", tick_before=tick, tick_after=tick)
        if deltas:
            back = Delta.compose(deltas, "rollback").inverse()
        reasons = ({"rule": "rollback", "to": seq},)
        back = replace(back, base=state.seq, recorded_at=live.clock(), reasons=reasons)
        weights.note_rollback(live, live.commit(back), seq)
        return back


def _mark(live: Live, name: str) -> Mark:
    """The snapshot of that name; raises NotFound."""
    marks = live.store.points.marks()
    for mark in reversed(marks):
        if mark.name == name:
            return mark
    known = ", ".join(mark.name for mark in marks) or "none"
    raise NotFound(f"no snapshot named {name!r} (there are: {known})", name=name)


def _since(live: Live, seq: int) -> list[Delta]:
    return [entry.delta for entry in live.store.journal.since(seq)]


def _gone(state: State, records: NDArray[np.void]) -> tuple[views.GoneView, ...]:
    """Records in words, without those that were forgotten."""
    ids = records["id"].tolist()
    words = {one.id: one.text for one in state.former(ids)}
    return tuple(
        views.GoneView(
            id=int(one["id"]),
            kind=NodeKind(int(one["kind"])).name.lower(),
            text=words.get(int(one["content"]), ""),
        )
        for one in records
        if not one["content"] or int(one["content"]) in words
    )


def _there(state: State, records: NDArray[np.void]) -> list[int]:
    return [i for i in records["id"].tolist() if i in state.graph]


def changes(live: Live, after: int, *, limit: int, named: int = 0) -> list[views.ChangeView]:
    """Changes after a sequence, oldest first; raises NotFound where they were folded away.

    `named`: how many nodes of each change come with their words.
    """
    seen = [_view(entry) for entry in islice(live.store.journal.since(after), limit)]
    if not named:
        return seen
    with live.reading() as state:
        return [replace(one, named=tuple(_named(state, one, named))) for one in seen]


def _view(entry: JournalEntry) -> views.ChangeView:
    delta = entry.delta
    nodes, arcs = delta.nodes, delta.arcs
    was, now = nodes.altered().before, nodes.altered().after
    ended = (was["valid_to"] == NEVER) & (now["valid_to"] != NEVER)
    touched = [nodes.created(), now, nodes.removed()]
    woven = [arcs.created(), arcs.altered().after, arcs.removed()]
    return views.ChangeView(
        seq=entry.seq,
        kind=delta.kind,
        recorded_at=moment_of(delta.recorded_at),
        tick=delta.tick_after,
        added=_ids(touched[0]),
        changed=_ids(touched[1]),
        removed=_ids(touched[2]),
        closed=_ids(now[ended]),
        edited=_ids(now[was["content"] != now["content"]]),
        arcs=_arcs(woven[0]),
        reweighted=_arcs(woven[1]),
        cut=_arcs(woven[2], there=False),
        erased_nodes=_erased(nodes),
        erased_arcs=_erased(arcs),
        more=sum(max(0, len(records) - LISTED) for records in (*touched, *woven)),
        reasons=delta.reasons[:LISTED],
    )


def _ids(records: NDArray[np.void]) -> tuple[int, ...]:
    return tuple(records["id"][:LISTED].tolist())


def _erased(changes: Changes) -> int:
    """How many records were removed and forgotten: the journal keeps their number alone."""
    return int((~changes.had & ~changes.has).sum())


def _named(state: State, change: views.ChangeView, most: int) -> Iterator[views.NamedView]:
    """The words of a change's nodes: what ended or was edited, then what came, then the rest."""
    graph = state.graph
    first = [i for i in dict.fromkeys((*change.closed, *change.edited)) if i in graph]
    came = [i for i in change.added if i in graph]
    came.sort(key=lambda i: (_TELLING.get(state.kind(i), len(_TELLING)), i))
    rest = [i for i in change.changed if i in graph]
    ids = list(dict.fromkeys((*first, *came, *rest)))[:most]
    for content in state.words(ids):
        open_ = graph.view(content.node)[0]["valid_to"] == NEVER
        yield named(state, content, current=bool(open_))


def _arcs(records: NDArray[np.void], *, there: bool = True) -> tuple[views.ArcView, ...]:
    return tuple(
        views.ArcView(
            src=int(arc["src"]),
            dst=int(arc["dst"]),
            kind=ArcKind(int(arc["kind"])).name.lower(),
            weight=float(arc["w"]) if there else 0.0,
        )
        for arc in records[:LISTED]
    )


def life(live: Live, node_id: int) -> list[views.MomentView]:
    """What each change left of a node's strength and uses, oldest first, never empty.

    As far back as the journal goes, 10,000 changes at most. Raises NotFound.
    """
    with live.reading() as state:
        record, head = state.graph.node(node_id)[0], state.seq
    try:
        found = list(_moments(live.store.journal.since(max(0, head - LOOKED_BACK)), node_id))
    except NotFound:  # folded into a checkpoint: only the result is known
        found = []
    return found or [_moment(record, seq=0, kind="known", recorded_at=None)]


def importance_unpinned(live: Live, node_id: int) -> float | None:
    """A node's importance before it was last pinned; None where the journal does not have it.

    As far back as `life` looks.
    """
    found = None
    try:
        for entry in live.store.journal.since(max(0, live.store.journal.head() - LOOKED_BACK)):
            nodes = entry.delta.nodes.altered()
            was, now = nodes.before["flags"] & NodeFlag.PINNED, nodes.after["flags"]
            pinned = (nodes.after["id"] == node_id) & (now & NodeFlag.PINNED > was)
            if pinned.any():
                found = float(nodes.before["importance"][pinned][0])
    except NotFound:  # folded away
        return None
    return found


def _moments(entries: Iterator[JournalEntry], node_id: int) -> Iterator[views.MomentView]:
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
        if now != was:  # an edit of its words leaves the strength as it was
            yield view
        was = now


def _moment(
    record: np.void, *, seq: int, kind: str, recorded_at: datetime | None
) -> views.MomentView:
    steady = bool(int(record["flags"]) & STEADY)
    return views.MomentView(
        seq=seq,
        kind=kind,
        tick=int(record["strength_tick"]),
        recorded_at=recorded_at,
        strength=round(float(record["strength"]), 4),
        uses=int(record["uses"]),
        half_life=None if steady else round(float(half_life(int(record["uses"]), 0)), 1),
    )
