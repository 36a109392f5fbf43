"""Embedder: texts to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Texts to unit vectors; the same text gives the same vector, whatever stands beside it."""

    @property
    def name(self) -> str:
        """Stable identity (model, quantisation, checksum); a memory records it."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension), rows of unit length, in order.

        A text longer than the model's window is split, never cut. Raises ModelError.
        """
