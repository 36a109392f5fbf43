"""What a memory knows of how places lie, as lines: for games in which one finds one's way.

Ways and exits are facts of it (`directions.py`). Each line that was
recalled is shown with those that tell how one comes there. Before them come the facts of the place
where one is, without which a way that was taken looks new, and the exits of which nobody has said
where they lead, as AriGraph's agent explores (Anokhin et al. 2024, arXiv:2407.04363); exits that
have all been taken tell nothing more. What the last act rested on stays in mind (the working memory
of Baddeley and Hitch 1974): else each of two places is left for what one remembers in the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from mags import inspect
from mags.index.tokens import STOP_WORDS, words
from mags.memory.memory import Memory
from mags.recall.found import FactView
from mags_lab.games.players.directions import LYING, OPPOSITE, exits_of
from mags_lab.games.players.notes import Note, ShownLine
from mags_lab.games.turns import Said


class Map:
    """The facts that lines told of places, as far as one memory has them."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._facts: dict[Said, frozenset[int]] = {}
        self._last: dict[int, Note] = {}
        self._taken: dict[str, set[str]] = {}
        self._ways: set[int] = set()
        self._exits: dict[int, tuple[str, frozenset[str]]] = {}

    def told(self, note: Note, facts: Sequence[int]) -> None:
        """A line told these facts."""
        self._facts[note.said] = frozenset(facts)
        for fact in facts:
            if fact not in self._last:
                self._take(self._memory.get(fact).fact)
            self._last[fact] = note

    def facts(self, note: Note | None) -> frozenset[int]:
        """The facts that a line told; none of a line that was not `told`."""
        return frozenset() if note is None else self._facts.get(note.said, frozenset())

    def _take(self, fact: FactView | None) -> None:
        if fact is None:
            return
        side, exits = LYING.get(fact.relation), exits_of(fact.subject, fact.object)
        if side:
            self._ways.add(fact.id)
            self._taken.setdefault(fact.object, set()).add(side)
            self._taken.setdefault(fact.subject, set()).add(OPPOSITE[side])
        elif exits:
            self._exits[fact.id] = fact.subject, exits

    def lines(
        self,
        found: Sequence[ShownLine],
        question: str,
        most: int,
        *,
        mind: Sequence[ShownLine] = (),
    ) -> list[ShownLine]:
        """Up to so many lines: `mind`, the facts of what is asked about, as where a place's ways
        lead, then the best ones, each with those that tell how one comes there.
        """
        told = [fact for fact in self._last if fact not in self._exits]
        found = [*self._open(found), *(one for one in found if not self._is_exits(one))]
        ways = inspect.ways(self._memory, question, [*told, *(one.ids[0] for one in found)])
        here = [self._shown(fact) for fact, way in zip(told, ways, strict=False) if way == ()]
        kept: dict[Hashable, ShownLine] = {one.says: one for one in [*mind, *here][:most]}
        for one, way in zip(found, ways[len(told) :], strict=True):
            led = [self._shown(fact) for fact in way or () if fact in self._last]
            more = {line.says: line for line in (one, *led) if line.says not in kept}
            if len(kept) + len(more) <= most:
                kept.update(more)
        return list(kept.values())

    def things(self, cited: Sequence[ShownLine]) -> list[str]:
        """What lines that tell no way or exit have in common, as one name: what they are about."""
        said = [words(one.note.line.text) for one in cited if one.note and not self._is_way(one)]
        lines = Counter(word for line in said for word in set(line) - STOP_WORDS)
        shared = dict.fromkeys(word for line in said for word in line if lines[word] > 1)
        return [" ".join(shared)] if shared else []

    def _open(self, found: Sequence[ShownLine]) -> list[ShownLine]:
        """Exits of places that have some of which nobody knows where they lead; none twice."""
        asked = [fact for one in found for fact in one.facts if fact in self._exits]
        every = dict.fromkeys((*asked, *self._exits))
        return [
            self._shown(fact)
            for fact in every
            if self._exits[fact][1] - self._taken.get(self._exits[fact][0], set())
        ]

    def _is_exits(self, one: ShownLine) -> bool:
        return any(fact in self._exits for fact in one.facts)

    def _is_way(self, one: ShownLine) -> bool:
        return self._is_exits(one) or not self._ways.isdisjoint(one.facts)

    def _shown(self, fact: int) -> ShownLine:
        note = self._last[fact]
        return ShownLine(text=note.shown, note=note, ids=(fact,), facts=frozenset({fact}))
