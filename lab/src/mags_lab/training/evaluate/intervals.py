"""Means and ratios with their 95% bootstrap intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000
CHUNK = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioInterval:
    """A figure with its 95% bootstrap interval over `n` decisions."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        """In per cent: "87.5 (84.0-90.5)"."""
        return f"{100 * self.mean:.1f} ({100 * self.low:.1f}-{100 * self.high:.1f})"


def ratio(
    above: NDArray[np.float64], below: NDArray[np.float64], *, empty: float, seed: int
) -> RatioInterval:
    """Sum of `above` over sum of `below`, decisions resampled; both (n,).

    `empty`: the figure where nothing stands below.
    """
    count = len(above)
    rng = np.random.default_rng(seed)
    drawn = [
        _quotient(above[rows].sum(axis=1), below[rows].sum(axis=1), empty)
        for rows in (rng.integers(count, size=(CHUNK, count)) for _ in range(RESAMPLES // CHUNK))
    ]
    low, high = np.percentile(np.concatenate(drawn), (2.5, 97.5))
    whole = _quotient(above.sum(keepdims=True), below.sum(keepdims=True), empty)
    return RatioInterval(mean=float(whole[0]), low=float(low), high=float(high), n=count)


def mean(values: NDArray[np.float64], *, seed: int) -> RatioInterval:
    """The mean of (n,) values."""
    return ratio(values, np.ones_like(values), empty=0.0, seed=seed)


def _quotient(
    above: NDArray[np.float64], below: NDArray[np.float64], empty: float
) -> NDArray[np.float64]:
    safe = np.where(below == 0.0, 1.0, below)
    return np.where(below == 0.0, empty, above / safe)
