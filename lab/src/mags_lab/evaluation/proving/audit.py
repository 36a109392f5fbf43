"""Poison and audit: compare every fact of a memory with the game, and repair the wrong ones.

In a poisoned game, somebody says false things at one turn. There are two ways to repair a memory
that has believed them. *Mend*: forget the false lines with everything that came from them alone,
open again the facts that they closed, and close facts that no longer hold. *Roll back*: go to the
snapshot before the first false line, and tell the memory again what was said since, without the
false lines.
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
    """An earlier line that told `fact`, changed so that it tells `false`."""

    line: GameLine
    fact: TruthFact
    false: TruthFact


class Poisoned:
    """A game with at most `lies` false lines at turn `at`; everything else is unchanged.

    A lie is a line that taught something that still holds, told again by the same speaker with
    another object of the same relation. The choice depends on the seed and `at` alone.
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
        """Act in the wrapped game."""
        outcome, scene = self._game.act(action)
        return outcome, None if scene is None else self._poisoned(scene)

    def truth(self) -> Truth:
        """The truth of the game, with the false lines as teaching facts that never hold."""
        truth = self._game.truth()
        return replace(truth, teaches={**truth.teaches, **self.false}) if self.false else truth

    def _poisoned(self, scene: GameScene) -> GameScene:
        truth = self._game.truth()
        for place, line in enumerate(scene.said):
            facts = truth.teaches.get((scene.turn, place), ())
            # Only lines that taught one fact: changing another would change more than that.
            if len(facts) == 1:
                self._told[facts[0]] = line
        if scene.turn != self._at:
            return scene
        self.lies = tuple(self._made(truth, scene.at))[: self._most]
        first = len(scene.said)
        self.false = {(scene.turn, first + n): (lie.false,) for n, lie in enumerate(self.lies)}
        return replace(scene, said=(*scene.said, *(lie.line for lie in self.lies)))

    def _made(self, truth: Truth, at: float) -> Iterable[Lie]:
        # Sorted before the shuffle: the order of a set differs between processes.
        known = sorted(truth.facts & self._told.keys())
        self._rng.shuffle(known)
        for fact in known:
            line = self._told[fact]
            others = sorted(
                {f.object for f in known if f.relation == fact.relation} - {fact.object}
            )
            # Without the object in its words, a line cannot be changed by replacing it.
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
    """A fact of the memory, the verdict on it, and the lines it comes from."""

    fact: KnownFact
    verdict: FactVerdict
    lines: tuple[str, ...]


def examine(player: Remembering, world: GameFacts) -> tuple[Finding, ...]:
    """Compare every fact of a player's memory with the game, in the order of ids."""
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
    """How many facts got each verdict."""
    found = Counter(finding.verdict for finding in findings)
    return {verdict.value: found[verdict] for verdict in FactVerdict}


def false_lines(world: GameFacts) -> frozenset[Said]:
    """Lines that taught only facts that never held in the game."""
    so = {*world.facts, *world.over}
    return frozenset(said for said, facts in world.taught.items() if facts and so.isdisjoint(facts))


def mend(player: Remembering, world: GameFacts) -> dict[str, int]:
    """Mend a memory in place; returns how many nodes were forgotten, closed and opened."""
    # Forgetting comes first: it changes which facts are still there to be closed or opened.
    memory, false = player.memory, false_lines(world)
    done = dict.fromkeys(("forgotten", "closed", "opened"), 0)
    for episode, note in list(player.notes.items()):
        if note.said in false:
            done["forgotten"] += len(memory.forget(episode).ids)
            player.let_go([episode])
    # The time of the game, not of the clock: it is what the memory's facts are dated by.
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
    """Whether another, open fact of the memory tells the same."""
    told = world.told_by(finding.fact) & frozenset(world.facts)
    return any(
        one.open and told <= world.told_by(one) for one in known_facts(player.memory, player.notes)
    )


class Audited:
    """A player whose memory is audited and repaired in the middle of a game.

    A snapshot is taken before every `every`-th turn. Before turn `at` the memory is examined and
    repaired as `how` says; `findings` and `done` have the results.
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
        """Set the match whose truth the audit uses; to be called before the match begins."""
        self._match = match

    def begin(self, scene: GameScene) -> None:
        """Begin a new game with a new memory."""
        self._player.begin(scene)
        self._heard = []
        self.findings, self.done = (), {}

    def choose(self, scene: GameScene) -> Move:
        """Choose, after an audit or a snapshot if one is due."""
        if scene.turn == self._at:
            self._audit()
        if scene.turn % self._every == 0:
            self._player.memory.snapshot(_mark(scene.turn))
        self._heard.extend(noted(scene))
        move = self._player.choose(scene)
        # The truth as of this turn, for an audit before the next one.
        assert self._match is not None, "watch() was not called"
        self._end = self._match.end
        return move

    def rewarded(self, outcome: Outcome) -> None:
        """Pass the outcome on to the player."""
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
        """Roll back to before the first false line, and tell again what was true."""
        if not false:
            return {"replayed": 0, "left out": 0}
        first = min(turn for turn, _ in false)
        # The last snapshot at or before the first false line.
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
    """The results of a poisoned game with one way of repair (`how`).

    Mean rewards `before` the lies, from them to the audit (`sick`), and `after`; `touched`: after
    the audit, of the questions that rest on facts that were lied `about`.
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
    """The turns at which a game is poisoned and the memory audited; `lies`: at most so many."""

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

    `touched`: facts; questions about the same subject and relation are scored apart. None: the
    facts that a poisoned game lied about.
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
