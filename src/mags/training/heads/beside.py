"""`python -m mags.training.heads.beside`: by which thresholds heads stand beside the rules.

On `dev` alone, generated turns and conversation: of all pairs of a least confidence of single facts
and one above which "nothing to store" silences the rules, the pair with the greatest F1 on
conversation whose junk (turns that tell nothing of which something is written, and operations
written of these) is on neither kind above that of the rules alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.table import Table

from mags.models.grammar import Engram
from mags.models.policy.heads.union import joined
from mags.models.policy.heads.weights import SHIPPED, HeadsFile, opened
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Operation
from mags.training.chains.schema import Role, Sample
from mags.training.heads.decide import Decided, by_heads
from mags.training.heads.material import material
from mags.training.heads.states import states_of
from mags.training.reward import items, read

FACTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
NOTHING = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1)


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

    def cleaner(self, other: Worth) -> bool:
        """Whether there is no more junk than in another."""
        return self.turns <= other.turns and self.each <= other.each


def main() -> None:
    """Print the best pairs, the rules first."""
    parser = argparse.ArgumentParser(prog="python -m mags.training.heads.beside")
    parser.add_argument("--file", type=Path, default=None, help="of heads; default the shipped")
    parser.add_argument("--samples", type=int, default=1_600)
    parser.add_argument("--cache", type=Path, default=Path(".cache/heads/beside"))
    given = parser.parse_args()
    kinds = turned(SHIPPED if given.file is None else HeadsFile(path=given.file), given)
    alone = {kind: worth(some, lambda one: one.rules) for kind, some in kinds.items()}
    shown = Table("facts", "nothing", *(f"{k}: F1, junk" for k in kinds), title="dev, clean ones")
    shown.add_row("rules", "", *map(told, alone.values()))
    for fact, nothing, found in best(kinds, alone)[:10]:
        shown.add_row(f"{fact}", f"{nothing}", *map(told, found.values()))
    Console().print(shown)


def turned(file: HeadsFile, given: argparse.Namespace) -> Mapping[str, Sequence[Turned]]:
    """The turns of `dev` by kind, those written by hand left out."""
    trained, rules = opened(file), RulePolicy()
    dev = material(train=1, dev=given.samples, tests=0, seed=11, talk=10).dev
    kinds: dict[str, list[Turned]] = {"generated": [], "conversation": []}
    for one in states_of(dev, given.cache):
        sample = one.sample
        if sample.role is Role.WRITE and sample.source != "hand":
            theirs = rules.write(sample.turn, sample.recent, sample.recalled).operations
            mine = by_heads(trained, one)
            kind = "conversation" if "dialogue" in sample.tags else "generated"
            kinds[kind].append(Turned(sample=sample, heads=mine, rules=theirs))
    return kinds


def best(
    kinds: Mapping[str, Sequence[Turned]], alone: Mapping[str, Worth]
) -> list[tuple[float, float, Mapping[str, Worth]]]:
    """Thresholds of facts and of nothing that are as clean as the rules, the best first."""
    found = []
    for fact, nothing in product(FACTS, NOTHING):
        made = {
            kind: worth(some, lambda one, f=fact, n=nothing: beside(one, f, n))  # type: ignore[misc]
            for kind, some in kinds.items()
        }
        if all(made[kind].cleaner(alone[kind]) for kind in kinds):
            found.append((fact, nothing, made))
    return sorted(found, key=lambda one: -one[2]["conversation"].f1)


def beside(one: Turned, fact: float, nothing: float) -> Sequence[Operation]:
    """What is written: see `mags.models.policy.heads.policy.HeadsPolicy`."""
    if not one.heads.facts and one.heads.confidence >= nothing:
        return ()
    sure = [made for found, some in one.heads.facts if found >= fact for made in some]
    return joined(sure, one.rules)


def worth(some: Sequence[Turned], written: Callable[[Turned], Sequence[Operation]]) -> Worth:
    """What is written of turns against what is due."""
    shared = said = wanted = 0
    junk: list[int] = []
    for one in some:
        made = tuple(written(one))
        target = read(one.sample, one.sample.target)
        got, want = items(Engram(operations=made)), items(target or Engram(operations=()))
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
