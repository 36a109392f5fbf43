"""A memory built straight from turns, statements and triples, without a policy or a store.

What is ranked is what recall itself computes; only the write side is simpler than
`memory.observe`: entities are capitalised spans, facts are the triples that are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from mags.evaluation.protocol import Turn
from mags.graph.draft import Draft
from mags.graph.edge import ArcKind
from mags.graph.node import Content, NodeFlag, NodeKind
from mags.index.names import fold
from mags.index.state import State
from mags.index.tokens import STOP_WORDS
from mags.ports.embedder import Embedder
from mags.ports.policy import Plan
from mags.recall.found import Found
from mags.recall.query import Reading, prepare
from mags.recall.recall import Ranking, rank, recall
from mags.recall.settings import RecallSettings

NOW_S = 1_900_000_000.0
SPAN = re.compile(
    r"\b[A-Z][\w'’&.-]*(?:\s+(?:(?:of|the|de|la|von|van|and|&|for|in|on)\s+){0,2}[A-Z0-9][\w'’&.-]*)*"
)
_LEADING = STOP_WORDS | {"hey", "hi", "wow", "thanks", "yeah", "yes", "oh", "sure", "great"}


def spans(text: str) -> list[str]:
    """Names in a text by their capitals; a lone stop word at the head is no name."""
    found = []
    for match in SPAN.finditer(text):
        words = match[0].rstrip(".'’-").split()
        while words and words[0].casefold().strip("'’.") in _LEADING:
            words = words[1:]
        if words:
            found.append(re.sub(r"['’]s$", "", " ".join(words)))
    return list(dict.fromkeys(found))


class World:
    """One State with a growing set of turns and facts; ids of turns are kept beside it."""

    def __init__(self, embedder: Embedder, settings: RecallSettings | None = None) -> None:
        self._embedder = embedder
        self.settings = settings or RecallSettings()
        self.state = State(
            dimension=embedder.dimension, secret=b"bench", fetch=self._fetch, fetch_whole=self._none
        )
        self._contents: dict[int, Content] = {}
        self._next = 1
        self.node_of: dict[str, int] = {}
        self.turn_of: dict[int, str] = {}
        self._entities: dict[str, int] = {}

    def _fetch(self, ids: Sequence[int]) -> list[Content]:
        return [self._contents[i] for i in ids]

    def _none(self, ids: Sequence[int]) -> list[Content]:
        return []

    # -- writing -----------------------------------------------------------------

    def add(self, turns: Sequence[Turn]) -> None:
        """Store turns, oldest first, a Delta a session."""
        vectors = self._embedder.embed([t.text for t in turns])
        numbered = list(zip(turns, vectors, strict=True))
        for session, group in groupby(numbered, key=lambda pair: pair[0].session):
            draft = Draft(self.state.graph)
            before = 0
            for turn, vector in group:
                here = self._episode(draft, turn, vector)
                if before:
                    draft.add_arc(before, here, ArcKind.NEXT)
                before = here
            self._apply(draft, f"session {session}")

    def _episode(self, draft: Draft, turn: Turn, vector: NDArray[np.float32]) -> int:
        content = self._content(
            turn.text, {"speaker": turn.speaker, "session": turn.session}, vector
        )
        speaker = self._entity(draft, turn.speaker) if turn.speaker else 0
        asks = turn.text.rstrip().endswith("?")
        draft.add_node(
            content,
            id=content.node,
            kind=NodeKind.EPISODE,
            subject=speaker,
            session=self.state.hash("session", turn.session),
            valid_from=turn.at.timestamp(),
            recorded_at=turn.at.timestamp(),
            flags=int(NodeFlag.QUESTION) if asks else 0,
        )
        for name in spans(turn.text):
            entity = self._entity(draft, name)
            draft.add_arc(content.node, entity, ArcKind.MENTIONS)
        self.node_of[turn.id] = content.node
        self.turn_of[content.node] = turn.id
        return content.node

    def add_triples(
        self, turn_id: str | None, triples: Iterable[tuple[str, str, str]], close: bool = False
    ) -> list[int]:
        """Store facts with their source; with `close`, an open fact of the slot is closed."""
        listed = list(triples)
        texts = [" ".join(triple) for triple in listed]
        vectors = self._embedder.embed(texts) if texts else []
        draft = Draft(self.state.graph)
        source = self.node_of[turn_id] if turn_id else 0
        made = []
        for triple, text, vector in zip(listed, texts, vectors, strict=True):
            made.append(self._fact(draft, triple, self._content(text, {}, vector), source, close))
            if close:
                self._apply(draft, "fact")
                draft = Draft(self.state.graph)
        self._apply(draft, "facts")
        return made

    def _fact(
        self,
        draft: Draft,
        triple: tuple[str, str, str],
        content: Content,
        source: int,
        close: bool,
    ) -> int:
        subject, relation, obj = triple
        named = Content(
            id=content.id,
            node=content.node,
            text=content.text,
            meta={"subject": subject, "relation": relation, "object": obj, "qualifiers": {}},
            vector=content.vector,
        )
        self._contents[content.id] = named
        head, tail = self._entity(draft, subject), self._entity(draft, obj)
        slot = self.state.hash("slot", relation)
        at = float(content.id)
        if close and head in self.state.graph:
            for old in self.state.slots.open(head, slot):
                row = draft.node(old)
                row["valid_to"], row["closed_at"] = at, at
        draft.add_node(
            named,
            id=content.node,
            kind=NodeKind.FACT,
            subject=head,
            object=tail,
            slot=slot,
            recorded_at=at,
        )
        draft.add_arc(content.node, head, ArcKind.SUBJECT)
        draft.add_arc(content.node, tail, ArcKind.OBJECT)
        if source:
            draft.add_arc(content.node, source, ArcKind.SOURCE)
        return content.node

    def _entity(self, draft: Draft, name: str) -> int:
        key = fold(name)
        known = self._entities.get(key)
        if known is None:
            content = self._content(name, {"name": name, "aliases": []}, None)
            known = self._entities[key] = content.node
            draft.add_node(content, id=known, kind=NodeKind.ENTITY)
        return known

    def _content(
        self, text: str, meta: dict[str, object], vector: NDArray[np.float32] | None
    ) -> Content:
        half = None if vector is None else vector.astype(np.float16)
        content = Content(id=self._next, node=self._next, text=text, meta=meta, vector=half)
        self._contents[content.id] = content
        self._next += 1
        return content

    def _apply(self, draft: Draft, why: str) -> None:
        del why
        self.state.apply(draft.delta("observe"))

    # -- reading -----------------------------------------------------------------

    def reading(self, question: str, k: int, plan: Plan | None = None) -> Reading:
        """A question made ready, with the plan of no model."""
        query = prepare(self.state, plan or Plan(queries=(question,)), self.settings)
        vectors = self._embedder.embed(list(query.texts))
        return Reading(query=query, vectors=vectors, k=k, now_s=NOW_S)

    def ranked(self, question: str, k: int = 20) -> Ranking:
        """The ranking with all its features."""
        return rank(self.state, self.reading(question, k), self.settings, same_words)

    def found(self, question: str, k: int) -> Found:
        """What recall hands back."""
        return recall(self.state, self.reading(question, k), self.settings, same_words)

    def search(self, query: str, k: int) -> list[str]:
        """Turn ids of the hits' episodes, best first."""
        hits = self.found(query, k)
        ids = [self.turn_of[i] for hit in hits for i in hit.episode_ids if i in self.turn_of]
        return list(dict.fromkeys(ids))[:k]


def same_words(one: str, other: str) -> bool:
    """Relations of the same words are the same."""
    return one.casefold() == other.casefold()
