"""The context of a request: the caller's grant, and the memory that the caller may use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from mags.memory.memory import Memory
from mags.server.auth import GRANT, NAMESPACE, Grant, Refused, Scope
from mags.server.open_memories import MAIN, OpenMemories, OpenMemory

Namespace = Annotated[
    str,
    Path(
        description="The memory's name.",
        examples=["alice"],
        json_schema_extra={"pattern": f"^{NAMESPACE.pattern}$"},
    ),
]
Branch = Annotated[str, Query(description="A branch of the memory.", max_length=200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """The grant of a request and the memory it is about.

    Routes reach a memory only through it, so the grant is always checked.
    """

    memories: OpenMemories
    grant: Grant
    namespace: str
    branch: str = MAIN

    def speaks(self, named: str) -> str:
        """The speaker of a request that names this one; raises NotFound, Forbidden.

        See `Grant.speaks`.
        """
        self.grant.check(self.namespace, Scope.READ)
        return self.grant.speaks(named)

    @contextmanager
    def opened(self, needed: Scope, said: Sequence[str] = ()) -> Iterator[OpenMemory]:
        """The memory with its traces. `said`: what is asked, or is to be remembered.

        Raises as `OpenMemories.enter` does.
        """
        with self.memories.enter(
            self.grant, self.namespace, needed, branch=self.branch, said=said
        ) as opened:
            yield opened

    @contextmanager
    def reading(self) -> Iterator[Memory]:
        """The memory, for a key that may read."""
        with self.opened(Scope.READ) as opened:
            yield opened.memory

    @contextmanager
    def writing(
        self, said: Sequence[str] = (), *, as_anybody: bool = False, erasing: bool = False
    ) -> Iterator[Memory]:
        """The memory, for a key that may write; created if it does not exist.

        `said`: what is to be remembered; `as_anybody`: what is written has no one speaker, so a
        key bound to one is refused; `erasing`: something goes for good, which the audit log tells
        apart.
        """
        with self.opened(Scope.WRITE, said) as opened:
            if as_anybody:
                self.grant.check_unbound()
            self.grant.used.erased |= erasing
            yield opened.memory


def grant_of(request: Request) -> Grant:
    """The grant of a request; raises Refused."""
    grant: Grant | None = request.scope.get(GRANT)
    if grant is None:
        raise Refused("this needs a key: send it as `Authorization: Bearer mags_...`")
    return grant


async def context_of(
    request: Request, namespace: Namespace, branch: Branch = MAIN
) -> RequestContext:
    """The context of a request; routes depend on it."""
    state = request.app.state
    return RequestContext(
        memories=state.memories,
        grant=grant_of(request),
        namespace=namespace,
        branch=branch,
    )


Context = Annotated[RequestContext, Depends(context_of)]
