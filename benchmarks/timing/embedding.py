"""`python -m benchmarks.timing.embedding`: how fast the shipped embedder is, as JSON.

`make bench` keeps the figures of one thread and of two in its page (`record`).
With `--against FILE` also what the quantisation costs: the same searches with another
ONNX file of the same model, such as the fp32 one that
`python scripts/make_embedder.py --variant fp32 --out build` writes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.results import DATA, Result, machine, result, save
from benchmarks.systems import System
from mags.errors import MagsError
from mags.models.embed.onnx import SHIPPED, ModelFile, OnnxEmbedder
from mags_lab.evaluation.datasets.locomo import load_locomo
from mags_lab.evaluation.datasets.longmemeval import load_longmemeval
from mags_lab.evaluation.datasets.multihop import load_hotpotqa, load_musique
from mags_lab.evaluation.metrics import recall_at
from mags_lab.evaluation.protocol import Probe, SourceTurn

# Three lengths: a remark, a turn of a conversation, and one that fills several windows.
TEXTS = {
    "short (9 tokens)": "Where does Alice live these days?",
    "turn (41 tokens)": (
        "I moved to Oslo in May because the company I work for opened an office there, and my "
        "sister Anna, who is a nurse in Bergen, said that she would visit me in the summer."
    ),
    "long (1,692 tokens)": "The meeting went on, and nothing was decided on the budget. " * 130,
}
LONGMEMEVAL_TURNS = 1000


def speed(threads: int, seconds: float) -> dict[str, dict[str, float]]:
    """Latency of one text and throughput of a batch, for each length, over `seconds` each."""
    embedder = OnnxEmbedder(threads=threads)
    began = time.perf_counter()
    embedder.embed(["open"])
    figures = {"open": {"first_text_ms": round(1e3 * (time.perf_counter() - began), 1)}}
    for name, text in TEXTS.items():
        single, cpu_s = _timed(embedder, [text], seconds)
        batch = [f"{number} {text}" for number in range(64 if len(text) < 1000 else 4)]
        many, batch_cpu_s = _timed(embedder, batch, seconds)
        figures[name] = {
            "single_p50_ms": round(1e3 * float(np.quantile(single, 0.5)), 2),
            "single_p95_ms": round(1e3 * float(np.quantile(single, 0.95)), 2),
            "single_cpu_ms": round(1e3 * cpu_s / len(single), 2),
            "single_texts_per_s": round(len(single) / sum(single), 1),
            "batch_texts_per_s": round(len(batch) * len(many) / sum(many), 1),
            "batch_cpu_ms_per_text": round(1e3 * batch_cpu_s / len(batch) / len(many), 2),
        }
    return figures


SUITE = "embedding"


def record(command: str, *, seconds: float = 3.0, threads: Sequence[int] = (1, 2)) -> None:
    """Measure the speed and keep it with the other results."""
    facts = {
        f"{name}, {count} threads, {measure}": figure
        for count in threads
        for name, figures in speed(count, seconds).items()
        for measure, figure in figures.items()
    }
    save(result(SUITE, System(name="MAGS", note=OnnxEmbedder().name), {}, facts, command))


def chapter(results: Sequence[Result]) -> str:
    """A table of texts a second and milliseconds a text, by length and threads; "" if not run."""
    found = next((r for r in results if r.suite == SUITE), None)
    if found is None:
        return ""
    columns = ("single_p50_ms", "single_p95_ms", "batch_texts_per_s")
    lines = [
        "## Embedding",
        "",
        f"The shipped embedder ({found.note}); `python -m benchmarks.timing.embedding` runs this "
        "alone.",
        "",
        "| text | threads | one, ms p50 | one, ms p95 | texts a second, in batches |",
        "|---|---|---|---|---|",
    ]
    for name in TEXTS:
        for count in (1, 2):
            cells = [found.facts.get(f"{name}, {count} threads, {column}") for column in columns]
            if None not in cells:
                lines.append("| " + " | ".join([name, str(count), *map(str, cells)]) + " |")
    return "\n".join([*lines, ""])


def _timed(
    embedder: OnnxEmbedder, texts: Sequence[str], seconds: float
) -> tuple[list[float], float]:
    """Seconds of each call, and of the processor over all: the same on a busy machine."""
    embedder.embed(texts)
    taken = []
    used = time.process_time()
    ends = time.perf_counter() + seconds
    while (began := time.perf_counter()) < ends:
        embedder.embed(texts)
        taken.append(time.perf_counter() - began)
    return taken, time.process_time() - used


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedTurns:
    """Turns to search and the questions asked of them."""

    turns: Sequence[SourceTurn]
    probes: Sequence[Probe]


def pools() -> Mapping[str, Sequence[SearchedTurns]]:
    """LoCoMo within each conversation, LongMemEval (1,000 others), MuSiQue, HotpotQA."""
    hipporag = DATA / "multihop" / "hipporag"
    locomo = load_locomo(DATA / "locomo" / "locomo10_conv0-4.json.gz")
    memeval = load_longmemeval(
        DATA / "longmemeval" / "lme_evidence.jsonl.gz", DATA / "longmemeval" / "haystacks"
    )
    gold = frozenset().union(*(probe.gold for probe in memeval.probes))
    others = [turn for turn in memeval.turns if turn.id not in gold]
    step = max(1, len(others) // LONGMEMEVAL_TURNS)
    sample = [turn for turn in memeval.turns if turn.id in gold] + others[::step]
    multihop = {
        "MuSiQue": load_musique(
            hipporag / "musique_train.json.gz", hipporag / "musique_train_corpus.json.gz"
        ),
        "HotpotQA": load_hotpotqa(
            hipporag / "hotpotqa_train.json.gz", hipporag / "hotpotqa_train_corpus.json.gz"
        ),
    }
    return {
        "LoCoMo": [SearchedTurns(turns=one.turns, probes=one.probes) for one in locomo],
        "LongMemEval": [SearchedTurns(turns=sample, probes=memeval.probes)],
        **{
            name: [SearchedTurns(turns=corpus.turns, probes=corpus.probes)]
            for name, corpus in multihop.items()
        },
    }


def loss(other: ModelFile) -> dict[str, dict[str, float]]:
    """Dense search with the shipped file and the other: recall of both, and how alike they are."""
    threads = os.cpu_count() or 1
    ours, theirs = OnnxEmbedder(threads=threads), OnnxEmbedder(other, threads=threads)
    figures = {}
    for name, of_set in pools().items():
        rows: dict[str, list[float]] = {"recall@10 shipped": [], "recall@10 other": []}
        shared, cosines = [], []
        for pool in of_set:
            texts = [f"{t.speaker}: {t.text}" if t.speaker else t.text for t in pool.turns]
            texts += [probe.text for probe in pool.probes]
            a, b = ours.embed(texts), theirs.embed(texts)
            cosines.append(np.einsum("ij,ij->i", a, b))
            for probe, first, second in zip(
                pool.probes, _ranked(a, pool), _ranked(b, pool), strict=True
            ):
                rows["recall@10 shipped"].append(recall_at(first, probe.gold, 10))
                rows["recall@10 other"].append(recall_at(second, probe.gold, 10))
                shared.append(len(set(first) & set(second)) / len(set(first)))
        cosine = np.concatenate(cosines)
        figures[name] = {
            **{measure: round(100 * float(np.mean(values)), 1) for measure, values in rows.items()},
            "questions": len(shared),
            "texts": len(cosine),
            "shared of the first 10": round(100 * float(np.mean(shared)), 1),
            "cosine mean": round(float(cosine.mean()), 4),
            "cosine p1": round(float(np.quantile(cosine, 0.01)), 4),
            "cosine least": round(float(cosine.min()), 4),
        }
    return figures


def _ranked(vectors: NDArray[np.float32], pool: SearchedTurns) -> Iterator[list[str]]:
    turns = len(pool.turns)
    for question in vectors[turns:]:
        best = np.argsort(-(vectors[:turns] @ question), kind="stable")[:10]
        yield [pool.turns[row].id for row in best]


def main(arguments: Sequence[str]) -> int:
    """Measure, print JSON, return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.timing.embedding", description=__doc__
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="spent on each figure")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--against", type=Path, help="another ONNX file of the same model")
    asked = parser.parse_args(arguments)
    report: dict[str, object] = {"machine": machine(), "model": OnnxEmbedder().name}
    try:
        for threads in asked.threads:
            report[f"{threads} threads"] = speed(threads, asked.seconds)
        if asked.against:
            sha256 = hashlib.sha256(asked.against.read_bytes()).hexdigest()
            report["loss"] = loss(replace(SHIPPED, model=asked.against, model_sha256=sha256))
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    print(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
