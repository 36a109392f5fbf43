"""The prompted policy: what it asks, how it tries again, and what it leaves alone."""

import json

import pytest

from mags.errors import ModelReplyError, ModelUnavailable
from mags.models.chat.scripted import ScriptedChat
from mags.models.policy.prompted import SCHEMAS, PromptedPolicy
from mags.models.prompts import load_prompts
from mags.ports.chat import Completion
from mags.ports.policy import Act, Plan, Recalled, Route, Turn

MAY_3 = 1714694400.0  # 2024-05-03 00:00 UTC
MOVED = Turn(text="I moved to Oslo, and Ana came too.", speaker="Alice", at=MAY_3)
HELLO = Turn(text="Hello Alice.", speaker="Bob", at=MAY_3)
BERGEN = Recalled(id=7, text="Alice lives in Bergen.", speaker="Alice", at=MAY_3)
ADD = "<engram>ADD | Alice | lives in | Oslo</engram>"
OSLO = {"turn": 1, "act": "ADD", "subject": "Alice", "relation": "lives in", "object": "Oslo"}
WHOLE = OSLO | {"qualifiers": [], "when": "", "text": ""}
LINE = "1 | ADD | Alice | lives in | Oslo"


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
    prompted, _ = policy(f"<engram>\n7 | ADD | Ana | came to | Oslo\n{LINE}\n</engram>")
    first, second = prompted.write_many([MOVED, HELLO], [], [])
    assert ([one.subject for one in first.operations], second.operations) == (["Alice"], ())
    why = "prompted (scripted), left out 'Ana came to Oslo': marked with no turn"
    assert first.warnings == (why,)


def test_what_somebody_told_of_themself_is_of_their_turn_whatever_mark_it_bears():
    asking = Turn(text="Oslo? Do you like the fjord?", speaker="Bob", at=MAY_3)
    yes = Turn(text="I do.", speaker="Alice", at=MAY_3)
    lines = "3 | ADD | Alice | brought | Ana\n3 | ADD | Alice | likes | fjord"
    prompted, _ = policy(f"<engram>\n2 | ADD | Alice | brought | Ana\n{lines}\n</engram>")
    first, second, third = prompted.write_many([MOVED, asking, yes], [], [])
    assert [one.object for one in first.operations] == ["Ana"]
    assert second.operations == ()
    assert [one.object for one in third.operations] == ["Ana", "fjord"]


def test_a_line_that_is_refused_is_told_with_the_number_of_its_turn():
    prompted, _ = policy(f"<engram>\n{LINE}\n2 | ADD | Bob | lives in | Paris\n</engram>")
    first, _ = prompted.write_many([MOVED, HELLO], [], [])
    assert "left out '2 | Bob lives in Paris': invented: Paris" in first.warnings[0]


def test_where_no_line_marks_a_turn_the_form_is_not_known():
    prompted, _ = policy(ADD)
    with pytest.raises(ModelReplyError, match="marked with its turn"):
        prompted.write_many([MOVED, HELLO], [], [])


@pytest.mark.parametrize("said", ["Sure!", "", "<engram></engram>", '{"facts": ["Oslo"]}', "{}"])
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
    "said",
    [
        f"```\n<engram>\n{LINE}\n</engram>\n```",
        f"Here is what I keep:\n<engram>\n{LINE}\n</engram>\nThat is all.",
        f"<engram>\n{LINE}\n</engram>\n<engram>\n2 | none\n</engram>",
        f"<engram>\n{LINE}",
        f"{LINE}\n2 | none",
        f"<engram>\n- Turn {LINE}\n</engram>",
        json.dumps({"operations": [OSLO]}),
        json.dumps([WHOLE]),
        f"```json\n{json.dumps({'operations': [WHOLE]})}\n```",
        f"<think>Hm.</think>{json.dumps({'operations': [WHOLE]})}",
    ],
)
def test_a_known_form_is_read_whatever_stands_around_it(said: str):
    prompted, _ = policy(said)
    first, second = prompted.write_many([MOVED, HELLO], [], [])
    assert [one.object for one in first.operations] == ["Oslo"]
    assert (second.operations, first.warnings) == ((), ())


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (json.dumps({"operations": [WHOLE, WHOLE]})[:-40], "a line begins with"),
        (json.dumps({"operations": [WHOLE, {"act": "BUY"}]}), "BUY"),
        (json.dumps({"operations": [WHOLE | {"object": 3}, WHOLE]}), "invented: 3"),
        (Completion(text=f"<engram>\n{LINE}\n1 | ADD | Ana | came", finish="length"), "cut off"),
        (Completion(text=json.dumps([WHOLE])[:-1] + ', {"tu', finish="length"), "begins with"),
    ],
)
def test_of_half_a_reply_the_whole_lines_are_read_and_it_is_told(said: object, told: str):
    prompted, _ = policy(said)
    writing = prompted.write(MOVED, [], [])
    assert [one.object for one in writing.operations] == ["Oslo"]
    assert told in str(writing.warnings)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("ADD | Alice | lives in | Paris", "invented: Paris"),
        ("ADD | She | came too with | Ana", "not said who is meant"),
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
        ("ADD | Ana | weighs | few friends", "Ana weighs few friends."),
        ("ADD | Ana | is coached by | friends", "Ana is coached by friends."),
        ("ADD | Ana | head coach | friends", ""),
    ],
)
def test_what_the_model_wrote_is_not_rewritten(line: str, text: str):
    turn = Turn(text="Ana found a few friends. She loves Oslo.", speaker="Alice", at=MAY_3)
    prompted, _ = policy(f"<engram>{line}</engram>")
    assert prompted.write(turn, [], []).operations[0].text == text


