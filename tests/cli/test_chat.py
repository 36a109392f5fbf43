"""`mags chat` without panels, piped and typed, and how it is taken up again."""

import os
import pty
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from mags import inspect
from mags.memory.memory import Memory
from tests.cli.panels import chatting, opened, say, shown
from tests.models.chat.endpoint import Step, serving

CHAT = (sys.executable, "-m", "mags", "chat", "--speaker", "Ana")
WAIT_S = 120
SILENCE_S = 15


def piped(path: Path, lines: str, **env: str) -> subprocess.CompletedProcess[str]:
    """What `mags chat` says to lines that are piped in."""
    return subprocess.run(
        [*CHAT, "--memory", str(path)],
        input=lines,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        env={**os.environ, **env},
        check=False,
    )


def sessions(memory: Memory) -> list[tuple[str, str]]:
    """Session and words of every turn that was said, oldest first."""
    nodes = (memory.get(node) for change in inspect.changes(memory, 0) for node in change.added)
    return [(str(n.meta["session"]), n.text) for n in nodes if n.kind == "episode"]


def test_what_is_piped_in_is_answered_in_plain_text(tmp_path: Path):
    ended = piped(tmp_path / "m.mags", "I live in Oslo.\nWhere do I live?\n")
    noted, answer, *basis = ended.stdout.splitlines()
    assert noted == "Noted: Ana lives in Oslo."
    assert answer.startswith("Oslo — “Ana lives in Oslo.” [m")
    assert basis[-1].endswith("extractive · 0 calls, 0+0 tokens")
    assert not any(code < " " for code in ended.stdout if code != "\n")
    assert (ended.stderr, ended.returncode) == ("", 0)


def test_a_piped_line_that_fails_is_told_apart_and_by_the_exit_code(tmp_path: Path):
    path = tmp_path / "m.mags"
    ended = piped(
        path, "I live in Oslo.\n/back never\n/nonsense\nWhere do I live?\n/quit\n/stats\n"
    )
    assert ended.returncode == 2
    back, nonsense = ended.stderr.splitlines()
    assert back.startswith("no snapshot named 'never'")
    assert nonsense == "No such command; /help lists them."
    assert "\x1b" not in ended.stdout + ended.stderr
    assert "Oslo — “Ana lives in Oslo.”" in ended.stdout, "the lines after it are still answered"
    assert "episode" not in ended.stdout, "what comes after /quit is not read"


def test_a_file_that_is_no_memory_is_one_line_and_an_exit_code(tmp_path: Path):
    path = tmp_path / "m.mags"
    path.write_text("no memory")
    ended = piped(path, "I live in Oslo.\n")
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("mags: ")


def test_a_line_typed_without_panels_is_answered_word_by_word(tmp_path: Path):
    gate = threading.Semaphore(0)
    with serving() as server, typing(tmp_path / "m.mags", server.url) as (chat, terminal):
        server.steps = [Step(text="Oslo, you said.", gate=gate), Step(text="In Rome.", cut=2)]
        until_shown(terminal, "/help for commands")
        os.write(terminal, b"Where do I live?\n")
        for word in ("Oslo,", " you"):
            gate.release()
            assert "said." not in until_shown(terminal, word)
        gate.release()
        assert "said." in until_shown(terminal, "1 call")
        os.write(terminal, b"Where do I live?\n")
        assert "What to do" in until_shown(terminal, "Answered by extractive instead.")
        os.write(terminal, b"/nonsense\n/quit\n")
        until_shown(terminal, "No such command")
        assert chat.wait(WAIT_S) == 0, "who types has read what failed"


