"""`mags connect`: how two things hang together."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.shared import AsJson, Branch, MemoryPath, Where, node_or_name, out, print_json


def connect(
    start: Annotated[str, typer.Argument(help="A name, or a node as m12.")],
    end: Annotated[str, typer.Argument(help="Another.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    json: AsJson = False,
) -> None:
    """Show the strongest path between two things."""
    with Where(path=memory, branch=branch).open() as opened:
        path = opened.connect(node_or_name(start), node_or_name(end))
    if json:
        print_json(path)
    elif path is None:
        out.print("No path joins them.")
    else:
        out.print(f"{path} (strength {path.strength:.3f})", markup=False)
