"""A memory's calls: tell it something, recall, ask, explain, look somebody up."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response

from mags import inspect
from mags.errors import NotFound
from mags.memory.memory import recall_across as recall_several
from mags.server.auth import EVERY, Scope
from mags.server.context import Context, grant_of
from mags.server.open_memories import OpenMemory
from mags.server.wire import requests, responses
from mags.server.wire.openapi import EVENTS, answered
from mags.server.wire.streams import OnText, replied, whole

listing = APIRouter(tags=["memories"])
writing = APIRouter(prefix="/memories/{namespace}", tags=["writing"])
reading = APIRouter(prefix="/memories/{namespace}", tags=["reading"])
ROUTERS = (listing, writing, reading)
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=1, max_length=2_000, description="Taken where the body has no key."),
]
ID_OR_NAME = "A node's id, or a name."
Name = Annotated[str, Query(min_length=1, description=ID_OR_NAME, examples=["Ana"])]
Other = Annotated[str, Query(min_length=1, description=ID_OR_NAME, examples=["Porto"])]
TraceId = Annotated[str, Path(description="As it was given.", examples=[requests.TRACE])]
_REPEATED = "Nothing new: what has this key was remembered before."


@listing.get("/memories")
def memories(
    request: Request,
    prefix: Annotated[str, Query(max_length=200, description="How their names begin.")] = "",
    after: Annotated[str, Query(max_length=200, description="Only names after this one.")] = "",
    limit: Annotated[int | None, Query(ge=1, le=1_000, description="At most so many.")] = None,
) -> responses.MemoriesOut:
    """The memories that there are, as far as the key sees them, by name."""
    grant = grant_of(request)
    names = request.app.state.memories.names(grant)
    return responses.MemoriesOut(
        memories=[one for one in names if one.startswith(prefix) and one > after][:limit],
        key=grant.name,
        scope=grant.scope.name.lower(),
        joined=list(request.app.state.joined),
    )


@listing.delete("/memories/{namespace}", status_code=204)
def remove(context: Context) -> None:
    """Delete a memory with its history and files. Needs admin; nothing brings it back."""
    context.grant.used.erased = True
    context.memories.remove(context.grant, context.namespace, branch=context.branch)


# -- writing


@writing.post(
    "/turns",
    status_code=201,
    response_model=responses.SeenOut,
    responses={200: {"model": responses.SeenOut, "description": _REPEATED}},
)
def observe(
    context: Context, turn: requests.TurnIn, idempotency_key: IdempotencyKey = None
) -> Response:
    """Remember one turn: durable when the answer comes. Repeating a key answers 200."""
    said = {**turn.model_dump(), "speaker": context.speaks(turn.speaker)}
    with context.writing([turn.text]) as memory:
        key = turn.key or idempotency_key
        seen = memory.observe(**{**said, "key": key}, trusted=context.grant.trusted)
    return whole(responses.SeenOut.of(seen), 200 if seen.repeated else 201)


@writing.post(
    "/turns/bulk",
    status_code=201,
    responses={200: {"model": list[responses.SeenOut], "description": _REPEATED}},
)
def observe_many(
    context: Context,
    turns: requests.TurnsIn,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> list[responses.SeenOut]:
    """Remember many turns in order. Those with a key may be sent again after a failure.

    An `Idempotency-Key` gives a key to each turn that has none; where all of them were there
    already, the answer is 200.
    """
    said = [{**turn.model_dump(), "speaker": context.speaks(turn.speaker)} for turn in turns.turns]
    if idempotency_key is not None:
        for place, one in enumerate(said):
            one["key"] = one["key"] or f"{idempotency_key} {place}"
    with context.writing([turn.text for turn in turns.turns]) as memory:
        trusted = context.grant.trusted
        apart = (memory.observe(**one, trusted=trusted) for one in said)
        seen = list(apart) if turns.apart else memory.observe_many(said, trusted=trusted)
    response.status_code = 200 if all(one.repeated for one in seen) else 201
    return [responses.SeenOut.of(one) for one in seen]


@writing.post(
    "/facts",
    status_code=201,
    responses={200: {"model": responses.SeenOut, "description": _REPEATED}},
)
def assert_fact(
    context: Context,
    fact: requests.FactIn,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> responses.SeenOut:
    """Store a triple given as such, judged as any other fact is. Repeating a key answers 200."""
    told = [fact.subject, fact.relation, fact.object]
    with context.writing(told, as_anybody=True) as memory:
        key = fact.key or idempotency_key
        seen = memory.assert_fact(
            **{**fact.model_dump(), "key": key}, trusted=context.grant.trusted
        )
    response.status_code = 200 if seen.repeated else 201
    return responses.SeenOut.of(seen)


@writing.post("/converse", response_model=responses.ReplyOut, responses=answered(EVENTS))
def converse(
    context: Context, turn: requests.ConverseIn, idempotency_key: IdempotencyKey = None
) -> Response:
    """One whole turn: answered from memory, remembered with its answer."""

    def work(on_text: OnText) -> responses.ReplyOut:
        with context.opened(Scope.WRITE, [turn.text]) as opened:
            said = turn.model_dump(exclude={"stream"})
            said |= {"key": turn.key or idempotency_key, "speaker": context.speaks(turn.speaker)}
            reply = opened.memory.converse(**said, on_text=on_text, trusted=context.grant.trusted)
            return responses.ReplyOut.of(reply, trace=opened.keep(reply.trace))

    return replied(work, stream=turn.stream)


# -- reading


@reading.post("/recall", response_model=responses.FoundOut)
def recall(context: Context, wanted: requests.RecallIn) -> Response:
    """The best memories for a query, with their trace. Writes nothing.

    With `also` the best of several, in one ranking, where each hit names its memory; with "*" in
    it those 16 of all that the key sees that hold what lies nearest to the query.
    """
    asked = wanted.model_dump(exclude={"also"}) | {"speaker": context.speaks(wanted.speaker)}
    if wanted.also:
        return _recall_across(context, wanted.also, asked)
    with context.opened(Scope.READ, [wanted.query]) as opened:
        found = opened.memory.recall(**asked)
        content = responses.found_as_json(found, opened.keep(found.trace))
        return Response(content, media_type="application/json")


def _recall_across(context: Context, also: Sequence[str], asked: dict[str, Any]) -> Response:
    query, opened = asked["query"], dict[str, OpenMemory]()
    with ExitStack() as stack:

        def enter(name: str) -> None:
            if name not in opened:
                entered = replace(context, namespace=name).opened(Scope.READ, [query])
                opened[name] = stack.enter_context(entered)

        for name in (context.namespace, *(one for one in also if one != EVERY)):
            enter(name)
        if EVERY in also:
            first = opened[context.namespace].memory
            for name in context.memories.nearest(context.grant, first, query):
                with suppress(NotFound):  # deleted meanwhile, or without this branch
                    enter(name)
        found = recall_several({name: one.memory for name, one in opened.items()}, **asked)
        traces = {name: opened[name].keep(trace) for name, trace in found.traces.items()}
        content = responses.across_as_json(found, traces)
        return Response(content, media_type="application/json")


@reading.get("/search")
def search(
    context: Context, wanted: Annotated[requests.SearchIn, Query()]
) -> list[responses.NamedOut]:
    """What holds the words: things of that name, their facts, what was said; then what is near.

    Never filled up to `k`. Questions stand after statements, the memory's own answers last.
    """
    with context.reading() as memory:
        found = memory.search(
            wanted.words, wanted.k, wanted.as_of, recorded_as_of=wanted.recorded_as_of
        )
        return [responses.NamedOut.of(one) for one in found]


@reading.post("/ask", response_model=responses.ReplyOut, responses=answered(EVENTS))
def ask(context: Context, asked: requests.AskIn) -> Response:
    """Answer a question from memory. What is cited grows stronger, so this needs to write."""

    def work(on_text: OnText) -> responses.ReplyOut:
        with context.opened(Scope.WRITE, [asked.question]) as opened:
            said = asked.model_dump(exclude={"stream"})
            said["speaker"] = context.speaks(asked.speaker)
            reply = opened.memory.ask(**said, on_text=on_text)
            return responses.ReplyOut.of(reply, trace=opened.keep(reply.trace))

    return replied(work, stream=asked.stream)


@reading.post("/feedback")
def feedback(context: Context, body: requests.FeedbackIn) -> dict[str, bool]:
    """Reward what led to an answer; false where this trace was rewarded before."""
    with context.opened(Scope.WRITE) as opened:
        return {"credited": opened.memory.feedback(opened.trace(body.trace), body.reward)}


@reading.get("/traces/{trace}")
def explain(
    context: Context, trace: TraceId, limit: Annotated[int | None, Query(ge=1, le=1_000)] = None
) -> responses.ExplanationOut:
    """Why an answer came out as it did: anchors, paths with weights, shares of each feature."""
    with context.opened(Scope.READ) as opened:
        known = opened.trace(trace)
        return responses.ExplanationOut.of(
            opened.memory.explain(known, limit), trace=known.as_dict()
        )


@reading.get("/connect")
def connect(context: Context, start: Name, end: Other) -> responses.PathOut | None:
    """The strongest path between two nodes or names; null where there is none."""
    with context.reading() as memory:
        path = memory.connect(_id_or_name(start), _id_or_name(end))
        return None if path is None else responses.PathOut.of(path)


@reading.get("/neighbours")
def neighbours(context: Context, of: Name) -> list[responses.NeighbourOut]:
    """Everything one arc away, strongest first."""
    with context.reading() as memory:
        return [responses.NeighbourOut.of(one) for one in memory.neighbours(_id_or_name(of))]


@reading.get("/profile")
def profile(context: Context, of: Name) -> responses.ProfileOut:
    """What is known about a person or thing, now and before."""
    with context.reading() as memory:
        return responses.ProfileOut.of(memory.profile(_id_or_name(of)))


@reading.get("/facts")
def facts(
    context: Context,
    look: Annotated[requests.LookIn, Query()],
) -> list[responses.FactOut]:
    """Facts of a subject, or all, oldest first; closed ones have an end."""
    about = None if look.subject is None else _id_or_name(look.subject)
    with context.reading() as memory:
        known = memory.facts(
            about, look.as_of, recorded_as_of=look.recorded_as_of, current=look.current
        )
    return [responses.FactOut.of(fact) for fact in known[look.offset : look.offset + look.limit]]


@reading.post("/chains")
def chains(context: Context, wanted: requests.ChainsIn) -> list[responses.ChainOut]:
    """What was said that leads from a question to each of its options, the best first."""
    with context.reading() as memory:
        found = inspect.chains(memory, wanted.question, wanted.options, after=wanted.after)
        return [responses.ChainOut.of(one) for one in found]


@reading.post("/ways")
def ways(context: Context, wanted: requests.WaysIn) -> list[list[int] | None]:
    """By memory the fewest facts from what a question names to it; null where none lead."""
    with context.reading() as memory:
        found = inspect.ways(memory, wanted.question, wanted.ids)
        return [None if way is None else list(way) for way in found]


@reading.post("/latest")
def latest(context: Context, wanted: requests.LatestIn) -> list[list[int]]:
    """By thing the episodes that have all its words, newest first; none that is over."""
    with context.reading() as memory:
        return [list(some) for some in inspect.latest(memory, wanted.things, most=wanted.most)]


def _id_or_name(text: str) -> int | str:
    """A node's id where it is one ("12" or "m12"), else a name."""
    digits = text.removeprefix("m")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else text
