"""Reads a safetensors file into numpy: an 8-byte length, a JSON header, then the numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mags.errors import CorruptFile

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}


def read_safetensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """Every float tensor by name, as float32. Raises CorruptFile."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    try:
        header = json.loads(raw[8 : 8 + size])
        return {
            name: _tensor(raw, 8 + size, entry)
            for name, entry in header.items()
            if name != "__metadata__" and entry["dtype"] in {*_DTYPES, "BF16"}
        }
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise CorruptFile(f"{path} is no whole safetensors file: {failure}", path=path) from failure


def _tensor(raw: bytes, base: int, entry: dict[str, list[int]]) -> NDArray[np.float32]:
    start, end = entry["data_offsets"]
    part = raw[base + start : base + end]
    if str(entry["dtype"]) == "BF16":
        # A bfloat16 is the upper half of a float32.
        widened = np.frombuffer(part, dtype="<u2").astype(np.uint32) << 16
        return widened.view(np.float32).reshape(entry["shape"])
    kind = _DTYPES[str(entry["dtype"])]
    return np.frombuffer(part, dtype=kind).astype(np.float32).reshape(entry["shape"])
