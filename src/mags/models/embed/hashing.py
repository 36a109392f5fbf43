"""An embedder without a model: hashed words and character trigrams, for tests and examples.

Feature hashing with signs, after Weinberger et al. 2009 (arXiv:0902.2206). Texts that
share words or spelling are near one another. It knows nothing about meaning.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mags.ports.embedder import unit_rows

_WORD = re.compile(r"\w+")
_WORD_WEIGHT = 1.0
_PAIR_WEIGHT = 0.5
_TRIGRAM_WEIGHT = 0.25


class HashEmbedder:
    """Deterministic on every machine; takes microseconds per word. `dimension`: at least 2."""

    def __init__(self, dimension: int = 64) -> None:
        self._dimension = dimension

    @property
    def name(self) -> str:
        """The method and its dimension."""
        return f"hash-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension), rows of unit length, in order."""
        sums = np.zeros((len(texts), self._dimension), dtype=np.float64)
        for row, text in enumerate(texts):
            for feature, weight in _features(text):
                code = zlib.crc32(feature.encode("utf-8", "replace"))
                # A random sign, so that collisions cancel out on average; the other bits choose
                # the axis.
                sign = 1.0 if code & 1 else -1.0
                sums[row, (code >> 1) % self._dimension] += sign * weight
        return unit_rows(sums)


def _features(text: str) -> Iterator[tuple[str, float]]:
    words = _WORD.findall(text.lower())
    for word in words:
        yield f"w:{word}", _WORD_WEIGHT
        padded = f"<{word}>"
        for start in range(len(padded) - 2):
            yield f"c:{padded[start : start + 3]}", _TRIGRAM_WEIGHT
    for left, right in pairwise(words):
        yield f"p:{left} {right}", _PAIR_WEIGHT
    # A text without a word, such as "?!", still gets a direction of its own.
    if not words:
        yield f"t:{text}", _WORD_WEIGHT
