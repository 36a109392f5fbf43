"""Verbs that change a memory: it is told, tended, mended, made to forget, and taken back."""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from mags.app import TENANT, train_weights
from mags.cli import console, jobs, printing
from mags.cli.files import parse_turns, read_turns
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.memory.views import Forgotten, Seen
from mags.ports.policy import Turn
from mags.ports.store import Mark
from mags.settings import read_settings

BATCH = 64
LONGEST_PATH = 255
LISTED = 10
"""Nodes of a kind that are named before they are erased."""

Snapshot = Annotated[str, typer.Argument(help="The snapshot.")]
NameOrList = Annotated[str | None, typer.Argument(help="Its name; without one they are listed.")]


def observe(
    text: Annotated[
        str | None,
        typer.Argument(help="What was said; '-' reads stdin, the path of a file that file."),
    ] = None,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", help="File of a dialogue or JSON lines (.gz too)."),
    ] = None,
    format: Annotated[str, typer.Option(help="auto, dialogue or jsonl.")] = "auto",
    speaker: Annotated[str, typer.Option(help="Who says it.")] = "user",
    at: Annotated[str | None, typer.Option(help="When it was said, ISO 8601.")] = None,
    session: Annotated[str, typer.Option(help="Session it belongs to.")] = "",
    key: Annotated[str | None, typer.Option(help="Idempotency key.")] = None,
    json: console.AsJson = False,
) -> None:
    """Remember a text, what comes on stdin, or every turn of a file."""
    if text is not None and file is not None:
        raise InvalidInput("give a text or --file, not both: nothing was remembered")
    turns = _turns(text, file or _file_named(text), format, speaker)
    if turns is None and text is None:
        raise InvalidInput("what shall I remember? give a text, '-' or --file")
    with console.opened(memory, branch, must_exist=False) as mem:
        if turns is None:
            assert text is not None
            seen = [mem.observe(text, speaker=speaker, at=at, session=session, key=key)]
        else:
            seen = _many(mem, turns)
        if json:
            console.print_json(seen)
        elif len(seen) == 1:
            _print_one(mem, seen[0])
        else:
            _print_many(seen)


def _file_named(text: str | None) -> Path | None:
    """The file that a text is the path of: nobody says "chat.jsonl" to be remembered."""
    if text is None or len(text) > LONGEST_PATH or not text.isprintable():
        return None
    path = Path(text)
    return path if path.suffix and path.is_file() else None


def _turns(text: str | None, file: Path | None, kind: str, speaker: str) -> list[Turn] | None:
    if file is not None:
        return read_turns(file, kind, speaker=speaker)
    if text == "-" or (text is None and not sys.stdin.isatty()):
        return list(parse_turns(sys.stdin.read(), kind, speaker=speaker))
    return None


