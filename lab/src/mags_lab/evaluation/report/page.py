"""What stands on a page, whatever it is written as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mags_lab.evaluation.proving.tables import Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with its caption. `folded`: shown when asked for; `lead`: leading columns that name
    the row; `words`: cells are sentences, not numbers.
    """

    caption: str
    grid: Grid
    folded: bool = False
    lead: int = 1
    words: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture. `svg`: the element; `told`: what it shows, for who cannot see it.

    `legend`: names with their colours, where the picture has lines.
    """

    caption: str
    svg: str
    told: str
    legend: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Lines in a row. `marks`: what is said in front of each, in the same order."""

    caption: str
    lines: tuple[str, ...]
    marks: tuple[str, ...] = ()


Block: TypeAlias = Prose | Table | Figure | Listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page; `id` for links to it."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The whole. `head`: how it came about, as pairs of what and which."""

    title: str
    head: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
