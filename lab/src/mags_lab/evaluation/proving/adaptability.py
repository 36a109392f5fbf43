"""What a change of the world costs, and how long it takes to make up for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mags_lab.games.matches import Turned

BEFORE = 50
"""Turns before a change whose score is held against those after it."""

STEADY = 3
"""Touched questions answered rightly in a row that count as recovered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapted:
    """One change: `at` its turn, and the questions it touched until the next that touched them.

    `before`: mean reward of the turns before; `after`: of the touched ones. `turns`: from the
    change to the first of the right answers that stay right; `asks`: wrong ones until then;
    `recovered` False: never, both then count what was seen. `lost`: what the touched questions
    brought less than `before` until recovery, summed, at least 0.
    """

    at: int
    before: float
    after: float
    touched: int
    turns: int
    asks: int
    recovered: bool
    lost: float


def adapted(
    turns: Sequence[Turned], *, before: int = BEFORE, steady: int = STEADY
) -> tuple[Adapted, ...]:
    """Every change that touched a question asked later, in order.

    Changes in the first turn have no before and are left out. Recovered is who answers `steady`
    touched questions in a row rightly, or all that were asked where they are fewer.
    """
    touched: dict[int, list[Turned]] = defaultdict(list)
    for turn in turns:
        if turn.since is not None:
            touched[turn.turn - turn.since].append(turn)
    found = []
    for at in sorted(touched):
        earlier = [turn.reward for turn in turns if at - before <= turn.turn < at]
        if earlier:
            found.append(_adapted(at, sum(earlier) / len(earlier), touched[at], steady))
    return tuple(found)


def _adapted(at: int, before: float, touched: Sequence[Turned], steady: int) -> Adapted:
    run = min(steady, len(touched))
    starts = range(len(touched) - run + 1)
    place = next((i for i in starts if all(t.right for t in touched[i : i + run])), None)
    asks = len(touched) if place is None else place
    last = touched[-1] if place is None else touched[place]
    return Adapted(
        at=at,
        before=before,
        after=sum(turn.reward for turn in touched) / len(touched),
        touched=len(touched),
        turns=last.turn - at,
        asks=asks,
        recovered=place is not None,
        lost=max(0.0, sum(before - turn.reward for turn in touched[:asks])),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptability:
    """Means over changes; `recovered` is a share, `changes` how many there were."""

    changes: int
    before: float
    after: float
    turns: float
    asks: float
    recovered: float
    lost: float


def adaptability(changes: Iterable[Adapted]) -> Adaptability | None:
    """What changes cost on the mean; None where there was none."""
    found = list(changes)
    if not found:
        return None
    n = len(found)
    return Adaptability(
        changes=n,
        before=sum(one.before for one in found) / n,
        after=sum(one.after for one in found) / n,
        turns=sum(one.turns for one in found) / n,
        asks=sum(one.asks for one in found) / n,
        recovered=sum(one.recovered for one in found) / n,
        lost=sum(one.lost for one in found) / n,
    )


def after_change(turns: Iterable[Turned]) -> float | None:
    """Mean reward of the questions that a change has touched; None where none has."""
    rewards = [turn.reward for turn in turns if turn.since is not None]
    return sum(rewards) / len(rewards) if rewards else None
