"""What a client gets, and how the values of a memory become it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal, Self, TypeVar, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, create_model

from mags.memory.views import (
    ArcView,
    ChangeView,
    Citation,
    Diff,
    DotView,
    Explanation,
    Forgotten,
    GoneView,
    LinkView,
    LogEntry,
    MomentView,
    NamedView,
    NeighbourView,
    NodeView,
    PathView,
    Picture,
    Profile,
    RegionView,
    Reply,
    Seen,
    Stats,
)
from mags.plasticity.cycle import SleepReport
from mags.ports.chat import Usage
from mags.ports.store import Mark
from mags.recall.chains import Chain
from mags.recall.found import FactView, Found, Hit, HitTrace, Numbers, Trace, moment_of

NAMED = 12
"""Nodes of a change whose words are told with it."""
MOST_LINKS = 2_000
"""Links of a map: between many regions they are as many as the square of these."""
Made = TypeVar("Made", bound="ViewBody")


class ResponseBody(BaseModel):
    """An answer's body."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class ViewBody(ResponseBody):
    """An answer with what a value of the memory has, under the same names."""

    @classmethod
    def of(cls, value: object) -> Self:
        """From what the memory says."""
        return cls.model_validate(value)


def fields_of(view: type, *, but: Collection[str] = ()) -> Callable[[type[Made]], type[Made]]:
    """Give an answer the fields of a view, which stand there once; `but`: not these.

    What the answer itself declares is how it shows a field, such as a view inside the view.
    """

    def made(answer: type[Made]) -> type[Made]:
        hints = get_type_hints(view) | get_type_hints(answer, include_extras=True)
        shown = {one.name: (hints[one.name], ...) for one in fields(view) if one.name not in but}
        named: dict[str, Any] = {"__base__": ViewBody, "__doc__": answer.__doc__, **shown}
        copied: type[Made] = create_model(answer.__name__, **named)
        return copied

    return made


# -- turns and answers


@fields_of(Seen, but=["delta"])
class SeenOut(ViewBody):
    """What became of a turn. `seq`: its place in the journal; the other numbers are node ids."""


@fields_of(FactView)
class FactOut(ViewBody):
    """A fact in words; times null where open or unknown. `tentative`: it is a guess."""

    qualifiers: Annotated[dict[str, str], BeforeValidator(dict)]  # of pairs


class HitOut(ResponseBody):
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


class FoundOut(ResponseBody):
    """Hits best first. `trace`: the id to explain them or to reward them by."""

    trace: str
    hits: list[HitOut]
    context: Annotated[str, Field(description="The hits as lines to show a model.")]

    @classmethod
    def of(cls, found: Found, trace: str) -> FoundOut:
        """From a recall and the id under which its trace is kept."""
        return cls.model_validate(found_as_dict(found, trace))


@fields_of(Citation)
class CitationOut(ViewBody):
    """A memory that an answer rests on."""


@fields_of(Usage, but=["estimated"])
class UsageOut(ViewBody):
    """What language models were used for it."""


class ReplyOut(ResponseBody):
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
        return cls(
            text=reply.text,
            support=reply.support,
            citations=[CitationOut.of(one) for one in reply.citations],
            trace=trace,
            answerer=reply.answerer,
            fallback=reply.fallback,
            usage=UsageOut.of(reply.usage),
            seen=None if reply.seen is None else SeenOut.of(reply.seen),
            warnings=list(reply.warnings),
        )


class ExplanationOut(ResponseBody):
    """A trace in words, and the trace itself."""

    queries: list[str]
    lines: list[str]
    trace: dict[str, Any]

    @classmethod
    def of(cls, explained: Explanation, trace: Trace) -> ExplanationOut:
        """From what the memory says of a trace."""
        return cls(
            queries=list(explained.queries), lines=list(explained.lines), trace=trace.as_dict()
        )


@fields_of(Chain)
class ChainOut(ViewBody):
    """What leads to an option (its place): episodes, the question's end first.

    `value` in [0, 1]: how well it hangs together. `since`: what speaks of the same things later.
    """


# -- nodes, and the memory as a whole


@fields_of(NodeView)
class NodeOut(ViewBody):
    """A node in words; strength is now's."""

    fact: FactOut | None


@fields_of(NeighbourView)
class NeighbourOut(ViewBody):
    """One arc at a node."""


@fields_of(PathView)
class PathOut(ViewBody):
    """How two nodes hang together; null where they do not."""


@fields_of(Profile)
class ProfileOut(ViewBody):
    """What is known about somebody or something, now and before."""

    facts: list[FactOut]
    past: list[FactOut]
    about: list[FactOut]


@fields_of(Stats, but=["parts"])
class StatsOut(ViewBody):
    """Counts of a memory, and who is at work."""


class SleepOut(ResponseBody):
    """What a sleep did, by rule, and the sizes before and after it."""

    tick: int
    rules: dict[str, dict[str, int]]
    nodes_before: int
    nodes_after: int
    associations_before: int
    associations_after: int

    @classmethod
    def of(cls, report: SleepReport) -> SleepOut:
        """From what the memory says."""
        return cls(
            tick=report.tick,
            rules={name: dict(did) for name, did in report.rules.items()},
            nodes_before=report.before.nodes,
            nodes_after=report.after.nodes,
            associations_before=report.before.associations,
            associations_after=report.after.associations,
        )


