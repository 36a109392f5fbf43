"""Memories of any size for the timed runs: clustered vectors, words and links from a seed.

Half the nodes are episodes, a fifth entities, the rest facts, in topics of some
200 nodes. Structure and associations together give an average degree of 9.3, as
measured on real conversations. Nothing is embedded: vectors come from the seed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Changes, Delta
from mags.graph.records import ARC, NEVER, NODE, ArcKind, Content, NodeKind

DIMENSION = 384
TOPIC = 200  # nodes a topic
_ARCS_A_NODE = 4.65  # half the average degree
_NOISE = 0.8
_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
_BEGAN = 1_700_000_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphShape:
    """How large, and from which seed; ids run from `first_id`."""

    nodes: int
    seed: int = 0
    first_id: int = 1

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return max(1, self.nodes // TOPIC)


class TopicEmbedder:
    """An embedder port without a model: a text that begins with `t<n>` lies near topic n."""

    name = "synthetic-topics"
    dimension = DIMENSION

    def __init__(self, shape: GraphShape) -> None:
        self._centres = centres(shape)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of shape (len(texts), 384)."""
        topics = [self._topic(text) for text in texts]
        seeds = [zlib.crc32(text.encode()) for text in texts]
        noise = np.stack([np.random.default_rng(s).standard_normal(DIMENSION) for s in seeds])
        return _near(self._centres[topics], noise)

    def _topic(self, text: str) -> int:
        head = text.split(" ", 1)[0][1:]
        number = int(head) if head.isdecimal() else zlib.crc32(text.encode())
        return number % len(self._centres)


def centres(shape: GraphShape) -> NDArray[np.float32]:
    """Unit vectors of the topics, shape (topics, 384)."""
    rng = np.random.default_rng([shape.seed, 1])
    return _near(rng.standard_normal((shape.topics, DIMENSION)), np.zeros(DIMENSION))


def deltas(shape: GraphShape, chunk: int = 10_000) -> Iterator[Delta]:
    """Yield Deltas of at most `chunk` nodes, each with its words, vectors and arcs.

    Topics are spread over time, so arcs join nodes of one topic that are there already.
    """
    middle = centres(shape)
    rng = np.random.default_rng([shape.seed, 2])
    seen: list[NDArray[np.int64]] = []
    for start in range(0, shape.nodes, chunk):
        count = min(chunk, shape.nodes - start)
        ids = np.arange(start, start + count, dtype=np.int64) + shape.first_id
        topics = (ids - shape.first_id) % shape.topics
        kinds = _kinds(shape, ids, rng)
        vectors = _near(middle[topics], rng.standard_normal((count, DIMENSION)))
        seen.append(kinds)
        arcs = _arcs(shape, ids, np.concatenate(seen), rng)
        yield Delta(
            kind="import",
            recorded_at=_BEGAN + start + count,
            tick_before=start,
            tick_after=start + count,
            nodes=_created(NODE, _nodes(shape, ids, kinds, arcs, rng)),
            arcs=_created(ARC, arcs),
            contents=tuple(_contents(ids, topics, kinds, vectors, rng)),
        )


def question(topic: int, rng: np.random.Generator) -> str:
    """Words that a topic's texts hold, beginning with the topic's mark."""
    return f"t{topic} {_words(topic, rng)}"


