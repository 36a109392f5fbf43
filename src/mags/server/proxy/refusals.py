"""Errors under `/v1` in OpenAI's form, wherever on the way they arise.

Its clients read `{"error": {"message", "type", "param", "code"}}` and know 400, not 422, for what
cannot be asked so: https://platform.openai.com/docs/guides/error-codes.
"""

from __future__ import annotations

import json

from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mags.errors import MagsError
from mags.server.problems import MEDIA, STATUS
from mags.server.proxy.upstream import Json, UpstreamLate, UpstreamRefused
from mags.server.wire.plain import whole_text

PREFIX = "/v1"
INVALID, UNPROCESSABLE, BUSY, LATE = 400, 422, 429, 504


def error(status: int, message: str, *, code: str | None, param: object = None) -> Json:
    """The body of an error; `param`: the field that is wrong, where there is one."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {
        "error": {
            "message": whole_text(message),
            "type": "rate_limit_error" if status == BUSY else kind,
            "param": param if isinstance(param, str) else None,
            "code": code,
        }
    }


def of_failure(failure: MagsError, kept: str = "") -> tuple[int, Json]:
    """Status and body of an error. `kept`: what is remembered of the request all the same."""
    kind = next(one for one in type(failure).__mro__ if one in STATUS)
    status = LATE if isinstance(failure, UpstreamLate) else _status(STATUS[kind][0])
    words = f"{failure}; {kept}" if kept and status >= 500 else str(failure)
    param = failure.facts.get("field")
    return status, error(status, words, code=type(failure).__name__, param=param)


def refusal(failure: MagsError, kept: str = "") -> Response:
    """An error in OpenAI's form; an upstream's own error as it came, with when to ask again."""
    if isinstance(failure, UpstreamRefused):
        return Response(
            failure.body,
            status_code=failure.status,
            media_type=failure.media,
            headers=dict(failure.again),
        )
    status, body = of_failure(failure, kept)
    return JSONResponse(body, status_code=status)


class Refusals:
    """An app whose problems (RFC 9457) under `/v1` are told in OpenAI's form."""

    def __init__(self, app: ASGIApp) -> None:
        """`app`: with all that may refuse: keys, limits, routes."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on; a problem is held back until it is whole."""
        path = scope.get("path", "")
        if scope["type"] != "http" or not (path == PREFIX or path.startswith(PREFIX + "/")):
            await self._app(scope, receive, send)
            return
        held: Message | None = None
        content = b""

        async def told(message: Message) -> None:
            nonlocal held, content
            if message["type"] == "http.response.start":
                if MutableHeaders(scope=message).get("content-type") == MEDIA:
                    held = message
                    return
            elif held is not None and message["type"] == "http.response.body":
                content += message.get("body", b"")
                if message.get("more_body", False):
                    return
                message = _retold(held, content)
                await send(held)
                held = None
            await send(message)

        await self._app(scope, receive, told)


def _retold(start: Message, content: bytes) -> Message:
    """The body in OpenAI's form; `start` becomes its start."""
    problem = json.loads(content)
    start["status"] = _status(start["status"])
    name = problem["type"].rpartition(":")[2]
    code = name if problem["type"].startswith("urn:mags:") else None
    body = error(start["status"], problem["detail"], code=code, param=problem.get("field"))
    packed = json.dumps(body).encode()
    headers = MutableHeaders(scope=start)
    headers["Content-Type"], headers["Content-Length"] = "application/json", str(len(packed))
    return {"type": "http.response.body", "body": packed}


def _status(status: int) -> int:
    return INVALID if status == UNPROCESSABLE else status
