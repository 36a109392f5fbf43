"""The contents of a page, and the page as one HTML file and as Markdown.

The HTML has no scripts and no fonts, and loads nothing. The Markdown has everything but the
pictures, whose numbers are in tables beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib import resources
from itertools import groupby
from typing import TypeAlias

from mags_lab.evaluation.proving.tables import Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table with its caption.

    `folded`: closed until a reader opens it; `lead`: how many leading columns name the row;
    `words`: cells are sentences, not numbers.
    """

    caption: str
    grid: Grid
    folded: bool = False
    lead: int = 1
    words: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture. `svg`: the element; `told`: what it shows, for the Markdown.

    `legend`: names with their colours, if the picture has lines.
    """

    caption: str
    svg: str
    told: str
    legend: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BulletList:
    """A list of lines. `marks`: a mark in front of each, in the same order."""

    caption: str
    lines: tuple[str, ...]
    marks: tuple[str, ...] = ()


Block: TypeAlias = Prose | ReportTable | Figure | BulletList


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page; `id`: for links to it."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page. `head`: how it was made, as pairs of name and value."""

    title: str
    head: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]


def html(page: Page) -> str:
    """The page as one HTML file."""
    # The style is part of the file, so that the page can be moved anywhere.
    style = resources.files("mags_lab.evaluation.report").joinpath("page.css").read_text("utf-8")
    links = "".join(f'<li><a href="#{s.id}">{escape(s.title)}</a></li>' for s in page.sections)
    head = "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in page.head)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(page.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<header><h1>{escape(page.title)}</h1><dl>{head}</dl></header>\n"
        f'<nav aria-label="Contents"><ol>{links}</ol></nav>\n<main>\n'
        + "\n".join(_section_html(section) for section in page.sections)
        + "\n</main>\n</body>\n</html>\n"
    )


def _section_html(section: Section) -> str:
    # Pictures in a row share a box, in which they stand side by side.
    groups = groupby(section.blocks, key=lambda block: isinstance(block, Figure))
    blocks = "\n".join(
        f'<div class="figures">{body}</div>' if pictures and len(parts) > 1 else body
        for pictures, group in groups
        for parts in [[_block_html(block) for block in group]]
        for body in ["\n".join(parts)]
    )
    return (
        f'<section id="{section.id}" aria-labelledby="{section.id}-title">\n'
        f'<h2 id="{section.id}-title">{escape(section.title)}</h2>\n{blocks}\n</section>'
    )


def _block_html(block: Block) -> str:
    match block:
        case Prose():
            return f"<p>{escape(block.text)}</p>"
        case ReportTable():
            return _table_html(block)
        case Figure():
            caption = escape(block.caption)
            picture = f'<div tabindex="0" role="group" aria-label="{caption}">{block.svg}</div>'
            legend = "".join(
                f'<li><span style="background:{colour}"></span>{escape(name)}</li>'
                for name, colour in block.legend
            )
            names = f'<ul class="legend">{legend}</ul>' if legend else ""
            return f"<figure>{picture}{names}<figcaption>{caption}</figcaption></figure>"
        case BulletList():
            return _listing_html(block)


def _table_html(table: ReportTable) -> str:
    head = "".join(
        f'<th scope="col"{" class=name" if place < table.lead else ""}>{escape(cell)}</th>'
        for place, cell in enumerate(table.grid.head)
    )
    rows = "".join(
        "<tr>" + "".join(_cell_html(cell, table, place) for place, cell in enumerate(row)) + "</tr>"
        for row in table.grid.rows
    )
    caption = escape(table.caption)
    body = (
        f'<div class="wide{" said" if table.words else ""}" tabindex="0" role="group" '
        f'aria-label="{caption}"><table>'
        f"<caption>{caption}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    return f"<details><summary>{caption}</summary>{body}</details>" if table.folded else body


def _cell_html(cell: str, table: ReportTable, place: int) -> str:
    """A cell. An interval is small and can wrap below its mean, so that wide tables fit."""
    if place < table.lead:
        return f'<th scope="row">{escape(cell)}</th>'
    mean, bracket, interval = cell.partition(" [")
    if table.words or not bracket:
        return f"<td>{escape(cell)}</td>"
    return f"<td>{escape(mean)} <small>[{escape(interval)}</small></td>"


def _listing_html(listing: BulletList) -> str:
    marks = listing.marks or ("",) * len(listing.lines)
    lines = "".join(
        f"<li>{f'<mark>{escape(mark)}</mark> ' if mark else ''}{escape(line)}</li>"
        for mark, line in zip(marks, listing.lines, strict=True)
    )
    return f'<p class="lead">{escape(listing.caption)}</p><ul class="lines">{lines}</ul>'


def markdown(page: Page) -> str:
    """The page as Markdown."""
    parts = [f"# {page.title}", "\n".join(f"- {what}: {which}" for what, which in page.head)]
    for section in page.sections:
        parts.append(f"## {section.title}")
        parts.extend(_block_markdown(block) for block in section.blocks)
    return "\n\n".join(parts) + "\n"


def _block_markdown(block: Block) -> str:
    match block:
        case Prose():
            return block.text
        case ReportTable():
            return f"**{block.caption}**\n\n{_table_markdown(block)}"
        case Figure():
            return f"*{block.caption}* (drawn in the HTML page): {block.told}"
        case BulletList():
            marks = block.marks or ("",) * len(block.lines)
            width = max(map(len, marks), default=0)
            lines = (
                f"{m:{width}} {t}".rstrip() if width else t
                for m, t in zip(marks, block.lines, strict=True)
            )
            return f"{block.caption}\n\n```text\n" + "\n".join(lines) + "\n```"


def _table_markdown(table: ReportTable) -> str:
    grid = table.grid
    # A bar within a cell would begin a new one.
    cells = [tuple(cell.replace("|", "\\|") for cell in row) for row in (grid.head, *grid.rows)]
    lines = [cells[0], ("---",) * len(grid.head), *cells[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
