"""`mags pin`: mark a memory as important for good."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli import tables
from mags.cli.shared import Branch, MemoryPath, Where, node_id, out


def pin(
    node: Annotated[str, typer.Argument(help="A node as m12.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    off: Annotated[bool, typer.Option("--off", help="Take the mark back.")] = False,
) -> None:
    """Pin a node: it never decays and never goes cold."""
    with Where(path=memory, branch=branch).open() as opened:
        out.print(tables.node(opened.pin(node_id(node), pinned=not off)))
