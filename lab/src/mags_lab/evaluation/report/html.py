"""A page as one HTML file: no script, no font, nothing that is fetched."""

from __future__ import annotations

from html import escape
from importlib import resources
from itertools import groupby

from mags_lab.evaluation.report.page import Block, Figure, Listing, Page, Prose, Section, Table


def html(page: Page) -> str:
    """The whole page."""
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
        + "\n".join(_section(section) for section in page.sections)
        + "\n</main>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    groups = groupby(section.blocks, key=lambda block: isinstance(block, Figure))
    blocks = "\n".join(
        f'<div class="figures">{body}</div>' if pictures and len(parts) > 1 else body
        for pictures, group in groups
        for parts in [[_block(block) for block in group]]
        for body in ["\n".join(parts)]
    )
    return (
        f'<section id="{section.id}" aria-labelledby="{section.id}-title">\n'
        f'<h2 id="{section.id}-title">{escape(section.title)}</h2>\n{blocks}\n</section>'
    )


def _block(block: Block) -> str:
    match block:
        case Prose():
            return f"<p>{escape(block.text)}</p>"
        case Table():
            return _table(block)
        case Figure():
            caption = escape(block.caption)
            picture = f'<div tabindex="0" role="group" aria-label="{caption}">{block.svg}</div>'
            legend = "".join(
                f'<li><span style="background:{colour}"></span>{escape(name)}</li>'
                for name, colour in block.legend
            )
            names = f'<ul class="legend">{legend}</ul>' if legend else ""
            return f"<figure>{picture}{names}<figcaption>{caption}</figcaption></figure>"
        case Listing():
            return _listing(block)


def _table(table: Table) -> str:
    head = "".join(
        f'<th scope="col"{" class=name" if place < table.lead else ""}>{escape(cell)}</th>'
        for place, cell in enumerate(table.grid.head)
    )
    rows = "".join(
        "<tr>" + "".join(_cell(cell, table, place) for place, cell in enumerate(row)) + "</tr>"
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


def _cell(cell: str, table: Table, place: int) -> str:
    """A cell; an interval stands below its mean, so that wide tables fit."""
    if place < table.lead:
        return f'<th scope="row">{escape(cell)}</th>'
    mean, bracket, interval = cell.partition(" [")
    if table.words or not bracket:
        return f"<td>{escape(cell)}</td>"
    return f"<td>{escape(mean)} <small>[{escape(interval)}</small></td>"


def _listing(listing: Listing) -> str:
    marks = listing.marks or ("",) * len(listing.lines)
    lines = "".join(
        f"<li>{f'<mark>{escape(mark)}</mark> ' if mark else ''}{escape(line)}</li>"
        for mark, line in zip(marks, listing.lines, strict=True)
    )
    return f'<p class="lead">{escape(listing.caption)}</p><ul class="lines">{lines}</ul>'
