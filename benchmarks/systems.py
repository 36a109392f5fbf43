"""Every system that is measured, by name, with a factory for each kind of suite it can run.

A factory makes an empty memory. MAGS and the peers register here as the baselines do, so that all
of them run the same suites. MAGS has its shipped settings and policy and no language model. A hit's
episodes count one by one, so that exactly k turns are scored: its own episode first, then those
that came out as one unit with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import mags
from benchmarks.baselines.graphwalk import GraphWalk
from benchmarks.baselines.handmade import HandMade
from benchmarks.baselines.plain import Kind, PlainFacts, PlainTurns, PlainUpdates
from mags.app import make_policy
from mags.memory.memory import Memory
from mags.models.policy.rules import RulePolicy
from mags.ports import policy as port
from mags.ports.embedder import Embedder
from mags.ports.policy import Tier
from mags.recall.found import Hit
from mags.settings import Settings
from mags_lab.evaluation.objective import Cost, cost_of
from mags_lab.evaluation.protocol import (
    FactMemory,
    GraphRetriever,
    Retriever,
    SourceTurn,
    Statement,
    Triple,
    UpdateMemory,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """What a system can be asked to do; None where it has no such memory.

    `note` says in the tables what it is, or what it was given; `suites` names
    those it is meant for, where it is not meant for all.
    """

    name: str
    note: str = ""
    suites: frozenset[str] | None = None
    turns: Callable[[], Retriever] | None = None
    graph: Callable[[], GraphRetriever] | None = None
    facts: Callable[[], FactMemory] | None = None
    updates: Callable[[], UpdateMemory] | None = None


_PLAIN: Mapping[str, tuple[Kind, str]] = {
    "BM25": ("bm25", "stemmed, stop words out, date and speaker in the text"),
    "dense": ("dense", "plain cosine"),
    "BM25 + dense, z-scores": ("zsum", "sum of standardised scores"),
    "BM25 + dense, RRF": ("rrf", "reciprocal ranks, 60"),
}


def baselines(embedder: Embedder) -> list[System]:
    """Our own plain systems, all with the same embedder."""
    found: list[System] = []
    for name, (kind, note) in _PLAIN.items():
        found.append(
            System(
                name=name,
                note=note,
                turns=partial(PlainTurns, kind, embedder),
                graph=partial(PlainTurns, kind, embedder),
                facts=partial(PlainFacts, kind, embedder),
                updates=partial(PlainUpdates, kind, embedder),
            )
        )
    hand: Callable[[], Any] = partial(HandMade, embedder)
    found.append(
        System(
            name="hand-made fusion",
            note="weights chosen on LoCoMo",
            suites=frozenset({"locomo", "locomo-together"}),
            turns=hand,
        )
    )
    found.append(
        System(
            name="hand-made graph walk",
            note="names shared by passages, PageRank; nothing fitted",
            graph=partial(GraphWalk, embedder),
        )
    )
    return found


Open = Callable[[port.Policy], Memory]


def opening(embedder: Embedder, tier: Tier | None = None) -> Open:
    """Return what opens an empty memory in RAM with the shipped settings and a given policy.

    `tier`: how carefully it recalls, None as shipped.

    Its clock counts, so that a run is the same every time.
    """

    settings = Settings()
    if tier is not None:
        recall = replace(settings.memory.recall, tier=tier)
        settings = replace(settings, memory=replace(settings.memory, recall=recall))

    def open_(policy: port.Policy) -> Memory:
        ticks = itertools.count(1_900_000_000)
        return mags.open(
            None,
            embedder=embedder,
            policy=policy,
            settings=settings,
            clock=lambda: float(next(ticks)),
        )

    return open_


def mags_system(
    embedder: Embedder, policy: Literal["", "rules", "both"] = "", tier: Tier | None = None
) -> System:
    """MAGS in every suite; `policy` as in the setting `policy.kind`, "" for the shipped one."""
    open_ = opening(embedder, tier)
    chosen = replace(Settings().policy, kind=policy) if policy else Settings().policy
    made = make_policy(replace(Settings(), policy=chosen), None)
    return System(
        name=", ".join(("MAGS", *filter(None, (policy, tier)))),
        note=f"{' but '.join(filter(None, ('shipped settings', tier)))}, no language model; "
        f"writes by {made.name}",
        turns=lambda: MagsTurns(open_, made),
        graph=lambda: MagsTurns(open_, made),
        facts=lambda: MagsFacts(open_, made),
        updates=lambda: MagsUpdates(open_, made),
    )


@dataclass(slots=True)
class RecallCount:
    """How many recalls were made for how many questions."""

    recalls: int = 0
    questions: int = 0

    def count(self, recalls: int) -> None:
        """Count one question that took so many recalls."""
        self.recalls += recalls
        self.questions += 1

    def cost(self, memory: Memory, turns: int) -> Cost:
        """Return what a memory of so many turns held and did."""
        return cost_of(memory, recalls=self.recalls, questions=self.questions, turns=turns)


class MagsTurns:
    """A `GraphRetriever`: every turn is observed; given triples are what the write model says."""

    def __init__(self, open_: Open, policy: port.Policy | None = None) -> None:
        self._open = open_
        self._policy = policy or RulePolicy()
        self._turn_of: dict[int, str] = {}
        self._hits = 1
        self._asked = RecallCount()

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Observe all turns in batches; called once."""
        self._observe(turns, self._policy)

    def add_graph(
        self, turns: Sequence[SourceTurn], triples: Mapping[str, Sequence[Triple]]
    ) -> None:
        """Observe all turns, writing the given triples instead of what the policy would."""
        given = {t.text: triples[t.id] for t in turns if t.id in triples}
        self._observe(turns, GivenTriples(given))

    def search(self, query: str, k: int) -> list[str]:
        """Return the k best turns."""
        ids, self._hits = episodes(self._memory, query, k, self._hits, self._asked)
        return [self._turn_of[i] for i in ids]

    def cost(self) -> Cost:
        """Return what the memory held and did."""
        return self._asked.cost(self._memory, len(self._turn_of))

    def _observe(self, turns: Sequence[SourceTurn], policy: port.Policy) -> None:
        self._memory = self._open(policy)
        seen = self._memory.observe_many(
            port.Turn(text=t.text, speaker=t.speaker, at=t.at.timestamp(), session=t.session)
            for t in turns
        )
        self._turn_of = {s.episode_id: t.id for s, t in zip(seen, turns, strict=True)}