def _kinds(
    shape: GraphShape, ids: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Of each topic the first node is an entity and the second an episode; the rest by chance."""
    choice = [int(NodeKind.EPISODE), int(NodeKind.ENTITY), int(NodeKind.FACT)]
    kinds = rng.choice(choice, len(ids), p=[0.5, 0.2, 0.3])
    place = (ids - shape.first_id) // shape.topics
    kinds[place == 0] = NodeKind.ENTITY
    kinds[place == 1] = NodeKind.EPISODE
    return kinds.astype(np.int64)


def _nodes(
    shape: GraphShape,
    ids: NDArray[np.int64],
    kinds: NDArray[np.int64],
    arcs: NDArray[np.void],
    rng: np.random.Generator,
) -> NDArray[np.void]:
    rows = np.zeros(len(ids), NODE)
    age = (ids - shape.first_id).astype(np.float64)
    rows["id"], rows["kind"], rows["content"] = ids, kinds, ids
    for field, kind in (("subject", ArcKind.SUBJECT), ("object", ArcKind.OBJECT)):
        drawn = arcs[arcs["kind"] == kind]
        rows[field][drawn["src"] - ids[0]] = drawn["dst"]
    episode = kinds == NodeKind.EPISODE
    rows["subject"][episode] = shape.first_id + (ids[episode] - shape.first_id) % shape.topics
    rows["session"] = np.where(kinds == NodeKind.EPISODE, ids // 20 + 1, 0)
    rows["slot"] = np.where(kinds == NodeKind.FACT, rng.integers(1, 2**62, len(ids)), 0)
    rows["strength"], rows["confidence"] = rng.uniform(0.2, 1, len(ids)), 0.9
    rows["strength_tick"] = rows["last_used_tick"] = ids - shape.first_id
    rows["importance"] = rng.uniform(0, 0.5, len(ids))
    rows["valid_from"] = rows["recorded_at"] = _BEGAN + age
    rows["valid_to"] = rows["closed_at"] = NEVER
    rows["low_degree_since_tick"] = -1
    return rows


def _arcs(
    shape: GraphShape, ids: NDArray[np.int64], kinds: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.void]:
    """Arcs from the new nodes to earlier ones of their topic; `kinds` is of all so far."""
    mine = kinds[ids - shape.first_id]
    made = []
    for kind, sources, target, each in (
        (ArcKind.NEXT, NodeKind.EPISODE, NodeKind.EPISODE, 1.0),
        (ArcKind.MENTIONS, NodeKind.EPISODE, NodeKind.ENTITY, 2.0),
        (ArcKind.SUBJECT, NodeKind.FACT, NodeKind.ENTITY, 1.0),
        (ArcKind.OBJECT, NodeKind.FACT, NodeKind.ENTITY, 1.0),
        (ArcKind.SOURCE, NodeKind.FACT, NodeKind.EPISODE, 1.0),
        (ArcKind.ASSOCIATION, None, None, _ARCS_A_NODE - 2.4),
    ):
        from_ids = ids if sources is None else ids[mine == sources]
        times = (each + rng.random(len(from_ids))).astype(np.int64)
        made.append(_links(shape, kind, np.repeat(from_ids, times), kinds, rng, target))
    rows = np.concatenate(made)
    identity = rows[["src", "dst", "kind"]]
    _, first = np.unique(identity, return_index=True)
    return rows[np.sort(first)]


def _links(
    shape: GraphShape,
    kind: ArcKind,
    src: NDArray[np.int64],
    kinds: NDArray[np.int64],
    rng: np.random.Generator,
    target: NodeKind | None,
) -> NDArray[np.void]:
    """One arc from each of `src` to a node of its topic, kept where the target's kind fits."""
    here = src - shape.first_id
    topic, earlier = here % shape.topics, here // shape.topics
    there = topic + (rng.random(len(src)) * earlier).astype(np.int64) * shape.topics
    for _ in range(4 if target is not None else 0):  # draw again where the kind does not fit
        fresh = topic + (rng.random(len(src)) * earlier).astype(np.int64) * shape.topics
        there = np.where(kinds[there] == target, there, fresh)
    if target is not None:  # the first nodes of a topic always fit
        first = topic + (target == NodeKind.EPISODE) * shape.topics
        there = np.where(kinds[there] == target, there, np.minimum(first, len(kinds) - 1))
    fits = there < here
    rows = np.zeros(int(fits.sum()), ARC)
    rows["src"], rows["dst"], rows["kind"] = src[fits], there[fits] + shape.first_id, kind
    liquid = kind == ArcKind.ASSOCIATION
    rows["w"] = rng.uniform(0.05, 0.9, len(rows)) if liquid else 1.0
    rows["t0"] = rows["src"] - shape.first_id
    return rows


def _contents(
    ids: NDArray[np.int64],
    topics: NDArray[np.int64],
    kinds: NDArray[np.int64],
    vectors: NDArray[np.float32],
    rng: np.random.Generator,
) -> Iterator[Content]:
    half = vectors.astype(np.float16)
    for row, (node, topic, kind) in enumerate(zip(ids, topics, kinds, strict=True)):
        text = f"t{topic} {_words(int(topic), rng)}"
        meta: dict[str, object] = {}
        if kind == NodeKind.EPISODE:
            meta = {"speaker": f"speaker {topic % 50}", "session": f"s{node // 20}"}
        elif kind == NodeKind.ENTITY:
            text = f"{_word(int(node)).capitalize()} {_word(int(topic) + 9000).capitalize()}"
            meta = {"name": text, "aliases": []}
        else:
            meta = {"subject": f"n{topic}", "relation": "knows", "object": text, "qualifiers": {}}
        yield Content(id=int(node), node=int(node), text=text, meta=meta, vector=half[row])


def _words(topic: int, rng: np.random.Generator) -> str:
    """Six words of the topic's own forty, and three of everybody's thousands."""
    own = topic * 40 + rng.integers(0, 40, 6)
    common = rng.zipf(1.3, 3) % 5000
    return " ".join([*(_word(int(n) + 5000) for n in own), *(_word(int(n)) for n in common)])


def _word(number: int) -> str:
    base = len(_SYLLABLES)
    parts = []
    for _ in range(4):
        number, rest = divmod(number, base)
        parts.append(_SYLLABLES[rest])
    return "".join(parts)


def _near(middle: NDArray[np.floating], noise: NDArray[np.floating]) -> NDArray[np.float32]:
    """Unit vectors: `middle` scaled to length one, plus `noise` of a typical length of .8."""
    unit = middle / np.linalg.norm(middle, axis=-1, keepdims=True)
    moved = unit + noise * (_NOISE / np.sqrt(DIMENSION))
    return (moved / np.linalg.norm(moved, axis=-1, keepdims=True)).astype(np.float32)


def _created(dtype: np.dtype[np.void], rows: NDArray[np.void]) -> Changes:
    blank = np.zeros(len(rows), dtype)
    for name in ("id",) if dtype == NODE else ("src", "dst", "kind"):
        blank[name] = rows[name]
    absent = np.zeros(len(rows), np.bool_)
    return Changes(before=blank, after=rows, had=absent, has=~absent)
