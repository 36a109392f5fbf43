"""The bodies of requests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, model_validator

from mags.errors import InvalidInput

DEEPEST = 64
"""Levels of lists and objects; writers of JSON give up at a few hundred."""
Value = TypeVar("Value")

Moment = Annotated[
    float | str,
    Field(
        description="Seconds since the epoch, or an ISO 8601 text; without a zone it is UTC.",
        examples=["2026-03-01T09:30:00Z"],
    ),
]
Count = Annotated[int, Field(ge=1, le=1_000, description="How many at most.")]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
NodeId = Annotated[int, Field(ge=1, le=2**63 - 1)]
Label = Annotated[str, Field(max_length=2_000)]
Query = Annotated[str, Field(min_length=1, max_length=2_000)]
TRACE = "5f0c1a9e3b7d4826a1c4e09b"
"""The id of a trace, as the document shows one."""


class RequestBody(BaseModel):
    """A request's body. Unknown fields are refused, so that no typing error goes unnoticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def examples(*bodies: dict[str, Any]) -> ConfigDict:
    """Whole bodies as examples in the OpenAPI document."""
    return ConfigDict(json_schema_extra={"examples": list(bodies)})


def plain(value: Value, deepest: int = DEEPEST) -> Value:
    """The value itself; raises InvalidInput for NaN, lone surrogates and too many levels.

    Readers of JSON accept these, and its writers fail at them.
    """
    waiting: list[Iterator[object]] = [iter((value,))]
    while waiting:
        one = next(waiting[-1], waiting)
        if one is waiting:
            waiting.pop()
        elif isinstance(one, dict):
            waiting.append(iter([*one.keys(), *one.values()]))
        elif isinstance(one, list):
            waiting.append(iter(one))
        elif isinstance(one, float) and not math.isfinite(one):
            raise InvalidInput("a number is not finite: JSON has no such thing")
        elif isinstance(one, str) and whole_text(one) != one:
            raise InvalidInput("a text holds half a character (a lone surrogate)")
        if len(waiting) > deepest + 1:
            raise InvalidInput(f"more than {deepest} levels of lists and objects")
    return value


def whole_text(text: str) -> str:
    """The text with halves of characters put together, and lone ones replaced by "?"."""
    try:
        text.encode()
    except UnicodeEncodeError:
        paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return paired.replace("\ufffd", "?")
    return text


class TurnIn(RequestBody):
    """One turn to remember. `key`: the same key with the same turn is written once."""

    model_config = examples(
        {"text": "Ana moved from Lisbon to Porto in May."},
        {
            "text": "I met Ana at the harbour.",
            "speaker": "Bo",
            "at": "2026-06-01T09:30:00+02:00",
            "session": "june",
            "key": "chat-17-turn-3",
            "attrs": {"channel": "phone"},
        },
    )

    text: Annotated[str, Field(min_length=1)]
    speaker: Label = "user"
    at: Moment | None = None
    session: Label = ""
    key: Annotated[str, Field(max_length=2_000)] | None = None
    attrs: dict[str, str] = {}


class TurnsIn(RequestBody):
    """Many turns, oldest first. `apart` (deprecated): each a tick and a transaction of its own."""

    model_config = examples(
        {
            "turns": [
                {"text": "Where do you live now?", "speaker": "Bo", "key": "1"},
                {"text": "I live in Porto.", "speaker": "Ana", "key": "2"},
            ]
        },
        {"turns": [{"text": "I like tea."}, {"text": "I play chess."}]},
    )

    turns: Annotated[list[TurnIn], Field(min_length=1, max_length=10_000)]
    apart: Annotated[StrictBool, Field(json_schema_extra={"deprecated": True})] = False


