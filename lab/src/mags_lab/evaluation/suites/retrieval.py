"""The suites of evidence recall: store turns, ask questions, score the ids that are found.

A run gives one `RetrievalOutcome` for each question. Tables are means over outcomes, so that any
measure, half or kind can be read from the same run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mags_lab.evaluation.datasets.locomo import LocomoConversation
from mags_lab.evaluation.datasets.longmemeval import LongMemEval
from mags_lab.evaluation.datasets.multihop import Corpus
from mags_lab.evaluation.metrics import (
    Interval,
    bootstrap,
    complete_at,
    hit_at,
    ndcg_at,
    recall_at,
    reciprocal_rank,
)
from mags_lab.evaluation.objective import Quality
from mags_lab.evaluation.protocol import GraphRetriever, Probe, Retriever, SourceTurn

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOutcome:
    """One question, with the ids found for it; `seconds`: for the search alone."""

    probe: Probe
    ranked: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """All outcomes of one system on one suite; `add_s`: seconds for storing `turns` turns."""

    outcomes: tuple[RetrievalOutcome, ...]
    turns: int
    add_s: float


def ask_all(
    system: Retriever, turns: Sequence[SourceTurn], probes: Sequence[Probe], k: int, clock: Clock
) -> SuiteRun:
    """Store `turns` in an empty `system`, then ask every probe for k ids."""
    began = clock()
    system.add(turns)
    add_s = clock() - began
    outcomes = tuple(_ask(system, probe, k, clock) for probe in probes)
    return SuiteRun(outcomes=outcomes, turns=len(turns), add_s=add_s)


def locomo_within(
    make: Callable[[], Retriever],
    conversations: Iterable[LocomoConversation],
    *,
    k: int = 20,
    clock: Clock = time.perf_counter,
) -> SuiteRun:
    """Ask the questions of each conversation in a memory of that conversation alone."""
    return joined(ask_all(make(), c.turns, c.probes, k, clock) for c in conversations)


def locomo_together(
    make: Callable[[], Retriever],
    conversations: Sequence[LocomoConversation],
    *,
    k: int = 20,
    clock: Clock = time.perf_counter,
) -> SuiteRun:
    """Ask all questions in one memory of all conversations, told one after another."""
    turns = [turn for c in conversations for turn in c.turns]
    return ask_all(make(), turns, [p for c in conversations for p in c.probes], k, clock)


def longmemeval(
    make: Callable[[], Retriever],
    data: LongMemEval,
    *,
    k: int = 30,
    clock: Clock = time.perf_counter,
) -> SuiteRun:
    """Ask all questions in one memory of all evidence turns and all haystack sessions.

    So the evidence of all other questions are distractors, too. Ids are turns; `by_session` reads
    the same run by session.
    """
    return ask_all(make(), data.turns, data.probes, k, clock)


def multihop(
    make: Callable[[], GraphRetriever],
    corpus: Corpus,
    *,
    with_triples: bool,
    k: int = 20,
    clock: Clock = time.perf_counter,
) -> SuiteRun:
    """Ask all questions in one memory of all passages, with or without the shipped triples."""
    system = make()
    began = clock()
    if with_triples:
        system.add_graph(corpus.turns, corpus.triples)
    else:
        system.add(corpus.turns)
    add_s = clock() - began
    outcomes = tuple(_ask(system, probe, k, clock) for probe in corpus.probes)
    return SuiteRun(outcomes=outcomes, turns=len(corpus.turns), add_s=add_s)


def joined(runs: Iterable[SuiteRun]) -> SuiteRun:
    """Put the outcomes of several runs into one."""
    parts = list(runs)
    return SuiteRun(
        outcomes=tuple(o for run in parts for o in run.outcomes),
        turns=sum(run.turns for run in parts),
        add_s=sum(run.add_s for run in parts),
    )


def by_session(run: SuiteRun, session_of: Mapping[str, str]) -> SuiteRun:
    """Return the run with turns replaced by their sessions, each at its best turn's rank.

    Only the sessions of the k turns that were found are ranked, so recall@k of sessions may be
    counted over fewer than k.
    """
    outcomes = [
        RetrievalOutcome(
            probe=Probe(
                id=o.probe.id,
                text=o.probe.text,
                gold=frozenset(session_of[i] for i in o.probe.gold),
                kind=o.probe.kind,
                at=o.probe.at,
            ),
            ranked=tuple(dict.fromkeys(session_of[i] for i in o.ranked)),
            seconds=o.seconds,
        )
        for o in run.outcomes
    ]
    return SuiteRun(outcomes=tuple(outcomes), turns=run.turns, add_s=run.add_s)


def scores(run: SuiteRun, ks: Sequence[int] = (5, 10, 20)) -> dict[str, Interval]:
    """Return every measure of `values` as a mean over the run's outcomes."""
    return {name: bootstrap(found) for name, found in values(run, ks).items()}


def values(run: SuiteRun, ks: Sequence[int] = (5, 10, 20)) -> dict[str, list[float]]:
    """Return every measure of retrieval by name, one value for each of the run's outcomes.

    `recall@k`, `hit@k`, `all@k` (every gold id found) and `ndcg@k` for each k, and `mrr`.
    """
    named: dict[str, list[float]] = {"mrr": []}
    for o in run.outcomes:
        named["mrr"].append(reciprocal_rank(o.ranked, o.probe.gold))
        for k in ks:
            named.setdefault(f"recall@{k}", []).append(recall_at(o.ranked, o.probe.gold, k))
            named.setdefault(f"hit@{k}", []).append(hit_at(o.ranked, o.probe.gold, k))
            named.setdefault(f"all@{k}", []).append(complete_at(o.ranked, o.probe.gold, k))
            named.setdefault(f"ndcg@{k}", []).append(ndcg_at(o.ranked, o.probe.gold, k))
    return named


def quality(run: SuiteRun, k: int = 10) -> Quality:
    """Return the quality of a run: an answer is wrong if the first id found is not evidence.

    `carried`: the share of questions whose whole evidence is among the first k.
    """
    n = len(run.outcomes)
    right = sum(hit_at(o.ranked, o.probe.gold, 1) for o in run.outcomes)
    whole = sum(complete_at(o.ranked, o.probe.gold, k) for o in run.outcomes)
    return Quality(wrong=1.0 - right / n, carried=whole / n)


def kinds(run: SuiteRun) -> dict[str, SuiteRun]:
    """Return the run split by the probes' kinds, in order of name."""
    return {
        kind: only(run, lambda o, kind=kind: o.probe.kind == kind)  # type: ignore[misc]
        for kind in sorted({o.probe.kind for o in run.outcomes})
    }


def only(run: SuiteRun, wanted: Callable[[RetrievalOutcome], bool]) -> SuiteRun:
    """Return the run with the outcomes for which `wanted` holds."""
    kept = tuple(o for o in run.outcomes if wanted(o))
    return SuiteRun(outcomes=kept, turns=run.turns, add_s=run.add_s)


def _ask(system: Retriever, probe: Probe, k: int, clock: Clock) -> RetrievalOutcome:
    began = clock()
    ranked = tuple(system.search(probe.text, k))
    return RetrievalOutcome(probe=probe, ranked=ranked, seconds=clock() - began)
