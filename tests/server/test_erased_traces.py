"""What is forgotten leaves the traces that a server holds, whoever forgets it and by what way."""

import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mags.ports.chat import ChatSettings
from mags.server.auth import EVERYTHING, Scope
from mags.server.open_memories import OpenMemories
from mags.store.folder import FolderCatalog
from tests.models.chat.endpoint import Step
from tests.models.chat.endpoint import serving as model_serving
from tests.server.asking import ANSWER
from tests.server.serving import Served, open_memory, serving
from tests.server.test_mcp import ok, over_http, talk

FORGETS = """
import sys
import mags
from mags.settings import Settings
from tests.server.serving import EMBEDDER
for line in sys.stdin:
    path, word = line.split()
    with mags.open(path, settings=Settings(), embedder=EMBEDDER) as memory:
        memory.forget(word)
    print("done", flush=True)
"""
"""Another process on the same memory, as `mags forget` or another worker is."""
Forget = Callable[[str], None]


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", FORGETS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.stdin.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with model_serving() as model:
        model.steps = [Step(raw=ANSWER.encode()) for _ in range(1_000)]
        upstream = ChatSettings(url=model.url, model="tiny")
        with serving(tmp_path_factory.mktemp("erased"), upstream=upstream) as running:
            yield running


def held(served: Served) -> str:
    """All that the traces of a server hold, as one text."""
    memories = served.service.memories
    traces = [one.traces for one in memories._memories.values()] + list(memories._kept.values())
    return repr([one._known for one in traces])


def asked_of(served: Served, word: str) -> list[str]:
    """Tell a memory a word and ask for it in every way that leaves a trace; their ids."""
    traces: list[str] = []
    with served.client() as client:
        turn = {"text": f"I hid the {word} in Oslo.", "speaker": "Ana"}
        assert client.post("/memories/a/turns", json=turn).status_code == 201
        question = f"Where is the {word}?"
        asked = [
            client.post("/memories/a/recall", json={"query": question}),
            client.post("/memories/a/ask", json={"question": question}),
            client.post("/memories/a/converse", json={"text": question}),
        ]
        chat = {"messages": [{"role": "user", "content": question}], "user": "a"}
        traces.append(client.post("/v1/chat/completions", json=chat).json()["mags"]["trace"])
    traces += [one.json()["trace"] for one in asked]

    async def tools(client: Any) -> None:
        traces.append((await ok(client, "recall", query=question))["trace"])
        traces.append((await ok(client, "ask", question=question))["trace"])

    talk(over_http(served, memory="a"), tools)
    return traces


def ways(served: Served, elsewhere: subprocess.Popen[str]) -> dict[str, Forget]:
    """How a word may be forgotten."""
    path = served.service.settings.folder / "a.mags"

    def over_rest(word: str) -> None:
        with served.client() as client:
            assert client.post("/memories/a/forget", json={"what": word}).status_code == 200

    def over_tools(word: str) -> None:
        async def tools(client: Any) -> None:
            await ok(client, "forget", what=word, dry_run=False)

        talk(over_http(served, memory="a"), tools)

    def outside(word: str) -> None:
        elsewhere.stdin.write(f"{path} {word}\n")
        elsewhere.stdin.flush()
        assert elsewhere.stdout.readline() == "done\n"

    def outside_and_idle(word: str) -> None:
        outside(word)
        served.service.memories.catch_up()  # as the service does by itself, every half minute

    return {"HTTP": over_rest, "MCP": over_tools, "outside": outside, "idle": outside_and_idle}


@pytest.mark.parametrize("way", ["HTTP", "MCP", "outside", "idle"])
def test_no_trace_holds_a_word_that_was_forgotten(
    served: Served, elsewhere: subprocess.Popen[str], way: str
):
    word = "x" + secrets.token_hex(8)  # not in this file, so nothing else can hold it
    traces = asked_of(served, word)
    assert word in held(served)
    ways(served, elsewhere)[way](word)
    if way != "outside":  # without a request that would catch up
        assert word not in held(served)
    with served.client() as client:
        for trace in traces:
            shown = client.get(f"/memories/a/traces/{trace}")
            assert shown.status_code == 200
            assert word not in shown.text
    assert word not in held(served)


def test_a_trace_of_before_an_erasure_that_is_kept_after_it_has_no_words(folder: Path):
    memories = OpenMemories(FolderCatalog(folder), open_memory)
    word, there, gone = "Xyloquartz", threading.Event(), threading.Event()
    with memories.enter(EVERYTHING, "a", Scope.WRITE) as opened:
        opened.memory.observe(f"I hid the {word} in Oslo.")
    names: list[str] = []

    def recall() -> None:
        with memories.enter(EVERYTHING, "a", Scope.READ) as opened:
            found = opened.memory.recall(f"Where is the {word}?")
            there.set()
            assert gone.wait(30.0)
            names.append(opened.keep(found.trace))

    slow = threading.Thread(target=recall)
    slow.start()
    assert there.wait(30.0)
    with memories.enter(EVERYTHING, "a", Scope.WRITE) as opened:
        opened.memory.forget(word)
    gone.set()
    slow.join()
    with memories.enter(EVERYTHING, "a", Scope.READ) as opened:
        trace = opened.trace(names[0])
        assert trace.queries == ()
        assert trace.hits
    memories.close()


def test_traces_kept_over_a_change_of_the_model_hold_no_words(folder: Path):
    memories = OpenMemories(FolderCatalog(folder), open_memory)
    with memories.enter(EVERYTHING, "a", Scope.WRITE) as opened:
        opened.memory.observe("I hid the amulet in Oslo.")
        name = opened.keep(opened.memory.recall("Where is the amulet?").trace)
    memories.renew(open_memory)
    with memories.enter(EVERYTHING, "a", Scope.READ) as opened:
        assert opened.trace(name).queries == ()
    memories.close()
