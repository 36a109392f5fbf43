"""The scripted model: what it was asked, and the errors it was told to raise."""

import threading

import pytest

from mags.errors import ModelUnavailable
from mags.models.chat.scripted import ScriptedChat
from mags.ports.chat import Message, MeteredChat, Usage, counting, present

HELLO = (Message(role="user", content="Hello?"),)


def test_it_keeps_what_it_was_asked():
    chat = ScriptedChat(["Hi."])
    chat.complete(HELLO, schema={"type": "object"})
    assert chat.asked[0].messages == HELLO
    assert chat.asked[0].tools == ()
    assert chat.asked[0].schema == {"type": "object"}


def test_a_reply_may_be_a_function_of_the_messages():
    chat = ScriptedChat([lambda messages: messages[-1].content.upper()])
    assert chat.complete(HELLO).text == "HELLO?"


def test_an_error_in_the_script_is_raised_in_its_turn():
    chat = ScriptedChat([ModelUnavailable("gone"), "back"])
    with pytest.raises(ModelUnavailable, match="gone"):
        chat.complete(HELLO)
    assert chat.complete(HELLO).text == "back"


def test_its_usage_is_the_same_every_time():
    used = [ScriptedChat(["Hi there."]).complete(HELLO).usage for _ in range(2)]
    # 6 characters are 2 tokens, 4 for the message; 9 characters are 3.
    assert used == [Usage(calls=1, prompt_tokens=6, completion_tokens=3, estimated=True)] * 2


def test_who_asks_at_the_same_time_counts_its_own_calls():
    chat = MeteredChat(ScriptedChat(["Hi."] * 40))
    begun = threading.Barrier(4)
    calls: dict[int, int] = {}

    def ask(times: int) -> None:
        with counting() as used:
            begun.wait()
            for _ in range(times):
                chat.complete(HELLO)
            calls[times] = used().calls

    threads = [threading.Thread(target=ask, args=(n,)) for n in (1, 2, 5, 9)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert calls == {1: 1, 2: 2, 5: 5, 9: 9}


def test_what_is_counted_within_counts_around_it_too():
    chat = MeteredChat(ScriptedChat(["Hi."] * 3))
    with counting() as turn:
        chat.complete(HELLO)
        with counting() as answer:
            chat.complete(HELLO)
            assert present() == answer()
        assert (turn().calls, answer().calls) == (2, 1)
    assert present() == Usage()