@fields_of(Forgotten)
class ForgottenOut(ViewBody):
    """What was erased (or would be), node ids by kind; `texts` of what would be, by id."""


# -- what the page and followers get: pictures, regions, changes


@fields_of(ArcView)
class ArcOut(ViewBody):
    """An arc. `weight`: its charge, in [0, 1]."""


@fields_of(DotView)
class DotOut(ViewBody):
    """A node of a picture. `region`: 0 where it lies in none. `tentative`: it is a guess."""


@fields_of(Picture)
class PictureOut(ViewBody):
    """The strongest nodes and the arcs between them; `nodes`, `arcs`: how many in all."""

    dots: list[DotOut]
    lines: list[ArcOut]


class RegionOut(ViewBody):
    """A community of associated nodes."""

    id: int
    name: str
    leaders: list[int]
    size: int


@fields_of(LinkView)
class LinkOut(ViewBody):
    """How strongly two regions hang together."""


class MapOut(ResponseBody):
    """The regions of a memory, largest first, and the strongest links between them (2,000)."""

    regions: list[RegionOut]
    links: list[LinkOut]

    @classmethod
    def of(cls, regions: Iterable[RegionView], links: Iterable[LinkView]) -> MapOut:
        """From what the memory says."""
        return cls(
            regions=[RegionOut.of(one) for one in regions],
            links=[LinkOut.of(one) for one in islice(links, MOST_LINKS)],
        )


@fields_of(NamedView)
class NamedOut(ViewBody):
    """A node in its words of now. `current`: false for what is over; `tentative`: it is a guess."""


@fields_of(ChangeView)
class ChangeOut(ViewBody):
    """One Delta, in ids: what it made, changed and removed. `more`: touched but not listed.

    `closed`, `edited`: those of `changed` that ended, or have other words now. `arcs` are new,
    `reweighted` were there before, `cut` are gone. Of what was forgotten the number alone is told:
    `erased_nodes`, `erased_arcs`. `named`: words of up to 12 nodes, those that say most.
    """

    seq: int
    arcs: list[ArcOut]
    reweighted: list[ArcOut]
    cut: list[ArcOut]
    named: list[NamedOut]


@fields_of(MomentView)
class MomentOut(ViewBody):
    """What one change left of a node: its strength at a tick, and the ticks until half is gone.

    `half_life`: null where the strength stays. `seq` 0: what is known without the journal.
    """


# -- history


class MarkOut(ResponseBody):
    """A named moment: a snapshot, or where a branch begins."""

    name: str
    branch: str
    seq: int
    recorded_at: datetime | None

    @classmethod
    def of(cls, mark: Mark) -> MarkOut:
        """From what the memory says."""
        at = moment_of(mark.recorded_at)
        return cls(name=mark.name, branch=mark.branch, seq=mark.seq, recorded_at=at)


@fields_of(LogEntry)
class EntryOut(ViewBody):
    """One change of the journal."""


@fields_of(GoneView)
class GoneOut(ViewBody):
    """A node that is no more, as it was."""


@fields_of(Diff)
class DiffOut(ViewBody):
    """What changed since a snapshot."""

    added: list[NodeOut]
    removed: list[GoneOut]
    changed: list[NodeOut]
    closed: list[FactOut]


# -- the server


class MemoriesOut(ResponseBody):
    """Names of memories, what the key that asked may do, and what joined the server: `games`."""

    memories: list[str]
    key: str
    scope: str
    joined: list[str]


Reason = Literal["compiling", "stopping"]


class ReadyOut(ResponseBody):
    """Whether requests are answered at once; `reason`: why not."""

    ready: bool
    reason: Reason | None = None


# -- a recall, fast: what `FoundOut` describes, without a model made and checked for each hit.
# Recalls are asked for more than all else together, and what the memory found needs no check.

_WRITER = TypeAdapter(dict[str, Any])


def found_as_json(found: Found, trace: str) -> bytes:
    """The body of an answer; numbers that JSON does not know become null."""
    return _WRITER.dump_json(found_as_dict(found, trace))


def found_as_dict(found: Found, trace: str) -> dict[str, Any]:
    """A recall by the fields of `FoundOut`; `trace`: the id under which its trace is kept."""
    why = {one.id: one for one in found.trace.hits}
    return {
        "trace": trace,
        "hits": [_hit(hit, why.get(hit.id)) for hit in found.hits],
        "context": found.context(),
    }


def _hit(hit: Hit, why: HitTrace | None) -> dict[str, Any]:
    return {
        "id": hit.id,
        "kind": hit.kind,
        "text": hit.text,
        "score": hit.score,
        "speaker": hit.speaker,
        "session": hit.session,
        "at": moment_of(hit.at),
        "current": hit.current,
        "tentative": hit.tentative,
        "anchor": hit.anchor,
        "episode_ids": hit.episode_ids,
        "fact": None if hit.fact is None else _fact(hit.fact),
        "shares": {} if why is None else _numbers(why.shares),
    }


def _fact(fact: FactView) -> dict[str, Any]:
    return {
        "id": fact.id,
        "subject": fact.subject,
        "relation": fact.relation,
        "object": fact.object,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "confidence": fact.confidence,
        "qualifiers": dict(fact.qualifiers),
        "stated": fact.stated,
        "text": fact.text,
        "tentative": fact.tentative,
    }


def _numbers(shares: Mapping[str, float]) -> dict[str, float]:
    return shares.as_dict() if isinstance(shares, Numbers) else dict(shares)
