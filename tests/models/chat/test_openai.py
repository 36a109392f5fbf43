"""The OpenAI-compatible client against a real server on loopback."""

import socket
from collections.abc import Iterator
from random import Random

import pytest

from mags.errors import ModelReplyError, ModelUnavailable
from mags.models.chat.openai import OpenAIChat
from mags.ports.chat import ChatSettings, Message, Tool
from tests.models.chat.endpoint import Server, Step, serving, tool_call

HELLO = (Message(role="system", content="Be short."), Message(role="user", content="Hello?"))
RECALL = Tool(
    name="recall",
    description="Search the memory.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}},
)
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


class Waits:
    """Stands in for `time.sleep` and keeps what was asked."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def chat(server: Server, sleep: Waits | None = None, **more: object) -> OpenAIChat:
    endpoint = ChatSettings(**{"url": server.url, "model": "tiny", **more})
    return OpenAIChat(endpoint, sleep=sleep or Waits(), rng=Random(0))


def test_a_reply_is_read_with_the_servers_own_count(server: Server):
    server.steps = [Step(text="Hi.")]
    reply = chat(server).complete(HELLO)
    assert (reply.text, reply.finish) == ("Hi.", "stop")
    assert reply.usage.calls == 1
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (11, 7)
    assert reply.usage.seconds > 0
    assert server.requests[0] == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Hello?"},
        ],
        "max_tokens": 1024,
        "temperature": 0.0,
    }


@pytest.mark.parametrize("stream", [False, True])
def test_tokens_are_estimated_and_said_to_be_where_the_server_does_not_count(
    server: Server, stream: bool
):
    server.steps = [Step(text="Hello there.", counts=False)]
    model = chat(server)
    reply = model.complete(HELLO, on_text=(lambda _: None) if stream else None)
    assert reply.usage.estimated
    # 9 and 6 characters are 3 and 2 tokens, and 4 a message; 12 characters are 3.
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (13, 3)


def test_tokens_that_the_server_counts_are_not_said_to_be_estimated(server: Server):
    server.steps = [Step(text="Hello there.")]
    usage = chat(server).complete(HELLO).usage
    assert (usage.estimated, usage.tokens) == (False, "11+7")


def test_pieces_stream_in_order_and_are_counted_by_the_server(server: Server):
    server.steps = [Step(text="One two three.")]
    pieces: list[str] = []
    reply = chat(server).complete(HELLO, on_text=pieces.append)
    assert pieces == ["One", " two", " three."]
    assert reply.text == "One two three."
    assert reply.usage.completion_tokens == 7


@pytest.mark.parametrize("stream", [False, True])
def test_tool_calls_come_back_with_their_arguments_read(server: Server, stream: bool):
    server.steps = [
        Step(
            tool_calls=[
                tool_call("recall", '{"query": "Oslo"}'),
                tool_call("recall", '{"query": "Bergen"}', id="call_2"),
            ],
            finish="tool_calls",
        )
    ]
    reply = chat(server).complete(HELLO, tools=[RECALL], on_text=print if stream else None)
    assert [(c.id, c.name, dict(c.arguments)) for c in reply.tool_calls] == [
        ("call_1", "recall", {"query": "Oslo"}),
        ("call_2", "recall", {"query": "Bergen"}),
    ]
    assert server.requests[0]["tools"][0]["function"]["name"] == "recall"


def test_tool_arguments_that_are_no_json_are_a_reply_error(server: Server):
    server.steps = [Step(tool_calls=[tool_call("recall", "{query")])]
    with pytest.raises(ModelReplyError, match="arguments of tool 'recall'"):
        chat(server).complete(HELLO, tools=[RECALL])


def test_busy_and_failing_servers_are_tried_again_with_growing_waits(server: Server):
    server.steps = [Step(status=429), Step(status=500), Step(status=503), Step(text="Hi.")]
    waits = Waits()
    assert chat(server, waits).complete(HELLO).text == "Hi."
    low = [0.25, 0.5, 1.0]
    assert all(a <= wait <= 2 * a for a, wait in zip(low, waits.seconds, strict=True))


def test_the_wait_a_server_asks_for_is_kept_to(server: Server):
    server.steps = [Step(status=429, headers={"Retry-After": "3"}), Step(text="Hi.")]
    waits = Waits()
    chat(server, waits).complete(HELLO)
    assert waits.seconds == [3.0]


def test_a_wait_beyond_patience_is_not_waited_for(server: Server):
    server.steps = [Step(status=429, headers={"Retry-After": "600"})]
    waits = Waits()
    with pytest.raises(ModelUnavailable):
        chat(server, waits).complete(HELLO)
    assert waits.seconds == []


def test_after_the_last_try_the_error_says_what_was_tried_and_what_to_do(server: Server):
    server.steps = [Step(status=500, error={"message": "out of\nmemory"})] * 4
    with pytest.raises(ModelUnavailable) as caught:
        chat(server).complete(HELLO)
    assert caught.value.facts["tried"] == 4
    assert caught.value.facts["status"] == 500
    place = server.url.removeprefix("http://").removesuffix("/v1")
    assert str(caught.value) == (
        f"tiny at {place} does not answer, tried 4 times (HTTP 500: out of memory). "
        "What to do: look at the server's own log. `mags doctor` checks the endpoint."
    )


@pytest.mark.parametrize(
    ("status", "advice"),
    [(401, "set MAGS_CHAT_KEY"), (403, "MAGS_CHAT_MODEL"), (404, "MAGS_CHAT_URL ends in /v1")],
)
def test_a_final_refusal_is_not_tried_again(server: Server, status: int, advice: str):
    server.steps = [Step(status=status)]
    with pytest.raises(ModelUnavailable, match=advice):
        chat(server).complete(HELLO)
    assert len(server.requests) == 1


def test_an_account_without_credit_is_not_tried_again(server: Server):
    server.steps = [Step(status=429, error={"message": "pay", "code": "insufficient_quota"})]
    with pytest.raises(ModelUnavailable, match="pay"):
        chat(server).complete(HELLO)


def test_a_server_that_nobody_started_is_named_with_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    waits = Waits()
    model = OpenAIChat(ChatSettings(url=f"http://127.0.0.1:{port}/v1", model="tiny"), sleep=waits)
    with pytest.raises(ModelUnavailable, match="start the server, or correct MAGS_CHAT_URL"):
        model.complete(HELLO)
    assert len(waits.seconds) == 1


def test_silence_beyond_the_timeout_is_unavailable(server: Server):
    server.steps = [Step(text="late", hang_s=30)] * 2
    model = chat(server, timeout_s=0.05, tries=2)
    with pytest.raises(ModelUnavailable, match=r"tried 2 times \(timed out\)"):
        model.complete(HELLO)


def test_a_stream_that_takes_too_long_is_given_up(server: Server):
    server.steps = [Step(text="one two three")]
    times = iter(range(0, 1000, 10))
    model = OpenAIChat(
        ChatSettings(url=server.url, model="tiny", total_s=25.0), clock=lambda: next(times)
    )
    with pytest.raises(ModelUnavailable, match="took too long"):
        model.complete(HELLO, on_text=lambda _: None)


@pytest.mark.parametrize(
    ("raw", "content_type"),
    [
        (b"<html>welcome</html>", "text/html"),
        (b"{broken", "application/json"),
        (b"[1, 2]", "application/json"),
        (b'"words"', "application/json"),
        (b"{}", "application/json"),
        (b'{"choices": []}', "application/json"),
        (b'{"choices": [7]}', "application/json"),
        (b'{"choices": [{"message": 7}]}', "application/json"),
        (b'{"choices": [{"message": {"content": 7}}]}', "application/json"),
        (b'{"choices": [{"message": {"tool_calls": [3]}}]}', "application/json"),
        (b"", "application/json"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_garbage_is_a_reply_error_that_names_the_endpoint(
    server: Server, raw: bytes, content_type: str, stream: bool
):
    if stream:
        raw, content_type = b"data: " + raw + b"\n\n", "text/event-stream"
    server.steps = [Step(raw=raw, content_type=content_type)] * 4
    with pytest.raises((ModelReplyError, ModelUnavailable), match=r"^tiny at 127\.0\.0\.1"):
        chat(server).complete(HELLO, on_text=(lambda _: None) if stream else None)


def test_an_empty_reply_is_a_reply_error(server: Server):
    server.steps = [Step(text="", finish="length")]
    with pytest.raises(ModelReplyError, match=r"said nothing \(finish: length\)"):
        chat(server).complete(HELLO)


@pytest.mark.parametrize("with_error", [False, True])
def test_a_stream_cut_off_after_words_were_shown_is_not_begun_again(
    server: Server, with_error: bool
):
    server.steps = [Step(text="One two three", cut=3, stream_error=with_error), Step(text="Hi.")]
    pieces: list[str] = []
    with pytest.raises(ModelUnavailable):
        chat(server).complete(HELLO, on_text=pieces.append)
    assert pieces == ["One", " two"]
    assert len(server.requests) == 1


def test_a_stream_cut_off_before_any_word_is_begun_again(server: Server):
    server.steps = [Step(text="One two", cut=0), Step(text="Hi.")]
    pieces: list[str] = []
    chat(server).complete(HELLO, on_text=pieces.append)
    assert pieces == ["Hi."]


def test_a_server_without_structured_output_is_found_out_and_remembered(server: Server):
    server.refuses = {"json_schema": (400, "response_format json_schema is not supported")}
    server.steps = [Step(text="<a>1</a>"), Step(text="<a>2</a>")]
    model = chat(server)
    assert model.complete(HELLO, schema=SCHEMA).text == "<a>1</a>"
    assert model.complete(HELLO, schema=SCHEMA).text == "<a>2</a>"
    assert ["response_format" in request for request in server.requests] == [True, False, False]
    assert server.requests[1]["messages"] == server.requests[0]["messages"]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (500, "cannot compile json_schema"),
        (404, "No endpoints found that support response_format"),
        (400, "JSON schema conversion failed: unresolved ref"),
    ],
)
def test_a_server_that_takes_no_schema_still_replies(server: Server, status: int, said: str):
    server.refuses = {"json_schema": (status, said)}
    server.steps = [Step(text='{"a": 1}')]
    model = chat(server)
    assert model.complete(HELLO, schema=SCHEMA).text == '{"a": 1}'
    assert not model._abilities.schema
    assert "response_format" not in server.requests[-1]


def test_a_server_without_tools_is_found_out_and_remembered(server: Server):
    server.refuses = {"tools": (400, "this model does not support tools")}
    server.steps = [Step(text="Hi.")]
    model = chat(server)
    assert model.takes_tools
    assert model.complete(HELLO, tools=[RECALL]).text == "Hi."
    assert not model.takes_tools


@pytest.mark.parametrize("parameter", ["stream_options", "temperature"])
def test_any_other_refused_parameter_is_left_out(server: Server, parameter: str):
    server.refuses = {parameter: (400, f"Unsupported parameter: {parameter}")}
    server.steps = [Step(text="Hi.")]
    assert chat(server).complete(HELLO, on_text=lambda _: None).text == "Hi."
    assert parameter not in server.requests[-1]


def test_the_other_name_of_the_token_limit_is_found(server: Server):
    server.refuses = {"max_tokens": (400, "Use 'max_completion_tokens' instead.")}
    server.steps = [Step(text="Hi.")]
    chat(server, max_tokens=50).complete(HELLO)
    assert server.requests[-1]["max_completion_tokens"] == 50


def test_a_refusal_without_a_reason_gives_up_the_optional_parts_one_by_one(server: Server):
    server.refuses = {"tools": (422, "bad request")}
    server.steps = [Step(text="Hi.")]
    model = chat(server)
    model.complete(HELLO, tools=[RECALL], schema=SCHEMA, on_text=lambda _: None)
    assert not model.takes_tools


def test_a_prompt_that_is_too_long_costs_no_ability(server: Server):
    server.steps = [Step(status=400, error={"message": "exceeds the context length of 4096"})]
    model = chat(server)
    with pytest.raises(ModelUnavailable, match="exceeds the context length"):
        model.complete(HELLO, tools=[RECALL])
    assert model.takes_tools
    assert len(server.requests) == 1


def test_past_tool_calls_become_words_for_a_server_without_tools(server: Server):
    server.refuses = {"tools": (400, "no tools here")}
    server.steps = [
        Step(tool_calls=[tool_call("recall", '{"query": "Oslo"}')]),
        Step(text="Hi."),
    ]
    model = chat(server)
    server.refuses, kept = {}, server.refuses
    first = model.complete(HELLO, tools=[RECALL])
    server.refuses = kept
    told = (
        *HELLO,
        Message(role="assistant", content="", tool_calls=first.tool_calls),
        Message(role="tool", content="nothing", tool_call_id="call_1"),
    )
    model.complete(told, tools=[RECALL])
    assert server.requests[-2]["messages"][3]["tool_call_id"] == "call_1"
    assert server.requests[-1]["messages"][2:] == [
        {"role": "assistant", "content": '[recall {"query": "Oslo"}]'},
        {"role": "user", "content": "nothing"},
    ]


def test_without_a_model_name_the_first_listed_is_used(server: Server):
    server.models = ["alpha", "beta"]
    server.steps = [Step(text="Hi.")]
    model = chat(server, model="")
    model.complete(HELLO)
    assert server.requests[0]["model"] == "alpha"
    assert model.name.startswith("alpha at 127.0.0.1:")
    assert model.models() == ["alpha", "beta"]


def test_a_server_that_lists_no_model_asks_for_a_name(server: Server):
    server.models = []
    with pytest.raises(ModelUnavailable, match="set MAGS_CHAT_MODEL"):
        chat(server, model="").complete(HELLO)


def test_the_key_goes_to_the_endpoint_and_the_account_of_the_environment_does_not(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-other")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-other")
    server.steps = [Step(text="Hi."), Step(text="Hi.")]
    chat(server, key="sk-mine").complete(HELLO)
    chat(server).complete(HELLO)
    assert [sent["authorization"] for sent in server.headers] == ["Bearer sk-mine", "Bearer none"]
    assert "other" not in str(server.headers)


def test_neither_the_endpoint_nor_the_name_shows_the_key():
    endpoint = ChatSettings(url="http://me:secret@localhost:8000/v1", model="tiny", key="sk-mine")
    assert "sk-mine" not in repr(endpoint)
    assert "secret" not in repr(endpoint)
    assert OpenAIChat(endpoint).name == "tiny at localhost:8000"
