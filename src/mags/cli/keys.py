"""`mags keys`: who may ask a server, for what."""

from __future__ import annotations

import time
from types import ModuleType
from typing import Annotated

import typer
from rich.table import Table

from mags.cli.serve import FOLDER, Folder
from mags.cli.shared import out
from mags.errors import InvalidInput
from mags.extras import bring

keys = typer.Typer(name="keys", help="Keys of a server: add, list, rotate, revoke.",
                   no_args_is_help=True)  # fmt: skip
Name = Annotated[str, typer.Argument(help="The key's name.")]
ONCE = "Keep it: it is not shown again."


@keys.command()
def add(
    name: Name,
    namespace: Annotated[
        list[str] | None,
        typer.Option("--namespace", "-n", help="A memory, 'team-*', or '*' for all (default)."),
    ] = None,
    scope: Annotated[str, typer.Option(help="read, write or admin.")] = "write",
    folder: Folder = FOLDER,
) -> None:
    """Make a key and print it, for the only time."""
    scopes = _auth().Scope
    if scope.upper() not in scopes.__members__:
        raise InvalidInput(f"a scope is read, write or admin, not {scope!r}", scope=scope)
    ring = _auth().KeyRing(folder)
    secret = ring.add(name, tuple(namespace or ["*"]), scopes[scope.upper()], time.time())
    _show(secret)


@keys.command(name="list")
def list_(folder: Folder = FOLDER) -> None:
    """Names, scopes and namespaces; never the keys themselves."""
    table = Table("name", "scope", "namespaces", "made", "revoked", box=None)
    for key in _auth().KeyRing(folder).known():
        gone = "" if key.revoked is None else _day(key.revoked)
        spaces = ", ".join(key.namespaces)
        table.add_row(key.name, key.scope.name.lower(), spaces, _day(key.made), gone)
    out.print(table)


@keys.command()
def rotate(name: Name, folder: Folder = FOLDER) -> None:
    """Another secret for a key; the old one is out at once."""
    _show(_auth().KeyRing(folder).rotate(name, time.time()))


@keys.command()
def revoke(name: Name, folder: Folder = FOLDER) -> None:
    """Let a key in no more, at once."""
    _auth().KeyRing(folder).revoke(name, time.time())
    out.print(f"{name} is revoked.", markup=False)


def _auth() -> ModuleType:
    return bring("mags.server.auth", extra="server", needed_for="mags keys")


def _show(secret: str) -> None:
    out.print(secret, markup=False, soft_wrap=True)
    typer.echo(ONCE, err=True)


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))
