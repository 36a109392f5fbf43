"""`mags profile`: what is known about somebody or something."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from mags.cli import tables
from mags.cli.shared import AsJson, Branch, MemoryPath, Where, node_or_name, out, print_json


def profile(
    name: Annotated[str, typer.Argument(help="A name, or a node as m12.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    json: AsJson = False,
) -> None:
    """Show the facts about a person or thing, now and before."""
    with Where(path=memory, branch=branch).open() as opened:
        view = opened.profile(node_or_name(name))
    if json:
        print_json(view)
        return
    also = f" (also {', '.join(view.aliases)})" if view.aliases else ""
    said = "1 episode" if view.episodes == 1 else f"{view.episodes} episodes"
    out.print(f"[bold]{escape(view.name)}[/]{escape(also)}, in {said}")
    for title, found in (("Now", view.facts), ("Before", view.past), ("Named by", view.about)):
        if found:
            out.print(f"[dim]{title}[/]")
            out.print(tables.facts(found))
