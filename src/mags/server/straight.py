"""The fast path of recalls, the most frequent requests: without router and dependencies.

Whatever is not a plain recall (another route, a query string, a body that does not fit or cannot be
read) goes on to the app, with its body. The models and the endpoint are the same on both ways, so
the answers are too.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mags.errors import MagsError
from mags.server.auth import GRANT, Grant
from mags.server.context import RequestContext
from mags.server.wire.problems import failed, of_error
from mags.server.wire.requests import RecallIn

ContextOf = Callable[[Grant, str], RequestContext]
"""Makes the context of a request about a namespace, on its main branch."""
_PATH = re.compile("/memories/([^/]+)/recall")
_JSON = b"application/json"


class Straight:
    """An app before which recalls are answered, as `route` would."""

    def __init__(self, app: ASGIApp, route: APIRoute, context_of: ContextOf) -> None:
        """`route`: of recalls, whose endpoint takes a `RequestContext` and a `RecallIn`."""
        self._app, self._route, self._context_of = app, route, context_of
        self._caught = ServerErrorMiddleware(self._answer, handler=failed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a recall, or hand on what is none."""
        found = _PATH.fullmatch(scope["path"]) if _is_plain(scope) else None
        if found is None:
            await self._app(scope, receive, send)
            return
        body = _Body(receive)
        wanted = await body.read()
        if wanted is None:
            await self._app(scope, body.again, send)
            return
        scope["route"] = self._route  # by which the metrics and the log name a request
        scope[_ASKED] = self._context_of(scope[GRANT], found[1]), wanted
        await self._caught(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        context, wanted = scope[_ASKED]
        answer: Response
        try:
            answer = await run_in_threadpool(self._route.endpoint, context, wanted)
        except MagsError as failure:
            answer = of_error(failure)
        await answer(scope, receive, send)


_ASKED = "mags.asked"


def _is_plain(scope: Scope) -> bool:
    """Whether it could be a recall whose way through the app would have no turn."""
    # A query string may name a branch, and a root path moves every route.
    return (
        scope["type"] == "http"
        and scope["method"] == "POST"
        and not scope["query_string"]
        and not scope.get("root_path")
        and scope.get(GRANT) is not None
        and any(name == b"content-type" and value == _JSON for name, value in scope["headers"])
    )


class _Body:
    """A body that can be received once more after it was read."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._came: list[Message] = []
        self._failure: HTTPException | None = None

    async def read(self) -> RecallIn | None:
        """The request, or None where the app must read the body, which knows the errors."""
        parts: list[bytes] = []
        while True:
            try:
                message = await self._receive()
            except HTTPException as failure:  # such as a body over its limit
                self._failure = failure
                return None
            self._came.append(message)
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                break
        try:
            return RecallIn.model_validate_json(b"".join(parts))
        except ValidationError:
            return None

    async def again(self) -> Message:
        """The same messages once more, then what comes after."""
        if self._came:
            return self._came.pop(0)
        if self._failure is not None:
            raise self._failure
        return await self._receive()
