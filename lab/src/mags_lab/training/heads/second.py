"""`python -m mags_lab.training.heads.second`: from what confidence on heads add to what rules read.

On `dev` alone: of generated turns and of conversation, F1 over operations and junk (turns that tell
nothing of which something is written, and operations written of these) for each least confidence,
beside the rules alone. What ships is the greatest F1 on conversation.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from mags.models.grammar import EngramBlock
from mags.models.policy.heads.second import beyond
from mags.models.policy.heads.weights import SHIPPED, HeadsFile, opened
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Operation
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.heads.decide import Decided, by_heads
from mags_lab.training.heads.material import material
from mags_lab.training.heads.states import states_of
from mags_lab.training.reward import items, read

LEAST = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """A turn with what the heads and the rules make of it."""

    sample: Sample
    heads: Decided
    rules: Sequence[Operation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """F1 over operations; of turns that tell nothing, the share written of, and operations each."""

    f1: float
    turns: float
    each: float


def main() -> None:
    """Print what each least confidence is worth, the rules first."""
    parser = argparse.ArgumentParser(prog="python -m mags_lab.training.heads.second")
    parser.add_argument("--file", type=Path, default=None, help="of heads; default the shipped")
    parser.add_argument("--samples", type=int, default=1_600)
    parser.add_argument("--cache", type=Path, default=Path(".cache/heads/second"))
    given = parser.parse_args()
    kinds = turned(SHIPPED if given.file is None else HeadsFile(path=given.file), given)
    shown = Table("least", *(f"{kind}: F1, junk" for kind in kinds), title="dev")
    shown.add_row("rules", *(told(worth(some, lambda one: one.rules)) for some in kinds.values()))
    for least in LEAST:
        shown.add_row(f"{least}", *(told(filled(some, least)) for some in kinds.values()))
    Console().print(shown)


def turned(file: HeadsFile, given: argparse.Namespace) -> Mapping[str, Sequence[Turned]]:
    """The turns of `dev` by kind, those written by hand left out."""
    trained, rules = opened(file), RulePolicy()
    dev = material(train=1, dev=given.samples, tests=0, seed=11, talk=10).dev
    kinds: dict[str, list[Turned]] = {"generated": [], "conversation": []}
    for one in states_of(dev, given.cache, tuned=trained.tuned):
        sample = one.sample
        if sample.role is Role.WRITE and sample.source != "hand":
            theirs = rules.write(sample.turn, sample.recent, sample.recalled).operations
            mine = by_heads(trained, one)
            kind = "conversation" if "dialogue" in sample.tags else "generated"
            kinds[kind].append(Turned(sample=sample, heads=mine, rules=theirs))
    return kinds


def filled(some: Sequence[Turned], least: float) -> Worth:
    """The worth of rules to which the heads add."""
    return worth(some, lambda one: [*one.rules, *beyond(sure(one, least), one.rules)])


def sure(one: Turned, least: float) -> Sequence[Operation]:
    """What the heads tell from a confidence on."""
    return [made for found, told in one.heads.facts if found >= least for made in told]


def worth(some: Sequence[Turned], written: Callable[[Turned], Sequence[Operation]]) -> Worth:
    """What is written of turns against what is due."""
    shared = said = wanted = 0
    junk: list[int] = []
    for one in some:
        made = tuple(written(one))
        target = read(one.sample, one.sample.target)
        got, want = items(EngramBlock(operations=made)), items(target or EngramBlock(operations=()))
        shared += (got & want).total()
        said += got.total()
        wanted += want.total()
        junk += [] if want else [len(made)]
    count = max(1, len(junk))
    return Worth(
        f1=2.0 * shared / max(1, said + wanted),
        turns=sum(map(bool, junk)) / count,
        each=sum(junk) / count,
    )


def told(one: Worth) -> str:
    """A worth in words."""
    return f"{100 * one.f1:.1f}, {100 * one.turns:.1f}% ({one.each:.2f})"


if __name__ == "__main__":
    main()
