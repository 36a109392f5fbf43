"""What a client sends."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool

from mags.server.wire.plain import plain

Moment = Annotated[
    float | str,
    Field(
        description="Seconds since the epoch, or an ISO 8601 text; without a zone it is UTC.",
        examples=["2026-03-01T09:30:00Z"],
    ),
]
Count = Annotated[int, Field(ge=1, le=1_000, description="How many at most.")]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Label = Annotated[str, Field(max_length=2_000)]


class Given(BaseModel):
    """A request's body: fields that nobody knows are refused, so that no typing error is lost."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TurnIn(Given):
    """One turn to remember. `key`: the same key with the same turn is written once."""

    text: Annotated[str, Field(min_length=1, examples=["Ana moved from Lisbon to Porto in May."])]
    speaker: Label = "user"
    at: Moment | None = None
    session: Label = ""
    key: Annotated[str, Field(max_length=2_000)] | None = None
    attrs: dict[str, str] = {}


class TurnsIn(Given):
    """Many turns, oldest first. `apart`: each a turn of its own, read with those before it."""

    turns: Annotated[list[TurnIn], Field(min_length=1, max_length=10_000)]
    apart: StrictBool = False


class FactIn(Given):
    """A triple given as such. `retract` closes it."""

    subject: Annotated[str, Field(min_length=1, examples=["Ana"])]
    relation: Annotated[str, Field(min_length=1, examples=["lives in"])]
    object: Annotated[str, Field(min_length=1, examples=["Porto"])]
    at: Moment | None = None
    until: Moment | None = None
    qualifiers: dict[str, str] = {}
    confidence: Share = 0.9
    one: StrictBool | None = None
    retract: StrictBool = False
    key: Annotated[str, Field(max_length=2_000)] | None = None


class RecallIn(Given):
    """What to look for. `as_of`: what was true then; `recorded_as_of`: what was known then."""

    query: Annotated[str, Field(min_length=1, examples=["Where does Ana live?"])]
    k: Count = 10
    as_of: Moment | None = None
    recorded_as_of: Moment | None = None
    speaker: Label = "user"
    session: Label = ""


class AskIn(Given):
    """A question. `stream`: the answer in pieces, as server-sent events."""

    question: Annotated[str, Field(min_length=1, examples=["Where does Ana live?"])]
    k: Count | None = None
    as_of: Moment | None = None
    recorded_as_of: Moment | None = None
    speaker: Label = "user"
    session: Label = ""
    stream: StrictBool = False


class ConverseIn(Given):
    """One whole turn: routed, answered, remembered with its answer."""

    text: Annotated[str, Field(min_length=1, examples=["I adopted a dog called Biscuit."])]
    speaker: Label = "user"
    at: Moment | None = None
    session: Label = ""
    key: Annotated[str, Field(max_length=2_000)] | None = None
    stream: StrictBool = False


class FeedbackIn(Given):
    """A reward in [-1, 1] for a trace; without one 1 if the answer cited something, else 0."""

    trace: str
    reward: Annotated[float, Field(ge=-1.0, le=1.0)] | None = None


class EditIn(Given):
    """What to change of a node; what is left out stays. `valid_to` "open" opens a closed fact."""

    text: str | None = None
    importance: Share | None = None
    confidence: Share | None = None
    strength: Share | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    meta: Annotated[dict[str, Any] | None, AfterValidator(plain)] = None
    pinned: StrictBool | None = None


class ForgetIn(Given):
    """What to erase for good: a name, or all that holds a phrase. `dry_run` only tells."""

    what: Annotated[str, Field(min_length=1, examples=["Ana"])]
    dry_run: StrictBool = False


class ArcIn(Given):
    """An association from one node to another; a weight of null removes it."""

    src: int
    dst: int
    weight: Share | None = None


class NameIn(Given):
    """A name for a snapshot or a branch."""

    name: Annotated[str, Field(min_length=1, max_length=200, examples=["before the move"])]


class LookIn(Given):
    """Which facts to list. `subject`: a name or an id; `as_of`, `recorded_as_of`: as for recall."""

    subject: Annotated[str, Field(min_length=1)] | None = None
    as_of: str | None = None
    recorded_as_of: str | None = None
    current: bool = False
    limit: Annotated[int, Field(ge=1, le=1_000)] = 200
    offset: Annotated[int, Field(ge=0, le=2**40)] = 0
