"""`mags neighbours`: what is around a node."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli import tables
from mags.cli.shared import AsJson, Branch, MemoryPath, Where, node_or_name, out, print_json


def neighbours(
    node: Annotated[str, typer.Argument(help="A name, or a node as m12.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    limit: Annotated[int, typer.Option("-k", help="How many.")] = 20,
    json: AsJson = False,
) -> None:
    """List everything one arc away, strongest first."""
    with Where(path=memory, branch=branch).open() as opened:
        found = opened.neighbours(node_or_name(node))[:limit]
    if json:
        print_json(found)
    else:
        out.print(tables.neighbours(found))
