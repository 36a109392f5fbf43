"""`mags eval audit`: poison a memory in the middle of a game, find what is wrong, go back."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from mags.cli.alone import alone
from mags.cli.shared import AsJson, out, print_json
from mags.errors import InvalidInput
from mags.settings import ChatSettings
from mags_lab.cli.deciders import EMBEDDED, frozen
from mags_lab.cli.eval_arena import (
    length,
    make_game,
    make_memories,
    make_player,
    make_reader,
    reader_name,
)
from mags_lab.cli.eval_play import AsMarkdown, Bank, First, Frozen, GameName, Seeds, show
from mags_lab.evaluation.proving.audit import WAYS, Course, Dose, Poisoned, Way, course
from mags_lab.evaluation.proving.records import Played
from mags_lab.evaluation.proving.tables import Grid
from mags_lab.evaluation.report.inside import MEANT, Audit, marked, scores, verdicts
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.turns import TruthFact

CLEAN, LIED = "never lied to", "lied to, {}"


def audit(
    game: GameName = "nonsense/standard",
    turns: Annotated[int, typer.Option(min=3, help="At most so many turns of the game.")] = 300,
    poisoned: Annotated[
        int | None,
        typer.Option(min=1, help="The turn in which lies are told; else a third of them."),
    ] = None,
    audited: Annotated[
        int | None,
        typer.Option(min=2, help="The turn before which it audits; else two thirds of them."),
    ] = None,
    lies: Annotated[int, typer.Option(min=0, help="Most lies told.")] = 20,
    seeds: Seeds = 1,
    first: First = 0,
    bank: Bank = "tuning",
    listed: Annotated[int, typer.Option("--list", min=0, help="Facts listed that are bad.")] = 10,
    reader: Frozen = EMBEDDED,
    json: AsJson = False,
    markdown: AsMarkdown = False,
) -> None:
    """Lie to a memory, check each fact it holds against the game and its sources, and mend it.

    Four courses of the same game: never lied to; lied to and left so; mended in place; rolled
    back to before the lies and told again what was true. The score after the audit tells whether
    the memory came back.
    """
    turns = min(turns, length(game) or turns)
    poisoned = turns // 3 if poisoned is None else poisoned
    audited = 2 * turns // 3 if audited is None else audited
    dose = Dose(seed=first, turns=turns, poisoned=poisoned, audited=audited, lies=lies)
    chat = frozen(reader)
    found = courses(game, bank, dose, seeds, chat)
    if json:
        print_json(found)
        return
    told = told_of(game, bank, dose, found, chat)
    show(told.scores, markdown=markdown)
    show(told.verdicts, markdown=markdown)
    out.print("; ".join(f"{verdict}: {meant}" for verdict, meant in MEANT.items()), markup=False)
    if told.marked[:listed]:
        count = min(listed, len(told.marked))
        out.print(f"\nMarked when lied to, {count} of {len(told.marked)}:", markup=False)
        grid = tuple((one.verdict, one.fact, one.source) for one in told.marked[:listed])
        show(Grid(head=("verdict", "fact", "from"), rows=grid), markdown=markdown)


def courses(
    game: str, bank: str, dose: Dose, seeds: int, chat: ChatSettings | None = None
) -> dict[str, list[Course]]:
    """Play games never lied to, and lied to with each way back, from the dose's seed on.

    `chat`: the endpoint that is the frozen model, else the one that ships. Raises InvalidInput.
    """
    if not dose.poisoned < dose.audited < dose.turns:
        raise InvalidInput(
            "lies are told first, then the audit, then turns are left to play: "
            f"{dose.poisoned} < {dose.audited} < {dose.turns} does not hold"
        )
    found: dict[str, list[Course]] = {CLEAN: [], **{LIED.format(way): [] for way in WAYS}}
    with alone():
        for seed in range(dose.seed, dose.seed + seeds):
            here = replace(dose, seed=seed)
            for way in WAYS:
                found[LIED.format(way)].append(_course(game, bank, here, way, chat))
            about = found[LIED.format(WAYS[0])][-1].about
            found[CLEAN].append(_course(game, bank, here, "nothing", chat, clean=about))
    return found


def told_of(
    game: str,
    bank: str,
    dose: Dose,
    found: dict[str, list[Course]],
    chat: ChatSettings | None = None,
) -> Audit:
    """What is to be told of these courses."""
    sick = found[LIED.format(WAYS[0])]
    return Audit(
        played=Played(
            game=game,
            player="MAGS",
            seed=dose.seed,
            turns=dose.turns,
            bank=bank,
            reader=reader_name(chat),
        ),
        seeds=len(sick),
        poisoned=dose.poisoned,
        audited=dose.audited,
        lies=sum(len(one.about) for one in sick),
        scores=scores(found),
        verdicts=verdicts(found),
        marked=marked(one for every in sick for one in every.findings),
    )


def _course(
    game: str,
    bank: str,
    dose: Dose,
    how: Way,
    chat: ChatSettings | None,
    *,
    clean: tuple[TruthFact, ...] | None = None,
) -> Course:
    """One course; `clean`: facts to score apart in a game without lies."""
    made = make_game(game, bank)
    inside = made if clean is not None else Poisoned(made, at=dose.poisoned, lies=dose.lies)
    player = make_player("MAGS", make_reader(game, chat), memories=make_memories())
    assert isinstance(player, Remembering)
    found = course(inside, player, dose, how=how, touched=clean)
    player.close()
    return found
