"""What is remembered already, found again in the words that the heads look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mags.models.policy.heads.choices import FAVOURITE, Vocabulary
from mags.models.policy.heads.layout import ADDRESSEE, SPEAKER, SPECIAL, Layout
from mags.ports.policy import Recalled
from mags.ports.relations import normalise

OBJECT, SUBJECT = 0, 1
"""Columns of rows that are the object or the subject of a remembered fact."""
Rows = tuple[tuple[int, int], ...]


def places_of(layout: Layout, words: str, *, turn: bool) -> list[tuple[int, int]]:
    """Rows (first, last) where whole words stand, in the turn or before it; any case."""
    wanted = words.casefold()
    text = layout.text.casefold()
    starts = {w.start: row for row, w in enumerate(layout.words, SPECIAL) if w.turn is turn}
    ends = {w.end: row for row, w in enumerate(layout.words, SPECIAL) if w.turn is turn}
    found = []
    at = text.find(wanted)
    while wanted and at >= 0:
        if at in starts and at + len(wanted) in ends:
            found.append((starts[at], ends[at + len(wanted)]))
        at = text.find(wanted, at + 1)
    return found


def subjects_of(layout: Layout, name: str) -> Rows:
    """Every place that stands for somebody, the surest first."""
    found: list[tuple[int, int]] = []
    if name.casefold() == layout.speaker.casefold():
        found.append((SPEAKER, SPEAKER))
    elif layout.addressee and name.casefold() == layout.addressee.casefold():
        found.append((ADDRESSEE, ADDRESSEE))
    found += places_of(layout, name, turn=True)
    owner = f"{layout.speaker}'{'' if layout.speaker.endswith('s') else 's'} "
    if name.startswith(owner):
        found += places_of(layout, "my " + name.removeprefix(owner), turn=True)
    return tuple(found) or tuple(places_of(layout, name, turn=False))


def read_fact(text: str, vocabulary: Vocabulary) -> tuple[str, str, str] | None:
    """Subject, relation and object of a fact as a memory words it, None for other sentences."""
    words = text.removesuffix(".")
    best: tuple[int, str, str, str] | None = None
    for name, middle, noun in middles(vocabulary):
        at = words.find(middle)
        if at <= 0 or at + len(middle) >= len(words):
            continue
        subject, object = words[:at], words[at + len(middle) :]
        if noun:
            subject = subject.removesuffix("'s").removesuffix("'")
        if best is None or len(middle) > best[0]:
            best = len(middle), subject, name, object
    return None if best is None else best[1:]


def middles(vocabulary: Vocabulary) -> Iterator[tuple[str, str, bool]]:
    """(relation, the words between subject and object, whether it is a noun)."""
    for name in vocabulary.relations:
        known = normalise(name)
        kinds = [f"{name} {kind}" for kind in vocabulary.kinds] if name == FAVOURITE else [name]
        for words in kinds:
            yield name, f" {words} is " if known.noun else f" {words} ", known.noun


def remembered(
    layout: Layout, recalled: Sequence[Recalled], vocabulary: Vocabulary
) -> tuple[tuple[int, int], ...]:
    """(row, column) of everything in the words that a current memory tells of too.

    Columns: `OBJECT`, `SUBJECT`, then every relation by object, then by subject.
    """
    found: dict[tuple[int, int], None] = {}
    for memory in recalled:
        fact = read_fact(memory.text, vocabulary) if memory.current else None
        if fact is None:
            continue
        subject, relation, object = fact
        place = vocabulary.relations.index(relation)
        many = len(vocabulary.relations)
        for column, spans in (
            (OBJECT, places_of(layout, object, turn=True)),
            (SUBJECT, subjects_of(layout, subject)),
        ):
            for first, last in spans:
                for row in range(first, last + 1):
                    found[row, column] = found[row, 2 + column * many + place] = None
    return tuple(found)


def columns(vocabulary: Vocabulary) -> int:
    """How many columns `remembered` speaks of."""
    return 2 + 2 * len(vocabulary.relations)


def with_memories(
    layout: Layout,
    marks: NDArray[np.float32],
    recalled: Sequence[Recalled],
    vocabulary: Vocabulary,
) -> NDArray[np.float32]:
    """The marks of writing (n, m) with those of `remembered` beside them."""
    made = np.zeros((len(marks), columns(vocabulary)), dtype=np.float32)
    for row, column in remembered(layout, recalled, vocabulary):
        if row < len(made):
            made[row, column] = 1.0
    return np.concatenate((marks, made), axis=1)
