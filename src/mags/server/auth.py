"""API keys: the file they are kept in, and what each of them allows.

A key is 256 random bits. It is shown once, and only its SHA-256 is kept. Nobody can guess 256
random bits, so neither the slow hash that passwords need nor a secret is needed here. The file is
read again when it has changed, so a revoked key is refused at once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path

from mags import errors
from mags.store.folder import SUFFIX

NAMESPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
EVERY = "*"
DEFAULT = "default"
GRANT = "mags.grant"
"""The key in an ASGI scope for the grant of a request."""
FILE, LOCK = "keys.json", ".lock"
BEGIN = "mags_"
USER = "user"
"""The speaker where a request names none."""
WAIT_S = 10.0
"""How long a process waits for another one that is changing the same file."""


class Scope(IntEnum):
    """What a key may do; each scope includes the ones before it."""

    READ = 1
    WRITE = 2
    ADMIN = 3


class Refused(errors.MagsError):
    """There is no key, or it is unknown, revoked or out of date."""


class IssuerUnavailable(errors.MagsError):
    """The public keys of an issuer cannot be fetched, so no token can be checked."""


class Forbidden(errors.MagsError):
    """The key is known, but may not do this here."""


@dataclass(slots=True)
class Used:
    """What a request used its grant for, for the audit log: memories, and the most it needed."""

    namespaces: list[str] = field(default_factory=list)
    needed: Scope | None = None
    erased: bool = False

    def note(self, namespace: str, needed: Scope) -> None:
        """It asked for this in that memory, allowed or not."""
        if namespace not in self.namespaces:
            self.namespaces.append(namespace)
        self.needed = max(needed, self.needed or needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a key allows.

    `name`: of the key, for logs and limits; `namespaces`: names, "team-*", or "*" for all;
    `digest`: of the key itself, "" if no key is needed; `expires`: seconds since the epoch, None
    for never; `speaker`: as whom alone it may speak, "" for anybody; `subject`: whose token it
    is, "" for a key. `used`: by one request, which has a grant of its own.
    """

    name: str
    namespaces: tuple[str, ...]
    scope: Scope
    digest: str = field(default="", repr=False)
    expires: float | None = None
    speaker: str = ""
    subject: str = ""
    used: Used = field(default_factory=Used, compare=False, repr=False)

    @property
    def trusted(self) -> bool:
        """Whether it is the owner's, who may date what they tell as they like."""
        return self.scope >= Scope.ADMIN and not self.speaker

    def speaks(self, named: str) -> str:
        """As whom a request speaks that names this speaker (`USER`: whoever uses the key).

        Raises Forbidden where the key is bound to another.
        """
        if not self.speaker or named == self.speaker:
            return named
        if named == USER:
            return self.speaker
        raise Forbidden(
            f"this key speaks as {self.speaker!r} alone: leave `speaker` out, or use another key",
            speaker=self.speaker,
        )

    def check_unbound(self) -> None:
        """Raise Forbidden for a key bound to a speaker: what follows has no one speaker."""
        if self.speaker:
            raise Forbidden(
                f"this key speaks as {self.speaker!r} alone, and this tells or changes what is not "
                "said by anybody: say it as a turn, or use a key that is bound to no speaker",
                speaker=self.speaker,
            )

    def sees(self, namespace: str) -> bool:
        """Whether the key may know that this namespace exists."""
        return any(
            namespace.startswith(pattern.removesuffix(EVERY))
            if pattern.endswith(EVERY)
            else namespace == pattern
            for pattern in self.namespaces
        )

    def check(self, namespace: str, needed: Scope) -> None:
        """Raise NotFound for a namespace it does not see, Forbidden for what it may not do there.

        A namespace of others gives the same answer as a missing one, so that a key cannot find
        out names.
        """
        check_name(namespace)
        self.used.note(namespace, needed)
        if not self.sees(namespace):
            raise errors.NotFound(
                f"there is no memory {namespace!r} for this key", namespace=namespace
            )
        if self.scope < needed:
            raise Forbidden(
                f"this key may {self.scope.name.lower()}, and this needs {needed.name.lower()}: "
                "use another key, or make one with `mags keys add`",
                namespace=namespace,
            )


