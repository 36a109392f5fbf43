"""What a player asks its memory for next, from what the first lines name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mags.index.tokens import stem, words
from mags_lab.games.players.habits import Habits
from mags_lab.games.players.notes import Note
from mags_lab.games.players.shelf import NAMED, beyond, further
from mags_lab.games.players.showing import Shown
from mags_lab.games.turns import Scene

RARE = 8
"""Words that a second look asks for, where it goes by how seldom they were told."""


class Rarity:
    """How many of the lines that were told have a word, each line once, however often told.

    What few lines speak of that were not found yet is what one has heard of and not dealt with:
    the locker of a key that was just found, and none of the lockers that were opened and carried
    from. A word of which every line was found leads nowhere.
    """

    def __init__(self) -> None:
        self._lines: Counter[str] = Counter()
        self._told: set[str] = set()

    def told(self, note: Note) -> None:
        """A line more."""
        text = note.line.text
        if text not in self._told:
            self._told.add(text)
            self._lines.update(_stems(text))

    def rarest(self, found: Sequence[Shown], question: str) -> list[str]:
        """Words of what was found that the question lacks and other lines have, fewest first."""
        texts = _texts(found)
        left = self._lines.copy()
        left.subtract(one for text in set(texts) for one in _stems(text))
        fresh = [word for word in beyond(texts, question) if left[stem(word)] > 0]
        return sorted(fresh, key=lambda word: left[stem(word)])[:RARE]


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text)}


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
