"""`mags observe`: tell the memory something."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mags.cli.formats import parse_turns, read_turns
from mags.cli.shared import AsJson, Branch, MemoryPath, Where, out, print_json
from mags.cli.tables import guess
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.memory.views import Seen
from mags.ports.policy import Turn

BATCH = 64
LONGEST_PATH = 255


def observe(
    text: Annotated[
        str | None,
        typer.Argument(help="What was said; '-' reads stdin, the path of a file that file."),
    ] = None,
    memory: MemoryPath = None,
    branch: Branch = "main",
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", help="Dialogue, JSONL, LoCoMo or LongMemEval file (.gz too)."),
    ] = None,
    format: Annotated[
        str, typer.Option(help="auto, dialogue, jsonl, locomo or longmemeval.")
    ] = "auto",
    speaker: Annotated[str, typer.Option(help="Who says it.")] = "user",
    at: Annotated[str | None, typer.Option(help="When it was said, ISO 8601.")] = None,
    session: Annotated[str, typer.Option(help="Session it belongs to.")] = "",
    key: Annotated[str | None, typer.Option(help="Idempotency key.")] = None,
    json: AsJson = False,
) -> None:
    """Remember a text, what comes on stdin, or every turn of a file."""
    turns = _turns(text, file or _file_named(text), format, speaker)
    with Where(path=memory, branch=branch).open(must_exist=False) as opened:
        if turns is None:
            if text is None:
                raise InvalidInput("what shall I remember? give a text, '-' or --file")
            seen = [opened.observe(text, speaker=speaker, at=at, session=session, key=key)]
        else:
            seen = _many(opened, turns)
        if json:
            print_json(seen)
        elif len(seen) == 1:
            _print_one(opened, seen[0])
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


def _many(opened: Memory, turns: list[Turn]) -> list[Seen]:
    """In batches of one transaction each: an interruption keeps the batches before it."""
    seen: list[Seen] = []
    columns = (TextColumn("observing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True) as progress:
        task = progress.add_task("observing", total=len(turns))
        waiting = iter(turns)
        while batch := list(islice(waiting, BATCH)):
            seen.extend(opened.observe_many(batch))
            progress.advance(task, len(batch))
    return seen


def _print_one(opened: Memory, seen: Seen) -> None:
    again = " (known already)" if seen.repeated else ""
    out.print(f"Remembered as [bold]m{seen.episode_id}[/]{again}.")
    for mark, ids in (
        ("[green]+[/]", seen.facts),
        ("[green]+ note[/]", seen.notes),
        ("[cyan]= confirmed[/]", seen.confirmed),
        ("[yellow]x closed[/]", seen.closed),
    ):
        for node in ids:
            view = opened.get(node)
            out.print(f"  {mark} m{node} {escape(view.text)}{guess(view.fact)}")
    if not seen.understood:
        out.print(f"  [dim]kept word for word: {escape(seen.why)}[/]")


def _print_many(seen: list[Seen]) -> None:
    fresh = [s for s in seen if not s.repeated]
    facts = sum(len(s.facts) for s in fresh)
    closed = sum(len(s.closed) for s in fresh)
    unread = sum(not s.understood for s in fresh)
    out.print(
        f"Remembered {len(fresh)} turns ({len(seen) - len(fresh)} known already): {facts} facts, "
        f"{closed} closed, {unread} kept word for word only."
    )
