"""Getting to know someone: plays a plan and keeps the diary of what this player was told."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from types import MappingProxyType

from mags.errors import InvalidInput
from mags_lab.games.companion.bank import CompanionBank, bank
from mags_lab.games.companion.cast import (
    CompanionLevel,
    CompanionTelling,
    ToldFacts,
    fact,
    make_cast,
)
from mags_lab.games.companion.life import reminder
from mags_lab.games.companion.plan import CompanionPlan, CompanionStep
from mags_lab.games.sentences import sentence
from mags_lab.games.turns import GameLine, GameScene, Outcome, Truth

SCORED = "scored"
SECONDS = 20.0
"""From one line to the next."""


class Companion:
    """A game of a level; satisfies `mags_lab.games.turns.Game`."""

    def __init__(self, level: CompanionLevel, *, bank_name: str = SCORED) -> None:
        """Make it; `begin` starts an instance. Raises NotFound for an unknown bank."""
        self.level = level
        self.bank = bank(bank_name)
        self._instance: CompanionInstance | None = None

    @property
    def name(self) -> str:
        """Kind and level, and the bank where it is not the scored one."""
        name = f"companion/{self.level.name}"
        return name if self.bank.name == SCORED else f"{name}/{self.bank.name}"

    def begin(self, seed: int) -> GameScene:
        """Somebody new, and the first scene."""
        self._instance = CompanionInstance(self.name, self.level, self.bank, seed)
        return self._instance.scene

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        """Do one of the scene's actions. Raises InvalidInput for any other, and when it is over."""
        instance = self._running()
        outcome = instance.act(action)
        if outcome.over:
            self._instance = None
            return outcome, None
        return outcome, instance.scene

    def truth(self) -> Truth:
        """What is so at the scene handed out last; `teaches` and `ends` are of its own lines.

        Raises InvalidInput when no game is being played.
        """
        return self._running().truth()

    def _running(self) -> CompanionInstance:
        if self._instance is None:
            raise InvalidInput("no game is being played: begin one", game=self.name)
        return self._instance


class CompanionInstance:
    """One game being played."""

    scene: GameScene

    def __init__(self, name: str, level: CompanionLevel, words: CompanionBank, seed: int) -> None:
        """Make people and meet the first scene."""
        self._of = f"{name} {seed}"
        self._level = level
        self._bank = words
        rng = Random(self._of)
        self._cast = make_cast(level, words, rng)
        self._plan: Iterator[CompanionStep] = iter(CompanionPlan(level, words, self._cast, rng))
        self._diary = ToldFacts()
        self._meet(next(self._plan), [])

    def act(self, action: str) -> Outcome:
        """Do one of the scene's actions and meet the next scene; raises InvalidInput."""
        step = self._step
        if action not in step.asked.actions:
            raise InvalidInput(
                f"{action!r} is not among the actions of turn {step.turn}", action=action
            )
        right = action == step.asked.best
        following = next(self._plan, None)
        if following is not None:
            self._meet(following, self._reply(step, right=right))
        return Outcome(reward=1.0 if right else 0.0, over=following is None)

    def _reply(self, step: CompanionStep, *, right: bool) -> list[CompanionTelling]:
        """What is said of the last answer: it tells nothing that was not told before."""
        rng = Random(f"{self._of} {step.turn}")
        key = "right" if right else "leak" if step.asked.kind == "secret" else "wrong"
        hero, slots = self._cast.hero, step.asked.slots
        found = [CompanionTelling(hero, sentence(rng.choice(self._bank.lists["reply"][key])))]
        told = {slot: self._diary.values[slot] for slot in slots}
        if not right and rng.random() < self._level.remind:
            again = reminder(self._bank, self._cast, told, rng)
            found += [] if again is None else [again]
        return found

    def _meet(self, step: CompanionStep, reply: list[CompanionTelling]) -> None:
        """Take in what is said: of the last answer, then of the new turn."""
        self._step = step
        self._truth: Truth | None = None
        said = (*reply, *step.tellings)
        self._diary.begin_scene()
        for place, telling in enumerate(said):
            self._diary.hear((step.turn, place), telling)
        begun = step.at - SECONDS * len(said)
        self.scene = GameScene(
            turn=step.turn,
            at=step.at,
            said=tuple(
                GameLine(speaker=t.speaker, text=t.text, at=begun + SECONDS * place)
                for place, t in enumerate(said)
            ),
            question=step.asked.question,
            actions=step.asked.actions,
        )

    def truth(self) -> Truth:
        """What is so at this scene."""
        if self._truth is None:
            self._truth = self._make_truth()
        return self._truth

    def _make_truth(self) -> Truth:
        step, diary = self._step, self._diary
        slots = sorted(step.asked.slots, key=lambda slot: diary.turns[slot])
        needed = tuple(dict.fromkeys(diary.text(slot) for slot in slots))
        changed, after = diary.news(slots)
        return Truth(
            best=frozenset({step.asked.best}),
            needed=needed or (step.asked.unknown,),
            rests_on=tuple(fact(slot, diary.values[slot]) for slot in step.asked.slots),
            kind=step.asked.kind,
            changes=tuple(diary.changes),
            changed=changed,
            facts=diary.facts(),
            over=diary.over(),
            teaches=MappingProxyType(diary.teaches),
            ends=MappingProxyType(diary.ends),
            age=step.turn - min((diary.turns[slot] for slot in slots), default=step.turn),
            after=after,
        )