class FactIn(RequestBody):
    """A triple given as such. `retract` closes it."""

    model_config = examples(
        {"subject": "Ana", "relation": "lives in", "object": "Porto"},
        {
            "subject": "Ana",
            "relation": "works at",
            "object": "Acme",
            "at": "2026-01-01",
            "until": "2026-06-30",
            "qualifiers": {"as": "engineer"},
            "confidence": 0.8,
            "one": True,
            "key": "staff-12",
        },
        {"subject": "Ana", "relation": "lives in", "object": "Porto", "retract": True},
    )

    subject: Annotated[str, Field(min_length=1)]
    relation: Annotated[str, Field(min_length=1)]
    object: Annotated[str, Field(min_length=1)]
    at: Moment | None = None
    until: Moment | None = None
    qualifiers: dict[str, str] = {}
    confidence: Share = 0.9
    one: StrictBool | None = None
    retract: StrictBool = False
    key: Annotated[str, Field(max_length=2_000)] | None = None


class RecallIn(RequestBody):
    """What to look for. `as_of`: what was true then; `recorded_as_of`: what was known then.

    `also`: further memories that the key sees, whose hits are ranked with those of the first; "*"
    stands for the 16 of all of them that hold what lies nearest to the query.
    """

    model_config = examples(
        {"query": "Where does Ana live?"},
        {
            "query": "Where did Ana live?",
            "k": 3,
            "as_of": "2026-03-01T09:30:00Z",
            "recorded_as_of": "2026-09-01",
            "speaker": "Bo",
        },
    )

    query: Annotated[str, Field(min_length=1)]
    k: Count = 10
    as_of: Moment | None = None
    recorded_as_of: Moment | None = None
    speaker: Label = "user"
    session: Label = ""
    also: Annotated[tuple[Label, ...], Field(max_length=31)] = ()


class AskIn(RequestBody):
    """A question. `stream`: the answer in pieces, as server-sent events."""

    model_config = examples(
        {"question": "Where does Ana live?"},
        {"question": "Where did Ana live?", "as_of": "2026-03-01T09:30:00Z", "stream": True},
    )

    question: Annotated[str, Field(min_length=1)]
    k: Count | None = None
    as_of: Moment | None = None
    recorded_as_of: Moment | None = None
    speaker: Label = "user"
    session: Label = ""
    stream: StrictBool = False


class ConverseIn(RequestBody):
    """One whole turn: routed, answered, remembered with its answer."""

    model_config = examples(
        {"text": "I adopted a dog called Biscuit."},
        {"text": "Where does Ana live?", "speaker": "Bo", "key": "chat-17-turn-4", "stream": True},
    )

    text: Annotated[str, Field(min_length=1)]
    speaker: Label = "user"
    at: Moment | None = None
    session: Label = ""
    key: Annotated[str, Field(max_length=2_000)] | None = None
    stream: StrictBool = False


class SleepIn(RequestBody):
    """How to sleep. `stream`: each rule when it is done, as server-sent events."""

    model_config = examples({}, {"stream": True})

    stream: StrictBool = False


class ChainsIn(RequestBody):
    """A question and its options. `after`: by an option's place, seconds since the epoch: what was
    said before says nothing new of it."""

    model_config = examples(
        {"question": "Where does Ana live?", "options": ["Lisbon", "Porto"]},
        {"question": "Where does Ana live?", "options": ["Porto"], "after": {"0": 1767225600}},
    )

    question: Query
    options: Annotated[list[Query], Field(min_length=1, max_length=100)]
    after: dict[
        Annotated[int, Field(ge=0, lt=100)], Annotated[float, Field(allow_inf_nan=False)]
    ] = {}


class WaysIn(RequestBody):
    """A question and the memories (node ids) that one may come to from it."""

    model_config = examples({"question": "Where does Ana live?", "ids": [1, 5]})

    question: Query
    ids: Annotated[list[NodeId], Field(max_length=1_000)]


class LatestIn(RequestBody):
    """Things, each named by its words. `most`: episodes of each."""

    model_config = examples({"things": ["Ana", "Porto"], "most": 2})

    things: Annotated[list[Query], Field(max_length=100)]
    most: Annotated[int, Field(ge=1, le=1_000)] = 4


