"""What happens in a game, turn after turn, whatever the player does, and what can be asked.

The plan keeps a ledger of what every player must know by then - all lines, and what feedback
reveals in any case - and asks accordingly. So two players of a seed meet the same scenes, and only
what comes of their moves differs.
"""

from __future__ import annotations

from collections import ChainMap, defaultdict, deque
from collections.abc import Iterator
from heapq import heappop, heappush
from math import log
from random import Random
from typing import NamedTuple

from mags_lab.games.nonsense.bank import NonsenseBank, Phrases
from mags_lab.games.nonsense.ledger import Change, Ledger, NonsenseTelling
from mags_lab.games.nonsense.levels import NonsenseLevel
from mags_lab.games.nonsense.rules import EVENTS, KINDS, OWN, NonsenseDecision, RuleSlot, path
from mags_lab.games.nonsense.world import World
from mags_lab.games.sentences import sentence

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
        self._former: dict[RuleSlot, list[str]] = defaultdict(list)
        self.of_kind = {kind: list(self._all(kind)) for kind in KINDS}
        self.of_kind = {kind: found for kind, found in self.of_kind.items() if found}
        self._kinds = list(self.of_kind)
        self._subjects: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for slot, value in world.rules.items():
            self._subjects[slot.relation, value][slot.subject] = None

    def _all(self, kind: str) -> Iterator[NonsenseDecision]:
        relation = KINDS[kind].route[0]
        if relation in ("before", "law"):
            for slot in self._world.rules:
                if slot.relation == relation:
                    yield NonsenseDecision(kind, slot.subject, slot.topic)
            return
        for subject in self._world.pools[KINDS[kind].of]:
            made = NonsenseDecision(kind, subject)
            if kind in ("enter", "believe"):
                if RuleSlot(relation, subject) in self._world.rules:
                    yield made
            elif path(self._world.rules, made, self._honest) is not None:
                yield made

    def fresh(self, decision: NonsenseDecision) -> NonsenseDecision | None:
        """The decision as it would be asked now; None where it has no answer now."""
        if decision.kind == "enter":
            carried = self._ledger.world[RuleSlot("key", decision.subject)]
            return decision._replace(topic=carried)
        return decision if path(self._ledger.world, decision, self._honest) is not None else None

    def some(self, rng: Random, count: int) -> Iterator[NonsenseDecision]:
        """So many by chance, each kind as often as the others; fewer where some have no answer."""
        for _ in range(count):
            found = self.fresh(rng.choice(self.of_kind[rng.choice(self._kinds)]))
            if found is not None:
                yield found

    def resting_on(self, slot: RuleSlot) -> list[NonsenseDecision]:
        """Every decision whose answer takes that rule now."""
        asked = (self.fresh(d) for kind in self._kinds for d in self._leading_to(kind, slot))
        return [d for d in asked if d is not None and any(s == slot for s, _ in self._links(d))]

    def would_rest(self, slot: RuleSlot, value: str) -> bool:
        """Whether any decision would take that rule if it had another value."""
        view = ChainMap({slot: value}, self._ledger.world)
        for decision in (d for kind in self._kinds for d in self._leading_to(kind, slot)):
            if decision.kind == "enter":
                return True
            found = path(view, decision, self._honest)
            if found is not None and any(link == slot for link, _ in found.links):
                return True
        return False

    def _leading_to(self, kind: str, slot: RuleSlot) -> list[NonsenseDecision]:
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
        return [NonsenseDecision(kind, subject) for subject in subjects]

    def _links(self, decision: NonsenseDecision) -> tuple[tuple[RuleSlot, str], ...]:
        return self._ledger.answer(decision).links

    def changed(self, slot: RuleSlot, old: str, new: str) -> None:
        """Take note of a rule's new value; the old one is a distractor from now on."""
        self._subjects[slot.relation, old].pop(slot.subject, None)
        self._subjects[slot.relation, new][slot.subject] = None
        self.remember(slot, old)

    def remember(self, slot: RuleSlot, value: str) -> None:
        """A value that the rule had, or that somebody claimed: from now on a distractor."""
        if value in self._former[slot]:
            self._former[slot].remove(value)
        self._former[slot].append(value)

    def would_be(self, decision: NonsenseDecision, slot: RuleSlot, value: str) -> str | None:
        """The answer if that rule had another value."""
        view = ChainMap({slot: value}, self._ledger.world)
        found = path(view, decision, self._honest)
        return None if found is None else found.answer

    def choices(self, decision: NonsenseDecision, rng: Random) -> list[str]:
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

    def _rivals(self, decision: NonsenseDecision) -> list[str]:
        """Everything of the answer's sort that is not an answer."""
        pool = self._world.pools[KINDS[decision.kind].answer]
        world = self._ledger.world
        if decision.kind == "enter":
            return [p for p in pool if world.get(RuleSlot("key", p)) != decision.topic]
        if decision.kind == "believe":
            return [p for p in pool if world.get(RuleSlot("honesty", p)) != self._honest]
        answer = self._ledger.answer(decision).answer
        return [value for value in pool if value != answer]

    def _tempting(self, decision: NonsenseDecision) -> list[str]:
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

    def is_event(self, decision: NonsenseDecision) -> bool:
        """Whether it rests on something that happened once."""
        return KINDS[decision.kind].route[0] in EVENTS


FIRST_HOUR = 8
SAMPLE = 8
"""Decisions among which one of the right age is looked for."""
SEARCH = 60
"""Decisions among which one that teaches is looked for."""
RESERVED = 0.2
"""Share of the decisions that are not asked before `LATE` of the game is over."""
LATE = 0.6
RECENT = 6
"""A decision is not asked again for so many turns, unless it is there to measure a change."""
STRUCTURE = frozenset({"feast", "gift", "greeting", "food", "act", "toll", "custom", "guardian"})
"""Relations that many decisions take: more of them are told at the beginning."""


class NonsenseStep(NamedTuple):
    """A scene that is to come. `at`: seconds of game time.

    `choices`: what may be done and the value that it stands for; `learn`: the rule that feedback
    may reveal; `sure`: it does so whatever was done.
    """

    turn: int
    at: float
    changes: tuple[Change, ...]
    tellings: tuple[NonsenseTelling, ...]
    decision: NonsenseDecision
    question: str
    choices: tuple[tuple[str, str], ...]
    learn: RuleSlot | None
    sure: bool


class RuleProbe(NamedTuple):
    """A question that is to rest on a rule. `learn`, `sure`: as of a step."""

    slot: RuleSlot
    learn: bool = False
    sure: bool = False
    other: str | None = None
    """A value of the rule with which the answer should be another one, where that can be."""


Chosen = tuple[NonsenseDecision, RuleSlot | None, bool]
"""What is asked, the rule that feedback may reveal, and whether it does so whatever is done."""


