"""From scores to the likeliest choices, each with the probability that all of it is right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.models.policy.heads.choices import ACTS, Fact, Question, Vocabulary
from mags.models.policy.heads.layout import ADDRESSEE, SPECIAL, Layout
from mags.models.policy.heads.network import ASK, ROUTER, WRITE, Floats, Network, Seen
from mags.ports.policy import Act, Route

LONGEST_NAME = 8
"""Words of a name."""
BEAM = 5
"""Relations that are weighed at each hop of a question."""
FOLLOWS = ((0, 1, 2, 3, 4), (0, 1, 2, 3, 4), (1, 2), (0, 1, 2, 3, 4), (3, 4))
"""Which tags may stand before each tag: what goes on must have begun."""
LOOKS = (1.0, 1.0), (1.0, 1.0), (0.5, 1.0), (1.0, 0.3)
"""Weights of the blocks by where to look: nowhere, a fact, a chain of facts, what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The facts of a turn and the probability of the whole."""

    facts: tuple[Fact, ...]
    confidence: float


def written(
    network: Network, layout: Layout, states: Floats, marks: Floats, known: Vocabulary
) -> Written:
    """The facts that a turn tells."""
    x = network.trunk(states, marks, WRITE)
    dates = date_rows(layout)
    seen = Seen(states=states, marks=marks, dates=dates)
    turn = np.flatnonzero(dates)[1:]
    path, sure = best_path(network.tags(x)[turn].tolist())
    many = [name not in known.one for name in known.relations]
    facts = []
    for first, last, note in runs(path):
        start, end = int(turn[first]), int(turn[last])
        if note:
            facts.append(Fact(act=Act.NOTE, first=start, last=end))
            continue
        scores = network.span(x, seen, start, end)
        subject, named = best_span(clear_of(scores.points, start, end))
        act, relation, meant = best_act(scores.act, scores.relation, many)
        moment = int(scores.points[2].argmax())
        one = named + meant + float(scores.points[2, moment])
        sure += one
        facts.append(
            Fact(
                act=ACTS[act],
                first=start,
                last=end,
                relation=known.relations[relation],
                subject=subject,
                moment=moment,
                confidence=math.exp(one),
            )
        )
    return Written(facts=without_echoes(facts, known), confidence=math.exp(sure))


def best_act(acts: Floats, relations: Floats, many: Sequence[bool]) -> tuple[int, int, float]:
    """The likeliest act (of `ACTS`) with its relation, and their log-probability.

    Of a relation of `many` values nothing is updated: one is told, another is taken back.
    """
    joint = acts[:, None] + relations
    joint[ACTS.index(Act.UPDATE), np.asarray(many)] = -np.inf
    act, relation = np.unravel_index(int(joint.argmax()), joint.shape)
    return int(act), int(relation), float(joint[act, relation])


def without_echoes(facts: Sequence[Fact], known: Vocabulary) -> tuple[Fact, ...]:
    """The facts without what a change says already, that the old value is no more.

    Of two ends of one value, in a slot that holds one, the surer is right.
    """

    def echoes(fact: Fact) -> bool:
        return fact.act is Act.RETRACT and any(
            other.act is not Act.RETRACT or other.confidence > fact.confidence
            for other in facts
            if other is not fact and _slot(other) == _slot(fact)
        )

    return tuple(fact for fact in facts if fact.relation not in known.one or not echoes(fact))


def _slot(fact: Fact) -> tuple[tuple[int, int], str]:
    return fact.subject, fact.relation


def asked(
    network: Network, layout: Layout, states: Floats, marks: Floats, known: Vocabulary
) -> tuple[Question, float]:
    """What a question asks for, and the probability of it."""
    x = network.trunk(states, marks, ASK)
    seen = Seen(states=states, marks=marks, dates=date_rows(layout))
    scores = network.question(x, seen)
    relations, sure = best_chain(scores.relations, known)
    about, named = best_span(scores.points)
    inverse, past, whether = (int(one.argmax()) for one in scores.plain)
    moment = int(scores.points[2].argmax())
    sure += named + float(scores.plain.max(axis=1).sum() + scores.points[2, moment])
    question = Question(
        relations=relations,
        about=about,
        inverse=bool(inverse),
        past=bool(past),
        whether=bool(whether),
        moment=moment,
    )
    return question, math.exp(sure)


def best_chain(scores: Floats, known: Vocabulary) -> tuple[tuple[str, ...], float]:
    """The likeliest chain of relations, `scores` (HOPS, R + 1), whose links fit one another.

    What a relation is asked of must be of the kind that the relation before it answers.
    """
    none = len(known.relations)
    chains: list[tuple[tuple[str, ...], float]] = [((), 0.0)]
    done: list[tuple[tuple[str, ...], float]] = []
    for hop in scores:
        done += [(chain, sure + float(hop[none])) for chain, sure in chains]
        likely = [int(one) for one in np.argsort(hop)[::-1][:BEAM] if one != none]
        chains = [
            ((*chain, known.relations[one]), sure + float(hop[one]))
            for chain, sure in chains
            for one in likely
            if not chain or known.follows(chain[-1], known.relations[one])
        ]
    return max(done + chains, key=lambda one: one[1])


def routed(network: Network, states: Floats, marks: Floats) -> tuple[Route, float]:
    """What a turn needs, and the probability of it."""
    write, look = network.route(network.trunk(states, marks, ROUTER))
    writes, looks = int(write.argmax()), int(look.argmax())
    episodic, semantic = LOOKS[looks]
    route = Route(recall=looks > 0, write=writes > 0, episodic=episodic, semantic=semantic)
    return route, math.exp(float(write[writes] + look[looks]))


def date_rows(layout: Layout) -> NDArray[np.bool_]:
    """Rows where a date may be: the words of the turn, and row 0 for none."""
    found = np.zeros(layout.rows, dtype=bool)
    found[0] = True
    found[SPECIAL:] = [word.turn for word in layout.words]
    return found


def best_path(scores: Sequence[Sequence[float]]) -> tuple[list[int], float]:
    """The likeliest tags that go on only what has begun, and their log-probability (Viterbi)."""
    if not scores:
        return [], 0.0
    best = [s if tag in (0, 1, 3) else -1e9 for tag, s in enumerate(scores[0])]
    back: list[list[int]] = []
    for row in scores[1:]:
        before = [max(follows, key=best.__getitem__) for follows in FOLLOWS]
        best = [best[before[tag]] + row[tag] for tag in range(len(row))]
        back.append(before)
    tag = max(range(len(best)), key=best.__getitem__)
    total, path = best[tag], [tag]
    for before in reversed(back):
        tag = before[tag]
        path.append(tag)
    return path[::-1], total


def runs(path: Sequence[int]) -> list[tuple[int, int, bool]]:
    """First and last place of each tagged run, and whether it is a note."""
    found: list[tuple[int, int, bool]] = []
    for place, tag in enumerate(path):
        if tag in (1, 3):
            found.append((place, place, tag == 3))
        elif tag:
            first, _, note = found[-1]
            found[-1] = first, place, note
    return found


def clear_of(points: Floats, first: int, last: int) -> Floats:
    """The scores of a subject without the rows of its object: nothing is its own subject."""
    made = points.copy()
    made[:2, first : last + 1] = -1e4
    return made


def best_span(points: Floats) -> tuple[tuple[int, int], float]:
    """The likeliest (first, last) rows of a name, of those in `points` (3, n)."""
    starts, ends = points[0], points[1]
    best, total = (0, 0), float(starts[0] + ends[0])
    for first in np.argsort(starts)[::-1][:4].tolist():
        last = first + 1 if first <= ADDRESSEE else min(first + LONGEST_NAME, len(ends))
        end = first + int(ends[first:last].argmax())
        here = float(starts[first] + ends[end])
        if here > total:
            best, total = (first, end), here
    return best, total
