"""Events: each change of a memory as it lands, whoever made it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from mags.server.desk import At, Desk
from mags.server.grants import Scope
from mags.server.halls import Overloaded
from mags.server.streams import HEADERS, event
from mags.server.wire.seen import ChangeOut

router = APIRouter(prefix="/memories/{namespace}", tags=["history"])
EVERY_S = 0.2
"""How often the journal is looked at: other processes may write too."""
QUIET = 75
"""Looks without news after which a comment shows that the line is alive (15 s)."""
AT_ONCE = 50


@router.get("/events")
async def events(
    request: Request,
    desk: At,
    after: Annotated[int | None, Query(ge=0, le=2**62)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """A stream of changes after a journal sequence (from now on, where none is told).

    A client that lost its line goes on by `Last-Event-ID`, and misses nothing.
    """
    begin = after
    if begin is None and last_event_id is not None and last_event_id.isdigit():
        begin = int(last_event_id)
    if begin is None:
        begin = await run_in_threadpool(_head, desk)
    else:
        await run_in_threadpool(_next, desk, begin)  # what is folded away is refused here
    state = request.app.state
    if state.streams >= desk.settings.limits.streams:
        raise Overloaded(f"{state.streams} event streams are open: close one")
    return StreamingResponse(
        _stream(request, desk, begin), media_type="text/event-stream", headers=HEADERS
    )


async def _stream(request: Request, desk: Desk, seq: int) -> AsyncIterator[str]:
    state = request.app.state
    state.streams += 1
    quiet = 0
    try:
        yield ": listening\n\n"
        while not state.stopping.is_set():
            found = await run_in_threadpool(_next, desk, seq)
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
    finally:
        state.streams -= 1


def _head(desk: Desk) -> int:
    with desk.reading() as memory:
        return memory.stats().seq


def _next(desk: Desk, seq: int) -> list[ChangeOut]:
    with desk.hall(Scope.READ) as hall:
        return [ChangeOut.of(change) for change in hall.memory.changes(seq, AT_ONCE)]
