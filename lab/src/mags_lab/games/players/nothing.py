"""Nothing but the turn: what a frozen model does alone."""

from __future__ import annotations

from mags_lab.games.players.notes import moved, noted, shown
from mags_lab.games.turns import Move, Reader, Scene


class Nothing:
    """A player that forgets every turn."""

    name = "nothing"

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def begin(self, scene: Scene) -> None:
        """Nothing to forget."""

    def choose(self, scene: Scene) -> Move:
        """By what was said in this turn alone."""
        notes = noted(scene)
        return moved(self._reader.choose(shown(notes), scene.question, scene.actions), notes)
