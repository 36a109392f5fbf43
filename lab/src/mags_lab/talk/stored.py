"""Arrays in a file that is the same, byte for byte, for the same arrays."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SAVED = (1980, 1, 1, 0, 0, 0)
"""The time that every array is stamped with."""


def write_arrays(path: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Write a file (.npz) of arrays by their names; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as file:
        for name, array in sorted(arrays.items()):
            written = io.BytesIO()
            np.lib.format.write_array(written, np.ascontiguousarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=SAVED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, written.getvalue())
