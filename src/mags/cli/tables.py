"""Views as tables and lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from rich.markup import escape
from rich.table import Table

from mags.memory.views import Citation, LogEntry, NeighbourView, NodeView
from mags.ports.policy import GUESS
from mags.recall.found import FactView, Found, date_of


def day(moment: datetime | None) -> str:
    """ISO day, or nothing."""
    return "" if moment is None else f"{moment:%Y-%m-%d}"


def guess(told: FactView | Citation | None) -> str:
    """The mark of what is a guess, or nothing."""
    return f" [dim]{GUESS}[/]" if told is not None and told.tentative else ""


def hits(found: Found) -> Table:
    """Hits best first."""
    table = Table(box=None, pad_edge=False)
    for name in ("", "score", "kind", "when", "memory"):
        table.add_column(name, style="dim" if name in ("", "kind", "when") else "")
    for hit in found:
        text = escape(hit.text) if hit.current else f"[strike]{escape(hit.text)}[/]"
        who = f"[cyan]{escape(hit.speaker)}:[/] " if hit.speaker else ""
        text = who + text + guess(hit.fact)
        table.add_row(f"m{hit.id}", f"{hit.score:.2f}", hit.kind, date_of(hit.at), text)
    return table


def facts(found: Iterable[FactView]) -> Table:
    """Facts with their validity."""
    table = Table(box=None, pad_edge=False)
    for name in ("", "fact", "from", "to", "confidence"):
        table.add_column(name)
    for fact in found:
        words = escape(fact.text or f"{fact.subject} {fact.relation} {fact.object}")
        extra = ", ".join(f"{k} {v}" for k, v in fact.qualifiers)
        words += f" [dim]({escape(extra)})[/]" if extra else ""
        table.add_row(
            f"m{fact.id}",
            (words if fact.valid_to is None else f"[strike]{words}[/]") + guess(fact),
            day(fact.valid_from),
            day(fact.valid_to) or "[green]now[/]",
            f"{fact.confidence:.2f}",
        )
    return table


def node(view: NodeView) -> Table:
    """One node, a field a line."""
    table = Table(box=None, show_header=False, pad_edge=False)
    rows = {
        "id": f"m{view.id} ({view.kind})",
        "text": escape(view.text) + guess(view.fact),
        "strength": f"{view.strength:.2f}, importance {view.importance:.2f}, "
        f"confidence {view.confidence:.2f}, used {view.uses} times",
        "valid": f"{day(view.valid_from) or '?'} to {day(view.valid_to) or 'now'}",
        "recorded": day(view.recorded_at),
        "sources": ", ".join(f"m{i}" for i in view.sources),
        "marks": " ".join(n for n in ("pinned", "cold") if getattr(view, n)),
        "about": escape(", ".join(f"{k}: {v}" for k, v in view.meta.items() if v)),
    }
    for name, value in rows.items():
        if value:
            table.add_row(f"[dim]{name}[/]", value)
    return table


def neighbours(found: Iterable[NeighbourView]) -> Table:
    """Arcs at a node, strongest first."""
    table = Table(box=None, pad_edge=False)
    for name in ("arc", "weight", "", "node"):
        table.add_column(name)
    for n in found:
        arrow = "->" if n.outgoing else "<-"
        table.add_row(n.arc, f"{n.weight:.2f}", arrow, f"m{n.id} {escape(n.text)}")
    return table


def log(entries: Iterable[LogEntry]) -> Table:
    """The journal, newest first."""
    table = Table(box=None, pad_edge=False)
    for name in ("seq", "kind", "recorded", "tick", "nodes", "arcs", "rules"):
        table.add_column(name)
    for e in entries:
        rules = ", ".join(dict.fromkeys(str(r.get("rule", "")) for r in e.reasons))
        when = "" if e.recorded_at is None else f"{e.recorded_at:%Y-%m-%d %H:%M:%S}"
        table.add_row(str(e.seq), e.kind, when, str(e.tick), str(e.nodes), str(e.arcs), rules)
    return table
