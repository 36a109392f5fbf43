"""A memory that talks through a language model over HTTP, from the settings alone."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mags
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.settings import read_settings
from tests.memory.replaying import assert_whole
from tests.models.chat.endpoint import Server, Step, tool_call

WROTE = Step(text="<engram>\nADD | Alice | lives in | Oslo\n</engram>")
PLANNED = Step(text="<recall>\nAlice lives in\nentities: Alice\nkind: place\n</recall>")
ROUTED = Step(text="<route> recall </route>")


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
    server.steps.append(WROTE)
    seen = memory.observe("I moved to Oslo.", speaker="Alice", at="2024-05-03", session="s")
    assert [memory.get(i).fact.object for i in seen.facts] == ["Oslo"]
    return seen.facts[0]


def test_a_model_writes_plans_and_answers_with_citations(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    fact = told(server, memory)
    server.steps += [PLANNED, ROUTED, Step(text=f"Alice lives in Oslo. [m{fact}]")]
    pieces: list[str] = []
    reply = memory.ask("Where does Alice live?", on_text=pieces.append)
    assert reply.text == f"Alice lives in Oslo. [m{fact}]"
    assert [c.id for c in reply.citations] == [fact]
    assert "".join(pieces) == reply.text
    assert (reply.fallback, reply.warnings) == (None, ())
    assert reply.usage.calls >= 1
    assert memory.get(fact).uses >= 1
    assert len(server.requests) == 4
    assert_whole(memory)


def test_a_model_may_recall_again_while_it_thinks(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected()
    fact = told(server, memory)
    again = tool_call("recall", '{"queries": ["Alice Oslo"], "query": "Alice Oslo"}')
    server.steps += [
        Step(text="<recall>\nweather\n</recall>"),
        ROUTED,
        Step(tool_calls=[again], finish="tool_calls"),
        Step(text=f"She lives in Oslo. [m{fact}]"),
    ]
    reply = memory.ask("Where does she live?")
    assert [c.id for c in reply.citations] == [fact]
    assert "Oslo" in str(server.requests[-1]["messages"])
    assert server.steps == []


def test_in_manager_mode_every_prompt_meets_a_fresh_model(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected(MAGS_ANSWER="manager")
    fact = told(server, memory)
    for question in ("Where does Alice live?", "Since when?"):
        server.steps += [PLANNED, ROUTED, Step(text=f"In Oslo, since May. [m{fact}]")]
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
    fact = told(server, memory)
    server.steps += [
        ROUTED,
        PLANNED,
        ROUTED,
        Step(text=f"Alice lives in Oslo. [m{fact}]"),
        Step(text="<engram>\nnone\n</engram>"),
    ]
    reply = memory.converse("Where does Alice live?", speaker="Bob", session="s")
    assert "Oslo" in reply.text
    assert [h.text for h in memory._live.state.words(memory._live.state.episodes.recent(2))] == [
        "Where does Alice live?",
        f"Alice lives in Oslo. [m{fact}]",
    ]
    assert server.steps == []


def test_nonsense_from_the_model_costs_no_turn(
    server: Server, connected: Callable[..., Memory]
) -> None:
    memory = connected(MAGS_POLICY="prompted")
    server.steps += [Step(text="In verse I answer"), Step(text="and again in verse")]
    seen = memory.observe("I moved to Oslo.", speaker="Alice")
    assert memory.get(seen.episode_id).text == "I moved to Oslo."
    assert_whole(memory)


def test_a_dead_endpoint_is_named_and_the_embedded_answerer_stands_in(
    connected: Callable[..., Memory], tmp_path: Path
) -> None:
    url = dead_url()
    memory = connected(MAGS_CHAT_URL=url)
    seen = memory.observe("I live in Oslo.", speaker="Alice", key="k")
    assert memory.get(seen.episode_id).text == "I live in Oslo."
    assert [f.object for f in memory.facts("Alice")] == ["Oslo"]
    reply = memory.ask("Where does Alice live?")
    assert "Oslo" in reply.text
    assert reply.citations
    assert url.removeprefix("http://").removesuffix("/v1") in str(reply.fallback)
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
