"""Reading: recall, ask, explain, and what a memory knows of somebody."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from mags.server.desk import At
from mags.server.grants import Scope
from mags.server.streams import OnText, replied
from mags.server.wire.given import TRACE, AskIn, FeedbackIn, LookIn, RecallIn, SearchIn
from mags.server.wire.raw import EVENTS, answered
from mags.server.wire.recalled import found_as_json
from mags.server.wire.seen import NamedOut
from mags.server.wire.shown import (
    ExplanationOut,
    FactOut,
    FoundOut,
    NeighbourOut,
    PathOut,
    ProfileOut,
    ReplyOut,
)

router = APIRouter(prefix="/memories/{namespace}", tags=["reading"])
ID_OR_NAME = "A node's id, or a name."
Name = Annotated[str, Query(min_length=1, description=ID_OR_NAME, examples=["Ana"])]
Other = Annotated[str, Query(min_length=1, description=ID_OR_NAME, examples=["Porto"])]
TraceId = Annotated[str, Path(description="As it was given.", examples=[TRACE])]


@router.post("/recall", response_model=FoundOut)
def recall(desk: At, wanted: RecallIn) -> Response:
    """The best memories for a query, with their trace. Writes nothing."""
    with desk.seated(Scope.READ) as hall:
        found = hall.memory.recall(
            wanted.query,
            wanted.k,
            wanted.as_of,
            recorded_as_of=wanted.recorded_as_of,
            speaker=wanted.speaker,
            session=wanted.session,
        )
        told = found_as_json(found, hall.traces.keep(found.trace))
        return Response(told, media_type="application/json")


@router.get("/search")
def search(desk: At, wanted: Annotated[SearchIn, Query()]) -> list[NamedOut]:
    """What holds the words: things of that name, their facts, what was said; then what is near.

    Never filled up to `k`. Questions stand after statements, the memory's own answers last.
    """
    with desk.reading() as memory:
        found = memory.search(
            wanted.words, wanted.k, wanted.as_of, recorded_as_of=wanted.recorded_as_of
        )
        return [NamedOut.of(one) for one in found]


ROUTE = next(one for one in router.routes if isinstance(one, APIRoute) and one.endpoint is recall)
"""That of recalls: see `Straight`."""


@router.post("/ask", response_model=ReplyOut, responses=answered(EVENTS))
def ask(desk: At, asked: AskIn) -> Response:
    """Answer a question from memory. What is cited grows stronger, so this needs to write."""

    def work(on_text: OnText) -> ReplyOut:
        with desk.hall(Scope.WRITE) as hall:
            reply = hall.memory.ask(
                asked.question,
                asked.as_of,
                recorded_as_of=asked.recorded_as_of,
                k=asked.k,
                speaker=asked.speaker,
                session=asked.session,
                on_text=on_text,
            )
            return ReplyOut.of(reply, hall.traces.keep(reply.trace))

    return replied(work, stream=asked.stream)


@router.post("/feedback")
def feedback(desk: At, given: FeedbackIn) -> dict[str, bool]:
    """Reward what led to an answer; false where this trace was rewarded before."""
    with desk.hall(Scope.WRITE) as hall:
        return {"credited": hall.memory.feedback(hall.traces.get(given.trace), given.reward)}


@router.get("/traces/{trace}")
def explain(
    desk: At, trace: TraceId, limit: Annotated[int | None, Query(ge=1, le=1_000)] = None
) -> ExplanationOut:
    """Why an answer came out as it did: anchors, paths with weights, shares of each feature."""
    with desk.hall(Scope.READ) as hall:
        known = hall.traces.get(trace)
        told = hall.memory.explain(known, limit)
        return ExplanationOut(
            queries=list(told.queries), lines=list(told.lines), trace=known.as_dict()
        )


@router.get("/connect")
def connect(desk: At, start: Name, end: Other) -> PathOut | None:
    """The strongest path between two nodes or names; null where there is none."""
    with desk.reading() as memory:
        path = memory.connect(id_or_name(start), id_or_name(end))
        return None if path is None else PathOut.of(path)


@router.get("/neighbours")
def neighbours(desk: At, of: Name) -> list[NeighbourOut]:
    """Everything one arc away, strongest first."""
    with desk.reading() as memory:
        return [NeighbourOut.of(one) for one in memory.neighbours(id_or_name(of))]


@router.get("/profile")
def profile(desk: At, of: Name) -> ProfileOut:
    """What is known about a person or thing, now and before."""
    with desk.reading() as memory:
        return ProfileOut.of(memory.profile(id_or_name(of)))


@router.get("/facts")
def facts(
    desk: At,
    look: Annotated[LookIn, Query()],
) -> list[FactOut]:
    """Facts of a subject, or all, oldest first; closed ones have an end."""
    about = None if look.subject is None else id_or_name(look.subject)
    with desk.reading() as memory:
        known = memory.facts(
            about, look.as_of, recorded_as_of=look.recorded_as_of, current=look.current
        )
    return [FactOut.of(fact) for fact in known[look.offset : look.offset + look.limit]]


def id_or_name(given: str) -> int | str:
    """A node's id where it is one ("12" or "m12"), else a name."""
    digits = given.removeprefix("m")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else given