@contextmanager
def typing(path: Path, url: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """`mags chat --plain` in a terminal of its own, and that terminal."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "MAGS_CHAT_URL": url, "MAGS_POLICY": "rules", "COLUMNS": "200"}
    words = [*CHAT, "--plain", "--memory", str(path)]
    chat = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    try:
        yield chat, ours
    finally:
        chat.kill()
        chat.wait()
        os.close(ours)


def until_shown(terminal: int, words: str) -> str:
    """What a terminal shows, read until these words have come; fails where they do not."""
    read = b""
    while words.encode() not in read:
        ready, _, _ = select.select([terminal], [], [], SILENCE_S)
        assert ready, f"{words!r} never came after {read!r}"
        read += os.read(terminal, 4096)
    return read.decode(errors="replace")


def test_a_chat_is_taken_up_where_it_was_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "m.mags"

    async def first(pilot: Pilot[None]) -> None:
        assert shown(pilot) == ""
        await say(pilot, "I live in Oslo.", "/quit")

    async def again(pilot: Pilot[None]) -> None:
        assert shown(pilot) == "Ana: I live in Oslo."
        await say(pilot, "Where do I live?")
        assert "Oslo —" in shown(pilot)

    chatting(monkeypatch, path, first)
    chatting(monkeypatch, path, again)
    with opened(path) as memory:
        assert {session for session, _ in sessions(memory)} == {"chat 0"}
        assert [text for _, text in sessions(memory)][:2] == ["I live in Oslo.", "Where do I live?"]


def test_of_several_sessions_the_last_one_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "m.mags"
    with opened(path) as memory:
        memory.observe("I like rye.", speaker="Ana", session="zero")
        memory.observe("I live in Oslo.", speaker="Ana", session="one")
        memory.observe("I live in Rome.", speaker="Ana", session="two")
        memory.observe("I like tea.", speaker="Ana", session="one")

    async def unnamed(pilot: Pilot[None]) -> None:
        assert shown(pilot) == "Ana: I live in Oslo.\nAna: I like tea."
        await say(pilot, "I like figs.")

    async def named(pilot: Pilot[None]) -> None:
        assert shown(pilot) == "Ana: I live in Rome."
        await say(pilot, "I like plums.")

    chatting(monkeypatch, path, unnamed)
    chatting(monkeypatch, path, named, "--session", "two")
    with opened(path) as memory:
        assert sessions(memory)[-2:] == [("one", "I like figs."), ("two", "I like plums.")]


def test_what_was_taken_back_is_not_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "m.mags"

    async def first(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "I live in Rome.", "/undo")

    async def again(pilot: Pilot[None]) -> None:
        assert shown(pilot) == "Ana: I live in Oslo."

    chatting(monkeypatch, path, first)
    chatting(monkeypatch, path, again)


def test_the_last_turn_of_an_earlier_chat_can_be_taken_back_but_nothing_told_elsewhere_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "m.mags"

    async def told(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "I live in Rome.", "/sleep")

    async def again(pilot: Pilot[None]) -> None:
        await say(pilot, "/undo")
        assert "Took back the last turn and the sleep after it." in shown(pilot)
        await say(pilot, "I live in Bern.")

    async def later(pilot: Pilot[None]) -> None:
        await say(pilot, "/undo")
        assert "Nothing to undo." in shown(pilot)

    chatting(monkeypatch, path, told)
    chatting(monkeypatch, path, again)
    with opened(path) as memory:
        assert [fact.object for fact in memory.facts(current=True)] == ["Bern"]
        memory.observe("My sister Eva has a dog named Rex.", speaker="Ana")
    chatting(monkeypatch, path, later)
    with opened(path) as memory:
        assert "Rex" in {fact.object for fact in memory.facts(current=True)}


@pytest.mark.parametrize("agreed", [True, False])
def test_what_a_plain_sentence_asks_to_forget_goes_once_that_is_agreed_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agreed: bool
):
    path = tmp_path / "m.mags"
    asked: list[str] = []

    def sure(question: str) -> bool:
        asked.append(question)
        return agreed

    async def forgotten(pilot: Pilot[None]) -> None:
        pilot.app._talk.sure = sure
        await say(pilot, "I live in Oslo.", "My dentist is called Odd Berg.", "I like tea.")
        await say(pilot, "forget what I told you about my dentist")

    chatting(monkeypatch, path, forgotten)
    assert asked
    assert all("dentist" in question for question in asked)
    with opened(path) as memory:
        texts = [fact.text for fact in memory.facts(current=True)]
        assert any("Oslo" in text for text in texts)
        assert any("dentist" in text for text in texts) is not agreed


def test_forgetting_throws_away_the_trace_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "m.mags"
    trace = tmp_path / "m.mags.trace.json"

    async def asked(pilot: Pilot[None]) -> None:
        await say(pilot, "I live in Oslo.", "Where do I live?")

    async def forgotten(pilot: Pilot[None]) -> None:
        pilot.app._talk.sure = lambda _: True
        await say(pilot, "/forget Oslo")

    chatting(monkeypatch, path, asked)
    assert trace.exists()
    chatting(monkeypatch, path, forgotten)
    assert not trace.exists()
