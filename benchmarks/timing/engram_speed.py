"""How long writing takes, stage by stage, in milliseconds of processor time.

    python -m benchmarks.timing.engram_speed [--nodes 1000,10000,100000] [--turns 300]

Talks between two people each, with about two facts a turn that the rules read, are observed
until the memory has that many nodes; then further turns are written and every stage is timed:
the median of each. Vectors are made of the words, and making them is in no figure. Prints one
JSON object a size: `fsync_ms` is the wall time of ending a transaction; `replay_*_ms` a turn's
share of the replay that opens a memory without a checkpoint. `digest` is of all that
the turns left behind: equal digests, equal results (up to 20,000 nodes; above, the order in
which threads build the HNSW graph decides ties).
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mags.engram.engram import Engram
from mags.engram.view import WriteMoment
from mags.graph.delta import Delta, Draft, decode, encode
from mags.graph.graph import Graph
from mags.index.state import State
from mags.memory.live import Live
from mags.memory.observing import leave_window
from mags.memory.reading import recent_turns, session_hash
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Turn, Writing
from mags.store.sqlite import SqliteStore

SIZES = (1_000, 10_000, 100_000)
DIMENSION = 384
WINDOW = 8
SESSION = 20  # turns a session
TALK = 400  # turns of the same two people
BATCH = 64  # turns a transaction while the memory is built
_COMMON = 3  # words up to this length weigh little

_NAMES = "Ana Ben Cleo Dan Eva Finn Gail Hugo Iris Jon Kira Leo Mona Nick Olga Paul Rosa Sven"
_TOWNS = "Oslo Rome Bergen Lyon Turin Porto Vienna Leeds Ghent Basel Malmo Cork Graz Bonn Pisa"
_FIRMS = "Norda Helix Pendo Quarta Brimo Sandvik Ostara Veltro Kappa Lumen"
_TASTES = "jazz chess sushi hiking pottery poetry sailing tennis baking gardening painting running"
_KIN = "sister brother mother father cousin friend neighbour colleague"
_PETS = "dog cat rabbit parrot"
_FORMS = (
    "My {kin} {name} moved to {town} last month. She works at {firm}.",
    "I love {taste} and I live in {town} now.",
    "{name} works at {firm}, and my {kin} {other} likes {taste}.",
    "I have a {pet} named {other}. We went to {town} on Saturday.",
    "Hey! I met {name} in {town} yesterday, and {name} plays tennis. How was your {taste} class?",
    "I started {taste} two weeks ago. It helps me relax after work at {firm}.",
    "That sounds great! I enjoy {taste} too, and my {kin} lives in {town}.",
    "{name} studied in {town} and is married to {other}.",
    "What did {name} say about {taste}?",
    "I want to visit {town} next summer because my {kin} {name} loves {taste}.",
    "My favourite food is sushi, and my {kin} {name} hates {taste}.",
    "I no longer work at {firm}. I work at {firm2} since May.",
)
T = TypeVar("T")


def talk(seed: int) -> Iterator[Turn]:
    """Turns of talks between two people each, for ever."""
    rng = random.Random(seed)
    for number in itertools.count():
        pair = [f"{name}{number // TALK}" for name in ("Caroline", "Marvin")]
        values = {
            "name": f"{rng.choice(_NAMES.split())}{rng.randrange(10)}",
            "other": f"{rng.choice(_NAMES.split())}{rng.randrange(10)}",
            "town": rng.choice(_TOWNS.split()),
            "firm": rng.choice(_FIRMS.split()),
            "firm2": rng.choice(_FIRMS.split()),
            "taste": rng.choice(_TASTES.split()),
            "kin": rng.choice(_KIN.split()),
            "pet": rng.choice(_PETS.split()),
        }
        yield Turn(
            text=rng.choice(_FORMS).format(**values),
            speaker=pair[number % 2],
            at=1.7e9 + 600.0 * number,
            session=f"s{number // SESSION}",
        )


class WordEmbedder:
    """An embedder port without a model: the sum of a text's word vectors, kept by text."""

    name = "word-sums"
    dimension = DIMENSION

    def __init__(self) -> None:
        self._words: dict[str, NDArray[np.float32]] = {}
        self._texts: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of shape (len(texts), 384)."""
        return np.stack([self._text(text) for text in texts])

    def _text(self, text: str) -> NDArray[np.float32]:
        if text not in self._texts:
            total = np.sum([self._word(w) for w in text.lower().split() or [""]], axis=0)
            self._texts[text] = total / np.linalg.norm(total)
        return self._texts[text]

    def _word(self, word: str) -> NDArray[np.float32]:
        if word not in self._words:
            rng = np.random.default_rng(zlib.crc32(word.encode()))
            weight = 0.3 if len(word) <= _COMMON else 1.0
            self._words[word] = (weight * rng.standard_normal(DIMENSION)).astype(np.float32)
        return self._words[word]


class Stages:
    """Processor time by name of stage."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = {}

    def timed(self, name: str, work: Callable[[], T]) -> T:
        """What `work` returns; its milliseconds are noted."""
        began = time.thread_time()
        out = work()
        self.spent.setdefault(name, []).append(1000 * (time.thread_time() - began))
        return out

    def medians(self) -> dict[str, float]:
        """Stage -> median in ms."""
        return {f"{name}_ms": round(float(np.median(ms)), 3) for name, ms in self.spent.items()}


