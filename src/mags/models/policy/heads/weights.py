"""The shipped weights: float16 arrays and a description, in one .npz that is checked when read."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mags.errors import CorruptFile
from mags.models.embed.onnx import DATA
from mags.models.policy.heads.choices import Vocabulary
from mags.models.policy.heads.network import Network

ABOUT = "about"
"""The array that holds the description: JSON in UTF-8, as uint8."""

TUNED = "encoder/"
"""What the name of an array begins with that is a constant of the encoder's graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadsFile:
    """A file of weights and its checksum; "" for one just trained, which nothing pins."""

    path: Path
    sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """The least probability with which the heads decide; below it the rules do.

    `nothing`: for a turn in which the write head finds nothing to store. `fact`: of one fact, to
    be kept, in a turn that the heads decide and beside what the rules make of another.
    """

    route: float = 0.5
    ask: float = 0.5
    write: float = 0.5
    nothing: float = 0.5
    fact: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a file of weights says of itself. `states`: the encoder's layers it was trained on."""

    states: tuple[str, ...]
    encoder_sha256: str
    attention: int
    vocabulary: Vocabulary
    thresholds: Thresholds = field(default_factory=Thresholds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """Weights ready for use. `tuned`: constants of the encoder, where it was trained with them."""

    network: Network
    about: About
    tuned: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)


SHIPPED = HeadsFile(
    path=DATA / "heads-minilm.npz",
    sha256="8f10cdffd327d026f97ed53e8579a6f2f17b5e3c27981e99a26798bf99089999",
)


def opened(file: HeadsFile = SHIPPED) -> Trained:
    """Read and check a file of weights; raises CorruptFile."""
    advice = "reinstall mags, or train them anew: mags train heads"
    try:
        content = file.path.read_bytes()
    except OSError as failure:
        raise CorruptFile(
            f"cannot read the heads {file.path} ({failure.strerror}): {advice}", path=file.path
        ) from failure
    found = hashlib.sha256(content).hexdigest()
    if file.sha256 and found != file.sha256:
        raise CorruptFile(
            f"the heads {file.path} are damaged (sha256 {found[:12]}, expected "
            f"{file.sha256[:12]}): {advice}",
            path=file.path,
            found=found,
            expected=file.sha256,
        )
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        about = read_about(json.loads(arrays[ABOUT].tobytes()))
        own = [name for name in arrays.files if name != ABOUT and not name.startswith(TUNED)]
        weights = {name: arrays[name].astype(np.float32) for name in own}
        tuned = {
            name.removeprefix(TUNED): arrays[name]
            for name in arrays.files
            if name.startswith(TUNED)
        }
    network = Network(weights, layers=len(about.states), attention=about.attention)
    return Trained(network=network, about=about, tuned=tuned)


def write_about(about: About) -> dict[str, object]:
    """The description as JSON has it."""
    known, least = about.vocabulary, about.thresholds
    return {
        "states": list(about.states),
        "encoder_sha256": about.encoder_sha256,
        "attention": about.attention,
        "relations": list(known.relations),
        "one": sorted(known.one),
        "answers": dict(known.answers),
        "kinds": list(known.kinds),
        "thresholds": {
            "route": least.route,
            "ask": least.ask,
            "write": least.write,
            "nothing": least.nothing,
            "fact": least.fact,
        },
    }


def read_about(written: Mapping[str, object]) -> About:
    """The description from JSON; the file's checksum vouches for its form."""
    given = dict(written)
    return About(
        states=tuple(_words(given["states"])),
        encoder_sha256=str(given["encoder_sha256"]),
        attention=int(str(given["attention"])),
        vocabulary=Vocabulary(
            relations=tuple(_words(given["relations"])),
            one=frozenset(_words(given["one"])),
            answers={name: str(kind) for name, kind in _pairs(given["answers"]).items()},
            kinds=tuple(_words(given["kinds"])),
        ),
        thresholds=Thresholds(
            **{name: float(str(least)) for name, least in _pairs(given["thresholds"]).items()}
        ),
    )


def _words(found: object) -> list[str]:
    return [str(one) for one in found] if isinstance(found, list) else []


def _pairs(found: object) -> dict[str, object]:
    return found if isinstance(found, dict) else {}
