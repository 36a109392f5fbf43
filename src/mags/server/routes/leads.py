"""What leads from a question to its options and memories, for programs that choose and act."""

from __future__ import annotations

from fastapi import APIRouter

from mags.memory import inspect
from mags.server.desk import At
from mags.server.wire.given import ChainsIn, LatestIn, WaysIn
from mags.server.wire.shown import ChainOut

router = APIRouter(prefix="/memories/{namespace}", tags=["reading"])


@router.post("/chains")
def chains(desk: At, wanted: ChainsIn) -> list[ChainOut]:
    """What was said that leads from a question to each of its options, the best first."""
    with desk.reading() as memory:
        found = inspect.chains(memory, wanted.question, wanted.options, after=wanted.after)
        return [ChainOut.of(one) for one in found]


@router.post("/ways")
def ways(desk: At, wanted: WaysIn) -> list[list[int] | None]:
    """By memory the fewest facts from what a question names to it; null where none lead."""
    with desk.reading() as memory:
        found = inspect.ways(memory, wanted.question, wanted.ids)
        return [None if way is None else list(way) for way in found]


@router.post("/latest")
def latest(desk: At, wanted: LatestIn) -> list[list[int]]:
    """By thing the episodes that have all its words, newest first; none that is over."""
    with desk.reading() as memory:
        return [list(some) for some in inspect.latest(memory, wanted.things, most=wanted.most)]
