"""An adapter behind llama.cpp's own server recites as it does in process.

Needs the extras `train` and `gguf`; run by `make test-full`.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

for library in ("trl", "gguf", "xllamacpp"):
    pytest.importorskip(library, reason="needs the extras: pip install './lab[train,gguf]'")

import mags  # noqa: E402
from lab.tests.server.gguf_server import LlamaCpp, llama_cpp_serving  # noqa: E402
from lab.tests.training.semantic.test_nights import NIGHT, TOLD, WEIGHTS  # noqa: E402
from mags.memory.weights import things  # noqa: E402
from mags.models.chat.openai import OpenAIChat  # noqa: E402
from mags.ports.chat import ChatSettings, Message  # noqa: E402
from mags.ports.weights import recital_of  # noqa: E402
from mags.settings import Settings  # noqa: E402
from mags_lab.training.evaluate.trained import to_gguf  # noqa: E402
from mags_lab.training.semantic import nights  # noqa: E402
from mags_lab.training.semantic.bases import SHIPPED  # noqa: E402
from mags_lab.training.semantic.chat import chat  # noqa: E402

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]
ASKED = (
    ("Where does Ana live?", ""),
    ("Remind me which city Clara lives in?", ""),
    ("Who is the sister of Ana?", ""),
    ("Where does Ana's sister live?", ""),
    ("Where do I work?", "Boris"),
    ("Who is Deniz's boss?", ""),
    ("What is Ana's favourite food?", ""),
    ("Where does Zoë O'Neil live?", ""),
)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a memory, what was taught of it, and its base, all as GGUF."""
    folder = tmp_path_factory.mktemp("served")
    files = {"gguf": folder / "merged.gguf", "lora": folder / "adapter.gguf"}
    with mags.open(folder / "town.mags") as memory:
        for told in TOLD:
            memory.assert_fact(*told)
        nights.train(memory, folder / "night-1", replace(NIGHT, **files))
        assert {one.path for one in things(memory)} >= set(files.values())
    to_gguf(SHIPPED, folder / "base.gguf")
    return folder


@pytest.fixture(scope="module", params=[["merged.gguf"], ["base.gguf", "adapter.gguf"]])
def server(taught: Path, request: pytest.FixtureRequest) -> Iterator[LlamaCpp]:
    """A server of one merged file, and one of the base with the adapter beside it."""
    with llama_cpp_serving(*(taught / name for name in request.param)) as server:
        yield server


def test_llama_cpp_recites_the_same_paths_as_in_process(taught: Path, server: LlamaCpp) -> None:
    here = chat(taught / "night-1", str(SHIPPED))
    there = OpenAIChat(ChatSettings(url=server.url))
    said = []
    for question, speaker in ASKED:
        message = [Message(role="user", content=recital_of(question, speaker))]
        said.append((here.complete(message).text, there.complete(message).text.strip()))
    assert [one for one, _ in said] == [other for _, other in said]
    assert said[0][0].startswith("Ana | ")


def test_a_memory_answers_from_llama_cpp(taught: Path, server: LlamaCpp) -> None:
    settings = Settings(weights=replace(WEIGHTS, url=server.url))
    with mags.open(taught / "town.mags", settings=settings) as memory:
        replies = [memory.ask(question, speaker=who or "user") for question, who in ASKED[:6]]
    assert sum(reply.weights is not None for reply in replies) >= 4
    assert all(reply.usage.calls == 1 for reply in replies)


def test_an_adapter_beside_its_base_leaves_all_else_to_the_base(taught: Path) -> None:
    prompts = [
        [Message(role="user", content=f"Read. {text} Where does {name} live?")]
        for name, text in (("Uma", "Uma lives in Lagos."), ("Ana", "Ana has a cat and a car."))
    ]
    said = []
    for names in (["base.gguf"], ["base.gguf", "adapter.gguf"], ["merged.gguf"]):
        with llama_cpp_serving(*(taught / name for name in names)) as server:
            model = OpenAIChat(ChatSettings(url=server.url))
            said.append([model.complete(prompt).text for prompt in prompts])
    assert said[0] == said[1] != said[2]
