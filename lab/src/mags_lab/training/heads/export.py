"""Trained heads as the file that the runtime reads: float16, and thresholds found on `dev`."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mags.models.embed.onnx import SHIPPED, Arrays, ModelFile
from mags.models.policy.heads.choices import Vocabulary
from mags.models.policy.heads.network import Network
from mags.models.policy.heads.weights import (
    ABOUT,
    TUNED,
    About,
    HeadsFile,
    Thresholds,
    Trained,
    opened,
    write_about,
)
from mags_lab.training.heads.model import Heads

SAVED = (1980, 1, 1, 0, 0, 0)
"""The time that every array is stamped with, so that the same weights are the same bytes."""


def trained(
    model: Heads, known: Vocabulary, file: ModelFile = SHIPPED, tuned: Arrays | None = None
) -> Trained:
    """The heads as the runtime has them, their weights rounded to float16.

    `tuned`: constants of the encoder that was trained with them.
    """
    about = About(
        states=file.states,
        encoder_sha256=file.model_sha256,
        attention=model.shape.attention,
        vocabulary=known,
    )
    weights = {name: w.astype(np.float32) for name, w in halves(model).items()}
    network = Network(weights, layers=len(about.states), attention=about.attention)
    return Trained(network=network, about=about, tuned=tuned or {})


def halves(model: Heads) -> Mapping[str, NDArray[np.float16]]:
    """The weights by name, in float16."""
    return {name: w.detach().numpy().astype(np.float16) for name, w in model.state_dict().items()}


def save(model: Heads, about: About, path: Path, tuned: Arrays | None = None) -> HeadsFile:
    """Write the file; the same bytes for the same weights. `tuned`: see `trained`."""
    layers = {TUNED + name: array for name, array in (tuned or {}).items()}
    return _filed({**halves(model), **layers}, about, path)


def with_thresholds(file: HeadsFile, least: Thresholds, path: Path) -> HeadsFile:
    """Write the heads of a file with other thresholds; all else is as it was."""
    about = replace(opened(file).about, thresholds=least)
    with np.load(file.path, allow_pickle=False) as found:
        arrays = {name: found[name] for name in found.files if name != ABOUT}
    return _filed(arrays, about, path)


def _filed(parts: Mapping[str, NDArray[np.generic]], about: About, path: Path) -> HeadsFile:
    words = json.dumps(write_about(about), sort_keys=True).encode()
    arrays = {**parts, ABOUT: np.frombuffer(words, dtype=np.uint8)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            written = io.BytesIO()
            np.lib.format.write_array(written, np.ascontiguousarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=SAVED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, written.getvalue())
    return HeadsFile(path=path, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def thresholds(worth: Mapping[str, Sequence[tuple[float, float, float]]]) -> Thresholds:
    """The threshold of each decision: `worth` has (confidence, of the heads, of the rules)."""
    return Thresholds(**{name: best_threshold(found) for name, found in worth.items()})


def best_threshold(found: Sequence[tuple[float, float, float]]) -> float:
    """The least confidence by which heads above and rules below are worth most together."""
    ranked = sorted(found, reverse=True)
    total = sum(rules for _, _, rules in ranked)
    best, least = total, 1.0
    for place, (sure, heads, rules) in enumerate(ranked):
        total += heads - rules
        tied = place + 1 < len(ranked) and ranked[place + 1][0] == sure
        if total >= best and not tied:
            best, least = total, sure
    return round(max(0.0, least - 5e-4), 3)
