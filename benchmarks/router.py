"""`python -m benchmarks.router`: what a router saves, and what it costs.

On generated dialogues (`mags_lab.training.generate`, test splits): the shares of turns, in the
generator's mix of talk, for which it skips the recall and the engram, and what is lost by that:
questions that it routes away from recall, and turns with something to store that it routes away
from the engram. On one LoCoMo conversation (it may only measure) the shares skipped alone, and the
processor time of a decision. `--policy` takes what the setting `policy.kind` takes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterable, Mapping, Sequence

from benchmarks import report
from benchmarks.real_writing import policy_of
from benchmarks.results import DATA, load, result, save
from benchmarks.systems import System
from mags.errors import MagsError
from mags.models.grammar import read_engram, read_route
from mags.ports.policy import Policy, Route
from mags_lab.evaluation.datasets.locomo import NotedConversation, load_notes
from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.chains.splits import TESTS
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate.samples import of_split

COMMAND = "python -m benchmarks.router"
SUITE = "router"
WARM = 20
Case = tuple[Sample, Route, Route]
"""A sample, what is due, and what the router answered."""


def main(arguments: Sequence[str]) -> int:
    """Measure, save and rewrite the page; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--policy", default="rules", help="a value of policy.kind")
    parser.add_argument("--samples", type=int, default=600, help="of each test split")
    parser.add_argument("--seed", type=int, default=0, help="of the samples")
    options = parser.parse_args(arguments)
    try:
        policy = policy_of(options.policy)
        talk = load_notes(DATA / "locomo" / "locomo10_conv0-4.json.gz")[0]
        known = SeenTurns()
        samples = [
            sample
            for split in TESTS
            for sample in of_split(split, options.samples, options.seed, known)
        ]
        facts = real(policy, talk)
        cases = [(one, due(one), policy.route(one.turn, one.recent)) for one in samples]
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    groups = {"all": measures(cases)}
    for split in TESTS:
        groups[f"all {split}"] = measures([case for case in cases if case[0].split is split])
    for name, figure in groups["all"].items():
        print(f"{name} {figure.mean:.4f} ({figure.low:.4f}-{figure.high:.4f}), n {figure.n}")
    print(", ".join(f"{key} {value:.4g}" for key, value in facts.items()))
    kind = options.policy
    system = System(name=kind, note=policy.name if policy.name != kind else "")
    told = f" --samples {options.samples} --seed {options.seed}"
    save(result(SUITE, system, groups, facts, f"{COMMAND} --policy {kind}{told}"))
    report.write(load())
    return 0


def due(sample: Sample) -> Route:
    """What a sample needs: a question a recall, operations an engram, a routed turn its gold."""
    if sample.role is Role.ROUTER:
        return read_route(sample.target)
    if sample.role is Role.ASK:
        return Route(recall=True, write=False)
    return Route(recall=False, write=bool(read_engram(sample.target).operations))


def measures(cases: Iterable[Case]) -> Mapping[str, Interval]:
    """The shares skipped, of turns in the generator's mix, and the shares lost, of those due."""
    held = list(cases)
    mix = [answer for sample, _, answer in held if sample.role is Role.ROUTER]
    values = {
        "recalls skipped": [not answer.recall for answer in mix],
        "engrams skipped": [not answer.write for answer in mix],
        "questions lost": [not answer.recall for _, gold, answer in held if gold.recall],
        "statements lost": [not answer.write for _, gold, answer in held if gold.write],
    }
    return {name: bootstrap([float(one) for one in found]) for name, found in values.items()}


def real(policy: Policy, talk: NotedConversation) -> Mapping[str, float]:
    """What a router skips of a real conversation, per cent, and the median time of a decision."""
    answers: list[Route] = []
    times: list[float] = []
    for turns in talk.sessions.values():
        said = list(turns.values())
        for place, turn in enumerate(said):
            began = time.process_time()
            answers.append(policy.route(turn, said[max(0, place - 4) : place]))
            times.append((time.process_time() - began) * 1e3)
    count = len(answers)
    return {
        "locomo_turns": count,
        "locomo_recalls_skipped": 100 * sum(not one.recall for one in answers) / count,
        "locomo_engrams_skipped": 100 * sum(not one.write for one in answers) / count,
        "route_cpu_ms_p50": statistics.median(times[WARM:] or times),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
