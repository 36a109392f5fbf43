"""Token states to one vector a text, as sentence-transformers pools them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def pool(
    states: NDArray[np.float32], mask: NDArray[np.int64], modes: Sequence[str]
) -> NDArray[np.float32]:
    """Pool `states` (n, tokens, d) where `mask` (n, tokens) is 1, one block of d a mode.

    Modes: `mean`, `cls` (first token), `max`, `lasttoken`. Padding is on the right.
    """
    blocks = [_pooled(states, mask, mode) for mode in modes]
    return np.concatenate(blocks, axis=1).astype(np.float32)


def _pooled(states: NDArray[np.float32], mask: NDArray[np.int64], mode: str) -> NDArray[np.float32]:
    on = mask[:, :, None].astype(np.float32)
    if mode == "cls":
        return np.asarray(states[:, 0])
    if mode == "max":
        return np.asarray(np.where(on > 0, states, np.float32(-np.inf)).max(axis=1))
    if mode == "lasttoken":
        return np.asarray(states[np.arange(len(states)), mask.sum(axis=1) - 1])
    return np.asarray((states * on).sum(axis=1) / on.sum(axis=1))
