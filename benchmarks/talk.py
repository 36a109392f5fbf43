"""`python -m benchmarks.talk`: what policies keep of conversation between friends, and what not.

The turns of `mags_lab.training.chains.dialogues` that no training sees (`talk`) and those that
choose thresholds (`dev`), each drawn `--draws` times with new names. Exact adherence, F1 over all
operations, and junk: operations proposed of turns that tell nothing, as a share of these turns and
as operations a turn. Intervals are over turns, of which the draws are no more than copies.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from mags.errors import MagsError
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.grammar import EngramBlock
from mags.models.policy.heads.policy import HeadsPolicy
from mags.models.policy.heads.second import RulesFirst
from mags.models.policy.heads.weights import SHIPPED, HeadsFile, Thresholds
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Policy
from mags_lab.evaluation.metrics import bootstrap
from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.chains.splits import split_material
from mags_lab.training.generate.dialogues import Talks
from mags_lab.training.heads.decide import by_policy
from mags_lab.training.heads.table import summary
from mags_lab.training.reward import Reading, adherence, read

COMMAND = "python -m benchmarks.talk"
Case = tuple[Sample, Reading]


def main(arguments: Sequence[str]) -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--heads", type=Path, default=None, help="another file of heads")
    parser.add_argument("--draws", type=int, default=5, help="samples of each turn")
    parser.add_argument("--seed", type=int, default=0, help="of the draws")
    options = parser.parse_args(arguments)
    print("| split | policy | exact | P | R | F1 | junk turns | junk a turn | router |")
    print("|---|---|---|---|---|---|---|---|---|")
    try:
        for split in (Split.DEV, Split.TALK):
            samples = list(drawn(split, options.draws, options.seed))
            for name, policy in policies(options.heads).items():
                cases = [(one, by_policy(policy, one)) for one in samples]
                print(f"| {split} | {name} | {row(cases)} |", flush=True)
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


def drawn(split: Split, draws: int, seed: int) -> Iterator[Sample]:
    """Every turn of a split, `draws` times for each of the two policies that see it."""
    talks = Talks(split_material(split), Random(seed))
    for one in split_material(split).dialogues:
        for place in range(draws):
            for role in (Role.WRITE, Role.ROUTER):
                draft = talks.of(one, role)
                yield draft.sample(role, id=f"{one.id} {place}", split=split)


def policies(heads: Path | None) -> Mapping[str, Policy]:
    """The rules, the default, the heads with rules for what they are unsure of, the heads alone."""
    file = HeadsFile(path=heads, sha256="") if heads else SHIPPED
    alone = Thresholds(route=0.0, ask=0.0, write=0.0, nothing=0.0)
    return {
        "rules": RulePolicy(),
        "rules, then sure heads": RulesFirst(HeadsPolicy(OnnxEmbedder(), file=file)),
        "heads, else rules": HeadsPolicy(OnnxEmbedder(), file=file),
        "heads alone": HeadsPolicy(OnnxEmbedder(), file=file, thresholds=alone),
    }


def row(cases: Sequence[Case]) -> str:
    """The figures of one policy, in %, but for operations a turn."""
    written = [case for case in cases if case[0].role is Role.WRITE]
    routed = [case for case in cases if case[0].role is Role.ROUTER]
    exact = bootstrap(list(by_turn(written).values()))
    _, _, precision, recall, f1 = summary(written)
    counts = [proposed(reading) for sample, reading in written if empty(sample)]
    junk = sum(map(bool, counts)) / len(counts)
    return " | ".join(
        (
            f"{100 * exact.mean:.1f} ({100 * exact.low:.0f}-{100 * exact.high:.0f})",
            *(f"{figure:.1f}" for figure in (precision, recall, f1, 100 * junk)),
            f"{sum(counts) / len(counts):.2f}",
            f"{summary(routed)[0]:.1f}",
        )
    )


def by_turn(cases: Sequence[Case]) -> Mapping[str, float]:
    """Exact adherence by the id of the turn, the mean of its draws."""
    found: dict[str, list[float]] = {}
    for sample, reading in cases:
        found.setdefault(sample.id.split()[0], []).append(adherence(sample, reading))
    return {id: sum(some) / len(some) for id, some in found.items()}


def empty(sample: Sample) -> bool:
    """Whether there is nothing to store."""
    target = read(sample, sample.target)
    return isinstance(target, EngramBlock) and not target.operations


def proposed(reading: Reading) -> int:
    """How many operations a policy proposes."""
    return len(reading.operations) if isinstance(reading, EngramBlock) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
