"""The decay law: the charge of a stored weight at a later tick.

Weights are not rewritten as time goes by. A weight is stored with the tick `t0` at which it
was true and read as ``w * 2 ** (-(tick - t0) / h)`` with the half-life
``h = 1,000 ticks * (1 + log2(1 + uses)) * (1 + min(support, 4))``: use and being part of
triangles make it last longer. Solid arcs, structure and pinned nodes do not decay.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mags.compiling import kernel
from mags.graph.records import ArcKind

HALF_LIFE_TICKS = 1000.0
"""Half-life of a weight that was never used and is part of no triangle."""

SUPPORT_COUNTED = 4
"""More triangles than this do not lengthen the half-life further."""

STEADY = 1
"""The bit that stops decay: `ArcFlag.SOLID` of an arc, `NodeFlag.PINNED` of a node."""


# The law stands here twice: kernels that walk the graph need one weight at a time, the rules of
# sleep whole arrays. A change of one is a change of both.


@kernel
def half_life_of(uses: float, support: float) -> float:
    """Half-life in ticks of one weight; for use in other kernels."""
    lasting = 1.0 + math.log2(1.0 + uses)
    return HALF_LIFE_TICKS * lasting * (1.0 + min(support, SUPPORT_COUNTED))


@kernel
def charge_of(w: float, t0: int, uses: float, support: float, flags: int, tick: int) -> float:
    """The charge of one weight at `tick`; for use in other kernels.

    `flags`: the arc's or node's flags. This function does not know kinds, so structure has to be
    passed with the bit `STEADY` set, or not at all. A tick before `t0` counts as `t0`.
    """
    if flags & STEADY or tick <= t0:
        return w
    return w * math.pow(2.0, -(tick - t0) / half_life_of(uses, support))


def half_life(uses: ArrayLike, support: ArrayLike) -> NDArray[np.float64]:
    """Half-lives in ticks, shape of the (broadcast) arguments."""
    lasting = 1.0 + np.log2(1.0 + np.asarray(uses, np.float64))
    return HALF_LIFE_TICKS * lasting * (1.0 + np.minimum(support, SUPPORT_COUNTED))


def charge(
    w: ArrayLike,
    t0: ArrayLike,
    uses: ArrayLike,
    support: ArrayLike,
    flags: ArrayLike,
    tick: int,
) -> NDArray[np.float64]:
    """The charges of weights at `tick`, in [0, 1], shape of the (broadcast) arguments.

    `flags`: flags of arcs or of nodes, or booleans that are true where nothing decays. A tick
    before `t0` counts as `t0`.
    """
    # STEADY is 1, so a True counts as that bit.
    age = np.maximum(tick - np.asarray(t0, np.int64), 0)
    age = np.where(np.asarray(flags).astype(np.int64) & STEADY, 0, age)
    return np.asarray(w, np.float64) * np.exp2(-age / half_life(uses, support))


def arc_charge(arcs: NDArray[Any], tick: int) -> NDArray[np.float64]:
    """Charges of ARC records, shape (n,); structure keeps its weight at any tick."""
    steady = (arcs["flags"] & STEADY) | (arcs["kind"] != ArcKind.ASSOCIATION)
    return charge(arcs["w"], arcs["t0"], arcs["uses"], arcs["support"], steady, tick)


def node_charge(nodes: NDArray[Any], tick: int) -> NDArray[np.float64]:
    """Strengths of NODE records, shape (n,): the same law by uses, without support."""
    return charge(nodes["strength"], nodes["strength_tick"], nodes["uses"], 0, nodes["flags"], tick)


def stored(charges: ArrayLike) -> NDArray[np.float32]:
    """Charges as they are stored: rounded down, so that storing never adds anything."""
    exact = np.asarray(charges, np.float64)
    # Rounding to nearest could raise a charge; repeated sleeps would then add it up.
    near = exact.astype(np.float32)
    return np.where(near > exact, np.nextafter(near, np.float32(0)), near)
