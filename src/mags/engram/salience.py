"""What a node is worth when it is written, and when it is confirmed."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mags.engram.settings import SalienceSettings
from mags.graph.charge import node_charge

MARKED = frozenset({"important", "pinned"})
"""Values of a turn's attribute `mark` by which the user marks it."""


def surprise(cosines: NDArray[np.float32], nll: float | None = None) -> float:
    """How little a text was to be expected, in [0, 1].

    1 - the greatest of `cosines` (1 where there is none); or, where the language model gave
    log-probabilities, 1 - exp(-nll) of the mean negative log-likelihood a token, in nats.
    """
    if nll is not None:
        return 1.0 - math.exp(-max(nll, 0.0))
    if not len(cosines):
        return 1.0
    return min(max(1.0 - float(cosines[0]), 0.0), 1.0)


def importance(settings: SalienceSettings, *, surprised: float, emphasis: float) -> float:
    """Salience when written, in [0, 1]: surprise and emphasis."""
    return min(settings.surprise * surprised + settings.emphasis * emphasis, 1.0)


def strength(settings: SalienceSettings, important: float) -> float:
    """Charge when written, in [0, 1]."""
    return settings.strength + (1.0 - settings.strength) * important


def recharge(settings: SalienceSettings, node: NDArray[np.void], tick: int) -> None:
    """Count a use of a NODE record, shape (1,), writable: its charge moves towards 1."""
    charge = float(node_charge(node, tick)[0])
    node["strength"] = charge + settings.recharge * (1.0 - charge)
    node["strength_tick"] = node["last_used_tick"] = tick
    node["uses"] += 1
