"""The bodies of responses, and how they are made from the values of a memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal, Self, TypeVar, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, create_model

from mags.memory import views
from mags.plasticity.cycle import SleepReport
from mags.ports.chat import Usage
from mags.ports.store import Mark
from mags.recall.chains import Chain
from mags.recall.found import FactView, Found, FoundAcross, Hit, HitTrace, moment_of

NAMED = 12
"""How many nodes of a change come with their words."""
MOST_LINKS = 2_000
"""Links of a map: between many regions they are as many as the square of these."""
Made = TypeVar("Made", bound="ViewBody")


class ResponseBody(BaseModel):
    """An answer's body."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class ViewBody(ResponseBody):
    """A body whose fields are those of a value of the memory, under the same names."""

    @classmethod
    def of(cls, value: object, **more: object) -> Self:
        """From a value of the memory, and what the value does not know, such as a trace's id."""
        names = cls.model_fields.keys() - more.keys()
        return cls.model_validate({name: getattr(value, name) for name in names} | more)


def fields_of(view: type, *, but: Collection[str] = ()) -> Callable[[type[Made]], type[Made]]:
    """Give a body the fields of a view, all of them needed; `but`: leave these out.

    What the body declares itself is added, or shows a field in its own way, such as a body for a
    view inside the view.
    """

    def made(body: type[Made]) -> type[Made]:
        hints = get_type_hints(view) | get_type_hints(body, include_extras=True)
        names = [one.name for one in fields(view) if one.name not in but]
        names += [name for name in body.model_fields if name not in names]
        named: dict[str, Any] = {"__base__": ViewBody, "__doc__": body.__doc__}
        named |= {name: (hints[name], ...) for name in names}
        copied: type[Made] = create_model(body.__name__, **named)
        return copied

    return made


# -- turns and answers


@fields_of(views.Seen, but=["delta"])
class SeenOut(ViewBody):
    """What became of a turn. `seq`: its place in the journal; the other numbers are node ids."""


@fields_of(FactView)
class FactOut(ViewBody):
    """A fact in words; times null where open or unknown. `tentative`: it is a guess."""

    qualifiers: Annotated[dict[str, str], BeforeValidator(dict)]  # of pairs


@fields_of(Hit, but=["members"])
class HitOut(ViewBody):
    """One recalled memory, with what each feature added to its score."""

    at: datetime | None
    fact: FactOut | None
    tentative: bool
    shares: dict[str, float]


class FoundOut(ResponseBody):
    """Hits best first. `trace`: the id to explain them or to reward them by.

    `traces`: the same by memory, where several were asked.
    """

    trace: str
    traces: dict[str, str] = {}
    hits: list[HitOut]
    context: Annotated[str, Field(description="The hits as lines to show a model.")]

    @classmethod
    def of(cls, found: Found, trace: str) -> FoundOut:
        """From a recall and the id under which its trace is kept."""
        return cls.model_validate(found_as_dict(found, trace))


@fields_of(views.Citation)
class CitationOut(ViewBody):
    """A memory that an answer rests on."""


@fields_of(Usage, but=["estimated"])
class UsageOut(ViewBody):
    """What language models were used for it."""


@fields_of(views.Reply, but=["found", "operations", "learnt"])
class ReplyOut(ViewBody):
    """An answer with what carries it. `fallback`: why it was not the configured model."""

    citations: list[CitationOut]
    trace: str
    usage: UsageOut
    seen: SeenOut | None


@fields_of(views.Explanation)
class ExplanationOut(ViewBody):
    """A trace in words, and the trace itself."""

    trace: dict[str, Any]


@fields_of(Chain)
class ChainOut(ViewBody):
    """What leads to an option (its place): episodes, the question's end first.

    `value` in [0, 1]: how well it hangs together. `since`: what speaks of the same things later.
    """


# -- nodes, and the memory as a whole


@fields_of(views.NodeView)
class NodeOut(ViewBody):
    """A node in words; strength is now's."""

    fact: FactOut | None


@fields_of(views.NeighbourView)
class NeighbourOut(ViewBody):
    """One arc at a node."""


@fields_of(views.PathView)
class PathOut(ViewBody):
    """How two nodes hang together; null where they do not."""


@fields_of(views.Profile)
class ProfileOut(ViewBody):
    """What is known about somebody or something, now and before."""

    facts: list[FactOut]
    past: list[FactOut]
    about: list[FactOut]


@fields_of(views.Stats, but=["parts"])
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


@fields_of(views.Forgotten)
class ForgottenOut(ViewBody):
    """What was erased (or would be), node ids by kind; `texts` of what would be, by id."""


# -- what the page and followers get: pictures, regions, changes


