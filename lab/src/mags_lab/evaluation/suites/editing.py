"""Facts that change: MQuAKE's edited chains and Letta's core-memory updates."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mags_lab.evaluation.datasets.editing import ChainCase, Edits, UpdateCase
from mags_lab.evaluation.metrics import (
    Closings,
    Interval,
    bootstrap,
    closings,
    comes_before,
    complete_at,
    recall_at,
    unique,
)
from mags_lab.evaluation.objective import Quality
from mags_lab.evaluation.protocol import FactMemory, Statement, UpdateMemory

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainOutcome:
    """One wording of a chain question, with the keys found for it."""

    case: ChainCase
    question: str
    ranked: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainRun:
    """All wordings of all chain questions; `facts` statements were told in `add_s` seconds."""

    outcomes: tuple[ChainOutcome, ...]
    facts: int
    add_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateOutcome:
    """One update case: the numbers found for its question (the update is 10), and the closings."""

    case: UpdateCase
    ranked: tuple[int, ...]
    closings: Closings


def edited_chains(
    make: Callable[[], FactMemory],
    data: Edits,
    *,
    distractors: Sequence[Statement] = (),
    k: int = 20,
    clock: Clock = time.perf_counter,
) -> ChainRun:
    """Tell distractors, all first facts and all edits to one memory, then ask all questions.

    Everything is told before the first question is asked, and the number of hops is not given.
    """
    told = [*distractors, *data.before, *data.edits]
    memory = make()
    began = clock()
    memory.tell(told)
    add_s = clock() - began
    outcomes = []
    for case in data.cases:
        for question in case.questions:
            began = clock()
            ranked = tuple(memory.search(question, k))
            outcomes.append(
                ChainOutcome(case=case, question=question, ranked=ranked, seconds=clock() - began)
            )
    return ChainRun(outcomes=tuple(outcomes), facts=len(told), add_s=add_s)


def chain_scores(run: ChainRun, ks: Sequence[int] = (10, 20)) -> dict[str, Interval]:
    """Return `chain@k` (all four facts), `recall@k` of them and `stale@k`.

    Each case counts once, as the mean over its wordings. `stale@k`: the share of questions with at
    least one replaced fact of their chain among the first k.
    """
    named: dict[str, list[float]] = {}
    for k in ks:
        whole: dict[str, list[float]] = {}
        part: dict[str, list[float]] = {}
        stale: dict[str, list[float]] = {}
        for o in run.outcomes:
            whole.setdefault(o.case.id, []).append(complete_at(o.ranked, o.case.chain, k))
            part.setdefault(o.case.id, []).append(recall_at(o.ranked, o.case.chain, k))
            found = set(unique(o.ranked, k))
            stale.setdefault(o.case.id, []).append(float(bool(found & o.case.stale)))
        for name, table in (("chain", whole), ("recall", part), ("stale", stale)):
            named[f"{name}@{k}"] = [sum(v) / len(v) for v in table.values()]
    return {name: bootstrap(values) for name, values in named.items()}


def chain_quality(run: ChainRun, k: int = 10) -> Quality:
    """Return the quality of a run: an answer needs its whole chain and no stale fact.

    Both among the first k; `carried`: the share of questions whose chain is whole.
    """
    n = len(run.outcomes)
    whole = [complete_at(o.ranked, o.case.chain, k) > 0.0 for o in run.outcomes]
    clean = [not set(unique(o.ranked, k)) & o.case.stale for o in run.outcomes]
    right = sum(a and b for a, b in zip(whole, clean, strict=True))
    return Quality(wrong=1.0 - right / n, carried=sum(whole) / n)


def updates(
    make: Callable[[], UpdateMemory], cases: Sequence[UpdateCase], *, k: int = 11
) -> tuple[UpdateOutcome, ...]:
    """Tell each case to a memory of its own, ask its question, and note what it closed."""
    outcomes = []
    for case in cases:
        memory = make()
        memory.observe([*case.facts, case.update])
        ranked = tuple(memory.search(case.question, k))
        # The update has the number after the last fact, and must stay open as well.
        kept = [n for n in range(len(case.facts)) if n not in case.contradicted]
        done = closings(set(memory.closed()), due=case.contradicted, keep=[*kept, len(case.facts)])
        outcomes.append(UpdateOutcome(case=case, ranked=ranked, closings=done))
    return tuple(outcomes)


def update_quality(outcomes: Sequence[UpdateOutcome]) -> Quality:
    """Return the quality of the cases: an answer is wrong if the update is not found first.

    `carried`: the update comes before every fact that it contradicts; `f1`: of closings against
    those due, over all cases.
    """
    scores = update_scores(outcomes)
    done = wrong = missed = 0.0
    # Shares back to counts, so that cases with more facts count more in F1.
    for o in outcomes:
        due, keep = len(o.case.contradicted), len(o.case.facts) + 1 - len(o.case.contradicted)
        missed += o.closings.missed * due
        done += (1.0 - o.closings.missed) * due
        wrong += o.closings.wrong * keep
    return Quality(
        wrong=1.0 - scores["new found@1"].mean,
        carried=scores["new first"].mean,
        f1=2.0 * done / (2.0 * done + wrong + missed),
    )


def update_scores(outcomes: Sequence[UpdateOutcome]) -> dict[str, Interval]:
    """Return `new first`, `new found@1`, `wrong` and `missed` closings.

    `new first`: the update is found before every fact that it contradicts. `wrong`: the share of
    the other facts (and the update) that were closed; `missed`: the share of the contradicted facts
    that were left open.
    """
    ahead = [
        min(comes_before(o.ranked, len(o.case.facts), old) for old in o.case.contradicted)
        for o in outcomes
    ]
    top = [float(o.ranked[:1] == (len(o.case.facts),)) for o in outcomes]
    return {
        "new first": bootstrap(ahead),
        "new found@1": bootstrap(top),
        "wrong": bootstrap([o.closings.wrong for o in outcomes]),
        "missed": bootstrap([o.closings.missed for o in outcomes]),
    }
