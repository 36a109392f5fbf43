"""A memory without a store: turns and statements written as `memory.observe` writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from mags.engram.engram import Engram
from mags.engram.view import WriteMoment
from mags.graph.delta import Draft
from mags.graph.records import Content
from mags.index.state import Ids, State
from mags.memory.reading import same_relation
from mags.models.policy.rules.policy import RulePolicy
from mags.ports.embedder import Embedder
from mags.ports.policy import Act, Operation, Plan, Writing
from mags.ports.policy import Turn as Said
from mags.recall.candidates import RecallRequest, prepare
from mags.recall.found import Found
from mags.recall.recall import Ranking, rank, recall
from mags.recall.settings import RecallSettings
from mags_lab.evaluation.protocol import SourceTurn, Statement

NOW_S = 1_900_000_000.0
WINDOW = 12
"""Turns before one that the policy of rules sees."""

Triple = tuple[str, str, str]


class GrowingState:
    """One State with a growing set of turns and facts; ids of turns are kept beside it."""

    def __init__(self, embedder: Embedder, settings: RecallSettings | None = None) -> None:
        self._embedder = embedder
        self.settings = settings or RecallSettings()
        self.state = State(
            dimension=embedder.dimension, secret=b"bench", fetch=self._fetch, fetch_whole=self._none
        )
        self._contents: dict[int, Content] = {}
        self._next = 1
        self._ids = Ids(self._reserve)
        self._engram = Engram()
        self._policy = RulePolicy()
        self._clock = 1_700_000_000.0
        self.turn_of: dict[int, str] = {}

    def _reserve(self, n: int) -> int:
        self._next += n
        return self._next - n

    def _fetch(self, ids: Sequence[int]) -> list[Content]:
        return [self._contents[i] for i in ids]

    def _none(self, ids: Sequence[int]) -> list[Content]:
        return []

    # -- writing -----------------------------------------------------------------

    def add(
        self, turns: Sequence[SourceTurn], triples: Mapping[str, Sequence[Triple]] | None = None
    ) -> None:
        """Observe turns, oldest first, as a memory with the policy of rules would.

        `triples`: facts a turn is said to state, by the turn's id, instead of the rules'.
        """
        given = triples or {}
        jobs: list[tuple[SourceTurn, Said, Writing]] = []
        for _, group in groupby(turns, key=lambda t: t.session):
            recent: list[Said] = []
            for turn in group:
                said = Said(
                    text=turn.text,
                    speaker=turn.speaker,
                    at=turn.at.timestamp(),
                    session=turn.session,
                )
                jobs.append((turn, said, self._writing(said, recent, given.get(turn.id))))
                recent = [*recent, said][-WINDOW:]
        texts = [
            t for _, said, writing in jobs for t in self._engram.texts(self.state, said, writing)
        ]
        distinct = list(dict.fromkeys(texts))
        vectors = dict(zip(distinct, self._embedder.embed(distinct), strict=True))
        previous: dict[str, int] = {}
        for turn, said, writing in jobs:
            draft = Draft(self.state.graph)
            tick = self.state.graph.tick + (turn.session not in previous)
            moment = WriteMoment(
                ids=self._ids,
                now_s=said.at,
                tick=tick,
                vectors=vectors,
                previous=previous.get(turn.session),
            )
            done = self._engram.inscribe(draft, self.state, said, writing, moment)
            self._contents.update((c.id, c) for c in draft.contents)
            self.state.apply(draft.delta("observe", tick_after=tick))
            assert done.episode is not None
            previous[turn.session] = done.episode
            self.turn_of[done.episode] = turn.id

    def _writing(
        self, said: Said, recent: Sequence[Said], given: Sequence[Triple] | None
    ) -> Writing:
        writing = self._policy.write(said, recent, ())
        if given is None:
            return writing
        facts = tuple(Operation(act=Act.ADD, subject=s, relation=r, object=o) for s, r, o in given)
        return replace(writing, operations=facts)

    def tell(self, statements: Sequence[Statement]) -> None:
        """Assert triples in order; an edit of a slot closes what was there."""
        for statement in statements:
            operation = Operation(
                act=Act.UPDATE,
                subject=statement.subject,
                relation=statement.relation,
                object=statement.object,
                text=statement.text,
            )
            texts = self._engram.assertion_texts(self.state, operation)
            vectors = dict(zip(texts, self._embedder.embed(texts), strict=True))
            self._clock += 1.0
            draft = Draft(self.state.graph)
            moment = WriteMoment(ids=self._ids, now_s=self._clock, tick=0, vectors=vectors)
            done = self._engram.assert_fact(draft, self.state, operation, moment, at=self._clock)
            self._contents.update((c.id, c) for c in draft.contents)
            self.state.apply(draft.delta("assert"))
            for fact in (*done.facts, *done.confirmed):
                self.turn_of[fact] = statement.key

    # -- reading -----------------------------------------------------------------

    def reading(self, question: str, k: int, plan: Plan | None = None) -> RecallRequest:
        """A question made ready, with the plan of no model."""
        if plan is None:
            plan = self._policy.ask(Said(text=question, at=NOW_S), ())
        query = prepare(self.state, plan, self.settings)
        vectors = self._embedder.embed(list(query.texts))
        return RecallRequest(query=query, vectors=vectors, k=k, now_s=NOW_S)

    def ranked(self, question: str, k: int = 20) -> Ranking:
        """The ranking with all its features."""
        return rank(self.state, self.reading(question, k), self.settings, same_relation)

    def found(self, question: str, k: int) -> Found:
        """What recall hands back."""
        return recall(self.state, self.reading(question, k), self.settings, same_relation)

    def search(self, query: str, k: int) -> list[str]:
        """Turn ids of the hits' episodes, best first."""
        hits = self.found(query, k)
        ids = [
            self.turn_of[i] for hit in hits for i in (hit.id, *hit.episode_ids) if i in self.turn_of
        ]
        return list(dict.fromkeys(ids))[:k]
