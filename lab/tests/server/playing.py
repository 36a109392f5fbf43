"""Games on a test's server, and their players."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import httpx

import mags
from mags.memory.memory import Memory
from mags.ports.answer import Answerer
from mags.settings import Settings
from mags_lab.games.players.baselines import Nothing
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.reader import LexicalReader
from mags_lab.server.live import offer
from mags_lab.server.sessions import Pair
from tests.server.serving import EMBEDDER


def players() -> Pair:
    """Two players who read by words alone, one of them with a memory."""
    reader = LexicalReader()

    def memories(clock: Callable[[], float], answerer: Answerer) -> Memory:
        return mags.open(
            None, settings=Settings(), embedder=EMBEDDER, answerer=answerer, clock=clock
        )

    return Remembering(reader, memories), Nothing(reader)


GAMES = {"games": lambda app, _: offer(app, players)}
"""What joins a test's server."""


def begin_game(client: httpx.Client, game: str) -> None:
    """Begin a game under an id that is known, and play a turn of it."""
    client.delete(f"/games/{game}")
    with patch("secrets.token_hex", return_value=game):
        assert client.post("/games", json={}).status_code == 201
    assert client.post(f"/games/{game}/step").status_code == 200