@pytest.mark.parametrize(
    "line",
    [
        "ADD | Ana's mother | has | 2 cats | reason=she can't be alone",
        "ADD | Ana's mom | is | 72 years old",
        "ADD | Ana's mom | wants | cats | when=before she can be without them",
        "NOTE | Ana's mother doesn't want to be alone with her two cats at 72.",
    ],
)
def test_what_was_said_in_other_words_is_no_invention(line: str):
    said = "Mama is seventy-two. she cant be alone and doesnt want to, so two cats. Ana"
    prompted, _ = policy(f"<engram>{line}</engram>")
    turn = Turn(text=said, speaker="Ana", at=MAY_3)
    assert len(prompted.write(turn, [], []).operations) == 1


@pytest.mark.parametrize("line", ["ADD | Ana | has | 5 cats", "NOTE | Ana has 3 cats."])
def test_a_number_that_nobody_said_is_refused(line: str):
    prompted, _ = policy(f"<engram>{line}</engram>")
    turn = Turn(text="I have two cats.", speaker="Ana", at=MAY_3)
    writing = prompted.write(turn, [], [])
    assert writing.operations == ()
    assert "invented" in str(writing.warnings)


def known(*facts: tuple[str, str]) -> list[Recalled]:
    return [
        Recalled(
            id=n, text=f"Ana {relation} {object}.", subject="Ana", relation=relation, object=object
        )
        for n, (relation, object) in enumerate(facts, start=1)
    ]


@pytest.mark.parametrize(
    ("line", "held", "ended"),
    [
        ("likes | tea", [("likes", "coffee"), ("likes", "jazz")], []),
        ("has | a Skoda", [("has", "dog Rex"), ("has", "a cat")], []),
        ("goes to | yoga class | when=daily", [("goes to", "gym"), ("goes to", "yoga class")], [1]),
        ("keeps | shoes in a rack", [("keeps", "shoes under the bed"), ("keeps", "bees")], [0]),
        ("is on page | 300", [("is on page", "250"), ("is on page", "the last line")], [0]),
        ("is | 31 years old", [("is", "30 years old"), ("is", "3 years sober")], [0]),
        ("saw | 5 short films", [("saw", "12 films"), ("saw", "four short films")], [1]),
        ("starts work at | eight", [("works at", "Bravida")], []),
        ("likes | tea", [("likes", "tea")], []),
    ],
)
def test_of_what_several_can_be_so_an_update_ends_what_is_of_its_matter(
    line: str, held: list[tuple[str, str]], ended: list[int]
):
    prompted, _ = policy(f"<engram>UPDATE | Ana | {line}</engram>", grounded=False)
    turn = Turn(text="It is otherwise now.", speaker="Ana", at=MAY_3)
    *over, new = prompted.write(turn, [], known(*held)).operations
    assert (new.act, new.one, new.change) == (Act.ADD, None, False)
    assert [(one.act, one.object) for one in over] == [(Act.RETRACT, held[i][1]) for i in ended]


@pytest.mark.parametrize(
    "line", ["lives in | Oslo", "dentist | Dr Mehta", "prefers | tea | kind=drink"]
)
def test_what_one_alone_can_be_stays_an_update(line: str):
    prompted, _ = policy(f"<engram>UPDATE | Ana | {line}</engram>", grounded=False)
    (operation,) = prompted.write(MOVED, [], known(("lives in", "Rome"))).operations
    assert (operation.act, operation.one) == (Act.UPDATE, True)


def test_an_update_ends_what_an_earlier_line_of_the_reply_said():
    lines = (
        "1 | ADD | Ana | keeps | shoes under the bed\n2 | UPDATE | Ana | keeps | shoes in a rack"
    )
    prompted, _ = policy(f"<engram>\n{lines}\n</engram>", grounded=False)
    first, second = prompted.write_many([MOVED, HELLO], [], [])
    assert [one.act for one in first.operations] == [Act.ADD]
    assert [one.act for one in second.operations] == [Act.RETRACT, Act.ADD]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("I | live in | Oslo", "Alice lives in Oslo."),
        ("my Ana | came to | our Oslo", "Alice's Ana came to Alice's Oslo."),
        ("Ana | moved with | me", "Ana moved with Alice."),
        ("our Ana and Oslo | like | me", "Alice's Ana and Oslo like Alice."),
    ],
)
def test_first_persons_are_the_speaker(line: str, text: str):
    prompted, _ = policy(f"<engram>\n1 | none\n2 | ADD | {line}\n</engram>")
    _, second = prompted.write_many([HELLO, MOVED], [], [])
    assert [one.text for one in second.operations] == [text]


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
