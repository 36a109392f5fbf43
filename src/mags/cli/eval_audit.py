"""`mags eval audit`: poison a memory in the middle of a game, find what is wrong, go back."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.eval_arena import make_game, make_memories, make_player
from mags.cli.eval_play import AsMarkdown, Bank, GameName, show
from mags.cli.shared import AsJson, out, print_json
from mags.errors import InvalidInput
from mags.evaluation.proving.audit import WAYS, Course, Dose, Way, course
from mags.evaluation.proving.fidelity import Verdict
from mags.evaluation.proving.poison import Poisoned
from mags.evaluation.proving.tables import NONE, Grid
from mags.games.players.remembering import Remembering
from mags.games.reader import shipped_reader
from mags.games.turns import TruthFact

BAD = (Verdict.WRONG, Verdict.STALE, Verdict.LOST)


def audit(
    game: GameName = "nonsense/standard",
    turns: Annotated[int, typer.Option(min=3, help="Turns of the game.")] = 300,
    poisoned: Annotated[int, typer.Option(min=1, help="The turn in which lies are told.")] = 100,
    audited: Annotated[int, typer.Option(min=2, help="The turn before which it audits.")] = 200,
    lies: Annotated[int, typer.Option(min=0, help="Most lies told.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the game.")] = 0,
    bank: Bank = "tuning",
    listed: Annotated[int, typer.Option("--list", min=0, help="Facts listed that are bad.")] = 10,
    json: AsJson = False,
    markdown: AsMarkdown = False,
) -> None:
    """Lie to a memory, check each fact it holds against the game and its sources, and mend it.

    Four courses of the same game: never lied to; lied to and left so; mended in place; rolled
    back to before the lies and told again what was true. The score after the audit tells whether
    the memory came back.
    """
    if not poisoned < audited < turns:
        raise InvalidInput("lies are told first, then the audit, then turns are left to play")
    dose = Dose(seed=seed, turns=turns, poisoned=poisoned, audited=audited, lies=lies)
    found = {"lied to, " + way: _course(game, bank, dose, way) for way in WAYS}
    about = found[f"lied to, {WAYS[0]}"].about
    clean = _course(game, bank, dose, "nothing", clean=about)
    found = {"never lied to": clean, **found}
    if json:
        print_json(found)
        return
    show(_grid(found), markdown=markdown)
    worst = [f for f in found[f"lied to, {WAYS[0]}"].findings if f.verdict in BAD]
    for finding in worst[:listed]:
        fact = finding.fact
        said = "; ".join(finding.lines)
        told = f"{fact.subject} | {fact.relation} | {fact.object}"
        out.print(f"{finding.verdict.value}: {told}\n  from: {said}", markup=False)


def _course(
    game: str, bank: str, dose: Dose, how: Way, *, clean: tuple[TruthFact, ...] | None = None
) -> Course:
    """One course; `clean`: facts to score apart in a game without lies."""
    made = make_game(game, bank)
    inside = made if clean is not None else Poisoned(made, at=dose.poisoned, lies=dose.lies)
    player = make_player("MAGS", shipped_reader(), memories=make_memories())
    assert isinstance(player, Remembering)
    found = course(inside, player, dose, how=how, touched=clean)
    player.close()
    return found


def _grid(found: dict[str, Course]) -> Grid:
    verdicts = [verdict.value for verdict in Verdict]
    rows = []
    for name, one in found.items():
        shares = (one.before, one.sick, one.after, one.touched)
        scores = (NONE if share is None else f"{100 * share:.1f}" for share in shares)
        done = ", ".join(f"{count} {what}" for what, count in one.done.items()) or NONE
        rows.append((name, *scores, *(str(one.verdicts[v]) for v in verdicts), done))
    head = ("course", "before", "lied to", "after", "after, of the lies", *verdicts, "done")
    return Grid(head=head, rows=tuple(rows))
