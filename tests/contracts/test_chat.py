"""What every ChatModel keeps to: the scripted one, and the client against a real server."""

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random

import pytest

from mags.errors import ModelReplyError, ModelUnavailable
from mags.models.chat.openai import OpenAIChat
from mags.models.chat.scripted import ScriptedChat
from mags.ports.chat import (
    ChatModel,
    ChatSettings,
    Completion,
    Message,
    MeteredChat,
    Tool,
    ToolCall,
    Usage,
)
from tests.models.chat.endpoint import Step, serving, tool_call

Make = Callable[[Sequence[Completion]], ChatModel]

HELLO = (Message(role="system", content="Be short."), Message(role="user", content="Hello?"))
RECALL = Tool(name="recall", description="Search.", parameters={"type": "object"})


def scripted(replies: Sequence[Completion]) -> ChatModel:
    return ScriptedChat(replies)


@pytest.fixture(params=["scripted", "openai", "metered"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    if request.param == "scripted":
        yield scripted
        return
    if request.param == "metered":
        yield lambda replies: MeteredChat(scripted(replies))
        return
    with serving() as server:

        def over_http(replies: Sequence[Completion]) -> ChatModel:
            server.steps = [step(reply) for reply in replies]
            server.steps += [Step(status=503)] * 4
            endpoint = ChatSettings(url=server.url, model="tiny")
            return OpenAIChat(endpoint, sleep=lambda _: None, rng=Random(0))

        yield over_http


def step(reply: Completion) -> Step:
    calls = [tool_call(c.name, json.dumps(dict(c.arguments)), id=c.id) for c in reply.tool_calls]
    return Step(text=reply.text, tool_calls=calls, finish=reply.finish)


def test_replies_come_in_order(make: Make):
    chat = make([Completion(text="One."), Completion(text="Two.")])
    assert [chat.complete(HELLO).text for _ in range(2)] == ["One.", "Two."]


def test_the_pieces_streamed_are_the_text(make: Make):
    pieces: list[str] = []
    words = "One two,\n three - élan \N{SNOWMAN}."
    reply = make([Completion(text=words)]).complete(HELLO, on_text=pieces.append)
    assert "".join(pieces) == reply.text == words
    assert len(pieces) > 1


def test_every_call_is_counted(make: Make):
    chat = make([Completion(text="One two three.")])
    usage = chat.complete(HELLO).usage
    assert usage.calls == 1
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0
    assert usage.seconds >= 0.0


def test_usage_adds_up_field_by_field():
    one = Usage(calls=1, prompt_tokens=10, completion_tokens=3, seconds=0.5)
    assert one + one == Usage(calls=2, prompt_tokens=20, completion_tokens=6, seconds=1.0)


def test_a_sum_with_an_estimate_in_it_is_an_estimate():
    counted = Usage(calls=1, prompt_tokens=10, completion_tokens=3)
    guessed = Usage(calls=1, prompt_tokens=4, completion_tokens=2, estimated=True)
    assert (counted + counted).tokens == "20+6"
    assert (counted + guessed).tokens == (guessed + counted).tokens == "~14+5"
    assert not Usage().estimated


def test_a_tool_call_alone_is_a_reply(make: Make):
    call = ToolCall(id="call_7", name="recall", arguments={"query": "Where is Ana?"})
    chat = make([Completion(text="", tool_calls=(call,), finish="tool_calls")])
    assert chat.takes_tools
    reply = chat.complete(HELLO, tools=[RECALL])
    assert reply.tool_calls == (call,)
    assert reply.finish == "tool_calls"


def test_saying_nothing_is_a_reply_error(make: Make):
    with pytest.raises(ModelReplyError, match="said nothing"):
        make([Completion(text="")]).complete(HELLO)


def test_a_model_that_no_longer_answers_is_unavailable(make: Make):
    chat = make([Completion(text="One.")])
    chat.complete(HELLO)
    with pytest.raises(ModelUnavailable) as caught:
        chat.complete(HELLO)
    assert caught.value.facts["tried"] >= 1
    assert caught.value.facts["endpoint"] == chat.name


def test_it_has_a_name_to_show(make: Make):
    assert make([]).name


def test_a_schema_is_no_hindrance(make: Make):
    chat = make([Completion(text='{"a": 1}')])
    assert json.loads(chat.complete(HELLO, schema={"type": "object"}).text) == {"a": 1}
