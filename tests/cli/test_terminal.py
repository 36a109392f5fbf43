"""The chat with panels, driven headless as a user would."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Static

import mags
from mags.cli.chat import chosen
from mags.cli.talk import Talk, spoken
from mags.cli.terminal import Panels, reasons
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.models.chat.scripted import ScriptedChat
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules import RulePolicy
from mags.settings import Settings

Do = Callable[[Pilot[None]], Awaitable[None]]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    path = tmp_path / "m.mags"
    with mags.open(path, settings=Settings(), embedder=HashEmbedder(64)) as opened:
        yield opened


def run(memory: Memory, what: Do, size: tuple[int, int] = (120, 40)) -> None:
    """Run the app in a terminal of that size and do something in it."""

    async def go() -> None:
        talk = Talk(memory=memory, speaker="Ana", session="s")
        async with Panels(talk, spoken(memory)).run_test(size=size) as pilot:
            await what(pilot)

    asyncio.run(go())


async def say(pilot: Pilot[None], *lines: str) -> None:
    for line in lines:
        await pilot.click("#say")
        await pilot.press(*line, "enter")
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


def shown(pilot: Pilot[None]) -> str:
    """Everything in the talk."""
    parts = pilot.app.query_one("#talk", VerticalScroll).query(Static)
    return "\n".join(str(part.render()) for part in parts)


def test_an_answer_comes_with_what_was_recalled_and_why(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "Where do I live?")
        assert "Oslo —" in shown(pilot)
        console = Console(width=60)
        with console.capture() as drawn:
            console.print(reasons(pilot.app._talk.last))
        assert "Oslo" in drawn.get()
        assert "cover +" in drawn.get()

    run(memory, what)
    assert memory.facts("Ana", current=True)[0].object == "Oslo"


def test_undo_takes_back_the_last_turn(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "/undo")
        assert "Took back" in shown(pilot)

    run(memory, what)
    assert memory.facts() == []


@pytest.mark.parametrize(("button", "left"), [("#no", 1), ("#yes", 0)])
def test_forgetting_asks_first(memory: Memory, button: str, left: int):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.")
        await pilot.click("#say")
        await pilot.press(*"/forget Oslo", "enter")
        for _ in range(100):
            await pilot.pause(0.05)
            if pilot.app.screen.query(button):
                break
        await pilot.click(button)
        await pilot.app.workers.wait_for_complete()

    run(memory, what)
    assert len(memory.facts()) == left


def test_a_snapshot_is_gone_back_to(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "/snapshot then", "I live in Rome.", "/back then")

    run(memory, what)
    assert [fact.object for fact in memory.facts(current=True)] == ["Oslo"]


def test_it_goes_on_where_the_talk_left_off(memory: Memory):
    memory.observe("I live in Oslo.", speaker="Ana", session="s")

    async def what(pilot: Pilot[None]) -> None:
        assert "Ana: I live in Oslo." in shown(pilot)

    run(memory, what)


def test_a_model_writes_as_it_goes(tmp_path: Path):
    chat = ScriptedChat(["In the north, you said."])
    with mags.open(
        tmp_path / "m.mags",
        settings=Settings(),
        embedder=HashEmbedder(64),
        policy=RulePolicy(),
        chat=chat,
    ) as memory:
        memory.observe("I live in Oslo.", speaker="Ana", session="s")

        async def what(pilot: Pilot[None]) -> None:
            await say(pilot, "Where do I live?")
            assert "In the north, you said." in shown(pilot)

        run(memory, what)


def test_an_error_is_shown_and_survived(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "/back never", "/nonsense", "/stats")
        assert "no snapshot named" in shown(pilot)
        assert "No such command" in shown(pilot)

    run(memory, what)


def test_quit_leaves(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "/quit")
        assert not pilot.app.is_running

    run(memory, what)


def test_a_narrow_terminal_stands_its_panels_below(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await pilot.pause()
        below = pilot.app.query_one("#why").region
        assert below.y > pilot.app.query_one("#talk").region.y
        assert below.right <= 60

    run(memory, what, size=(60, 30))


def test_model_takes_a_policy_or_an_endpoint():
    assert chosen(Settings(), "heads").policy.kind == "heads"
    chat = chosen(Settings(), "http://127.0.0.1:8000/v1#tiny").chat
    assert (chat.url, chat.model) == ("http://127.0.0.1:8000/v1", "tiny")
    with pytest.raises(InvalidInput, match="rules"):
        chosen(Settings(), "gpt")
