"""Players without a memory of their own: nothing but the turn, a sliding window, and the oracle."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from mags.ports.chat import estimate
from mags_lab.games.players.notes import Note, moved, noted, shown
from mags_lab.games.turns import GameReader, GameScene, Move, Truth


class Nothing:
    """A player that forgets every turn."""

    name = "nothing"

    def __init__(self, reader: GameReader) -> None:
        self._reader = reader

    def begin(self, scene: GameScene) -> None:
        """Nothing to forget."""

    def choose(self, scene: GameScene) -> Move:
        """By what was said in this turn alone."""
        notes = noted(scene)
        return moved(self._reader.choose(shown(notes), scene.question, scene.actions), notes)


class WindowPlayer:
    """A player that sees the last lines that fit into `tokens`, and at most `lines` of them."""

    name = "window"

    def __init__(
        self, reader: GameReader, *, tokens: int = 1_500, lines: int | None = None
    ) -> None:
        self._reader = reader
        self._tokens = tokens
        self._lines = lines
        self._kept: deque[Note] = deque()

    def begin(self, scene: GameScene) -> None:
        """Forget everything."""
        self._kept.clear()

    def choose(self, scene: GameScene) -> Move:
        """By the lines in the window."""
        self._kept.extend(noted(scene))
        notes = list(self._fitting())[::-1]
        while len(self._kept) > max(1, len(notes)):
            self._kept.popleft()
        return moved(self._reader.choose(shown(notes), scene.question, scene.actions), notes)

    def _fitting(self) -> Iterator[Note]:
        """What fits, newest first."""
        room = self._tokens
        for count, note in enumerate(reversed(self._kept)):
            room -= estimate(note.shown)
            if room < 0 or count == self._lines:
                return
            yield note


class Oracle:
    """A player that is shown what it needs and nothing else: the reader's own ceiling."""

    name = "oracle"

    def __init__(self, reader: GameReader) -> None:
        self._reader = reader
        self._needed: tuple[str, ...] = ()

    def begin(self, scene: GameScene) -> None:
        """Forget everything."""
        self._needed = ()

    def informed(self, truth: Truth) -> None:
        """Take what is needed now."""
        self._needed = truth.needed

    def choose(self, scene: GameScene) -> Move:
        """By the lines that are needed."""
        choice = self._reader.choose(self._needed, scene.question, scene.actions)
        return Move(
            action=choice.action,
            lines=self._needed,
            cited=choice.cited,
            tokens=sum(estimate(line) for line in self._needed),
        )
