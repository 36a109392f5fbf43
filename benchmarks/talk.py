"""`python -m benchmarks.talk`: what a memory makes of real talk, and what not.

Every dialogue of a split of the corpus of talk is told to a memory of its own, turn by turn, and
what it made is held against the annotation: facts that are right (in all, and of those that last),
facts made of turns that tell nothing, and facts closed. Intervals are over dialogues. `--read N`
prints N turns drawn by chance instead, with all that was made and closed, to be judged by eye;
with `--foreign`, some N turns of talk that nobody here wrote (`foreign`).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import mags
from benchmarks.foreign import drawn
from benchmarks.results import DATA as DATASETS
from mags.app import make_policy, make_reader
from mags.errors import MagsError
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import ASSISTANTS, Policy
from mags.recall.found import FactView
from mags.settings import read_settings
from mags_lab.evaluation.metrics import bootstrap
from mags_lab.talk.corpus import DATA, AnnotatedDialogue, AnnotatedTurn, dialogues
from mags_lab.talk.matching import Made, ends, says

FIGURES: Mapping[str, tuple[str, str]] = {
    "facts right": ("right", "made"),
    "durable read": ("got", "must"),
    "turns with junk": ("junk", "empty"),
    "closings right": ("closed right", "closed"),
    "changes closed": ("found", "changes"),
}
"""A figure by what it counts, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """What a memory made of a turn. `again`: facts that it held before and confirmed."""

    said: AnnotatedTurn
    made: Sequence[FactView]
    again: Sequence[FactView]
    closed: Sequence[FactView]


def main(arguments: Sequence[str]) -> int:
    """Measure or show, and print; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.talk", description=__doc__)
    parser.add_argument("--corpus", type=Path, default=DATA, help="a folder of *.talk files")
    parser.add_argument("--split", default="dev", choices=("train", "dev", "test"))
    parser.add_argument("--policy", nargs="*", default=["rules", "auto"], help="or a reader's file")
    parser.add_argument("--read", type=int, default=0, help="turns to print instead")
    parser.add_argument("--seed", type=int, default=0, help="of the turns printed, or the draw")
    parser.add_argument("--foreign", action="store_true", help="print turns nobody here wrote")
    options = parser.parse_args(arguments)
    if options.foreign:
        told = list(drawn(DATASETS, options.read, options.seed))
        turns = [s for d in told for s in d.turns if s.speaker.casefold() not in ASSISTANTS]
    else:
        told = list(dialogues(options.corpus, options.split))
        turns = Random(options.seed).sample([s for d in told for s in d.turns], options.read)
    try:
        for name in options.policy:
            policy = policy_of(name)
            if options.read:
                show(told, policy, {said.id for said in turns})
            else:
                measure(name, told, policy)
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


def policy_of(name: str) -> Policy:
    """A policy by its name, or by a reader's file."""
    if name == "rules":
        return RulePolicy()
    if name.endswith(".npz"):
        return make_reader(Path(name))
    return make_policy(read_settings(os.environ), None)


def kept(dialogue: AnnotatedDialogue, policy: Policy) -> Iterator[TurnResult]:
    """What a memory of its own makes of a dialogue, turn by turn."""
    with mags.open(None, policy=policy) as memory:
        for said in dialogue.turns:
            seen = memory.observe(said.text, speaker=said.speaker, at=said.at, session=said.session)
            known = {fact.id: fact for fact in memory.facts()}
            made, again, closed = (
                [known[i] for i in ids if i in known]
                for ids in (seen.facts, seen.confirmed, seen.closed)
            )
            yield TurnResult(said=said, made=made, again=again, closed=closed)


def counted(dialogue: AnnotatedDialogue, policy: Policy) -> Counter[str]:
    """The counts of a dialogue, by the names in `FIGURES`."""
    found = Counter[str]()
    for one in kept(dialogue, policy):
        said = one.said
        made, again, closed = ([_made(f) for f in fs] for fs in (one.made, one.again, one.closed))
        found["made"] += len(made)
        found["right"] += sum(any(says(gold, fact) for gold in said.facts) for fact in made)
        lasting = [gold for gold in said.facts if gold.must]
        found["must"] += len(lasting)
        found["got"] += sum(any(says(gold, fact) for fact in made + again) for gold in lasting)
        found["empty"] += not said.facts
        found["junk"] += bool(made and not said.facts)
        found["closed"] += len(closed)
        found["closed right"] += sum(any(ends(e, fact) for e in said.ends) for fact in closed)
        changes = [end for end in said.ends if not end.optional]
        found["changes"] += len(changes)
        found["found"] += sum(any(ends(e, fact) for fact in closed) for e in changes)
    return found


def measure(name: str, told: Sequence[AnnotatedDialogue], policy: Policy) -> None:
    """Print the figures of a policy, in %, each with its counts and 95% interval."""
    counts = [counted(one, policy) for one in told]
    total = sum(counts, Counter[str]())
    print(f"{name}: {len(told)} dialogues, {sum(len(one.turns) for one in told)} turns")
    for figure, (part, whole) in FIGURES.items():
        some = [one for one in counts if one[whole]]
        spread = bootstrap([one[part] / one[whole] for one in some]) if some else None
        share = 100 * total[part] / max(1, total[whole])
        between = f" ({100 * spread.low:.0f}-{100 * spread.high:.0f})" if spread else ""
        print(f"  {figure}: {share:.1f}{between}, {total[part]} of {total[whole]}")


def show(told: Sequence[AnnotatedDialogue], policy: Policy, turns: Container[str]) -> None:
    """Print turns by their ids, with what was made of them and what it should have been."""
    for dialogue in told:
        if not any(said.id in turns for said in dialogue.turns):
            continue
        for one in kept(dialogue, policy):
            if one.said.id in turns:
                print(f"\n{one.said.id} {one.said.speaker}: {one.said.text}")
                for mark, facts in (("+", one.made), ("=", one.again), ("-", one.closed)):
                    for fact in facts:
                        print(f"  {mark} {fact.text}{' (a guess)' if fact.tentative else ''}")
                for gold in one.said.facts:
                    told_ = f"{gold.subjects[0]} {gold.relation} {gold.objects[0]}"
                    print(f"      {'must' if gold.must else 'may'}: {told_}")


def _made(fact: FactView) -> Made:
    return Made(subject=fact.subject, relation=fact.relation, object=fact.object)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
