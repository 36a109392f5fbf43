"""Games played live: MAGS beside a player without memory, to be watched turn by turn."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from mags import inspect
from mags.memory.views import Frame
from mags.server.auth import Forbidden, Grant, Scope
from mags.server.context import grant_of
from mags.server.wire.requests import RequestBody, examples
from mags.server.wire.responses import PictureOut, ResponseBody, ViewBody
from mags_lab.server.sessions import OFFERED, GameSession, GameSessions, PlayedStep, ShownTurn

router = APIRouter(prefix="/games", tags=["games"])
GameId = Annotated[
    str, Path(description="As `POST /games` gave it.", examples=["9c41e07ab2d85f36"])
]


class GameIn(RequestBody):
    """Which game to play; the same seed brings the same game."""

    model_config = examples({}, {"game": "knights/short", "seed": 3})

    game: Annotated[str, Field(max_length=100)] = "nonsense/tiny"
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class GamesOut(ResponseBody):
    """Games that can be watched, with the turns that are played at most."""

    games: dict[str, int]


class GameOut(ResponseBody):
    """A game that has begun. `turns`: how many are played at most."""

    id: str
    game: str
    seed: int
    turns: int


class LineOut(ViewBody):
    """Something said or seen; the speaker may be "narrator"."""

    speaker: str
    text: str


class TurnOut(ResponseBody):
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
    def of(cls, played: ShownTurn) -> TurnOut:
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


class StepOut(ResponseBody):
    """One turn of both. `turn`: how many have been played; `over`: this was the last."""

    game: str
    seed: int
    turns: int
    turn: int
    over: bool
    mags: TurnOut
    alone: TurnOut

    @classmethod
    def of(cls, session: GameSession, step: PlayedStep, turns: int) -> StepOut:
        """From how it was played."""
        return cls(
            game=session.name,
            seed=session.seed,
            turns=turns,
            turn=step.played,
            over=step.over,
            mags=TurnOut.of(step.mags),
            alone=TurnOut.of(step.alone),
        )


@router.get("")
def games(request: Request) -> GamesOut:
    """The games that can be watched."""
    _player(request)
    return GamesOut(games=dict(OFFERED))


@router.post("", status_code=201)
def begin_game(request: Request, wanted: GameIn) -> GameOut:
    """Begin a game. It is put away when it is idle, or when its key begins a third one."""
    grant, sessions = _player(request)
    id_, session = sessions.begin(grant, wanted.game, wanted.seed)
    return GameOut(id=id_, game=session.name, seed=session.seed, turns=OFFERED[session.name])


@router.post("/{game}/step")
def step(request: Request, game: GameId) -> StepOut:
    """Play one turn, by MAGS and by a player without memory, each in its own copy of the game."""
    grant, sessions = _player(request)
    session, played = sessions.step(grant, game)
    return StepOut.of(session, played, OFFERED[session.name])


@router.get("/{game}/picture")
def game_picture(
    request: Request, game: GameId, most: Annotated[int, Query(ge=1, le=5_000)] = 500
) -> PictureOut:
    """The memory that MAGS has made of the game so far, to be drawn."""
    grant, sessions = _player(request)
    picture = sessions.look(grant, game, lambda memory: inspect.picture(memory, Frame(most=most)))
    return PictureOut.of(picture)


@router.delete("/{game}", status_code=204)
def end_game(request: Request, game: GameId) -> None:
    """Put a game away."""
    grant, sessions = _player(request)
    sessions.end(grant, game)


def _player(request: Request) -> tuple[Grant, GameSessions]:
    grant = grant_of(request)
    # A game makes a memory, though only in RAM, so the right to read is not enough.
    if grant.scope < Scope.WRITE:
        raise Forbidden("playing needs a key that may write")
    sessions: GameSessions = request.app.state.sessions
    return grant, sessions
