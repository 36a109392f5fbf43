"""History: the journal read as snapshots, log, diff and rollback."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mags.errors import NotFound
from mags.graph.delta import Delta
from mags.graph.records import NodeKind
from mags.index.state import State
from mags.memory.given import whole
from mags.memory.live import Live
from mags.memory.reading import node_view
from mags.memory.views import Diff, GoneView, LogEntry
from mags.ports.store import Entry, Mark
from mags.recall.found import moment_of
from mags.recall.recall import fact_view


class Historian:
    """What happened, and how to take it back."""

    def __init__(self, live: Live) -> None:
        """Reads and extends the journal of `live`."""
        self._live = live

    def snapshot(self, name: str) -> Mark:
        """Name this moment."""
        with self._live.writing() as state:
            return self._live.store.points.mark(name, state.seq, self._live.clock())

    def mark(self, name: str) -> Mark:
        """The snapshot of that name; raises NotFound."""
        for mark in reversed(self._live.store.points.marks()):
            if mark.name == name:
                return mark
        known = ", ".join(m.name for m in self._live.store.points.marks()) or "none"
        raise NotFound(f"no snapshot named {name!r} (there are: {known})", name=name)

    def log(self, limit: int | None = None) -> list[LogEntry]:
        """Every Delta, newest first; only as many are read as are wanted."""
        limit = None if limit is None else whole(limit, "limit is how many changes to list")
        return [_entry(entry) for entry in reversed(self._last(limit))]

    def _last(self, limit: int | None) -> list[Entry]:
        """The newest entries, oldest first."""
        journal = self._live.store.journal
        if limit is None:
            return list(journal.since(0))
        head, back = journal.head(), limit
        # Sequences are shared with other branches: so many back there may be fewer entries.
        while 0 < back < head:
            try:
                found = list(journal.since(head - back))
            except NotFound:  # folded away since: what is left begins before
                break
            if len(found) >= limit:
                return found[-limit:]
            back *= 4
        return list(journal.since(0))[-limit:] if limit > 0 else []

    def net(self, name: str) -> Delta:
        """The net effect of everything since a snapshot."""
        mark = self.mark(name)
        entries = list(self._live.store.journal.since(mark.seq))
        return Delta.compose([entry.delta for entry in entries], "diff")

    def diff(self, name: str) -> Diff:
        """What changed since a snapshot."""
        net = self.net(name)
        with self._live.reading() as state:
            return _diff(state, name, net)

    def rollback(self, name: str) -> Delta:
        """Take back everything since a snapshot, as a new Delta; what was forgotten stays so."""
        with self._live.writing() as state:
            mark = self.mark(name)
            entries = [e.delta for e in self._live.store.journal.since(mark.seq)]
            if not entries:
                back = Delta(kind="rollback", tick_before=state.graph.tick)
                back = replace(back, tick_after=state.graph.tick)
            else:
                back = Delta.compose(entries, "rollback").inverse()
            back = replace(
                back,
                base=state.seq,
                recorded_at=self._live.clock(),
                reasons=({"rule": "rollback", "to": mark.seq},),
            )
            self._live.commit(back)
            return back


def _entry(entry: Entry) -> LogEntry:
    delta = entry.delta
    return LogEntry(
        seq=entry.seq,
        branch=entry.branch,
        kind=delta.kind,
        recorded_at=moment_of(delta.recorded_at),
        tick=delta.tick_after,
        nodes=len(delta.nodes),
        arcs=len(delta.arcs),
        reasons=delta.reasons,
    )


def _diff(state: State, name: str, net: Delta) -> Diff:
    created, removed = net.nodes.created(), net.nodes.removed()
    altered = net.nodes.altered()
    closing = altered.before["valid_to"] != altered.after["valid_to"]
    facts = altered.after["kind"] == NodeKind.FACT
    return Diff(
        since=name,
        added=tuple(node_view(state, i) for i in _there(state, created)),
        removed=_gone(state, removed),
        changed=tuple(node_view(state, i) for i in _there(state, altered.after)),
        closed=tuple(fact_view(state, i) for i in _there(state, altered.after[closing & facts])),
        arcs_added=len(net.arcs.created()),
        arcs_removed=len(net.arcs.removed()),
        arcs_changed=len(net.arcs.altered()),
    )


def _gone(state: State, records: NDArray[np.void]) -> tuple[GoneView, ...]:
    """In words, less those that were forgotten since the journal was read."""
    ids = records["id"].tolist()
    words = {one.id: one.text for one in state.former(ids)}
    return tuple(
        GoneView(
            id=int(one["id"]),
            kind=NodeKind(int(one["kind"])).name.lower(),
            text=words.get(int(one["content"]), ""),
        )
        for one in records
        if not one["content"] or int(one["content"]) in words
    )


def _there(state: State, records: NDArray[np.void]) -> list[int]:
    return [i for i in records["id"].tolist() if i in state.graph]
