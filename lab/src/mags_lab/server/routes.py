"""Games played live: MAGS beside a player without memory, to be watched turn by turn."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from mags.memory import inspect
from mags.memory.views import Frame
from mags.server.desk import grant_of
from mags.server.grants import Forbidden, Grant, Scope
from mags.server.wire.seen import PictureOut
from mags_lab.server.tables import OFFERED, Tables
from mags_lab.server.wire import GameIn, GameOut, GamesOut, StepOut

router = APIRouter(prefix="/games", tags=["games"])
GameId = Annotated[
    str, Path(description="As `POST /games` gave it.", examples=["9c41e07ab2d85f36"])
]


@router.get("")
def games(request: Request) -> GamesOut:
    """The games that can be watched."""
    _player(request)
    return GamesOut(games=dict(OFFERED))


@router.post("", status_code=201)
def begin_game(request: Request, wanted: GameIn) -> GameOut:
    """Begin a game. It is put away when it is idle, or when its key begins a third one."""
    grant, tables = _player(request)
    id_, table = tables.begin(grant, wanted.game, wanted.seed)
    return GameOut(id=id_, game=table.name, seed=table.seed, turns=OFFERED[table.name])


@router.post("/{game}/step")
def step(request: Request, game: GameId) -> StepOut:
    """Play one turn, by MAGS and by a player without memory, each in its own copy of the game."""
    grant, tables = _player(request)
    table, played = tables.step(grant, game)
    return StepOut.of(table, played, OFFERED[table.name])


@router.get("/{game}/picture")
def game_picture(
    request: Request, game: GameId, most: Annotated[int, Query(ge=1, le=5_000)] = 500
) -> PictureOut:
    """The memory that MAGS has made of the game so far, to be drawn."""
    grant, tables = _player(request)
    seen = tables.look(grant, game, lambda memory: inspect.picture(memory, Frame(most=most)))
    return PictureOut.of(seen)


@router.delete("/{game}", status_code=204)
def end_game(request: Request, game: GameId) -> None:
    """Put a game away."""
    grant, tables = _player(request)
    tables.end(grant, game)


def _player(request: Request) -> tuple[Grant, Tables]:
    grant = grant_of(request)
    if grant.scope < Scope.WRITE:
        raise Forbidden("playing needs a key that may write")
    tables: Tables = request.app.state.tables
    return grant, tables
