"""The measures, as pure functions over ranked ids.

`ranked` is always a list of ids, best first. A second occurrence of an id is ignored and takes no
place among the first k. `gold` is the set of ids that should be found; it must not be empty.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean with its 95% bootstrap interval over n cases."""

    mean: float
    low: float
    high: float
    n: int


def unique(ranked: Iterable[T], k: int) -> list[T]:
    """Return the first k different ids, in order."""
    return list(dict.fromkeys(ranked))[:k]


def recall_at(ranked: Sequence[T], gold: Collection[T], k: int) -> float:
    """Return the share of the gold ids that are among the first k."""
    _check(gold, k)
    return len(set(unique(ranked, k)) & set(gold)) / len(set(gold))


def hit_at(ranked: Sequence[T], gold: Collection[T], k: int) -> float:
    """Return 1.0 if any gold id is among the first k, else 0.0."""
    _check(gold, k)
    return float(not set(gold).isdisjoint(unique(ranked, k)))


def complete_at(ranked: Sequence[T], gold: Collection[T], k: int) -> float:
    """Return 1.0 if every gold id stands among the first k (the whole chain), else 0.0."""
    _check(gold, k)
    return float(set(gold) <= set(unique(ranked, k)))


def reciprocal_rank(ranked: Sequence[T], gold: Collection[T]) -> float:
    """Return 1 / rank of the first gold id, 0.0 if none is ranked; its mean is the MRR."""
    _check(gold, 1)
    for rank, identifier in enumerate(dict.fromkeys(ranked), start=1):
        if identifier in gold:
            return 1.0 / rank
    return 0.0


def ndcg_at(ranked: Sequence[T], gold: Collection[T], k: int) -> float:
    """Return the normalised discounted cumulative gain at k, gains 0 or 1.

    The gain at rank r is 1 / log2(r + 1). The sum is divided by that of the best possible order
    (Jarvelin and Kekalainen, 2002).
    """
    _check(gold, k)
    found = unique(ranked, k)
    gain = sum(1 / math.log2(r + 1) for r, i in enumerate(found, start=1) if i in gold)
    # With fewer than k gold ids, no ranking can have more gains than there are ids.
    best = sum(1 / math.log2(r + 1) for r in range(1, min(k, len(set(gold))) + 1))
    return gain / best


def comes_before(ranked: Sequence[T], first: T, second: T) -> float:
    """Return 1.0 if `first` is ranked and `second` is later or not at all, else 0.0."""
    order = {identifier: rank for rank, identifier in enumerate(dict.fromkeys(ranked))}
    if first not in order:
        return 0.0
    return float(second not in order or order[first] < order[second])


@dataclass(frozen=True, slots=True, kw_only=True)
class Closings:
    """How a memory's closings compare with those it should make.

    `wrong`: the share of things to keep open that it closed; `missed`: the share of things to
    close that it left open. Two numbers, since a memory that never closes anything has wrong 0
    and missed 1.
    """

    wrong: float
    missed: float


def closings(closed: Collection[T], *, due: Collection[T], keep: Collection[T]) -> Closings:
    """Compare what was `closed` with what was `due`, and with what was to be kept open (`keep`)."""
    _check(due, 1)
    done = set(closed)
    wrong = len(done & set(keep)) / len(set(keep)) if keep else 0.0
    return Closings(wrong=wrong, missed=len(set(due) - done) / len(set(due)))


def bootstrap(values: Sequence[float], *, seed: int = 0, draws: int = 2000) -> Interval:
    """Return the mean of `values` with its 95% percentile bootstrap interval.

    Cases are drawn with replacement, `draws` times (Efron, 1979). Raises `InvalidInput` if there
    is no case.
    """
    if not values:
        raise InvalidInput("there is no case to average; check the filter of the suite")
    array = np.asarray(values, dtype=np.float64)
    means = _resampled(len(array), seed, draws) @ array / len(array)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(mean=float(array.mean()), low=float(low), high=float(high), n=len(array))


# Cached, since many measures are averaged over the same cases.
@lru_cache(maxsize=4)
def _resampled(n: int, seed: int, draws: int) -> NDArray[np.float64]:
    """How often each of n cases is drawn, shape (draws, n)."""
    # Counts of a multinomial are a draw with replacement, and a product with them is one sum.
    rng = np.random.default_rng(seed)
    return rng.multinomial(n, np.full(n, 1 / n), size=draws).astype(np.float64)


def _check(gold: Collection[object], k: int) -> None:
    if not gold:
        raise InvalidInput("no gold id: leave the question out instead of scoring it")
    if k < 1:
        raise InvalidInput(f"k is {k}; it must be at least 1", k=k)
