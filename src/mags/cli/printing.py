"""Views of the memory as tables and lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from mags.cli.console import out
from mags.memory import views
from mags.plasticity.cycle import SleepReport
from mags.ports.policy import DISPUTED, GUESS
from mags.recall.found import FactView, Hit, date_of


def day(moment: datetime | None) -> str:
    """ISO day, or nothing."""
    return "" if moment is None else f"{moment:%Y-%m-%d}"


def marks(told: FactView | views.Citation | None) -> str:
    """The marks of what is a guess, or disputed; or nothing."""
    if told is None:
        return ""
    found = [GUESS] * told.tentative + [DISPUTED] * told.disputed
    return "".join(f" [dim]{mark}[/]" for mark in found)


def _table(*columns: Column | str) -> Table:
    return Table(*columns, box=None, pad_edge=False)


def named_rows(rows: Mapping[str, str]) -> Table:
    """A value a line, its name before it. Values are markup."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in rows.items():
        table.add_row(f"[dim]{name}[/]", value)
    return table


def hits(found: Iterable[Hit]) -> Table:
    """Hits best first, each with its memory where they are of several."""
    table = _table(
        Column(style="dim"), "score", Column("kind", style="dim"), Column("when", style="dim"),
        "memory",
    )  # fmt: skip
    for hit in found:
        text = escape(hit.text) if hit.current else f"[strike]{escape(hit.text)}[/]"
        said = hit.speaker and hit.kind == "episode"
        who = f"[cyan]{escape(hit.speaker)}:[/] " if said else ""
        text = who + text + marks(hit.fact)
        where = f"{escape(hit.memory)} " if hit.memory else ""
        table.add_row(f"{where}m{hit.id}", f"{hit.score:.2f}", hit.kind, date_of(hit.at), text)
    return table


def facts(found: Iterable[FactView]) -> Table:
    """Facts with their validity."""
    table = _table("", "fact", "from", "to", "confidence")
    for fact in found:
        words = escape(fact.text or f"{fact.subject} {fact.relation} {fact.object}")
        extra = ", ".join(f"{k} {v}" for k, v in fact.qualifiers)
        words += f" [dim]({escape(extra)})[/]" if extra else ""
        table.add_row(
            f"m{fact.id}",
            (words if fact.valid_to is None else f"[strike]{words}[/]") + marks(fact),
            day(fact.valid_from),
            day(fact.valid_to) or "[green]now[/]",
            f"{fact.confidence:.2f}",
        )
    return table


def node(view: views.NodeView) -> Table:
    """One node, a field a line."""
    rows = {
        "id": f"m{view.id} ({view.kind})",
        "text": escape(view.text) + marks(view.fact),
        "strength": f"{view.strength:.2f}, importance {view.importance:.2f}, "
        f"confidence {view.confidence:.2f}, used {view.uses} times",
        "valid": f"{day(view.valid_from) or '?'} to {day(view.valid_to) or 'now'}",
        "recorded": day(view.recorded_at),
        "sources": ", ".join(f"m{i}" for i in view.sources),
        "marks": " ".join(n for n in ("pinned", "cold") if getattr(view, n)),
        "about": escape(", ".join(f"{k}: {v}" for k, v in view.meta.items() if v)),
    }
    return named_rows({name: value for name, value in rows.items() if value})


def neighbours(found: Iterable[views.NeighbourView]) -> Table:
    """Arcs at a node, strongest first."""
    table = _table("arc", "weight", "", "node")
    for n in found:
        arrow = "->" if n.outgoing else "<-"
        table.add_row(n.arc, f"{n.weight:.2f}", arrow, f"m{n.id} {escape(n.text)}")
    return table


def log(entries: Iterable[views.LogEntry]) -> Table:
    """The journal, newest first."""
    table = _table("seq", "kind", "recorded", "tick", "nodes", "arcs", "rules")
    for e in entries:
        rules = ", ".join(dict.fromkeys(map(_reason, e.reasons)))
        when = "" if e.recorded_at is None else f"{e.recorded_at:%Y-%m-%d %H:%M:%S}"
        table.add_row(str(e.seq), e.kind, when, str(e.tick), str(e.nodes), str(e.arcs), rules)
    return table


def _reason(reason: Mapping[str, object]) -> str:
    """The rule behind a change; of a training what was taught, too."""
    rule = str(reason.get("rule", ""))
    return f"{rule} {reason['version']}, {reason['facts']} facts" if rule == "train" else rule


