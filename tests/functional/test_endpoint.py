"""A memory that talks through a language model over HTTP, from the settings alone."""

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import mags
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.ports.chat import estimate_prompt
from mags.settings import read_settings
from tests.memory.replaying import assert_whole
from tests.models.chat.endpoint import Server, Step, tool_call

WROTE = Step(text="<engram>\nADD | Alice | lives in | Oslo\n</engram>")
PLANNED = Step(text="<recall>\nAlice lives in\nentities: Alice\nkind: place\n</recall>")
MOST_TOKENS = 2_300
"""Of the prompts of a question."""


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def connected(server: Server, tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Open a memory as the environment says, with an endpoint that answers by script."""
    held: list[Memory] = []

    def make(**environment: str) -> Memory:
        given = {"MAGS_CHAT_URL": server.url, "MAGS_CHAT_MODEL": "tiny"} | environment
        memory = mags.open(
            tmp_path / "m.mags", embedder=HashEmbedder(64), settings=read_settings(given)
        )
        held.append(memory)
        return memory

    yield make
    for memory in held:
        memory.close()


def dead_url() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def told(server: Server, memory: Memory) -> int:
    """The turn that told where Alice lives."""
    server.steps.append(WROTE)
    seen = memory.observe("I moved to Oslo.", speaker="Alice", at="2024-05-03", session="s")
    assert [memory.get(i).fact.object for i in seen.facts] == ["Oslo"]
    return seen.episode_id


def tokens(request: dict[str, Any]) -> int:
    return estimate_prompt(message["content"] or "" for message in request["messages"])


def test_a_model_writes_and_answers_with_citations_a_call_each(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    turn = told(server, memory)
    server.steps += [Step(text=f"Alice lives in Oslo. [m{turn}]")]
    pieces: list[str] = []
    reply = memory.ask("Where does Alice live?", on_text=pieces.append)
    assert reply.text == f"Alice lives in Oslo. [m{turn}]"
    assert [c.id for c in reply.citations] == [turn]
    assert "".join(pieces) == reply.text
    assert (reply.fallback, reply.warnings) == (None, ())
    assert reply.usage.calls == 1
    assert memory.get(turn).uses >= 1
    assert len(server.requests) == 2
    assert "response_format" in server.requests[0]
    assert_whole(memory)


def test_a_model_may_recall_again_while_it_thinks(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    turn = told(server, memory)
    again = tool_call("recall", '{"queries": ["Alice Oslo"], "query": "Alice Oslo"}')
    server.steps += [
        Step(tool_calls=[again], finish="tool_calls"),
        Step(text=f"She lives in Oslo. [m{turn}]"),
    ]
    reply = memory.ask("Where does Alice live?")
    assert [c.id for c in reply.citations] == [turn]
    assert "Oslo" in str(server.requests[-1]["messages"])
    assert server.steps == []


def test_a_plan_that_a_question_needs_leaves_one_call_to_answer(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    turn = told(server, memory)
    server.steps += [PLANNED, Step(text=f"She lives in Oslo. [m{turn}]")]
    reply = memory.ask("Where does she live?", session="s")
    assert reply.usage.calls == 2
    assert "tools" not in server.requests[-1]
    assert server.steps == []


def test_a_plan_that_fails_is_told_and_the_small_one_serves(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    turn = told(server, memory)
    server.steps += [Step(text="Let me see."), Step(text=f"In Oslo. [m{turn}]")]
    reply = memory.ask("Where does she live?", session="s")
    assert reply.usage.calls == 2
    assert "Planned by" in str(reply.warnings)
    assert reply.fallback is None


def test_without_a_talk_that_a_pronoun_could_mean_no_plan_is_asked_for(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    turn = told(server, memory)
    server.steps.append(Step(text=f"In Oslo. [m{turn}]"))
    reply = memory.ask("Where does she live?", session="another")
    assert (reply.usage.calls, reply.warnings) == (1, ())


def test_a_turn_is_written_beside_who_told_what_and_when_and_what_shares_its_words(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    foods = ("paella", *(f"dish {word}" for word in "bdfghjklmnpqrstvwxz"))
    for n, food in enumerate(foods):
        line = f"ADD | Alice | cooks | {food} | with=Ana"
        server.steps.append(Step(text=f"<engram>{line}</engram>"))
        text = f"Ana and I cook {food}."
        memory.observe(text, speaker="Alice", at=f"2024-05-{n + 1:02}", session=str(n))
    server.steps.append(Step(text="<engram>none</engram>"))
    memory.observe("No more paella for me.", speaker="Alice", session="new")
    *_, shown = server.requests[-1]["messages"]
    assert "(Alice, Wednesday 1 May 2024) Alice cooks paella. (with: Ana)" in shown["content"]
    assert "Alice cooks dish z." in shown["content"]
    assert "Alice cooks dish b." not in shown["content"]


def test_many_turns_are_written_together_within_a_session_and_each_keeps_its_own(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    names = ("Oslo", "Bergen", "Rome", "Turin", "Lima", "Quito", "Accra")
    turns = [
        {"text": f"I like {name}.", "speaker": "Alice", "session": "a" if n < 4 else "b"}
        for n, name in enumerate(names)
    ]
    for batch in (names[:4], names[4:]):
        lines = [f"{n} | ADD | Alice | likes | {x}" for n, x in enumerate(batch, start=1)]
        server.steps.append(Step(text="\n".join(("<engram>", *lines, "</engram>"))))
    seen = memory.observe_many(turns)
    assert [memory.get(one.facts[0]).fact.object for one in seen] == list(names)
    assert len(server.requests) == 2
    asked = server.requests[1]["messages"][-1]["content"]
    assert "Remembered:\n[m" in asked
    assert "\n3. Alice: I like Accra." in asked
    assert_whole(memory)


def test_a_pronoun_that_nobody_is_found_for_is_told(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    server.steps.append(Step(text="<engram>ADD | Ana | loves | him</engram>"))
    seen = memory.observe("Ana loves him.", speaker="Alice")
    assert seen.facts == ()
    assert seen.warnings == ("left out 'Ana loves him': object unknown",)


def test_only_what_the_model_says_is_over_ends(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    first = "ADD | Ana | has friend | Rachel\nUPDATE | Rachel | lives in | Chicago"
    then = "UPDATE | Rachel | lives in | suburbs"
    server.steps += [Step(text=f"<engram>\n{lines}\n</engram>") for lines in (first, then)]
    memory.observe(
        "I will visit my friend Rachel, who moved to Chicago.", speaker="Ana", at="2024-01-01"
    )
    seen = memory.observe(
        "My friend Rachel moved back to the suburbs again.", speaker="Ana", at="2024-03-01"
    )
    assert [memory.get(i).text for i in seen.closed] == ["Rachel lives in Chicago."]


def test_a_line_that_is_refused_costs_no_other_and_the_warning_names_it(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    lines = "ADD | Alice | lives in | Paris\nADD | Alice | lives in | Oslo"
    server.steps.append(Step(text=f"<engram>\n{lines}\n</engram>"))
    seen = memory.observe("I moved to Oslo.", speaker="Alice")
    assert [f.object for f in memory.facts("Alice")] == ["Oslo"]
    (warning,) = seen.warnings
    assert "Paris" in warning
    assert "invented" in warning


def test_each_question_is_told_its_own_usage_whoever_asks_beside_it(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    turn = told(server, memory)
    server.steps += [Step(text=f"Oslo. [m{turn}]", hang_s=0.2) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda _: memory.ask("Where does Alice live?"), range(6)))
    assert [one.usage.calls for one in replies] == [1] * 6
    assert {one.usage.prompt_tokens for one in replies} == {11}


@pytest.mark.parametrize("mode", ["chat", "manager"])
def test_a_question_over_a_long_talk_keeps_to_its_tokens(
    server: Server, connected: Callable[..., Memory], mode: str
) -> None:
    memory = connected(MAGS_POLICY="rules", MAGS_ANSWER=mode)
    memory.observe_many(
        [
            {"text": f"Day {n} in Oslo was fine. " * (1 + n % 9), "session": f"s{n // 8}"}
            for n in range(160)
        ]
    )
    server.steps.append(Step(text="I don't know."))
    memory.ask("How was day 7 in Oslo?", session="new")
    assert 1_500 < tokens(server.requests[-1]) <= MOST_TOKENS


def test_in_manager_mode_every_prompt_meets_a_fresh_model(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected(MAGS_ANSWER="manager")
    turn = told(server, memory)
    for question in ("Where does Alice live?", "Since when?"):
        server.steps += [Step(text=f"In Oslo, since May. [m{turn}]")]
        memory.ask(question, session="s")
    answered = [r for r in server.requests if "one question" in str(r["messages"][0])]
    assert len(answered) == 2
    for request in answered:
        assert [m["role"] for m in request["messages"]] == ["system", "user"]
        assert "I moved to Oslo." in str(request["messages"])


def test_a_whole_turn_is_routed_answered_and_remembered(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    turn = told(server, memory)
    server.steps += [
        Step(text=f"Alice lives in Oslo. [m{turn}]"),
        Step(text="<engram>\nnone\n</engram>"),
    ]
    reply = memory.converse("Where does Alice live?", speaker="Bob", session="s")
    assert "Oslo" in reply.text
    assert [h.text for h in memory._live.state.words(memory._live.state.episodes.recent(2))] == [
        "Where does Alice live?",
        f"Alice lives in Oslo. [m{turn}]",
    ]
    assert server.steps == []


def test_of_nonsense_from_the_model_the_small_reader_takes_over_and_it_is_told(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected(MAGS_POLICY="prompted")
    server.steps += [Step(text="In verse I answer")]
    seen = memory.observe("I moved to Oslo.", speaker="Alice")
    assert memory.get(seen.episode_id).text == "I moved to Oslo."
    assert [f.object for f in memory.facts("Alice")] == ["Oslo"]
    assert "no line of a known form" in str(seen.warnings)
    assert_whole(memory)


def test_a_dead_endpoint_is_named_and_the_embedded_answerer_stands_in(
    connected: Callable[..., Memory], tmp_path: Path
) -> None:
    url = dead_url()
    memory = connected(MAGS_CHAT_URL=url)
    seen = memory.observe("I live in Oslo.", speaker="Alice", key="k")
    assert memory.get(seen.episode_id).text == "I live in Oslo."
    assert [f.object for f in memory.facts("Alice")] == ["Oslo"]
    place = url.removeprefix("http://").removesuffix("/v1")
    assert place in str(seen.warnings)
    reply = memory.ask("Where does Alice live?")
    assert "Oslo" in reply.text
    assert reply.citations
    assert place in str(reply.fallback)
    assert place in str(reply.warnings)
    assert_whole(memory)


def test_a_model_that_fails_is_told_where_a_turn_only_tells_something_too(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected(MAGS_POLICY="rules")
    server.steps += [Step(status=401)]
    reply = memory.converse("I live in Oslo.", speaker="Alice", session="s")
    assert reply.text == "Noted: Alice lives in Oslo."
    assert "set MAGS_CHAT_KEY" in str(reply.fallback)
    assert server.steps == []


def test_an_embedder_of_another_dimension_is_refused(tmp_path: Path) -> None:
    class Wider(HashEmbedder):
        name = HashEmbedder(64).name

    settings = read_settings({})
    mags.open(tmp_path / "a.mags", embedder=HashEmbedder(64), settings=settings).close()
    with pytest.raises(mags.EmbedderMismatch, match="dimension"):
        mags.open(tmp_path / "a.mags", embedder=Wider(32), settings=settings)
