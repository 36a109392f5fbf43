"""Tables of matches: players side by side, their gains, and ablations beside the whole memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mags.errors import InvalidInput
from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.evaluation.proving.figures import (
    DECADES,
    MANY,
    Figures,
    RetentionBand,
    over_seeds,
    weighed,
)


def improvement(
    ours: Sequence[float], theirs: Sequence[float], *, seed: int = 0, draws: int = 2_000
) -> Interval:
    """100 (mean of ours / mean of theirs - 1), with a 95% bootstrap interval over seeds.

    Scores of the same seeds, in the same order: seeds are drawn in pairs, `draws` times (Efron,
    1979). Raises InvalidInput if there is no seed, or if theirs are all 0.
    """
    ours_of, theirs_of = _pairs(ours, theirs)
    if theirs_of.mean() <= 0.0:
        raise InvalidInput("an improvement over nothing is no number: the other never scored")
    drawn = np.random.default_rng(seed).integers(0, len(ours_of), (draws, len(ours_of)))
    below = theirs_of[drawn].mean(axis=1)
    above = ours_of[drawn].mean(axis=1)
    # A draw in which the other never scored has no ratio, and is left out.
    ratios = 100.0 * (above[below > 0.0] / below[below > 0.0] - 1.0)
    low, high = np.percentile(ratios, [2.5, 97.5])
    mean = 100.0 * (ours_of.mean() / theirs_of.mean() - 1.0)
    return Interval(mean=float(mean), low=float(low), high=float(high), n=len(ours_of))


def difference(ours: Sequence[float], theirs: Sequence[float]) -> Interval:
    """Mean of ours minus theirs, seed by seed, with its 95% bootstrap interval."""
    ours_of, theirs_of = _pairs(ours, theirs)
    return bootstrap(list(ours_of - theirs_of))


def _pairs(
    ours: Sequence[float], theirs: Sequence[float]
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    if not ours or len(ours) != len(theirs):
        raise InvalidInput(
            f"{len(ours)} scores cannot be held against {len(theirs)}: give both for each seed",
            ours=len(ours),
            theirs=len(theirs),
        )
    return np.asarray(ours, np.float64), np.asarray(theirs, np.float64)


Measure = Callable[[Figures], float | None]
NONE = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of texts."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def turned(self) -> Grid:
        """The table transposed."""
        head, *rows = zip(self.head, *self.rows, strict=True)
        return Grid(head=head, rows=tuple(rows))

    def markdown(self) -> str:
        """The table as Markdown."""
        lines = [self.head, ("---",) * len(self.head), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _f1(one: Figures) -> float | None:
    return None if one.fidelity is None else 100 * one.fidelity.f1


def _lost(one: Figures) -> float | None:
    return None if one.fidelity is None else 100 * one.fidelity.wrongly_closed


def _left_open(one: Figures) -> float | None:
    return None if one.fidelity is None else 100 * one.fidelity.left_open


def _recover(one: Figures) -> float | None:
    return None if one.adapting is None else one.adapting.turns


def _area(one: Figures) -> float | None:
    return None if one.adapting is None else one.adapting.lost


COLUMNS: dict[str, Measure] = {
    "score": lambda one: 100 * one.score,
    "after changes": lambda one: None if one.after is None else 100 * one.after,
    "turns to recover": _recover,
    "lost": _area,
    "recall": lambda one: 100 * one.recall,
    "whole": lambda one: 100 * one.whole,
    "explained": lambda one: 100 * one.explained,
    "F1": _f1,
    "left open": _left_open,
    "wrongly closed": _lost,
    "nodes/rule": lambda one: one.nodes,
    "lines": lambda one: one.shown,
    "tokens": lambda one: one.tokens,
    "recall ms": lambda one: one.recall_ms,
    "engram ms": lambda one: one.engram_ms,
    "L": lambda one: one.objective,
}
"""The columns of the table of players; shares are in percent."""


def left_open(group: Iterable[Figures]) -> str:
    """How many of the ended facts are still open, over all matches; "-" without any."""
    known = [one.fidelity for one in group if one.fidelity is not None]
    if not known:
        return NONE
    return f"{sum(one.stale for one in known):,} of {sum(one.ended for one in known):,}"


def by_player(found: Iterable[Figures]) -> dict[str, list[Figures]]:
    """Figures by player, each in the order of seeds; players in the order they first occur."""
    groups: dict[str, list[Figures]] = defaultdict(list)
    for one in found:
        groups[one.played.player].append(one)
    return {name: sorted(group, key=lambda one: one.played.seed) for name, group in groups.items()}


def players(found: Iterable[Figures]) -> Grid:
    """A row for each player: means over seeds, the score with its interval."""
    groups = by_player(found)
    rows = [
        (name, str(len(group)), *(_cell(group, column) for column in COLUMNS))
        for name, group in groups.items()
    ]
    return Grid(head=("player", "seeds", *COLUMNS), rows=tuple(rows))


def improvements(found: Iterable[Figures], *, ours: str = "MAGS") -> Grid:
    """What one player gains over each other one in percent, over all turns and after changes."""
    groups = by_player(found)
    mine = groups.get(ours, [])
    rows = []
    for name, group in groups.items():
        if name != ours and mine:
            whole = _gained(mine, group, lambda one: one.score)
            after = _gained(mine, group, lambda one: one.after)
            rows.append((name, whole, after))
    return Grid(head=(f"{ours} over", "score", "after changes"), rows=tuple(rows))


def ages(found: Iterable[Figures]) -> Grid:
    """Score by how long ago the needed facts were told, with the number of questions."""
    groups = {name: [o.retention for o in group] for name, group in by_player(found).items()}
    return _ages("player", groups)


def facts(found: Sequence[Figures]) -> Grid:
    """`ages` for all questions, then by the number of deciding facts; empty if it is always one."""
    counts = sorted({count for one in found for count in one.facts})
    groups = {"all": [one.retention for one in found]}
    for count in counts:
        name = f"{count} and more" if count == MANY else str(count)
        groups[name] = [one.facts.get(count, ()) for one in found]
    return _ages("facts that decide", groups if len(counts) > 1 else {})


def _ages(name: str, groups: Mapping[str, Sequence[Sequence[RetentionBand]]]) -> Grid:
    """A row for each group of matches: the score in each span, every question with equal weight."""
    oldest = max((k.upto for group in groups.values() for one in group for k in one), default=0)
    spans = [upto for upto in DECADES if upto <= oldest]
    rows = []
    for key, group in groups.items():
        found = ([k for one in group for k in one if k.upto == upto] for upto in spans)
        told = ((100 * score, asked) for score, asked in map(weighed, found))
        rows.append((key, *(f"{s:.1f} ({n:,})" if n else NONE for s, n in told)))
    return Grid(head=(name, *(f"to {upto:,}" for upto in spans)), rows=tuple(rows))


def kinds(found: Iterable[Figures]) -> Grid:
    """Score by kind of question."""
    return _apart(found, lambda one: one.kinds)


def sorts(found: Iterable[Figures]) -> Grid:
    """Score of touched questions, by the sort of the change."""
    return _apart(found, lambda one: one.sorts)


def _apart(found: Iterable[Figures], parts: Callable[[Figures], Mapping[str, float]]) -> Grid:
    groups = by_player(found)
    names = sorted({name for group in groups.values() for one in group for name in parts(one)})
    rows = []
    for player, group in groups.items():
        every = [parts(one) for one in group]
        cells = (_mean([one[name] for one in every if name in one]) for name in names)
        rows.append((player, *cells))
    return Grid(
        head=("player", *(name or "?" for name in names)), rows=tuple(rows) if names else ()
    )


DELTAS: dict[str, Measure] = {
    "score": COLUMNS["score"],
    "after changes": COLUMNS["after changes"],
    "recall": COLUMNS["recall"],
    "F1": _f1,
    "recall ms": lambda one: one.recall_ms,
    "engram ms": lambda one: one.engram_ms,
    "nodes/rule": lambda one: one.nodes,
}
"""The columns of the table of ablations."""


def ablated(whole: Sequence[Figures], without: Mapping[str, Sequence[Figures]]) -> Grid:
    """What each switch changes: mean difference to the whole memory, with interval over seeds.

    Ended facts left open are counted, not held against the whole: F1 says little of them.
    """
    rows = [("(whole)", *(_cell(whole, name, DELTAS) for name in DELTAS), left_open(whole))]
    for name, group in without.items():
        deltas = (_delta(group, whole, measure) for measure in DELTAS.values())
        rows.append((name, *deltas, left_open(group)))
    return Grid(head=("without", *DELTAS, "ended left open"), rows=tuple(rows))


def _delta(group: Sequence[Figures], whole: Sequence[Figures], measure: Measure) -> str:
    pairs = _paired(group, whole, measure)
    if not pairs:
        return NONE
    found = difference([a for a, _ in pairs], [b for _, b in pairs])
    return shown(found, "+.1f")


def _gained(ours: Sequence[Figures], theirs: Sequence[Figures], measure: Measure) -> str:
    pairs = _paired(ours, theirs, measure)
    if not pairs or not any(b for _, b in pairs):
        return NONE
    return shown(improvement([a for a, _ in pairs], [b for _, b in pairs]), "+.0f") + " %"


def _paired(
    ours: Sequence[Figures], theirs: Sequence[Figures], measure: Measure
) -> list[tuple[float, float]]:
    """Both values, for each seed that has both."""
    # A seed is one game: without its counterpart a value would be compared with other games.
    other = {one.played.seed: measure(one) for one in theirs}
    found = []
    for one in ours:
        a, b = measure(one), other.get(one.played.seed)
        if a is not None and b is not None:
            found.append((a, b))
    return found


def _cell(group: Sequence[Figures], column: str, columns: dict[str, Measure] = COLUMNS) -> str:
    found = over_seeds(group, columns[column])
    if found is None:
        return NONE
    if column == "score":
        return shown(found)
    return f"{found.mean:.2f}" if column == "L" else f"{found.mean:.1f}"


def seeds(count: int) -> str:
    """A number of seeds in words."""
    return "1 seed" if count == 1 else f"{count} seeds"


def shown(interval: Interval, form: str = ".1f") -> str:
    """A mean with its interval in brackets; without it for a single value, which has none."""
    if interval.n < 2:
        return f"{interval.mean:{form}}"
    return f"{interval.mean:{form}} [{interval.low:{form}}, {interval.high:{form}}]"


def percent(share: Interval) -> Interval:
    """A share with its interval, in percent."""
    return Interval(mean=100 * share.mean, low=100 * share.low, high=100 * share.high, n=share.n)


def _mean(values: Sequence[float]) -> str:
    return f"{100 * sum(values) / len(values):.1f}" if values else NONE
