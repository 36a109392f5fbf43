"""Reading: a question becomes a plan, a query, hits. Nothing here writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count as counting

from mags.errors import NotFound
from mags.graph.charge import node_charge
from mags.graph.records import NEVER, ArcKind, NodeFlag, NodeKind
from mags.index.state import State
from mags.memory.given import count
from mags.memory.live import Live
from mags.memory.moments import Moment, seconds
from mags.memory.parts import Parts, same_relation
from mags.memory.pictures import Frame, LinkView, Picture, links, picture, region_of
from mags.memory.regions import RegionView
from mags.memory.stretches import readable
from mags.memory.views import NeighbourView, NodeView, PathView, Profile
from mags.memory.working import recent_episodes, session_hash, turns
from mags.ports.policy import Plan, Recalled, Route, Turn
from mags.recall.chains import Chain, Ends, chains, latest
from mags.recall.connect import Way, connect, neighbours, ways
from mags.recall.found import FactView, Found, moment_of
from mags.recall.query import Reading, prepare
from mags.recall.recall import fact_view, recall, sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How to look: k hits, event time, record time (seconds), None for now."""

    k: int = 10
    as_of: float | None = None
    recorded_as_of: float | None = None

    @property
    def of_the_past(self) -> bool:
        """Whether it looks at another time than now."""
        return self.as_of is not None or self.recorded_as_of is not None


def look_at(as_of: Moment | None, recorded_as_of: Moment | None, k: int, what: str) -> Look:
    """How to look, as one is asked to; `what`: what `k` counts. Raises InvalidInput."""
    times = {"as_of": seconds(as_of), "recorded_as_of": seconds(recorded_as_of)}
    return Look(k=count(k, f"k is how many {what}"), **times)


TRIES = 8
"""How often a recall begins again because something was erased under its hands."""