class FeedbackIn(RequestBody):
    """A reward in [-1, 1] for a trace; without one 1 if the answer cited something, else 0."""

    model_config = examples({"trace": TRACE}, {"trace": TRACE, "reward": -0.5})

    trace: Annotated[str, Field(description="As a recall or an answer gave it.")]
    reward: Annotated[float, Field(ge=-1.0, le=1.0)] | None = None


class EditIn(RequestBody):
    """What to change of a node; what is left out stays. `valid_to` "open" opens a closed fact.

    A fact's text is read anew: subject, relation and object follow. Where it cannot be read, give
    them in `meta`; given without a text, they make one.
    """

    model_config = examples(
        {"meta": {"subject": "Ana", "relation": "lives in", "object": "Porto"}},
        {"text": "Ana lives in Porto, by the river.", "importance": 0.8},
        {"pinned": True, "meta": {"checked": "by Bo"}},
        {"confidence": 0.9, "strength": 1.0, "valid_from": "2026-05-01", "valid_to": "open"},
    )

    text: str | None = None
    importance: Share | None = None
    confidence: Share | None = None
    strength: Share | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    meta: Annotated[dict[str, Any] | None, AfterValidator(plain)] = None
    pinned: StrictBool | None = None


class CorrectIn(RequestBody):
    """What is wrong, and what is right. `id`: a fact, or a memory that tells one fact.

    `right`: the value, or a sentence that says it; left out where it is only known to be wrong.
    """

    model_config = examples(
        {"id": 8, "right": "Bergen"},
        {"id": 8, "right": "I live in Bergen.", "speaker": "Ana", "key": "chat-17-turn-5"},
        {"id": 8},
    )

    id: Annotated[int, Field(ge=1)]
    right: Annotated[str, Field(min_length=1)] | None = None
    speaker: Label = "user"
    at: Moment | None = None
    session: Label = ""
    key: Annotated[str, Field(max_length=2_000)] | None = None


class ForgetIn(RequestBody):
    """What to erase for good: a name, or all that holds a phrase. `dry_run` only tells."""

    model_config = examples({"what": "Ana"}, {"what": "from Lisbon", "dry_run": True})

    what: Annotated[str, Field(min_length=1)]
    dry_run: StrictBool = False


class ArcIn(RequestBody):
    """An association from one node to another; a weight of null removes it."""

    model_config = examples({"src": 3, "dst": 5, "weight": 0.7}, {"src": 3, "dst": 5})

    src: NodeId
    dst: NodeId
    weight: Share | None = None


class NameIn(RequestBody):
    """A name for a snapshot or a branch."""

    model_config = examples({"name": "after the move"})

    name: Annotated[str, Field(min_length=1, max_length=200)]


class RollbackIn(RequestBody):
    """Where to go back to: a snapshot's `name`, or the `seq` of the last change that stays."""

    model_config = examples({"name": "before the move"}, {"seq": 1})

    name: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    seq: Annotated[int, Field(ge=0, le=2**62)] | None = None

    @model_validator(mode="after")
    def _one(self) -> RollbackIn:
        if (self.name is None) == (self.seq is None):
            raise ValueError("give a snapshot's name, or the seq of the last change that stays")
        return self


class LookIn(RequestBody):
    """Which facts to list. `subject`: a name or an id; `as_of`, `recorded_as_of`: as for recall."""

    subject: Annotated[str, Field(min_length=1)] | None = None
    as_of: str | None = None
    recorded_as_of: str | None = None
    current: bool = False
    branch: Annotated[str, Field(max_length=200)] = "main"  # the context reads it
    limit: Annotated[int, Field(ge=1, le=1_000)] = 200
    offset: Annotated[int, Field(ge=0, le=2**40)] = 0


class SearchIn(RequestBody):
    """Words to search for. `as_of`, `recorded_as_of`: as for recall."""

    words: Annotated[str, Field(min_length=1, max_length=2_000, examples=["Ana"])]
    k: Count = 20
    as_of: str | None = None
    recorded_as_of: str | None = None
    branch: Annotated[str, Field(max_length=200)] = "main"  # the context reads it
