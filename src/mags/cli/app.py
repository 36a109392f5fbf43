"""The command line: its verbs, in the order in which one meets them, and how it fails.

Verbs of the laboratory are plugins (entry points): loaded when they are used.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

from mags.cli import reading, service, writing
from mags.cli.chat import chat
from mags.cli.console import FAILED, console
from mags.cli.demo import demo
from mags.cli.files import backup, export, import_, move, restore, verify
from mags.cli.installation import doctor, models, reembed, rekey, shred
from mags.errors import MagsError
from mags.extras import plugin

INTERRUPTED = 130
GROUP = "mags.verbs"

app = typer.Typer(
    name="mags",
    help="A memory that learns, for any frozen language model.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

VERBS: dict[str, Callable[..., None]] = {
    verb.__name__.rstrip("_"): verb
    for verb in (
        *(demo, chat, writing.observe),
        *(reading.recall, reading.ask, reading.explain, reading.feedback, reading.connect),
        *(reading.neighbours, reading.profile, reading.facts, reading.show, reading.stats),
        *(writing.sleep, writing.edit, writing.correct, writing.pin, writing.forget),
        *(writing.snapshot, writing.log, writing.diff, writing.branch, writing.rollback),
        *(export, import_, move, backup, restore, verify, reembed, shred, rekey),
        *(service.prepare, service.serve, service.cluster, service.mcp, doctor),
    )
}
"""By name, in the order of the help."""

LABORATORY = {
    "play": "Play a game in which remembering decides: what is so is told, felt, changed and lied "
    "about.",
    "train": "Make data for the policy models, train, evaluate and export them.",
    "eval": "Play games with and without the memory, and measure what it is worth.",
}
"""Verbs of the laboratory, which may not be installed."""
OF_MODELS = {
    "compare": "Score policies on samples that none was trained on.",
    "export": "Merge an adapter into its base, for transformers or llama.cpp.",
}
"""Those of them that stand under `mags models`."""


def main() -> None:
    """Run the command line; MAGS's errors become one clear line and exit code 2."""
    # What it warns of while a database is away comes as one of those errors.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    with explained():
        app(standalone_mode=True)
    sys.exit(0)


@contextmanager
def explained() -> Iterator[None]:
    """Turn MAGS's errors, files that fail and Ctrl-C into a message and an exit code."""
    said = console(stderr=True)
    try:
        yield
    except MagsError as failure:
        why = escape(str(failure))  # it may name mags[extra]
        said.print(f"[bold red]mags:[/] {why}", markup=True, soft_wrap=True)
        sys.exit(FAILED)
    except OSError as failure:
        why = escape(f"{failure.filename or 'the output'}: {failure.strerror or failure}")
        said.print(f"[bold red]mags:[/] cannot read or write {why}", soft_wrap=True)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        said.print("[yellow]mags:[/] stopped; everything acknowledged so far is kept")
        sys.exit(INTERRUPTED)


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
            # Options of verbs and `read_settings` both take them from there.
            before = {name: os.environ[name]} if name in os.environ else {}
            context.call_on_close(partial(os.environ.update, before))
            context.call_on_close(partial(os.environ.pop, name, None))  # the last one goes first
            os.environ[name] = str(given)


class PluginCommand(TyperCommand):
    """Stands in the help for the verb of an entry point, and gives way to it. `point`: its name."""

    point = ""

    def loaded(self) -> Any:  # noqa: ANN401 - a command of typer's own click
        """The verb itself; raises MissingExtra where the laboratory is not installed."""
        found = plugin(GROUP, self.point, needed_for=f"mags {self.point.replace('.', ' ')}")
        around = typer.Typer(callback=_nothing)  # so that it is a verb among others, not the whole
        if isinstance(found, typer.Typer):
            around.add_typer(found, name=self.name)
        else:
            around.command(name=self.name)(found)
        group: Any = typer.main.get_command(around)
        return group.commands[self.name]

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:  # noqa: ANN401
        """That of the verb itself, which reads the words that were given."""
        return self.loaded().make_context(info_name, args, *rest, **extra)


def add_plugin(app: typer.Typer, name: str, about: str, *, point: str | None = None) -> None:
    """Have `app` offer the verb of an entry point, `name` unless `point` names another."""
    kind = type("PluginCommand", (PluginCommand,), {"point": point or name})
    app.command(name=name, help=about, cls=kind)(_nothing)


def _nothing() -> None:
    """What a stand-in does: never called."""


def whole(app: typer.Typer) -> Any:  # noqa: ANN401 - a group of typer's own click
    """All commands, plugins loaded, for whoever goes through them (the reference)."""

    def load(command: Any) -> Any:  # noqa: ANN401
        if isinstance(command, PluginCommand):
            command = command.loaded()
        if isinstance(command, TyperGroup):
            command.commands = {name: load(one) for name, one in command.commands.items()}
        return command

    return load(typer.main.get_command(app))


for _name, _verb in VERBS.items():
    app.command(name=_name)(_verb)
for _name, _about in LABORATORY.items():
    add_plugin(app, _name, _about)
for _name, _about in OF_MODELS.items():
    add_plugin(models, _name, _about, point=f"models.{_name}")
app.add_typer(models, name="models")
app.add_typer(service.keys, name="keys")
