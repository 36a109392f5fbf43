"""Batches of one role: samples of like length, padded, with their labels as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import torch
from torch import Tensor

from mags.models.policy.heads.choices import ACTS, Vocabulary
from mags.models.policy.heads.layout import MARKS, SPEAKER, SPECIAL, Layout
from mags.models.policy.heads.memories import OBJECT, SUBJECT, Rows, columns
from mags.ports.policy import Act, Route
from mags_lab.training.chains.schema import Role
from mags_lab.training.heads.labels import Gold
from mags_lab.training.heads.model import HOPS
from mags_lab.training.heads.states import Shown

ROLES: Mapping[Role, int] = {Role.WRITE: 0, Role.ASK: 1, Role.ROUTER: 2}
FORGOTTEN, STRAY = 0.2, 0.35
"""Shares of training samples whose memories are not seen, and to which facts are added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """States (b, n, w), marks (b, n, m), bool masks (b, n) of rows and of words of the turn.

    The marks are those of writing and, but for the router, what is remembered.
    """

    role: Role
    states: Tensor
    marks: Tensor
    mask: Tensor
    turn: Tensor
    gold: tuple[Gold, ...]


def drawn(
    samples: Sequence[tuple[Shown, Gold]], rng: Random, *, rows: int
) -> Iterator[Sequence[tuple[Shown, Gold]]]:
    """All samples once, in batches of one role and of at most `rows` rows, in random order."""
    batches: list[list[tuple[Shown, Gold]]] = []
    for role in ROLES:
        own = [one for one in samples if one[0].sample.role is role]
        own.sort(key=lambda one: one[0].layout.rows + 6 * rng.random())
        queue: list[tuple[Shown, Gold]] = []
        for one in own:
            if queue and (len(queue) + 1) * max(one[0].layout.rows, 8) > rows:
                batches.append(queue)
                queue = []
            queue.append(one)
        if queue:
            batches.append(queue)
    rng.shuffle(batches)
    yield from batches


def padded(
    samples: Sequence[tuple[Shown, Gold]], known: Vocabulary, rng: Random | None = None
) -> Batch:
    """Samples of one role as one batch. `rng`: what is remembered is left out or made up by it."""
    shown = [one for one, _ in samples]
    size, longest = len(shown), max(one.layout.rows for one in shown)
    extra = 0 if shown[0].sample.role is Role.ROUTER else columns(known)
    states = np.zeros((size, longest, shown[0].states.shape[1]), dtype=np.float32)
    marks = np.zeros((size, longest, MARKS + extra), dtype=np.float32)
    mask = np.zeros((size, longest), dtype=bool)
    turn = np.zeros((size, longest), dtype=bool)
    for place, one in enumerate(shown):
        count = one.layout.rows
        states[place, :count] = one.states
        marks[place, :count, :MARKS] = one.marks
        if extra:
            for row, column in _remembered(samples[place][1], count, known, rng):
                marks[place, row, MARKS + column] = 1.0
        mask[place, :count] = True
        turn[place, :count] = in_turn(one.layout)
    return Batch(
        role=shown[0].sample.role,
        states=torch.from_numpy(states),
        marks=torch.from_numpy(marks),
        mask=torch.from_numpy(mask),
        turn=torch.from_numpy(turn),
        gold=tuple(gold for _, gold in samples),
    )


def _remembered(
    gold: Gold, rows: int, known: Vocabulary, rng: Random | None
) -> Iterator[tuple[int, int]]:
    """What is remembered, sometimes forgotten, sometimes with facts that do not matter here.

    A made-up conversation has no memory of its people but what it is about; a real one has many.
    """
    if rng is None or rng.random() > FORGOTTEN:
        yield from gold.remembered
    if rng is None or rng.random() > STRAY:
        return
    spans = [one for told in gold.told for one in told.subjects[:1]] or list(gold.abouts[:1])
    spans = spans or [(SPEAKER, SPEAKER)]
    told = {one.fact.relation for one in gold.told}
    many = len(known.relations)
    for _ in range(rng.choice((1, 1, 2, 3))):
        first, last = rng.choice(spans)
        column = SUBJECT
        if rng.random() < 0.2:
            first, column = rng.randrange(rows), OBJECT
            last = first
        place = rng.randrange(many)
        if known.relations[place] not in told:
            for row in range(first, last + 1):
                yield row, column
                yield row, 2 + column * many + place


