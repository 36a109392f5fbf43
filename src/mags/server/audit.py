"""The audit log: who read, wrote and erased, one JSON line for each request, refused ones too.

A line holds no words of a memory: time, request id, name of the key, whose token, what was done,
memory, route, status. It is written when the request has ended, so a kill loses the lines of the
requests at work, and nothing else.

Where a line cannot be written (the disk is full) it is held, and until it is written no further
request is let in: what nobody could be asked about later does not happen.
"""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mags.errors import MagsError, StoreError, StoreFull
from mags.server.auth import GRANT, Grant, Used
from mags.server.middleware import OPEN
from mags.server.settings import REQUEST_ID, needs_no_key
from mags.server.wire.problems import of_error

FOLLOWED = "/memories/{namespace}/events"
"""Goes on for hours: its line is written when it begins."""


class AuditLog:
    """A file that is only ever appended to, readable by its owner alone.

    It is opened again where another file has its name, as after logrotate. Safe to use from
    several threads, and by several processes on one file.
    """

    def __init__(self, path: Path) -> None:
        """Open it; raises StoreError."""
        self._path = path
        self._lock = threading.Lock()
        self._file = -1
        self._held = bytearray()
        self.flush()

    def write(self, line: str) -> None:
        """Append a line now, or hold it until `flush` can."""
        with self._lock:
            self._held += line.encode() + b"\n"
            try:
                self._write()
            except OSError:
                return  # the next request is refused, and says why

    def flush(self) -> None:
        """Write what is held; raises StoreError where the file takes nothing."""
        try:
            with self._lock:
                self._write()
        except OSError as failure:
            full = failure.errno in (errno.ENOSPC, errno.EDQUOT)
            raise (StoreFull if full else StoreError)(
                f"the audit log cannot be written ({failure.strerror}), and nothing is done that "
                "is not in it: make room on its disk, or name another file with --audit"
            ) from failure

    def close(self) -> None:
        """Close the file; lines that could not be written are lost."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def _write(self) -> None:
        self._reopen()
        while self._held:
            # A full disk may take a part: the rest of the line follows when there is room.
            del self._held[: os.write(self._file, self._held)]

    def _reopen(self) -> None:
        if self._file >= 0:
            mine = os.fstat(self._file)
            try:
                named = os.stat(self._path)
            except FileNotFoundError:
                named = None
            if named is not None and (named.st_dev, named.st_ino) == (mine.st_dev, mine.st_ino):
                return
            os.close(self._file)
            self._file = -1
        self._path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._file = os.open(self._path, flags, 0o600)


class AuditMiddleware:
    """Writes a line for each request, but for paths that show nothing of a memory."""

    def __init__(self, app: ASGIApp, log: AuditLog) -> None:
        self._app, self._log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, then write; or answer 507 where earlier lines cannot be written."""
        if scope["type"] != "http" or needs_no_key(scope["path"]) or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        try:
            self._log.flush()
        except MagsError as failure:
            await of_error(failure)(scope, receive, send)
            return
        status, written = 500, False

        async def noted(message: Message) -> None:
            nonlocal status, written
            if message["type"] == "http.response.start":
                status = message["status"]
                if _route(scope) == FOLLOWED:
                    self._log.write(_line(scope, status))
                    written = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            if not written:
                self._log.write(_line(scope, status))


def _route(scope: Scope) -> str | None:
    found: str | None = getattr(scope.get("route"), "path", None)
    return found


def _line(scope: Scope, status: int) -> str:
    grant: Grant | None = scope.get(GRANT)
    used = Used() if grant is None else grant.used
    action = {None: None, 1: "read", 2: "write", 3: "admin"}[used.needed]
    return json.dumps(
        {
            "time": datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds"),
            "id": scope.get(REQUEST_ID),
            "key": None if grant is None else grant.name,
            "subject": (grant and grant.subject) or None,
            "action": "erase" if used.erased else action,
            "namespaces": used.namespaces,
            "method": scope["method"],
            "route": _route(scope),
            "status": status,
        }
    )
