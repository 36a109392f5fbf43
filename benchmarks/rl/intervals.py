"""Gains with their intervals: a paired bootstrap over samples and seeds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags_lab.evaluation.metrics import Interval

DRAWS = 2_000


def level(values: NDArray[np.float64], *, seed: int = 0) -> Interval:
    """The mean of (seeds, samples) values; every seed was measured on the same samples.

    Seeds and samples are drawn with replacement, independently of each other, so the interval
    speaks of other trainings and of other samples (Owen 2007, "The pigeonhole bootstrap").
    """
    if values.ndim != 2 or not values.size:
        raise ValueError(f"values should be (seeds, samples), not {values.shape}")
    seeds, samples = values.shape
    rng = np.random.default_rng(seed)
    by_seed = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=DRAWS) / seeds
    by_sample = rng.multinomial(samples, np.full(samples, 1 / samples), size=DRAWS) / samples
    means = np.einsum("ds,sn,dn->d", by_seed, values, by_sample, optimize=True)
    low, high = np.percentile(means, (2.5, 97.5))
    return Interval(mean=float(values.mean()), low=float(low), high=float(high), n=values.size)


def gain(before: NDArray[np.float64], after: NDArray[np.float64], *, seed: int = 0) -> Interval:
    """How much higher `after` is than `before`, pair by pair; both (seeds, samples)."""
    if before.shape != after.shape:
        raise ValueError(f"{before.shape} and {after.shape} are no pairs")
    return level(after - before, seed=seed)
