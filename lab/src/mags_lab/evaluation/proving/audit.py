"""Poison and audit: every fact of a memory held against the game, and the wrong ones mended.

A poisoned game is one in which, at one turn, somebody says things that are not so. There are two
ways back from what should not have been believed. *Mend*: forget the false lines with all that came
from them alone, open again what they closed, close what holds no longer. *Roll back*: to the
snapshot before the first false line, and tell the memory again what was said since, the false lines
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random
from typing import Literal

from mags.errors import InvalidInput
from mags_lab.evaluation.proving.fidelity import FactVerdict, GameFacts, KnownFact, known_facts
from mags_lab.games.matches import End, GameMatch, PlayedTurn
from mags_lab.games.players.notes import Note, noted
from mags_lab.games.players.remembering import EPOCH_S, Remembering
from mags_lab.games.turns import Game, GameLine, GameScene, Move, Outcome, Said, Truth, TruthFact


@dataclass(frozen=True, slots=True, kw_only=True)
class Lie:
    """A line told before, with another thing in the place of what it told of `fact`."""

    line: GameLine
    fact: TruthFact
    false: TruthFact


class Poisoned:
    """A game with at most `lies` false lines at turn `at`; all else is as it would have been.

    A lie is a line that taught what still holds, told again with another object of the same
    relation, by the same speaker. Chance is drawn from the seed and `at` alone.
    """

    def __init__(self, game: Game, *, at: int, lies: int) -> None:
        self._game, self._at, self._most = game, at, lies
        self.name = f"{game.name} poisoned at {at}"
        self.lies: tuple[Lie, ...] = ()
        self.false: dict[Said, tuple[TruthFact, ...]] = {}

    def begin(self, seed: int) -> GameScene:
        """A new instance."""
        self._rng = Random(f"{seed}:{self._at}")
        self.lies, self.false = (), {}
        self._told: dict[TruthFact, GameLine] = {}
        return self._poisoned(self._game.begin(seed))

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        """As in the game inside."""
        outcome, scene = self._game.act(action)
        return outcome, None if scene is None else self._poisoned(scene)

    def truth(self) -> Truth:
        """The truth, in which the false lines teach what is nowhere so."""
        truth = self._game.truth()
        return replace(truth, teaches={**truth.teaches, **self.false}) if self.false else truth

    def _poisoned(self, scene: GameScene) -> GameScene:
        truth = self._game.truth()
        for place, line in enumerate(scene.said):
            facts = truth.teaches.get((scene.turn, place), ())
            if len(facts) == 1:
                self._told[facts[0]] = line
        if scene.turn != self._at:
            return scene
        self.lies = tuple(self._made(truth, scene.at))[: self._most]
        first = len(scene.said)
        self.false = {(scene.turn, first + n): (lie.false,) for n, lie in enumerate(self.lies)}
        return replace(scene, said=(*scene.said, *(lie.line for lie in self.lies)))

    def _made(self, truth: Truth, at: float) -> Iterable[Lie]:
        known = sorted(truth.facts & self._told.keys())
        self._rng.shuffle(known)
        for fact in known:
            line = self._told[fact]
            others = sorted(
                {f.object for f in known if f.relation == fact.relation} - {fact.object}
            )
            if not others or fact.object not in line.text:
                continue
            other = self._rng.choice(others)
            false = replace(fact, object=other)
            if false not in truth.facts:
                text = line.text.replace(fact.object, other)
                yield Lie(line=replace(line, text=text, at=at), fact=fact, false=false)


Way = Literal["nothing", "mend", "roll back"]
WAYS: tuple[Way, ...] = ("nothing", "mend", "roll back")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fact of the memory, what is to be said of it, and the lines it comes from."""

    fact: KnownFact
    verdict: FactVerdict
    lines: tuple[str, ...]


def examine(player: Remembering, world: GameFacts) -> tuple[Finding, ...]:
    """Every fact of a player's memory held against the game, in the order of their ids."""
    words = {note.said: note.shown for note in player.notes.values()}
    return tuple(
        Finding(
            fact=known,
            verdict=world.verdict(known),
            lines=tuple(words[said] for said in known.said),
        )
        for known in known_facts(player.memory, player.notes)
    )


def counted(findings: Iterable[Finding]) -> dict[str, int]:
    """How many facts each verdict was passed on."""
    found = Counter(finding.verdict for finding in findings)
    return {verdict.value: found[verdict] for verdict in FactVerdict}


def false_lines(world: GameFacts) -> frozenset[Said]:
    """Lines that taught nothing but what never was so, as far as the game ever said."""
    so = {*world.facts, *world.over}
    return frozenset(said for said, facts in world.taught.items() if facts and so.isdisjoint(facts))


def mend(player: Remembering, world: GameFacts) -> dict[str, int]:
    """Mend a memory in place; returns how many nodes were forgotten, closed and opened."""
    memory, false = player.memory, false_lines(world)
    done = dict.fromkeys(("forgotten", "closed", "opened"), 0)
    for episode, note in list(player.notes.items()):
        if note.said in false:
            done["forgotten"] += len(memory.forget(episode).ids)
            player.let_go([episode])
    now = EPOCH_S + max((note.line.at for note in player.notes.values()), default=0.0)
    for finding in examine(player, world):
        if finding.verdict in (FactVerdict.STALE, FactVerdict.WRONG):
            memory.edit(finding.fact.id, valid_to=datetime.fromtimestamp(now, UTC))
            done["closed"] += 1
        elif finding.verdict is FactVerdict.LOST and not _told_open(finding, player, world):
            memory.edit(finding.fact.id, valid_to="open")
            done["opened"] += 1
    return done