class MagsFacts:
    """A `FactMemory`: every statement is asserted."""

    def __init__(self, open_: Open, policy: port.Policy) -> None:
        self._memory = open_(policy)
        self._key_of: dict[int, str] = {}
        self._told = 0
        self._asked = RecallCount()

    def tell(self, statements: Sequence[Statement]) -> None:
        """Assert all statements, one after another."""
        self._told += len(statements)
        for said in statements:
            seen = self._memory.assert_fact(said.subject, said.relation, said.object)
            for node in (*seen.facts, *seen.confirmed):
                self._key_of[node] = said.key

    def search(self, query: str, k: int) -> list[str]:
        """Return the keys of the k best facts; what is no fact takes no place."""
        self._asked.count(1)
        found = self._memory.recall(query, k=k)
        return [self._key_of[h.id] for h in found if h.id in self._key_of][:k]

    def cost(self) -> Cost:
        """Return what the memory held and did."""
        return self._asked.cost(self._memory, self._told)


class MagsUpdates:
    """An `UpdateMemory`: every sentence is a turn, closed when a fact or note of it is."""

    def __init__(self, open_: Open, policy: port.Policy) -> None:
        self._memory = open_(policy)
        self._number_of: dict[int, int] = {}
        self._told_by: dict[int, set[int]] = {}
        self._closed: set[int] = set()
        self._asked = RecallCount()

    def observe(self, sentences: Sequence[str]) -> None:
        """Observe all sentences in order, a day apart."""
        day = 86_400.0
        seen = self._memory.observe_many(
            port.Turn(text=text, speaker="user", at=1_700_000_000 + n * day, session="facts")
            for n, text in enumerate(sentences)
        )
        for number, one in enumerate(seen):
            self._number_of[one.episode_id] = number
            for told in (*one.facts, *one.notes, *one.confirmed):
                self._told_by.setdefault(told, set()).add(number)
            self._closed.update(one.closed)

    def search(self, query: str, k: int) -> list[int]:
        """Return the numbers of the k best sentences."""
        ids, _ = episodes(self._memory, query, k, 1, self._asked)
        return [self._number_of[i] for i in ids]

    def closed(self) -> set[int]:
        """Return the sentences of which a fact or note was superseded."""
        return {number for node in self._closed for number in self._told_by.get(node, ())}

    def cost(self) -> Cost:
        """Return what the memory held and did."""
        return self._asked.cost(self._memory, len(self._number_of))


class GivenTriples:
    """A policy whose write model says what it was given; it asks and routes as the rules do."""

    name = "given triples"

    def __init__(self, given: Mapping[str, Sequence[Triple]]) -> None:
        self._given = given
        self._rules = RulePolicy()

    def route(self, turn: port.Turn, recent: Sequence[port.Turn]) -> port.Route:
        """Route as the rules do."""
        return self._rules.route(turn, recent)

    def ask(self, question: port.Turn, recent: Sequence[port.Turn]) -> port.Plan:
        """Plan as the rules do."""
        return self._rules.ask(question, recent)

    def write(
        self,
        turn: port.Turn,
        recent: Sequence[port.Turn],
        recalled: Sequence[port.Recalled],
    ) -> port.Writing:
        """Return the given triples of the turn, with the names that the rules see in it."""
        written = self._rules.write(turn, recent, recalled)
        operations = tuple(
            port.Operation(
                act=port.Act.ADD,
                subject=subject,
                relation=relation,
                object=obj,
                subject_is_name=subject[:1].isupper(),
                object_is_name=obj[:1].isupper(),
            )
            for subject, relation, obj in self._given.get(turn.text, ())
        )
        return replace(written, operations=operations)


def episodes(
    memory: Memory, query: str, k: int, hits_each: int, asked: RecallCount
) -> tuple[list[int], int]:
    """Return the ids of the k best episodes, each once, and how many hits each of them took.

    Several hits may rest on one episode; so `hits_each` times k hits are asked
    for, and more until there are k episodes or nothing more is found. Begin
    with 1, and hand in what came back, so that one recall is enough the next time.
    """
    recalls = 0
    while True:
        recalls += 1
        hits = memory.recall(query, k=k * hits_each).hits
        ids = list(dict.fromkeys(i for hit in hits for i in _own_first(hit)))
        if len(ids) >= k or len(hits) < k * hits_each or hits_each >= 16:
            break
        hits_each *= 2
    asked.count(recalls)
    return ids[:k], hits_each


def _own_first(hit: Hit) -> tuple[int, ...]:
    own = (hit.id,) if hit.kind == "episode" else ()
    return (*own, *hit.episode_ids)
