"""Improvement over another player, with an interval over seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mags.errors import InvalidInput
from mags_lab.evaluation.metrics import Interval, bootstrap


def improvement(
    ours: Sequence[float], theirs: Sequence[float], *, seed: int = 0, draws: int = 2_000
) -> Interval:
    """100 (mean of ours / mean of theirs - 1), with a 95% bootstrap interval over seeds.

    Scores of the same seeds, in the same order: seeds are drawn in pairs, `draws` times (Efron,
    1979). Raises InvalidInput where there is no seed, or theirs never scored.
    """
    ours_of, theirs_of = _pairs(ours, theirs)
    if theirs_of.mean() <= 0.0:
        raise InvalidInput("an improvement over nothing is no number: the other never scored")
    drawn = np.random.default_rng(seed).integers(0, len(ours_of), (draws, len(ours_of)))
    below = theirs_of[drawn].mean(axis=1)
    above = ours_of[drawn].mean(axis=1)
    ratios = 100.0 * (above[below > 0.0] / below[below > 0.0] - 1.0)
    low, high = np.percentile(ratios, [2.5, 97.5])
    mean = 100.0 * (ours_of.mean() / theirs_of.mean() - 1.0)
    return Interval(mean=float(mean), low=float(low), high=float(high), n=len(ours_of))


def difference(ours: Sequence[float], theirs: Sequence[float]) -> Interval:
    """Mean of ours less theirs, seed by seed, with its 95% bootstrap interval."""
    ours_of, theirs_of = _pairs(ours, theirs)
    return bootstrap(list(ours_of - theirs_of))


def _pairs(
    ours: Sequence[float], theirs: Sequence[float]
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    if not ours or len(ours) != len(theirs):
        raise InvalidInput(
            f"{len(ours)} scores cannot be held against {len(theirs)}: give both for each seed",
            ours=len(ours),
            theirs=len(theirs),
        )
    return np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
