import json
import math
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.errors import ModelError, ModelReplyError, ModelUnavailable
from mags.models.embed.openai import EmbeddingServer, OpenAIEmbedder, split_text

Answer = tuple[int, Any]


class Server:
    """A real HTTP server on the loopback that answers as told and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self.answer: Callable[[dict[str, Any]], Answer] = lambda asked: (200, vectors(asked))
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.asked.append(asked)
                server.headers.append(str(self.headers))
                status, reply = server.answer(asked)
                body = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def settings(self) -> EmbeddingServer:
        return EmbeddingServer(
            model="tiny", base_url=f"http://127.0.0.1:{self.http.server_port}/v1", retries=0
        )


def vectors(asked: dict[str, Any]) -> dict[str, Any]:
    """For each text (its length, 1), in reverse order, as a server may."""
    rows = [
        {"object": "embedding", "index": i, "embedding": [float(len(text)), 1.0]}
        for i, text in enumerate(asked["input"])
    ]
    return {"object": "list", "data": rows[::-1], "model": asked["model"], "usage": {}}


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    with running.http:
        Thread(target=running.http.serve_forever, args=(0.01,), daemon=True).start()
        yield running
        running.http.shutdown()


def test_texts_go_in_batches_and_come_back_in_order(server: Server) -> None:
    embedder = OpenAIEmbedder(replace(server.settings, batch_texts=2))

    rows = embedder.embed(["a", "bbb", "cc"])

    assert [asked["input"] for asked in server.asked] == [["a", "bbb"], ["cc"]]
    assert (rows[:, 0] / rows[:, 1]).tolist() == pytest.approx([1, 3, 2])


def test_the_dimension_is_found_by_the_first_call(server: Server) -> None:
    embedder = OpenAIEmbedder(server.settings)

    assert embedder.dimension == 2
    assert embedder.dimension == 2
    assert len(server.asked) == 1


def test_given_dimensions_are_asked_for_and_named(server: Server) -> None:
    embedder = OpenAIEmbedder(replace(server.settings, dimensions=2))

    assert (embedder.dimension, embedder.name) == (2, "openai:tiny:2")
    assert server.asked == []
    embedder.embed(["a"])
    assert server.asked[0]["dimensions"] == 2
    assert OpenAIEmbedder(server.settings).name == "openai:tiny"


def test_the_key_goes_to_the_server_and_the_account_of_the_environment_does_not(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "other")

    OpenAIEmbedder(replace(server.settings, api_key="sk-mine")).embed(["a"])

    assert "Bearer sk-mine" in server.headers[0]
    assert "other" not in server.headers[0]


def test_an_overloaded_server_is_asked_again(server: Server) -> None:
    answers = iter([(503, {}), (429, {})])
    server.answer = lambda asked: next(answers, (200, vectors(asked)))

    rows = OpenAIEmbedder(replace(server.settings, retries=2)).embed(["a"])

    assert rows.shape == (1, 2)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        ((500, {"error": {"message": "out of memory"}}), ModelUnavailable, "out of memory"),
        ((429, {"error": {"message": "slow down"}}), ModelUnavailable, "slow down"),
        ((401, {"error": {"message": "bad key"}}), ModelError, "refused.*bad key"),
        ((404, {"error": {"message": "no model tiny"}}), ModelError, "no model tiny"),
        ((400, {"error": {"message": "too long"}}), ModelError, "too long"),
        ((200, b"<html>It works!</html>"), ModelReplyError, "another form"),
        ((200, {"data": None}), ModelReplyError, "another form"),
        ((200, {"data": [{"index": 0}]}), ModelReplyError, "another form"),
        ((200, {"data": []}), ModelReplyError, "0 vectors"),
    ],
)
def test_each_failure_has_its_error(
    server: Server, answer: Answer, error: type[ModelError], told: str
) -> None:
    server.answer = lambda asked: answer

    with pytest.raises(error, match=told) as caught:
        OpenAIEmbedder(server.settings).embed(["a"])

    assert type(caught.value) is error
    assert server.settings.base_url in str(caught.value)


@pytest.mark.parametrize("row", [[0.0, 0.0], [math.nan, 1.0], [1.0, math.inf]])
def test_a_vector_with_no_direction_is_refused(server: Server, row: list[float]) -> None:
    server.answer = lambda asked: (200, {"data": [{"index": 0, "embedding": row}]})

    with pytest.raises(ModelReplyError, match="no direction"):
        OpenAIEmbedder(server.settings).embed(["a"])


def test_vectors_of_another_length_than_before_are_refused(server: Server) -> None:
    embedder = OpenAIEmbedder(server.settings)
    embedder.embed(["a"])
    server.answer = lambda asked: (200, {"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0]}]})

    with pytest.raises(ModelReplyError, match="expected length 2"):
        embedder.embed(["a"])


def test_nobody_listening_is_unavailable() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/v1"

        with pytest.raises(ModelUnavailable, match="is it running"):
            OpenAIEmbedder(EmbeddingServer(model="m", base_url=url, retries=0)).embed(["a"])


def test_a_silent_server_is_unavailable_after_the_timeout(server: Server) -> None:
    def late(asked: dict[str, Any]) -> Answer:
        time.sleep(0.5)
        return 200, vectors(asked)

    server.answer = late

    with pytest.raises(ModelUnavailable, match="does not answer"):
        OpenAIEmbedder(replace(server.settings, timeout_s=0.1)).embed(["a"])


def test_a_long_text_is_sent_in_pieces_and_averaged(server: Server) -> None:
    rows = OpenAIEmbedder(replace(server.settings, window_chars=100)).embed(["word " * 50, "a"])

    assert all(len(text) <= 100 for asked in server.asked for text in asked["input"])
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-6


@given(st.text(alphabet="ab \n", max_size=200), st.integers(8, 60))
def test_pieces_cover_the_text_within_the_window(text: str, window: int) -> None:
    pieces = split_text(text, window)

    if not text.strip():
        assert pieces == ["(empty)"]
        return
    assert all(len(piece) <= window for piece in pieces)
    reached = 0
    for piece in pieces:
        # Each piece begins no later than where the one before it ended.
        start = next(s for s in range(reached, -1, -1) if text.startswith(piece, s))
        reached = max(reached, start + len(piece))
    assert reached == len(text)
