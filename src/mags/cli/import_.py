"""`mags import`: an export added to a memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from mags.cli.shared import Branch, MemoryPath, Where, out


def import_(
    file: Annotated[Path, typer.Argument(help="An export.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
) -> None:
    """Add everything in an export to a memory (made if it is not there)."""
    with (
        Where(path=memory, branch=branch).open(must_exist=False) as opened,
        Progress(transient=True) as progress,
    ):
        task = progress.add_task("embedding", total=None)
        delta = opened.import_(
            file, lambda done, total: progress.update(task, completed=done, total=total)
        )
    out.print(f"Added {len(delta.nodes)} nodes and {len(delta.arcs)} arcs.")
