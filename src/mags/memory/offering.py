"""Offering: what was found as an answerer is shown it and as it is cited.

A fact says who said it and when, by the first of its sources. Facts that came out as one
with a hit are offered behind it: one of them may be what answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mags.graph.records import NEVER, ArcKind, NodeFlag, NodeKind
from mags.index.state import State
from mags.memory.views import Citation
from mags.ports.answer import ContextItem
from mags.recall.found import Found, Hit, moment_of
from mags.recall.recall import fact_view, sources

SAID = ("fact", "note")
"""Kinds of hits that are said in an episode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A memory on offer: the hit and what the answerer sees of it."""

    hit: Hit
    item: ContextItem

    @property
    def citation(self) -> Citation:
        """It as a citation."""
        return Citation(
            id=self.hit.id,
            text=self.hit.text,
            speaker=self.item.speaker,
            at=moment_of(self.item.at) if self.item.at != NEVER else None,
            episode_ids=self.hit.episode_ids,
            since=None if self.item.valid_from is None else moment_of(self.item.valid_from),
            until=None if self.item.valid_to is None else moment_of(self.item.valid_to),
            tentative=self.item.tentative,
        )


def offered(state: State, found: Found, now_s: float) -> list[Offer]:
    """Hits best first, each followed by the facts that came out as one with it.

    What was forgotten meanwhile is left out, and so is a guess where something is surely held in
    its place; the turn it came from stands for itself. Facts of a followed chain carry their step.
    """
    order = {fact: step for step, fact in enumerate(found.trace.chain)}
    offers: list[Offer] = []
    for hit in found.hits:
        if hit.id not in state.graph:
            continue
        guessed = _is_outdone(state, found, hit.id, now_s)
        if not guessed:
            offers.append(_offer(state, hit, order.get(hit.id), None))
        for fact in _told_with(state, hit):
            if _is_outdone(state, found, fact, now_s):
                continue
            told = int(state.graph.node(fact)["kind"][0]) == NodeKind.EPISODE
            member = (_turn if told else _member)(state, found, hit, fact, now_s)
            offers.append(_offer(state, member, order.get(fact), None if guessed else hit.id))
    return offers


def _is_outdone(state: State, found: Found, node_id: int, now_s: float) -> bool:
    moment = now_s if found.trace.as_of is None else found.trace.as_of
    rows = state.graph.rows([node_id])
    return bool(state.slots.outdone(rows, moment, found.trace.recorded_as_of)[0])


def items(offers: Iterable[Offer]) -> list[ContextItem]:
    """What the answerer sees of offers."""
    return [offer.item for offer in offers]


def _told_with(state: State, hit: Hit) -> Iterator[int]:
    """The facts that came out with a hit, and with a fact the turn it came from."""
    for i in hit.members:
        kind = int(state.graph.node(i)["kind"][0]) if i in state.graph else -1
        if kind == NodeKind.FACT or (kind == NodeKind.EPISODE and hit.fact is not None):
            yield i


def _member(state: State, found: Found, lead: Hit, fact: int, now_s: float) -> Hit:
    """A fact as a hit of its own, at the score of the one it came out with."""
    node = state.graph.node(fact)[0]
    known, moment = found.trace.recorded_as_of, found.trace.as_of
    ends = float(node["valid_to"])
    if known is not None and float(node["closed_at"]) > known:
        ends = NEVER
    view = fact_view(state, fact, ends)
    begins = float(node["valid_from"])
    return replace(
        lead,
        id=fact,
        text=view.text,
        kind="fact",
        episode_ids=tuple(sources(state.graph, fact)),
        fact=view,
        at=begins if abs(begins) < NEVER else float(node["recorded_at"]),
        current=ends > (now_s if moment is None else moment),
        members=(),
        anchor=fact in found.trace.anchors,
    )


def _turn(state: State, found: Found, lead: Hit, episode: int, now_s: float) -> Hit:
    """The turn a fact came from as a hit of its own; as current as the fact."""
    content = state.content(episode)
    return replace(
        lead,
        id=episode,
        text=content.text,
        kind="episode",
        episode_ids=(episode,),
        fact=None,
        speaker=str(content.meta.get("speaker", "")),
        session=str(content.meta.get("session", "")),
        at=float(state.graph.node(episode)["valid_from"][0]),
        members=(),
        anchor=episode in found.trace.anchors,
    )


def _offer(state: State, hit: Hit, step: int | None, within: int | None) -> Offer:
    speaker, at = _first_said(state, hit)
    fact = hit.fact
    return Offer(
        hit=hit,
        item=ContextItem(
            id=hit.id,
            text=hit.text,
            at=at,
            speaker=speaker,
            current=hit.current,
            tentative=hit.tentative,
            score=hit.score,
            fact=None if fact is None else (fact.subject, fact.relation, fact.object),
            valid_from=_begins(state, hit),
            valid_to=_ends(hit),
            step=step,
            within=within,
        ),
    )


def _first_said(state: State, hit: Hit) -> tuple[str, float]:
    """Who said it first and when; of what nobody said, when it began."""
    if hit.kind not in SAID:
        return hit.speaker, hit.at
    graph = state.graph
    said = [
        (float(graph.node(i)["valid_from"][0]), i)
        for i in graph.targets(hit.id, ArcKind.SOURCE)
        if i in graph
    ]
    if not said:
        return hit.speaker, hit.at
    at, episode = min(said)
    return str(state.content(episode).meta.get("speaker", "")), at


def _begins(state: State, hit: Hit) -> float | None:
    """When a fact or note began, in seconds, where that was stated."""
    if hit.kind not in SAID:
        return None
    node = state.graph.node(hit.id)[0]
    return float(node["valid_from"]) if int(node["flags"]) & NodeFlag.STATED else None


def _ends(hit: Hit) -> float | None:
    if hit.fact is None or hit.fact.valid_to is None:
        return None
    return hit.fact.valid_to.timestamp()
