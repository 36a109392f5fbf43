"""The chat with panels and language models: real ones over HTTP, as far as the chat can tell."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from mags.settings import Settings
from tests.cli.panels import chatting, drawn, opened, run, say, shown, type_in, until
from tests.models.chat.endpoint import Server, Step, serving

AFTER_S = 0.5
"""Until a model goes on that was still writing when the chat was left."""


def of(server: Server) -> Settings:
    """Settings by which that server's model answers, and gives up at once."""
    chat = replace(Settings().chat, url=server.url, model="tiny", tries=1)
    return replace(Settings(), chat=chat)


def test_words_stand_there_before_the_answer_is_whole():
    gate = threading.Semaphore(0)
    with serving() as server, opened(None, settings=of(server)) as memory:
        server.steps = [Step(text="Oslo, you said.", gate=gate)]

        async def what(pilot: Pilot[None]) -> None:
            await type_in(pilot, "Where do I live?")
            assert not shown(pilot).endswith("Oslo,")
            for whole in ("Oslo,", "Oslo, you"):
                gate.release()
                await until(pilot, lambda so_far=whole: shown(pilot).endswith(so_far))
            assert pilot.app._talk.last is None, "the turn is still under way"
            gate.release()
            await pilot.app.workers.wait_for_complete()
            await until(pilot, lambda: "Oslo, you said.\n  support" in shown(pilot))

        run(memory, what)


def test_to_leave_while_a_model_writes_keeps_what_was_said():
    gate = threading.Semaphore(0)
    with serving() as server, opened(None, settings=of(server)) as memory:
        server.steps = [Step(text="Noted with care.", gate=gate)]

        async def what(pilot: Pilot[None]) -> None:
            await type_in(pilot, "I live in Oslo.")
            gate.release()
            await until(pilot, lambda: shown(pilot).endswith("Noted"))
            await pilot.press("ctrl+q")
            await until(pilot, lambda: not pilot.app.is_running)
            threading.Timer(AFTER_S, gate.release, [5]).start()

        run(memory, what)
        assert [fact.object for fact in memory.facts()] == ["Oslo"]


@pytest.mark.parametrize("step", [Step(status=500, error="no"), Step(text="It is in", cut=2)])
def test_a_model_that_fails_is_told_and_what_was_said_is_kept(step: Step):
    with serving() as server, opened(None, settings=of(server)) as memory:
        server.steps = [step] * 2

        async def what(pilot: Pilot[None]) -> None:
            await say(pilot, "I live in Oslo.", "Where do I live?")
            assert shown(pilot).count("Answered by extractive instead.") == 2
            assert "Oslo —" in shown(pilot)
            assert "Oslo" in drawn(pilot, "#reason")

        run(memory, what)
        assert [fact.object for fact in memory.facts()] == ["Oslo"]
        assert server.steps == []


def test_a_model_given_by_name_answers_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with serving() as one, serving() as other:
        monkeypatch.setenv("MAGS_CHAT_URL", one.url)
        monkeypatch.setenv("MAGS_POLICY", "rules")
        one.steps = [Step(text="From the first.")]
        other.steps = [Step(text="From the second.")]

        async def what(pilot: Pilot[None]) -> None:
            await say(pilot, "I live in Oslo. Where do I live?")
            assert "From the first." in shown(pilot)
            await say(pilot, f"/model {other.url}#large", "Where do I live?")
            assert "From the second." in shown(pilot)
            assert "large at 127.0.0.1" in pilot.app.sub_title
            assert "Oslo" in drawn(pilot, "#reason"), "it is the same memory"
            await say(pilot, "/model gpt", "/model")
            assert "no model 'gpt'" in shown(pilot)
            assert "large at 127.0.0.1" in shown(pilot).splitlines()[-1]

        chatting(monkeypatch, tmp_path / "m.mags", what)
        assert len(one.requests) == 1
        assert [request["model"] for request in other.requests] == ["large"]
