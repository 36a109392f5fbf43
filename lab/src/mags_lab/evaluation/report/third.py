"""The same games on the third bank of sentences, which nothing was built on or mended after."""

from __future__ import annotations

from collections.abc import Sequence

from mags_lab.evaluation.proving.figures import Figures, over_seeds
from mags_lab.evaluation.proving.tables import COLUMNS, NONE, Grid, shown
from mags_lab.evaluation.report.goals import LEARN, OURS, gained, grouped
from mags_lab.evaluation.report.page import Prose, Section, Table

PLAYERS = ("nothing", "growing", OURS, "oracle")
TEXT = (
    "Rules and settings are not made on the scored bank either, but its scores were looked at "
    "again and again, and what they told led to mends. Nobody looks at the bank “unseen” while "
    "anything is built: its sentences and words are of another hand, it is played once at the end "
    "of a round of work, and what it says stands here, whatever it is. Below each of its games "
    "stands the same game on the bank of the other tables; where seeds or turns differ, they are "
    "told. While it was written the oracle and nothing played it and no other, to see that the "
    "reader understands its sentences. A player that holds on one bank alone has learned it. "
    f"{LEARN}"
)


def third_section(third: Sequence[Figures], others: Sequence[Figures]) -> Section:
    """Games of the third bank, and below each the same game as the report has it elsewhere."""
    games = grouped(others)
    rows = []
    for game, players in grouped(third).items():
        for found in (players, games.get(game, {})):
            if found:
                rows.append(_row(game, found))
    head = ("game", "bank", "seeds", "turns", *PLAYERS, f"{OURS} over growing")
    grid = Grid(head=head, rows=tuple(rows))
    return Section(
        id="third",
        title="On sentences that nobody looked at",
        blocks=(Prose(text=TEXT), Table(caption="Score, bank by bank", grid=grid, lead=2)),
    )


def _row(game: str, players: dict[str, list[Figures]]) -> tuple[str, ...]:
    every = [one for name in PLAYERS for one in players.get(name, ())]
    banks = dict.fromkeys(one.played.bank for one in every)
    seeds = sorted({len(players[name]) for name in PLAYERS if name in players})
    gain = gained(players, "growing", lambda one: one.score)
    return (
        game,
        ", ".join(banks),
        "-".join(map(str, dict.fromkeys((*seeds[:1], *seeds[-1:])))),
        f"{max((one.turns for one in every), default=0):,}",
        *(_score(players.get(name, ())) for name in PLAYERS),
        NONE if gain is None else shown(gain, "+.0f"),
    )


def _score(group: Sequence[Figures]) -> str:
    found = over_seeds(group, COLUMNS["score"])
    if found is None:
        return NONE
    return shown(found)
