"""`mags eval`: matches, ablations and audits, and what they tell about the memory."""

from __future__ import annotations

import typer

from mags_lab.cli.eval_ablate import ablate
from mags_lab.cli.eval_audit import audit
from mags_lab.cli.eval_play import play
from mags_lab.cli.eval_report import report

evaluation = typer.Typer(
    help="Play games with and without the memory, and measure what it is worth.",
    no_args_is_help=True,
)
evaluation.command(name="play")(play)
evaluation.command(name="ablate")(ablate)
evaluation.command(name="audit")(audit)
evaluation.command(name="report")(report)


@evaluation.callback()
def about() -> None:
    """Play games with and without the memory, and measure what it is worth."""
