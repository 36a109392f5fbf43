"""llama.cpp's own server over a GGUF, for tests."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

SERVE = """
import sys, threading
from xllamacpp import CommonAdapterLoraInfo, CommonParams, Server
params = CommonParams()
params.model.path, *adapters = sys.argv[1:]
params.lora_adapters = [CommonAdapterLoraInfo(path, 1.0) for path in adapters]
params.n_ctx = 1024
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = Server(params)
print(server.listening_address, flush=True)
threading.Event().wait()
"""


class LlamaCpp:
    """A running server; `url` is that of its API in OpenAI's manner."""

    def __init__(self, address: str) -> None:
        self.url = f"{address}/v1"
        self._client = httpx.Client(base_url=address, trust_env=False, timeout=60.0)

    def tokens(self, text: str) -> list[int]:
        """How it splits a text; control tokens are read as such."""
        given = {"content": text, "add_special": False, "parse_special": True}
        return list(self._sent("tokenize", given)["tokens"])

    def continued(self, ids: Sequence[int], limit: int) -> list[int]:
        """The likeliest tokens after some, with the one that ends them."""
        given = {"prompt": list(ids), "n_predict": limit, "temperature": 0.0, "return_tokens": True}
        return list(self._sent("completion", given)["tokens"])

    def _sent(self, path: str, given: dict[str, Any]) -> dict[str, Any]:
        answer = self._client.post(path, json=given).raise_for_status()
        return dict(answer.json())


@contextmanager
def llama_cpp_serving(model: Path, *adapters: Path) -> Iterator[LlamaCpp]:
    """A server of a model and of adapters over it, for the length of a block."""
    with (model.parent / "server.log").open("w+b") as log:
        command = [sys.executable, "-c", SERVE, *map(str, (model, *adapters))]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            assert address, Path(log.name).read_text(encoding="utf-8", errors="replace")
            yield LlamaCpp(address)
        finally:
            server.terminate()
            server.wait(30)
            server.stdout.close()
