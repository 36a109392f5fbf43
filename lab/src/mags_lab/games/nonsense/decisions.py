"""Which decisions a world offers, which of them rest on a rule, and among what one chooses."""

from __future__ import annotations

from collections import ChainMap, defaultdict
from collections.abc import Iterator
from random import Random

from mags_lab.games.nonsense.ledger import Ledger
from mags_lab.games.nonsense.rules import EVENTS, KINDS, OWN, Decision, Slot, path
from mags_lab.games.nonsense.world import World

FEWEST, MOST = 4, 8
"""Actions of a scene."""
REMEMBERED = 2
"""How many former values of a rule are distractors."""


class Decisions:
    """All decisions of a world, seen through a ledger of what holds in it now."""

    def __init__(self, world: World, ledger: Ledger, *, honest: str) -> None:
        """`ledger.world` is read at each call; `honest`: the bank's word for a truth teller."""
        self._world = world
        self._ledger = ledger
        self._honest = honest
        self._former: dict[Slot, list[str]] = defaultdict(list)
        self.of_kind = {kind: list(self._all(kind)) for kind in KINDS}
        self.of_kind = {kind: found for kind, found in self.of_kind.items() if found}
        self._kinds = list(self.of_kind)
        self._subjects: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for slot, value in world.rules.items():
            self._subjects[slot.relation, value][slot.subject] = None

    def _all(self, kind: str) -> Iterator[Decision]:
        relation = KINDS[kind].route[0]
        if relation in ("before", "law"):
            for slot in self._world.rules:
                if slot.relation == relation:
                    yield Decision(kind, slot.subject, slot.topic)
            return
        for subject in self._world.pools[KINDS[kind].of]:
            made = Decision(kind, subject)
            if kind in ("enter", "believe"):
                if Slot(relation, subject) in self._world.rules:
                    yield made
            elif path(self._world.rules, made, self._honest) is not None:
                yield made

    def fresh(self, decision: Decision) -> Decision | None:
        """The decision as it would be asked now; None where it has no answer now."""
        if decision.kind == "enter":
            carried = self._ledger.world[Slot("key", decision.subject)]
            return decision._replace(topic=carried)
        return decision if path(self._ledger.world, decision, self._honest) is not None else None

    def some(self, rng: Random, count: int) -> Iterator[Decision]:
        """So many by chance, each kind as often as the others; fewer where some have no answer."""
        for _ in range(count):
            found = self.fresh(rng.choice(self.of_kind[rng.choice(self._kinds)]))
            if found is not None:
                yield found

    def resting_on(self, slot: Slot) -> list[Decision]:
        """Every decision whose answer takes that rule now."""
        asked = (self.fresh(d) for kind in self._kinds for d in self._leading_to(kind, slot))
        return [d for d in asked if d is not None and any(s == slot for s, _ in self._links(d))]

    def would_rest(self, slot: Slot, value: str) -> bool:
        """Whether any decision would take that rule if it had another value."""
        view = ChainMap({slot: value}, self._ledger.world)
        for decision in (d for kind in self._kinds for d in self._leading_to(kind, slot)):
            if decision.kind == "enter":
                return True
            found = path(view, decision, self._honest)
            if found is not None and any(link == slot for link, _ in found.links):
                return True
        return False

    def _leading_to(self, kind: str, slot: Slot) -> list[Decision]:
        """The decisions of a kind that may take a rule: the route walked backwards."""
        route = KINDS[kind].route
        own = [i for i in range(len(route)) if OWN.get(route[i:]) == slot.relation]
        if not own and slot.relation not in route:
            return []
        if kind in ("allowed", "clash"):
            return [d for d in self.of_kind[kind] if slot.relation == "act" or d[1:] == slot[1:]]
        subjects = [slot.subject]
        for relation in reversed(route[: own[0] if own else route.index(slot.relation)]):
            subjects = [s for value in subjects for s in self._subjects[relation, value]]
        return [Decision(kind, subject) for subject in subjects]

    def _links(self, decision: Decision) -> tuple[tuple[Slot, str], ...]:
        return self._ledger.answer(decision).links

    def changed(self, slot: Slot, old: str, new: str) -> None:
        """Take note of a rule's new value; the old one is a distractor from now on."""
        self._subjects[slot.relation, old].pop(slot.subject, None)
        self._subjects[slot.relation, new][slot.subject] = None
        self.remember(slot, old)

    def remember(self, slot: Slot, value: str) -> None:
        """A value that the rule had, or that somebody claimed: from now on a distractor."""
        if value in self._former[slot]:
            self._former[slot].remove(value)
        self._former[slot].append(value)

    def would_be(self, decision: Decision, slot: Slot, value: str) -> str | None:
        """The answer if that rule had another value."""
        view = ChainMap({slot: value}, self._ledger.world)
        found = path(view, decision, self._honest)
        return None if found is None else found.answer

    def choices(self, decision: Decision, rng: Random) -> list[str]:
        """The answer among others of its sort, former answers first of all, in chance order."""
        answer = self._ledger.answer(decision).answer
        if decision.kind == "allowed":
            values = list(self._world.pools["law"])
            rng.shuffle(values)
            return values
        pool = self._rivals(decision)
        must = [value for value in self._tempting(decision) if value in pool][: MOST - 1]
        count = min(max(rng.randint(FEWEST, MOST), len(must) + 1), len(pool) + 1)
        rest = [value for value in rng.sample(pool, min(len(pool), MOST * 2)) if value not in must]
        values = [answer, *must, *rest[: count - 1 - len(must)]]
        rng.shuffle(values)
        return values

    def _rivals(self, decision: Decision) -> list[str]:
        """Everything of the answer's sort that is not an answer."""
        pool = self._world.pools[KINDS[decision.kind].answer]
        world = self._ledger.world
        if decision.kind == "enter":
            return [p for p in pool if world.get(Slot("key", p)) != decision.topic]
        if decision.kind == "believe":
            return [p for p in pool if world.get(Slot("honesty", p)) != self._honest]
        answer = self._ledger.answer(decision).answer
        return [value for value in pool if value != answer]

    def _tempting(self, decision: Decision) -> list[str]:
        """Answers that were right or were claimed to be, the latest first."""
        if decision.kind == "enter":
            return [
                slot.subject
                for slot, values in self._former.items()
                if slot.relation == "key" and decision.topic in values
            ]
        former = [(s, self._former[s][::-1]) for s, _ in self._links(decision) if s in self._former]
        found = []
        for back in range(REMEMBERED):
            for slot, values in former:
                answer = self.would_be(decision, slot, values[back]) if values[back:] else None
                if answer is not None and answer not in found:
                    found.append(answer)
        return found

    def is_event(self, decision: Decision) -> bool:
        """Whether it rests on something that happened once."""
        return KINDS[decision.kind].route[0] in EVENTS
