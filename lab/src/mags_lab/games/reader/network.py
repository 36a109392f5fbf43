"""The trained reader's computation in numpy. Shapes: n tokens, p pieces, t ties, h width."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mags_lab.games.reader.layout import ACTION, LINE, ReaderLayout

Array = NDArray[np.float32]
NEAR = 8
"""Words up to which distances in a piece are told apart."""
_FLAT = 1e-5
_CLAMP = 15.0
_AWAY = np.float32(-1e4)
_LENGTHS = (5, 9, 13, 18, 26)
"""Pieces up to so many tokens are computed together."""


class ReaderNetwork:
    """Attention within pieces and along ties; see `mags_lab.training.reader.model`."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self._w = {name: np.ascontiguousarray(w, dtype=np.float32) for name, w in weights.items()}
        self._blocks = 1 + max(int(name.split(".")[1]) for name in weights if "blocks." in name)
        self._heads = int(self._w["blocks.0.like"].shape[0])

    def __call__(self, layout: ReaderLayout, vectors: Array) -> tuple[Array, Array]:
        """Scores of the actions (a,) and of the pieces of lines (l,), both before a softmax."""
        words = vectors @ self._w["word.weight"].T
        x = words[layout.ids] + self._linear("known", layout.features)
        table = table_of(layout.piece, layout.place, len(layout.starts))
        tables, flat = by_length(table, layout.piece, layout.place)
        ends = np.flatnonzero(np.diff(layout.left, prepend=-1))
        for block in range(self._blocks):
            x = self._block(f"blocks.{block}.", x, layout, tables, flat, ends)
        x = self._norm("norm", x)
        asked = x[:1]
        acts = x[layout.starts[layout.kind == ACTION]]
        told = x[layout.starts[layout.kind == LINE]]
        return self._score("act", "score", acts, asked), self._score("line", "needed", told, asked)

    def _block(
        self,
        at: str,
        x: Array,
        layout: ReaderLayout,
        tables: Sequence[NDArray[np.int64]],
        flat: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> Array:
        y = self._norm(f"{at}norm1", x)
        y += self._linear(f"{at}hear", y[:1])
        x = x + self._within(at, y, tables, flat)
        x += self._between(at, self._norm(f"{at}norm2", x), layout, ends)
        up = gelu(self._linear(f"{at}up", self._norm(f"{at}norm3", x)))
        x += self._linear(f"{at}down", up)
        return x

    def _within(
        self, at: str, y: Array, tables: Sequence[NDArray[np.int64]], flat: NDArray[np.int64]
    ) -> Array:
        n, h = y.shape
        mixed = np.zeros((n + 1, 3 * h), dtype=np.float32)
        mixed[:n] = self._linear(f"{at}mix1", y)
        found = np.concatenate([self._attended(at, mixed, table) for table in tables])
        return self._linear(f"{at}out1", found[flat])

    def _attended(self, at: str, mixed: Array, table: NDArray[np.int64]) -> Array:
        p, longest = table.shape
        size = mixed.shape[1] // (3 * self._heads)
        parts = mixed[table].reshape(p, longest, 3, self._heads, size)
        q, k, v = np.ascontiguousarray(parts.transpose(2, 0, 3, 1, 4))
        places = np.arange(longest)
        apart = np.clip(places[None, :] - places[:, None], -NEAR, NEAR) + NEAR
        scores = q @ k.transpose(0, 1, 3, 2)
        scores *= np.float32(1.0 / math.sqrt(size))
        scores += self._w[f"{at}near_embed"][:, apart]
        scores += np.where(table == len(mixed) - 1, _AWAY, np.float32(0.0))[:, None, None]
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        found: Array = (scores @ v).transpose(0, 2, 1, 3).reshape(p * longest, -1)
        return found

    def _between(self, at: str, y: Array, layout: ReaderLayout, ends: NDArray[np.int64]) -> Array:
        h = y.shape[1]
        mixed = self._linear(f"{at}mix2", y)
        q, k, v = mixed[:, :h], mixed[:, h : 2 * h], mixed[:, 2 * h :]
        size = h // self._heads
        products = (q[layout.left] * k[layout.right]).reshape(-1, self._heads, size)
        scores = products.sum(axis=-1) / np.float32(math.sqrt(size))
        scores += (
            self._w[f"{at}tie_embed"][layout.tie] + self._w[f"{at}shared_embed"][layout.shared]
        )
        scores += layout.like[:, None] * self._w[f"{at}like"]
        weights = np.exp(np.clip(scores, -_CLAMP, _CLAMP))
        share = weights / np.add.reduceat(weights, ends, axis=0)[layout.left]
        spread = v[layout.right].reshape(-1, self._heads, size) * share[..., None]
        found: Array = np.add.reduceat(spread.reshape(-1, h), ends, axis=0)
        return self._linear(f"{at}out2", found)

    def _score(self, first: str, last: str, x: Array, asked: Array) -> Array:
        joined = np.concatenate((x, np.broadcast_to(asked, x.shape)), axis=1)
        found: Array = self._linear(last, gelu(self._linear(first, joined)))[:, 0]
        return found

    def _linear(self, name: str, x: Array) -> Array:
        found: Array = x @ self._w[f"{name}.weight"].T
        found += self._w[f"{name}.bias"]
        return found

    def _norm(self, name: str, x: Array) -> Array:
        centred: Array = x - x.mean(axis=1, keepdims=True)
        spread = np.einsum("nh,nh->n", centred, centred)[:, None] / np.float32(x.shape[1])
        centred /= np.sqrt(spread + np.float32(_FLAT))
        centred *= self._w[f"{name}.weight"]
        centred += self._w[f"{name}.bias"]
        return centred


def gelu(x: Array) -> Array:
    """Gaussian error linear unit, by its tanh form (Hendrycks and Gimpel, arXiv:1606.08415)."""
    inner = x * x
    inner *= np.float32(0.044715)
    inner += np.float32(1.0)
    inner *= x
    inner *= np.float32(math.sqrt(2.0 / math.pi))
    np.tanh(inner, out=inner)
    inner += np.float32(1.0)
    inner *= x
    inner *= np.float32(0.5)
    return inner


def table_of(piece: NDArray[np.int64], place: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Where the tokens of each piece are (count, longest), the number of tokens for nothing."""
    table = np.full((count, int(place.max()) + 1), len(piece))
    table[piece, place] = np.arange(len(piece))
    return table


def by_length(
    table: NDArray[np.int64], piece: NDArray[np.int64], place: NDArray[np.int64]
) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """The table cut into pieces of like length, and where each token is in them laid end to end."""
    sizes = (table < len(piece)).sum(axis=1)
    group = np.searchsorted(_LENGTHS, sizes)
    begins = np.zeros(len(table), dtype=np.int64)
    tables, size = [], 0
    for which in np.unique(group):
        own = np.flatnonzero(group == which)
        longest = int(sizes[own].max())
        begins[own] = size + longest * np.arange(len(own))
        size += longest * len(own)
        tables.append(table[own, :longest])
    return tables, begins[piece] + place