class Reader:
    """Questions in, hits out."""

    def __init__(self, live: Live, parts: Parts) -> None:
        """Reads `live` with the policy, embedder and settings of `parts`."""
        self._live = live
        self._parts = parts
        self._asked = counting(1)

    def recent(self, session: str | None) -> list[Turn]:
        """Working memory: the last episodes (of a session), oldest first."""
        if not self._parts.settings.working:
            return []
        window = self._parts.settings.window
        with self._live.reading() as state:
            if session:  # not kept: sessions are as many as whoever asks likes to name
                return turns(state, recent_episodes(state, window, session_hash(state, session)))
            kept = state.kept(
                ("recent", window), lambda: turns(state, recent_episodes(state, window, None))
            )
            return list(kept)

    def plan(self, question: Turn, recent: list[Turn], look: Look) -> Plan:
        """The ask model's plan, with the router's block weights; `as_of` asks for the past."""
        question, recent = readable(question), [readable(turn) for turn in recent]
        plan = self._parts.policy.ask(question, recent)
        route = (
            self._parts.policy.route(question, recent) if self._parts.settings.router else Route()
        )
        if look.as_of is not None:
            plan = replace(plan, past=False)
        return replace(
            plan,
            episodic=plan.episodic * route.episodic,
            semantic=plan.semantic * route.semantic,
        )

    def find(self, plan: Plan, look: Look) -> Found:
        """Recall by a plan."""
        for _ in range(TRIES):
            found = self._try(plan, look)
            if found is not None:
                break
        else:
            raise NotFound("others keep forgetting what is being recalled: try again")
        asked = str(next(self._asked))
        key = self._live.hashed("trace", *plan.queries, str(found.trace.seq), asked)
        key = self._live.hashed(key, repr(self._live.clock()))
        return replace(found, trace=replace(found.trace, key=key))

    def _try(self, plan: Plan, look: Look) -> Found | None:
        """Recall once; None where what is recalled was erased, or all re-embedded, meanwhile."""
        settings = self._parts.settings.recall
        embedder = self._live.embedder
        try:
            with self._live.reading() as state:
                query, generation = prepare(state, plan, settings), self._live.generation
            vectors = embedder.embed(query.texts)
            with self._live.reading(fresh=False) as state:
                if self._live.generation != generation:
                    return None
                reading = Reading(
                    query=replace(
                        query,
                        entities=tuple(i for i in query.entities if i in state.graph),
                        speakers=tuple(i for i in query.speakers if i in state.graph),
                    ),
                    vectors=vectors,
                    k=look.k,
                    now_s=self.present(state),
                    as_of=look.as_of,
                    recorded_as_of=look.recorded_as_of,
                )
                return recall(state, reading, settings, same_relation)
        except NotFound:
            with self._live.reading():
                if self._live.generation == generation:
                    raise
            return None

    def chains(self, ends: Ends) -> tuple[Chain, ...]:
        """The best chains of what was said between a question and its options."""
        settings = self._parts.settings.recall.chains
        with self._live.reading() as state:
            return chains(state, ends, moment=self.present(state), settings=settings)

    def latest(self, things: Iterable[str], *, most: int) -> tuple[tuple[int, ...], ...]:
        """What was said last of each thing."""
        settings = self._parts.settings.recall.chains
        with self._live.reading() as state:
            return latest(state, things, most=most, moment=self.present(state), settings=settings)

    def ways(self, question: str, ids: Sequence[int]) -> tuple[Way | None, ...]:
        """How one comes to memories from what a question names; raises NotFound."""
        with self._live.reading() as state:
            return ways(state, question, ids, moment=self.present(state))

    def present(self, state: State) -> float:
        """The present: what the clock says, but never before the newest turn heard."""
        return max(self._live.clock(), state.latest_s)

    def planned(self, question: Turn, look: Look) -> Plan:
        """The plan for a question asked now, in its session."""
        return self.plan(question, self.recent(question.session), look)

    def shown_to_writer(self, turn: Turn) -> Sequence[Recalled]:
        """What the write model sees of the memory."""
        k = self._parts.settings.recalled_for_write
        if k <= 0:
            return ()
        look = Look(k=k)
        return self.recalled(self.planned(turn, look), look)

    def recalled(self, plan: Plan, look: Look) -> list[Recalled]:
        """Hits as a policy sees them."""
        return [
            Recalled(
                id=h.id,
                text=h.text,
                speaker=h.speaker,
                at=h.at,
                current=h.current,
                tentative=h.tentative,
            )
            for h in self.find(plan, look).hits
        ]

    def picture(self, frame: Frame, regions: Collection[RegionView]) -> Picture:
        """The strongest nodes within a frame and the arcs between them."""
        with self._live.reading() as state:
            return picture(state, frame, region_of(regions))

    def region_links(self, regions: Collection[RegionView]) -> tuple[LinkView, ...]:
        """How strongly any two regions hang together, strongest first."""
        with self._live.reading() as state:
            return links(state, region_of(regions))

    # -- looking things up -------------------------------------------------------

    def view(self, node_id: int) -> NodeView:
        """One node in words; raises NotFound."""
        with self._live.reading() as state:
            return node_view(state, node_id)

    def resolve(self, thing: int | str) -> int:
        """A node id, or the entity of that name; raises NotFound."""
        with self._live.reading() as state:
            if isinstance(thing, int):
                state.graph.row(thing)
                return thing
            found = state.names.find(thing)
            if not found:
                raise NotFound(f"nothing named {thing!r} is in this memory", name=thing)
            return found[0]

    def facts(
        self,
        subject: int | str | None,
        look: Look,
        *,
        current: bool = False,
    ) -> list[FactView]:
        """Facts in order of validity: all of them, or those true at `look.as_of`."""
        with self._live.reading() as state:
            if subject is None:
                ids = [int(i) for i in state.graph.ids(NodeKind.FACT)]
            else:
                named = [subject] if isinstance(subject, int) else state.names.find(subject)
                ids = [i for entity in named for i in state.slots.of(entity)]
            moment = look.as_of
            if current and moment is None:
                moment = self.present(state)
            found = [view for i in ids if (view := at_moment(state, i, moment, look)) is not None]
        return sorted(found, key=lambda f: (_order(f), f.id))

    def neighbours(self, node_id: int) -> list[NeighbourView]:
        """Everything one arc away, strongest first."""
        with self._live.reading() as state:
            return [
                NeighbourView(
                    id=n.id,
                    kind=state.kind(n.id).name.lower(),
                    text=state.content(n.id).text,
                    arc=n.kind.name.lower(),
                    weight=round(n.weight, 4),
                    outgoing=n.outgoing,
                )
                for n in neighbours(state, node_id)
            ]

    def connect(self, start: int | str, end: int | str) -> PathView | None:
        """The strongest path between two things; None where there is none."""
        a, b = self.resolve(start), self.resolve(end)
        with self._live.reading() as state:
            settings = self._parts.settings.recall
            loose = replace(settings, threshold=0.0, max_nodes=max(settings.max_nodes, 20_000))
            found = connect(state, [a], [b], moment=self.present(state), settings=loose)
            if found is None:
                return None
            ids = [found.start, *(step.dst for step in found.path)]
            return PathView(
                strength=found.strength,
                nodes=tuple(ids),
                texts=tuple(content.text for content in state.words(ids)),
                arcs=tuple(ArcKind(step.kind).name.lower() for step in found.path),
            )

    def profile(self, name: int | str) -> Profile:
        """What is known about an entity; raises NotFound."""
        entity = self.resolve(name)
        with self._live.reading() as state:
            content = state.content(entity)
            now = self.present(state)
            everything = [fact_view(state, i) for i in state.slots.of(entity)]
            ends = {v.id: float(state.graph.node(v.id)["valid_to"][0]) for v in everything}
            spoken = state.graph.nodes["subject"][state.graph.where(NodeKind.EPISODE)] == entity
            return Profile(
                id=entity,
                name=content.text,
                aliases=tuple(str(a) for a in content.meta.get("aliases", ())),
                facts=tuple(v for v in everything if ends[v.id] > now),
                past=tuple(v for v in everything if ends[v.id] <= now),
                about=tuple(fact_view(state, i) for i in state.slots.about(entity)),
                episodes=int(spoken.sum()) + len(state.graph.origins(entity, ArcKind.MENTIONS)),
            )


