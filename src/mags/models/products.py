"""Products of matrices that no other thread helps with."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

PIECE = 500_000
"""Multiplications of one product: see `product`."""


def product(x: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows (n, in), or one vector (in,), times a weight (out, in): (n, out), or (out,).

    OpenBLAS shares larger products out among all cores, whose threads wait for one another
    spinning: where the cores are busy, a decision took 200 ms instead of 6. It takes pieces of less
    than 2 x 262,144 multiplications alone, and what is no product of matrices is not given to it.
    Pieces are about as high as wide, since each is copied before it is multiplied.
    """
    if x.ndim == 1:
        found: NDArray[np.float32] = np.einsum("oi,i->o", weight, x)
        return found
    rows, width = len(x), len(weight)
    if min(rows, width) < 2:
        found = np.einsum("ni,oi->no", x, weight)
        return found
    made = np.empty((rows, width), dtype=np.float32)
    most = PIECE // x.shape[1]
    high = max(2, min(rows, math.isqrt(most) // 16 * 16))
    wide = max(2, most // high)
    for top in range(0, rows, high):
        # A last piece of one row would be no product of matrices: it begins a row earlier.
        some = x[min(top, rows - 2) :][:high]
        for left in range(0, width, wide):
            left = min(left, width - 2)
            out = made[min(top, rows - 2) :][:high, left : left + wide]
            np.matmul(some, weight[left : left + wide].T, out=out)
    return made
