"""Digests of records for the report: the figures, and the curve around changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.evaluation.proving.figures import Figures, figures
from mags_lab.evaluation.proving.records import MatchRecord
from mags_lab.games.matches import PlayedTurn

BEFORE = (-50, -25)
"""First turns of the spans before a change."""
AFTER = (2, 5, 10, 20, 40, 80)
"""Last turns of the spans after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSpan:
    """Turns `first` to `last` around a change: their mean reward, and how many turns count."""

    first: int
    last: int
    score: float
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A match without its turns, which take most of the memory of a report."""

    figures: Figures
    curve: tuple[TurnSpan, ...]


def digest(kept: MatchRecord) -> Digest:
    """Reduce a record to what the report shows of it."""
    return Digest(figures=figures(kept), curve=around_changes(kept.turns))


def around_changes(
    turns: Sequence[PlayedTurn], before: Sequence[int] = BEFORE, after: Sequence[int] = AFTER
) -> tuple[TurnSpan, ...]:
    """Mean reward by turns since a change: of all turns before it, of touched questions after it.

    Only changes that touched a later question count. `before`: first turns of spans, negative and
    ascending; `after`: last turns, ascending. A turn before two changes counts for both.
    """
    ends = (*(first - 1 for first in before[1:]), -1)
    earlier = {first: (first, last) for first, last in zip(before, ends, strict=True)}
    starts = (0, *(last + 1 for last in after[:-1]))
    later = {last: (first, last) for first, last in zip(starts, after, strict=True)}
    rewards: dict[int, list[float]] = defaultdict(list)
    by_turn = {turn.turn: turn.reward for turn in turns}
    for at in sorted({turn.turn - turn.since for turn in turns if turn.since is not None}):
        for first, last in earlier.values():
            found = (by_turn.get(turn) for turn in range(at + first, at + last + 1))
            rewards[first].extend(reward for reward in found if reward is not None)
    # After a change only touched questions tell whether it was learned.
    for turned in turns:
        since = turned.since
        if since is not None and since <= after[-1]:
            rewards[next(last for last in after if since <= last)].append(turned.reward)
    return tuple(
        TurnSpan(first=first, last=last, score=sum(rewards[key]) / len(rewards[key]),
             turns=len(rewards[key]))
        for key, (first, last) in {**earlier, **later}.items()
        if rewards[key]
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Scores by turns since a change, over matches: points of (span, mean with interval)."""

    name: str
    points: tuple[tuple[TurnSpan, Interval], ...]


def curve(name: str, found: Iterable[Digest]) -> Curve:
    """The mean score in each span, over matches."""
    spans: dict[tuple[int, int], list[TurnSpan]] = defaultdict(list)
    for one in found:
        for span in one.curve:
            spans[span.first, span.last].append(span)
    return Curve(
        name=name,
        points=tuple(
            (spans[key][0], bootstrap([span.score for span in spans[key]])) for key in sorted(spans)
        ),
    )
