"""Who is asking: the first thing that every request meets.

On loopback nobody is asked for a key; what remains to fear there is a web page in the user's own
browser, so the names by which the server is called, and the pages that call it, are checked.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mags.errors import MagsError
from mags.server.grants import EVERYTHING, Forbidden, Grant, Refused
from mags.server.keys import BEGIN, KeyRing
from mags.server.problems import of_error
from mags.server.settings import ServerSettings, is_local

PUBLIC = ("/healthz", "/readyz", "/openapi.json", "/favicon.ico")
PAGE = ("/", "/assets/")
"""The page itself holds nothing of a memory: it asks for that as anybody does."""
GRANT = "mags.grant"
INERT = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""On every answer that says nothing else: data, whoever wrote it, is never run or framed."""


class Doorman:
    """Finds the grant of each request and puts it into its scope, or answers 401 or 403."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, keys: KeyRing) -> None:
        """Keys are asked for wherever others may reach the server."""
        self._app, self._keys = app, keys
        self._asked = settings.asks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in who may."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def inert(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in INERT.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            scope[GRANT] = self._grant(scope)
        except MagsError as failure:
            await of_error(failure)(scope, receive, inert)
            return
        await self._app(scope, receive, inert)

    def _grant(self, scope: Scope) -> Grant | None:
        headers = Headers(scope=scope)
        self._check_names(headers)
        secret = secret_of(headers)
        # OpenAI's clients must send some key: where none is asked for, one that cannot be ours is
        # as good as none. One of ours counts, and is refused when it is revoked.
        if secret is not None and (self._asked or secret.startswith(BEGIN)):
            return self._keys.grant(secret)
        if not self._asked:
            return EVERYTHING
        if is_public(scope["path"]):
            return None
        raise Refused("this server wants a key: send it as `Authorization: Bearer mags_...`")

    def _check_names(self, headers: Headers) -> None:
        if self._asked:
            return
        host = _name(headers.get("host", ""))
        if not is_local(host):
            raise Forbidden(
                f"this server is not called {host!r}: add it with --allow-host, and make a key"
            )
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != headers.get("host"):
            raise Forbidden(f"pages from {origin!r} may not ask this server without a key")


def secret_of(headers: Headers) -> str | None:
    """The key that a request carries, in either of the two usual places."""
    given = headers.get("authorization", "")
    kind, _, secret = given.partition(" ")
    if kind.casefold() == "bearer" and secret.strip():
        return secret.strip()
    return headers.get("x-api-key") or None


def is_public(path: str) -> bool:
    """Whether anybody may have it."""
    return path in PUBLIC or path == PAGE[0] or path.startswith(PAGE[1])


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:  # no address at all
        return ""
