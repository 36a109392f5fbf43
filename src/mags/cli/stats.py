"""`mags stats`: counts and sizes."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from mags.cli.shared import AsJson, Branch, MemoryPath, Where, out, print_json


def stats(memory: MemoryPath = None, branch: Branch = "main", json: AsJson = False) -> None:
    """Count nodes, arcs and facts, and tell where the bytes are."""
    with Where(path=memory, branch=branch).open() as opened:
        view = opened.stats()
    if json:
        print_json(view)
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    rows = {
        "nodes": ", ".join(f"{n} {k}" for k, n in view.nodes.items() if n) or "none",
        "arcs": ", ".join(f"{n} {k}" for k, n in view.arcs.items() if n) or "none",
        "facts": f"{view.open_facts} open, {view.closed_facts} closed",
        "clock": f"tick {view.tick}, journal entry {view.seq} on {view.branch}",
        "size": f"{view.bytes_on_disk:,} bytes on disk, {view.bytes_in_memory:,} in memory",
        "snapshots": ", ".join(view.snapshots) or "none",
        "branches": ", ".join(view.branches),
        "embedder": view.embedder,
        "policy": view.policy,
        "answerer": view.answerer,
    }
    for name, value in rows.items():
        table.add_row(f"[dim]{name}[/]", escape(value))
    out.print(table)
