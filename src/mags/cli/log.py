"""`mags log`: what changed, newest first."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli import tables
from mags.cli.shared import AsJson, Branch, MemoryPath, Where, out, print_json


def log(
    memory: MemoryPath = None,
    branch: Branch = "main",
    limit: Annotated[int, typer.Option("-n", min=1, help="How many.")] = 20,
    json: AsJson = False,
) -> None:
    """List the journal: every change, its size and the rules behind it."""
    with Where(path=memory, branch=branch).open() as opened:
        entries = opened.log(limit)
    if json:
        print_json(entries)
    else:
        out.print(tables.log(entries))
