"""Texts to token windows: a text longer than a model's window is split, never cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

# As much as fits a core's caches: 4,096 took 1.5 to 2.3 times as long for texts over 40 tokens.
BATCH_TOKENS = 256
MOST_WINDOWS = 12
"""Windows of a text that are embedded: of a longer one as many, spread evenly over all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One piece of a text: `ids` with special tokens; `text`: the row of its text in the call.

    `first`: whether the text begins with it.
    """

    text: int
    first: bool
    ids: tuple[int, ...]
    type_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBatch:
    """Windows of similar length: int64 arrays of shape (windows, tokens), padded on the right.

    `text` is int64 of shape (windows,): the row of the text each window came from; `first`:
    whether that begins with it.
    """

    text: NDArray[np.int64]
    first: NDArray[np.bool_]
    ids: NDArray[np.int64]
    mask: NDArray[np.int64]
    type_ids: NDArray[np.int64]


class Windower:
    """Cuts texts into windows of at most `tokens` tokens that overlap by `overlap`.

    It replaces the tokenizer's own truncation and padding.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        tokens: int,
        overlap: int,
        pad_id: int = 0,
        batch_tokens: int = BATCH_TOKENS,
        call_tokens: int | None = None,
    ) -> None:
        """`call_tokens`: what a call of the model costs by itself, in tokens.

        Where padding would cost more than that, another call is made. None: batches are limited by
        `batch_tokens` alone.
        """
        tokenizer.no_padding()
        tokenizer.enable_truncation(tokens, stride=overlap)
        self._tokenizer = tokenizer
        self._pad_id = pad_id
        self._batch_tokens = batch_tokens
        self._call_tokens = batch_tokens if call_tokens is None else call_tokens

    def windows(self, texts: Sequence[str]) -> list[Window]:
        """Windows of all texts, in order; an empty text has one (the special tokens)."""
        encoded = self._tokenizer.encode_batch([encodable(text) for text in texts])
        return [
            Window(
                text=row, first=piece is whole, ids=tuple(piece.ids), type_ids=tuple(piece.type_ids)
            )
            for row, whole in enumerate(encoded)
            for piece in _spread([whole, *whole.overflowing])
        ]

    def tokens(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
        """The first window of a text: ids (t,), their characters (t, 2), and whether it is all."""
        encoded = self._tokenizer.encode(encodable(text))
        ids = np.array(encoded.ids, dtype=np.int64)
        return ids, np.array(encoded.offsets, dtype=np.int64), not encoded.overflowing

    def batches(self, texts: Sequence[str]) -> Iterator[TokenBatch]:
        """Windows grouped by length, so that padding costs little.

        At most `batch_tokens` tokens each, padding included, or one window.
        """
        queue: list[Window] = []
        for window in sorted(self.windows(texts), key=lambda window: len(window.ids)):
            length = len(window.ids)
            if queue and (
                (len(queue) + 1) * length > self._batch_tokens
                # With this window, every one before it would be padded by so much more.
                or len(queue) * (length - len(queue[-1].ids)) > self._call_tokens
            ):
                yield self._padded(queue)
                queue = []
            queue.append(window)
        if queue:
            yield self._padded(queue)

    def _padded(self, windows: Sequence[Window]) -> TokenBatch:
        return TokenBatch(
            text=np.array([window.text for window in windows], dtype=np.int64),
            first=np.array([window.first for window in windows], dtype=np.bool_),
            ids=padded([window.ids for window in windows], self._pad_id),
            mask=padded([(1,) * len(window.ids) for window in windows]),
            type_ids=padded([window.type_ids for window in windows]),
        )


def _spread(pieces: list[Encoding]) -> list[Encoding]:
    """At most so many pieces, the first and the last among them."""
    last = len(pieces) - 1
    if last < MOST_WINDOWS:
        return pieces
    return [pieces[place * last // (MOST_WINDOWS - 1)] for place in range(MOST_WINDOWS)]


def padded(rows: Sequence[Sequence[int]], pad: int = 0) -> NDArray[np.int64]:
    """Rows of any length as one array (rows, longest), padded on the right."""
    out = np.full((len(rows), max(map(len, rows))), pad, dtype=np.int64)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out


class WindowMean:
    """Collects the vectors of windows into one unit vector for each text.

    A window is weighed by its tokens, so that a short last piece counts for its share.
    """

    def __init__(self, texts: int, dimension: int) -> None:
        self._sums = np.zeros((texts, dimension), dtype=np.float64)

    def add(self, batch: TokenBatch, vectors: NDArray[np.float32]) -> None:
        """Add `vectors` (windows, dimension), normalised or not, to the texts of `batch`."""
        weighted = unit_rows(vectors) * batch.mask.sum(axis=1, keepdims=True)
        # `add.at`, since several windows of a batch may be of one text.
        np.add.at(self._sums, batch.text, weighted)

    def vectors(self) -> NDArray[np.float32]:
        """Unit vectors of shape (texts, dimension)."""
        return unit_rows(self._sums)


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
