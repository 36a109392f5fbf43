"""Pieces drawn by chance: how often a model says the same when it is asked again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Sampler:
    """Draws one piece after another; the same seed and logits bring the same pieces.

    `temperature`: what logits are divided by before their softmax; 0 takes the likeliest. For one
    thread at a time. Raises ValueError where it is negative.
    """

    def __init__(self, temperature: float, *, seed: int) -> None:
        if temperature < 0.0:
            raise ValueError(f"a temperature is not negative: {temperature}")
        self._temperature = temperature
        self._rng = np.random.default_rng(seed)

    def piece(self, logits: NDArray[np.float32]) -> int:
        """The id of a piece, by logits (pieces,); one of -inf is never drawn, another may be."""
        if self._temperature == 0.0:
            return int(logits.argmax())
        scaled = logits.astype(np.float64) / self._temperature
        weights = np.exp(scaled - scaled.max())
        return int(self._rng.choice(len(weights), p=weights / weights.sum()))
