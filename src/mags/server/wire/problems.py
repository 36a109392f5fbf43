"""Errors as problem details (RFC 9457): which status, and a body that says what to do.

Under `/v1` they have OpenAI's form, as its clients read them: `{"error": {"message", "type",
"param", "code"}}`, and 400, not 422 (https://platform.openai.com/docs/guides/error-codes).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from mags import errors
from mags.server.auth import Forbidden, IssuerUnavailable, Refused
from mags.server.open_memories import Overloaded
from mags.server.proxy.upstream import UpstreamLate, UpstreamRefused
from mags.server.quotas import TooMuch, TooMuchWork
from mags.server.wire.requests import whole_text

MEDIA = "application/problem+json"
PROXY = "/v1"
URN = "urn:mags:"
INVALID, UNPROCESSABLE, BUSY = 400, 422, 429
STATUS: Mapping[type[errors.MagsError], tuple[int, str]] = {
    Refused: (401, "No valid key"),
    Forbidden: (403, "Not allowed"),
    errors.NotFound: (404, "Not found"),
    errors.KeyConflict: (409, "Idempotency key used before"),
    errors.InvalidInput: (422, "Invalid input"),
    TooMuch: (413, "Too much"),
    TooMuchWork: (429, "Too much work"),
    Overloaded: (503, "Too much at once"),
    IssuerUnavailable: (503, "The issuer does not answer"),
    errors.StoreBusy: (503, "Another process is writing"),
    errors.StoreClosed: (503, "Stopping"),
    errors.StoreFull: (507, "The disk is full"),
    errors.EmbedderMismatch: (409, "Another embedder"),
    errors.NewerSchema: (500, "Written by a newer MAGS"),
    errors.CorruptFile: (500, "Damaged file"),
    UpstreamLate: (504, "Out of time"),
    errors.ModelUnavailable: (502, "No model answers"),
    errors.ModelReplyError: (502, "The model's answer cannot be used"),
    errors.MissingExtra: (501, "Not installed"),
    errors.ConfigurationError: (500, "A setting cannot be used"),
    errors.MagsError: (500, "Error"),
}
RETRY_AFTER_S = 1


class Problem(JSONResponse):
    """A problem as a response; sent in OpenAI's form to who asked under `/v1`."""

    media_type = MEDIA

    def __init__(self, body: dict[str, Any], headers: Mapping[str, str]) -> None:
        super().__init__(body, status_code=body["status"], headers=headers)
        self.problem = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        if f"{scope['path']}/".startswith(f"{PROXY}/"):
            sent = openais(self.problem)
            kept = {k: v for k, v in self.headers.items() if not k.startswith("content-")}
            await JSONResponse(sent[1], sent[0], kept)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def openais(problem: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Status and body of a problem in OpenAI's form."""
    status, field = problem["status"], problem.get("field")
    status = INVALID if status == UNPROCESSABLE else status
    kind = "invalid_request_error" if status < 500 else "server_error"
    named = problem["type"].startswith(URN)
    return status, {
        "error": {
            "message": problem["detail"],
            "type": "rate_limit_error" if status == BUSY else kind,
            "param": field if isinstance(field, str) else None,
            "code": problem["type"].removeprefix(URN) if named else None,
        }
    }


def problem(
    status: int, title: str, detail: str, *, kind: str = "about:blank", **facts: Any
) -> Problem:
    """A problem as a response. `facts`: members of its own, by RFC 9457 section 3.2."""
    known = {"type", "title", "status", "detail"}
    body = {"type": kind, "title": title, "status": status, "detail": whole_text(detail)}
    members = {k: _as_json(v) for k, v in facts.items() if k not in known}
    body |= {k: v for k, v in members.items() if v is not None}
    headers = {}
    if status in (BUSY, 503):
        headers["Retry-After"] = str(facts.get("retry_after", RETRY_AFTER_S))
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Problem(body, headers)


def _as_json(fact: object) -> object:
    """A fact as JSON can hold it, None for what it cannot."""
    if isinstance(fact, str):
        return whole_text(fact)
    known = isinstance(fact, int) or (isinstance(fact, float) and math.isfinite(fact))
    return fact if known else None


def of_error(failure: errors.MagsError, beside: str = "") -> Problem:
    """An error of MAGS as a problem. `beside`: what to say as well where it is the server's."""
    kind = next(one for one in type(failure).__mro__ if one in STATUS)
    status, title = STATUS[kind]
    # Facts of a client's error come from the client; those of the server may name files.
    facts = failure.facts if status < 500 else {}
    words = f"{failure}; {beside}" if beside and status >= 500 else str(failure)
    return problem(status, title, words, kind=URN + type(failure).__name__, **facts)


async def failed(_request: Request, _failure: Exception) -> Response:
    """An unexpected error as a problem."""
    # The failure itself goes to the log alone: it may hold what no client should read.
    return problem(500, "Error", "something failed that should not; the server's log tells")


def _no_json(wrong: Mapping[str, Any]) -> bool:
    return bool(wrong["type"] == "json_invalid")


def _wrong(wrong: Mapping[str, Any]) -> str:
    """What FastAPI found wrong, and where; of a body that is no JSON the place in its text."""
    if _no_json(wrong):
        where, place = wrong["loc"]
        return f"{where}: it is no JSON: {wrong['ctx']['error']}, at character {place + 1}"
    return f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}"


def install(app: FastAPI) -> None:
    """Answer every error of an app by a problem."""

    @app.exception_handler(errors.MagsError)
    async def known(_request: Request, failure: errors.MagsError) -> Response:
        return of_error(failure)

    @app.exception_handler(UpstreamRefused)
    async def passed_on(_request: Request, failure: UpstreamRefused) -> Response:
        # An upstream's own error goes on as it came, with when to ask again.
        return Response(failure.body, failure.status, dict(failure.again), failure.media)

    @app.exception_handler(RequestValidationError)
    async def refused(_request: Request, failure: RequestValidationError) -> Response:
        found = failure.errors()
        detail = "; ".join(map(_wrong, found))
        field = ".".join(str(part) for part in found[0]["loc"][1:2] if not _no_json(found[0]))
        return problem(422, "Invalid input", detail, kind=URN + "InvalidInput", field=field)

    @app.exception_handler(HTTPException)
    async def http(_request: Request, failure: HTTPException) -> Response:
        answer = problem(failure.status_code, str(failure.detail), str(failure.detail))
        answer.headers.update(failure.headers or {})
        return answer

    app.add_exception_handler(Exception, failed)
