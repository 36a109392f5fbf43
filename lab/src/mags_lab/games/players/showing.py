"""What a reader is shown in the place of memories, each line once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from mags_lab.games.players.notes import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A line for the reader: its words, the line of the game it is, the memories it stands for.

    `note` None: words of the memory's own (a theme), which nobody said. `facts`: of the memory,
    that it told.
    """

    text: str
    note: Note | None
    ids: tuple[int, ...] = ()
    facts: frozenset[int] = frozenset()

    @property
    def says(self) -> Hashable:
        """What it says: who tells which facts; its words, where it tells none."""
        return (self.note.line.speaker, self.facts) if self.note and self.facts else self.text


def merged(one: Shown, before: Shown | None) -> Shown:
    """One line for both, which say the same: the later one, standing for all their memories."""
    if before is None:
        return one
    ids = tuple(dict.fromkeys((*before.ids, *one.ids)))
    if before.note is None or (one.note is not None and one.note.said > before.note.said):
        return replace(one, ids=ids)
    return replace(before, ids=ids)


def together(found: Iterable[Shown]) -> list[Shown]:
    """Each line once."""
    unique: dict[Hashable, Shown] = {}
    for one in found:
        unique[one.says] = merged(one, unique.get(one.says))
    return list(unique.values())
