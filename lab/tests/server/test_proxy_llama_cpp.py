"""The proxy before llama.cpp's own server, with a small Llama of random weights as GGUF.

Needs the extras `server`, `train` and `gguf`; run by `make test-full`.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import openai
import pytest

for library in ("torch", "transformers", "gguf", "llama_cpp", "llama_cpp.server", "uvicorn"):
    pytest.importorskip(library, reason="needs pip install '.[server]' './lab[train,gguf]'")

import torch  # noqa: E402

from lab.tests.training.large import families  # noqa: E402
from mags.ports.chat import ChatSettings  # noqa: E402
from mags_lab.training.evaluate.trained import to_gguf  # noqa: E402
from tests.server.serving import serving  # noqa: E402
from tests.server.test_proxy import client_of, episodes  # noqa: E402

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]
READY_S = 90.0
TOLD = [{"role": "user", "content": "I live in Porto."}]
ASKED = [{"role": "user", "content": "Where do I live?"}]


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatSettings]:
    """llama-cpp-python's server over random weights; it has learned nothing, but it talks."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("llama")
    path = to_gguf(families.folder("llama", folder / "model"), folder / "model.gguf")
    port = free_port()
    given = ["--model", path, "--host", "127.0.0.1", "--port", port, "--n_ctx", 1024]
    command = [sys.executable, "-m", "llama_cpp.server", *map(str, given), "--n_threads", "1"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/v1"
    ends = time.monotonic() + READY_S
    try:
        while not _answers(url):
            assert server.poll() is None, (folder / "server.log").read_text(errors="replace")
            assert time.monotonic() < ends
            time.sleep(0.3)
        yield ChatSettings(url=url, model="small")
    finally:
        server.terminate()
        server.wait(30)


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/models", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


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
