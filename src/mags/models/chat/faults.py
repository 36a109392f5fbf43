"""What went wrong at an endpoint: passing or final, how long to wait, and what to tell the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import openai

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({400, 422, 501})
UNREACHED = ("ConnectError", "ConnectTimeout", "UnsupportedProtocol")
NO_CREDIT = ("insufficient_quota", "billing")
ADVICE = {
    400: "the server refuses the request; see its message",
    401: "the server wants another key: set MAGS_CHAT_KEY",
    403: "the key may not use this model: check MAGS_CHAT_KEY and MAGS_CHAT_MODEL",
    404: "no such model or path: check MAGS_CHAT_MODEL, and that MAGS_CHAT_URL ends in /v1",
    413: "the prompt is too long for the server: lower answer.context_tokens",
    429: "the server limits how often it may be asked: wait, or raise chat.tries",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How often to try and how long to wait: exponential, jittered between half and all of it.

    A wait the server asks for (`Retry-After`) is kept to, up to `longest_s`; one beyond that is
    not waited for. An endpoint that nobody listens at is tried `unreached_tries` times only.
    """

    tries: int = 4
    unreached_tries: int = 2
    first_s: float = 0.5
    longest_s: float = 20.0

    def wait_s(self, failed: int, rng: Random) -> float:
        """Seconds to wait after that many failures (1 is the first)."""
        full = min(self.longest_s, self.first_s * 2.0 ** (failed - 1))
        return full * rng.uniform(0.5, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One failed call. `status` is 0 without an HTTP answer; `asked_s` is its Retry-After."""

    what: str
    status: int = 0
    message: str = ""
    unreached: bool = False
    asked_s: float | None = None
    passing: bool = False

    def tries(self, backoff: Backoff) -> int:
        """How many calls in all may be made before it is final."""
        if not self.passing or (self.asked_s or 0.0) > backoff.longest_s:
            return 1
        return backoff.unreached_tries if self.unreached else backoff.tries

    @property
    def advice(self) -> str:
        """What the user can do about it."""
        if self.unreached:
            return "start the server, or correct MAGS_CHAT_URL"
        if self.status in ADVICE:
            return ADVICE[self.status]
        if self.status >= 500:
            return "look at the server's own log"
        return "look whether the server still runs, or raise chat.timeout_s"


def read_fault(failure: openai.APIError) -> Fault:
    """Judge an HTTP error, a connection refused, timed out or broken, an error in a stream."""
    import openai

    if isinstance(failure, openai.APIStatusError):
        return _read_status(failure)
    cause = failure.__cause__
    name = type(cause).__name__
    if name in UNREACHED:
        return Fault(what=f"not reached ({cause})", unreached=True, passing=True)
    if isinstance(failure, openai.APITimeoutError):
        return Fault(what="timed out", passing=True)
    if cause is not None:
        return Fault(what=f"the connection broke ({name})", message=str(cause), passing=True)
    return Fault(what="the server reported an error", message=complaint(failure), passing=True)


def _read_status(failure: openai.APIStatusError) -> Fault:
    status = failure.status_code
    no_credit = any(word in f"{failure.code} {failure.type}" for word in NO_CREDIT)
    return Fault(
        what=f"HTTP {status}",
        status=status,
        message=complaint(failure),
        asked_s=_seconds(failure.response.headers.get("retry-after")),
        passing=status in PASSING and not no_credit,
    )


def complaint(failure: openai.APIError) -> str:
    """The server's own words, short, wherever it put them."""
    body = failure.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        said = inner.get("message") or inner.get("detail") if isinstance(inner, Mapping) else inner
        body = said or body
    return " ".join(str(body or failure.message).split())[:300]


def _seconds(written: str | None) -> float | None:
    try:
        return max(0.0, float(written)) if written is not None else None
    except ValueError:
        return None  # a date: waiting by our own rule is as good
