"""The log of a RamStore."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter

from mags.errors import InvalidInput, KeyConflict, NotFound
from mags.graph.delta import Delta
from mags.graph.past import Past
from mags.ports.store import Entry
from mags.store.lineage import FOLD, check_reachable, fold_limit, receipt
from mags.store.ram.shelf import Room
from mags.store.rows import content_row


class RamJournal:
    """The log of one branch."""

    def __init__(self, room: Room) -> None:
        """Of that branch."""
        self._room = room

    def append(self, delta: Delta) -> int:
        """Add Delta, its contents and its key; its sequence."""
        rows = [content_row(content) for content in delta.contents]
        bare = replace(delta, contents=())
        branch = self._room.branch
        with self._room.writer() as shelf:
            if delta.key is not None and self.find_key(delta.key) is not None:
                raise KeyConflict(f"key {delta.key} was used before", key=delta.key)
            for _, node, *_ in rows:
                if node in shelf.forgotten:
                    raise NotFound(f"node {node} was forgotten", node_id=node)
            if any(row[0] in shelf.contents for row in rows):
                raise InvalidInput("one of these contents exists: contents are immutable")
            seq = shelf.take_seq()
            shelf.put(shelf.entries[branch], seq, bare)
            if delta.key is not None:
                shelf.put(shelf.keys, (branch, delta.key), (seq, bare))
            for content in delta.contents:
                shelf.put(shelf.contents, content.id, content)
        return seq

    def since(self, seq: int) -> Iterator[Entry]:
        """Entries of this branch and its ancestors after `seq`, oldest first."""
        with self._room.shelf().guard:
            entries = list(self._entries(seq))
        return iter(entries)

    def past(self) -> Past:
        """All that ever was, on every branch."""
        shelf = self._room.shelf()
        with shelf.guard:
            gone = shelf.gone()
            written = [put for entries in shelf.entries.values() for put in entries.items()]
        return Past.of(delta.forgetting(gone) for _, delta in sorted(written, key=itemgetter(0)))

    def _entries(self, seq: int) -> Iterator[Entry]:
        shelf = self._room.shelf()
        gone = shelf.gone()
        for segment in self._room.segments():
            check_reachable(segment, seq, self._fold(segment.branch))
            for number, delta in shelf.entries[segment.branch].items():
                if max(seq, segment.after) < number <= segment.upto:
                    yield Entry(seq=number, branch=segment.branch, delta=delta.forgetting(gone))

    def _fold(self, branch: str) -> int | None:
        entries = self._room.shelf().entries[branch]
        first = next(iter(entries), 0)
        return first if first and entries[first].kind == FOLD else None

    def check(self, seq: int) -> None:
        """Raise NotFound where `seq` lies inside what was folded."""
        for segment in self._room.segments():
            check_reachable(segment, seq, self._fold(segment.branch))

    def head(self) -> int:
        """Sequence of the last entry, or the fork point."""
        with self._room.shelf().guard:
            own = self._room.segments()[-1]
            # Sequences rise as entries are put, so the last one is the highest.
            return next(reversed(self._room.shelf().entries[own.branch]), own.after)

    def find_key(self, key: str) -> Delta | None:
        """The Delta written with that key on this branch or before its fork."""
        shelf = self._room.shelf()
        with shelf.guard:
            for segment in self._room.segments():
                found = shelf.keys.get((segment.branch, key))
                if found is not None and found[0] <= segment.upto:
                    return found[1].forgetting(shelf.gone())
        return None

    def compact(self, before: int) -> int:
        """Fold entries up to `before` as far as the checkpoint, snapshots and forks allow."""
        branch = self._room.branch
        with self._room.writer() as shelf:
            point = shelf.checkpoints.get(branch)
            limit = fold_limit(
                shelf.forks, branch, point.seq if point else None, shelf.marks.values()
            )
            old = shelf.entries[branch]
            folded = [s for s in old if s <= min(limit, before)]
            if len(folded) < 2:
                return 0
            gone = shelf.gone()
            net = Delta.compose([old[s].forgetting(gone) for s in folded], FOLD)
            kept = {folded[-1]: net, **{s: d for s, d in old.items() if s > folded[-1]}}
            shelf.put(shelf.entries, branch, kept)
            for place, (seq, delta) in list(shelf.keys.items()):
                if place[0] == branch and seq <= folded[-1]:
                    shelf.put(shelf.keys, place, (seq, receipt(delta)))
            return len(folded) - 1
