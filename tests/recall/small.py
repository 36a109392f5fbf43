"""A small memory built by hand: people who say things, entities, facts that change."""

from __future__ import annotations

import numpy as np

from mags.graph.delta import Draft
from mags.graph.records import NEVER, ArcKind, Content, NodeKind
from mags.index.state import State
from mags.models.embed.hashing import HashEmbedder
from mags.ports.policy import Plan
from mags.recall.candidates import RecallRequest, prepare
from mags.recall.found import Found
from mags.recall.recall import recall
from mags.recall.settings import RecallSettings

NOW = 1_000_000.0
DAY = 86_400.0
EMBEDDER = HashEmbedder(64)


class Small:
    """A State and the hands to fill it; ids count from 1."""

    def __init__(self) -> None:
        self.held: dict[int, Content] = {}
        self.state = State(dimension=64, secret=b"s", fetch=self._fetch, fetch_whole=self._whole)
        self._next = 1

    def _fetch(self, ids):
        return [self.held[i] for i in ids]

    def _whole(self, node_ids):
        return [c for c in self.held.values() if c.node in set(node_ids)]

    def node(self, draft: Draft, text: str, kind: NodeKind, meta=None, **values) -> int:
        vector = EMBEDDER.embed([text])[0].astype(np.float16)
        content = Content(id=self._next, node=self._next, text=text, meta=meta or {}, vector=vector)
        self._next += 1
        self.held[content.id] = content
        draft.add_node(content, id=content.node, kind=kind, **values)
        return content.node

    def apply(self, draft: Draft):
        delta = draft.delta("observe")
        self.state.apply(delta)
        return delta

    def entity(self, name: str) -> int:
        known = self.state.names.find(name)
        if known:
            return known[0]
        draft = Draft(self.state.graph)
        made = self.node(draft, name, NodeKind.ENTITY)
        self.apply(draft)
        return made

    def say(
        self, *texts: str, speaker: str = "Ana", session: str = "s1", at: float = 0.0, names=()
    ):
        """Episodes of one session, chained; each mentions the entities of `names`."""
        who = self.entity(speaker) if speaker else 0
        named = [self.entity(name) for name in names]
        draft = Draft(self.state.graph)
        out: list[int] = []
        for text in texts:
            made = self.node(
                draft,
                text,
                NodeKind.EPISODE,
                {"speaker": speaker, "session": session},
                subject=who,
                session=self.state.hash("session", session),
                valid_from=at,
                recorded_at=at,
            )
            if out:
                draft.add_arc(out[-1], made, ArcKind.NEXT)
            for entity in named:
                draft.add_arc(made, entity, ArcKind.MENTIONS)
            out.append(made)
        self.apply(draft)
        return out

    def fact(self, subject, relation, obj, *, source=None, at=0.0, until=NEVER, recorded=None):
        head, tail = self.entity(subject), self.entity(obj)
        draft = Draft(self.state.graph)
        meta = {"subject": subject, "relation": relation, "object": obj, "qualifiers": {}}
        made = self.node(
            draft,
            f"{subject} {relation} {obj}",
            NodeKind.FACT,
            meta,
            subject=head,
            object=tail,
            slot=self.state.hash("slot", relation),
            valid_from=at,
            valid_to=until,
            recorded_at=at if recorded is None else recorded,
            closed_at=until,
        )
        draft.add_arc(made, head, ArcKind.SUBJECT)
        draft.add_arc(made, tail, ArcKind.OBJECT)
        if source:
            draft.add_arc(made, source, ArcKind.SOURCE)
        self.apply(draft)
        return made

    def ask(self, question: str, k: int = 5, settings=None, plan=None, **when) -> Found:
        settings = settings or RecallSettings()
        query = prepare(self.state, plan or Plan(queries=(question,)), settings)
        vectors = EMBEDDER.embed(list(query.texts))
        reading = RecallRequest(query=query, vectors=vectors, k=k, now_s=NOW, **when)
        return recall(self.state, reading, settings, lambda a, b: a == b)


def told() -> Small:
    """Two people over three sessions, with a fact that changed."""
    small = Small()
    small.say("I adopted a grey cat called Miso", "What does she eat?", speaker="Ana", at=1 * DAY)
    small.say("We hiked up the volcano at dawn", "My boots fell apart", speaker="Ben", session="s2",
              at=2 * DAY, names=("Etna",))  # fmt: skip
    old, new = small.say("I live in Bergen", "I moved to Oslo", speaker="Ana", session="s3",
                         at=3 * DAY, names=("Oslo",))  # fmt: skip
    small.fact("Ana", "lives in", "Bergen", source=old, at=3 * DAY, until=4 * DAY)
    small.fact("Ana", "lives in", "Oslo", source=new, at=4 * DAY)
    return small
