"""The proxy before llama.cpp's own server, with a small Llama of random weights as GGUF.

Needs the extras `server`, `train` and `gguf`; run by `make test-full`.
"""

from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

for library in ("torch", "transformers", "gguf", "xllamacpp", "uvicorn"):
    pytest.importorskip(library, reason="needs pip install '.[server]' './lab[train,gguf]'")

import torch  # noqa: E402

from lab.tests.server.gguf_server import llama_cpp_serving  # noqa: E402
from lab.tests.training.large import families  # noqa: E402
from mags.ports.chat import ChatSettings  # noqa: E402
from mags_lab.training.evaluate.trained import to_gguf  # noqa: E402
from tests.server.serving import serving  # noqa: E402
from tests.server.test_proxy import client_of, episodes  # noqa: E402

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]
TOLD = [{"role": "user", "content": "I live in Porto."}]
ASKED = [{"role": "user", "content": "Where do I live?"}]


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatSettings]:
    """llama.cpp's server over random weights; it has learned nothing, but it talks."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("llama")
    path = to_gguf(families.folder("llama", folder / "model"), folder / "model.gguf")
    with llama_cpp_serving(path) as server:
        yield ChatSettings(url=server.url, model="small")


def test_llama_cpp_is_asked_with_what_is_remembered(tmp_path: Path, upstream: ChatSettings):
    with serving(tmp_path, upstream=upstream) as served, client_of(served) as client:
        assert client.models.list().data
        made = client.chat.completions
        first = made.create(model="small", messages=TOLD, max_tokens=8, temperature=0.0)
        assert first.choices[0].message.role == "assistant"
        answer = made.create(model="small", messages=ASKED, max_tokens=8, temperature=0.0)
        assert answer.usage.completion_tokens <= 8
        assert answer.usage.prompt_tokens > first.usage.prompt_tokens
        assert any("Porto" in one["text"] for one in answer.model_extra["mags"]["citations"])
        said = [m["content"] for m in (*TOLD, *ASKED)]
        assert [text for text in episodes(served) if text in said] == said


def test_llama_cpp_streams_through_the_proxy(tmp_path: Path, upstream: ChatSettings):
    with serving(tmp_path, upstream=upstream) as served, client_of(served) as client:
        made = client.chat.completions
        whole = made.create(model="small", messages=TOLD, max_tokens=8, temperature=0.0, user="a")
        stream = made.create(
            model="small", messages=TOLD, max_tokens=8, temperature=0.0, user="b", stream=True
        )
        chunks = list(stream)
        words = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
        assert words == (whole.choices[0].message.content or "")
        assert chunks[-1].model_extra["mags"]["memory"] == "b"


def test_what_llama_cpp_refuses_comes_through(tmp_path: Path, upstream: ChatSettings):
    with serving(tmp_path, upstream=upstream) as served, client_of(served) as client:
        long = [{"role": "user", "content": "geese " * 3_000}]
        with pytest.raises(openai.APIStatusError) as caught:
            client.chat.completions.create(model="small", messages=long)
        assert 400 <= caught.value.status_code < 500
