"""API keys: made here, shown once, kept as hashes, revoked by name.

A key is 256 random bits, so a plain SHA-256 of it cannot be turned back by guessing; a slow hash is
for what people choose. The file is read again when it has changed: a revoked key is out at once.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mags.errors import CorruptFile, InvalidInput, NotFound
from mags.server.grants import Grant, Refused, Scope, check_pattern
from mags.server.private import alone, write_private

FILE = "keys.json"
BEGIN = "mags_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key as it is kept. `made`, `revoked`: seconds since the epoch; `digest`: hex SHA-256."""

    name: str
    digest: str
    namespaces: tuple[str, ...]
    scope: Scope
    made: float
    revoked: float | None = None

    def grant(self) -> Grant:
        """What it allows."""
        return Grant(
            name=self.name, namespaces=self.namespaces, scope=self.scope, digest=self.digest
        )


class KeyRing:
    """The keys of a server's folder. Safe to use from several threads and processes."""

    def __init__(self, folder: Path) -> None:
        """The file need not be there."""
        self.path = folder / FILE
        self._lock = threading.Lock()
        self._seen: tuple[int, int] | None = None
        self._keys: dict[str, Key] = {}
        self._grants: dict[str, Grant] = {}

    def known(self) -> list[Key]:
        """Every key, in the order in which they were made."""
        with self._lock:
            self._refresh()
            return sorted(self._keys.values(), key=lambda key: key.made)

    def grant(self, secret: str) -> Grant:
        """What a key allows; raises Refused."""
        with self._lock:
            self._refresh()
            found = self._grants.get(digest_of(secret))
        if found is None:
            raise Refused("this key is not known or was revoked: make one with `mags keys add`")
        return found

    def still(self, grant: Grant) -> bool:
        """Whether a grant that was given before holds now."""
        with self._lock:
            self._refresh()
            return not grant.digest or self._grants.get(grant.digest) == grant

    def add(self, name: str, namespaces: tuple[str, ...], scope: Scope, now_s: float) -> str:
        """Make a key; returns it, for the only time. Raises InvalidInput."""
        if not name.strip() or not namespaces:
            raise InvalidInput("a key needs a name and at least one namespace", name=name)
        for pattern in namespaces:
            check_pattern(pattern)
        secret = BEGIN + secrets.token_urlsafe(32)
        made = Key(
            name=name,
            digest=digest_of(secret),
            namespaces=namespaces,
            scope=scope,
            made=now_s,
        )
        with self._lock, alone(self.path):
            self._refresh(anew=True)
            known = self._keys.get(name)
            if known is not None and known.revoked is None:
                raise InvalidInput(f"there is a key {name!r} already: rotate or revoke it")
            self._write({**self._keys, name: made})
        return secret

    def rotate(self, name: str, now_s: float) -> str:
        """Another secret for a key; the old one is out. Raises NotFound."""
        secret = BEGIN + secrets.token_urlsafe(32)
        self._change(name, digest=digest_of(secret), made=now_s, revoked=None)
        return secret

    def revoke(self, name: str, now_s: float) -> None:
        """Let a key in no more. Raises NotFound."""
        self._change(name, revoked=now_s)

    def _change(self, name: str, **fields: Any) -> None:
        with self._lock, alone(self.path):
            self._refresh(anew=True)
            if name not in self._keys:
                known = ", ".join(sorted(self._keys)) or "none"
                raise NotFound(f"there is no key {name!r} (there are: {known})", name=name)
            self._write({**self._keys, name: replace(self._keys[name], **fields)})

    def _refresh(self, *, anew: bool = False) -> None:
        """Read the file where it has changed; `anew`: in any case, before it is written."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            self._take({}, None)
            return
        seen = (found.st_mtime_ns, found.st_ino)
        if seen == self._seen and not anew:
            return
        self._take(_read(self.path), seen)

    def _take(self, keys: Mapping[str, Key], seen: tuple[int, int] | None) -> None:
        self._keys, self._seen = dict(keys), seen
        self._grants = {k.digest: k.grant() for k in keys.values() if k.revoked is None}

    def _write(self, keys: Mapping[str, Key]) -> None:
        rows = [
            {
                "name": key.name,
                "sha256": key.digest,
                "namespaces": list(key.namespaces),
                "scope": key.scope.name.lower(),
                "made": key.made,
                "revoked": key.revoked,
            }
            for key in keys.values()
        ]
        write_private(self.path, json.dumps({"keys": rows}, indent=1) + "\n")
        self._refresh()


def digest_of(secret: str) -> str:
    """The hex SHA-256 by which a key is known."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: Path) -> dict[str, Key]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["keys"]
        keys = [
            Key(
                name=row["name"],
                digest=row["sha256"],
                namespaces=tuple(row["namespaces"]),
                scope=Scope[row["scope"].upper()],
                made=float(row["made"]),
                revoked=row["revoked"],
            )
            for row in rows
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise CorruptFile(
            f"{path} is damaged: take it from a backup, or remove it and make new keys", path=path
        ) from failure
    return {key.name: key for key in keys}
