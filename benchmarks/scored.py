"""The scored suites on the files of the data folder: one function a suite and system."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.report import KeepingFactory
from benchmarks.results import DATA, Result, result
from benchmarks.systems import System
from benchmarks.vectors import DiskEmbedder
from mags_lab.evaluation.datasets.editing import (
    Edits,
    UpdateCase,
    load_distractors,
    load_letta,
    load_mquake,
)
from mags_lab.evaluation.datasets.locomo import LocomoConversation, load_locomo
from mags_lab.evaluation.datasets.longmemeval import LongMemEval, load_longmemeval
from mags_lab.evaluation.datasets.multihop import Corpus, load_hotpotqa, load_musique
from mags_lab.evaluation.metrics import Interval
from mags_lab.evaluation.protocol import GraphRetriever, Retriever, Statement, split
from mags_lab.evaluation.suites import editing, retrieval
from mags_lab.evaluation.suites.retrieval import SuiteRun

Suite = Callable[[System, DiskEmbedder, str], list[Result]]
"""A system, the embedder it was built with (its time is left out), and the command shown."""


def locomo(system: System, embedder: DiskEmbedder, command: str) -> list[Result]:
    """LoCoMo within each conversation; gold as given, and as mended by the audit."""
    if system.turns is None:
        return []
    found = []
    for name, mended in (("locomo-within", False), ("locomo-within-mended", True)):
        made = KeepingFactory(system.turns)
        run = retrieval.locomo_within(made, _locomo(mended), clock=_apart(embedder))
        found.append(_retrieved(name, system, run, made, command))
    return found


def locomo_together(system: System, embedder: DiskEmbedder, command: str) -> list[Result]:
    """LoCoMo, all conversations in one memory."""
    if system.turns is None:
        return []
    made = KeepingFactory(system.turns)
    run = retrieval.locomo_together(made, _locomo(False), clock=_apart(embedder))
    return [_retrieved("locomo-together", system, run, made, command)]


def longmemeval(system: System, embedder: DiskEmbedder, command: str) -> list[Result]:
    """LongMemEval, all in one memory, by turn and by session."""
    if system.turns is None:
        return []
    data = _longmemeval()
    made = KeepingFactory(system.turns)
    run = retrieval.longmemeval(made, data, clock=_apart(embedder))
    sessions = retrieval.by_session(run, {t.id: t.session for t in data.turns})
    return [
        _retrieved(name, system, part, made, command)
        for name, part in (("longmemeval-turns", run), ("longmemeval-sessions", sessions))
    ]


def multihop(system: System, embedder: DiskEmbedder, command: str) -> list[Result]:
    """MuSiQue with and without the shipped triples, and HotpotQA."""
    if system.graph is None:
        return []
    found = []
    clock = _apart(embedder)
    for corpus in _multihop():
        for with_triples in (False, True) if corpus.triples else (False,):
            made = KeepingFactory(system.graph)
            run = retrieval.multihop(made, corpus, with_triples=with_triples, clock=clock)
            name = f"multihop-{corpus.name}" + ("-triples" if with_triples else "")
            found.append(_retrieved(name, system, run, made, command))
    return found


def mquake(system: System, embedder: DiskEmbedder, command: str) -> list[Result]:
    """MQuAKE-hard, alone and among distractors."""
    if system.facts is None:
        return []
    found = []
    data = _mquake()
    for name, distractors in (("mquake-hard", ()), ("mquake-hard-distractors", _distractors())):
        made = KeepingFactory(system.facts)
        run = editing.edited_chains(made, data, distractors=distractors, clock=_apart(embedder))
        facts = {
            "facts": run.facts,
            "add_cpu_s": round(run.add_s, 3),
            **_latency([o.seconds for o in run.outcomes]),
        }
        groups = {"all": editing.chain_scores(run)}
        weighed = made.objective(editing.chain_quality(run))
        found.append(replace(result(name, system, groups, facts, command), objective=weighed))
    return found


def letta(system: System, embedder: DiskEmbedder, command: str) -> list[Result]:
    """Letta's core-memory updates, by half: writing rules may be made on `dev` only."""
    if system.updates is None:
        return []
    made = KeepingFactory(system.updates)
    outcomes = editing.updates(made, _letta())
    groups = {"all": editing.update_scores(outcomes)}
    for half in ("dev", "test"):
        groups[half] = editing.update_scores([o for o in outcomes if split(o.case.id) == half])
    found = result("letta", system, groups, {"cases": len(outcomes)}, command)
    return [replace(found, objective=made.objective(editing.update_quality(outcomes)))]


