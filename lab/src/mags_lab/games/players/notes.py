"""Notes: the lines a player has met, where each stood, and how lines are shown to a reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mags.models.chat.usage import estimate
from mags_lab.games.turns import Choice, Line, Move, Said, Scene

EPOCH_S = 1_704_067_200.0
"""Second 0 of a game, for a memory that thinks in dates: the first of January 2024."""

PRESENT = 12
"""Most lines of the turn itself that a player with a memory shows: a rulebook is no turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A line and where it stood."""

    said: Said
    line: Line

    @property
    def shown(self) -> str:
        """As every reader is shown it: who said it, where somebody did, and the words."""
        return f"{self.line.speaker}: {self.line.text}" if self.line.speaker else self.line.text


def noted(scene: Scene) -> list[Note]:
    """The lines of a scene as notes."""
    return [Note(said=(scene.turn, place), line=line) for place, line in enumerate(scene.said)]


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Each note once, oldest first."""
    return sorted({note.said: note for note in notes}.values(), key=lambda note: note.said)


def moved(
    choice: Choice,
    notes: Sequence[Note],
    *,
    recall_s: float = 0.0,
    engram_s: float = 0.0,
) -> Move:
    """The move that a choice is, which rested on those notes, shown in that order."""
    lines = tuple(note.shown for note in notes)
    return Move(
        action=choice.action,
        lines=lines,
        cited=choice.cited,
        recall_s=recall_s,
        engram_s=engram_s,
        tokens=sum(estimate(line) for line in lines),
        sources=tuple((note.said,) for note in notes),
    )


def shown(notes: Sequence[Note]) -> tuple[str, ...]:
    """Notes as a reader is shown them."""
    return tuple(note.shown for note in notes)
