"""What happened: log, changes, events, snapshots, branches, rollback, export and import."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import State
from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

from mags import caches, inspect
from mags.errors import InvalidInput, MagsError
from mags.server.auth import KeyRing, Scope
from mags.server.context import Context, RequestContext
from mags.server.open_memories import Overloaded
from mags.server.wire.openapi import EVENTS, EXPORTED, LINES, TEXT, answered, taken
from mags.server.wire.problems import of_error
from mags.server.wire.requests import NameIn, RollbackIn
from mags.server.wire.responses import NAMED, ChangeOut, DiffOut, EntryOut, MarkOut
from mags.server.wire.streams import FAILED, HEADERS, event

if TYPE_CHECKING:  # it needs an extra, which only an encrypted memory has
    from mags.store.sealing import Keyring

router = APIRouter(prefix="/memories/{namespace}", tags=["history"])
PIECE = 1 << 16
EVERY_S = 0.2
"""Seconds between two looks at the journal: other processes may write too."""
QUIET = 75
"""Looks without a change after which a comment keeps the connection alive (15 s)."""
AT_ONCE = 50
Limit = Annotated[int, Query(ge=1, le=1_000)]


@router.get("/log")
def log(context: Context, limit: Limit = 100) -> list[EntryOut]:
    """Every change, newest first."""
    with context.reading() as memory:
        return [EntryOut.of(entry) for entry in memory.log(limit)]


@router.get("/changes")
def changes(
    context: Context, after: Annotated[int, Query(ge=0, le=2**62)] = 0, limit: Limit = 100
) -> list[ChangeOut]:
    """What changed after a journal sequence, oldest first: ids, arcs and the words of some."""
    return _next(context, after, limit)


@router.get("/snapshots")
def snapshots(context: Context) -> list[MarkOut]:
    """Every snapshot, oldest first."""
    with context.reading() as memory:
        return [MarkOut.of(mark) for mark in memory.snapshots()]


@router.post("/snapshots", status_code=201)
def snapshot(context: Context, body: NameIn) -> MarkOut:
    """Name this moment, for diff and rollback."""
    with context.writing() as memory:
        return MarkOut.of(memory.snapshot(body.name))


@router.get("/diff")
def diff(
    context: Context,
    since: Annotated[str, Query(min_length=1, max_length=200, examples=["before the move"])],
) -> DiffOut:
    """What changed since a snapshot."""
    with context.reading() as memory:
        return DiffOut.of(memory.diff(since))


@router.post("/rollback")
def rollback(context: Context, body: RollbackIn) -> EntryOut:
    """Go back to a snapshot or a change, by a new change that can itself be taken back."""
    with context.writing() as memory:
        memory.rollback(body.name or body.seq or 0)
        return EntryOut.of(memory.log(1)[0])


@router.get("/branches")
def branches(context: Context) -> list[MarkOut]:
    """Every branch with the point it begins at."""
    with context.reading() as memory:
        return [MarkOut.of(mark) for mark in memory.branches()]


@router.post("/branches", status_code=201)
def branch(context: Context, body: NameIn) -> MarkOut:
    """A branch that begins as this one and goes its own way; name it by `?branch=` then."""
    with context.writing() as memory:
        memory.branch(body.name).close()
        return MarkOut.of(next(m for m in memory.branches() if m.name == body.name))


@router.get("/export", response_class=StreamingResponse, responses=answered(LINES))
def export(request: Request, context: Context, vectors: bool = True) -> StreamingResponse:
    """Everything as JSON lines, for `import`."""
    # Into a file first: a client that reads slowly must not hold the memory in use.
    with context.reading() as memory, ExitStack() as stack:
        kept = ExportFile(_temporary(request))
        stack.enter_context(kept.file)
        memory.export(kept.file, vectors=vectors)
        stack.pop_all()  # closed when all of it is sent
    name = f'attachment; filename="{context.namespace}.jsonl"'
    return StreamingResponse(
        kept.pieces(),
        media_type="application/x-ndjson",
        headers={"Content-Disposition": name},
    )


@router.post(
    "/import", status_code=201, openapi_extra=taken(LINES, {**TEXT, "examples": [EXPORTED]})
)
async def import_(context: Context, request: Request) -> EntryOut:
    """Add everything in an export to this memory, or nothing of it."""
    context.grant.check(context.namespace, Scope.WRITE)  # before a large body is read
    context.grant.check_unbound()
    with TextIOWrapper(_temporary(request), encoding="utf-8") as file:
        async for piece in request.stream():
            await run_in_threadpool(file.buffer.write, piece)
        file.seek(0)

        def work() -> EntryOut:
            # `said`, as a full memory takes none.
            with context.writing([""], as_anybody=True) as memory:
                memory.import_(file)
                return EntryOut.of(memory.log(1)[0])

        return await run_in_threadpool(work)


def _temporary(request: Request) -> BinaryIO:
    """A file without a name, so that a kill leaves none; sealed, where memories are."""
    keyring: Keyring | None = request.app.state.settings.keyring
    return tempfile.TemporaryFile() if keyring is None else keyring.temporary()


class ExportFile:
    """An export until its last piece is sent; where anything is forgotten meanwhile, it ends."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._gone = raw, False
        self.file = TextIOWrapper(raw, encoding="utf-8")
        caches.register(self)

    def clear(self) -> None:
        """Let go of all words: what was sent lacks its end, which an import says."""
        self._gone = True
        with suppress(OSError, ValueError):  # closed, as all of it was sent; or sealed
            os.ftruncate(self.file.fileno(), 0)

    def pieces(self) -> Iterator[bytes]:
        """What was written, from the beginning."""
        with self.file:
            self.file.seek(0)
            while not self._gone and (piece := self._raw.read(PIECE)):
                yield piece