class NonsensePlan:
    """The steps of one game. Iterate it once."""

    def __init__(self, level: NonsenseLevel, world: World, bank: NonsenseBank, rng: Random) -> None:
        """Draw from `rng` alone."""
        self.level = level
        self.world = world
        self.bank = bank
        self.rng = rng
        self.phrases = Phrases(bank, rng)
        self.ledger = Ledger(world.rules, honest=bank.honest)
        self.decisions = Decisions(world, self.ledger, honest=bank.honest)
        self.turn = 0
        self.at = FIRST_HOUR * 3600.0
        self.tellings: list[NonsenseTelling] = []
        self.changes: list[Change] = []
        self.locked: set[RuleSlot] = set()
        self._probes: list[tuple[int, int, RuleProbe]] = []
        self._served: RuleProbe | None = None
        self._made = 0
        self.recent: deque[NonsenseDecision] = deque(maxlen=RECENT)
        self._asked: set[NonsenseDecision] = set()
        self._told, self._untold = self._split()
        self._ready = self._kept_back()

    # What others put into the plan.

    def probe(self, turn: int, probe: RuleProbe) -> None:
        """Ask something that rests on a rule, at that turn or as soon after it as there is room."""
        self._made += 1
        heappush(self._probes, (turn, self._made, probe))

    def change(self, slot: RuleSlot, value: str, how: str) -> None:
        """Let a rule change at the turn that is being made."""
        self.decisions.changed(slot, self.ledger.world[slot], value)
        made = Change(slot, value, how)
        self.changes.append(made)
        self.ledger.change(self.turn, made)

    def say(self, telling: NonsenseTelling) -> None:
        """Have a line said at the turn that is being made."""
        self.ledger.hear((self.turn, 0), telling)
        self.tellings.append(telling)

    def person(self, *but: str) -> str:
        """Somebody who is no liar, and none of `but`: nobody vouches for themselves."""
        world, lying = self.ledger.world, self.bank.lying
        people = [p for p in self.world.pools["person"] if p not in but]
        return self.rng.choice([p for p in people if world.get(RuleSlot("honesty", p)) != lying])

    def knows(self, slot: RuleSlot) -> bool:
        """Whether every player must know the rule as it is."""
        return self.ledger.known.get(slot) == self.ledger.world[slot]

    # The steps.

    def __iter__(self) -> Iterator[NonsenseStep]:
        """Every step, first to last."""
        for turn in range(self.level.turns):
            self.turn, self.tellings, self.changes = turn, [], []
            if turn:
                low, high = self.level.hours
                self.at += 60.0 * self.rng.randint(60 * low, 60 * high)
            self.happen()
            self._opening()
            self._hearsay()
            self._fillers()
            yield self._step()

    def happen(self) -> None:
        """What changes at this turn; nothing in a plan without changes."""

    def insist(self, chosen: Chosen) -> Chosen:
        """The question that was chosen, or one that must be asked now in its place."""
        return chosen

    def postpone(self) -> None:
        """Ask at the next turn what this turn was to ask, where a probe chose it."""
        if self._served is not None:
            self.probe(self.turn + 1, self._served)

    def _split(self) -> tuple[list[RuleSlot], list[tuple[int, RuleSlot]]]:
        """The rules told in the opening, and the others with the turns at which they are heard."""
        rules, level = self.world.rules, self.level
        first = [slot for slot in rules if slot.relation == "honesty"][:3]
        others = [s for s in rules if s.relation not in EVENTS and s not in first]
        others.sort(key=lambda s: self.rng.random() - 0.5 * (s.relation in STRUCTURE))
        count = max(len(first), round(level.told * len(rules)))
        told = first + others[: count - len(first)]
        self.rng.shuffle(told)
        events = [slot for slot in rules if slot.relation in EVENTS]
        rest = others[count - len(first) :]
        heard = self.rng.sample(rest, round(level.heard * len(rest)))
        untold = [(self._sometime(0.7), s) for s in heard]
        untold += [(self._sometime(0.5), s) for s in events]
        return told, sorted(untold)

    def _sometime(self, share: float) -> int:
        start = self.level.opening + 1
        return self.rng.randint(start, max(start, int(share * self.level.turns)))

    def _kept_back(self) -> dict[NonsenseDecision, int]:
        """The turns before which some decisions are not asked."""
        heard = {slot: turn for turn, slot in self._untold if slot.relation in EVENTS}
        ready = {}
        for kind, found in self.decisions.of_kind.items():
            for decision in found:
                slot = RuleSlot(kind, decision.subject)
                if slot in heard:
                    wait = self.rng.uniform(0.1, 0.4) * self.level.turns
                    ready[decision] = heard[slot] + int(wait)
                elif self.rng.random() < RESERVED:
                    ready[decision] = int(LATE * self.level.turns)
        return ready

    def _opening(self) -> None:
        left = self.level.opening - self.turn
        if left <= 0:
            return
        for _ in range(-(-len(self._told) // left)):
            slot = self._told.pop()
            value = self.world.rules[slot]
            text = self.phrases.framed("reveal", c=self.phrases.told(slot, value))
            if self.rng.random() < 0.7:
                text = sentence(self.phrases.told(slot, value))
            self.say(NonsenseTelling(self.rng.choice(self.bank.guides), text, slot, value))

    def _hearsay(self) -> None:
        while self._untold and self._untold[0][0] <= self.turn:
            _, slot = self._untold.pop(0)
            if slot in self.ledger.known or slot in self.locked:
                continue
            value = self.ledger.world[slot]
            clause = self.phrases.told(slot, value)
            if slot.relation in EVENTS:
                self.say(NonsenseTelling(self.bank.narrator, sentence(clause), slot, value))
            else:
                text = self.phrases.framed("hearsay", c=clause)
                self.say(NonsenseTelling(self.person(slot.subject, value), text, slot, value))

    def _fillers(self) -> None:
        count = int(self.level.fillers + self.rng.random())
        for _ in range(count):
            text = self.phrases.filler(self.world.pools, self.rng)
            speaker = self.bank.narrator if self.rng.random() < 0.3 else self.person()
            place = self.rng.randint(0, len(self.tellings))
            self.tellings.insert(place, NonsenseTelling(speaker, text))

    def _step(self) -> NonsenseStep:
        self._served = None
        chosen = self._due() or self._explore() or self._retain()
        decision, learn, sure = self.insist(chosen)
        self.recent.append(decision)
        self._asked.add(decision)
        elsewhere = self.rng.choice(self.world.pools["place"])
        values = self.decisions.choices(decision, self.rng)
        actions = self.phrases.actions(decision, values)
        step = NonsenseStep(
            turn=self.turn,
            at=self.at,
            changes=tuple(self.changes),
            tellings=tuple(self.tellings),
            decision=decision,
            question=self.phrases.question(decision, elsewhere),
            choices=tuple(zip(actions, values, strict=True)),
            learn=learn,
            sure=sure,
        )
        if learn is not None and sure:
            self.ledger.hear(
                (self.turn + 1, 0), NonsenseTelling("", "", learn, self.ledger.world[learn])
            )
            self.locked.discard(learn)
        elif self.ledger.knowable(decision):
            self.ledger.done(self.turn + 1, decision)
        return step

    def _due(self) -> Chosen | None:
        """The question of the first probe that is due and finds one."""
        while self._probes and self._probes[0][0] <= self.turn:
            probe = heappop(self._probes)[2]
            found = self._for(probe)
            if found is not None:
                self._served = probe
                return found, (probe.slot if probe.learn else None), probe.sure
        return None

    def _for(self, probe: RuleProbe) -> NonsenseDecision | None:
        fit = [d for d in self.decisions.resting_on(probe.slot) if self._fits(d, probe)]
        if probe.other is not None:
            telling = [d for d in fit if self._differs(d, probe.slot, probe.other)]
            fit = telling or fit
        fit = [d for d in fit if d not in self.recent] or fit
        return self.rng.choice(fit) if fit else None

    def _fits(self, decision: NonsenseDecision, probe: RuleProbe) -> bool:
        if not probe.learn:
            return self.ledger.knowable(decision)
        return self.unknown(decision) == [probe.slot]

    def _differs(self, decision: NonsenseDecision, slot: RuleSlot, other: str) -> bool:
        return self.decisions.would_be(decision, slot, other) != self.ledger.answer(decision).answer

    def unknown(self, decision: NonsenseDecision) -> list[RuleSlot]:
        """The rules of a decision that nobody can know yet."""
        return [slot for slot, _ in self.ledger.answer(decision).links if not self.knows(slot)]

    def _explore(self) -> Chosen | None:
        """A question that cannot be known yet and teaches one rule; asked again in a while."""
        if self.rng.random() >= self.level.explore:
            return None
        for decision in self.decisions.some(self.rng, SEARCH):
            unknown = self.unknown(decision)
            if len(unknown) != 1 or self.decisions.is_event(decision):
                continue
            slot = unknown[0]
            if slot in self.locked or slot in self.ledger.known or decision.kind == "believe":
                continue
            self.locked.add(slot)
            self.probe(self.turn + self.rng.randint(2, 6), RuleProbe(slot, learn=True, sure=True))
            return decision, slot, False
        return None

    def _retain(self) -> Chosen:
        """A question that can be known, from lines about as old as chance wants them."""
        wanted = self.rng.uniform(log(2), log(self.turn + 2))
        best: tuple[float, NonsenseDecision] | None = None
        for _ in range(4):
            for decision in self.decisions.some(self.rng, SAMPLE):
                if self._waits(decision) or not self.ledger.knowable(decision):
                    continue
                off = abs(log(self.ledger.age(self.turn, decision) + 1) - wanted)
                if best is None or off < best[0]:
                    best = off, decision
            if best is not None:
                return best[1], None, False
        return self._anything(), None, False

    def _waits(self, decision: NonsenseDecision) -> bool:
        plain = decision._replace(topic="") if decision.kind == "enter" else decision
        return decision in self.recent or self._ready.get(plain, 0) > self.turn

    def _anything(self) -> NonsenseDecision:
        """Something that can be known if there is any, else anything that has an answer."""
        found = [d for ds in self.decisions.of_kind.values() for d in map(self.decisions.fresh, ds)]
        asked = [d for d in found if d is not None and not self.decisions.is_event(d)]
        return self.rng.choice([d for d in asked if self.ledger.knowable(d)] or asked)
