"""Streamed responses: server-sent events from work that runs in a thread.

The first event is awaited before the response begins, so that a failure at once gets a status of
its own, not a stream that breaks off.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.responses import Response

from mags.errors import MagsError
from mags.server.wire.problems import of_error

Piece = tuple[str, Any]
Say = Callable[[str, Mapping[str, Any]], None]
"""Sends an event: its kind and its data."""
OnText = Callable[[str], None] | None
TEXT, DONE, FAILED = "text", "done", "failed"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def whole(answer: BaseModel, status: int = 200) -> Response:
    """A body as a response; it is valid already, and not checked again."""
    return Response(
        answer.__pydantic_serializer__.to_json(answer),
        status_code=status,
        media_type="application/json",
    )


def replied(work: Callable[[OnText], BaseModel], *, stream: bool) -> Response:
    """What `work(on_text)` answers: whole, or streamed as events `text`."""
    if not stream:
        return whole(work(None))
    return streamed(lambda say: work(lambda text: say(TEXT, {"text": text})))


def streamed(work: Callable[[Say], BaseModel]) -> StreamingResponse:
    """Run `work(say)` in a thread; events as it says them, then `done` with its result.

    Raises what the work raises before it has said anything; later failures come as an event
    `failed`, with a problem. The work goes on where the client leaves, so what it writes is whole.
    """
    pieces: queue.SimpleQueue[Piece] = queue.SimpleQueue()

    def run() -> None:
        # Sent in any case, also after an unexpected failure: the reader must not hang.
        last: Piece = (FAILED, MagsError("something failed that should not; the log tells"))
        try:
            last = (DONE, work(lambda kind, data: pieces.put((kind, data))))
        except MagsError as failure:
            last = (FAILED, failure)
        finally:
            pieces.put(last)

    # No daemon: what it writes is to be whole even where the server stops.
    threading.Thread(target=run, name="mags-answer", daemon=False).start()
    first = pieces.get()
    if first[0] == FAILED:
        raise first[1]
    return StreamingResponse(
        _events(first, pieces), media_type="text/event-stream", headers=HEADERS
    )


def event(kind: str, data: str, *, id: str = "") -> str:
    """One server-sent event."""
    lines = "".join(f"data: {line}\n" for line in data.split("\n"))
    name = f"id: {id}\n" if id else ""
    return f"{name}event: {kind}\n{lines}\n"


def _events(first: Piece, pieces: queue.SimpleQueue[Piece]) -> Iterator[str]:
    kind, value = first
    while kind not in (DONE, FAILED):
        yield event(kind, json.dumps(value))
        kind, value = pieces.get()
    if kind == DONE:
        yield event(DONE, value.model_dump_json())
    else:
        yield event(FAILED, bytes(of_error(value).body).decode())
