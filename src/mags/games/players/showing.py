"""What a reader is shown in the place of memories, each line once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mags.games.players.notes import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A line for the reader: its words, the line of the game it is, the memories it stands for.

    `note` None: words of the memory's own (a theme), which nobody said.
    """

    text: str
    note: Note | None
    ids: tuple[int, ...] = ()


def merged(one: Shown, before: Shown | None) -> Shown:
    """One line for both, which say the same: the later one, standing for all their memories."""
    if before is None:
        return one
    notes = [note for note in (before.note, one.note) if note is not None]
    last = max(notes, key=lambda note: note.said, default=None)
    return Shown(text=one.text, note=last, ids=tuple(dict.fromkeys((*before.ids, *one.ids))))


def together(found: Iterable[Shown]) -> list[Shown]:
    """Each line once."""
    unique: dict[str, Shown] = {}
    for one in found:
        unique[one.text] = merged(one, unique.get(one.text))
    return list(unique.values())
