"""What a client gets, and how the values of a memory become it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from mags.memory.views import Reply
from mags.recall.found import Found
from mags.server.wire.recalled import found_as_dict


class Shown(BaseModel):
    """An answer's body."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Copied(Shown):
    """An answer with what a value of the memory has, under the same names."""

    @classmethod
    def of(cls, value: object) -> Self:
        """From what the memory says."""
        return cls.model_validate(value)


class SeenOut(Copied):
    """What became of a turn. `seq`: its place in the journal; the other numbers are node ids."""

    episode_id: int
    seq: int
    facts: list[int]
    notes: list[int]
    closed: list[int]
    confirmed: list[int]
    understood: bool
    why: str
    repeated: bool
    warnings: list[str]


class FactOut(Copied):
    """A fact in words; times null where open or unknown. `tentative`: it is a guess."""

    id: int
    subject: str
    relation: str
    object: str
    valid_from: datetime | None
    valid_to: datetime | None
    confidence: float
    qualifiers: Annotated[dict[str, str], BeforeValidator(dict)]  # of pairs
    stated: bool
    text: str
    tentative: bool


class HitOut(Shown):
    """One recalled memory, with what each feature added to its score."""

    id: int
    kind: str
    text: str
    score: float
    speaker: str
    session: str
    at: datetime | None
    current: bool
    tentative: bool
    anchor: bool
    episode_ids: list[int]
    fact: FactOut | None
    shares: dict[str, float]


class FoundOut(Shown):
    """Hits best first. `trace`: the id to explain them or to reward them by."""

    trace: str
    hits: list[HitOut]
    context: Annotated[str, Field(description="The hits as lines to show a model.")]

    @classmethod
    def of(cls, found: Found, trace: str) -> FoundOut:
        """From a recall and the id under which its trace is kept."""
        return cls.model_validate(found_as_dict(found, trace))


class CitationOut(Copied):
    """A memory that an answer rests on."""

    id: int
    text: str
    speaker: str
    at: datetime | None
    episode_ids: list[int]
    since: datetime | None
    until: datetime | None
    tentative: bool


class UsageOut(Shown):
    """What language models were used for it."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class ReplyOut(Shown):
    """An answer with what carries it. `fallback`: why it was not the configured model."""

    text: str
    support: float
    citations: list[CitationOut]
    trace: str
    answerer: str
    fallback: str | None
    usage: UsageOut
    seen: SeenOut | None
    warnings: list[str]

    @classmethod
    def of(cls, reply: Reply, trace: str) -> ReplyOut:
        """From an answer and the id under which its trace is kept."""
        used = reply.usage
        return cls(
            text=reply.text,
            support=reply.support,
            citations=[CitationOut.of(one) for one in reply.citations],
            trace=trace,
            answerer=reply.answerer,
            fallback=reply.fallback,
            usage=UsageOut(
                calls=used.calls,
                prompt_tokens=used.prompt_tokens,
                completion_tokens=used.completion_tokens,
                seconds=used.seconds,
            ),
            seen=None if reply.seen is None else SeenOut.of(reply.seen),
            warnings=list(reply.warnings),
        )


class NodeOut(Copied):
    """A node in words; strength is now's."""

    id: int
    kind: str
    text: str
    meta: dict[str, Any]
    strength: float
    importance: float
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime | None
    uses: int
    pinned: bool
    cold: bool
    sources: list[int]
    fact: FactOut | None


class NeighbourOut(Copied):
    """One arc at a node."""

    id: int
    kind: str
    text: str
    arc: str
    weight: float
    outgoing: bool


class PathOut(Copied):
    """How two nodes hang together; null where they do not."""

    strength: float
    nodes: list[int]
    texts: list[str]
    arcs: list[str]


class ChainOut(Copied):
    """What leads to an option (its place): episodes, the question's end first.

    `value` in [0, 1]: how well it hangs together. `since`: what speaks of the same things later.
    """

    option: int
    value: float
    steps: list[int]
    since: list[int]


class ProfileOut(Copied):
    """What is known about somebody or something, now and before."""

    id: int
    name: str
    aliases: list[str]
    facts: list[FactOut]
    past: list[FactOut]
    about: list[FactOut]
    episodes: int


class ExplanationOut(Shown):
    """A trace in words, and the trace itself."""

    queries: list[str]
    lines: list[str]
    trace: dict[str, Any]
