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

import mags
from benchmarks import report
from benchmarks.mags_memory import MagsTurns, Open
from benchmarks.places import CACHE, DATA
from benchmarks.results import load, result, save
from benchmarks.systems import System
from benchmarks.vectors import DiskEmbedder, shipped
from mags.engram.settings import AttentionSettings, EngramSettings
from mags.errors import MagsError
from mags.evaluation.datasets.multihop import Corpus, load_musique
from mags.evaluation.split import split
from mags.evaluation.suites import retrieval
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.ports import policy as port
from mags.settings import Settings
from mags.training.linker.fit import Fitting
from mags.training.linker.run import save as write
from mags.training.linker.run import train

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
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    try:
        corpus = part_of(_musique(), options.questions, options.passages)
        _measure(corpus, shipped(CACHE), Fitting(epochs=options.epochs, seed=options.seed))
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


def _measure(corpus: Corpus, embedder: DiskEmbedder, config: Fitting) -> None:
    taught: list[Memory] = []
    MagsTurns(_opening(embedder, "cosine", False, taught)).add_graph(corpus.turns, corpus.triples)
    made = train(taught[0].to_pyg(), config)
    write(made.weights, CACHE / "linker.npz")
    for name, found in made.figures.items():
        opening = _opening(embedder, name, name == "trained", [])
        run = retrieval.multihop(
            lambda opening=opening: MagsTurns(opening),  # type: ignore[misc]
            corpus,
            with_triples=True,
        )
        system = System(name=f"MAGS, first edges by {name}", note=NOTES[name])
        facts = {
            "turns": run.turns,
            "questions": len(run.outcomes),
            "links": made.learned,
            "held_out": made.held_out,
            "auc": round(100 * found.auc, 2),
            "auc_near": round(100 * found.auc_near, 2),
            "first_near": round(100 * found.first, 2),
        }
        kept = save(result(SUITE, system, {"dev": retrieval.scores(run)}, facts, COMMAND))
        shown = retrieval.scores(run)
        print(kept.name, facts, {k: round(shown[k].mean, 4) for k in ("recall@5", "recall@10")})


def _opening(embedder: DiskEmbedder, name: str, trained: bool, opened: list[Memory]) -> Open:
    """Open empty memories that link in this way, each put into `opened`."""
    attention = AttentionSettings(on=name != "neighbours")
    linker = CACHE / "linker.npz" if trained else None
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
