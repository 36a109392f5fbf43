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
        "Said before:\n(Friday 3 May 2024)\nBob: Hello Alice.\n"
        "Remembered:\n[m7] (Alice, Friday 3 May 2024) Alice lives in Bergen.\n"
        "Turns:\n(Friday 3 May 2024)\n1. Alice: I moved to Oslo, and Ana came too."
    )


def test_turns_are_written_together_each_with_the_lines_that_bear_its_number():
    prompted, chat = policy(
        "<engram>\n1 | ADD | Alice | lives in | Oslo\n2. ADD | Bob | likes | paella\n"
        "2 | NOTE | Bob likes paella.\n</engram>"
    )
    paella = Turn(text="I like paella.", speaker="Bob", at=MAY_3)
    first, second, third = prompted.write_many([MOVED, paella, HELLO], [], [])
    assert [one.object for one in first.operations] == ["Oslo"]
    assert [one.act for one in second.operations] == [Act.ADD, Act.NOTE]
    assert third.operations == ()
    assert len(chat.asked) == 1
    assert "\n3. Bob: Hello Alice." in chat.asked[0].messages[-1].content


def test_a_line_that_marks_no_turn_is_left_out_and_told():
    prompted, _ = policy("<engram>7 | ADD | Alice | lives in | Oslo</engram>")
    first, second = prompted.write_many([MOVED, HELLO], [], [])
    assert first.operations == second.operations == ()
    assert first.warnings == ("prompted (scripted), left out 'Alice': marked with no turn",)


@pytest.mark.parametrize("said", ["Sure!", ""])
def test_a_reply_in_no_known_form_is_an_error_for_the_next_policy_to_take(said: str):
    prompted, chat = policy(said)
    with pytest.raises(ModelReplyError):
        prompted.write(MOVED, [], [])
    assert prompted.failures == {"write": 1}
    assert len(chat.asked) == 1


def test_a_reply_that_was_held_to_the_schema_is_read_as_the_block():
    said = {
        "operations": [
            {
                "turn": 1, "act": "ADD", "subject": "Alice", "relation": "lives in",
                "object": "Oslo", "qualifiers": [], "when": "", "text": "",
            }
        ]
    }  # fmt: skip
    prompted, chat = policy(json.dumps(said))
    (operation,) = prompted.write(MOVED, [], []).operations
    assert (operation.subject, operation.relation, operation.object) == (
        "Alice",
        "lives in",
        "Oslo",
    )
    assert [one.schema for one in chat.asked] == [SCHEMAS["write"]]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("ADD | Alice | lives in | Paris", "invented: Paris"),
        ("ADD | Alice | живёт в | Oslo", "Cyrillic letters"),
        ("ADD | Alice | lives in", "an operation is"),
        ("Alice lives in Oslo", "a line begins with"),
    ],
)
def test_only_the_line_that_is_wrong_is_refused_and_the_warning_says_why(bad: str, why: str):
    prompted, _ = policy(f"<engram>\n{bad}\nADD | Alice | lives in | Oslo\n</engram>")
    writing = prompted.write(MOVED, [], [])
    assert [one.object for one in writing.operations] == ["Oslo"]
    (told,) = writing.warnings
    assert why in told
    assert writing.understood


@pytest.mark.parametrize("word", ["him", "hers", "themselves", "ours", "whom", "everyone"])
def test_a_pronoun_of_any_case_is_no_invention(word: str):
    prompted, _ = policy(f"<engram>ADD | Ana | came with | {word}</engram>")
    assert prompted.write(MOVED, [], []).operations[0].object == word


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("ADD | Ana | found | a few friends", "Ana found a few friends."),
        ("ADD | Ana | loves | Oslo", "Ana loves Oslo."),
    ],
)
def test_what_the_model_wrote_is_not_rewritten(line: str, text: str):
    turn = Turn(text="Ana found a few friends. She loves Oslo.", speaker="Alice", at=MAY_3)
    prompted, _ = policy(f"<engram>{line}</engram>")
    assert prompted.write(turn, [], []).operations[0].text == text


def test_the_check_for_invented_words_is_an_option():
    prompted, _ = policy("<engram>ADD | Alice | lives in | Norway</engram>", grounded=False)
    assert prompted.write(MOVED, [], []).operations[0].object == "Norway"


def test_what_was_recalled_may_be_named():
    prompted, _ = policy("<engram>RETRACT | Alice | lives in | Bergen</engram>")
    assert prompted.write(MOVED, [], [BERGEN]).operations[0].object == "Bergen"


def test_a_question_is_planned_with_itself_first():
    prompted, chat = policy("<recall>Alice lives in\nkind: place</recall>")
    question = Turn(text="Where does Alice live?", speaker="Bob", at=MAY_3)
    assert prompted.ask(question, []) == Plan(
        queries=("Where does Alice live?", "Alice lives in"), answer_kind="place"
    )
    assert "in English" in chat.asked[0].messages[0].content


def test_a_plan_in_no_known_form_is_an_error_for_the_next_policy_to_take():
    prompted, _ = policy("Oslo.")
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