def node_view(state: State, node_id: int) -> NodeView:
    """One node in words."""
    node = state.graph.node(node_id)[0]
    content = state.content(node_id)
    kind = NodeKind(int(node["kind"]))
    flags = int(node["flags"])
    ends = float(node["valid_to"])
    return NodeView(
        id=node_id,
        kind=kind.name.lower(),
        text=content.text,
        meta=dict(content.meta),
        strength=round(float(_strength(state, node_id)), 4),
        importance=round(float(node["importance"]), 4),
        confidence=round(float(node["confidence"]), 4),
        valid_from=moment_of(float(node["valid_from"])),
        valid_to=None if ends == NEVER else moment_of(ends),
        recorded_at=moment_of(float(node["recorded_at"])),
        uses=int(node["uses"]),
        pinned=bool(flags & NodeFlag.PINNED),
        cold=bool(flags & NodeFlag.COLD),
        sources=tuple(sources(state.graph, node_id)),
        fact=fact_view(state, node_id) if kind == NodeKind.FACT else None,
    )


def _strength(state: State, node_id: int) -> float:
    return float(node_charge(state.graph.node(node_id), state.graph.tick)[0])


def at_moment(state: State, fact: int, moment: float | None, look: Look) -> FactView | None:
    """A fact as it was known and true then; None where it was not."""
    node = state.graph.node(fact)[0]
    ends = float(node["valid_to"])
    if look.recorded_as_of is not None:
        if float(node["recorded_at"]) > look.recorded_as_of:
            return None
        if float(node["closed_at"]) > look.recorded_as_of:
            ends = NEVER
    if moment is not None:
        denied = int(node["flags"]) & NodeFlag.RETRACTED and ends < NEVER
        if denied or not float(node["valid_from"]) <= moment < ends:
            return None
    return fact_view(state, fact, ends)


def _order(fact: FactView) -> float:
    return fact.valid_from.timestamp() if fact.valid_from else -NEVER
