"""A branch in RAM to write on: real State, real Draft, vectors by hashing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np

from mags.engram.engram import Engram
from mags.engram.settings import EngramSettings
from mags.engram.view import Inscribed, WriteMoment
from mags.graph.delta import Delta, Draft
from mags.graph.records import NEVER, Content, NodeFlag, NodeKind
from mags.index.state import Ids, State
from mags.ports.policy import Act, Operation, Turn, Writing

DIMENSION = 32
DAY = 86_400.0


def vector(text: str) -> np.ndarray:
    """A unit vector of the text's words, shape (32,)."""
    out = np.zeros(DIMENSION, np.float32)
    for word in text.lower().split():
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest())
        out += np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    norm = float(np.linalg.norm(out))
    return (out / norm if norm else out).astype(np.float16)


class ContentStore:
    """The content table."""

    def __init__(self) -> None:
        self.by_id: dict[int, Content] = {}
        self.next = 1

    def reserve(self, count: int) -> int:
        first = self.next
        self.next += count
        return first

    def fetch(self, ids):
        return [self.by_id[i] for i in ids]

    def fetch_whole(self, nodes):
        wanted = set(nodes)
        return [c for c in self.by_id.values() if c.node in wanted]


@dataclass
class Desk:
    """Says things to an engram, one turn after another, and looks at what became of them."""

    settings: EngramSettings = field(default_factory=EngramSettings)

    def __post_init__(self) -> None:
        self.contents = ContentStore()
        self.state = State(
            dimension=DIMENSION,
            secret=b"0123456789abcdef",
            fetch=self.contents.fetch,
            fetch_whole=self.contents.fetch_whole,
        )
        self.ids = Ids(self.contents.reserve)
        self.engram = Engram(self.settings)
        self.now = 1_000 * DAY
        self.tick = 0
        self.previous: dict[str, int] = {}
        self.deltas: list[Delta] = []

    def say(self, text, *operations, speaker="Ana", session="s1", at=None, **more) -> Inscribed:
        """A turn with its operations; `at` in days, one day a turn where it is not given."""
        self.now += DAY
        self.tick += 1
        turn = Turn(
            text=text,
            speaker=speaker,
            session=session,
            at=self.now if at is None else at * DAY,
            attrs=more.pop("attrs", {}),
        )
        writing = Writing(operations=tuple(operations), **more)
        texts = self.engram.texts(self.state, turn, writing)
        draft = Draft(self.state.graph)
        moment = WriteMoment(
            ids=self.ids,
            now_s=self.now,
            tick=self.tick,
            vectors={t: vector(t) for t in texts},
            previous=self.previous.get(session),
        )
        done = self.engram.inscribe(draft, self.state, turn, writing, moment)
        self.previous[session] = done.episode
        self.apply(draft, "observe")
        return done

    def state_fact(self, operation: Operation, *, at=None) -> Inscribed:
        """A bare assertion."""
        self.now += DAY
        texts = self.engram.assertion_texts(self.state, operation)
        draft = Draft(self.state.graph)
        moment = WriteMoment(
            ids=self.ids, now_s=self.now, tick=self.tick, vectors={t: vector(t) for t in texts}
        )
        done = self.engram.assert_fact(
            draft, self.state, operation, moment, at=self.now if at is None else at * DAY
        )
        self.apply(draft, "assert")
        return done

    def apply(self, draft: Draft, kind: str) -> None:
        delta = draft.delta(kind, recorded_at=self.now, tick_after=self.tick)
        for content in delta.contents:
            self.contents.by_id[content.id] = content
        self.state.apply(delta)
        self.deltas.append(delta)

    # -- looking --------------------------------------------------------------------

    def node(self, node_id: int):
        return self.state.graph.node(node_id)[0]

    def facts(self) -> list[tuple[str, str, str, float, float]]:
        """Every fact as (subject, relation, object, from, to), in days, by start."""
        out = []
        for i in self.state.graph.ids(NodeKind.FACT):
            meta, node = self.state.content(int(i)).meta, self.node(int(i))
            out.append(
                (
                    meta["subject"],
                    meta["relation"],
                    meta["object"],
                    float(node["valid_from"]) / DAY,
                    float(node["valid_to"]) / DAY,
                )
            )
        return sorted(out, key=lambda f: (f[3], f))

    def open(self) -> set[tuple[str, str, str]]:
        return {fact[:3] for fact in self.facts() if fact[4] == NEVER}

    def reasons(self, rule: str) -> list[dict]:
        return [r for d in self.deltas for r in d.reasons if r["rule"] == rule]

    def broken_slots(self) -> list[int]:
        """Slots with a fact marked ONE that is not the only open one there."""
        nodes = self.state.graph.nodes[self.state.graph.where(NodeKind.FACT)]
        open_ = nodes[nodes["valid_to"] == NEVER]
        broken = []
        for node in open_[(open_["flags"] & NodeFlag.ONE) != 0]:
            same = (open_["slot"] == node["slot"]) & (open_["subject"] == node["subject"])
            if np.count_nonzero(same) > 1:
                broken.append(int(node["id"]))
        return broken


def add(subject: str, relation: str, object_: str, **more) -> Operation:
    """An ADD; times in days."""
    return _operation(Act.ADD, subject, relation, object_, **more)


def update(subject: str, relation: str, object_: str, **more) -> Operation:
    """An UPDATE; times in days."""
    return _operation(Act.UPDATE, subject, relation, object_, **more)


def retract(subject: str, relation: str, object_: str = "", **more) -> Operation:
    """A RETRACT; times in days."""
    return _operation(Act.RETRACT, subject, relation, object_, **more)


def note(text: str, **more) -> Operation:
    """A NOTE."""
    return Operation(act=Act.NOTE, text=text, **more)


def _operation(act, subject, relation, object_, since=None, until=None, **more) -> Operation:
    return Operation(
        act=act,
        subject=subject,
        relation=relation,
        object=object_,
        valid_from=None if since is None else since * DAY,
        valid_to=None if until is None else until * DAY,
        **more,
    )
