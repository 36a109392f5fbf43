"""What is the memory's, and what the reward's: retrieval and memory, each with and without it."""

from __future__ import annotations

from collections.abc import Sequence

from mags_lab.evaluation.proving.figures import Figures, over_seeds
from mags_lab.evaluation.proving.tables import COLUMNS, NONE, Grid, shown
from mags_lab.evaluation.report.goals import DIARY, OURS, UNTOLD, gained, grouped
from mags_lab.evaluation.report.page import Prose, Section, Table

PLAYERS = ("growing", DIARY, UNTOLD, OURS)
PAIRS = (("growing", UNTOLD), (DIARY, OURS), ("growing", DIARY), (UNTOLD, OURS))
"""Who is held against whom: the memory without rewards and with them, then the rewards alone."""
TEXT = (
    f"{OURS} and “{DIARY}” learn from the reward of each act, nobody else does. “{DIARY}”: growing "
    "retrieval whose player is told what the player of MAGS is told of its acts, and keeps it in "
    "the same diary, with what that teaches of the words of actions and of what is said of each; "
    "what MAGS's player learns of chains has nothing to learn from there. "
    f"“{UNTOLD}”: the memory, whose player is told of no act what it brought, but by the lines "
    "that all players read. Of the gains the first two are what the memory adds, where nobody "
    "learns from rewards and where both do; the last two are what the rewards add."
)


def rewarded_section(found: Sequence[Figures]) -> Section | None:
    """Both in each game that they played; None where neither was played."""
    scores, gains = [], []
    for game, players in grouped(found).items():
        if DIARY not in players and UNTOLD not in players:
            continue
        for what in ("score", "after changes"):
            measure = COLUMNS[what]
            every = (over_seeds(players.get(name, ()), measure) for name in PLAYERS)
            scores.append((game, what, *(NONE if one is None else shown(one) for one in every)))
            pairs = (gained(players, a, measure, ours=b) for a, b in PAIRS)
            gains.append((game, what, *(NONE if p is None else shown(p, "+.0f") for p in pairs)))
    if not scores:
        return None
    heads = [f"{b} over {a}" for a, b in PAIRS]
    return Section(
        id="rewarded",
        title="With and without rewards",
        blocks=(
            Prose(text=TEXT),
            _table("Score, in percent", PLAYERS, scores),
            _table("Gains, in percent", heads, gains),
        ),
    )


def _table(caption: str, heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    grid = Grid(head=("game", "of", *heads), rows=tuple(rows))
    return Table(caption=caption, grid=grid, lead=2)
