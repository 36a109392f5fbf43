"""Fit the weights of the conflict rule and write src/mags/ports/conflict_weights.py.

    python scripts/train_conflict.py [--data ../shared/data]

Trained on the dev half of Letta's core-memory-update (Apache-2.0; the half is by hash of the
case), on pairs of facts within its cases, which are true together, and on the frames of
`scripts/conflict_pairs.py`. Reported on the other half and on held-out frames.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from mags.engram.settings import ConflictSettings  # noqa: E402
from mags.models.embed.onnx import OnnxEmbedder  # noqa: E402
from mags.ports.likeness import FEATURES, features, is_specific, take_apart  # noqa: E402
from mags_lab.evaluation.datasets.editing import UpdateCase, load_letta  # noqa: E402
from mags_lab.evaluation.protocol import split  # noqa: E402
from scripts.conflict_pairs import ADDITIONS, HELD_OUT, TRAIN, fillings  # noqa: E402

TARGET = ROOT / "src" / "mags" / "ports" / "conflict_weights.py"
FRAME_WEIGHT, TOGETHER_WEIGHT, RIDGE = 1.0, 0.3, 1.0
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """(new, old) pairs with what is true of each and how much it counts."""

    pairs: tuple[Pair, ...]
    closes: NDArray[np.bool_]
    weight: NDArray[np.float64]


def letta(cases: Iterable[UpdateCase]) -> Pairs:
    """The update of each case with each of its ten facts."""
    pairs, closes = [], []
    for case in cases:
        for number, fact in enumerate(case.facts):
            pairs.append((case.update, fact))
            closes.append(number in case.contradicted)
    return Pairs(pairs=tuple(pairs), closes=np.array(closes), weight=np.ones(len(pairs)))


def together(cases: Iterable[UpdateCase]) -> Pairs:
    """Each fact of a case with each one before it."""
    pairs = [(b, a) for case in cases for i, b in enumerate(case.facts) for a in case.facts[:i]]
    return negatives(pairs, TOGETHER_WEIGHT)


def negatives(pairs: Sequence[Pair], weight: float) -> Pairs:
    """Pairs of which nothing closes."""
    n = len(pairs)
    return Pairs(pairs=tuple(pairs), closes=np.zeros(n, np.bool_), weight=np.full(n, weight))


def specific(pairs: Pairs) -> NDArray[np.bool_]:
    """The pairs that the rule judges at all."""
    least = ConflictSettings().specific
    return np.array(
        [is_specific(take_apart(new), take_apart(old), least) for new, old in pairs.pairs]
    )


def table(pairs: Pairs, vectors: dict[str, NDArray[np.float32]]) -> NDArray[np.float64]:
    """Features and a column of ones, shape (n, features + 1)."""
    rows = [features(new, old, float(vectors[new] @ vectors[old])) for new, old in pairs.pairs]
    return np.c_[np.array(rows), np.ones(len(rows))]


def fit(
    x: NDArray[np.float64], closes: NDArray[np.bool_], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weights of a logistic regression with a ridge (the bias is free), shape (columns,)."""

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = x @ w
        cost = np.sum(weight * np.logaddexp(0, np.where(closes, -z, z)))
        slope = x.T @ (weight * (1 / (1 + np.exp(-z)) - closes))
        shrunk = np.r_[w[:-1], 0.0]
        return float(cost + RIDGE * shrunk @ shrunk / 2), slope + RIDGE * shrunk

    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x)


def write(w: NDArray[np.float64], path: Path) -> None:
    """The weights as a module."""
    lines = [f'    "{name}": {value:.3f},' for name, value in zip(FEATURES, w[:-1], strict=True)]
    path.write_text(
        '"""Weights of the conflict rule; made by `scripts/train_conflict.py`, not by hand."""\n\n'
        f"BIAS = {w[-1]:.3f}\n\nWEIGHTS = {{\n" + "\n".join(lines) + "\n}\n",
        encoding="utf-8",
    )


def main() -> None:
    """Fit, write and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("MAGS_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default))
    folder = parser.parse_args().data / "letta_core_memory"
    cases = load_letta(folder / "core_memory_update.jsonl.gz")
    halves = {h: [c for c in cases if split(c.id) == h] for h in ("dev", "test")}
    added = [(new, old) for old, new in ADDITIONS]
    parts = {
        "dev": letta(halves["dev"]),
        "dev together": together(halves["dev"]),
        "frames": negatives([(b, a) for a, b in fillings(TRAIN)] + added, FRAME_WEIGHT),
        "test": letta(halves["test"]),
        "test together": together(halves["test"]),
        "held-out frames": negatives([(b, a) for a, b in fillings(HELD_OUT)], 1.0),
    }
    texts = sorted({t for part in parts.values() for pair in part.pairs for t in pair})
    vectors = dict(zip(texts, OnnxEmbedder().embed(texts), strict=True))
    tables = {name: table(part, vectors) for name, part in parts.items()}
    seen = ("dev", "dev together", "frames")
    judged = {name: specific(part) for name, part in parts.items()}
    w = fit(
        np.concatenate([tables[name][judged[name]] for name in seen]),
        np.concatenate([parts[name].closes[judged[name]] for name in seen]),
        np.concatenate([parts[name].weight[judged[name]] for name in seen]),
    )
    write(w, TARGET)
    report(w, parts, tables, judged)


def report(
    w: NDArray[np.float64],
    parts: dict[str, Pairs],
    tables: dict[str, NDArray[np.float64]],
    judged: dict[str, NDArray[np.bool_]],
) -> None:
    """What would be closed at several thresholds, by part, sentence against sentence."""
    for threshold in (0.15, 0.2, 0.25, 0.3, 0.4):
        print(f"threshold {threshold}")
        for name, part in parts.items():
            closed = 1 / (1 + np.exp(-(tables[name] @ w))) > threshold
            closed &= judged[name]
            due = f"{closed[part.closes].mean():.3f}" if part.closes.any() else "    -"
            wrong = closed[~part.closes].mean()
            print(f"  {name:16s} closed {due}  wrongly {wrong:.4f}  of {len(closed)} pairs")


if __name__ == "__main__":
    main()
