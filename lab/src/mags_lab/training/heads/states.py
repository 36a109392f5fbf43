"""The encoder's states of samples, made once and kept in a folder (float16, memory-mapped)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mags.models.embed.onnx import SHIPPED, Arrays, ModelFile, OnnxEmbedder
from mags.models.policy.heads.layout import MARKS, Layout, laid_out, marks, rows, shown
from mags_lab.training.chains.schema import Role, Sample, to_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A sample as the heads see it: `states` float16 (rows, width), `marks` uint8 (rows, MARKS)."""

    sample: Sample
    layout: Layout
    states: NDArray[np.float16]
    marks: NDArray[np.uint8]


def layout_of(sample: Sample) -> Layout:
    """The layout of a sample; the router sees the turn alone."""
    return laid_out(sample.turn, () if sample.role is Role.ROUTER else sample.recent)


BLOCK = 4096
"""Samples of one file: more of the same samples need no more than their own files."""


def states_of(
    samples: Sequence[Sample],
    folder: Path,
    *,
    file: ModelFile = SHIPPED,
    tuned: Arrays | None = None,
) -> list[Shown]:
    """Every sample with its states; they are read from `folder` where it has them.

    `tuned`: constants in place of the encoder's own.
    """
    return [
        one
        for place in range(0, len(samples), BLOCK)
        for one in _block(samples[place : place + BLOCK], folder, file, tuned or {})
    ]


def _block(samples: Sequence[Sample], folder: Path, file: ModelFile, tuned: Arrays) -> list[Shown]:
    layouts = [layout_of(sample) for sample in samples]
    ends = np.cumsum([0, *(layout.rows for layout in layouts)])
    width = file.dimension * len(file.states)
    key = _key(samples, file, tuned)
    path, seen = folder / f"{key}.f16", folder / f"{key}.json"
    shape = (int(ends[-1]), width)
    if not seen.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        found = np.memmap(path, dtype=np.float16, mode="w+", shape=shape)
        embedder = OnnxEmbedder(file, constants=tuned)
        read = embedder.states_of([layout.text for layout in layouts])
        for place, states in read:
            kept = rows(shown(layouts[place], states), states)
            found[ends[place] : ends[place] + len(kept)] = kept
        found.flush()
        seen.write_text(json.dumps({"rows": shape[0], "width": width}), encoding="utf-8")
    kept_states = np.memmap(path, dtype=np.float16, mode="r", shape=shape)
    return [
        Shown(
            sample=sample,
            layout=layout,
            states=kept_states[ends[place] : ends[place + 1]],
            marks=marks(layout).astype(np.uint8).reshape(-1, MARKS),
        )
        for place, (sample, layout) in enumerate(zip(samples, layouts, strict=True))
    ]


def _key(samples: Sequence[Sample], file: ModelFile, tuned: Arrays) -> str:
    digest = hashlib.sha256(f"{file.model_sha256} {file.states}".encode())
    for name, array in sorted(tuned.items()):
        digest.update(name.encode() + array.tobytes())
    for sample in samples:
        digest.update(to_line(sample).encode())
    return digest.hexdigest()[:16]