SUITES: Mapping[str, Suite] = {
    "locomo": locomo,
    "locomo-together": locomo_together,
    "longmemeval": longmemeval,
    "multihop": multihop,
    "mquake": mquake,
    "letta": letta,
}


def run_suite(name: str, system: System, embedder: DiskEmbedder, command: str) -> list[Result]:
    """Run a suite by name; nothing comes back where the system is not meant for it."""
    if system.suites is not None and name not in system.suites:
        return []
    return SUITES[name](system, embedder, command)


def _retrieved(
    name: str,
    system: System,
    run: SuiteRun,
    made: KeepingFactory[Retriever] | KeepingFactory[GraphRetriever],
    command: str,
) -> Result:
    found = result(name, system, _groups(run), _facts(run), command)
    return replace(found, objective=made.objective(retrieval.quality(run)))


def _groups(run: SuiteRun) -> dict[str, dict[str, Interval]]:
    groups = {"all": retrieval.scores(run)}
    for half in ("dev", "test"):
        part = retrieval.only(run, lambda o, half=half: split(o.probe.id) == half)  # type: ignore[misc]
        groups[half] = retrieval.scores(part)
        groups |= {f"{half} {k}": retrieval.scores(r) for k, r in retrieval.kinds(part).items()}
    groups |= {f"all {k}": retrieval.scores(r) for k, r in retrieval.kinds(run).items()}
    return groups


def _facts(run: SuiteRun) -> dict[str, float]:
    return {
        "turns": run.turns,
        "add_cpu_s": round(run.add_s, 3),
        **_latency([o.seconds for o in run.outcomes]),
    }


def _latency(seconds: list[float]) -> dict[str, float]:
    p50, p95 = np.percentile(seconds, [50, 95]) * 1000
    return {"search_cpu_ms_p50": round(float(p50), 3), "search_cpu_ms_p95": round(float(p95), 3)}


def _apart(embedder: DiskEmbedder) -> Callable[[], float]:
    """A clock of processor time that stands still while texts are embedded.

    Processor time, since other work on the machine should not show in a table.
    """
    return lambda: time.process_time() - embedder.seconds


@cache
def _locomo(mended: bool) -> tuple[LocomoConversation, ...]:
    folder = DATA / "locomo"
    audit = folder / "audit_errors.json" if mended else None
    return load_locomo(folder / "locomo10_conv0-4.json.gz", audit=audit)


@cache
def _longmemeval() -> LongMemEval:
    folder = DATA / "longmemeval"
    return load_longmemeval(folder / "lme_evidence.jsonl.gz", folder / "haystacks")


@cache
def _multihop() -> tuple[Corpus, Corpus]:
    folder = DATA / "multihop" / "hipporag"
    openie = "openie_musique_train_results_ner_gpt-3.5-turbo-1106_1890.json.gz"
    return (
        load_musique(
            folder / "musique_train.json.gz",
            folder / "musique_train_corpus.json.gz",
            folder / openie,
        ),
        load_hotpotqa(folder / "hotpotqa_train.json.gz", folder / "hotpotqa_train_corpus.json.gz"),
    )


@cache
def _mquake() -> Edits:
    return load_mquake(DATA / "mquake" / "MQuAKE-hard.json.gz")


@cache
def _distractors() -> tuple[Statement, ...]:
    folder: Path = DATA / "text2kg" / "wikidata_tekgen"
    return load_distractors(folder, taken=_mquake().slots)


@cache
def _letta() -> tuple[UpdateCase, ...]:
    return load_letta(DATA / "letta_core_memory" / "core_memory_update.jsonl.gz")
