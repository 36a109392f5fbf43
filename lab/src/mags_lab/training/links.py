"""A memory's links as pairs of rows, and how well held-out ones are told from what is no link."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mags.engram.attention import AttentionWeights, scores
from mags.engram.settings import AttentionSettings
from mags.errors import InvalidInput
from mags.graph.records import ArcKind

FEWEST = 20
"""Pairs below which there is nothing to learn or to measure."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Links:
    """`vectors`: float32 (n, d), unit rows in order of birth; `pairs`: int64 (m, 2), newer first.

    `known`: every pair of the memory, so that none passes for a negative.
    """

    vectors: NDArray[np.float32]
    pairs: NDArray[np.int64]
    known: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choices:
    """`new`: int64 (b,); `others`: int64 (b, k), rows of candidates, the linked one first."""

    new: NDArray[np.int64]
    others: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arcs:
    """The arcs of a memory: `ends` int64 (2, m), rows; `kinds` and `uses` int64 (m,)."""

    ends: NDArray[np.int64]
    kinds: NDArray[np.int64]
    uses: NDArray[np.int64]


def links_of(vectors: NDArray[np.float32], arcs: Arcs, born: NDArray[np.int64]) -> Links:
    """Links from a memory's nodes and arcs; `born`: int64 (n,), ids, which grow with time.

    Structure counts, and so do associations that were ever used: those only born, by attention
    or by nearness, say how this memory links now, not how it should. Nodes without a vector are
    left out. Raises InvalidInput where there are too few.
    """
    rank = np.empty(len(born), np.int64)
    order = np.argsort(born)
    rank[order] = np.arange(len(born))
    there = np.einsum("ij,ij->i", vectors, vectors) > 0
    proven = (arcs.kinds != int(ArcKind.ASSOCIATION)) | (arcs.uses > 0)
    sane = there[arcs.ends].all(0) & (arcs.ends[0] != arcs.ends[1])
    ends = rank[arcs.ends[:, proven & sane]]
    pairs = np.unique(np.stack([ends.max(0), ends.min(0)], axis=1), axis=0)
    if len(pairs) < FEWEST:
        raise InvalidInput(
            f"This memory has {len(pairs)} links; a linker needs {FEWEST}: observe more first.",
            links=len(pairs),
        )
    known = frozenset((int(a), int(b)) for a, b in pairs)
    return Links(vectors=vectors[order], pairs=pairs, known=known)


def held_out(links: Links, share: float, seed: int) -> tuple[Links, Links]:
    """Split the pairs by chance: those to learn from, and `share` of them held out.

    Who learns knows nothing of what is held out: it may pass for a negative.
    """
    order = np.random.default_rng(seed).permutation(len(links.pairs))
    cut = max(1, round(share * len(order)))
    kept, out = np.sort(order[cut:]), np.sort(order[:cut])
    pairs = links.pairs[kept]
    known = frozenset((int(a), int(b)) for a, b in pairs)
    return replace(links, pairs=pairs, known=known), replace(links, pairs=links.pairs[out])


def choices(
    links: Links, pairs: NDArray[np.int64], k: int, near: float, rng: np.random.Generator
) -> Choices:
    """Each pair's newer node before k candidates, its partner first, the others no links of it.

    A share `near` of the others is drawn from the 4k nodes nearest to the new one, the rest from
    all. Where all but a few nodes are linked, a negative may come twice.
    """
    count = len(links.vectors)
    new = pairs[:, 0]
    others = np.empty((len(pairs), k), np.int64)
    others[:, 0] = pairs[:, 1]
    pool = nearest(links.vectors, new, min(4 * k, count - 1))
    close = round(near * (k - 1))
    for row, node in enumerate(new):
        drawn = np.concatenate([rng.permutation(pool[row]), rng.integers(count, size=8 * k)])
        free = [int(o) for o in drawn if o != node and not _linked(links, int(node), int(o))]
        split = sum(1 for o in drawn[: len(pool[row])] if not _linked(links, int(node), int(o)))
        picked = [*free[: min(close, split)], *free[split:]][: k - 1] or [int(pool[row][-1])]
        others[row, 1:] = np.resize(picked, k - 1)
    return Choices(new=new, others=others)


def nearest(
    vectors: NDArray[np.float32], rows: NDArray[np.int64], k: int, block: int = 512
) -> NDArray[np.int64]:
    """The k rows nearest to each of `rows` by cosine, itself left out, nearest first."""
    out = np.empty((len(rows), k), np.int64)
    for start in range(0, len(rows), block):
        some = rows[start : start + block]
        cosines = vectors[some] @ vectors.T
        cosines[np.arange(len(some)), some] = -2.0
        best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        place = np.argsort(-np.take_along_axis(cosines, best, 1), axis=1, kind="stable")
        out[start : start + block] = np.take_along_axis(best, place, 1)
    return out


def _linked(links: Links, a: int, b: int) -> bool:
    return (max(a, b), min(a, b)) in links.known


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkScores:
    """Of one way to link, over held-out links, each among the candidates of its newer node.

    `auc`: share of random negatives ranked below the link (a tie counts half), the mean over
    links; `auc_near`: the same with negatives from among the nearest; `first`: share of links
    ranked above all near negatives.
    """

    auc: float
    auc_near: float
    first: float


def measure(
    links: Links,
    out: Links,
    weights: AttentionWeights,
    settings: AttentionSettings,
    seed: int = 0,
) -> dict[str, LinkScores]:
    """Figures of "trained", "cosine" and "neighbours" (1 / rank among the k nearest, else 0)."""
    rng = np.random.default_rng(seed)
    k = settings.candidates
    sets = [choices(links, out.pairs, k, near, rng) for near in (0.0, 1.0)]

    def figures(scored: list[NDArray[np.float32]]) -> LinkScores:
        far, near = scored
        first = np.mean(near[:, :1] > near[:, 1:].max(1, keepdims=True))
        return LinkScores(auc=auc(far), auc_near=auc(near), first=float(first))

    return {
        "trained": figures([_attention(links, one, settings, weights) for one in sets]),
        "cosine": figures([_attention(links, one, settings, None) for one in sets]),
        "neighbours": figures([_ranked(links, one, k) for one in sets]),
    }


def auc(scored: NDArray[np.float32]) -> float:
    """Area under the ROC curve of each row, (b, k), its first column the link; the mean."""
    link, others = scored[:, :1], scored[:, 1:]
    return float(np.mean((link > others) + 0.5 * (link == others)))


def _attention(
    links: Links, shown: Choices, settings: AttentionSettings, weights: AttentionWeights | None
) -> NDArray[np.float32]:
    vectors = links.vectors
    return np.stack(
        [
            scores(vectors[new], vectors[others], settings=settings, weights=weights)
            for new, others in zip(shown.new, shown.others, strict=True)
        ]
    )


def _ranked(links: Links, shown: Choices, k: int) -> NDArray[np.float32]:
    near = nearest(links.vectors, shown.new, min(k, len(links.vectors) - 1))
    same = shown.others[:, :, None] == near[:, None, :]
    return np.asarray((same / np.arange(1, near.shape[1] + 1)).sum(2), np.float32)
