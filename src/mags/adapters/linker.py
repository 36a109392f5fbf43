"""Reads the file that `mags train linker` writes, the weights of first edges, without torch."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from mags.engram.attention import AttentionWeights
from mags.errors import ConfigurationError, CorruptFile

ARRAYS = ("new", "other", "cosine", "bias", "a")


def read_linker(path: Path, dimension: int) -> AttentionWeights:
    """Read weights for vectors of `dimension`; raises CorruptFile, ConfigurationError."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = {name: arrays[name].astype(np.float32) for name in ARRAYS}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as failure:
        raise CorruptFile(
            f"cannot read the linker {path} ({failure}): train it again with `mags train linker`, "
            f"or take engram.linker out of the settings",
            path=path,
        ) from failure
    weights = AttentionWeights(**found)
    if weights.dimension != dimension:
        raise ConfigurationError(
            f"the linker {path} was trained on vectors of {weights.dimension} dimensions, and the "
            f"embedder's have {dimension}: train it again with `mags train linker`",
            key="engram.linker",
            value=str(path),
        )
    return weights
