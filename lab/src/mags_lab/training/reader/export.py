"""Trained readers as the file that the runtime reads: float16, the same bytes for the same."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import numpy as np
import torch

from mags.models.policy.reader.network import ReaderFile
from mags_lab.training.reader.model import ReaderNet, Shape

SAVED = (1980, 1, 1, 0, 0, 0)
"""The time that every array is stamped with."""


def save(model: ReaderNet, path: Path) -> ReaderFile:
    """Write the weights."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as file:
        for name, weight in model.state_dict().items():
            written = io.BytesIO()
            array = np.ascontiguousarray(weight.detach().numpy().astype(np.float16))
            np.lib.format.write_array(written, array, allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy", date_time=SAVED), written.getvalue())
    return ReaderFile(path=path, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def load(path: Path) -> ReaderNet:
    """A reader to train on from."""
    with np.load(path, allow_pickle=False) as arrays:
        weights = {name: torch.from_numpy(arrays[name].astype(np.float32)) for name in arrays.files}
    inner, width = weights["blocks.0.up.weight"].shape
    blocks = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("blocks."))
    shape = Shape(width=width, inner=inner, blocks=blocks, attention=len(weights["blocks.0.like"]))
    model = ReaderNet(shape)
    model.load_state_dict(weights)
    return model
