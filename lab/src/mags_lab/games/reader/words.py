"""Words as vectors, from the table that the shipped embedder begins with: no inference at all.

The table is read out of the ONNX file (its own numbers: int8 rows with one scale each). Centred and
normalised, its rows of like meaning are near one another: fear, afraid .62; wed, married .40.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from mags.errors import CorruptFile
from mags.models.embed.onnx import SHIPPED, ModelFile, checked_bytes

_TABLE, _SCALE = b"words", b"words/scale"
_GRAPH, _TENSOR, _NAME, _RAW = 7, 5, 8, 9
"""Field numbers of onnx.proto: ModelProto.graph, GraphProto.initializer, TensorProto.*."""


class WordVectors:
    """Vectors of words, each made once; opened by the first, safe in threads.

    A word of several pieces has their mean, and counts as not known as a whole.
    """

    def __init__(self, file: ModelFile = SHIPPED) -> None:
        self._file = file
        self._opening = Lock()
        self._opened: tuple[Tokenizer, NDArray[np.float32]] | None = None
        self._held: dict[str, tuple[NDArray[np.float32], bool]] = {}

    def __call__(self, words: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Unit vectors (w, dimension), and which words the table has as a whole."""
        if len(self._held) > _MOST:
            self._held = {}
        held = self._held
        for word in words:
            if word not in held:
                held[word] = self._made(word)
        made = [held[word] for word in words]
        return np.stack([vector for vector, _ in made]), np.array([known for _, known in made])

    def _made(self, word: str) -> tuple[NDArray[np.float32], bool]:
        tokenizer, table = self._open()
        ids = tokenizer.encode(word, add_special_tokens=False).ids or [0]
        mean = table[ids].mean(axis=0)
        return mean / max(float(np.linalg.norm(mean)), 1e-6), len(ids) == 1 and word.isalpha()

    def _open(self) -> tuple[Tokenizer, NDArray[np.float32]]:
        with self._opening:
            if self._opened is None:
                file = self._file
                graph = checked_bytes(file.model, file.model_sha256)
                words = checked_bytes(file.tokenizer, file.tokenizer_sha256)
                tokenizer = Tokenizer.from_buffer(words)
                tokenizer.no_padding()
                self._opened = tokenizer, centred(graph, file)
            return self._opened


_MOST = 20_000


@lru_cache(maxsize=1)
def shipped_vectors() -> WordVectors:
    """The vectors of the shipped embedder, one object for all."""
    return WordVectors()


def centred(model: bytes, file: ModelFile) -> NDArray[np.float32]:
    """The table of word pieces (pieces, dimension), its mean taken off, rows of unit length."""
    tensors = _tensors(model, {_TABLE, _SCALE})
    if set(tensors) != {_TABLE, _SCALE}:
        raise CorruptFile(f"{file.model} holds no table of words", path=file.model)
    levels = np.frombuffer(tensors[_TABLE], dtype=np.int8).reshape(-1, file.dimension)
    scale = np.frombuffer(tensors[_SCALE], dtype="<f4").reshape(-1, 1)
    table: NDArray[np.float32] = levels * scale
    table -= table.mean(axis=0)
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-6)
    return table


def _tensors(model: bytes, names: set[bytes]) -> dict[bytes, memoryview]:
    """The raw contents of the named initializers."""
    found: dict[bytes, memoryview] = {}
    for number, graph in _fields(memoryview(model)):
        if number != _GRAPH:
            continue
        for inner, tensor in _fields(graph):
            if inner != _TENSOR:
                continue
            parts = dict(_fields(tensor))
            name = bytes(parts.get(_NAME, b""))
            if name in names and _RAW in parts:
                found[name] = parts[_RAW]
    return found


def _fields(content: memoryview) -> list[tuple[int, memoryview]]:
    """The length-delimited fields of a protocol buffer, in order; the others are passed over."""
    found, place = [], 0
    while place < len(content):
        key, place = _varint(content, place)
        kind = key & 7
        if kind == 0:
            _, place = _varint(content, place)
        elif kind == 1:
            place += 8
        elif kind == 5:
            place += 4
        else:
            size, place = _varint(content, place)
            found.append((key >> 3, content[place : place + size]))
            place += size
    return found


def _varint(content: memoryview, place: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = content[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
