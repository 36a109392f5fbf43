"""What a client gets of a game that is played live."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mags.server.wire.given import Given, examples
from mags.server.wire.shown import Copied, Shown
from mags_lab.server.tables import Played, Step, Table


class GameIn(Given):
    """Which game to play; the same seed brings the same game."""

    model_config = examples({}, {"game": "knights/short", "seed": 3})

    game: Annotated[str, Field(max_length=100)] = "nonsense/tiny"
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class GamesOut(Shown):
    """Games that can be watched, with the turns that are played at most."""

    games: dict[str, int]


class GameOut(Shown):
    """A game that has begun. `turns`: how many are played at most."""

    id: str
    game: str
    seed: int
    turns: int


class LineOut(Copied):
    """Something said or seen; the speaker may be "narrator"."""

    speaker: str
    text: str


class TurnOut(Shown):
    """One player's turn.

    `said`: what came before the question; `best`: the actions that bring the most; `knowable`:
    whether anybody could know it from what was said so far; `right`: whether it was one of the
    best; `score`: rewards so far, `rights`: right moves so far. `lines`: what the player's reader
    was shown, for MAGS what it recalled; `cited`: places in it that decided; `seconds`: of
    processor time.
    """

    said: list[LineOut]
    question: str
    actions: list[str]
    action: str
    best: list[str]
    knowable: bool
    right: bool
    reward: float
    score: float
    rights: int
    lines: list[str]
    cited: list[int]
    seconds: float

    @classmethod
    def of(cls, played: Played) -> TurnOut:
        """From how it was played."""
        scene, turned = played.scene, played.turned
        return cls(
            said=[LineOut.of(line) for line in scene.said],
            question=scene.question,
            actions=list(scene.actions),
            action=turned.action,
            best=list(turned.best),
            knowable=turned.knowable,
            right=turned.right,
            reward=turned.reward,
            score=played.score,
            rights=played.right,
            lines=list(turned.lines),
            cited=list(turned.cited),
            seconds=turned.choose_s,
        )


class StepOut(Shown):
    """One turn of both. `turn`: how many have been played; `over`: this was the last."""

    game: str
    seed: int
    turns: int
    turn: int
    over: bool
    mags: TurnOut
    alone: TurnOut

    @classmethod
    def of(cls, table: Table, step: Step, turns: int) -> StepOut:
        """From how it was played."""
        return cls(
            game=table.name,
            seed=table.seed,
            turns=turns,
            turn=step.played,
            over=step.over,
            mags=TurnOut.of(step.mags),
            alone=TurnOut.of(step.alone),
        )