def in_turn(layout: Layout) -> list[bool]:
    """Which rows are words of the turn itself."""
    return [False] * SPECIAL + [word.turn for word in layout.words]


def tags_of(batch: Batch) -> Tensor:
    """The tag of each row (b, n): see `TAGS`."""
    tags = torch.zeros(batch.mask.shape, dtype=torch.long)
    for place, gold in enumerate(batch.gold):
        for told in gold.told:
            first = 3 if told.fact.act is Act.NOTE else 1
            tags[place, told.fact.first : told.fact.last + 1] = first + 1
            tags[place, told.fact.first] = first
    return tags


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """Gold spans of a batch: `which` (s, 3), acts and relations (s,), `points` bool (s, 3, n)."""

    which: Tensor
    acts: Tensor
    relations: Tensor
    points: Tensor


def spans_of(batch: Batch, known: Vocabulary) -> Spans:
    """The facts of a batch, notes left out."""
    told = [
        (place, one)
        for place, gold in enumerate(batch.gold)
        for one in gold.told
        if one.fact.act is not Act.NOTE
    ]
    return Spans(
        which=torch.tensor([(p, t.fact.first, t.fact.last) for p, t in told]).view(-1, 3),
        acts=torch.tensor([ACTS.index(t.fact.act) for _, t in told], dtype=torch.long),
        relations=torch.tensor(
            [known.relations.index(t.fact.relation) for _, t in told], dtype=torch.long
        ),
        points=_points([(t.subjects, t.fact.moment) for _, t in told], batch.mask.shape[1]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """Gold plans of a batch: relations (b, HOPS), `plain` (b, 3), `points` bool (b, 3, n)."""

    relations: Tensor
    plain: Tensor
    points: Tensor


def questions_of(batch: Batch, known: Vocabulary) -> Questions:
    """The plans of a batch."""
    none = len(known.relations)
    relations = torch.full((len(batch.gold), HOPS), none, dtype=torch.long)
    plain = torch.zeros((len(batch.gold), 3), dtype=torch.long)
    places = []
    for place, gold in enumerate(batch.gold):
        asked = gold.question
        if asked is None:
            raise AssertionError("a sample of ask has a question")
        for hop, name in enumerate(asked.relations):
            relations[place, hop] = known.relations.index(name)
        plain[place] = torch.tensor((asked.inverse, asked.past, asked.whether))
        places.append((gold.abouts, asked.moment))
    return Questions(relations=relations, plain=plain, points=_points(places, batch.mask.shape[1]))


def _points(places: Sequence[tuple[Rows, int]], rows: int) -> Tensor:
    points = torch.zeros((len(places), 3, rows), dtype=torch.bool)
    for place, (spans, moment) in enumerate(places):
        for first, last in spans:
            points[place, 0, first] = points[place, 1, last] = True
        points[place, 2, moment or SPEAKER] = True
    return points


def looks_of(batch: Batch) -> tuple[Tensor, Tensor]:
    """Whether to write (b,) and where to look (b,): see `LOOKS`."""
    routes = [gold.route for gold in batch.gold if gold.route is not None]
    write = torch.tensor([int(route.write) for route in routes])
    return write, torch.tensor([look_of(route) for route in routes])


def look_of(route: Route) -> int:
    """The look that a route stands for."""
    if not route.recall:
        return 0
    if route.semantic < 1.0:
        return 3
    return 2 if route.episodic < 1.0 else 1
