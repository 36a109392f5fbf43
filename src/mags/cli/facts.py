"""`mags facts`: the facts, as a table."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli import tables
from mags.cli.shared import AsJson, AsOf, Branch, MemoryPath, RecordedAsOf, Where, out, print_json


def facts(
    subject: Annotated[str | None, typer.Argument(help="Only about this name.")] = None,
    memory: MemoryPath = None,
    branch: Branch = "main",
    as_of: AsOf = None,
    recorded_as_of: RecordedAsOf = None,
    json: AsJson = False,
) -> None:
    """List facts with their validity; closed ones are struck through."""
    with Where(path=memory, branch=branch).open() as opened:
        found = opened.facts(subject, as_of, recorded_as_of=recorded_as_of)
    if json:
        print_json(found)
    else:
        out.print(tables.facts(found) if found else "No facts.")
