"""`python -m benchmarks.real_writing`: what a policy writes of sentences that people wrote.

Precision, recall and F1 of its operations against the facts of KnowledgeNet, Re-DocRED, TekGen and
AriGraph's TextWorld logs, held-out halves only (`mags_lab.training.real`,
`mags_lab.evaluation.writing`). `--policy` takes what the setting `policy.kind` takes; `--train`
measures the other halves instead and saves nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Sequence

from benchmarks import report
from benchmarks.results import DATA, load, result, save
from benchmarks.systems import System
from mags.app import make_parts
from mags.errors import MagsError, NotFound
from mags.ports.policy import Policy
from mags.settings import read_settings
from mags_lab.evaluation.metrics import Interval
from mags_lab.evaluation.writing import Scored, micro, score
from mags_lab.training.real.passage import Passage
from mags_lab.training.real.sets import SETS

COMMAND = "python -m benchmarks.real_writing"


def main(arguments: Sequence[str]) -> int:
    """Measure, save and rewrite the page; return the exit status."""
    options = _options(arguments)
    try:
        policy = policy_of(options.policy)
        for name in options.set or SETS:
            _measure(name, options.policy, policy, held=not options.train)
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    if not options.train:
        report.write(load())
    return 0


def policy_of(kind: str) -> Policy:
    """The policy that MAGS would use under this setting; raises ConfigurationError."""
    return make_parts(read_settings({**os.environ, "MAGS_POLICY": kind})).policy


def _measure(name: str, kind: str, policy: Policy, *, held: bool) -> None:
    source = SETS[name]
    try:
        passages = [one for one in source.passages(DATA) if one.held is held]
    except NotFound as missing:
        print(f"{source.source} is left out. {missing}")
        return
    scored, times = run(policy, passages)
    figures = measures(scored)
    for measure, figure in figures.items():
        shown = f"{figure.mean:.3f} ({figure.low:.3f}-{figure.high:.3f})"
        print(f"{source.source}, {kind}: {measure} {shown}, n {figure.n}")
    p50 = statistics.median(times)
    facts = {
        "passages": len(passages),
        "facts": sum(one.triples.wanted for one in scored),
        "write_cpu_ms_p50": p50,
    }
    print(f"{source.source}, {kind}: {facts['facts']} facts, write p50 {p50:.2f} ms (CPU)")
    if held:
        system = System(name=kind, note=policy.name if policy.name != kind else "")
        groups = {"held out": figures}
        save(result(f"real-writing-{name}", system, groups, facts, f"{COMMAND} --policy {kind}"))


def run(policy: Policy, passages: Sequence[Passage]) -> tuple[list[Scored], list[float]]:
    """Score every passage; and the processor time of each, in ms."""
    for one in passages[:20]:
        policy.write(one.turn, one.recent, one.recalled)
    scored, times = [], []
    for one in passages:
        began = time.process_time()
        written = policy.write(one.turn, one.recent, one.recalled)
        times.append((time.process_time() - began) * 1e3)
        scored.append(score(one, written.operations))
    return scored, times


def measures(scored: Sequence[Scored]) -> dict[str, Interval]:
    """The measures of the table: triples, then pairs of names."""
    triples = micro([one.triples for one in scored])
    pairs = micro([one.pairs for one in scored])
    return {**triples, **{f"pair {name}": found for name, found in pairs.items()}}


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--policy", default="rules", help="a value of the setting policy.kind")
    parser.add_argument("--set", action="append", choices=SETS, help="only this set")
    parser.add_argument(
        "--train", action="store_true", help="the halves to train on; saves nothing"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
