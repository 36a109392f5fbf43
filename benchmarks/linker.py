"""`python -m benchmarks.linker`: first edges by a trained linker, by cosine, by nearness.

Passages of MuSiQue with their triples go into one memory, a linker is trained on its links (a fifth
held out; it sees no question), and then a memory is made anew with each of the three ways to link
and asked questions of the dev half. Needs the extra `pyg`.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import mags
from benchmarks import report
from benchmarks.results import CACHE, DATA, load, result, save
from benchmarks.systems import MagsTurns, Open, System
from benchmarks.vectors import DiskEmbedder, shipped
from mags.engram.settings import AttentionSettings, EngramSettings
from mags.errors import MagsError
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.ports import policy as port
from mags.settings import Settings
from mags_lab.evaluation.datasets.multihop import Corpus, load_musique
from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.evaluation.protocol import split
from mags_lab.evaluation.suites import retrieval
from mags_lab.training.linker import Linked, LinkerFitting, train
from mags_lab.training.linker import save as write

Values = dict[str, list[float]]
COMMAND = "python -m benchmarks.linker"
SUITE = "linker"
NOTES = {
    "trained": "a GATv2, by link prediction on the memory's own links",
    "cosine": "scaled cosine attention, as shipped",
    "neighbours": "the nearest alone",
}


def main(arguments: Sequence[str]) -> int:
    """Train, measure, save and rewrite the page; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--questions", type=int, default=150, help="of the dev half")
    parser.add_argument("--passages", type=int, default=700, help="their evidence and others")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=3, help="trainings, from seed 0 on")
    options = parser.parse_args(arguments)
    try:
        corpus = part_of(_musique(), options.questions, options.passages)
        configs = [LinkerFitting(epochs=options.epochs, seed=seed) for seed in range(options.seeds)]
        _measure(corpus, shipped(CACHE), configs, " ".join((COMMAND, *arguments)))
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    report.write(load())
    return 0


def part_of(corpus: Corpus, questions: int, passages: int) -> Corpus:
    """The first questions of the dev half, their evidence and the first passages beside it."""
    probes = [p for p in corpus.probes if split(p.id) == "dev"][:questions]
    gold = {one for p in probes for one in p.gold}
    others = max(0, passages - len(gold))
    beside = {t.id for t in [t for t in corpus.turns if t.id not in gold][:others]}
    turns = tuple(t for t in corpus.turns if t.id in gold or t.id in beside)
    return replace(corpus, turns=turns, probes=tuple(probes))


def _measure(
    corpus: Corpus, embedder: DiskEmbedder, configs: Sequence[LinkerFitting], command: str
) -> None:
    taught: list[Memory] = []
    MagsTurns(_opening(embedder, "cosine", None, taught)).add_graph(corpus.turns, corpus.triples)
    made = [train(taught[0].to_pyg(), config) for config in configs]
    asked: dict[str, list[Values]] = {}
    for name in NOTES:
        files = _written(made) if name == "trained" else [None]
        asked[name] = [_asked(corpus, _opening(embedder, name, file, [])) for file in files]
    for name, runs in asked.items():
        facts = _facts(name, made) | {
            "turns": len(corpus.turns),
            "questions": len(corpus.probes),
        }
        scores = {measure: bootstrap(found) for measure, found in _mean(runs).items()}
        scores["gain@5"] = _gain(runs, asked["cosine"])
        system = System(name=f"MAGS, first edges by {name}", note=NOTES[name])
        kept = save(result(SUITE, system, {"dev": scores}, facts, command))
        print(kept.name, facts, {k: round(scores[k].mean, 4) for k in ("recall@5", "recall@10")})


def _written(made: Sequence[Linked]) -> list[Path]:
    files = [CACHE / f"linker-{place}.npz" for place in range(len(made))]
    for one, file in zip(made, files, strict=True):
        write(one.weights, file)
    return files


def _asked(corpus: Corpus, opening: Open) -> Values:
    return retrieval.values(
        retrieval.multihop(lambda: MagsTurns(opening), corpus, with_triples=True)
    )


def _facts(name: str, made: Sequence[Linked]) -> dict[str, float | str]:
    """What the links say of a way, a mean over the seeds (which draw what is held out, too)."""
    found = [one.figures[name] for one in made]
    told = {"auc": "auc", "auc_near": "auc_near", "first": "first_near"}
    return {
        "seeds": len(made),
        "links": made[0].learned,
        "held_out": made[0].held_out,
        **{key: round(100 * fmean(getattr(f, one) for f in found), 2) for one, key in told.items()},
    }


def _mean(runs: Sequence[Values]) -> Values:
    """Question by question the mean over the seeds."""
    return {
        m: [fmean(some) for some in zip(*(run[m] for run in runs), strict=True)] for m in runs[0]
    }


def _gain(runs: Sequence[Values], others: Sequence[Values], measure: str = "recall@5") -> Interval:
    """What a way adds to another, question by question."""
    pairs = zip(_mean(runs)[measure], _mean(others)[measure], strict=True)
    return bootstrap([one - other for one, other in pairs])


def _opening(embedder: DiskEmbedder, name: str, linker: Path | None, opened: list[Memory]) -> Open:
    """Open empty memories that link in this way, each put into `opened`."""
    attention = AttentionSettings(on=name != "neighbours")
    engram = EngramSettings(attention=attention, linker=linker)
    settings = Settings(memory=MemorySettings(engram=engram))

    def open_(policy: port.Policy) -> Memory:
        ticks = itertools.count(1_900_000_000)
        memory = mags.open(
            None,
            embedder=embedder,
            policy=policy,
            settings=settings,
            clock=lambda: float(next(ticks)),
        )
        opened.append(memory)
        return memory

    return open_


def _musique() -> Corpus:
    folder = DATA / "multihop" / "hipporag"
    openie = "openie_musique_train_results_ner_gpt-3.5-turbo-1106_1890.json.gz"
    return load_musique(
        folder / "musique_train.json.gz", folder / "musique_train_corpus.json.gz", folder / openie
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
