"""A page as Markdown: everything but the pictures, whose numbers stand in tables beside them."""

from __future__ import annotations

from mags_lab.evaluation.report.page import Block, Figure, Listing, Page, Prose, Table


def markdown(page: Page) -> str:
    """The whole page."""
    parts = [f"# {page.title}", "\n".join(f"- {what}: {which}" for what, which in page.head)]
    for section in page.sections:
        parts.append(f"## {section.title}")
        parts.extend(_block(block) for block in section.blocks)
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case Prose():
            return block.text
        case Table():
            return f"**{block.caption}**\n\n{_escaped(block)}"
        case Figure():
            return f"*{block.caption}* (drawn in the HTML page): {block.told}"
        case Listing():
            marks = block.marks or ("",) * len(block.lines)
            width = max(map(len, marks), default=0)
            lines = (
                f"{m:{width}} {t}".rstrip() if width else t
                for m, t in zip(marks, block.lines, strict=True)
            )
            return f"{block.caption}\n\n```text\n" + "\n".join(lines) + "\n```"


def _escaped(table: Table) -> str:
    grid = table.grid
    cells = [tuple(cell.replace("|", "\\|") for cell in row) for row in (grid.head, *grid.rows)]
    lines = [cells[0], ("---",) * len(grid.head), *cells[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
