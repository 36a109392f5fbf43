"""The chat with panels: talk, side and commands."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Button

from mags.cli.chat import chosen
from mags.cli.terminal import NOTHING, WELCOME
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.settings import Settings
from tests.cli.panels import drawn, opened, run, say, shown, type_in, until


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "m.mags") as memory:
        yield memory


def told(memory: Memory, *texts: str) -> None:
    for text in texts:
        memory.observe(text, speaker="Ana", session="s")


def test_an_answer_comes_with_what_was_recalled_and_why(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        assert drawn(pilot, "#reason") == WELCOME
        await say(pilot, "I live in Oslo.", "Where do I live?")
        assert "Oslo —" in shown(pilot)
        last = pilot.app._talk.last
        title, first, why, *_ = drawn(pilot, "#reason").splitlines()
        best = last.found.hits[0]
        assert (title, first) == ("Recalled, and why", f"m{best.id} {best.text}")
        shares = last.trace.of(best.id).shares
        counted = sorted(shares, key=lambda name: -abs(shares[name]))[:3]
        assert why == "  " + ", ".join(
            f"{name.replace('_', ' ')} {shares[name]:+.1f}" for name in counted
        )

    run(memory, what)
    assert memory.facts("Ana", current=True)[0].object == "Oslo"


def test_the_picture_joins_what_was_recalled_by_its_facts(memory: Memory):
    told(memory, "My sister Eva has a dog named Rex.", "I live in Bergen.", "I moved to Oslo.")

    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "What is the name of my sister's dog?")
        lines = drawn(pilot, "#around").splitlines()
        assert lines[:2] == ["Around it", "Ana"]
        sister = lines.index(next(line for line in lines if "sister → Eva" in line))
        assert lines[sister + 1].endswith("└── dog → Rex"), "a fact of Eva hangs below her"
        assert sum("dog → Rex" in line for line in lines) == 1, "each fact is drawn once"
        assert any("lives in → Bergen until 2" in line for line in lines)

    run(memory, what)


def test_a_ring_of_facts_is_drawn_once_and_ends(memory: Memory):
    memory.assert_fact("Ana", "trusts", "Eva")
    memory.assert_fact("Eva", "trusts", "Ana")

    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "Who trusts Eva?")
        lines = drawn(pilot, "#around").splitlines()
        assert sum("trusts → Eva" in line for line in lines) == 1
        assert sum("trusts → Ana" in line for line in lines) == 1

    run(memory, what)


def test_what_holds_no_fact_is_drawn_with_what_it_is_joined_to(memory: Memory):
    told(memory, "Why did the ferry to Bergen not leave?")
    assert memory.facts() == []

    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "What about the ferry to Bergen?")
        assert "mentions 1.00" in drawn(pilot, "#around")

    run(memory, what)


def test_words_that_are_too_long_for_the_picture_are_cut_and_keep_its_shape(memory: Memory):
    memory.assert_fact("Ana", "keeps in mind that", "the ferry to Bergen leaves at half past eight")

    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "What does Ana keep in mind?")
        _, thing, line = drawn(pilot, "#around").splitlines()
        assert thing == "Ana"
        assert line.startswith("└── keeps in mind that → the ferry")
        assert line.endswith("…")

    run(memory, what)


def test_a_turn_that_recalls_nothing_leaves_no_old_reasons_beside_it(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "Where do I live?", "I work at a bakery.")
        assert drawn(pilot, "#reason") == NOTHING
        assert drawn(pilot, "#around").strip() == ""

    run(memory, what)


def test_undo_takes_back_exactly_the_last_turn(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.")
        before = memory.stats().nodes
        await say(pilot, "My sister Eva has a dog named Rex. Where do I live?", "/undo")
        assert "Took back the last turn." in shown(pilot)
        assert memory.stats().nodes == before
        assert drawn(pilot, "#reason") == WELCOME
        assert drawn(pilot, "#around").strip() == ""
        await say(pilot, "/undo")
        assert "Nothing to undo." in shown(pilot)

    run(memory, what)
    assert [fact.object for fact in memory.facts()] == ["Oslo"]


def test_undo_by_its_key_tells_that_it_takes_back_a_sleep_too(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "/sleep")
        await pilot.press("ctrl+z")
        await until(pilot, lambda: "the last turn and the sleep after it" in shown(pilot))

    run(memory, what)
    assert memory.facts() == []


@pytest.mark.parametrize(
    ("button", "left", "word"),
    [("#no", 1, "Nothing was erased."), ("#yes", 0, "Erased 4 nodes for good.")],
)
def test_forgetting_asks_first_and_tells(memory: Memory, button: str, left: int, word: str):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "Where do I live?")
        await type_in(pilot, "/forget Oslo")
        await until(pilot, lambda: bool(pilot.app.screen.query(button)))
        assert "Oslo" in (asked := drawn(pilot, "#sure Label"))
        assert "Erase 4 nodes for good?" in asked
        assert pilot.app.screen.query_one("#no", Button).has_focus
        await pilot.click(button)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert shown(pilot).endswith(word)
        assert ("Oslo" in drawn(pilot, "#reason")) is bool(left)
        assert ("Oslo" in drawn(pilot, "#around")) is bool(left)

    run(memory, what)
    assert len(memory.facts()) == left


def test_to_leave_a_question_unanswered_is_a_no(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.")
        await type_in(pilot, "/forget Oslo")
        await until(pilot, lambda: bool(pilot.app.screen.query("#no")))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not pilot.app.is_running)

    run(memory, what)  # and does not wait for an answer that can no longer come
    assert len(memory.facts()) == 1


def test_a_snapshot_is_listed_and_gone_back_to(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "/snapshot then", "I live in Rome.", "/snapshot")
        assert "Snapshots: then." in shown(pilot)
        await say(pilot, "/back then")
        assert "Back at 'then'." in shown(pilot)

    run(memory, what)
    assert [fact.object for fact in memory.facts(current=True)] == ["Oslo"]


def test_it_goes_on_where_the_talk_left_off(memory: Memory):
    told(memory, "I live in Oslo.")

    async def what(pilot: Pilot[None]) -> None:
        assert "Ana: I live in Oslo." in shown(pilot)

    run(memory, what)


def test_an_error_is_shown_and_survived(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "/back never", "/nonsense", "/stats")
        assert "no snapshot named" in shown(pilot)
        assert "No such command; /help lists them." in shown(pilot)
        assert shown(pilot).endswith("empty")

    run(memory, what)


def test_what_a_command_prints_fits_the_talk(memory: Memory):
    memory.assert_fact("Ana", "keeps in mind that", "the ferry to Bergen leaves at half past eight")

    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "/facts")
        room = pilot.app.query_one("#talk").scrollable_content_region.width
        _, head, first, second = shown(pilot).splitlines()
        assert head.split() == ["fact", "from", "to", "confidence"]
        assert first.split()[-2] == "now"
        assert "half past eight" in second, "a long fact goes on in its own column"
        assert max(len(head), len(first), len(second)) <= room < 76

    run(memory, what)


def test_quit_typed_by_keys_leaves(memory: Memory):
    async def what(pilot: Pilot[None]) -> None:
        await pilot.click("#say")
        await pilot.press(*"/quit", "enter")
        await until(pilot, lambda: not pilot.app.is_running)

    run(memory, what)


@pytest.mark.parametrize("size", [(60, 30), (40, 24), (40, 14)])
def test_a_narrow_terminal_shows_the_talk_and_its_panels_below(
    memory: Memory, size: tuple[int, int]
):
    async def what(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "Where do I live?")
        talk, why = (pilot.app.query_one(name).region for name in ("#talk", "#why"))
        assert why.y >= talk.bottom
        assert max(talk.right, why.right) <= size[0]
        assert min(talk.height, why.height) >= 3
        seen = pilot.app.export_screenshot(simplify=True).replace("&#160;", " ")
        assert "Oslo" in seen
        await type_in(pilot, "/forget Oslo")
        await until(pilot, lambda: bool(pilot.app.screen.query("#yes")))
        await pilot.pause()
        assert pilot.app.screen.query_one("#sure").region.right <= size[0]
        await pilot.click("#no")
        await pilot.app.workers.wait_for_complete()

    run(memory, what, size=size)


def test_model_takes_a_policy_or_an_endpoint():
    assert chosen(Settings(), "reader").policy.kind == "reader"
    chat = chosen(Settings(), "http://127.0.0.1:8000/v1#tiny").chat
    assert (chat.url, chat.model) == ("http://127.0.0.1:8000/v1", "tiny")
    with pytest.raises(InvalidInput, match="rules"):
        chosen(Settings(), "gpt")
