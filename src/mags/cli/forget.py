"""`mags forget`: erase for good."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.last import trace_path
from mags.cli.shared import AsJson, Branch, MemoryPath, Where, node_or_name, out, print_json
from mags.memory.memory import Memory
from mags.memory.views import Forgotten


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
            _tell(opened, plan)
        if not (dry_run or yes or typer.confirm("Erase these for good?")):
            raise typer.Abort
        done = plan if dry_run else opened.forget(wanted)
    if memory is not None and not dry_run:
        trace_path(memory).unlink(missing_ok=True)
    if json:
        print_json(done)
    elif not dry_run:
        out.print(f"Erased {len(done.ids)} nodes.")


def _tell(memory: Memory, plan: Forgotten) -> None:
    """What would go, kind by kind, a few of each."""
    for kind, ids in plan.nodes.items():
        for node in ids[:10]:
            out.print(f"  {kind} m{node}: {memory.get(node).text}", markup=False)
        if len(ids) > 10:
            out.print(f"  ... and {len(ids) - 10} more of kind {kind}")
    if plan.past:
        out.print(f"  and {len(plan.past)} that this branch does not show")
    if plan.parted:
        out.print(f"  {len(plan.parted)} leave this branch only: they are told elsewhere")
