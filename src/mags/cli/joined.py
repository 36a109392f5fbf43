"""Verbs that join MAGS by entry points: loaded when one is used, not when MAGS starts."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from mags.extras import joined

GROUP = "mags.verbs"


class Joined(TyperCommand):
    """Stands in the help for the verb of an entry point, and gives way to it. `point`: its name."""

    point = ""

    def loaded(self) -> Any:  # noqa: ANN401 - a command of typer's own click
        """The verb itself; raises MissingExtra where the laboratory is not installed."""
        found = joined(GROUP, self.point, needed_for=f"mags {self.point.replace('.', ' ')}")
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


def join(app: typer.Typer, name: str, about: str, *, point: str | None = None) -> None:
    """Have `app` offer the verb of an entry point, `name` unless `point` names another."""
    kind = type("Joined", (Joined,), {"point": point or name})
    app.command(name=name, help=about, cls=kind)(_nothing)


def _nothing() -> None:
    """What a stand-in does: never called."""


def whole(app: typer.Typer) -> Any:  # noqa: ANN401 - a group of typer's own click
    """All commands, with those that join loaded, for who goes through them (the reference)."""
    return _whole(typer.main.get_command(app))


def _whole(command: Any) -> Any:  # noqa: ANN401
    if isinstance(command, TyperGroup):
        for name, one in command.commands.items():
            command.commands[name] = _whole(one.loaded() if isinstance(one, Joined) else one)
    return command