class TimedWriter:
    """Writes turns as `Memory.observe` does, every stage timed."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.stages = Stages()
        self.deltas: list[Delta] = []
        self.facts = 0
        self._policy = RulePolicy()
        self._engram = Engram()
        self._digest = hashlib.blake2b(digest_size=16)

    def read(self, turn: Turn) -> tuple[Writing, dict[str, NDArray[np.float16]]]:
        """What the rules make of a turn, and the vectors that it needs."""
        timed, state = self.stages.timed, self.live.state
        recent = timed("recent", lambda: self._recent(turn))
        writing = timed("policy", lambda: self._policy.write(turn, recent, ()))
        texts = timed("texts", lambda: self._engram.texts(state, turn, writing))
        return writing, self.live.embed(texts)

    def write(self, turn: Turn) -> None:
        """One turn, inside `writing()`."""
        timed, live, state = self.stages.timed, self.live, self.live.state
        writing, vectors = self.read(turn)
        draft = Draft(state.graph)
        previous = state.episodes.recent(1, session_hash(state, turn.session))
        moment = WriteMoment(
            ids=live.ids,
            now_s=turn.at + 1.0,
            tick=state.graph.tick + 1,
            vectors=vectors,
            previous=previous[0] if previous else None,
        )
        timed("window", lambda: leave_window(draft, state, WINDOW))
        done = timed("inscribe", lambda: self._engram.inscribe(draft, state, turn, writing, moment))
        delta = timed(
            "delta",
            lambda: draft.delta("observe", recorded_at=turn.at + 1.0, tick_after=moment.tick),
        )
        timed("commit", lambda: live.commit(delta))
        self.facts += len(done.facts) + len(done.confirmed)
        self._keep(delta)

    def _keep(self, delta: Delta) -> None:
        self.deltas.append(delta)
        self._digest.update(encode(delta))
        for content in delta.contents:
            self._digest.update(repr((content.id, content.text, dict(content.meta))).encode())

    def _recent(self, turn: Turn) -> list[Turn]:
        state = self.live.state
        return recent_turns(state, WINDOW, turn.session)

    def digest(self) -> str:
        """A hash of the graph and of every Delta so far."""
        return f"{self.live.state.graph.digest()}-{self._digest.hexdigest()}"


def measure(nodes: int, count: int, folder: Path) -> dict[str, float | str]:
    """Build a memory of that many nodes, then write `count` turns one by one."""
    store = SqliteStore.open(folder / f"{nodes}.mags")
    store.facts.put("secret", "00" * 16)  # the same hashes in every run
    live = Live(store, WordEmbedder(), lambda: 0.0)
    turns_ = talk(seed=1)
    writer = TimedWriter(live)
    began = time.thread_time()
    while len(live.state.graph) < nodes:
        with live.writing():
            for turn in itertools.islice(turns_, BATCH):
                writer.write(turn)
        if live.state.vectors.stale:
            live.checkpoint()
    built = len(writer.deltas)
    facts: dict[str, float | str] = {
        "nodes": len(live.state.graph),
        "bulk_turn_ms": round(1000 * (time.thread_time() - began) / max(built, 1), 3),
    }
    replay = _replay(writer.deltas, live.state)
    writer.stages, writer.facts = Stages(), 0
    durable = []
    for turn in itertools.islice(turns_, count):
        with live.writing():
            writer.write(turn)
            wall = time.perf_counter()
        durable.append(1000 * (time.perf_counter() - wall))
    facts["facts_a_turn"] = writer.facts / count
    facts |= writer.stages.medians()
    facts |= _parts(writer.deltas[-count:], live.state)
    facts["fsync_ms"] = round(float(np.median(durable)), 3)
    facts |= replay
    facts["digest"] = writer.digest()
    live.close()
    return facts


def _parts(deltas: Sequence[Delta], state: State) -> dict[str, float]:
    """What a commit is made of, on a copy of the graph, undone and done again."""
    stages = Stages()
    for delta in reversed(deltas):
        back = delta.inverse()
        stages.timed("graph_undo", lambda back=back: state.graph.apply(back))  # type: ignore[misc]
    for delta in deltas:
        stages.timed("encode", lambda delta=delta: encode(delta))  # type: ignore[misc]
        stages.timed("graph_apply", lambda delta=delta: state.graph.apply(delta))  # type: ignore[misc]
    return stages.medians()


def _replay(deltas: Sequence[Delta], state: State) -> dict[str, float]:
    """Mean ms a turn of decoding its Delta, and of applying it to an empty graph."""
    entries = [encode(delta) for delta in deltas]
    began = time.thread_time()
    read = [decode(entry) for entry in entries]
    decoded = time.thread_time()
    graph = Graph()
    for delta in read:
        graph.apply(delta)
    ended = time.thread_time()
    if graph.digest() != state.graph.digest():
        raise AssertionError("the journal does not make the graph that wrote it")
    each = 1000 / max(len(deltas), 1)
    return {
        "replay_decode_ms": round(each * (decoded - began), 3),
        "replay_graph_ms": round(each * (ended - decoded), 3),
    }


def main(arguments: Sequence[str]) -> int:
    """Print one JSON object a size; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.timing.engram_speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--nodes", default=",".join(map(str, SIZES)))
    parser.add_argument("--turns", type=int, default=300, help="turns that are timed")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        measure(200, 20, Path(folder))  # compiles and loads what is not a matter of size
        for nodes in options.nodes.split(","):
            print(json.dumps(measure(int(nodes), options.turns, Path(folder))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
