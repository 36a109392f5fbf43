"""The memories themselves: which there are, and deleting one."""

from __future__ import annotations

from fastapi import APIRouter, Request

from mags.server.desk import At, grant_of
from mags.server.wire.shown import Shown

router = APIRouter(tags=["memories"])


class MemoriesOut(Shown):
    """Names of memories, what the key that asked may do, and what joined the server: `games`."""

    memories: list[str]
    key: str
    scope: str
    joined: list[str]


@router.get("/memories")
def memories(request: Request) -> MemoriesOut:
    """The memories that there are, as far as the key sees them."""
    grant = grant_of(request)
    return MemoriesOut(
        memories=request.app.state.halls.names(grant),
        key=grant.name,
        scope=grant.scope.name.lower(),
        joined=list(request.app.state.joined),
    )


@router.delete("/memories/{namespace}", status_code=204)
def remove(desk: At) -> None:
    """Delete a memory with its history and files. Needs admin; nothing brings it back."""
    desk.halls.remove(desk.grant, desk.namespace, branch=desk.branch)
