"""What happened: log, changes, snapshots, branches, rollback, export and import."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from mags.memory import inspect
from mags.server.desk import At
from mags.server.grants import Scope
from mags.server.wire.given import NameIn
from mags.server.wire.raw import EXPORTED, LINES, TEXT, answered, taken
from mags.server.wire.seen import NAMED, ChangeOut
from mags.server.wire.told import DiffOut, EntryOut, MarkOut

router = APIRouter(prefix="/memories/{namespace}", tags=["history"])
PIECE = 1 << 16
Limit = Annotated[int, Query(ge=1, le=1_000)]


@router.get("/log")
def log(desk: At, limit: Limit = 100) -> list[EntryOut]:
    """Every change, newest first."""
    with desk.reading() as memory:
        return [EntryOut.of(entry) for entry in memory.log(limit)]


@router.get("/changes")
def changes(
    desk: At, after: Annotated[int, Query(ge=0, le=2**62)] = 0, limit: Limit = 100
) -> list[ChangeOut]:
    """What changed after a journal sequence, oldest first: ids, arcs and the words of some."""
    with desk.reading() as memory:
        return [
            ChangeOut.of(change) for change in inspect.changes(memory, after, limit, named=NAMED)
        ]


@router.get("/snapshots")
def snapshots(desk: At) -> list[MarkOut]:
    """Every snapshot, oldest first."""
    with desk.reading() as memory:
        return [MarkOut.of(mark) for mark in memory.snapshots()]


@router.post("/snapshots", status_code=201)
def snapshot(desk: At, given: NameIn) -> MarkOut:
    """Name this moment, for diff and rollback."""
    with desk.writing() as memory:
        return MarkOut.of(memory.snapshot(given.name))


@router.get("/diff")
def diff(
    desk: At,
    since: Annotated[str, Query(min_length=1, max_length=200, examples=["before the move"])],
) -> DiffOut:
    """What changed since a snapshot."""
    with desk.reading() as memory:
        return DiffOut.of(memory.diff(since))


@router.post("/rollback")
def rollback(desk: At, given: NameIn) -> EntryOut:
    """Go back to a snapshot, by a new change that can itself be taken back."""
    with desk.writing() as memory:
        memory.rollback(given.name)
        return EntryOut.of(memory.log(1)[0])


@router.get("/branches")
def branches(desk: At) -> list[MarkOut]:
    """Every branch with the point it begins at."""
    with desk.reading() as memory:
        return [MarkOut.of(mark) for mark in memory.branches()]


@router.post("/branches", status_code=201)
def branch(desk: At, given: NameIn) -> MarkOut:
    """A branch that begins as this one and goes its own way; name it by `?branch=` then."""
    with desk.writing() as memory:
        memory.branch(given.name).close()
        return MarkOut.of(next(m for m in memory.branches() if m.name == given.name))


@router.get("/export", response_class=StreamingResponse, responses=answered(LINES))
def export(desk: At, vectors: bool = True) -> StreamingResponse:
    """Everything as JSON lines, for `import`."""
    with ExitStack() as held:
        folder = held.enter_context(tempfile.TemporaryDirectory(prefix="mags-export-"))
        path = Path(folder) / "export.jsonl"
        with desk.reading() as memory:
            memory.export(path, vectors=vectors)
        kept = held.pop_all()  # until the last piece is sent
    name = f'attachment; filename="{desk.namespace}.jsonl"'
    return StreamingResponse(
        _pieces(path, kept),
        media_type="application/x-ndjson",
        headers={"Content-Disposition": name},
    )


@router.post(
    "/import", status_code=201, openapi_extra=taken(LINES, {**TEXT, "examples": [EXPORTED]})
)
async def import_(desk: At, request: Request) -> EntryOut:
    """Add everything in an export to this memory, or nothing of it."""
    desk.grant.check(desk.namespace, Scope.WRITE)  # before a large body is read
    with tempfile.TemporaryDirectory(prefix="mags-import-") as folder:
        path = Path(folder) / "import.jsonl"
        with path.open("wb") as file:
            async for piece in request.stream():
                await run_in_threadpool(file.write, piece)

        def work() -> EntryOut:
            with desk.writing() as memory:
                memory.import_(path)
                return EntryOut.of(memory.log(1)[0])

        return await run_in_threadpool(work)


def _pieces(path: Path, kept: ExitStack) -> Iterator[bytes]:
    with kept, path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece
