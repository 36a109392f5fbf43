"""`mags rollback`: go back to a snapshot."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.shared import Branch, MemoryPath, Where, out


def rollback(
    name: Annotated[str, typer.Argument(help="The snapshot.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
) -> None:
    """Go back to a snapshot by a new change, so that nothing is lost."""
    with Where(path=memory, branch=branch).open() as opened:
        delta = opened.rollback(name)
    out.print(f"Back at {name!r}: {len(delta.nodes)} nodes and {len(delta.arcs)} arcs changed.")
