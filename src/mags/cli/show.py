"""`mags show`: one node, with everything about it."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli import tables
from mags.cli.shared import AsJson, Branch, MemoryPath, Where, node_id, out, print_json


def show(
    node: Annotated[str, typer.Argument(help="A node as m12.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    json: AsJson = False,
) -> None:
    """Show one node: text, validity, strength, sources."""
    with Where(path=memory, branch=branch).open() as opened:
        view = opened.get(node_id(node))
    if json:
        print_json(view)
    else:
        out.print(tables.node(view))
