"""What each part of the memory is worth: the table of ablations, or where it is to be had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mags_lab.evaluation.proving.figures import Figures
from mags_lab.evaluation.proving.records import Played
from mags_lab.evaluation.proving.tables import ablated, seeds
from mags_lab.evaluation.report.digest import Digest
from mags_lab.evaluation.report.page import Prose, Section, Table

TEXT = (
    "One part taken out at a time, against the whole memory on the same seeds: mean difference "
    "and its 95% interval, where there are two seeds and more. Before its first match a process "
    "plays turns that it throws away, and nothing that was read is kept from match to match: times "
    "can be held against each other. A part that earns its place has a score below 0. What each "
    "part buys where it was meant to work, and so whether it is on, is told in docs/ablations.md."
)
NOT_PLAYED = (
    "None was played for this page. What each part buys is told in docs/ablations.md; “mags eval "
    "ablate nonsense/easy --bank scored --seeds 3 --out FOLDER/ablations” plays them, and “mags "
    "eval report --from FOLDER” then shows them here."
)


def whole(played: Played) -> Played:
    """What an ablation is held against, of any seed."""
    return replace(played, switch="", seed=0)


def ablations_section(found: Sequence[Digest]) -> Section:
    """A table for each game, bank, length and player; without any, one line that says so."""
    groups: dict[Played, list[Figures]] = {}
    for one in found:
        groups.setdefault(whole(one.figures.played), []).append(one.figures)
    tables = [table for one, group in groups.items() if (table := _table(one, group)) is not None]
    text = TEXT if tables else NOT_PLAYED
    return Section(id="ablations", title="Ablations", blocks=(Prose(text=text), *tables))


def _table(of: Played, found: Sequence[Figures]) -> Table | None:
    """None where the whole or every part is missing."""
    names = dict.fromkeys(one.played.switch for one in found)
    groups = {name: [one for one in found if one.played.switch == name] for name in names}
    against = groups.pop("", [])
    if not against or not groups:
        return None
    count = len({one.played.seed for one in against})
    told = [of.game, f"bank {of.bank}", of.player, seeds(count)]
    commits = ", ".join(dict.fromkeys(one.commit for one in found if one.commit))
    if commits:
        told.append(f"played by {commits}")
    return Table(
        caption=f"{', '.join(told)}: what each part is worth", grid=ablated(against, groups)
    )
