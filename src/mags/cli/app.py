"""The verbs, in the order in which one meets them."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from mags.cli.ask import ask
from mags.cli.branch import branch
from mags.cli.chat import chat
from mags.cli.connect import connect
from mags.cli.demo import demo
from mags.cli.diff import diff
from mags.cli.doctor import doctor
from mags.cli.edit import edit
from mags.cli.explain import explain
from mags.cli.export import export
from mags.cli.facts import facts
from mags.cli.feedback import feedback
from mags.cli.forget import forget
from mags.cli.import_ import import_
from mags.cli.joined import join
from mags.cli.keys import keys
from mags.cli.log import log
from mags.cli.mcp import mcp
from mags.cli.models import models
from mags.cli.neighbours import neighbours
from mags.cli.observe import observe
from mags.cli.pin import pin
from mags.cli.profile import profile
from mags.cli.recall import recall
from mags.cli.reembed import reembed
from mags.cli.rollback import rollback
from mags.cli.serve import serve
from mags.cli.show import show
from mags.cli.sleep import sleep
from mags.cli.snapshot import snapshot
from mags.cli.stats import stats

app = typer.Typer(
    name="mags",
    help="A memory that learns, for any frozen language model.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

VERBS: dict[str, Callable[..., None]] = {
    "demo": demo,
    "chat": chat,
    "observe": observe,
    "recall": recall,
    "ask": ask,
    "explain": explain,
    "feedback": feedback,
    "connect": connect,
    "neighbours": neighbours,
    "profile": profile,
    "facts": facts,
    "show": show,
    "stats": stats,
    "sleep": sleep,
    "edit": edit,
    "pin": pin,
    "forget": forget,
    "snapshot": snapshot,
    "log": log,
    "diff": diff,
    "branch": branch,
    "rollback": rollback,
    "export": export,
    "import": import_,
    "reembed": reembed,
    "serve": serve,
    "mcp": mcp,
    "doctor": doctor,
}

LABORATORY = {
    "play": "Play a game in which remembering decides: what is so is told, felt, changed and lied "
    "about.",
    "train": "Make data for the policy models, train, evaluate and export them.",
    "eval": "Play games with and without the memory, and measure what it is worth.",
}
"""Verbs of the laboratory, which may not be installed."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mags {version('mags')}")
        raise typer.Exit


@app.callback()
def about(
    context: typer.Context,
    _show: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
    config: Annotated[
        Path | None, typer.Option("--config", help="Config file (TOML), else MAGS_CONFIG.")
    ] = None,
    memory: Annotated[
        Path | None, typer.Option("--memory", "-m", help="The memory's file, for any verb.")
    ] = None,
) -> None:
    """A memory that learns, for any frozen language model."""
    for name, given in (("MAGS_CONFIG", config), ("MAGS_MEMORY", memory)):
        if given is not None:
            context.call_on_close(_restorer(name))
            os.environ[name] = str(given)


def _restorer(name: str) -> Callable[[], None]:
    """What puts a variable of the environment back to what it is now."""
    before = os.environ.get(name)

    def restore() -> None:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before

    return restore


for _name, _verb in VERBS.items():
    app.command(name=_name)(_verb)
for _name, _about in LABORATORY.items():
    join(app, _name, _about)
app.add_typer(models, name="models")
app.add_typer(keys, name="keys")
