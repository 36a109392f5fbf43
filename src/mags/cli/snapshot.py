"""`mags snapshot`: name this moment."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.shared import AsJson, Branch, MemoryPath, Where, out, print_json


def snapshot(
    name: Annotated[
        str | None, typer.Argument(help="Its name; without one they are listed.")
    ] = None,
    memory: MemoryPath = None,
    branch: Branch = "main",
    json: AsJson = False,
) -> None:
    """Name this moment, for `diff` and `rollback`; or list the snapshots."""
    with Where(path=memory, branch=branch).open() as opened:
        marks = opened.snapshots() if name is None else [opened.snapshot(name)]
    if json:
        print_json(marks)
        return
    for mark in marks:
        out.print(f"{mark.name} at journal entry {mark.seq} on {mark.branch}", markup=False)
