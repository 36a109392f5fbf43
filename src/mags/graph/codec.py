"""Codec: a Delta as bytes, and back, to the bit. Words are left out.

Version 1::

    "D" | version u8 | flags u8 | crc32 of the body u32 | body
    body (zlib where flag 1 is set): length of the header u32 | header JSON | nodes | arcs

Each of `nodes` and `arcs` holds had and has flags, then two images a record: the after image (the
before image where it ends absent), and how the other one differs from what it would most
likely be. Images lie byte column by byte column, which is what makes them small.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import CorruptFile, NewerSchema
from mags.graph.delta import IDENTITY, Changes, Delta, as_bytes
from mags.graph.records import ARC, NODE

VERSION = 1
"""Raise it when NODE, ARC or the header change, and keep reading what came before."""

COMPRESSED = 1
THRESHOLD = 256
"""Bodies of more bytes are compressed."""

HEAD = struct.Struct("<cBBI")
COUNT = struct.Struct("<I")
PLAIN = ("kind", "base", "recorded_at", "tick_before", "tick_after", "key", "payload")


def encode(delta: Delta) -> bytes:
    """The Delta as bytes, its contents left out; reasons and result must be JSON types."""
    header: dict[str, Any] = {name: getattr(delta, name) for name in PLAIN}
    header["reasons"] = list(delta.reasons)
    header["result"] = delta.result
    header["n"] = [len(delta.nodes), len(delta.arcs)]
    text = json.dumps(header, separators=(",", ":"), default=_plain).encode()
    pieces: list[bytes | memoryview] = [
        COUNT.pack(len(text)),
        text,
        *_pack(delta.nodes),
        *_pack(delta.arcs),
    ]
    flags = 0
    if sum(memoryview(piece).nbytes for piece in pieces) > THRESHOLD:
        # Piece by piece: nobody else waits while a sleep's millions of bytes are put together.
        flags, compressor = COMPRESSED, zlib.compressobj(1)
        pieces = [*map(compressor.compress, pieces), compressor.flush()]
    body = b"".join(pieces)
    return HEAD.pack(b"D", VERSION, flags, zlib.crc32(body)) + body


def decode(data: bytes) -> Delta:
    """The Delta that `encode` was given, without contents; raises CorruptFile, NewerSchema."""
    header, nodes, arcs = _parts(data)
    n_nodes, n_arcs = header.pop("n")
    reasons = tuple(header.pop("reasons"))
    return Delta(
        nodes=_unpack(nodes, NODE, n_nodes),
        arcs=_unpack(arcs, ARC, n_arcs),
        reasons=reasons,
        **header,
    )


def touches(data: bytes, ids: NDArray[np.int64]) -> bool:
    """Whether an encoded Delta has images of one of these nodes, or of an arc at one."""
    header, nodes, arcs = _parts(data)
    n_nodes, n_arcs = header["n"]
    found = [_ids(nodes, NODE, n_nodes, "id")]
    found += [_ids(arcs, ARC, n_arcs, end) for end in ("src", "dst")]
    return bool(np.isin(np.concatenate(found), ids).any())


def _parts(data: bytes) -> tuple[dict[str, Any], memoryview, memoryview]:
    """Header, images of nodes, images of arcs."""
    body = memoryview(_body(data))
    (length,) = COUNT.unpack_from(body)
    start = COUNT.size + length
    header: dict[str, Any] = json.loads(bytes(body[COUNT.size : start]))
    end = start + header["n"][0] * (2 + 2 * NODE.itemsize)
    return header, body[start:end], body[end:]


def _ids(data: memoryview, dtype: np.dtype[np.void], n: int, name: str) -> NDArray[np.int64]:
    """One identity column of packed images; both images of a record share it."""
    fields = dtype.fields
    assert fields is not None
    start = 2 * n + fields[name][1] * n
    columns = np.frombuffer(data, np.uint8, 8 * n, start) if n else np.zeros(0, np.uint8)
    return np.ascontiguousarray(columns.reshape(8, n).T).view(np.int64).reshape(n)


def _body(data: bytes) -> bytes:
    if len(data) < HEAD.size or data[:1] != b"D":
        raise CorruptFile("a journal entry is not in the form MAGS writes; restore a copy")
    _, version, flags, crc = HEAD.unpack_from(data)
    if version > VERSION:
        raise NewerSchema(
            f"a journal entry has version {version}, this MAGS reads up to {VERSION}: upgrade it",
            found=version,
            known=VERSION,
        )
    body = data[HEAD.size :]
    # Of the body as it lies on the disk: damage is found before anything is unpacked.
    if zlib.crc32(body) != crc:
        raise CorruptFile("a journal entry is damaged (its checksum differs); restore a copy")
    return zlib.decompress(body) if flags & COMPRESSED else body


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a Delta holds numbers, names and lists, not {type(value).__name__}")


def _pack(changes: Changes) -> list[bytes | memoryview]:
    if not len(changes):
        return []
    dtype = changes.after.dtype
    before, after, has = as_bytes(changes.before), as_bytes(changes.after), changes.has
    first, rest = after, before
    if not has.all():
        first = np.where(has[:, None], after, before)
        rest = np.where(has[:, None], before, after)
    rest = rest ^ _likely(first, changes.had & has, dtype)
    columns = (np.ascontiguousarray(image.T).data for image in (first, rest))
    return [changes.had.tobytes(), has.tobytes(), *columns]


def _unpack(data: memoryview, dtype: np.dtype[np.void], n: int) -> Changes:
    if not n:
        return Changes.none(dtype)
    had = np.frombuffer(data, np.bool_, n).copy()
    has = np.frombuffer(data, np.bool_, n, n).copy()
    size = n * dtype.itemsize
    shape = (dtype.itemsize, n)
    first = np.ascontiguousarray(np.frombuffer(data, np.uint8, size, 2 * n).reshape(shape).T)
    rest = np.frombuffer(data, np.uint8, size, 2 * n + size).reshape(shape).T
    other = np.ascontiguousarray(rest ^ _likely(first, had & has, dtype))
    before, after = other, first
    if not has.all():
        before = np.where(has[:, None], other, first)
        after = np.where(has[:, None], first, other)
    return Changes(before.view(dtype).reshape(n), after.view(dtype).reshape(n), had, has)


def _likely(
    first: NDArray[np.uint8], both: NDArray[np.bool_], dtype: np.dtype[np.void]
) -> NDArray[np.uint8]:
    """What the other image would be: the same record, or an absent one (its identity only)."""
    return first * (both[:, None] | _IDENTITY_BYTES[dtype])


def _identity_bytes(dtype: np.dtype[np.void]) -> NDArray[np.bool_]:
    """Which bytes of a record belong to its identity, shape (itemsize,)."""
    mask = np.zeros(1, dtype)
    for name in IDENTITY[dtype]:
        mask[name] = -1 if mask[name].dtype.kind == "i" else 255
    return np.not_equal(mask.view(np.uint8), 0)


_IDENTITY_BYTES = {dtype: _identity_bytes(dtype) for dtype in IDENTITY}