EVERYTHING = Grant(name="local", namespaces=(EVERY,), scope=Scope.ADMIN)
"""The grant of a request from the same machine, where no key is needed."""


def namespace_of(grant: Grant, named: str | None) -> str:
    """The key's namespace if it has exactly one, else the one that is named, else "default"."""
    if len(grant.namespaces) == 1 and not grant.namespaces[0].endswith(EVERY):
        return grant.namespaces[0]
    return named or DEFAULT


def check_name(namespace: str) -> None:
    """Raise InvalidInput for a name that cannot be a namespace, and so the name of a file."""
    # The files beside a memory are called "a.mags-wal" and the like: no namespace may take such a
    # name.
    odd = namespace.endswith(".") or SUFFIX in namespace.casefold()
    if odd or not NAMESPACE.fullmatch(namespace):
        raise errors.InvalidInput(
            "a namespace has 1 to 100 letters, digits, '.', '_' or '-', begins with a letter or "
            f"digit, does not end with '.' and does not hold {SUFFIX!r}",
            namespace=namespace,
        )


def check_speaker(speaker: str) -> str:
    """The speaker a key is bound to, "" for none; raises InvalidInput for what is no name."""
    if speaker != speaker.strip() or len(speaker) > 200 or not speaker.isprintable():
        raise errors.InvalidInput(
            f"{speaker[:50]!r} is no speaker: a name has up to 200 characters, none of them a "
            "line break, and no blank at its ends",
            speaker=speaker[:200],
        )
    return speaker