# -- events: each change of a memory as it lands, whoever made it


@router.get("/events", response_class=StreamingResponse, responses=answered(EVENTS))
async def events(
    request: Request,
    context: Context,
    after: Annotated[int | None, Query(ge=0, le=2**62)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """A stream of changes after a journal sequence (from now on where none is given).

    A client that reconnects goes on by `Last-Event-ID`, and misses nothing.
    """
    begin = after
    if begin is None and last_event_id is not None:
        if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 19):
            raise InvalidInput("Last-Event-ID: the id of the last event that came")
        begin = int(last_event_id)
    if begin is None:
        begin = await run_in_threadpool(_head, context)
    else:
        await run_in_threadpool(_next, context, begin)  # raises for changes that were folded away
    state = request.app.state
    if state.streams >= state.settings.limits.streams:
        raise Overloaded(f"{state.streams} event streams are open: close one")
    return _Counted(
        _stream(request, context, begin),
        media_type="text/event-stream",
        headers=HEADERS,
        state=state,
    )


class _Counted(StreamingResponse):
    """An event stream that is counted as long as it is sent, however it ends."""

    def __init__(self, *args: Any, state: State, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._state = state
        state.streams += 1  # now: many that come at once could otherwise all pass the limit

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._state.streams -= 1


async def _stream(request: Request, context: RequestContext, seq: int) -> AsyncIterator[str]:
    state = request.app.state
    keys: KeyRing = state.keys
    quiet = 0
    yield ": listening\n\n"
    try:
        # A stream outlives the check of its key: once that is revoked, it ends.
        while not state.stopping.is_set() and keys.is_valid(context.grant):
            found = await run_in_threadpool(_next, context, seq)
            for change in found:
                seq = change.seq
                yield event("change", change.model_dump_json(), id=str(seq))
            if found:
                quiet = 0
                continue
            quiet += 1
            if quiet % QUIET == 0:
                yield ": still here\n\n"
            await asyncio.sleep(EVERY_S)
    except MagsError as failure:  # deleted, folded or damaged: the stream says so and ends
        yield event(FAILED, bytes(of_error(failure).body).decode())


def _head(context: RequestContext) -> int:
    with context.reading() as memory:
        return memory.stats().seq


def _next(context: RequestContext, seq: int, most: int = AT_ONCE) -> list[ChangeOut]:
    with context.reading() as memory:
        found = inspect.changes(memory, seq, most, named=NAMED)
        return [ChangeOut.of(change) for change in found]
