"""`mags recall`: what the memory holds about a question."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mags.cli import tables
from mags.cli.last import keep_trace
from mags.cli.picture import draw
from mags.cli.shared import AsJson, AsOf, Branch, MemoryPath, RecordedAsOf, Where, out, print_json


def recall(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    k: Annotated[int, typer.Option("-k", help="How many hits.")] = 10,
    as_of: AsOf = None,
    recorded_as_of: RecordedAsOf = None,
    speaker: Annotated[str, typer.Option(help="Who asks.")] = "user",
    context: Annotated[int, typer.Option(help="Print a context of this many tokens.")] = 0,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the recalled subgraph to .svg, .png or .html.")
    ] = None,
    graph: Annotated[bool, typer.Option("--graph", help="Draw it in the terminal.")] = False,
    json: AsJson = False,
) -> None:
    """Show the memories that a question calls up, best first."""
    with Where(path=memory, branch=branch).open() as opened:
        found = opened.recall(query, k, as_of, recorded_as_of=recorded_as_of, speaker=speaker)
        keep_trace(memory, found.trace)
        if json:
            print_json({"hits": list(found.hits), "trace": found.trace.as_dict()})
        elif context:
            out.print(found.context(context), markup=False)
        else:
            out.print(tables.hits(found) if len(found) else "Nothing recalled.")
        draw(opened, found, plot, terminal=graph)
