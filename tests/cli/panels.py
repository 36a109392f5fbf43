"""The chat with panels, driven headless as a user would."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Static
from typer.testing import CliRunner

import mags
from mags.cli import chat, console, terminal
from mags.cli.app import app
from mags.cli.chat import ChatSession, last_turns
from mags.cli.terminal import Panels
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules import RulePolicy
from mags.settings import Settings

Do = Callable[[Pilot[None]], Awaitable[None]]

LOOKS = 600
LOOKS_S = 0.02


def opened(path: Path | None, **more: Any) -> Memory:
    """A memory with nothing to load: rules and hashes."""
    given = {"settings": Settings(), "embedder": HashEmbedder(64), "policy": RulePolicy()}
    return mags.open(path, **{**given, **more})


def drive(app: Panels, what: Do, size: tuple[int, int] = (120, 40)) -> None:
    """Run an app in a terminal of that size and do something in it."""

    async def go() -> None:
        async with app.run_test(size=size) as pilot:
            await what(pilot)

    asyncio.run(go())


def run(memory: Memory, what: Do, size: tuple[int, int] = (120, 40)) -> None:
    """Do something in a chat of Ana with a memory."""
    drive(
        Panels(ChatSession(memory=memory, speaker="Ana", session="s"), last_turns(memory)),
        what,
        size,
    )


async def type_in(pilot: Pilot[None], line: str) -> None:
    """Enter a line as if pasted (keys take their time), and wait for nothing of what comes."""
    entry = pilot.app.query_one("#say", Input)
    entry.focus()
    entry.value = line
    await pilot.press("enter")


async def say(pilot: Pilot[None], *lines: str) -> None:
    """Enter lines, each once the one before is done."""
    for line in lines:
        await type_in(pilot, line)
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


async def until(pilot: Pilot[None], so: Callable[[], bool]) -> None:
    """Wait for something to become so; fails after some time."""
    for _ in range(LOOKS):
        if so():
            return
        await pilot.pause(LOOKS_S)
    raise AssertionError(f"never came:\n{shown(pilot)}")


def shown(pilot: Pilot[None]) -> str:
    """Everything in the talk, seen or scrolled away."""
    parts = pilot.app.query_one("#talk", VerticalScroll).query(Static)
    return "\n".join(str(part.render()) for part in parts)


def drawn(pilot: Pilot[None], which: str) -> str:
    """What a part of the screen shows, line by line."""
    part = pilot.app.screen.query_one(which, Widget)
    lines = (part.render_line(y).text.rstrip() for y in range(part.size.height))
    return "\n".join(lines)


def chatting(monkeypatch: pytest.MonkeyPatch, path: Path, what: Do, *options: str) -> None:
    """Do something in `mags chat` on a file, started as from a terminal."""
    hashing = partial(mags.open, embedder=HashEmbedder(64))
    monkeypatch.setattr(console, "open_memory", hashing)
    monkeypatch.setattr(chat, "open_memory", hashing)
    monkeypatch.setattr(chat, "_interactive", lambda: True)
    monkeypatch.setattr(
        terminal, "run", lambda talk, turns: drive(terminal.Panels(talk, turns), what)
    )
    ended = CliRunner().invoke(app, ["chat", "--memory", str(path), "--speaker", "Ana", *options])
    if ended.exception is not None:
        raise ended.exception
