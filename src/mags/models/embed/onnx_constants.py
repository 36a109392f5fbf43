"""Read the constants of an ONNX model, and put others in their place, without a library for ONNX.

A constant of the same shape and type takes as many bytes, so it is put where the old one was.
Field numbers are those of onnx.proto: ModelProto.graph 7, GraphProto.initializer 5,
TensorProto.dims 1, .data_type 2, .name 8 and .raw_data 9.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput

GRAPH, INITIALIZER = 7, 5
DIMS, KIND, NAME, RAW = 1, 2, 8, 9
KINDS: Mapping[int, np.dtype[np.generic]] = {
    1: np.dtype(np.float32),
    2: np.dtype(np.uint8),
    3: np.dtype(np.int8),
    7: np.dtype(np.int64),
}
SCALAR, MESSAGE = 0, 2
SIZES = {1: 8, 5: 4}
"""Bytes of a field of a fixed size, by its wire type."""
Arrays = Mapping[str, NDArray[np.generic]]
Fields = Mapping[int, list[tuple[int, int]]]
"""By number: where the content of each field begins and ends, or (value, -1)."""


def constants(model: bytes) -> dict[str, NDArray[np.generic]]:
    """The constants of a model by name, as views of its bytes."""
    found: dict[str, NDArray[np.generic]] = {}
    for fields in _tensors(model):
        start, end = fields[RAW][0]
        kind = KINDS[fields[KIND][0][0]]
        flat = np.frombuffer(model, kind, (end - start) // kind.itemsize, start)
        found[_name(model, fields)] = flat.reshape(_shape(model, fields))
    return found


def with_constants(model: bytes, arrays: Arrays) -> bytes:
    """The model with other values of some constants; raises InvalidInput where none is like it."""
    made, left = bytearray(model), dict(arrays)
    for fields in _tensors(model):
        name = _name(model, fields)
        array = left.pop(name, None)
        if array is None:
            continue
        start, end = fields[RAW][0]
        if array.nbytes != end - start:
            raise InvalidInput(
                f"the constant {name} has {end - start} bytes, not {array.nbytes}", constant=name
            )
        made[start:end] = np.ascontiguousarray(array).tobytes()
    if left:
        raise InvalidInput(f"the model has no constant {min(left)}", constant=min(left))
    return bytes(made)


def _tensors(model: bytes) -> Iterator[Fields]:
    for field, start, end in _fields(model, 0, len(model)):
        for inner, first, last in _fields(model, start, end) if field == GRAPH else ():
            if inner == INITIALIZER:
                found: dict[int, list[tuple[int, int]]] = defaultdict(list)
                for number, begins, ends in _fields(model, first, last):
                    found[number].append((begins, ends))
                yield found


def _name(model: bytes, fields: Fields) -> str:
    start, end = fields[NAME][0]
    return model[start:end].decode()


def _shape(model: bytes, fields: Fields) -> tuple[int, ...]:
    shape: list[int] = []
    for start, end in fields[DIMS]:
        if end < 0:
            shape.append(start)
            continue
        at = start
        while at < end:
            size, at = _varint(model, at)
            shape.append(size)
    return tuple(shape)


def _fields(model: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The number of every field, and where its content begins and ends (a number: value, -1)."""
    while at < end:
        key, at = _varint(model, at)
        number, wire = key >> 3, key & 7
        if wire == SCALAR:
            value, at = _varint(model, at)
            yield number, value, -1
            continue
        size = SIZES.get(wire, 0)
        if wire == MESSAGE:
            size, at = _varint(model, at)
        yield number, at, at + size
        at += size


def _varint(model: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = model[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