def stats(view: views.Stats) -> Table:
    """What a memory holds, and how large it is."""
    rows = {
        "nodes": ", ".join(f"{n} {k}" for k, n in view.nodes.items() if n) or "none",
        "arcs": ", ".join(f"{n} {k}" for k, n in view.arcs.items() if n) or "none",
        "facts": f"{view.open_facts} open, {view.closed_facts} closed",
        "clock": f"tick {view.tick}, journal entry {view.seq} on {view.branch}",
        "size": f"{view.bytes_on_disk:,} bytes on disk, {view.bytes_in_memory:,} in memory"
        + (", encrypted" if view.parts.get("encrypted") else ""),
        "snapshots": ", ".join(view.snapshots) or "none",
        "branches": ", ".join(view.branches),
        "embedder": view.embedder,
        "policy": view.policy,
        "answerer": view.answerer,
    }
    if (taught := view.weights) is not None:
        now = f"taught {len(taught.facts)} facts, {len(taught.stale)} of them stale now"
        rows["weights"] = f"{taught.version}, {taught.why or now}"
        if taught.recitals != views.Recitals():
            rows["recited"] = _recited(taught.recitals)
    return named_rows({name: escape(value) for name, value in rows.items()})


def _recited(told: views.Recitals) -> str:
    """What came of paths that stand, in words."""
    checked = told.agreed + told.disagreed
    saved = f", some {told.saved_tokens:,} tokens saved (an estimate)" if told.saved_tokens else ""
    return f"{told.skipped} without recall, {told.agreed} of {checked} with it agreed{saved}"


def print_reply(reply: views.Reply, said: Console = out) -> None:
    """An answer, what it rests on, and what it cost."""
    said.print(f"[bold]{escape(reply.text)}[/]")
    print_basis(reply, said)


def print_basis(reply: views.Reply, said: Console = out) -> None:
    """What an answer rests on, and what it cost."""
    for c in reply.citations:
        who = f"{c.speaker}, " if c.speaker else ""
        told = escape(c.text) + marks(c)
        said.print(f"  [dim]m{c.id}[/] {told} [dim]({escape(who)}{day(c.at)})[/]")
    usage = reply.usage
    cost = f"{usage.calls} calls, {usage.tokens} tokens"
    said.print(f"  [dim]support {reply.support:.2f} · {escape(reply.answerer)} · {cost}[/]")
    if (taught := reply.weights) is not None:
        facts = ", ".join(f"m{i}" for i in taught.facts)
        version, seq = escape(taught.version), taught.seq
        said.print(f"  [dim]from weights: {version}, taught {facts} at journal entry {seq}[/]")
    if reply.learnt is not None:
        ids = (*reply.learnt.facts, *reply.learnt.notes, *reply.learnt.closed)
        made = ", ".join(f"m{i}" for i in ids) or "nothing new"
        said.print(f"  [dim]remembered by itself, from m{reply.learnt.episode_id}: {made}[/]")
    print_warnings(reply, said)


def print_warnings(reply: views.Reply, said: Console = out) -> None:
    """Print what did not go well beside a reply."""
    for warning in dict.fromkeys(one for one in (reply.fallback, *reply.warnings) if one):
        said.print(f"  [yellow]{escape(warning)}[/]")


def slept(report: SleepReport) -> str:
    """What a sleep did, a rule a line."""
    a, b = report.before, report.after
    lines = [f"Slept at tick {report.tick}: {a.live} live associations before, {b.live} after."]
    for rule, counts in report.rules.items():
        done = ", ".join(f"{name} {n}" for name, n in counts.items())
        lines.append(f"  [cyan]{rule}[/] {done}")
    return "\n".join([*lines, *([] if report.rules else ["  nothing needed tending"])])


def diff(view: views.Diff) -> str:
    """What changed, a node a line."""
    lines = [
        f"[green]+[/] {node.kind} m{node.id} {escape(node.text)}{marks(node.fact)}"
        for node in view.added
    ]
    lines += [f"[red]-[/] {gone.kind} m{gone.id} {escape(gone.text)}" for gone in view.removed]
    lines += [
        f"[yellow]x[/] closed m{fact.id} {escape(fact.text)}{marks(fact)}" for fact in view.closed
    ]
    if (taught := view.weights) is not None:
        versions = escape(f"{taught.before or 'none'} -> {taught.now or 'none'}")
        lines.append(
            f"[cyan]weights[/] {versions}: {len(taught.more)} facts taught more, "
            f"{len(taught.less)} less; stale now: "
            + (", ".join(f"m{i}" for i in taught.stale) or "none")
        )
    return "\n".join(
        [
            *lines,
            f"[dim]{len(view.changed)} nodes changed; arcs: {view.arcs_added} new, "
            f"{view.arcs_removed} gone, {view.arcs_changed} changed[/]",
        ]
    )