def _told_open(finding: Finding, player: Remembering, world: GameFacts) -> bool:
    """Whether another fact of the memory that is open tells the same."""
    told = world.told_by(finding.fact) & frozenset(world.facts)
    return any(
        one.open and told <= world.told_by(one) for one in known_facts(player.memory, player.notes)
    )


class Audited:
    """A player whose memory is looked at, and mended, in the middle of a game.

    A snapshot is taken before every `every`-th turn. Before turn `at` the memory is examined and
    brought back in the way `how`; `findings` and `done` tell what was found and what it took.
    """

    def __init__(self, player: Remembering, *, at: int, how: Way, every: int = 25) -> None:
        if every < 1:
            raise InvalidInput(f"snapshots are taken every so many turns, not {every}")
        self._player, self._at, self._how, self._every = player, at, how, every
        self.name = f"{player.name}, {how}"
        self.findings: tuple[Finding, ...] = ()
        self.done: Mapping[str, int] = {}
        self._heard: list[Note] = []
        self._match: GameMatch | None = None
        self._end = End(facts=frozenset(), over=frozenset(), taught={})

    def watch(self, match: GameMatch) -> None:
        """Tell it where the truth is to be asked when it audits."""
        self._match = match

    def begin(self, scene: GameScene) -> None:
        """A new game in a new memory."""
        self._player.begin(scene)
        self._heard = []
        self.findings, self.done = (), {}

    def choose(self, scene: GameScene) -> Move:
        """Choose, after a snapshot or an audit where one is due."""
        if scene.turn == self._at:
            self._audit()
        if scene.turn % self._every == 0:
            self._player.memory.snapshot(_mark(scene.turn))
        self._heard.extend(noted(scene))
        move = self._player.choose(scene)
        assert self._match is not None, "watch() was not called"
        self._end = self._match.end
        return move

    def rewarded(self, outcome: Outcome) -> None:
        """Hand it on."""
        self._player.rewarded(outcome)

    def _audit(self) -> None:
        end = self._end
        world = GameFacts(facts=end.facts, over=end.over, taught=end.taught)
        self.findings = examine(self._player, world)
        if self._how == "mend":
            self.done = mend(self._player, world)
        elif self._how == "roll back":
            self.done = self._back(false_lines(world))

    def _back(self, false: Collection[Said]) -> dict[str, int]:
        """Go back to before the first false line, and hear again what was true."""
        if not false:
            return {"replayed": 0, "left out": 0}
        first = min(turn for turn, _ in false)
        since = first - first % self._every
        self._player.memory.rollback(_mark(since))
        gone = [i for i, note in self._player.notes.items() if note.said[0] >= since]
        self._player.let_go(gone)
        again = [n for n in self._heard if n.said[0] >= since and n.said not in false]
        self._player.again(again)
        return {"replayed": len(again), "left out": len(false)}


def _mark(turn: int) -> str:
    return f"before turn {turn}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoisonedGame:
    """A poisoned game with one way back: mean rewards `before` the poison, from it to the audit
    (`sick`) and `after`; `touched`: after, of the questions that rest on what was lied `about`.
    """

    how: str
    before: float
    sick: float
    after: float
    touched: float | None
    verdicts: Mapping[str, int]
    done: Mapping[str, int]
    findings: tuple[Finding, ...] = ()
    about: tuple[TruthFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dose:
    """When a game is poisoned and when the memory is audited; `lies` at most."""

    seed: int
    turns: int
    poisoned: int
    audited: int
    lies: int = 20


def course(
    game: Game,
    player: Remembering,
    dose: Dose,
    *,
    how: Way,
    touched: Collection[TruthFact] | None = None,
) -> PoisonedGame:
    """Play a game whose memory is audited in the middle; the game may be poisoned or clean.

    `touched`: facts; questions about the same of the same are scored apart. None: what a
    poisoned game lied about.
    """
    audited = Audited(player, at=dose.audited, how=how)
    match = GameMatch(game, audited, seed=dose.seed, turns=dose.turns)
    audited.watch(match)
    turns = list(match)
    if touched is None:
        touched = [lie.fact for lie in game.lies] if isinstance(game, Poisoned) else ()
    slots = {f"{fact.subject}|{fact.relation}|" for fact in touched}
    apart = [
        turned.reward
        for turned in turns
        if turned.turn >= dose.audited
        and any(fact.startswith(slot) for fact in turned.deciding for slot in slots)
    ]
    return PoisonedGame(
        how=how,
        before=_mean(turns, 0, dose.poisoned),
        sick=_mean(turns, dose.poisoned, dose.audited),
        after=_mean(turns, dose.audited, dose.turns),
        touched=sum(apart) / len(apart) if apart else None,
        verdicts=counted(audited.findings),
        done=audited.done,
        findings=audited.findings,
        about=tuple(touched),
    )


def _mean(turns: Sequence[PlayedTurn], first: int, last: int) -> float:
    rewards = [turn.reward for turn in turns if first <= turn.turn < last]
    return sum(rewards) / len(rewards) if rewards else 0.0
