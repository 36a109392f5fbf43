"""Embedder: texts to vectors of unit length, whatever a text holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

STEP = np.float32(1 / 254)
"""What one step of a kept row of a token is worth: few numbers of a unit row are beyond a half."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tokens:
    """The words of a text as the second look sees them: int8 rows (t, width), each `STEP`.

    `weights`: how much each counts where the text asks, (t,).
    """

    rows: NDArray[np.int8]
    weights: NDArray[np.float32]


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


class TokenEmbedder(Embedder, Protocol):
    """An embedder that also says what the words of a text are, for the second look."""

    @property
    def look(self) -> str:
        """Stable identity of what makes the rows; a memory records it. "" where nothing does."""

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Of each text, in order; little work right after the text was embedded."""


def token_embedder(embedder: Embedder) -> TokenEmbedder | None:
    """The embedder, if it knows the words of a text."""
    return cast(TokenEmbedder, embedder) if getattr(embedder, "look", "") else None


def unit_rows(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Rows of `vectors` (n, d) scaled to length 1; a row of zeros becomes the first axis."""
    exact = np.array(vectors, dtype=np.float64)
    length = np.linalg.norm(exact, axis=1, keepdims=True)
    exact[(length == 0)[:, 0], 0] = 1.0
    return (exact / np.where(length == 0, 1.0, length)).astype(np.float32)


def encodable(text: str) -> str:
    """The text with question marks for characters that have no UTF-8 form."""
    # A lone surrogate, from broken JSON, is a legal str but not legal UTF-8.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
