"""A person who plays, with or without what a memory would show beside it."""

from __future__ import annotations

from collections.abc import Callable

from mags.games.players.notes import moved, noted
from mags.games.turns import Choice, Move, Player, Scene

AskPerson = Callable[[Scene, tuple[str, ...]], str]
"""The scene, and the lines that a memory shows beside it, to one of the scene's actions."""


class Human:
    """Whoever sits at the keyboard; `beside`: a player whose lines are shown, not its choice."""

    name = "human"

    def __init__(self, ask: AskPerson, beside: Player | None = None) -> None:
        self._ask = ask
        self._beside = beside

    def begin(self, scene: Scene) -> None:
        """The memory beside forgets the game before; the person may not."""
        if self._beside is not None:
            self._beside.begin(scene)

    def choose(self, scene: Scene) -> Move:
        """What the person chooses, who was shown the turn and the memory's lines."""
        if self._beside is None:
            return moved(Choice(action=self._ask(scene, ()), sure=1.0), noted(scene))
        move = self._beside.choose(scene)
        return Move(
            action=self._ask(scene, move.lines),
            lines=move.lines,
            recall_s=move.recall_s,
            engram_s=move.engram_s,
            tokens=move.tokens,
            sources=move.sources,
        )
