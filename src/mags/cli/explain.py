"""`mags explain`: why the last answer came out as it did."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.last import last_trace
from mags.cli.shared import AsJson, Branch, MemoryPath, Where, out, print_json


def explain(
    memory: MemoryPath = None,
    branch: Branch = "main",
    limit: Annotated[int, typer.Option("-k", help="How many hits to explain.")] = 5,
    json: AsJson = False,
) -> None:
    """Explain the last `ask` or `recall`: anchors, paths, shares, sources."""
    trace = last_trace(memory)
    with Where(path=memory, branch=branch).open() as opened:
        if json:
            print_json(trace.as_dict())
        else:
            out.print(str(opened.explain(trace, limit)), markup=False)
