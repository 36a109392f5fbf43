"""Retention: scores by how long ago what is needed was told, and by how many facts decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mags_lab.evaluation.proving.figures import Figures
from mags_lab.evaluation.proving.tables import NONE, Grid, ages, facts
from mags_lab.evaluation.report.goals import OURS, grouped
from mags_lab.evaluation.report.page import Block, Prose, Section, Table
from mags_lab.games.adventures.catalogue import POINTS

TEXT = (
    "Score of the questions whose facts had been told, by how many turns ago the one told "
    "longest ago was last told; in brackets how many questions there were. A question that more "
    "facts decide is older by this measure and harder, so both are told apart below."
)


def retention_section(found: Sequence[Figures]) -> Section:
    """All questions by age; then by the number of facts too, where a game asks for several."""
    games = {
        game: players
        for game, players in grouped(found).items()
        if game.partition("/")[0] not in POINTS
    }
    every = [
        ((game,), ages(one for group in players.values() for one in group))
        for game, players in games.items()
    ]
    apart = [
        ((game, player), facts(group))
        for game, players in games.items()
        for player, group in players.items()
    ]
    ours = [((game,), grid) for (game, player), grid in apart if player == OURS]
    others = [(names, grid) for names, grid in apart if names[1] != OURS]
    blocks: list[Block] = [
        Prose(text=TEXT),
        Table(caption="Score by age of what is needed", grid=_below(("game",), every), lead=2),
    ]
    if any(grid.rows for _, grid in apart):
        caption = "Score by age and by how many facts decide"
        blocks += [
            Table(caption=f"{caption}, {OURS}", grid=_below(("game",), ours), lead=2),
            Table(caption=f"{caption}, others", grid=_below(("game", "player"), others), lead=3,
                  folded=True),
        ]  # fmt: skip
    return Section(id="retention", title="Retention", blocks=tuple(blocks))


def _below(names: tuple[str, ...], parts: Iterable[tuple[tuple[str, ...], Grid]]) -> Grid:
    """Grids one below the other, each row with the names of its grid; spans start alike in all."""
    kept = [(given, grid) for given, grid in parts if grid.rows and len(grid.head) > 1]
    head = max(((*names, *grid.head) for _, grid in kept), key=len, default=names)
    rows = ((*given, *row) for given, grid in kept for row in grid.rows)
    return Grid(head=head, rows=tuple((*r, *((NONE,) * (len(head) - len(r)))) for r in rows))
