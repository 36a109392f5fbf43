"""`mags forget`: erase for good."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.last import trace_path
from mags.cli.shared import AsJson, Branch, MemoryPath, Where, node_or_name, out, print_json
from mags.memory.views import Forgotten

SHOWN = 10


def forget(
    what: Annotated[str, typer.Argument(help="A node as m12, a name, or a phrase.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option(help="Only tell what would go.")] = False,
    json: AsJson = False,
) -> None:
    """Erase a node, a name or a phrase from graph, journal, snapshots and file."""
    with Where(path=memory, branch=branch).open() as opened:
        wanted = node_or_name(what)
        plan = opened.forget(wanted, dry_run=True)
        if not json:
            _tell(plan, every=dry_run)
        if not (dry_run or yes or typer.confirm("Erase these for good?")):
            raise typer.Abort
        done = plan if dry_run else opened.forget(wanted)
    if memory is not None and not dry_run:
        trace_path(memory).unlink(missing_ok=True)
    if json:
        print_json(done)
    elif not dry_run:
        out.print(f"Erased {len(done.ids)} nodes.")


def _tell(plan: Forgotten, *, every: bool) -> None:
    """What would go, kind by kind; not `every` one of them: a few of each."""
    for kind, ids in {**plan.nodes, "past": plan.past}.items():
        for node in ids if every else ids[:SHOWN]:
            out.print(f"  {kind} m{node}: {plan.texts.get(node, '')}", markup=False)
        if len(ids) > SHOWN and not every:
            out.print(f"  ... and {len(ids) - SHOWN} more of kind {kind}: --dry-run tells all")
    if plan.past:
        out.print("  (past: what this branch does not show, rolled back or on another)")
    if plan.parted:
        out.print(f"  {len(plan.parted)} leave this branch only: they are told elsewhere")
