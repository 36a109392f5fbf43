"""What was played: by whom, over which seeds, from which sources, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence

from mags_lab.evaluation.proving.figures import Figures
from mags_lab.evaluation.proving.tables import NONE, Grid
from mags_lab.evaluation.report.digest import Digest
from mags_lab.evaluation.report.goals import grouped
from mags_lab.evaluation.report.page import Block, Prose, Section, Table

TEXT = (
    "Seconds of processor time are those of a match, game and player together, one thread each, "
    "as a mean over seeds. The commit is that of the sources that played, which may be older than "
    "the page."
)


def played_section(banks: Sequence[Sequence[Digest]], left_out: Sequence[str]) -> Section:
    """A row a game and player, of each bank by itself."""
    rows = [
        (game, player, *_row(group))
        for matches in banks
        for game, players in grouped([one.figures for one in matches]).items()
        for player, group in players.items()
    ]
    head = ("game", "player", "bank", "seeds", "turns", "seconds", "commit")
    blocks: list[Block] = [Prose(text=TEXT)]
    if left_out:
        blocks.append(Prose(text=f"In the folders too, and left out: {'; '.join(left_out)}."))
    grid = Grid(head=head, rows=tuple(rows))
    blocks.append(Table(caption="Matches", grid=grid, lead=2, folded=True))
    return Section(id="played", title="What was played", blocks=tuple(blocks))


def _row(group: Sequence[Figures]) -> tuple[str, ...]:
    commits = dict.fromkeys(one.commit for one in group if one.commit)
    return (
        ", ".join(dict.fromkeys(one.played.bank for one in group)),
        _ranges([one.played.seed for one in group]),
        f"{sum(one.turns for one in group) / len(group):,.0f}",
        f"{sum(one.cpu_s for one in group) / len(group):,.1f}",
        ", ".join(commits) or NONE,
    )


def _ranges(seeds: Sequence[int]) -> str:
    """Seeds in a row as "0-9"."""
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
