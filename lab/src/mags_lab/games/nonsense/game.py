"""The game of nonsense: plays a plan and keeps the ledger of what this player was told."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mags.errors import InvalidInput
from mags_lab.games.nonsense.bank import NonsenseBank, Phrases, bank
from mags_lab.games.nonsense.changes import ChangingPlan
from mags_lab.games.nonsense.ledger import Ledger, NonsenseTelling
from mags_lab.games.nonsense.levels import NonsenseLevel
from mags_lab.games.nonsense.plan import NonsenseStep
from mags_lab.games.nonsense.rules import NonsenseDecision, RuleSlot, View, fact
from mags_lab.games.nonsense.world import make_world
from mags_lab.games.turns import GameLine, GameScene, Outcome, Truth


class Feedback:
    """The lines that a move brings, for one who was told what the ledger says."""

    def __init__(
        self, level: NonsenseLevel, bank: NonsenseBank, ledger: Ledger, people: tuple[str, ...]
    ) -> None:
        """`people`: who may explain a rule, if they are no liars."""
        self._level = level
        self._bank = bank
        self._ledger = ledger
        self._people = people

    def on(self, step: NonsenseStep, value: str, rng: Random) -> list[NonsenseTelling]:
        """What is said of doing what stands for a value, first of all in the next scene."""
        phrases = Phrases(self._bank, rng)
        ledger = self._ledger
        found = ledger.answer(step.decision)
        right = value == found.answer
        result = NonsenseTelling(
            self._bank.narrator, phrases.outcome(step.decision, value, right=right)
        )
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

    def _shown(
        self, step: NonsenseStep, value: str, result: NonsenseTelling, phrases: Phrases
    ) -> NonsenseTelling:
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

    def _over(self, step: NonsenseStep, slot: RuleSlot, true: str, value: str) -> RuleSlot | None:
        """The rule by which the move would have been right, had it not changed unseen."""
        known = self._ledger.known
        if step.decision.kind == "enter":
            tried = RuleSlot("key", value)
            return tried if known.get(tried) == true else None
        if step.decision.kind == "believe":
            return None
        return slot if known.get(slot) == value != true else None

    def _reveal(self, slot: RuleSlot, phrases: Phrases, rng: Random) -> NonsenseTelling:
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
            and world.get(RuleSlot("honesty", person)) != self._bank.lying
        ]
        return NonsenseTelling(rng.choice(people), phrases.framed("reveal", c=clause), slot, value)


SCORED = "scored"


class Nonsense:
    """A game of a level; satisfies `mags_lab.games.turns.Game`."""

    def __init__(self, level: NonsenseLevel, *, bank_name: str = SCORED) -> None:
        """Make it; `begin` starts an instance. Raises NotFound for an unknown bank."""
        self.level = level
        self.bank = bank(bank_name)
        self._instance: NonsenseInstance | None = None

    @property
    def name(self) -> str:
        """Kind and level, and the bank where it is not the scored one."""
        name = f"nonsense/{self.level.name}"
        return name if self.bank.name == SCORED else f"{name}/{self.bank.name}"

    def begin(self, seed: int) -> GameScene:
        """A new world and its first scene."""
        self._instance = NonsenseInstance(self, seed)
        return self._instance.scene

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        """Do one of the scene's actions. Raises InvalidInput for any other, and when it is over."""
        instance = self.running()
        outcome = instance.act(action)
        if outcome.over:
            self._instance = None
            return outcome, None
        return outcome, instance.scene

    def truth(self) -> Truth:
        """What is so at the scene handed out last; `teaches` and `ends` are of its own lines.

        Raises InvalidInput when no game is being played.
        """
        return self.running().truth()

    def running(self) -> NonsenseInstance:
        """The instance being played; raises InvalidInput when there is none."""
        if self._instance is None:
            raise InvalidInput("no game is being played: begin one", game=self.name)
        return self._instance


class NonsenseInstance:
    """One game being played."""

    scene: GameScene

    def __init__(self, game: Nonsense, seed: int) -> None:
        """Make a world and meet its first scene."""
        self._of = f"{game.name} {seed}"
        self._bank = game.bank
        rng = Random(self._of)
        world = make_world(game.level.rules, game.bank, rng)
        self._plan: Iterator[NonsenseStep] = iter(ChangingPlan(game.level, world, game.bank, rng))
        self._ledger = Ledger(world.rules, honest=game.bank.honest)
        people = world.pools["person"]
        self._feedback = Feedback(game.level, game.bank, self._ledger, people)
        self._meet(next(self._plan), [])

    @property
    def known(self) -> View:
        """What one who has listened to every word knows."""
        return self._ledger.known

    @property
    def decision(self) -> NonsenseDecision:
        """What is to be decided at this scene."""
        return self._step.decision

    @property
    def answer(self) -> str:
        """What decides rightly."""
        return self._ledger.answer(self._step.decision).answer

    @property
    def honest(self) -> str:
        """The bank's word for one who tells the truth."""
        return self._bank.honest

    def act(self, action: str) -> Outcome:
        """Do one of the scene's actions and meet the next scene; raises InvalidInput."""
        step, ledger = self._step, self._ledger
        values = dict(step.choices)
        if action not in values:
            raise InvalidInput(
                f"{action!r} is not among the actions of turn {step.turn}", action=action
            )
        right = values[action] == ledger.answer(step.decision).answer
        following = next(self._plan, None)
        if following is not None:
            rng = Random(f"{self._of} {step.turn}")
            lines = self._feedback.on(step, values[action], rng)
            if right:
                ledger.done(step.turn + 1, step.decision)
            self._meet(following, lines)
        return Outcome(reward=1.0 if right else 0.0, over=following is None)

    def _meet(self, step: NonsenseStep, feedback: list[NonsenseTelling]) -> None:
        """Take in what is said and what happens: of the last move, then of the new turn."""
        self._step = step
        self._truth: Truth | None = None
        self._ledger.begin_scene()
        for place, telling in enumerate(feedback):
            self._ledger.hear((step.turn, place), telling)
        for change in step.changes:
            self._ledger.change(step.turn, change)
        for place, telling in enumerate(step.tellings, start=len(feedback)):
            self._ledger.hear((step.turn, place), telling)
        said = (*feedback, *step.tellings)
        self.scene = GameScene(
            turn=step.turn,
            at=step.at,
            said=tuple(GameLine(speaker=t.speaker, text=t.text, at=step.at) for t in said),
            question=step.question,
            actions=tuple(action for action, _ in step.choices),
        )

    def truth(self) -> Truth:
        """What is so at this scene."""
        if self._truth is None:
            self._truth = self._make_truth()
        return self._truth

    def _make_truth(self) -> Truth:
        step, ledger = self._step, self._ledger
        found = ledger.answer(step.decision)
        knowable = ledger.knowable(step.decision)
        phrases = Phrases(self._bank, Random(0))
        needed = (ledger.told(slot) or phrases.plainest(slot, value) for slot, value in found.links)
        teaches, ends = ledger.views()
        changed, after = ledger.news(step.decision)
        return Truth(
            best=frozenset(action for action, value in step.choices if value == found.answer),
            needed=tuple(needed),
            rests_on=tuple(fact(slot, value) for slot, value in found.links),
            kind=step.decision.kind,
            changes=ledger.changes,
            changed=changed,
            facts=ledger.facts(),
            over=ledger.over(),
            teaches=teaches,
            ends=ends,
            knowable=knowable,
            age=ledger.age(step.turn, step.decision) if knowable else 0,
            after=after,
        )
