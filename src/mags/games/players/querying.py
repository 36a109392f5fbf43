"""What a player asks its memory for next, from what the first lines name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mags.games.players.habits import Habits
from mags.games.players.notes import Note
from mags.games.players.shelf import NAMED, beyond, further
from mags.games.players.showing import Shown
from mags.games.turns import Scene
from mags.index.tokens import words

RARE = 8
"""Words that a second look asks for, where it goes by how seldom they were told."""


class Rarity:
    """How many of the lines that were told have a word.

    What few of them speak of is what one has heard of and not dealt with yet: the locker of
    a key that was just found, and none of the lockers that were opened, carried from and passed by.
    """

    def __init__(self) -> None:
        self._lines: Counter[str] = Counter()

    def told(self, note: Note) -> None:
        """A line more."""
        self._lines.update(set(words(note.line.text)))

    def rarest(self, found: Sequence[Shown], question: str) -> list[str]:
        """Words of what was found that the question lacks, those of the fewest lines first."""
        fresh = beyond(_texts(found), question)
        return sorted(fresh, key=self._lines.__getitem__)[:RARE]


def midway(found: Sequence[Shown], scene: Scene, habits: Habits, rarity: Rarity) -> str:
    """A query from both ends: what the first lines tell beyond the question, and the actions.

    By the names that they have; among places, where most lines name some, by their rarest words.
    """
    if habits.ways:
        told = rarity.rarest(found, scene.question)
    else:
        told = _names(found, scene) if habits.naming else []
    return " ".join([*told, *scene.actions])


def further_queries(found: Sequence[Shown], scene: Scene) -> tuple[str, ...]:
    """What the lines found first name beyond the question, for a second look."""
    named = _names(found, scene)
    return (" ".join(named),) if len(named) > NAMED else tuple(named)  # words, if no names


def _names(found: Sequence[Shown], scene: Scene) -> list[str]:
    return further(_texts(found), scene.question)


def _texts(found: Sequence[Shown]) -> list[str]:
    return [one.note.line.text for one in found if one.note is not None]
