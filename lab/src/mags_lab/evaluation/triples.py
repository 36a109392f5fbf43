"""How a write policy's operations compare with the facts of real passages.

Two triples are the same where their folded names and their relation's meaning are: tense, the
direction a fact is told in, and finer words of the table for one thing ("studied at", "was educated
at") do not matter, nor does ADD against UPDATE. An operation counts against precision only where
its relation is one that the set's annotators looked for, and where it is not a fact that may be
told but need not. Dates are compared as dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TypeAlias

import numpy as np

from mags.caches import cached
from mags.errors import InvalidInput
from mags.ports.policy import Act, Operation
from mags.ports.relations import normalise, relations
from mags_lab.evaluation.metrics import Interval
from mags_lab.training.real.passage import Fact, Passage, folded

# Names of the table that tell one fact in more or less detail; the sets do not tell them apart.
SAME = {
    "was educated at": "studied at",
    "is studying at": "studied at",
    "child": "is parent of",
    "is mother of": "is parent of",
    "is father of": "is parent of",
    "mother": "is child of",
    "father": "is child of",
    "occupation": "works as",
}
Key: TypeAlias = tuple[bool, str, str, str]
"""Whether it is so (or is retracted), relation, and the folded ends in the relation's direction."""
_DATES = ("%d %B %Y", "%B %d %Y", "%d %b %Y", "%b %d %Y", "%Y %m %d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of a passage: operations right, operations that count, facts wanted."""

    right: int
    made: int
    wanted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A passage scored strictly, and by its pairs of names alone (of all operations)."""

    triples: Tally
    pairs: Tally


def score(passage: Passage, operations: Sequence[Operation]) -> Scored:
    """Compare the operations for a passage with its facts; notes count nowhere."""
    said = {key_of(op): op for op in operations if op.act is not Act.NOTE}
    wanted = [keys(fact) for fact in passage.facts if fact.wanted]
    free = {key for fact in passage.facts if not fact.wanted for key in keys(fact)}
    right = sum(any(key in said for key in names) for names in wanted)
    named = {key for names in wanted for key in names}
    asked = None if passage.asked is None else {_meaning(name)[0] for name in passage.asked}
    wrong = sum(
        key not in named and key not in free and (asked is None or key[1] in asked) for key in said
    )
    return Scored(
        triples=Tally(right=right, made=right + wrong, wanted=len(wanted)),
        pairs=_pairs(passage, said),
    )


def _pairs(passage: Passage, said: Iterable[Key]) -> Tally:
    """Pairs of names, whatever the relation and its direction."""
    made = {frozenset(key[2:]) for key in said}
    wanted = {
        frozenset(frozenset(key[2:]) for key in keys(fact)) for fact in passage.facts if fact.wanted
    }
    free = {frozenset(key[2:]) for fact in passage.facts if not fact.wanted for key in keys(fact)}
    named = {pair for names in wanted for pair in names}
    right = sum(bool(names & made) for names in wanted)
    wrong = len(made - named - free)
    return Tally(right=right, made=right + wrong, wanted=len(wanted))


def keys(fact: Fact) -> frozenset[Key]:
    """The keys of a fact under all its names."""
    return frozenset(
        _key(fact.act is not Act.RETRACT, subject, fact.relation, thing)
        for subject in fact.subject
        for thing in fact.object
    )


def key_of(operation: Operation) -> Key:
    """What an operation says, so that it can be compared."""
    holds = operation.act is not Act.RETRACT
    return _key(holds, operation.subject, operation.relation, operation.object)


def _key(holds: bool, subject: str, relation: str, thing: str) -> Key:
    name, turned = _meaning(relation)
    ends = (_name(subject), _name(thing))
    if turned is None:
        ends = (min(ends), max(ends))
    elif turned:
        ends = (ends[1], ends[0])
    return holds, name, *ends


@cached(16384)
def _meaning(relation: str) -> tuple[str, bool | None]:
    """A relation's name for comparing, and whether its ends change places (None: no order)."""
    name = normalise(relation).name
    name = _present().get(name, name)
    name = SAME.get(name, name)
    known = relations().get(name)
    if known is not None and known.symmetric:
        return name, None
    back = _inverse().get(name, "")
    back = SAME.get(back, back)
    return (back, True) if back and back < name else (name, False)


@cache
def _present() -> dict[str, str]:
    """Names of relations that are over, to those that hold."""
    return {one.past: one.name for one in relations().values() if one.past}


@cache
def _inverse() -> dict[str, str]:
    """Each name of the table to that of its inverse, both ways."""
    forward = {one.name: one.inverse for one in relations().values() if one.inverse}
    backward = {inverse: name for name, inverse in forward.items()}
    return {**backward, **forward}


def _name(words: str) -> str:
    """A name folded; a date as an ISO day, however it was written."""
    plain = folded(words)
    if not re.search(r"\d{4}", plain):
        return plain
    for form in _DATES:
        try:
            return datetime.strptime(plain, form).date().isoformat()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    return plain


def micro(tallies: Sequence[Tally], *, seed: int = 0, draws: int = 2000) -> dict[str, Interval]:
    """Precision, recall and F1 over all counts, with 95% bootstrap intervals over passages.

    What has no denominator in a draw is 0. Raises InvalidInput where there is no passage.
    """
    if not tallies:
        raise InvalidInput("there is no passage to score; check the folder of the data")
    counts = np.array([(t.right, t.made, t.wanted) for t in tallies], dtype=np.float64)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=draws)
    sums = np.vstack([counts.sum(axis=0), drawn @ counts])
    right, made, wanted = sums.T
    figures = {
        "precision": right / np.maximum(made, 1),
        "recall": right / np.maximum(wanted, 1),
        "F1": 2 * right / np.maximum(made + wanted, 1),
    }
    return {
        name: Interval(
            mean=float(values[0]),
            low=float(np.percentile(values[1:], 2.5)),
            high=float(np.percentile(values[1:], 97.5)),
            n=len(counts),
        )
        for name, values in figures.items()
    }
