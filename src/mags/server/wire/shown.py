"""What a client gets, and how the values of a memory become it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from mags.memory.views import Citation, NeighbourView, NodeView, PathView, Profile, Reply, Seen
from mags.recall.chains import Chain
from mags.recall.found import FactView, Found
from mags.server.wire.recalled import found_as_dict


class Shown(BaseModel):
    """An answer's body."""

    model_config = ConfigDict(frozen=True)


class SeenOut(Shown):
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

    @classmethod
    def of(cls, seen: Seen) -> SeenOut:
        """From what the memory says."""
        return cls(
            episode_id=seen.episode_id,
            seq=seen.seq,
            facts=list(seen.facts),
            notes=list(seen.notes),
            closed=list(seen.closed),
            confirmed=list(seen.confirmed),
            understood=seen.understood,
            why=seen.why,
            repeated=seen.repeated,
            warnings=list(seen.warnings),
        )


class FactOut(Shown):
    """A fact in words; times null where open or unknown."""

    id: int
    subject: str
    relation: str
    object: str
    valid_from: datetime | None
    valid_to: datetime | None
    confidence: float
    qualifiers: dict[str, str]
    stated: bool
    text: str

    @classmethod
    def of(cls, fact: FactView) -> FactOut:
        """From what the memory says."""
        return cls(
            id=fact.id,
            subject=fact.subject,
            relation=fact.relation,
            object=fact.object,
            valid_from=fact.valid_from,
            valid_to=fact.valid_to,
            confidence=fact.confidence,
            qualifiers=dict(fact.qualifiers),
            stated=fact.stated,
            text=fact.text,
        )


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


class CitationOut(Shown):
    """A memory that an answer rests on."""

    id: int
    text: str
    speaker: str
    at: datetime | None
    episode_ids: list[int]
    since: datetime | None
    until: datetime | None

    @classmethod
    def of(cls, cited: Citation) -> CitationOut:
        """From what the memory says."""
        return cls(
            id=cited.id,
            text=cited.text,
            speaker=cited.speaker,
            at=cited.at,
            episode_ids=list(cited.episode_ids),
            since=cited.since,
            until=cited.until,
        )


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


class NodeOut(Shown):
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

    @classmethod
    def of(cls, node: NodeView) -> NodeOut:
        """From what the memory says."""
        return cls(
            id=node.id,
            kind=node.kind,
            text=node.text,
            meta=dict(node.meta),
            strength=node.strength,
            importance=node.importance,
            confidence=node.confidence,
            valid_from=node.valid_from,
            valid_to=node.valid_to,
            recorded_at=node.recorded_at,
            uses=node.uses,
            pinned=node.pinned,
            cold=node.cold,
            sources=list(node.sources),
            fact=None if node.fact is None else FactOut.of(node.fact),
        )


class NeighbourOut(Shown):
    """One arc at a node."""

    id: int
    kind: str
    text: str
    arc: str
    weight: float
    outgoing: bool

    @classmethod
    def of(cls, one: NeighbourView) -> NeighbourOut:
        """From what the memory says."""
        return cls(
            id=one.id,
            kind=one.kind,
            text=one.text,
            arc=one.arc,
            weight=one.weight,
            outgoing=one.outgoing,
        )


class PathOut(Shown):
    """How two nodes hang together; null where they do not."""

    strength: float
    nodes: list[int]
    texts: list[str]
    arcs: list[str]

    @classmethod
    def of(cls, path: PathView) -> PathOut:
        """From what the memory says."""
        return cls(
            strength=path.strength,
            nodes=list(path.nodes),
            texts=list(path.texts),
            arcs=list(path.arcs),
        )


class ChainOut(Shown):
    """What leads to an option (its place): episodes, the question's end first.

    `value` in [0, 1]: how well it hangs together. `since`: what speaks of the same things later.
    """

    option: int
    value: float
    steps: list[int]
    since: list[int]

    @classmethod
    def of(cls, chain: Chain) -> ChainOut:
        """From what the memory says."""
        return cls(
            option=chain.option,
            value=chain.value,
            steps=list(chain.steps),
            since=list(chain.since),
        )


class ProfileOut(Shown):
    """What is known about somebody or something, now and before."""

    id: int
    name: str
    aliases: list[str]
    facts: list[FactOut]
    past: list[FactOut]
    about: list[FactOut]
    episodes: int

    @classmethod
    def of(cls, known: Profile) -> ProfileOut:
        """From what the memory says."""
        return cls(
            id=known.id,
            name=known.name,
            aliases=list(known.aliases),
            facts=[FactOut.of(one) for one in known.facts],
            past=[FactOut.of(one) for one in known.past],
            about=[FactOut.of(one) for one in known.about],
            episodes=known.episodes,
        )


class ExplanationOut(Shown):
    """A trace in words, and the trace itself."""

    queries: list[str]
    lines: list[str]
    trace: dict[str, Any]
