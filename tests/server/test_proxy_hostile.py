"""The proxy between a hostile client and a hostile model's server: clear errors, nothing lost."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import openai
import pytest

from mags.errors import StoreFull
from mags.memory.memory import Memory
from mags.ports.chat import ChatSettings
from tests.models.chat.endpoint import Server, Step, tool_call
from tests.server.serving import Served, serving
from tests.server.test_proxy import ASKED, TOLD, client_of, episodes

PATH = "/v1/chat/completions"
SSE = "text/event-stream"


@pytest.fixture
def served(folder: Path, model: Server) -> Iterator[Served]:
    upstream = ChatSettings(url=model.url, model="tiny", connect_s=1.0, timeout_s=2.0)
    with serving(folder, upstream=upstream) as running:
        yield running


@pytest.fixture
def http(served: Served) -> Iterator[httpx.Client]:
    with served.client() as found:
        yield found


def streamed(*contents: str, end: bool = True) -> Step:
    """A stream of raw UTF-8 chunks with these contents, as llama.cpp's server sends them."""
    chunks = [
        f'data: {{"choices": [{{"index": 0, "delta": {{"content": {c}}}}}]}}' for c in contents
    ]
    lines = [*chunks, "data: [DONE]"] if end else chunks
    return Step(raw="".join(f"{line}\r\n\r\n" for line in lines).encode(), content_type=SSE)


@pytest.mark.parametrize("value", ["NaN", "1e999", '"\\ud800"', "[" * 300 + "]" * 300, "9" * 5_000])
def test_what_cannot_be_sent_on_is_refused(http: httpx.Client, value: str):
    body = f'{{"messages": [{{"role": "user", "content": "x"}}], "seed": {value}}}'
    assert http.post(PATH, content=body).status_code == 400


@pytest.mark.parametrize("stream", ["true", 1, {}])
def test_a_stream_that_is_neither_true_nor_false_is_refused(http: httpx.Client, stream: object):
    assert http.post(PATH, json={"messages": TOLD, "stream": stream}).status_code == 400


@pytest.mark.parametrize("raw", [b'{"choices": [], "a": NaN}', b'{"a": "\\ud800"}', b"[" * 50_000])
def test_an_answer_that_json_cannot_hold_is_a_bad_gateway(
    http: httpx.Client, model: Server, raw: bytes
):
    model.steps = [Step(raw=raw)]
    assert http.post(PATH, json={"messages": TOLD}).status_code == 502


def test_a_stream_of_nonsense_is_a_bad_gateway(http: httpx.Client, model: Server):
    model.steps = [streamed("[" * 50_000)]
    assert http.post(PATH, json={"messages": TOLD, "stream": True}).status_code == 502


