"""The same words twice through the proxy: sent again, or said again."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from mags.ports.chat import ChatSettings
from mags.server.proxy.routes import RETRY_S, Conversation, Keys
from tests.models.chat.endpoint import Server, Step
from tests.server.serving import Served, serving
from tests.server.test_proxy import episodes

Message = dict[str, str]
OSLO, BERGEN = "I live in Oslo.", "I live in Bergen."
RETRIED = {"X-Stainless-Retry-Count": "1"}


@pytest.fixture
def served(folder: Path, model: Server) -> Iterator[Served]:
    model.steps = [Step(text="Noted.") for _ in range(8)]
    with serving(folder, upstream=ChatSettings(url=model.url, model="tiny")) as running:
        yield running


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def answered(text: str) -> Message:
    return {"role": "assistant", "content": text}


def send(served: Served, *messages: Message, headers: dict[str, str] | None = None) -> int:
    with served.client() as http:
        body = {"model": "tiny", "messages": list(messages)}
        return http.post("/v1/chat/completions", json=body, headers=headers or {}).status_code


def told(served: Served) -> list[str]:
    """What the user said, oldest first."""
    return [text for text in episodes(served) if text != "Noted."]


def home(served: Served) -> list[str]:
    with served.client() as http:
        facts: httpx.Response = http.get("/memories/default/facts", params={"current": True})
    return [fact["object"] for fact in facts.json()]


def test_what_is_said_again_in_a_new_conversation_is_said_again(served: Served):
    for text in (OSLO, BERGEN, OSLO):
        assert send(served, user(text)) == 200
    assert episodes(served) == [OSLO, "Noted.", BERGEN, "Noted.", OSLO, "Noted."]
    assert home(served) == ["Oslo"]


def test_a_request_sent_again_is_kept_once_each_time(served: Served):
    for text in (OSLO, OSLO, BERGEN, BERGEN, OSLO, OSLO):
        assert send(served, user(text)) == 200
    assert episodes(served) == [OSLO, "Noted.", BERGEN, "Noted.", OSLO, "Noted."]


def test_a_retry_that_says_so_is_one_whatever_another_client_said_meanwhile(served: Served):
    send(served, user(OSLO))
    send(served, user(BERGEN))
    send(served, user(OSLO), headers=RETRIED)
    assert told(served) == [OSLO, BERGEN]
    assert home(served) == ["Bergen"]


def test_a_growing_history_keeps_each_turn_once_with_the_same_words_too(served: Served):
    history: list[Message] = []
    for text in (OSLO, "Yes.", "Yes."):
        history.append(user(text))
        for _ in range(2):
            send(served, *history)
        history.append(answered("Noted."))
    assert told(served) == [OSLO, "Yes.", "Yes."]


def test_an_answer_made_anew_keeps_the_question_once_and_both_answers(
    served: Served, model: Server
):
    model.steps = [Step(text="Noted."), Step(text="I see.")]
    for clock in ("9:00", "9:05"):  # which clients write into their instructions
        send(served, {"role": "system", "content": f"It is {clock}."}, user(OSLO))
    assert episodes(served) == [OSLO, "Noted.", "I see."]


def test_an_edited_turn_is_a_new_one(served: Served):
    send(served, user("Hello."))
    for text in (OSLO, BERGEN):
        send(served, user("Hello."), answered("Noted."), user(text))
    assert told(served) == ["Hello.", OSLO, BERGEN]
    assert home(served) == ["Bergen"]


def test_two_memories_know_nothing_of_each_others_requests(served: Served):
    with served.client() as http:
        for name in ("ana", "bo"):
            body = {"model": "tiny", "messages": [user(OSLO)], "user": name}
            http.post("/v1/chat/completions", json=body)
    assert [episodes(served, name)[0] for name in ("ana", "bo")] == [OSLO, OSLO]


def test_a_key_of_the_clients_own_decides(served: Served):
    first, second = {"Idempotency-Key": "one"}, {"Idempotency-Key": "two"}
    for headers in (first, second, first):
        assert send(served, user(OSLO), headers=headers) == 200
    assert told(served) == [OSLO, OSLO]
    assert send(served, user(BERGEN), headers=first) == 409
    assert told(served) == [OSLO, OSLO]


ASKED = Conversation(
    namespace="ana", speaker="user", said=OSLO, asked=OSLO, digest="oslo", retried=False, key=""
)
OTHER = replace(ASKED, digest="bergen")


def test_the_same_words_after_a_while_are_said_again():
    keys = Keys()
    first = keys.key(ASKED, 10.0)
    assert keys.key(ASKED, RETRY_S + 9.0) == first
    assert keys.key(replace(ASKED, retried=True), RETRY_S + 10.0) != first


def test_a_retry_is_known_after_a_restart():
    assert Keys().key(ASKED, 10.0) == Keys().key(ASKED, 20.0)


def test_no_two_statements_have_one_key_however_often_they_are_made():
    keys = Keys()
    made = [keys.key(one, 7.0 * n) for n in range(400) for one in (ASKED, OTHER)]
    assert len(set(made)) == 800
