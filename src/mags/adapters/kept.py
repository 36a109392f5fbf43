"""Records of other libraries in a memory: each is stored with an episode, unchanged.

Recall searches the episode's text. The record itself is JSON among the episode's attributes, so it
is journalled, branched, rolled back and forgotten with its episode. What others write to the memory
is noticed, since changes are read from its journal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from mags import inspect
from mags.errors import InvalidInput, NotFound
from mags.memory.inputs import LONGEST_TURN
from mags.memory.memory import Memory

Json = dict[str, Any]
Record = TypeVar("Record")
Place = TypeVar("Place", bound=Hashable)
UNSAID = "·"
"""The text of a record that is not to be searched. It has no word, so that nothing finds it."""
AT_ONCE = 500
"""Journal entries that are read at once."""
EPISODE, FORGET = "episode", "forget"


class Kept(Generic[Record, Place]):
    """Records under one `mark`, by episode and by place. One thread at a time may use it.

    If two are at one place, the later one counts: there may have been a crash between writing the
    new one and erasing the old one.
    """

    def __init__(
        self,
        memory: Memory,
        mark: str,
        *,
        read: Callable[[Json], Record],
        place: Callable[[Record], Place],
    ) -> None:
        """`mark`: the name of the attribute. Records under different marks are kept apart."""
        self.memory, self._mark = memory, mark
        self._read, self._place = read, place
        self._seq = -1
        self._records: dict[int, Record] = {}
        self._places: dict[Place, list[int]] = {}

    def records(self) -> Mapping[int, Record]:
        """Every record by its episode, as the memory is now; raises StoreError."""
        try:
            whole = self._seq >= 0 and self._follow()
        except NotFound:  # the entries since the last look were compacted
            whole = False
        if not whole:
            self._scan()
        return self._records

    def at(self, place: Place) -> int | None:
        """The episode of the record at a place, as of the last call of `records`."""
        found = self._places.get(place)
        # Ids rise, so the greatest is the latest.
        return max(found) if found else None

    def places(self) -> Iterator[Place]:
        """Every place with a record, as of the last call of `records`."""
        return iter(self._places)

    def doubles(self) -> list[int]:
        """Episodes whose records do not count, since a later one is at the same place."""
        return [i for found in self._places.values() for i in sorted(found)[:-1]]

    def put(self, record: Json, text: str, *, speaker: str, session: str) -> int:
        """Observe a text with a record, and return the id of its episode.

        Raises InvalidInput for a record that is not JSON or too long.
        """
        seen = self.memory.observe(
            text or UNSAID, speaker=speaker, session=session, attrs={self._mark: packed(record)}
        )
        return seen.episode_id

    def change(self, episode: int, record: Json) -> None:
        """Replace the record of an episode; the episode's text stays."""
        attrs = dict(self.memory.get(episode).meta.get("attrs", {}))
        self.memory.edit(episode, meta={"attrs": {**attrs, self._mark: packed(record)}})

    def erase(self, episode: int) -> None:
        """Forget a record for good, with its episode and what was learnt from that alone."""
        # If this is the only change since the last look, its result is known, and `records` need
        # not scan everything again.
        gone = self.memory.forget(episode).nodes.get(EPISODE, ())
        changed = inspect.changes(self.memory, self._seq, 2) if self._seq >= 0 else []
        if [one.kind for one in changed] == [FORGET]:
            self._seq = changed[0].seq
            for node in gone:
                self._drop(node)

    def _follow(self) -> bool:
        """Read the changes since the last look; return whether that was possible."""
        while changed := inspect.changes(self.memory, self._seq, AT_ONCE):
            for one in changed:
                # An entry may list only some of its nodes, and `forget` takes the images of what
                # it erased out of the journal.
                if one.more or one.kind == FORGET:
                    return False
                for node in (*one.added, *(i for i in one.changed if i in self._records)):
                    self._look(node)
                for gone in one.removed:
                    self._drop(gone)
                self._seq = one.seq
        return True

    def _look(self, node: int) -> None:
        try:
            view = self.memory.get(node)
        except NotFound:  # removed by a later change
            self._drop(node)
            return
        text = view.meta.get("attrs", {}).get(self._mark) if view.kind == EPISODE else None
        if text is None:
            return
        self._drop(node)
        record = self._records[node] = self._read(json.loads(text))
        self._places.setdefault(self._place(record), []).append(node)

    def _scan(self) -> None:
        entries = self.memory.log(1)
        # Taken before the nodes. A change in between is then seen twice, which does no harm.
        seq = entries[0].seq if entries else 0
        self._records, self._places = {}, {}
        for node, kind in self.memory.to_networkx().nodes(data="kind"):
            if kind == EPISODE:
                self._look(node)
        self._seq = seq

    def _drop(self, node: int) -> None:
        record = self._records.pop(node, None)
        if record is not None:
            place = self._place(record)
            self._places[place].remove(node)
            if not self._places[place]:
                del self._places[place]


def packed(record: Json) -> str:
    """A record as JSON that a memory can keep; raises InvalidInput."""
    try:
        text = json.dumps(record, ensure_ascii=False)
        if not text.isascii():
            text.encode()
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8 form, only an escape
        text = json.dumps(record)
    except (TypeError, ValueError, RecursionError) as failure:
        raise InvalidInput(f"this cannot be kept, as it is no JSON: {failure}") from failure
    if len(text) > LONGEST_TURN:
        raise InvalidInput(
            f"this cannot be kept: {len(text):,} characters of JSON, at most {LONGEST_TURN:,}",
            length=len(text),
        )
    return text


def searchable(text: str) -> str:
    """A text that a memory can observe: valid Unicode, no NUL, of bounded length."""
    whole = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8", "replace")
    return whole.strip()[:LONGEST_TURN]
