"""Writing: turns, facts, whole conversations."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Response

from mags.server.desk import At
from mags.server.grants import Scope
from mags.server.streams import OnText, replied, whole
from mags.server.wire.given import ConverseIn, FactIn, TurnIn, TurnsIn
from mags.server.wire.raw import EVENTS, answered
from mags.server.wire.shown import ReplyOut, SeenOut

router = APIRouter(prefix="/memories/{namespace}", tags=["writing"])
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=1, max_length=2_000, description="Taken where the body has no key."),
]
_REPEATED = "Nothing new: what has this key was remembered before."


@router.post(
    "/turns",
    status_code=201,
    response_model=SeenOut,
    responses={200: {"model": SeenOut, "description": _REPEATED}},
)
def observe(desk: At, turn: TurnIn, idempotency_key: IdempotencyKey = None) -> Response:
    """Remember one turn: durable when the answer comes. Repeating a key answers 200."""
    said = _turn(turn)
    with desk.writing() as memory:
        seen = memory.observe(said.pop("text"), **{**said, "key": turn.key or idempotency_key})
    return whole(SeenOut.of(seen), 200 if seen.repeated else 201)


@router.post(
    "/turns/bulk",
    status_code=201,
    responses={200: {"model": list[SeenOut], "description": _REPEATED}},
)
def observe_many(
    desk: At, turns: TurnsIn, response: Response, idempotency_key: IdempotencyKey = None
) -> list[SeenOut]:
    """Remember many turns in order. Those with a key may be sent again after a failure.

    An `Idempotency-Key` gives a key to each turn that has none; where all of them were there
    already, the answer is 200.
    """
    said = [_turn(turn) for turn in turns.turns]
    if idempotency_key is not None:
        for place, one in enumerate(said):
            one["key"] = one["key"] or f"{idempotency_key} {place}"
    with desk.writing() as memory:
        if turns.apart:
            seen = [memory.observe(one.pop("text"), **one) for one in said]
        else:
            seen = memory.observe_many(said)
    response.status_code = 200 if all(one.repeated for one in seen) else 201
    return [SeenOut.of(one) for one in seen]


@router.post(
    "/facts", status_code=201, responses={200: {"model": SeenOut, "description": _REPEATED}}
)
def assert_fact(
    desk: At, fact: FactIn, response: Response, idempotency_key: IdempotencyKey = None
) -> SeenOut:
    """Store a triple given as such, judged as any other fact is. Repeating a key answers 200."""
    with desk.writing() as memory:
        seen = memory.assert_fact(
            fact.subject,
            fact.relation,
            fact.object,
            at=fact.at,
            until=fact.until,
            qualifiers=fact.qualifiers,
            confidence=fact.confidence,
            one=fact.one,
            retract=fact.retract,
            key=fact.key or idempotency_key,
        )
    response.status_code = 200 if seen.repeated else 201
    return SeenOut.of(seen)


@router.post("/converse", response_model=ReplyOut, responses=answered(EVENTS))
def converse(desk: At, turn: ConverseIn, idempotency_key: IdempotencyKey = None) -> Response:
    """One whole turn: answered from memory, remembered with its answer."""

    def work(on_text: OnText) -> ReplyOut:
        with desk.hall(Scope.WRITE) as hall:
            reply = hall.memory.converse(
                turn.text,
                speaker=turn.speaker,
                at=turn.at,
                session=turn.session,
                key=turn.key or idempotency_key,
                on_text=on_text,
            )
            return ReplyOut.of(reply, hall.traces.keep(reply.trace))

    return replied(work, stream=turn.stream)


def _turn(turn: TurnIn) -> dict[str, Any]:
    return {
        "text": turn.text,
        "speaker": turn.speaker,
        "at": turn.at,
        "session": turn.session,
        "key": turn.key,
        "attrs": turn.attrs,
    }
