"""`mags chat`: talk to a memory in the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated, get_args, get_type_hints

import typer
from rich.markup import escape

from mags.app import open as open_memory
from mags.cli.failure import FAILED
from mags.cli.last import keep_trace, trace_path
from mags.cli.shared import Branch, MemoryPath, Where, out
from mags.cli.talk import Talk, session_of, spoken, step
from mags.cli.visible import console
from mags.errors import InvalidInput, MissingExtra
from mags.extras import bring
from mags.memory.memory import Memory
from mags.memory.views import NodeView
from mags.settings import PolicySettings, Settings, read_settings

POLICIES = get_args(get_type_hints(PolicySettings)["kind"])
SHOWN = 12
"""Turns of a session that panels begin with."""


def chat(
    memory: MemoryPath = None,
    branch: Branch = "main",
    speaker: Annotated[str, typer.Option(help="Who you are.")] = "user",
    session: Annotated[str, typer.Option(help="Name of this session, else the last one.")] = "",
    plain: Annotated[bool, typer.Option(help="Line by line, without panels.")] = False,
) -> None:
    """Chat with a memory: what was recalled and why stands beside it (extra `terminal`).

    What is piped in is answered line by line; what fails is told on stderr and by the exit code.
    """
    where = Where(path=memory, branch=branch)
    with ExitStack() as held:
        opened = held.enter_context(where.open(must_exist=False))
        turns = spoken(opened)
        label = session or _last_session(turns) or f"chat {opened.stats().tick}"
        talk = Talk(memory=opened, speaker=speaker, session=label)
        talk.reopened = _reopener(talk, where, held)
        talk.erased = _trace_eraser(where)
        app = None if plain or not _interactive() else _panels()
        if app is None:
            _line_by_line(talk)
        else:
            app(talk, [turn for turn in turns if session_of(turn) == label][-SHOWN:])
        if talk.last is not None:
            keep_trace(memory, talk.last.trace)
    if app is None and talk.failed and not sys.stdin.isatty():  # a person has read why
        raise typer.Exit(FAILED)


def chosen(settings: Settings, which: str) -> Settings:
    """Settings with another policy, or with the model at URL#MODEL; raises InvalidInput."""
    for kind in POLICIES:
        if which == kind:
            return replace(settings, policy=replace(settings.policy, kind=kind))
    url, _, model = which.partition("#")
    if not url.startswith(("http://", "https://")):
        raise InvalidInput(
            f"no model {which!r}: give {', '.join(POLICIES)}, or URL#MODEL of an endpoint"
        )
    return replace(settings, chat=replace(settings.chat, url=url, model=model))


def _reopener(talk: Talk, where: Where, held: ExitStack) -> Callable[[str], Memory]:
    def reopen(which: str) -> Memory:
        settings = chosen(read_settings(os.environ), which)
        other = open_memory(where.named(), branch=where.branch, settings=settings)
        held.enter_context(other)
        talk.memory.close()
        return other

    return reopen


def _interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _panels() -> Callable[..., None] | None:
    """What runs the panels; None, with a word about it, where the extra is not installed."""
    try:
        module = bring("mags.cli.terminal", extra="terminal", needed_for="mags chat with panels")
    except MissingExtra as failure:
        out.print(f"[dim]{escape(str(failure))}[/]")
        return None
    found: Callable[..., None] = module.run
    return found


def _trace_eraser(where: Where) -> Callable[[], None]:
    """What throws away the trace beside the file: it names what is gone."""
    return lambda: trace_path(where.named()).unlink(missing_ok=True)


def _last_session(turns: list[NodeView]) -> str:
    return session_of(turns[-1]) if turns else ""


def _line_by_line(talk: Talk) -> None:
    if sys.stdin.isatty():
        view = talk.memory.stats()
        out.print(
            f"[dim]policy {escape(view.policy)}, answers by {escape(view.answerer)}; "
            "/help for commands[/]"
        )
    else:
        talk.complaints = console(stderr=True)
    for line in _lines():
        if not step(talk, line):
            break


def _lines() -> Iterator[str]:
    interactive = sys.stdin.isatty()
    while True:
        if interactive:
            out.print("[bold cyan]>[/] ", end="")
        line = sys.stdin.readline()
        if not line:
            return
        yield line