def _many(mem: Memory, turns: list[Turn]) -> list[Seen]:
    """In batches of one transaction each: an interruption keeps the batches before it."""
    seen: list[Seen] = []
    columns = (TextColumn("observing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with console.counting("observing", *columns, total=len(turns)) as done:
        waiting = iter(turns)
        while batch := list(islice(waiting, BATCH)):
            seen.extend(mem.observe_many(batch))
            done(len(seen), len(turns))
    return seen


def _print_one(mem: Memory, seen: Seen) -> None:
    again = " (known already)" if seen.repeated else ""
    console.out.print(f"Remembered as [bold]m{seen.episode_id}[/]{again}.")
    for mark, ids in (
        ("[green]+[/]", seen.facts),
        ("[green]+ note[/]", seen.notes),
        ("[cyan]= confirmed[/]", seen.confirmed),
        ("[yellow]x closed[/]", seen.closed),
    ):
        for node in ids:
            view = mem.get(node)
            console.out.print(f"  {mark} m{node} {escape(view.text)}{printing.marks(view.fact)}")
    if not seen.understood:
        console.out.print(f"  [dim]kept word for word: {escape(seen.why)}[/]")
    for warning in seen.warnings:
        console.out.print(f"  [yellow]{escape(warning)}[/]")


def _print_many(seen: list[Seen]) -> None:
    fresh = [s for s in seen if not s.repeated]
    facts = sum(len(s.facts) for s in fresh)
    closed = sum(len(s.closed) for s in fresh)
    unread = sum(not s.understood for s in fresh)
    console.out.print(
        f"Remembered {len(fresh)} turns ({len(seen) - len(fresh)} known already): {facts} facts, "
        f"{closed} closed, {unread} kept word for word only."
    )


def sleep(
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    json: console.AsJson = False,
    all_: jobs.All = False,
    folder: jobs.Folder = jobs.FOLDER,
    database: jobs.Database = None,
    tenant: console.Tenant = TENANT,
    workers: jobs.Processes = None,
    ray: jobs.Cluster = None,
) -> None:
    """Decay, wire, prune, solidify and consolidate; tells what changed.

    With `sleep` of [weights] the next version of an adapter is taught then.
    """
    if all_:
        place = jobs.Place(folder, database, tenant)
        jobs.every("sleep", jobs.sleep_one, place, processes=workers, cluster=ray)
        return
    with (
        console.opened(memory, branch) as mem,
        Progress(SpinnerColumn(), TextColumn("{task.description}"), transient=True) as progress,
    ):
        task = progress.add_task("sleeping")
        report = mem.sleep(
            lambda rule, _did: progress.update(task, description=f"sleeping: {rule}")
        )
        progress.stop()
        console.print_view(report, printing.slept, json=json)
        if (taught := train_weights(mem, read_settings(os.environ))) and not json:
            console.out.print(taught, markup=False)


def edit(
    node: console.Node,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    text: Annotated[str | None, typer.Option(help="New text; of a fact it is read.")] = None,
    subject: Annotated[str | None, typer.Option(help="Whom or what a fact is about.")] = None,
    relation: Annotated[str | None, typer.Option(help="What it says of it: 'lives in'.")] = None,
    object_: Annotated[str | None, typer.Option("--object", help="And of what.")] = None,
    importance: Annotated[float | None, typer.Option(help="In [0, 1].")] = None,
    confidence: Annotated[float | None, typer.Option(help="In [0, 1].")] = None,
    valid_from: Annotated[str | None, typer.Option(help="Event time it began.")] = None,
    valid_to: Annotated[str | None, typer.Option(help="Event time it ended, or 'open'.")] = None,
) -> None:
    """Change a node's text or numbers; `mags rollback` takes it back."""
    triple = _given(subject=subject, relation=relation, object=object_)
    changes = _given(
        text=text,
        importance=importance,
        confidence=confidence,
        valid_from=valid_from,
        valid_to=valid_to,
        meta=triple or None,
    )
    if not changes:
        raise InvalidInput("nothing to change: give --text, --importance, --valid-to ...")
    with console.opened(memory, branch) as mem:
        console.out.print(printing.node(mem.edit(console.node_id(node), **changes)))


def correct(
    node: console.Node,
    right: Annotated[str | None, typer.Argument(help="The right value, or a sentence.")] = None,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    speaker: Annotated[str, typer.Option(help="Who corrects it: the 'I' of a sentence.")] = "user",
    json: console.AsJson = False,
) -> None:
    """Say that a fact is wrong, and what is right; `mags rollback` takes it back."""
    with console.opened(memory, branch) as mem:
        seen = mem.correct(console.node_id(node), right, speaker=speaker)
        if json:
            console.print_json(seen)
        else:
            _print_one(mem, seen)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def pin(
    node: console.Node,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    off: Annotated[bool, typer.Option("--off", help="Take the mark back.")] = False,
) -> None:
    """Pin a node: it never decays and never goes cold."""
    with console.opened(memory, branch) as mem:
        console.out.print(printing.node(mem.pin(console.node_id(node), pinned=not off)))


def forget(
    what: Annotated[str, typer.Argument(help="A node as m12, a name, or a phrase.")],
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option(help="Only tell what would go.")] = False,
    json: console.AsJson = False,
) -> None:
    """Erase a node, a name or a phrase from graph, journal, snapshots and file."""
    with console.opened(memory, branch) as mem:
        wanted = console.node_or_name(what)
        plan = mem.forget(wanted, dry_run=True)
        if not json:
            _print_plan(plan, every=dry_run)
        if not (dry_run or yes or typer.confirm("Erase these for good?")):
            raise typer.Abort
        done = plan if dry_run else mem.forget(wanted)
    if not dry_run:
        console.trace_path(memory).unlink(missing_ok=True)
    if json:
        console.print_json(done)
    elif not dry_run:
        console.out.print(f"Erased {len(done.ids)} nodes.")
        _print_weights(done, "Deleted", "Not deleted, and to be by hand:")


def _print_plan(plan: Forgotten, *, every: bool) -> None:
    """What would go, kind by kind; not `every` one of them: a few of each."""
    for kind, ids in {**plan.nodes, "past": plan.past}.items():
        for node in ids if every else ids[:LISTED]:
            console.out.print(f"  {kind} m{node}: {plan.texts.get(node, '')}", markup=False)
            for text in plan.earlier.get(node, ()):
                console.out.print(f"    earlier: {text}", markup=False)
        if len(ids) > LISTED and not every:
            console.out.print(
                f"  ... and {len(ids) - LISTED} more of kind {kind}: --dry-run tells all"
            )
    if plan.past:
        console.out.print("  (past: what this branch does not show, rolled back or on another)")
    if plan.parted:
        console.out.print(f"  {len(plan.parted)} leave this branch only: they are told elsewhere")
    _print_weights(plan, "  weights", "  out of reach:")


def _print_weights(told: Forgotten, deleted: str, left: str) -> None:
    """What held what is forgotten, besides the memory."""
    for path in told.weights:
        console.out.print(f"{deleted} {path}", markup=False, soft_wrap=True)
    for why in told.out_of_reach:
        console.out.print(f"{left} {why}", markup=False, soft_wrap=True)


def snapshot(
    name: NameOrList = None,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    move: Annotated[bool, typer.Option("--move", help="Take a name from another moment.")] = False,
    json: console.AsJson = False,
) -> None:
    """Name this moment, for `diff` and `rollback`; or list the snapshots."""
    with console.opened(memory, branch) as mem:
        marks = mem.snapshots() if name is None else [mem.snapshot(name, move=move)]
    _print_marks(marks, "{0.name} at journal entry {0.seq} on {0.branch}", json=json)


def _print_marks(marks: list[Mark], line: str, *, json: bool) -> None:
    if marks or json:
        console.print_view(marks, lambda some: Text("\n".join(map(line.format, some))), json=json)


def log(
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    limit: Annotated[int, typer.Option("-n", min=1, help="How many.")] = 20,
    json: console.AsJson = False,
) -> None:
    """List the journal: every change, its size and the rules behind it."""
    with console.opened(memory, branch) as mem:
        entries = mem.log(limit)
    console.print_view(entries, printing.log, json=json)


def diff(
    name: Snapshot,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    json: console.AsJson = False,
) -> None:
    """Show what came, went and changed since a snapshot."""
    with console.opened(memory, branch) as mem:
        view = mem.diff(name)
    console.print_view(view, printing.diff, json=json)


def branch(
    name: NameOrList = None,
    memory: console.MemoryPath = None,
    branch: console.Branch = "main",
    json: console.AsJson = False,
) -> None:
    """Begin a branch here (use it with --branch), or list the branches."""
    with console.opened(memory, branch) as mem:
        if name is not None:
            mem.branch(name).close()
    with console.opened(memory, branch) as mem:
        marks = mem.branches()
    _print_marks(marks, "{0.name} (from journal entry {0.seq})", json=json)


def rollback(
    name: Snapshot, memory: console.MemoryPath = None, branch: console.Branch = "main"
) -> None:
    """Go back to a snapshot by a new change, so that nothing is lost."""
    with console.opened(memory, branch) as mem:
        delta = mem.rollback(name)
    console.out.print(
        f"Back at {name!r}: {len(delta.nodes)} nodes and {len(delta.arcs)} arcs changed."
    )
