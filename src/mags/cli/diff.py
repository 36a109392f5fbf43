"""`mags diff`: what changed since a snapshot."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from mags.cli.shared import AsJson, Branch, MemoryPath, Where, out, print_json
from mags.cli.tables import guess
from mags.memory.views import Diff


def diff(
    name: Annotated[str, typer.Argument(help="The snapshot.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    json: AsJson = False,
) -> None:
    """Show what came, went and changed since a snapshot."""
    with Where(path=memory, branch=branch).open() as opened:
        view = opened.diff(name)
    if json:
        print_json(view)
    else:
        print_diff(view)


def print_diff(view: Diff) -> None:
    """What changed, a node a line."""
    for node in view.added:
        out.print(f"[green]+[/] {node.kind} m{node.id} {escape(node.text)}{guess(node.fact)}")
    for gone in view.removed:
        out.print(f"[red]-[/] {gone.kind} m{gone.id} {escape(gone.text)}")
    for fact in view.closed:
        out.print(f"[yellow]x[/] closed m{fact.id} {escape(fact.text)}{guess(fact)}")
    out.print(
        f"[dim]{len(view.changed)} nodes changed; arcs: {view.arcs_added} new, "
        f"{view.arcs_removed} gone, {view.arcs_changed} changed[/]"
    )
