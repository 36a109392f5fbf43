"""Whatever is sent by a client or by a model's server: no 5xx but a clear 502 of the upstream."""

import json
from collections.abc import Iterator

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mags.ports.chat import ChatSettings
from tests.models.chat.endpoint import Server, Step
from tests.models.chat.endpoint import serving as model_serving
from tests.server.asking import ANSWER
from tests.server.serving import Served, serving

CHAT, EMBED = "/v1/chat/completions", "/v1/embeddings"
SSE = "text/event-stream"
HEADERS = {"Accept": f"application/json, {SSE}", "Content-Type": "application/json"}
FUZZ = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

SCALAR = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
    | st.sampled_from(["\ud800", "\x00", "NaN", "[m1]", "data: [DONE]", "</s>"])
)  # fmt: skip
JSON = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)


def near(fields: dict[str, st.SearchStrategy]) -> st.SearchStrategy:
    """Objects with fields as they should be, or anything, or not there at all; and others."""
    known = st.fixed_dictionaries({}, optional={k: v | JSON for k, v in fields.items()})
    return st.builds(lambda a, b: {**b, **a}, known, st.dictionaries(st.text(), JSON, max_size=2))


MESSAGE = near(
    {
        "role": st.sampled_from(["system", "developer", "user", "assistant", "tool"]),
        "content": st.text(max_size=60)
        | st.lists(near({"type": st.just("text"), "text": st.text(max_size=20)}), max_size=3),
        "tool_calls": st.lists(near({"id": st.text(max_size=4)}), max_size=2),
        "name": st.text(max_size=5),
    }
)
COMPLETION = near(
    {
        "messages": st.lists(MESSAGE, max_size=4),
        "model": st.text(max_size=8),
        "stream": st.just(False),
        "user": st.sampled_from(["ana", "bo.1", "", "a/b", "../x"]) | st.text(max_size=8),
        "temperature": st.floats(),
    }
)
EMBEDDING = near(
    {
        "input": st.text(max_size=20) | st.lists(st.text(max_size=20), max_size=3),
        "encoding_format": st.sampled_from(["float", "base64"]),
        "dimensions": st.integers(),
        "model": st.text(max_size=5),
    }
)


@pytest.fixture(scope="module")
def model() -> Iterator[Server]:
    with model_serving() as running:
        yield running


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory, model: Server) -> Iterator[Served]:
    upstream = ChatSettings(url=model.url, model="tiny", connect_s=2.0, timeout_s=5.0)
    with serving(tmp_path_factory.mktemp("fuzzed"), upstream=upstream) as running:
        yield running


@pytest.fixture(scope="module")
def http(fuzzed: Served) -> Iterator[httpx.Client]:
    with fuzzed.client() as client:
        client.post("/memories/default/turns", json={"text": "Ana lives in Porto."})
        yield client


def sent(http: httpx.Client, path: str, body: object) -> httpx.Response:
    # As other languages write it: NaN and halves of characters go over the line as they are.
    content = json.dumps(body).encode()
    return http.post(path, content=content, headers=HEADERS)


@FUZZ
@given(body=COMPLETION | JSON)
def test_no_completion_that_is_asked_for_breaks_the_proxy(
    http: httpx.Client, model: Server, body: object
):
    model.steps = [Step(raw=ANSWER.encode())]
    answer = sent(http, CHAT, body)
    assert answer.status_code in (200, 400), (answer.status_code, answer.text)


@FUZZ
@given(body=EMBEDDING | JSON)
def test_no_embedding_that_is_asked_for_breaks_the_proxy(http: httpx.Client, body: object):
    answer = sent(http, EMBED, body)
    assert answer.status_code in (200, 400), (answer.status_code, answer.text)


@FUZZ
@given(
    raw=st.binary(max_size=60)
    | JSON.map(lambda one: json.dumps(one).encode())
    | near({"choices": st.lists(near({"message": MESSAGE, "delta": MESSAGE}), max_size=2)}).map(
        lambda one: json.dumps(one).encode()
    ),
    media=st.sampled_from(["application/json", SSE, "text/html"]),
    stream=st.booleans(),
)
def test_nothing_that_a_models_server_says_breaks_the_proxy(
    http: httpx.Client, model: Server, raw: bytes, media: str, stream: bool
):
    framed = b"data: " + raw + b"\n\ndata: [DONE]\n\n" if media == SSE else raw
    model.steps = [Step(raw=framed, content_type=media)]
    said = {"messages": [{"role": "user", "content": "Hello"}], "stream": stream}
    answer = sent(http, CHAT, said)
    assert answer.status_code in (200, 502), (answer.status_code, answer.text)


@FUZZ
@given(raw=st.binary(max_size=200), path=st.sampled_from([CHAT, EMBED]))
def test_no_bytes_break_anything(http: httpx.Client, raw: bytes, path: str):
    answer = http.post(path, content=raw, headers=HEADERS)
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text)


def test_after_all_that_the_server_answers_as_before(http: httpx.Client, fuzzed: Served):
    found = http.post("/memories/default/recall", json={"query": "Where does Ana live?"})
    assert found.status_code == 200
    assert '"status": 500' not in fuzzed.log.getvalue()
