"""What is so, and what one who has heard every word and forgotten none knows of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from mags_lab.games.nonsense.rules import NonsenseDecision, Path, RuleSlot, fact, path
from mags_lab.games.turns import TruthFact

Place = tuple[int, int]
"""A scene's turn and a place in its `said`."""


class NonsenseTelling(NamedTuple):
    """A line that is to be said. `slot`, `value`: the rule that it tells, if it tells one.

    `passing`: the rule holds for a while only, and what held before rests; `closes`: the rule of
    that slot, as it was known, is over; `lie`: it tells nothing, whatever it says.
    """

    speaker: str
    text: str
    slot: RuleSlot | None = None
    value: str = ""
    passing: bool = False
    closes: RuleSlot | None = None
    lie: bool = False


class Change(NamedTuple):
    """What becomes of a rule. `how`: "announced", "felt", "temporary", "reverted" and so on."""

    slot: RuleSlot
    value: str
    how: str


class Saying(NamedTuple):
    """Where a rule was told last, and in which words."""

    turn: int
    text: str


class Ledger:
    """The world as it is and as it is known; changed by what happens and by what is said.

    `teaches`, `ends`: by the places of this scene's lines, the facts that they told and ended.
    `changes`: the turns at which the world changed.
    """

    def __init__(self, rules: Mapping[RuleSlot, str], *, honest: str) -> None:
        """Begin with nothing known."""
        self.world = dict(rules)
        self.known: dict[RuleSlot, str] = {}
        self.teaches: dict[Place, tuple[TruthFact, ...]] = {}
        self.ends: dict[Place, tuple[TruthFact, ...]] = {}
        self.changes: tuple[int, ...] = ()
        self._said: dict[RuleSlot, Saying] = {}
        self._resting: dict[RuleSlot, tuple[str, Saying]] = {}
        self._over: set[TruthFact] = set()
        self._changed: dict[RuleSlot, tuple[int, str]] = {}
        self._lied: dict[RuleSlot, int] = {}
        self._done: dict[NonsenseDecision, tuple[int, Path]] = {}
        self._honest = honest
        self._held: set[TruthFact] = set()

    def begin_scene(self) -> None:
        """From here on `teaches` and `ends` are those of the lines of a new scene."""
        self.teaches, self.ends = {}, {}

    def change(self, turn: int, change: Change) -> None:
        """Let a rule become another one. What was known stays known, right or wrong.

        Only a passing rule that runs out is known to be over at once: it was said when it would.
        """
        slot, old = change.slot, self.world[change.slot]
        self._held.discard(fact(slot, old))
        self.world[slot] = change.value
        self._changed[slot] = (turn, change.how)
        if turn not in self.changes[-1:]:
            self.changes += (turn,)
        if change.how == "reverted" and slot in self._resting:
            self._over.add(fact(slot, self.known[slot]))
            self.known[slot], self._said[slot] = self._resting.pop(slot)
            self._over.discard(fact(slot, self.known[slot]))
        if self.known.get(slot) == change.value:
            self._held.add(fact(slot, change.value))

    def hear(self, place: Place, telling: NonsenseTelling) -> None:
        """Take in a line."""
        if telling.slot is None:
            if telling.closes is not None:
                self._close(place, telling.closes)
            return
        if telling.lie:
            self._lied[telling.slot] = place[0]
            return
        slot, told = telling.slot, fact(telling.slot, telling.value)
        old = self.known.get(slot)
        if telling.passing:
            if old is not None:
                self._resting[slot] = (old, self._said[slot])
        elif old is not None and old != telling.value:
            self._close(place, slot)
        self.known[slot] = telling.value
        self._said[slot] = Saying(place[0], telling.text)
        self._over.discard(told)
        self.teaches[place] = (told,)
        if self.world[slot] == telling.value:
            self._held.add(told)

    def _close(self, place: Place, slot: RuleSlot) -> None:
        old = self.known.pop(slot, None)
        if old is not None:
            self._over.add(fact(slot, old))
            self.ends[place] = (*self.ends.get(place, ()), fact(slot, old))
            self._held.discard(fact(slot, old))

    def done(self, turn: int, decision: NonsenseDecision) -> None:
        """Take note that the right thing was done and seen to be right, said at that turn."""
        self._done[decision] = (turn, self.answer(decision))

    def answer(self, decision: NonsenseDecision) -> Path:
        """How a decision comes out in the world; the games ask only what has an answer."""
        found = path(self.world, decision, self._honest)
        assert found is not None, decision
        return found

    def knowable(self, decision: NonsenseDecision) -> bool:
        """Whether the answer follows from what has been said, by the rules it really rests on."""
        known = path(self.known, decision, self._honest)
        return known is not None and known == path(self.world, decision, self._honest)

    def age(self, turn: int, decision: NonsenseDecision) -> int:
        """Turns since somebody with a long memory could last learn the answer."""
        found = self.answer(decision)
        heard = min(self._said[slot].turn for slot, _ in found.links)
        done, seen = self._done.get(decision, (-1, None))
        return turn - max(heard, done if seen == found else -1)

    def told(self, slot: RuleSlot) -> str | None:
        """The words in which a rule was told last; None where the rule is not known as it is."""
        right = slot in self.known and self.known[slot] == self.world.get(slot)
        return self._said[slot].text if right else None

    def news(self, decision: NonsenseDecision) -> tuple[int | None, str]:
        """The turn of the last change that a decision rests on and its sort, or "lie"."""
        slots = [slot for slot, _ in self.answer(decision).links]
        when, how = max((self._changed.get(slot, (-1, "")) for slot in slots), default=(-1, ""))
        if max(self._lied.get(slot, -1) for slot in slots) > when:
            how = "lie"
        return (when if when >= 0 else None), how

    def facts(self) -> frozenset[TruthFact]:
        """What has been told and holds."""
        return frozenset(self._held)

    def over(self) -> frozenset[TruthFact]:
        """What has been told and is known to be over."""
        return frozenset(self._over)

    def views(self) -> tuple[Mapping[Place, tuple[TruthFact, ...]], ...]:
        """What each line of this scene taught and ended, to be read only."""
        return MappingProxyType(self.teaches), MappingProxyType(self.ends)
