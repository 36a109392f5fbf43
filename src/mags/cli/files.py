"""Files in and out: the talk that `mags observe` reads, exports, and whole memories."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer
from numpy.typing import NDArray

from mags.app import TENANT, make_keyring, make_store, place_of
from mags.app import open as open_memory
from mags.cli import jobs
from mags.cli.console import Branch, MemoryPath, Tenant, counting, opened, out
from mags.errors import EmbedderMismatch, InvalidInput, ModelUnavailable, NotFound, StoreError
from mags.memory.inputs import seconds
from mags.memory.memory import Memory
from mags.ports.policy import Turn
from mags.settings import read_settings
from mags.store import sqlite
from mags.store.database import copy_memory
from mags.store.database import go_on as go_on_with
from mags.store.folder import SUFFIX
from mags.store.sqlite import SqlStore

SPOKEN = re.compile(r"^\s*(?:\[(?P<at>[^\]]+)\]\s*)?(?P<who>[^\s:][^:\n]{0,40}):\s+(?P<text>\S.*)$")
TURN_KEYS = ("text", "content")
NO_TURN = (
    "an object with its `text` is wanted, and `speaker`, `at`, `session` and `key` where known "
    "(docs/reference/file-formats.md, also on files of other kinds)"
)


def export(
    file: Annotated[Path, typer.Argument(help="Where to write.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    vectors: Annotated[bool, typer.Option(help="With the vectors (larger).")] = True,
) -> None:
    """Write every node and arc to a file that `mags import` reads."""
    with _readable(memory, branch) as mem:
        lines = mem.export(file, vectors=vectors)
    out.print(f"Wrote {lines} lines to {file}.", markup=False)


def _readable(memory: Path | None, branch: str) -> Memory:
    """A memory to be exported, also where the configured embedder is not the memory's."""
    try:
        return opened(memory, branch)
    except EmbedderMismatch:
        keyring = make_keyring(read_settings(os.environ).encryption)
        with closing(make_store(memory, read_only=True, keyring=keyring)) as store:
            size = int(store.facts.get("dimension") or 0)
            known = _Known(name=store.facts.get("embedder") or "", dimension=size)
        return open_memory(memory, branch=branch, embedder=known, read_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """An embedder that is not here, of which a memory knows name and dimension."""

    name: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise ModelUnavailable(f"the embedder {self.name} is not here", endpoint=self.name)


def import_(
    file: Annotated[Path, typer.Argument(help="An export; with --all a folder of NAME.jsonl.")],
    memory: MemoryPath = None,
    branch: Branch = "main",
    all_: jobs.All = False,
    folder: jobs.Folder = jobs.FOLDER,
    database: jobs.Database = None,
    tenant: Tenant = TENANT,
    workers: jobs.Processes = None,
    ray: jobs.Cluster = None,
) -> None:
    """Add everything in an export to a memory (made if it is not there).

    What is imported a second time is there twice.
    With --all every export of a folder makes the memory of its name; one that holds something
    already is left as it is.
    """
    if all_:
        source = file.absolute()
        work, names = partial(jobs.import_one, source), list(jobs.exports(source))
        place = jobs.Place(folder, database, tenant)
        jobs.every("import", work, place, names, of=str(source), processes=workers, cluster=ray)
        return
    with opened(memory, branch, must_exist=False) as mem, counting("embedding") as done:
        delta = mem.import_(file, done)
    out.print(f"Added {len(delta.nodes)} nodes and {len(delta.arcs)} arcs.")
    for reason in delta.reasons:
        out.print(
            f"[yellow]Turns that were there already, and are there twice now: {reason['again']}.[/]"
        )


def move(
    source: Annotated[str, typer.Argument(help="A file, or postgresql://.../database#memory.")],
    target: Annotated[str, typer.Argument(help="The same; one that is not there yet.")],
    tenant: Tenant = TENANT,
) -> None:
    """Copy a memory to another store, file or database, with all it holds, and verify the copy.

    Journal, branches, snapshots and ids stay what they are, and an encrypted memory stays
    encrypted by its key. The source is left as it was: delete it
    once all is well, since what is forgotten from now on stays in it.
    """
    places = [place_of(one, tenant=tenant) for one in (source, target)]
    if places[0] == places[1]:
        raise InvalidInput("source and target are the same")
    with ExitStack() as stack:
        if isinstance(places[0], str) and not Path(places[0]).exists():
            raise NotFound(f"there is no memory at {source}")
        # The rows of an encrypted memory are copied as they are, sealed: only the source is opened.
        keyrings = make_keyring(read_settings(os.environ).encryption), None
        old, new = (
            stack.enter_context(closing(make_store(place, keyring=keyring)))
            for place, keyring in zip(places, keyrings, strict=True)
        )
        copied = cast(SqlStore, old).copy_to(cast(SqlStore, new))
    out.print(
        f"{copied['journal']} changes and {copied['content']} texts are in {target}.", markup=False
    )


Memories = Annotated[Path, typer.Argument(help="A memory's file, or a folder of memories.")]
Place = Annotated[Path, typer.Argument(help="A new file; for a folder, a folder.")]


def verify(
    path: Memories,
    go_on: Annotated[
        bool, typer.Option("--go-on", help="Open a damaged memory with what is left of it.")
    ] = False,
) -> None:
    """Read all of a memory and its write-ahead log, and say what is damaged (exit code 1)."""
    damaged, keyring = 0, make_keyring(read_settings(os.environ).encryption)
    for one in _memories(path):
        try:
            if go_on:
                go_on_with(one)
            sqlite.verify(one, keyring)
        except StoreError as failure:
            damaged += 1
            out.print(str(failure), markup=False, soft_wrap=True)
        else:
            out.print(f"{one} is whole.", markup=False, soft_wrap=True)
    if damaged:
        raise typer.Exit(1)


def backup(path: Memories, to: Place) -> None:
    """Copy a memory, or each in a folder, as it is now; it may be open and written meanwhile."""
    keyring = make_keyring(read_settings(os.environ).encryption)
    for one, place in _places(path, to):
        copy_memory(one, place)
        sqlite.verify(place, keyring)
        out.print(f"Copied {one} to {place}.", markup=False, soft_wrap=True)


def restore(path: Memories, to: Place) -> None:
    """Put a backup, or each in a folder, where there is no memory."""
    backup(path, to)


def _memories(path: Path) -> list[Path]:
    return sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]