def test_a_line_without_end_is_cut_off(
    http: httpx.Client, model: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("mags.server.proxy.upstream.LINE_BYTES", 1_000)
    monkeypatch.setattr("mags.server.proxy.upstream.MOST_BYTES", 1_000)
    model.steps = [Step(raw=b"x" * 5_000, content_type=SSE), Step(raw=b" " * 5_000)]
    for stream in (True, False):
        answer = http.post(PATH, json={"messages": TOLD, "stream": stream})
        assert answer.status_code == 502
        assert "1,000 bytes" in answer.json()["error"]["message"]


def test_a_line_ends_only_where_the_format_says_so(served: Served, model: Server):
    words = "one\u2028two\x85three"
    model.steps = [streamed(json.dumps(words, ensure_ascii=False))]
    with client_of(served) as client:
        chunks = list(client.chat.completions.create(model="t", messages=TOLD, stream=True))
    assert chunks[0].choices[0].delta.content == words
    assert len(episodes(served)) == 2


def test_a_character_in_two_chunks_is_remembered_whole(http: httpx.Client, served: Served, model):
    model.steps = [streamed('"A goose \\ud83e"', '"\\udebf."')]
    answer = http.post(PATH, json={"messages": TOLD, "stream": True})
    assert answer.text.endswith("data: [DONE]\n\n")
    assert episodes(served)[-1] == "A goose \U0001fabf."


@pytest.mark.parametrize("stream", [True, False])
def test_an_answer_that_cannot_be_remembered_reaches_the_client(
    http: httpx.Client, model: Server, monkeypatch: pytest.MonkeyPatch, stream: bool
):
    observe = Memory.observe

    def full(memory: Memory, text: str, **given: object):
        if given.get("speaker") == "assistant":
            raise StoreFull("the disk is full")
        return observe(memory, text, **given)

    monkeypatch.setattr(Memory, "observe", full)
    model.steps = [Step(text="Noted.")]
    answer = http.post(PATH, json={"messages": TOLD, "stream": stream})
    assert answer.status_code == 200
    assert "Noted." in answer.text
    assert "this answer is not remembered: the disk is full" in answer.text


def test_a_page_that_the_models_server_answers_with_is_never_shown_as_one(
    http: httpx.Client, model: Server
):
    page = b"<script>alert(1)</script>"
    model.steps = [Step(status=403, error="<script>", headers={"content_type": "text/html"})]
    answer = http.post(PATH, json={"messages": TOLD})
    assert answer.status_code == 403
    assert answer.headers["content-type"].startswith("text/plain")
    assert page not in answer.content


def test_pictures_in_a_message_pass_through(served: Served, model: Server):
    parts = [
        {"type": "text", "text": "I live in Porto."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    model.steps = [Step(text="Noted.")]
    with client_of(served) as client:
        client.chat.completions.create(
            model="t", messages=[{"role": "user", "content": parts}], n=2
        )
    assert model.requests[-1]["messages"] == [{"role": "user", "content": parts}]
    assert model.requests[-1]["n"] == 2
    assert episodes(served)[0] == "I live in Porto."


def test_a_stream_of_tool_calls_alone_and_its_usage_pass_through(served: Served, model: Server):
    call = tool_call("weather", '{"place": "Porto"}')
    model.steps = [Step(tool_calls=[call])]
    with client_of(served) as client:
        chunks = list(
            client.chat.completions.create(
                model="t", messages=ASKED, stream=True, stream_options={"include_usage": True}
            )
        )
    calls = [c for chunk in chunks for one in chunk.choices for c in one.delta.tool_calls or []]
    assert "".join(one.function.arguments for one in calls) == '{"place": "Porto"}'
    assert [chunk.usage.total_tokens for chunk in chunks if chunk.usage] == [18]
    assert episodes(served) == ["Where do I live?"]


def test_a_client_that_leaves_a_stream_frees_its_place(http: httpx.Client, model: Server):
    model.steps = [Step(text="word " * 2_000), Step(text="Noted.")]
    with http.stream("POST", PATH, json={"messages": TOLD, "stream": True}) as answer:
        next(answer.iter_lines())
    answer = http.post(PATH, json={"messages": ASKED})
    assert answer.status_code == 200
    assert "Noted." in answer.text


def test_a_key_in_the_query_is_no_key(folder: Path):
    with serving(folder, need_key=True) as served, served.client() as http:
        assert http.get("/v1/models", params={"api_key": "mags_x", "key": "x"}).status_code == 401
        with pytest.raises(openai.AuthenticationError):
            client_of(served).models.list()


# -- the same model plans, reads and answers


@pytest.fixture
def alone(folder: Path, model: Server) -> Iterator[httpx.Client]:
    """A client of a server whose memories work with the model that it asks."""
    with serving(folder) as running, running.client() as http:
        assert http.put("/settings/model", json={"url": model.url, "model": "tiny"}).is_success
        yield http


READ = Step(text="<engram>\n1 | ADD | user | lives in | Porto\n</engram>")


@pytest.mark.parametrize("stream", [False, True])
def test_an_exchange_is_read_by_one_call_after_it_was_answered(
    alone: httpx.Client, model: Server, stream: bool
):
    model.steps = [Step(text="Noted."), READ]
    answer = alone.post(PATH, json={"messages": TOLD, "stream": stream})
    assert answer.status_code == 200
    answering, reading = model.requests
    assert answering["messages"] == TOLD
    assert all(said in json.dumps(reading["messages"]) for said in ("I live in Porto.", "Noted."))
    facts = alone.get("/memories/default/facts").json()
    assert '"object": "Porto"' in json.dumps(facts)


@pytest.mark.parametrize(
    "reading",
    [Step(text="I cannot do that."), Step(status=500), Step(status=429), Step(raw=b"<html>")],
    ids=["no form", "fails", "limited", "no JSON"],
)
def test_one_request_makes_at_most_three_calls_whatever_fails(
    alone: httpx.Client, model: Server, reading: Step
):
    model.steps = [Step(text="Noted."), *[reading] * 5]
    assert alone.post(PATH, json={"messages": TOLD}).status_code == 200
    assert 2 <= len(model.requests) <= 3
    said = json.dumps(alone.get("/memories/default/facts").json())
    assert '"object": "Porto"' in said  # as the small policy read it


@pytest.mark.parametrize("parts", [["response_format"], ["response_format", "temperature"]])
def test_finding_out_what_a_model_takes_is_counted_too(
    alone: httpx.Client, model: Server, parts: list[str]
):
    model.steps = [Step(text="Noted."), READ]
    model.refuses = {part: (400, f"no {part} here") for part in parts}
    assert alone.post(PATH, json={"messages": TOLD}).status_code == 200
    assert len(model.requests) == 3


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("status", "headers"), [(401, {}), (429, {"Retry-After": "7"}), (500, {}), (503, {})]
)
def test_an_error_of_the_model_is_passed_on_at_the_first_call(
    alone: httpx.Client, model: Server, status: int, headers: dict[str, str], stream: bool
):
    model.steps = [Step(status=status, error={"message": "it says why"}, headers=headers)]
    answer = alone.post(PATH, json={"messages": TOLD, "stream": stream})
    assert (answer.status_code, answer.json()["error"]["message"]) == (status, "it says why")
    assert answer.headers.get("retry-after") == headers.get("Retry-After")
    assert len(model.requests) == 1
    facts = alone.get("/memories/default/facts").json()
    assert '"object": "Porto"' in json.dumps(facts)  # of the turn that was not answered
