"""What was to be reached, and what was."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mags.evaluation.metrics import Interval
from mags.evaluation.proving.figures import Figures, over_seeds
from mags.evaluation.proving.improvement import improvement
from mags.evaluation.proving.scores import weighed
from mags.evaluation.proving.tables import Grid, by_player, shown

OURS = "MAGS"
STANDARD = "nonsense/standard"
ORDER = ("nothing", "window", "static", "growing", OURS, "oracle")
"""Of players on the page; others come before the last."""
Groups = Mapping[str, Mapping[str, Sequence[Figures]]]
"""Game to player to matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A figure with its aim; `met` None where it was not measured."""

    figure: str
    reference: str
    aim: str
    value: str
    met: bool | None


def rank(player: str) -> float:
    """The place of a player in `ORDER`."""
    return ORDER.index(player) if player in ORDER else len(ORDER) - 1.5


def grouped(found: Sequence[Figures]) -> dict[str, dict[str, list[Figures]]]:
    """Matches without a switch by game and player, in the order they came."""
    games = dict.fromkeys(one.played.game for one in found)
    return {
        game: by_player(one for one in found if one.played.game == game and not one.played.switch)
        for game in games
    }


def goals(found: Sequence[Figures]) -> Grid:
    """Every aim of the proving ground, beside what was measured."""
    groups = grouped(found)
    rows = [*_nonsense(groups), _retention(groups), *_adventures(groups), _time(groups)]
    words = {None: "not measured", True: "yes", False: "no"}
    return Grid(
        head=("figure", "reference", "to reach", "reached", "met"),
        rows=tuple((r.figure, r.reference, r.aim, r.value, words[r.met]) for r in rows),
    )


def gained(
    players: Mapping[str, Sequence[Figures]],
    other: str,
    measure: Callable[[Figures], float | None],
) -> Interval | None:
    """What MAGS gains over another in percent; None where they share no seed, or it has none."""
    theirs = {one.played.seed: measure(one) for one in players.get(other, ())}
    pairs = [
        (mine, its)
        for one in players.get(OURS, ())
        if (mine := measure(one)) is not None and (its := theirs.get(one.played.seed)) is not None
    ]
    if not pairs or not any(its for _, its in pairs):
        return None
    return improvement([mine for mine, _ in pairs], [its for _, its in pairs])


def _nonsense(groups: Groups) -> list[Reached]:
    players = groups.get(STANDARD, {})
    whole = gained(players, "nothing", lambda one: one.score)
    oracle = gained(players, "oracle", lambda one: one.score)
    after = gained(players, "growing", lambda one: one.after)
    turns = gained(players, "growing", _recovery)
    share = None if oracle is None else 100 + oracle.mean
    waits = None if turns is None else (100 + turns.mean) / 100
    f1, closed = (over_seeds(players.get(OURS, ()), one) for one in (_f1, _closed))
    return [
        Reached(
            figure=f"{STANDARD}: over nothing but the turn", reference="+30 %", aim="+150 %",
            value=_percent(whole), met=None if whole is None else whole.mean >= 150,
        ),
        Reached(
            figure=f"{STANDARD}: share of the oracle's score", reference="-", aim="90 %",
            value=_number(share, "{:.0f} %"), met=None if share is None else share >= 90,
        ),
        Reached(
            figure=f"{STANDARD}: over growing retrieval, after changes", reference="-",
            aim="+40 %", value=_percent(after), met=None if after is None else after.mean >= 40,
        ),
        Reached(
            figure=f"{STANDARD}: turns to recover, of growing retrieval's", reference="-",
            aim="a third", value=_number(waits, "{:.2f} of them"),
            met=None if waits is None else waits <= 1 / 3,
        ),
        Reached(
            figure=f"{STANDARD}: update fidelity F1",
            reference="62 % of updates right (HaluMem's best)", aim="95",
            value="-" if f1 is None else shown(f1), met=None if f1 is None else f1.mean >= 95,
        ),
        Reached(
            figure=f"{STANDARD}: wrongly closed facts", reference="-", aim="under 1 %",
            value="-" if closed is None else shown(closed, ".2f"),
            met=None if closed is None else closed.mean < 1,
        ),
    ]  # fmt: skip


def _retention(groups: Groups) -> Reached:
    old = [
        (one, kept)
        for players in groups.values()
        for one in players.get(OURS, ())
        for kept in one.retention
        if kept.upto == 10_000
    ]
    value, met = "-", None
    young = [k for one, _ in old for k in one.retention if k.upto == 100]
    if old and young:
        (a, n), (b, m) = weighed([kept for _, kept in old]), weighed(young)
        value = f"{100 * (a - b):+.1f} points ({100 * a:.1f} of {n:,}, {100 * b:.1f} of {m:,})"
        met = b - a <= 0.03
    return Reached(
        figure="score of what was told 1,000 to 10,000 turns ago, against 10 to 100",
        reference="a window forgets at its edge", aim="within 3 points", value=value, met=met,
    )  # fmt: skip


def _adventures(groups: Groups) -> list[Reached]:
    rows = []
    for kind, reference in (("hunt", "1.0"), ("clean", "0.79"), ("cook", "1.0")):
        players = groups.get(f"{kind}/medium", {})
        mine = over_seeds(players.get(OURS, ()), lambda one: one.score)
        over = [gained(players, other, lambda one: one.score) for other in ("window", "growing")]
        told = [_percent(one) for one in over]
        met = None if mine is None else all(one is not None and one.mean >= 50 for one in over)
        value = "-" if mine is None else f"{shown(mine, '.2f')}; {told[0]} and {told[1]}"
        rows.append(
            Reached(
                figure=f"{kind}/medium: score; over window and growing retrieval",
                reference=f"{reference} (AriGraph with GPT-4)", aim="+50 % over both",
                value=value, met=met,
            )
        )  # fmt: skip
    return rows


def _time(groups: Groups) -> Reached:
    of = {game: over_seeds(p.get(OURS, ()), lambda o: o.turn_ms) for game, p in groups.items()}
    known = {game: one.mean for game, one in of.items() if one is not None}
    worst = max(known, key=lambda game: known[game], default=None)
    return Reached(
        figure="processor time of a turn (median), in the slowest game",
        reference="about a minute", aim="100 ms",
        value="-" if worst is None else f"{known[worst]:.0f} ms ({worst})",
        met=None if worst is None else known[worst] <= 100,
    )  # fmt: skip


def _recovery(one: Figures) -> float | None:
    return None if one.adapting is None else one.adapting.turns


def _f1(one: Figures) -> float | None:
    return None if one.fidelity is None else 100 * one.fidelity.f1


def _closed(one: Figures) -> float | None:
    return None if one.fidelity is None else 100 * one.fidelity.wrongly_closed


def _percent(interval: Interval | None) -> str:
    return "-" if interval is None else f"{shown(interval, '+.0f')} %"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)
