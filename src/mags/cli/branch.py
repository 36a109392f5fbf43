"""`mags branch`: a memory that goes its own way."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.shared import AsJson, Branch, MemoryPath, Where, out, print_json


def branch(
    name: Annotated[
        str | None, typer.Argument(help="Its name; without one they are listed.")
    ] = None,
    memory: MemoryPath = None,
    branch: Branch = "main",
    json: AsJson = False,
) -> None:
    """Begin a branch here (use it with --branch), or list the branches."""
    with Where(path=memory, branch=branch).open() as opened:
        if name is not None:
            opened.branch(name).close()
    with Where(path=memory, branch=branch).open() as opened:
        marks = opened.branches()
    if json:
        print_json(marks)
        return
    for mark in marks:
        out.print(f"{mark.name} (from journal entry {mark.seq})", markup=False)
