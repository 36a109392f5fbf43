"""`python -m benchmarks.use.window`: what working memory buys a policy.

Held-out samples in which something was said just before: the same decision with that window and
with none (`[memory] working = false` hands a policy none). Generated dialogues of splits that
training never saw, and turns of two friends written by hand (`talk`). Exact decisions and the F1
of their items, the difference sample by sample with its 95% interval.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.real_writing import policy_of
from benchmarks.results import result, save
from benchmarks.systems import System
from benchmarks.talk import drawn
from benchmarks.use.words import in_words
from mags.ports.policy import Policy
from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.training.chains.schema import Sample, Split
from mags_lab.training.chains.splits import TESTS
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate.samples import of_split
from mags_lab.training.heads.decide import by_policy
from mags_lab.training.reward import adherence, item_f1


def samples(count: int, seed: int) -> Iterator[tuple[str, Sample]]:
    """Samples with something said before, by the name of their role and kind."""
    known = SeenTurns()
    for split in TESTS:
        for one in of_split(split, count, seed, known):
            if one.recent:
                yield f"{one.role.value}, generated", one
    for one in drawn(Split.TALK, 2, seed):
        if one.recent:
            yield f"{one.role.value}, talk", one


def gains(policy: Policy, some: Sequence[Sample]) -> dict[str, Interval]:
    """Figures with the window, and what it adds."""
    exact, f1, more, further = [], [], [], []
    for one in some:
        bare = replace(one, recent=())
        seen, blind = by_policy(policy, one), by_policy(policy, bare)
        exact.append(float(adherence(one, seen)))
        f1.append(item_f1(one, seen))
        more.append(exact[-1] - float(adherence(one, blind)))
        further.append(f1[-1] - item_f1(one, blind))
    named = {"exact": exact, "F1": f1, "gain exact": more, "gain F1": further}
    return {name: bootstrap(values) for name, values in named.items()}


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--policy", default="both", help="a value of policy.kind")
    parser.add_argument("--samples", type=int, default=300, help="of each test split")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    policy = policy_of(given.policy)
    kinds: dict[str, list[Sample]] = {}
    for kind, one in samples(given.samples, given.seed):
        kinds.setdefault(kind, []).append(one)
    found = {kind: gains(policy, some) for kind, some in sorted(kinds.items())}
    for kind, measured in found.items():
        print(f"{kind:18} n {measured['exact'].n:4}  {in_words(measured)}")
    command = f"python -m benchmarks.use.window --samples {given.samples}"
    system = System(name=given.policy, note=policy.name)
    save(result("use-window", system, found, {}, command))


if __name__ == "__main__":
    main()
