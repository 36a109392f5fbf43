"""Days and nights of a memory: asked, told what carried the answer, asleep.

The answerer is not what is measured: it cites, of what it is offered, what truly is evidence, as
a reader would who checks. A question counts as it is found before its own answer.
"""

from __future__ import annotations

import itertools
import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import mags
from benchmarks.use.streams import Ask, Stream
from mags.graph.delta import Delta
from mags.memory.memory import Memory
from mags.models.policy.rules import RulePolicy
from mags.ports import policy as port
from mags.ports.answer import Answer, ContextItem, OnText, RecallAgain
from mags.ports.embedder import Embedder
from mags.settings import Settings
from mags_lab.evaluation.metrics import recall_at

OFFERED = 20
"""Hits an answer is made from: recall@10 of turns needs more, since facts are hits too."""

CITED_FROM = 12
"""Of these, so many are read before an answer is given (the default of `answer_k`)."""


@dataclass(slots=True)
class Citing:
    """An answerer that cites the evidence among the first memories it is offered."""

    told_by: Mapping[int, frozenset[str]]
    gold: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """What it is."""
        return "cites evidence"

    def answer(
        self,
        question: port.Turn,
        items: Sequence[ContextItem],
        *,
        recent: Sequence[port.Turn],
        recall_again: RecallAgain,
        on_text: OnText | None = None,
    ) -> Answer:
        """Cite, of the first items that are no part of another, those that rest on evidence."""
        read = [item for item in items if item.within is None][:CITED_FROM]
        right = [item.id for item in read if self.told_by.get(item.id, frozenset()) & self.gold]
        return Answer(text="", citations=tuple(right), support=float(bool(right)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldMemory:
    """A memory on disk that was told a stream, and the turns that each of its nodes rests on."""

    path: Path
    told_by: Mapping[int, frozenset[str]]
    turn_of: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLife:
    """How a memory lives: blocks of questions, and ticks that pass between them otherwise."""

    nights: int = 8
    ticks: int = 200
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFound:
    """One question: what of its evidence came back, and whether that was cited before."""

    ask: Ask
    at5: float
    at10: float
    again: bool


@dataclass(slots=True)
class Lived:
    """All questions in the order they were asked, and what the memory had become by then."""

    found: list[EvidenceFound] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)


def tell(stream: Stream, embedder: Embedder, path: Path, settings: Settings) -> ToldMemory:
    """Tell a stream to a memory at `path`; the policy of rules writes."""
    memory = opened(path, embedder, settings, None)
    seen = memory.observe_many(
        port.Turn(text=t.text, speaker=t.speaker, at=t.at.timestamp(), session=t.session)
        for t in stream.turns
    )
    told: dict[int, set[str]] = {}
    turn_of = {}
    for one, turn in zip(seen, stream.turns, strict=True):
        turn_of[one.episode_id] = turn.id
        for node in (one.episode_id, *one.facts, *one.notes, *one.confirmed):
            told.setdefault(node, set()).add(turn.id)
    memory.close()
    return ToldMemory(
        path=path, told_by={i: frozenset(t) for i, t in told.items()}, turn_of=turn_of
    )


def live(
    stream: Stream, told: ToldMemory, embedder: Embedder, settings: Settings, life: MemoryLife
) -> Lived:
    """Ask everything of a copy of a told memory, night after night."""
    path = told.path.with_name("lived.mags")
    shutil.copy(told.path, path)
    citing = Citing(told.told_by)
    memory = opened(path, embedder, settings, citing)
    asks = list(stream.asks)
    random.Random(life.seed).shuffle(asks)
    lived, cited = Lived(), set[str]()
    recalled = slept = 0.0
    size = -(-len(asks) // life.nights)
    for start in range(0, len(asks), size):
        for ask in asks[start : start + size]:
            citing.gold = ask.gold
            began = time.process_time()
            found = memory.recall(ask.text, k=OFFERED)
            recalled += time.process_time() - began
            ranked = _turns(found, told)
            again = bool(ask.gold & cited)
            at5, at10 = (recall_at(ranked, ask.gold, k) for k in (5, 10))
            lived.found.append(EvidenceFound(ask=ask, at5=at5, at10=at10, again=again))
            memory.ask(ask.text, k=OFFERED)
            cited |= ask.gold
        pass_time(memory, life.ticks)
        began = time.process_time()
        if settings.memory.sleep_every:
            memory.sleep()
        slept += time.process_time() - began
    lived.facts = _size(memory)
    lived.facts |= {
        "recall_ms": 1000 * recalled / len(asks),
        "sleep_ms": 1000 * slept / life.nights,
    }
    memory.close()
    return lived


def pass_time(memory: Memory, ticks: int) -> None:
    """Let ticks pass, as turns about other things would, without their nodes."""
    if not ticks:
        return
    inner = memory._live
    with inner.writing() as state:
        tick = state.graph.tick
        inner.commit(Delta(kind="ask", base=state.seq, tick_before=tick, tick_after=tick + ticks))


def _turns(found: mags.Found, told: ToldMemory) -> list[str]:
    """Turns, best first: a hit's own episode, then those it rests on."""
    out: dict[str, None] = {}
    for hit in found.hits:
        own = (hit.id,) if hit.kind == "episode" else ()
        out.update(dict.fromkeys(told.turn_of[i] for i in (*own, *hit.episode_ids)))
    return list(out)


def _size(memory: Memory) -> dict[str, float]:
    stats = memory.stats()
    return {
        "nodes": sum(stats.nodes.values()),
        "themes": stats.nodes["theme"],
        "associations": stats.arcs["association"],
        "arcs": sum(stats.arcs.values()),
        "memory_kb": stats.bytes_in_memory / 1024,
    }


def opened(path: Path, embedder: Embedder, settings: Settings, answerer: Citing | None) -> Memory:
    """A memory of its own policy of rules; its clock counts."""
    seconds = itertools.count(1_900_000_000)
    clock: Callable[[], float] = lambda: float(next(seconds))  # noqa: E731
    return mags.open(
        path,
        embedder=embedder,
        policy=RulePolicy(),
        answerer=answerer,
        settings=settings,
        clock=clock,
    )