@fields_of(views.ArcView)
class ArcOut(ViewBody):
    """An arc. `weight`: its charge, in [0, 1]."""


@fields_of(views.DotView)
class DotOut(ViewBody):
    """A node of a picture, which lies in no `region` where that is 0.

    `tentative`, `disputed`: as of a fact.
    """


@fields_of(views.Picture)
class PictureOut(ViewBody):
    """The strongest nodes and the arcs between them; `nodes`, `arcs`: how many in all."""

    dots: list[DotOut]
    lines: list[ArcOut]


@fields_of(views.RegionView, but=["members"])
class RegionOut(ViewBody):
    """A community of associated nodes."""

    size: int


@fields_of(views.LinkView)
class LinkOut(ViewBody):
    """How strongly two regions hang together."""


class MapOut(ResponseBody):
    """The regions of a memory, largest first, and the strongest links between them (2,000)."""

    regions: list[RegionOut]
    links: list[LinkOut]

    @classmethod
    def of(cls, regions: Iterable[views.RegionView], links: Iterable[views.LinkView]) -> MapOut:
        """From what the memory says."""
        return cls(
            regions=[RegionOut.of(one) for one in regions],
            links=[LinkOut.of(one) for one in islice(links, MOST_LINKS)],
        )


@fields_of(views.NamedView)
class NamedOut(ViewBody):
    """A node in its words of now. `current`: false for what is over.

    `tentative`, `disputed`: as of a fact.
    """


@fields_of(views.ChangeView)
class ChangeOut(ViewBody):
    """One Delta, in ids: what it made, changed and removed. `more`: touched but not listed.

    `closed`, `edited`: those of `changed` that ended, or have other words now. `arcs` are new,
    `reweighted` were there before, `cut` are gone. Of what was forgotten only the number is given:
    `erased_nodes`, `erased_arcs`. `named`: words of up to 12 nodes, those that say most.
    """

    seq: int
    arcs: list[ArcOut]
    reweighted: list[ArcOut]
    cut: list[ArcOut]
    named: list[NamedOut]


@fields_of(views.MomentView)
class MomentOut(ViewBody):
    """What one change left of a node: its strength at a tick, and the ticks until half is gone.

    `half_life`: null where the strength stays. `seq` 0: what is known without the journal.
    """


# -- history


@fields_of(Mark)
class MarkOut(ViewBody):
    """A named moment: a snapshot, or where a branch begins."""

    recorded_at: Annotated[datetime | None, BeforeValidator(moment_of)]


@fields_of(views.LogEntry)
class EntryOut(ViewBody):
    """One change of the journal."""


@fields_of(views.GoneView)
class GoneOut(ViewBody):
    """A node that is no more, as it was."""


@fields_of(views.Diff)
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


Reason = Literal["compiling", "stopping", "store"]


class ReadyOut(ResponseBody):
    """Whether requests are answered at once; `reason`: why not."""

    ready: bool
    reason: Reason | None = None


# -- a recall, fast: what `FoundOut` describes, without a model made and checked for each hit.
# Recalls are the most frequent requests, and what the memory found needs no check.

_WRITER = TypeAdapter(dict[str, Any])
_HIT = tuple(name for name in HitOut.model_fields if name != "shares")
_FACT = tuple(FactOut.model_fields)


def found_as_json(found: Found, trace: str) -> bytes:
    """The body of an answer; numbers that JSON does not know become null."""
    return _WRITER.dump_json(found_as_dict(found, trace))


def across_as_json(found: FoundAcross, traces: Mapping[str, str]) -> bytes:
    """The body of an answer from several memories; `traces`: as they are kept, by memory."""
    why = {(name, one.id): one for name, trace in found.traces.items() for one in trace.hits}
    hits = [_hit(hit, why.get((hit.memory, hit.id))) for hit in found]
    first = next(iter(traces.values()))
    return _WRITER.dump_json(
        {"trace": first, "traces": traces, "hits": hits, "context": found.context()}
    )


def found_as_dict(found: Found, trace: str) -> dict[str, Any]:
    """A recall by the fields of `FoundOut`; `trace`: the id under which its trace is kept."""
    why = {one.id: one for one in found.trace.hits}
    hits = [_hit(hit, why.get(hit.id)) for hit in found.hits]
    return {"trace": trace, "traces": {}, "hits": hits, "context": found.context()}


def _hit(hit: Hit, why: HitTrace | None) -> dict[str, Any]:
    body = {name: getattr(hit, name) for name in _HIT}
    body["at"] = moment_of(hit.at)
    body["shares"] = {} if why is None else dict(why.shares.items())
    if hit.fact is not None:
        body["fact"] = {name: getattr(hit.fact, name) for name in _FACT}
        body["fact"]["qualifiers"] = dict(hit.fact.qualifiers)
    return body
