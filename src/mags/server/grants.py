"""What a key may do, and with which namespaces."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from mags.errors import InvalidInput, MagsError, NotFound

NAMESPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
EVERY = "*"
DEFAULT = "default"
SUFFIX = ".mags"
"""How a memory's file ends."""


class Scope(IntEnum):
    """What may be done; each holds the ones before it."""

    READ = 1
    WRITE = 2
    ADMIN = 3


class Refused(MagsError):
    """No key, or one that is not known (any more)."""


class Forbidden(MagsError):
    """The key is known, but may not do this here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """`name`: of the key, for logs and limits; `namespaces`: names, "team-*", or "*" for all.

    `digest`: of the key itself, "" where none was asked for.
    """

    name: str
    namespaces: tuple[str, ...]
    scope: Scope
    digest: str = field(default="", repr=False)

    def sees(self, namespace: str) -> bool:
        """Whether it may know that there is such a namespace."""
        return any(_covers(pattern, namespace) for pattern in self.namespaces)

    def check(self, namespace: str, needed: Scope) -> None:
        """Raise NotFound for what it does not see, Forbidden for what it may not do.

        A namespace of others reads as one that is not there: a key cannot find out names.
        """
        check_name(namespace)
        if not self.sees(namespace):
            raise NotFound(f"there is no memory {namespace!r} for this key", namespace=namespace)
        if self.scope < needed:
            raise Forbidden(
                f"this key may {self.scope.name.lower()}, and this needs {needed.name.lower()}: "
                "use another key, or make one with `mags keys add`",
                namespace=namespace,
            )


EVERYTHING = Grant(name="local", namespaces=(EVERY,), scope=Scope.ADMIN)
"""Who is on the same machine and was asked for no key."""


def namespace_of(grant: Grant, named: str | None) -> str:
    """The key's namespace where it has just one; else the one that is named, else "default"."""
    if len(grant.namespaces) == 1 and not grant.namespaces[0].endswith(EVERY):
        return grant.namespaces[0]
    return named or DEFAULT


def check_name(namespace: str) -> None:
    """Raise InvalidInput for what cannot be a namespace, and so a file's name."""
    odd = namespace.endswith(".") or SUFFIX in namespace.casefold()
    if odd or not NAMESPACE.fullmatch(namespace):
        raise InvalidInput(
            "a namespace has 1 to 100 letters, digits, '.', '_' or '-', begins with a letter or "
            f"digit, does not end with '.' and does not hold {SUFFIX!r}",
            namespace=namespace,
        )


def check_pattern(pattern: str) -> None:
    """Raise InvalidInput for what is neither a namespace, nor a beginning with "*", nor "*"."""
    name = pattern.removesuffix(EVERY)
    if name:
        check_name(name.rstrip(".") or name)
    elif pattern != EVERY:
        check_name(name)


def _covers(pattern: str, namespace: str) -> bool:
    if pattern.endswith(EVERY):
        return namespace.startswith(pattern.removesuffix(EVERY))
    return namespace == pattern
