"""Events: each change of a memory as it lands, whoever made it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import State
from starlette.types import Receive, Send
from starlette.types import Scope as AsgiScope

from mags.errors import InvalidInput, MagsError
from mags.memory import inspect
from mags.server.desk import At, Desk
from mags.server.grants import Scope
from mags.server.halls import Overloaded
from mags.server.keys import KeyRing
from mags.server.problems import of_error
from mags.server.streams import FAILED, HEADERS, event
from mags.server.wire.raw import EVENTS, answered
from mags.server.wire.seen import NAMED, ChangeOut

router = APIRouter(prefix="/memories/{namespace}", tags=["history"])
EVERY_S = 0.2
"""How often the journal is looked at: other processes may write too."""
QUIET = 75
"""Looks without news after which a comment shows that the line is alive (15 s)."""
AT_ONCE = 50


@router.get("/events", response_class=StreamingResponse, responses=answered(EVENTS))
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
    if begin is None and last_event_id is not None:
        begin = _sequence(last_event_id)
    if begin is None:
        begin = await run_in_threadpool(_head, desk)
    else:
        await run_in_threadpool(_next, desk, begin)  # what is folded away is refused here
    state = request.app.state
    if state.streams >= desk.settings.limits.streams:
        raise Overloaded(f"{state.streams} event streams are open: close one")
    return _Counted(
        _stream(request, desk, begin), media_type="text/event-stream", headers=HEADERS, state=state
    )


class _Counted(StreamingResponse):
    """An event stream that is counted as long as it is sent, however it ends."""

    def __init__(self, *given: Any, state: State, **named: Any) -> None:
        super().__init__(*given, **named)
        self._state = state
        state.streams += 1  # now, or many that come at once would all find room

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._state.streams -= 1


async def _stream(request: Request, desk: Desk, seq: int) -> AsyncIterator[str]:
    state = request.app.state
    keys: KeyRing = state.keys
    quiet = 0
    yield ": listening\n\n"
    try:
        while not state.stopping.is_set() and keys.still(desk.grant):
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
    except MagsError as failure:  # deleted, rolled up, damaged: said, and the stream ends
        yield event(FAILED, bytes(of_error(failure).body).decode())


def _sequence(given: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise InvalidInput("Last-Event-ID: the id of the last event that came")
    return int(given)


def _head(desk: Desk) -> int:
    with desk.reading() as memory:
        return memory.stats().seq


def _next(desk: Desk, seq: int) -> list[ChangeOut]:
    with desk.hall(Scope.READ) as hall:
        return [
            ChangeOut.of(change)
            for change in inspect.changes(hall.memory, seq, AT_ONCE, named=NAMED)
        ]
