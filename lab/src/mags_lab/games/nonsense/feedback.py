"""What comes of a move, in words: whether it was right, and sometimes the rule."""

from __future__ import annotations

from random import Random

from mags_lab.games.nonsense.bank import Bank
from mags_lab.games.nonsense.ledger import Ledger, Telling
from mags_lab.games.nonsense.levels import Level
from mags_lab.games.nonsense.phrases import Phrases
from mags_lab.games.nonsense.plan import Step
from mags_lab.games.nonsense.rules import Slot


class Feedback:
    """The lines that a move brings, for one who was told what the ledger says."""

    def __init__(self, level: Level, bank: Bank, ledger: Ledger, people: tuple[str, ...]) -> None:
        """`people`: who may explain a rule, if they are no liars."""
        self._level = level
        self._bank = bank
        self._ledger = ledger
        self._people = people

    def on(self, step: Step, value: str, rng: Random) -> list[Telling]:
        """What is said of doing what stands for a value, first of all in the next scene."""
        phrases = Phrases(self._bank, rng)
        ledger = self._ledger
        found = ledger.answer(step.decision)
        right = value == found.answer
        result = Telling(self._bank.narrator, phrases.outcome(step.decision, value, right=right))
        made = [self._shown(step, value, result, phrases)]
        luck = rng.random()
        unknown = [slot for slot, true in found.links if ledger.known.get(slot) != true]
        if ledger.knowable(step.decision):
            if not right and luck < self._level.remind:
                made.append(self._reveal(rng.choice(found.links)[0], phrases, rng))
        elif unknown and (step.sure or right or luck < self._level.reveal):
            learn = step.learn if step.learn in unknown else unknown[0]
            made.append(self._reveal(learn, phrases, rng))
        return made

    def _shown(self, step: Step, value: str, result: Telling, phrases: Phrases) -> Telling:
        """The result with what it shows by itself: of a single rule, that it is so or is over."""
        links = self._ledger.answer(step.decision).links
        slot, true = links[0]
        if len(links) > 1:
            return result
        if value == self._ledger.answer(step.decision).answer:
            return result._replace(slot=slot, value=true)
        over = self._over(step, slot, true, value)
        if over is None:
            return result
        return result._replace(text=f"{result.text} {phrases.framed('no longer')}", closes=over)

    def _over(self, step: Step, slot: Slot, true: str, value: str) -> Slot | None:
        """The rule by which the move would have been right, had it not changed unseen."""
        known = self._ledger.known
        if step.decision.kind == "enter":
            tried = Slot("key", value)
            return tried if known.get(tried) == true else None
        if step.decision.kind == "believe":
            return None
        return slot if known.get(slot) == value != true else None

    def _reveal(self, slot: Slot, phrases: Phrases, rng: Random) -> Telling:
        value, known = self._ledger.world[slot], self._ledger.known.get(slot)
        if known is not None and known != value and rng.random() < 0.5:
            clause = phrases.change(slot, value, known)
        else:
            clause = phrases.again(slot, value)
        world = self._ledger.world
        people = [
            person
            for person in self._people
            if person not in (slot.subject, value)
            and world.get(Slot("honesty", person)) != self._bank.lying
        ]
        return Telling(rng.choice(people), phrases.framed("reveal", c=clause), slot, value)
