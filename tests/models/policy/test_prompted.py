"""The prompted policy: what it asks, how it tries again, and what it leaves alone."""

import json

import pytest

from mags.errors import ModelReplyError, ModelUnavailable
from mags.models.chat.scripted import ScriptedChat
from mags.models.policy.prompted import SCHEMAS, PromptedPolicy
from mags.models.prompts import load_prompts
from mags.ports.policy import Act, Plan, Recalled, Route, Turn

MAY_3 = 1714694400.0  # 2024-05-03 00:00 UTC
MOVED = Turn(text="I moved to Oslo, and Ana came too.", speaker="Alice", at=MAY_3)
HELLO = Turn(text="Hello Alice.", speaker="Bob", at=MAY_3)
BERGEN = Recalled(id=7, text="Alice lives in Bergen.", speaker="Alice", at=MAY_3)
ADD = "<engram>ADD | Alice | lives in | Oslo</engram>"


def policy(*replies: object, **more: object) -> tuple[PromptedPolicy, ScriptedChat]:
    chat = ScriptedChat(replies)
    return PromptedPolicy(chat, load_prompts(), **more), chat


def test_a_turn_is_written_in_one_call():
    prompted, chat = policy(ADD)
    writing = prompted.write(MOVED, [HELLO], [BERGEN])
    (operation,) = writing.operations
    assert (operation.act, operation.subject, operation.object) == (Act.ADD, "Alice", "Oslo")
    assert writing.mentions == ("Alice", "Oslo", "Ana")
    assert writing.understood
    asked = chat.asked[0].messages[-1].content
    assert asked == (
        "Date: Friday 3 May 2024\n"
        "Said before:\nBob: Hello Alice.\n"
        "Remembered:\n[m7] (Alice, 3 May 2024) Alice lives in Bergen.\n"
        "Turn:\nAlice: I moved to Oslo, and Ana came too."
    )


def test_a_refused_reply_is_asked_for_once_more_with_the_reason():
    prompted, chat = policy("Sure!", ADD)
    assert prompted.write(MOVED, [], []).operations[0].object == "Oslo"
    assert prompted.failures == {}
    *_, said, again = chat.asked[1].messages
    assert (said.role, said.content) == ("assistant", "Sure!")
    assert again.content == (
        "That reply cannot be used: 0 <engram> blocks instead of one. "
        "Reply again with the one block alone, or as JSON where a schema for it is given."
    )


def test_the_second_reply_is_held_to_a_schema_and_read_as_the_block():
    said = {
        "operations": [
            {
                "act": "ADD", "subject": "Alice", "relation": "lives in", "object": "Oslo",
                "qualifiers": [], "when": "", "text": "",
            }
        ]
    }  # fmt: skip
    prompted, chat = policy("Sure!", json.dumps(said))
    (operation,) = prompted.write(MOVED, [], []).operations
    assert (operation.subject, operation.relation, operation.object) == (
        "Alice",
        "lives in",
        "Oslo",
    )
    assert [one.schema for one in chat.asked] == [None, SCHEMAS["write"]]
    assert prompted.failures == {}


def test_a_turn_refused_twice_stays_an_episode_and_is_counted():
    prompted, chat = policy("Sure!", "Sure!", ADD)
    writing = prompted.write(MOVED, [], [])
    assert writing.operations == ()
    assert not writing.understood
    assert writing.why == (
        "prompted (scripted) was not understood: 0 <engram> blocks instead of one"
    )
    assert writing.mentions == ("Oslo", "Ana")
    assert prompted.failures == {"write": 1}
    assert len(chat.asked) == 2


@pytest.mark.parametrize("bad", ["ADD | Alice | lives in | Paris", "ADD | Alice | живёт в | Oslo"])
def test_invented_or_foreign_words_are_refused(bad: str):
    prompted, _ = policy(*[f"<engram>{bad}</engram>"] * 2)
    assert not prompted.write(MOVED, [], []).understood


def test_the_check_for_invented_words_is_an_option():
    prompted, _ = policy("<engram>ADD | Alice | lives in | Norway</engram>", grounded=False)
    assert prompted.write(MOVED, [], []).operations[0].object == "Norway"


def test_what_was_recalled_may_be_named():
    prompted, _ = policy("<engram>RETRACT | Alice | lives in | Bergen</engram>")
    assert prompted.write(MOVED, [], [BERGEN]).operations[0].object == "Bergen"


def test_an_empty_reply_counts_as_a_try():
    prompted, _ = policy("", ADD)
    assert prompted.write(MOVED, [], []).understood


def test_a_question_is_planned_with_itself_first():
    prompted, chat = policy("<recall>Alice lives in\nkind: place</recall>")
    question = Turn(text="Where does Alice live?", speaker="Bob", at=MAY_3)
    assert prompted.ask(question, []) == Plan(
        queries=("Where does Alice live?", "Alice lives in"), answer_kind="place"
    )
    assert "in English" in chat.asked[0].messages[0].content


def test_a_plan_refused_twice_is_an_error_for_the_next_policy_to_take():
    prompted, _ = policy("Oslo.", "Oslo.")
    with pytest.raises(ModelReplyError):
        prompted.ask(HELLO, [])
    assert prompted.failures == {"ask": 1}


def test_a_turn_is_routed():
    prompted, _ = policy("<route>recall semantic=0.5</route>")
    assert prompted.route(HELLO, []) == Route(write=False, semantic=0.5)


def test_without_a_model_the_error_passes():
    prompted, _ = policy()
    with pytest.raises(ModelUnavailable):
        prompted.write(MOVED, [], [])
    assert prompted.name == "prompted (scripted)"
