"""`mags eval ablate`: the memory with one part taken out at a time."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.eval_arena import Task, models
from mags.cli.eval_play import (
    AsMarkdown,
    Bank,
    First,
    GameName,
    Out,
    Seeds,
    Turns,
    Workers,
    played,
    show,
)
from mags.cli.shared import AsJson, print_json
from mags.evaluation.proving.ablations import SWITCHES, switch
from mags.evaluation.proving.records import Played
from mags.evaluation.proving.tables import ablated

Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without", help=f"Of {', '.join(SWITCHES)}; or a choice of models, see --models."
    ),
]


def ablate(
    game: GameName = "nonsense/standard",
    without: Without = None,
    with_models: Annotated[
        bool, typer.Option("--models", help="Rules against heads, for asking and for writing.")
    ] = False,
    player: Annotated[str, typer.Option(help="Whose memory it is.")] = "MAGS",
    turns: Turns = 100_000,
    seeds: Seeds = 3,
    first: First = 0,
    bank: Bank = "tuning",
    workers: Workers = 1,
    out_folder: Out = None,
    json: AsJson = False,
    markdown: AsMarkdown = False,
) -> None:
    """Take one part of the memory out at a time and tell what that changes, seed by seed.

    A match that `--out` holds already is not played again.
    """
    more = models() if with_models else {}
    names = list(without or more or SWITCHES)
    for name in names:
        switch(name, more)
    tasks = [
        Task(
            played=Played(game=game, player=player, seed=seed, turns=turns, bank=bank, switch=name),
            out=out_folder,
            again=False,
        )
        for name in ("", *names)
        for seed in range(first, first + seeds)
    ]
    found = played(tasks, workers)
    if json:
        print_json(found)
        return
    groups = {name: [one for one in found if one.played.switch == name] for name in ("", *names)}
    whole = groups.pop("")
    show(ablated(whole, groups), markdown=markdown)
