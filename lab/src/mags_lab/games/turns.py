"""What a game and a player say to one another: plain words, never the fields of a fact.

A game hands out a `GameScene`; a player names one of its actions; the game answers with an
`Outcome`. Whatever can be known is kept beside it as `Truth`, in words of its own, so that playing,
writing and recalling are scored exactly and without a judge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from mags.errors import InvalidInput

Said: TypeAlias = tuple[int, int]
"""Which line of a game: (turn of the scene, place in its `said`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameLine:
    """A sentence or more that somebody said, or the world shows. `at`: seconds of game time."""

    speaker: str
    text: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GameScene:
    """What a player meets in a turn.

    `turn`: counts from 0; `at`: seconds of game time; `said`: what was said and seen since the
    last action, oldest first, the result of that action included; `question`: what is to be
    decided now; `actions`: what may be done, each different from the others, in no telling order.
    """

    turn: int
    at: float
    said: tuple[GameLine, ...]
    question: str
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an action brought. `reward`: in [0, 1]; `over`: no further scene follows."""

    reward: float
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TruthFact:
    """A fact as the game knows it. `relation`: the game's own name of it, the same all along.

    `object`: "" where it is of one thing alone, as that somebody lies.
    """

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What is so at a scene, for scoring and for the oracle alone.

    `best`: the actions that bring the most; `needed`: the least sentences from which one who
    knows nothing else can tell the best action, in plain words of the game's bank; `facts`: what
    has been told to the player and still holds; `over`: what has been told and holds no longer;
    `teaches`: by (scene's turn, place in `said`), the facts that a line told, for writing; it
    may hold the lines of this scene only, or all of them so far.
    `rests_on`: the facts that `needed` says, told to the player or not; `kind`: what sort of
    question it is, as tables name it; `changes`: the turns so far, this one included, at which
    the world changed (told or not), in order; `changed`: the last of them that touched what
    this question rests on, None where it has been so from the start.
    `ends`: like `teaches`, the facts that a line showed to be over: what changed unseen is in
    neither `facts` nor `over` until it can be known; `knowable`: whether the best action follows
    from what has been said so far; `age`: turns since the last line that it takes was said, 0
    where it is not knowable; `after`: the sort of the last change ("announced", "felt",
    "reverted", ...), or "lie" where somebody has since lied about it.
    """

    best: frozenset[str]
    needed: tuple[str, ...]
    rests_on: tuple[TruthFact, ...] = ()
    kind: str = ""
    changes: tuple[int, ...] = ()
    changed: int | None = None
    facts: frozenset[TruthFact] = frozenset()
    over: frozenset[TruthFact] = frozenset()
    teaches: Mapping[Said, tuple[TruthFact, ...]] = field(default_factory=dict)
    ends: Mapping[Said, tuple[TruthFact, ...]] = field(default_factory=dict)
    knowable: bool = True
    age: int = 0
    after: str = ""


class Game(Protocol):
    """A game in words. `begin` and `act` are deterministic for a seed and the actions taken."""

    @property
    def name(self) -> str:
        """Kind and level, as "nonsense/standard"."""
        ...

    def begin(self, seed: int) -> GameScene:
        """A new instance and its first scene. Nothing is left of the one before."""
        ...

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        """Do one of the scene's actions; the next scene, None when it is over.

        Raises InvalidInput for anything that is not one of them.
        """
        ...

    def truth(self) -> Truth:
        """What is so at the scene handed out last."""
        ...


class Player(Protocol):
    """One who plays. Sees scenes only; an oracle is given the truth by whoever runs it."""

    @property
    def name(self) -> str:
        """As tables name it: "nothing", "window", "static", "growing", "MAGS", "oracle"."""
        ...

    def begin(self, scene: GameScene) -> None:
        """A new game begins: forget the one before."""
        ...

    def choose(self, scene: GameScene) -> Move:
        """One of the scene's actions, and what it rested on."""
        ...


@runtime_checkable
class Rewarded(Protocol):
    """A player that learns from what its action brought, besides what it reads of it."""

    def rewarded(self, outcome: Outcome) -> None:
        """What the action chosen last brought; called before the next scene."""
        ...


@runtime_checkable
class Informed(Protocol):
    """A player that is given the truth: the oracle."""

    def informed(self, truth: Truth) -> None:
        """What is so at the scene to be chosen in; called before `choose`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What a player does. `lines`: what its model was shown, in that order; `cited`: places in
    `lines` that decided; `recall_s`, `engram_s`: seconds of processor time; `tokens`: shown.
    `sources`: for each of `lines` the lines it comes from, as (scene's turn, place in `said`);
    empty where nobody can tell (whoever scores then goes by the words).
    """

    action: str
    lines: tuple[str, ...] = ()
    cited: tuple[int, ...] = ()
    recall_s: float = 0.0
    engram_s: float = 0.0
    tokens: int = 0
    sources: tuple[tuple[Said, ...], ...] = ()


class GameReader(Protocol):
    """The frozen model: the same object for every player, which knows nothing of any game."""

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        """The action that the lines speak for. Lines are oldest first where they have an order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """`action`: the one chosen; `sure`: in [0, 1]; `cited`: places of the lines that decided.

    `shares`: by action, as they were given, how likely it is; () of a reader that does not tell.
    """

    action: str
    sure: float
    cited: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()


def check(action: str, actions: Collection[str] | None) -> None:
    """Raise InvalidInput unless the action is one of the scene's; None where no game is on."""
    if actions is None:
        raise InvalidInput("no game is on: begin one first", action=action)
    if action not in actions:
        raise InvalidInput(
            f"'{action}' cannot be done now: choose one of the scene's actions",
            action=action,
            actions=tuple(actions),
        )
