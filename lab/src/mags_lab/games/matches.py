"""A match: one player through one game, turn by turn, as records that are all a measure needs.

Records stream: a `GameMatch` yields each as it is made, `as_json` and `from_json` keep them as
lines of JSON. What a shown line has to do with the facts that decided is settled here, by the line
it comes from, so that nobody judges words later.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from mags.errors import InvalidInput
from mags_lab.games.turns import (
    Game,
    GameScene,
    Informed,
    Move,
    Outcome,
    Player,
    Rewarded,
    Said,
    Truth,
    TruthFact,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTurn:
    """One turn as it went.

    `best`: the actions that would have brought the most; `choices`: how many there were.
    `deciding`: the facts that decide, each as "subject|relation|object", `needed` how many,
    `carried`: those of them that a shown line teaches; `knowable`: all of them had been told,
    and the best action follows from what was.
    `shown`: how many lines the player's model was shown, `tokens` in them; `cited`: places
    among them that decided, `teaching`: places of those that teach a fact that decides.
    `age`: turns since the needed fact told longest ago was last told; `since`: turns since what
    the question rests on changed (None: never), `change` what sort of change it was; `fresh`:
    changes of the world in this turn.
    `recall_s`, `engram_s`, `choose_s`: seconds of processor time, the last of the whole choice.
    """

    turn: int
    kind: str
    question: str
    action: str
    best: tuple[str, ...]
    choices: int
    reward: float
    deciding: tuple[str, ...] = ()
    shown: int = 0
    tokens: int = 0
    needed: int = 0
    carried: int = 0
    knowable: bool = True
    cited: tuple[int, ...] = ()
    teaching: tuple[int, ...] = ()
    age: int | None = None
    since: int | None = None
    fresh: int = 0
    change: str = ""
    recall_s: float = 0.0
    engram_s: float = 0.0
    choose_s: float = 0.0
    lines: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether nothing better could have been done."""
        return self.action in self.best