def check_pattern(pattern: str) -> None:
    """Raise InvalidInput unless it is a namespace, the beginning of one with "*", or "*"."""
    name = pattern.removesuffix(EVERY)
    if name:
        # "team.*" is fine, though "team." is no namespace.
        check_name(name.rstrip(".") or name)
    elif pattern != EVERY:
        check_name(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key(Grant):
    """A grant as stored. `made`, `revoked`: seconds since the epoch; `digest`: hex SHA-256."""

    made: float
    revoked: float | None = None

    def out(self, now_s: float) -> bool:
        """Whether it lets nobody in any more."""
        return self.revoked is not None or (self.expires is not None and now_s >= self.expires)


class KeyRing:
    """The keys of a server's folder. Safe to use from several threads and processes."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        """The file need not exist. `clock`: seconds since the epoch, for keys that expire."""
        self.path, self._clock = folder / FILE, clock
        self._lock = threading.Lock()
        # Modification time and inode of the file that was read last.
        self._seen: tuple[int, int] | None = None
        self._keys: dict[str, Key] = {}
        self._grants: dict[str, Key] = {}

    def known(self) -> list[Key]:
        """Every key, oldest first."""
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
        if found.out(self._clock()):
            raise Refused("this key has expired: `mags keys rotate NAME --expires 30d` renews it")
        return found

    def is_valid(self, grant: Grant) -> bool:
        """Whether an earlier grant is still valid."""
        if grant.expires is not None and self._clock() >= grant.expires:
            return False
        with self._lock:
            self._refresh()
            return not grant.digest or self._grants.get(grant.digest) == grant

    def add(
        self,
        name: str,
        namespaces: tuple[str, ...],
        scope: Scope,
        now_s: float,
        *,
        expires: float | None = None,
        speaker: str = "",
    ) -> str:
        """Make a key and return it, which is the only time it is shown. Raises InvalidInput."""
        if not name.strip() or not namespaces:
            raise errors.InvalidInput("a key needs a name and at least one namespace", name=name)
        for pattern in namespaces:
            check_pattern(pattern)
        secret = BEGIN + secrets.token_urlsafe(32)
        made = Key(
            name=name,
            digest=digest_of(secret),
            namespaces=namespaces,
            scope=scope,
            made=now_s,
            expires=expires,
            speaker=check_speaker(speaker),
        )
        # Threads first, then processes: `alone` keeps other processes out, `_lock` our threads.
        with self._lock, alone(self.path):
            self._refresh(anew=True)
            known = self._keys.get(name)
            if known is not None and not known.out(now_s):
                raise errors.InvalidInput(
                    f"there is a key {name!r} already: rotate or revoke it",
                    field="name",
                    given=name,
                )
            self._write({**self._keys, name: made})
        return secret

    def rotate(self, name: str, now_s: float, *, expires: float | None = None) -> str:
        """Replace the secret of a key; the old one no longer works. Raises NotFound.

        `expires` None: it lasts as long from now as it did from when it was made.
        """
        secret = BEGIN + secrets.token_urlsafe(32)

        def renewed(key: Key) -> Key:
            ends = expires
            if ends is None and key.expires is not None:
                ends = now_s + key.expires - key.made
            return replace(key, digest=digest_of(secret), made=now_s, expires=ends, revoked=None)

        self._change(name, renewed)
        return secret

    def revoke(self, name: str, now_s: float) -> None:
        """Refuse a key from now on. Raises NotFound."""
        self._change(name, lambda key: replace(key, revoked=now_s))

    def _change(self, name: str, change: Callable[[Key], Key]) -> None:
        with self._lock, alone(self.path):
            self._refresh(anew=True)
            if name not in self._keys:
                known = ", ".join(sorted(self._keys)) or "none"
                raise errors.NotFound(f"there is no key {name!r} (there are: {known})", name=name)
            self._write({**self._keys, name: change(self._keys[name])})

    def _refresh(self, *, anew: bool = False) -> None:
        """Read the file if it has changed; `anew`: in any case, before it is written."""
        try:
            found = self.path.stat()
            # A write replaces the file, so it has another inode even within one tick of the clock.
            seen = (found.st_mtime_ns, found.st_ino)
        except FileNotFoundError:
            seen = None
        if seen is None or seen != self._seen or anew:
            self._keys, self._seen = {} if seen is None else _read(self.path), seen
            self._grants = {k.digest: k for k in self._keys.values() if k.revoked is None}

    def _write(self, keys: Mapping[str, Key]) -> None:
        rows = [
            {
                "name": key.name,
                "sha256": key.digest,
                "namespaces": list(key.namespaces),
                "scope": key.scope.name.lower(),
                "made": key.made,
                "revoked": key.revoked,
                "expires": key.expires,
                "speaker": key.speaker,
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
                # Files of before 0.2 have neither.
                expires=row.get("expires"),
                speaker=row.get("speaker", ""),
            )
            for row in rows
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise errors.CorruptFile(
            f"{path} is damaged: take it from a backup, or remove it and make new keys", path=path
        ) from failure
    return {key.name: key for key in keys}


# -- private files: readable by this user only, and replaced as a whole or not at all


@contextmanager
def alone(path: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the lock of a file while it is changed; raises StoreBusy, StoreError.

    The lock is on a file beside it, which is never removed. The system releases the lock when a
    process dies.
    """
    from filelock import FileLock, Timeout  # takes 0.1 s, and most servers change no key

    with errors.boundary("private files", _unwritable):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(path.with_name(path.name + LOCK), wait_s, mode=0o600)
        try:
            lock.acquire()
        except Timeout as failure:
            raise errors.StoreBusy(
                f"another process is changing {path}: try again when it is done"
            ) from failure
    try:
        yield
    finally:
        lock.release()


def write_private(path: Path, text: str) -> None:
    """Replace a file by a text, durably and as a whole; raises StoreError."""
    # A random name, so that two writers do not write into the same file.
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    with errors.boundary("private files", _unwritable):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)


def remove_private(path: Path) -> None:
    """Remove a private file if it exists; raises StoreError."""
    with errors.boundary("private files", _unwritable):
        path.unlink(missing_ok=True)


def _unwritable(failure: Exception) -> errors.StoreError | None:
    if isinstance(failure, OSError):
        path, why = failure.filename, failure.strerror
        return errors.StoreError(f"{path} cannot be written: {why}", path=path)
    return None
