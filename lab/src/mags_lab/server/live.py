"""Adds the games to a server: their routes and their players."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fastapi import FastAPI

from mags.app import open as open_memory
from mags.memory.memory import Memory
from mags.ports.answer import Answerer
from mags.ports.embedder import Embedder
from mags.server.settings import Leave, Outside
from mags.settings import Settings
from mags_lab.games.players.baselines import Nothing
from mags_lab.games.players.directions import WayPolicy
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.reader import shipped_reader
from mags_lab.server.routes import router
from mags_lab.server.sessions import GameSessions, Pair, Pairs


def games(app: FastAPI, outside: Outside) -> Leave:
    """Offer the games, played by MAGS with the server's embedder."""
    return offer(app, lambda: players(outside.embedder()))


def offer(app: FastAPI, pairs: Pairs) -> Leave:
    """Offer the games to an app, with players made by `pairs`."""
    # The app calls the function that is returned when it stops.
    sessions = GameSessions(pairs)
    app.state.sessions = sessions
    app.include_router(router)
    return sessions.close


def players(embedder: Embedder) -> Pair:
    """MAGS with the shipped settings, and a player without memory, with the same reader."""
    reader = shipped_reader()
    return Remembering(reader, partial(_in_ram, embedder)), Nothing(reader)


def _in_ram(embedder: Embedder, clock: Callable[[], float], answerer: Answerer) -> Memory:
    # None: in RAM. `WayPolicy` reads how places lie, which the product's policies do not.
    return open_memory(
        None,
        settings=Settings(),
        policy=WayPolicy(),
        answerer=answerer,
        embedder=embedder,
        clock=clock,
    )