class TaughtFacts:
    """What has been told so far, by line and by fact: from `Truth.teaches`, for scoring alone."""

    def __init__(self) -> None:
        self._by_said: dict[Said, tuple[TruthFact, ...]] = {}
        self._by_words: dict[str, set[TruthFact]] = {}
        self._last: dict[TruthFact, int] = {}

    @property
    def taught(self) -> Mapping[Said, tuple[TruthFact, ...]]:
        """Every line that taught something, with what it taught."""
        return self._by_said

    def heard(self, scene: GameScene, truth: Truth) -> None:
        """Take in what the lines of a scene teach."""
        for place, line in enumerate(scene.said):
            facts = truth.teaches.get((scene.turn, place), ())
            if facts:
                self._by_said[scene.turn, place] = tuple(facts)
                self._by_words.setdefault(line.text, set()).update(facts)
                self._last.update(dict.fromkeys(facts, scene.turn))

    def told_at(self, fact: TruthFact) -> int | None:
        """The turn at which a fact was last told; None where it never was."""
        return self._last.get(fact)

    def teaches(self, move: Move, truth: Truth) -> list[frozenset[TruthFact]]:
        """For each shown line the facts it teaches.

        By the lines it comes from; where the player cannot tell, by its words, with or without
        who said it. A sentence of `truth.needed` teaches all that the question rests on.
        """
        if move.sources:
            if len(move.sources) != len(move.lines):
                raise InvalidInput(
                    f"a move names the sources of {len(move.sources)} lines and shows "
                    f"{len(move.lines)}: name those of each line, or of none"
                )
            return [
                frozenset(f for said in sources for f in self._by_said.get(said, ()))
                for sources in move.sources
            ]
        return [self._by_text(line, truth) for line in move.lines]

    def _by_text(self, line: str, truth: Truth) -> frozenset[TruthFact]:
        if line in truth.needed:
            return frozenset(truth.rests_on)
        bare = line.partition(": ")[2]
        return frozenset(self._by_words.get(line, ()) or self._by_words.get(bare, ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What was so when a match stopped: what holds and what holds no longer of what was told."""

    facts: frozenset[TruthFact]
    over: frozenset[TruthFact]
    taught: Mapping[Said, tuple[TruthFact, ...]]


class GameMatch:
    """A player in a game: iterate it for the turns; `end` is there once the first was made.

    `clock`: seconds of processor time. At most `turns` turns are played, fewer where the game
    is over before.
    """

    def __init__(
        self,
        game: Game,
        player: Player,
        *,
        seed: int,
        turns: int,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        self._game, self._player = game, player
        self._seed, self._turns = seed, turns
        self._clock = clock
        self._ledger = TaughtFacts()
        self._truth = Truth(best=frozenset(), needed=())

    def __iter__(self) -> Iterator[PlayedTurn]:
        """Play, from the beginning; each turn as it is done."""
        scene: GameScene | None = self._game.begin(self._seed)
        self._ledger = TaughtFacts()
        assert scene is not None
        self._player.begin(scene)
        known = 0
        for _ in range(self._turns):
            truth = self._truth = self._game.truth()
            self._ledger.heard(scene, truth)
            move, seconds = self._chosen(scene, truth)
            outcome, following = self._game.act(move.action)
            turned = self._turned(scene, truth, move, outcome)
            yield replace(turned, choose_s=seconds, fresh=len(truth.changes) - known)
            known = len(truth.changes)
            if isinstance(self._player, Rewarded):
                self._player.rewarded(outcome)
            if following is None or outcome.over:
                return
            scene = following

    @property
    def end(self) -> End:
        """What is so now."""
        return End(facts=self._truth.facts, over=self._truth.over, taught=self._ledger.taught)

    def _chosen(self, scene: GameScene, truth: Truth) -> tuple[Move, float]:
        if isinstance(self._player, Informed):
            self._player.informed(truth)
        began = self._clock()
        move = self._player.choose(scene)
        return move, self._clock() - began

    def _turned(self, scene: GameScene, truth: Truth, move: Move, outcome: Outcome) -> PlayedTurn:
        teaches = self._ledger.teaches(move, truth)
        deciding = frozenset(truth.rests_on)
        told = [self._ledger.told_at(fact) for fact in truth.rests_on]
        turns = [scene.turn - turn for turn in told if turn is not None]
        return PlayedTurn(
            turn=scene.turn,
            kind=truth.kind,
            question=scene.question,
            action=move.action,
            best=tuple(sorted(truth.best)),
            choices=len(scene.actions),
            reward=outcome.reward,
            deciding=tuple(f"{f.subject}|{f.relation}|{f.object}" for f in truth.rests_on),
            shown=len(move.lines),
            tokens=move.tokens,
            needed=len(deciding),
            carried=len(deciding & frozenset().union(*teaches)),
            knowable=truth.knowable and len(turns) == len(told),
            cited=move.cited,
            teaching=tuple(i for i, facts in enumerate(teaches) if facts & deciding),
            age=max(turns) if told and len(turns) == len(told) else None,
            since=None if truth.changed is None else scene.turn - truth.changed,
            change=truth.after,
            recall_s=move.recall_s,
            engram_s=move.engram_s,
            lines=move.lines,
        )


def play(game: Game, player: Player, *, seed: int, turns: int) -> tuple[PlayedTurn, ...]:
    """Every turn of a match."""
    return tuple(GameMatch(game, player, seed=seed, turns=turns))


_TUPLES = frozenset({"best", "deciding", "cited", "teaching", "lines"})
_NAMES = frozenset(field.name for field in fields(PlayedTurn))


def as_json(turned: PlayedTurn, *, lines: bool = True) -> str:
    """A turn as one line of JSON; `lines` False leaves the words that were shown out."""
    return json.dumps(asdict(turned if lines else replace(turned, lines=())), ensure_ascii=False)


def from_json(line: str) -> PlayedTurn:
    """The reverse of `as_json`; raises InvalidInput for what is no record of a turn."""
    try:
        found: Any = json.loads(line)
    except json.JSONDecodeError as failure:
        raise InvalidInput(f"this is no record of a turn: {failure}") from failure
    if not isinstance(found, dict) or not {"turn", "action"} <= found.keys() <= _NAMES:
        raise InvalidInput("this is no record of a turn: it lacks or adds fields", given=found)
    given: dict[str, Any] = {k: tuple(v) if k in _TUPLES else v for k, v in found.items()}
    return PlayedTurn(**given)
