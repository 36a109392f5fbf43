"""The oracle: the least lines from which the best action can be told, straight from the game."""

from __future__ import annotations

from mags.models.chat.usage import estimate
from mags_lab.games.turns import Move, Reader, Scene, Truth


class Oracle:
    """A player that is shown what it needs and nothing else: the reader's own ceiling."""

    name = "oracle"

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._needed: tuple[str, ...] = ()

    def begin(self, scene: Scene) -> None:
        """Forget everything."""
        self._needed = ()

    def informed(self, truth: Truth) -> None:
        """Take what is needed now."""
        self._needed = truth.needed

    def choose(self, scene: Scene) -> Move:
        """By the lines that are needed."""
        choice = self._reader.choose(self._needed, scene.question, scene.actions)
        return Move(
            action=choice.action,
            lines=self._needed,
            cited=choice.cited,
            tokens=sum(estimate(line) for line in self._needed),
        )