def _places(path: Path, to: Path) -> list[tuple[Path, Path]]:
    """What is copied to where; the folder is made."""
    if path.is_dir():
        to.mkdir(mode=0o700, parents=True, exist_ok=True)
    return [(one, to / one.name if to.is_dir() else to) for one in _memories(path)]


def read_turns(path: Path, kind: str = "auto", *, speaker: str = "user") -> list[Turn]:
    """Turns of a file, in order; raises InvalidInput naming the line or the field.

    kind: auto, dialogue or jsonl. A name ending in .gz is unpacked.
    """
    try:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as file:
            text = file.read()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as failure:
        why = getattr(failure, "strerror", None) or failure
        raise InvalidInput(f"cannot read {path}: {why}", path=str(path)) from failure
    return list(parse_turns(text, kind, speaker=speaker))


def parse_turns(text: str, kind: str, *, speaker: str) -> Iterator[Turn]:
    """Turns of a text in one of the formats."""
    readers = {"dialogue": dialogue, "jsonl": jsonl}
    if kind == "auto":
        # A dialogue may begin with a date in brackets, so "[" alone is no JSON.
        head = "".join(text[:4_000].split())
        kind = "jsonl" if head.startswith(("{", "[{", "[[", "[]")) else "dialogue"
    if kind not in readers:
        raise InvalidInput(f"no format {kind!r}: use {', '.join(readers)} or auto", format=kind)
    return readers[kind](text, speaker)


def dialogue(text: str, speaker: str) -> Iterator[Turn]:
    """`Name: text` lines, a date in brackets before them where known.

    A line without a name goes on with the turn before; a blank line ends it; a line
    `# session 3` begins a session.
    """
    session, at = "", 0.0
    held: Turn | None = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"^\s*#\s*(.+?)\s*$", line)
        if mark:
            session = mark.group(1)
            continue
        spoken = SPOKEN.match(line)
        if spoken:
            if held is not None:
                yield held
            # A line without a date has that of the line before.
            if spoken.group("at"):
                with _of_line(number):
                    at = seconds(spoken.group("at")) or 0.0
            held = Turn(
                text=spoken.group("text").strip(),
                speaker=spoken.group("who").strip(),
                at=at,
                session=session,
            )
        elif line.strip() and held is not None:
            held = replace(held, text=f"{held.text} {line.strip()}")
        elif line.strip():
            held = Turn(text=line.strip(), speaker=speaker, at=at, session=session)
        elif held is not None:
            yield held
            held = None
    if held is not None:
        yield held


def jsonl(text: str, speaker: str) -> Iterator[Turn]:
    """One object a line: text (or content), speaker (or role), at, session, key, attrs."""
    for number, line in enumerate(text.split("\n"), 1):  # other ends of lines may stand in words
        if not line.strip():
            continue
        with _of_line(number):
            data, words = _said(line)
            at = seconds(data.get("at") or data.get("date")) or 0.0
        yield Turn(
            text=words,
            speaker=str(data.get("speaker") or data.get("role") or speaker),
            at=at,
            session=str(data.get("session") or ""),
            key=None if data.get("key") is None else str(data["key"]),
            attrs={str(k): str(v) for k, v in dict(data.get("attrs", {})).items()},
        )


@contextmanager
def _of_line(number: int) -> Iterator[None]:
    """Name the line of the file in what is wrong with it."""
    try:
        yield
    except InvalidInput as failure:
        raise InvalidInput(f"line {number}: {failure}", line=number, **failure.facts) from failure


def _said(line: str) -> tuple[dict[str, Any], str]:
    """A line's object and its words."""
    try:
        data = json.loads(line)
    except json.JSONDecodeError as failure:
        raise InvalidInput(f"not JSON ({failure}): {NO_TURN}") from failure
    for key in TURN_KEYS if isinstance(data, dict) else ():
        if isinstance(data.get(key), str):
            return data, data[key]
    raise InvalidInput(f"no turn: {NO_TURN}")
