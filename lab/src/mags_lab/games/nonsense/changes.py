"""What changes in a world while it is played: announced, heard of, only felt, for a while, or lied.

A change is prepared some turns ahead: its rule is chosen among those that every player must know
by then, two questions rest on it before, and then so many after that it can be seen how fast a
player recovers. While that goes on nothing else happens to the rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from random import Random

from mags_lab.games.nonsense.bank import FIXED, NonsenseBank, days
from mags_lab.games.nonsense.ledger import NonsenseTelling
from mags_lab.games.nonsense.levels import NonsenseLevel
from mags_lab.games.nonsense.plan import Chosen, NonsensePlan, RuleProbe
from mags_lab.games.nonsense.rules import EVENTS, NonsenseDecision, RuleSlot
from mags_lab.games.nonsense.world import World
from mags_lab.games.sentences import sentence

AHEAD = 8
"""Turns from the choice of a rule to its change."""
BEFORE = (2, 5)
"""Turns after the choice at which a question rests on the rule."""
AFTER = (1, 2, 4, 7, 11, 16, 24, 36, 54, 80)
"""The same, after the change; one that is only felt has its first questions to be felt by."""
FELT = (1, 3)
INSIST = (4, 28, 29, 30, 31)
"""Turns after a change by which it is asked about once, twice and so on, come what may."""
TRIES = 20
"""Rules among which one is looked for that questions rest on when it has changed."""
EARLIEST, LATEST = 0.2, 0.85
"""Shares of the game between which rules change."""
LASTS = (12, 40)
"""Turns that a passing rule holds, about; at most a sixth of the game."""
DAY = 86_400.0


class ChangingPlan(NonsensePlan):
    """A plan in which rules change."""

    def __init__(self, level: NonsenseLevel, world: World, bank: NonsenseBank, rng: Random) -> None:
        """Draw from `rng` alone."""
        super().__init__(level, world, bank, rng)
        self._agenda: dict[int, list[Callable[[], None]]] = defaultdict(list)
        self._passing: dict[RuleSlot, tuple[float, str]] = {}
        self._owed: dict[RuleSlot, tuple[int, list[int]]] = {}
        self._schedule()

    def happen(self) -> None:
        """Let what was prepared for this turn happen, and what has lasted long enough end."""
        for slot, (until, value) in list(self._passing.items()):
            if self.at >= until:
                self._revert(slot, value)
        for affair in self._agenda.pop(self.turn, ()):
            affair()

    def change(self, slot: RuleSlot, value: str, how: str) -> None:
        """Let a rule change; questions about it are owed from now on."""
        super().change(slot, value, how)
        self._owed.pop(slot, None)
        if self.turn + AFTER[6] < self.level.turns:
            wanted = INSIST[:1] if how == "temporary" else INSIST
            self._owed[slot] = self.turn, list(wanted)

    def insist(self, chosen: Chosen) -> Chosen:
        """The question that was chosen, unless a change would go unasked for too long."""
        about = self._about(chosen)
        for slot, (since, wanted) in self._owed.items():
            if slot not in about and self.turn - since >= wanted[0]:
                found = self._demanded(slot)
                if found is not None:
                    self.postpone()
                    chosen, about = found, self._about(found)
                    break
        for slot in about & self._owed.keys():
            since, wanted = self._owed[slot]
            if self.turn > since:
                wanted.pop(0)
            if not wanted:
                del self._owed[slot]
        return chosen

    def _about(self, chosen: Chosen) -> set[RuleSlot]:
        return {slot for slot, _ in self.ledger.answer(chosen[0]).links}

    def _demanded(self, slot: RuleSlot) -> Chosen | None:
        """A question that rests on a rule; what nobody can know of the rest is told first."""
        resting = self.decisions.resting_on(slot)
        if not resting:
            return None
        lacks = {d: [other for other in self.unknown(d) if other != slot] for d in resting}

        def price(decision: NonsenseDecision) -> tuple[int, int, bool]:
            lacking = lacks[decision]
            return len(self.locked.intersection(lacking)), len(lacking), decision in self.recent

        least = min(map(price, resting))
        decision = self.rng.choice([d for d in resting if price(d) == least])
        for other in lacks[decision]:
            value = self.ledger.world[other]
            text = self.phrases.framed("hearsay", c=self.phrases.told(other, value))
            self.say(NonsenseTelling(self.person(other.subject, value), text, other, value))
        return (decision, None, False) if self.knows(slot) else (decision, slot, True)

    def _schedule(self) -> None:
        sorts = [how for how, count in self.level.changes.items() for _ in range(count)]
        self.rng.shuffle(sorts)
        first = max(self.level.opening, int(EARLIEST * self.level.turns) - AHEAD)
        width = (LATEST * self.level.turns - AHEAD - first) / max(1, len(sorts))
        for i, how in enumerate(sorts):
            turn = first + int((i + self.rng.random()) * width)
            self._agenda[turn].append(partial(self._prepare, how))

    def _later(self, turns: int, affair: Callable[[], None]) -> None:
        self._agenda[self.turn + turns].append(affair)

    def _prepare(self, how: str) -> None:
        found = self._picked(how)
        if found is None:
            if self.turn < self.level.turns - AHEAD:
                self._later(3, partial(self._prepare, how))
            return
        slot, value = found
        self.locked.add(slot)
        for after in BEFORE:
            self.probe(self.turn + after, RuleProbe(slot, other=value))
        self._later(AHEAD, partial(self._strike, how, slot, value))

    def _picked(self, how: str) -> tuple[RuleSlot, str] | None:
        """A rule that may change so, and what it becomes: something that can be asked about."""
        for _ in range(TRIES):
            slot = self._chosen(how)
            if slot is None:
                return None
            value = self._another(slot)
            if how == "lie" or self.decisions.would_rest(slot, value):
                return slot, value
        return None

    def _chosen(self, how: str) -> RuleSlot | None:
        """A rule that all must know, on which some question rests, and that may change so.

        Of two such rules it is the one on which more questions rest.
        """
        known, fit = list(self.ledger.known), []
        for slot in self.rng.sample(known, min(len(known), 40)):
            if not self._may_change(slot, how):
                continue
            resting = self.decisions.resting_on(slot)
            weight = sum(self.ledger.knowable(decision) for decision in resting)
            if weight:
                fit.append((weight, slot))
            if len(fit) == 2:
                break
        return max(fit)[1] if fit else None

    def _may_change(self, slot: RuleSlot, how: str) -> bool:
        if slot.relation in EVENTS | FIXED or slot in self.locked or not self.knows(slot):
            return False
        return slot.relation != "honesty" or self._may_turn(slot, how)

    def _may_turn(self, slot: RuleSlot, how: str) -> bool:
        """Whether somebody may become a liar or honest: some of each must be left."""
        if how not in ("announced", "hearsay"):
            return False
        same = self.ledger.world[slot]
        return sum(s.relation == "honesty" and v == same for s, v in self.ledger.world.items()) > 1

    def _another(self, slot: RuleSlot) -> str:
        old = self.ledger.world[slot]
        if slot.relation == "before":
            return slot.topic if old == slot.subject else slot.subject
        taken = {old}
        if slot.relation == "key":
            taken |= {v for s, v in self.ledger.world.items() if s.relation == "key"}
        pool = [value for value in self.world.pool(slot.relation) if value not in taken]
        return self.rng.choice(pool or [v for v in self.world.pool(slot.relation) if v != old])

    def _strike(self, how: str, slot: RuleSlot, value: str) -> None:
        if how == "lie":
            self._lie(slot, value)
        elif how == "felt":
            self._feel(slot, value)
        elif how in ("temporary", "moon"):
            self._pass(how, slot, value)
        else:
            self._announce(how, slot, value)

    def _ask_after(self, slot: RuleSlot, other: str, *, late: int = 0) -> None:
        """Questions that rest on the rule, and the rule free for other changes after them."""
        for after in AFTER:
            self.probe(self.turn + after + late, RuleProbe(slot, other=other))
        self._later(AFTER[-1] + late + 1, partial(self.locked.discard, slot))

    def _announce(self, how: str, slot: RuleSlot, value: str) -> None:
        old = self.ledger.world[slot]
        self.change(slot, value, how)
        clause = self.phrases.change(slot, value, old)
        herald = how == "announced"
        text = self.phrases.framed("herald" if herald else "hearsay", c=clause)
        speaker = self.bank.herald if herald else self.person(slot.subject, value)
        self.say(NonsenseTelling(speaker, text, slot, value))
        self._ask_after(slot, old)

    def _feel(self, slot: RuleSlot, value: str) -> None:
        old = self.ledger.world[slot]
        self.change(slot, value, "felt")
        for after in FELT:
            last = after == FELT[-1]
            self.probe(self.turn + after, RuleProbe(slot, learn=True, sure=last, other=old))
        self._ask_after(slot, old, late=FELT[-1])

    def _lie(self, slot: RuleSlot, value: str) -> None:
        liars = [p for p in self.world.pools["person"] if self._lies(p)]
        if not liars:
            self.locked.discard(slot)
            return
        self.decisions.remember(slot, value)
        old = self.ledger.world[slot]
        clause = (
            self.phrases.change(slot, value, old)
            if self.rng.random() < 0.7
            else self.phrases.told(slot, value)
        )
        text = self.phrases.framed("hearsay", c=clause)
        self.say(NonsenseTelling(self.rng.choice(liars), text, slot, value, lie=True))
        self._ask_after(slot, value)

    def _lies(self, person: str) -> bool:
        slot = RuleSlot("honesty", person)
        return self.knows_of(slot) and self.ledger.world[slot] == self.bank.lying

    def knows_of(self, slot: RuleSlot) -> bool:
        """Whether there is such a rule and every player must know it."""
        return slot in self.ledger.world and self.knows(slot)

    def _pass(self, how: str, slot: RuleSlot, value: str) -> None:
        old = self.ledger.world[slot]
        low, high = LASTS
        turns = self.rng.randint(low, max(low, min(high, self.level.turns // 6)))
        clause = self.phrases.told(slot, value)
        self.change(slot, value, "temporary")
        if how == "moon":
            moon = self.rng.choice(self.world.pools["moon"])
            text = self.phrases.framed("moon", c=clause, moon=moon)
            self._later(turns, partial(self._rise, moon, slot, old))
        else:
            per_turn = 3600.0 * sum(self.level.hours) / 2
            count = max(2, round(turns * per_turn / DAY))
            self._passing[slot] = self.at + count * DAY, old
            text = self.phrases.framed("temporary", c=clause, days=days(count))
        self.say(NonsenseTelling(self.bank.herald, text, slot, value, passing=True))
        for after in AFTER:
            if after < turns:
                self.probe(self.turn + after, RuleProbe(slot, other=old))

    def _rise(self, moon: str, slot: RuleSlot, value: str) -> None:
        self._revert(slot, value)
        text = self.phrases.framed("moonrise", moon=moon)
        self.tellings.append(NonsenseTelling(self.bank.narrator, sentence(text)))

    def _revert(self, slot: RuleSlot, value: str) -> None:
        self._passing.pop(slot, None)
        passed = self.ledger.world[slot]
        self.change(slot, value, "reverted")
        self._ask_after(slot, passed)
