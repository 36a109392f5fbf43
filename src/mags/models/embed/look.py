"""What the words of a text are to the second look: 64 numbers each, from the encoder's states.

The states of layers, each standardised, are projected; rows have unit length and are kept at 8
bits. A question's words have a weight besides. `mags train look` made the file. Shapes: t tokens,
l layers, d dimensions.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.models.embed.windows import unit_rows
from mags.ports.embedder import STEP, Tokens

Floats = NDArray[np.float32]
ABOUT = "about"
"""The array that holds the description: JSON in UTF-8, as uint8."""
WIDTH = 64
"""Numbers of a token."""
MOST_TOKENS = 160
"""Tokens of a text that are kept, from its beginning."""
MILD = 16.0
"""What a token's score is divided by before it becomes a weight."""
LAYERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Trained weights. `project`: (l x d, WIDTH), `shift`: (WIDTH,), `weigh`: (l x d,)."""

    project: Floats
    shift: Floats
    weigh: Floats
    lean: float
    scale: float

    def tokens(self, states: Floats) -> Tokens:
        """Of the states of a text's own tokens, without special ones, (t, l x d)."""
        states = standard_layers(states[:MOST_TOKENS])
        rows = unit_rows(states @ self.project - self.shift)
        weights = np.logaddexp(0.0, (states @ self.weigh + self.lean) / MILD)
        return Tokens(
            rows=np.clip(np.rint(rows / STEP), -127, 127).astype(np.int8),
            weights=np.asarray(self.scale * weights / max(weights.sum(), 1e-9), np.float32),
        )


def standard_layers(states: Floats) -> Floats:
    """Joined states (t, l x d) with mean 0 and variance 1 in each layer."""
    layers = states.reshape(len(states), LAYERS, states.shape[1] // LAYERS)
    centred = layers - layers.mean(axis=-1, keepdims=True)
    variance = np.einsum("tld,tld->tl", centred, centred) / np.float32(layers.shape[-1])
    made = centred / np.sqrt(variance + np.float32(1e-5))[..., None]
    return np.asarray(made.reshape(states.shape), np.float32)


def read_look(content: bytes) -> Look:
    """The weights in a file; raises ValueError or KeyError where it holds others."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        about = json.loads(arrays[ABOUT].tobytes())
        return Look(
            project=arrays["project"].astype(np.float32),
            shift=arrays["shift"],
            weigh=arrays["weigh"],
            lean=about["lean"],
            scale=about["scale"],
        )
