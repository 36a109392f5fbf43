"""`python -m benchmarks.policies`: how well a policy asks, writes and routes on held-out samples.

New samples of every test split of the generator (`mags_lab.training.chains.splits`): exact
adherence (the decision says exactly what is due, in whatever order) and the mean F1 of its items
(`mags_lab.training.reward`), role by role, and the median processor time of a decision. Nothing is
remembered but what a sample brings. `--policy` takes what the setting `policy.kind` takes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from benchmarks import report
from benchmarks.real_writing import policy_of
from benchmarks.results import load, result, save
from benchmarks.systems import System
from mags.errors import MagsError, ModelError
from mags.ports.policy import Policy
from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.chains.splits import TESTS
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.evaluate.deciders import asked
from mags_lab.training.generate.samples import of_split
from mags_lab.training.reward import Reading, adherence, item_f1

COMMAND = "python -m benchmarks.policies"
WARM = 10
Case = tuple[Sample, Reading | None, float]
"""A sample, what was decided (None: a guardrail refused it), and the time it took, in ms."""


def main(arguments: Sequence[str]) -> int:
    """Measure, save and rewrite the page; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--policy", default="rules", help="a value of policy.kind")
    parser.add_argument("--samples", type=int, default=300, help="of each test split")
    parser.add_argument("--seed", type=int, default=0, help="of the samples")
    options = parser.parse_args(arguments)
    kind, known = options.policy, SeenTurns()
    told = f"{COMMAND} --policy {kind} --samples {options.samples} --seed {options.seed}"
    try:
        policy = policy_of(kind)
        system = System(name=kind, note=policy.name if policy.name != kind else "")
        for split in TESTS:
            samples = list(of_split(split, options.samples, options.seed, known))
            cases = decided(policy, samples)
            figures = measures(cases)
            shown = ", ".join(f"{name} {100 * one.mean:.1f}" for name, one in figures.items())
            print(f"{kind}, {split}: {shown}", flush=True)
            found = result(f"policies-{split}", system, {"all": figures}, times(cases), told)
            save(found)
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    report.write(load())
    return 0


def decided(policy: Policy, samples: Sequence[Sample]) -> list[Case]:
    """What a policy decides for each sample; the first ones twice, for what is opened late."""
    for sample in samples[:WARM]:
        _one(policy, sample)
    return [_one(policy, sample) for sample in samples]


def _one(policy: Policy, sample: Sample) -> Case:
    began = time.process_time()
    try:
        reading: Reading | None = asked(policy, sample)
    except ModelError:
        reading = None
    return sample, reading, 1e3 * (time.process_time() - began)


def measures(cases: Iterable[Case]) -> Mapping[str, Interval]:
    """Exact adherence and F1 of each role that there is, with their intervals over samples."""
    exact: dict[Role, list[float]] = defaultdict(list)
    f1: dict[Role, list[float]] = defaultdict(list)
    for sample, reading, _ in cases:
        exact[sample.role].append(adherence(sample, reading))
        f1[sample.role].append(item_f1(sample, reading))
    return {
        f"{role} {name}": bootstrap(values[role])
        for role in Role
        for name, values in (("exact", exact), ("F1", f1))
        if values[role]
    }


def times(cases: Sequence[Case]) -> Mapping[str, float]:
    """The median processor time of a decision of each role, in ms."""
    return {
        f"{role}_cpu_ms_p50": statistics.median(some)
        for role in Role
        if (some := [taken for sample, _, taken in cases if sample.role is role])
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
