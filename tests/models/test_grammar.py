"""The grammar of memory tokens: what it reads, and that it refuses everything else by name."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mags.errors import ModelReplyError
from mags.models.grammar import (
    LIMITS,
    check_invented,
    check_language,
    engram_lines,
    foreign,
    read_engram,
    read_plan,
    read_route,
    scripts_of,
)
from mags.models.policy.rules.tokens import is_name, stems
from mags.ports.policy import Act, Hop, Operation, Plan, Route


def at(*date: int) -> float:
    return datetime(*date, tzinfo=UTC).timestamp()


def engram(*lines: str) -> str:
    return "<engram>\n" + "\n".join(lines) + "\n</engram>"


def recall(*lines: str) -> str:
    return "<recall>\n" + "\n".join(lines) + "\n</recall>"


def test_an_addition_is_read_field_by_field():
    reply = engram("ADD | Alice | lives in | Oslo | where=the old town; kind=home | 2024-05")
    assert read_engram(reply).operations == (
        Operation(
            act=Act.ADD,
            subject="Alice",
            relation="lives in",
            object="Oslo",
            qualifiers={"where": "the old town", "kind": "home"},
            valid_from=at(2024, 5, 1),
            object_is_name=True,
        ),
    )


def test_an_update_holds_one_value_and_is_a_change():
    (operation,) = read_engram(engram("UPDATE | Alice | drinks | tea")).operations
    assert (operation.act, operation.one, operation.change) == (Act.UPDATE, True, True)
    assert not operation.object_is_name


def test_a_retraction_may_leave_the_object_open():
    (operation,) = read_engram(engram("RETRACT | Alice | owns |")).operations
    assert (operation.act, operation.object, operation.change) == (Act.RETRACT, "", True)


def test_a_note_keeps_its_words_and_escaped_bars():
    (operation,) = read_engram(engram(r"NOTE | Run a \| b before you leave.")).operations
    assert operation == Operation(act=Act.NOTE, text="Run a | b before you leave.")


def test_links_are_ordered_pairs_once_each():
    reply = engram("LINK | m42 | m7", "LINK | [m7] | [m42]", "ADD | Ana | likes | jazz")
    read = read_engram(reply)
    assert read.links == ((7, 42),)
    assert len(read.operations) == 1


def test_none_stores_nothing():
    assert read_engram(engram("none")).operations == ()


@pytest.mark.parametrize("frame", ["<think>Hm, <engram>x</engram></think>\n{}", "```\n{}\n```"])
def test_thinking_and_a_code_fence_are_no_part_of_the_reply(frame: str):
    reply = frame.format(engram("ADD | Ana | likes | jazz"))
    assert read_engram(reply).operations[0].object == "jazz"


@pytest.mark.parametrize(
    ("when", "begin", "end"),
    [
        ("2024", at(2024, 1, 1), None),
        ("2024-02-29", at(2024, 2, 29), None),
        ("2024-05-03T10:30", at(2024, 5, 3, 10, 30), None),
        ("2023-12..2024", at(2023, 12, 1), at(2025, 1, 1)),
        ("..2023-12", None, at(2024, 1, 1)),
        ("2024-05-03..", at(2024, 5, 3), None),
    ],
)
def test_times_are_periods_as_wide_as_they_were_stated(
    when: str, begin: float | None, end: float | None
):
    (operation,) = read_engram(engram(f"ADD | Ana | lives in | Oslo | {when}")).operations
    assert (operation.valid_from, operation.valid_to) == (begin, end)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "0 <engram> blocks instead of one"),
        ("ADD | a | b | c", "0 <engram> blocks instead of one"),
        ("<engram>ADD | a | b | c", "0 <engram> blocks instead of one"),
        (engram("none") + engram("none"), "2 <engram> blocks instead of one"),
        ("Sure! " + engram("none"), "words outside the <engram> block"),
        (engram(), "an empty block"),
        (engram("none", "ADD | a | b | c"), "a line begins with"),
        (engram("add | a | b | c"), "a line begins with"),
        (engram("ADD | a | b"), "ACT | subject | relation | object"),
        (engram("ADD | a | b | c | d=1 | 2024 | x"), "ACT | subject | relation | object"),
        (engram("ADD | | b | c"), "may not be empty"),
        (engram("UPDATE | a | b | "), "may not be empty"),
        (engram("ADD | a | b | c | colour=red"), "qualifiers are kind"),
        (engram("ADD | a | b | c | words | 2024"), "qualifiers are name=words"),
        (engram("ADD | a | b | c | yesterday"), "ISO date"),
        (engram("ADD | a | b | c | 2023-02-29"), "no such date"),
        (engram("ADD | a | b | c | 9999"), "no such date"),
        (engram("ADD | a | b | c | 2024..2023"), "ends before it begins"),
        (engram("ADD | a | one two three four five six seven eight nine | c"), "8 words"),
        (engram("ADD | a | b | " + "x" * 201), "more than 200 characters"),
        (engram("ADD | a | b | c\u200bd"), "cannot be seen"),
        (engram("ADD | a | b | </recall>"), "memory tokens inside"),
        (engram("NOTE |"), "a note without words"),
        (engram("LINK | m1 | m1"), "a link is"),
        (engram("LINK | m1"), "a link is"),
        (engram(*["ADD | a | b | c"] * 25), "more than 24 operations"),
        ("x" * 16_001, "longer than 16000"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(reply: str, reason: str):
    with pytest.raises(ModelReplyError) as caught:
        read_engram(reply)
    assert reason in str(caught.value.facts["reason"])


def test_a_plan_is_read_with_the_question_first():
    reply = recall(
        "Alice's home",
        "where Alice moved",
        "entities: Alice; Oslo",
        "hop: Alice | married to",
        "hop: ^ | works at | inverse",
        "since: 2023",
        "until: 2024-05",
        "kind: place",
        "past: yes",
        "blocks: episodic=0.5 semantic=1",
    )
    assert read_plan(reply, "Where did she live?") == Plan(
        queries=("Where did she live?", "Alice's home", "where Alice moved"),
        entities=("Alice", "Oslo"),
        hops=(
            Hop(subject="Alice", relation="married to"),
            Hop(subject="", relation="works at", inverse=True),
        ),
        since=at(2023, 1, 1),
        until=at(2024, 6, 1),
        episodic=0.5,
        past=True,
        answer_kind="place",
    )


def test_a_plan_without_lines_is_the_question_alone():
    assert read_plan(recall("none"), "Why?") == Plan(queries=("Why?",))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("kind: colour", "kind is one of"),
        ("past: maybe", "past is yes or no"),
        ("hop: ^ | works at", "the first hop needs a subject"),
        ("hop: Alice", "a hop is"),
        ("hop: Alice | knows | backwards", "a hop is"),
        ("since: last week", "ISO date"),
        ("blocks: episodic=2", "weights are"),
        ("kind: place\nkind: person", "stands twice"),
        ("\n".join(f"query {n}" for n in range(9)), "more than 8 queries"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused_with_the_reason(line: str, reason: str):
    with pytest.raises(ModelReplyError) as caught:
        read_plan(recall(line), "Why?")
    assert reason in str(caught.value.facts["reason"])


def test_a_route_is_a_word_and_weights():
    assert read_route("<route> both </route>") == Route()
    assert read_route("<route>recall episodic=0.25</route>") == Route(write=False, episodic=0.25)
    assert read_route("<route>neither</route>") == Route(recall=False, write=False)
    with pytest.raises(ModelReplyError, match="a route is one of"):
        read_route("<route>perhaps</route>")


@pytest.mark.parametrize(
    ("words", "named"), [("Oslo", True), ("the Beatles", True), ("tea", False), ("東京", True)]
)
def test_a_name_has_a_capital_where_the_script_has_any(words: str, named: bool):
    assert is_name(words) is named


WORDS = """ADD UPDATE RETRACT NOTE LINK none | \\| m1 [m2] Alice lives = kind=x ; 2024 2024-13 0000
.. entities: hop: ^ <engram> </engram> <recall> </recall> <route> both </route> blocks: episodic=
0.5 1 <think> </think> ``` since:2024 until:9999-12-31 past:yes"""
UNSEEN = ("\n", " ", " | ", "\x00", "\u202e", "\ud800", "\N{ARABIC-INDIC DIGIT TWO}" * 4)
LINE_PARTS = st.sampled_from((*WORDS.split(), *UNSEEN))
GARBAGE = st.one_of(st.text(max_size=200), st.lists(LINE_PARTS, max_size=30).map("".join))


@given(GARBAGE, st.sampled_from(["engram", "recall", "route", None]))
@example("ADD | a | b | c | 9999-12", "engram")
@example("since: 0000", "recall")
def test_garbage_is_read_or_refused_and_nothing_else(garbage: str, block: str | None):
    reply = f"<{block}>{garbage}</{block}>" if block else garbage
    for read in (read_engram, read_route, lambda words: read_plan(words, "Why?")):
        assert refusal(read, reply) != ""


def refusal(read: Callable[[str], object], reply: str) -> object:
    try:
        read(reply)
    except ModelReplyError as refused:
        return refused.facts["reason"]
    return None


FIELD = st.text(
    st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=20
).filter(lambda words: words == " ".join(words.split()))


@given(st.sampled_from(["ADD", "UPDATE", "RETRACT"]), FIELD, FIELD, FIELD)
def test_what_is_written_in_the_grammar_is_read_back(
    act: str, subject: str, relation: str, obj: str
):
    (operation,) = engram_lines(f"{act} | {subject} | {relation} | {obj}").operations
    assert (operation.act.value, operation.subject) == (act, subject)
    assert (operation.relation, operation.object) == (relation, obj)


def test_a_reply_of_too_many_operations_is_refused():
    with pytest.raises(ModelReplyError, match=f"more than {LIMITS.operations} operations"):
        read_engram(engram(*["NOTE | a"] * (LIMITS.operations + 1)))


TURN = "Alice: My sister Ana moved to the old town of Oslo, she loves climbing."


def add(subject: str, relation: str, obj: str, **qualifiers: str) -> Operation:
    return Operation(
        act=Act.ADD, subject=subject, relation=relation, object=obj, qualifiers=qualifiers
    )


@pytest.mark.parametrize(
    ("text", "language", "why"),
    [
        ("Ana lives in Oslo", "en", ""),
        ("Anna wohnt jetzt mit der Schwester in Oslo und ist nicht allein", "en", "'de'"),
        ("elle habite à Oslo avec sa sœur et le chat qui est dans la maison", "en", "'fr'"),
        ("Anna wohnt jetzt mit der Schwester in Oslo und ist nicht allein", "de", ""),
        ("Mon frère travaille comme professeur à Lyon", "en", "'fr'"),
        ("Chiara eats no bread no pasta", "en", ""),
        ("She has two cats and a dog", "de", "'en'"),
        ("Анна живёт в Осло", "en", "Cyrillic letters"),
        ("Анна живёт в Осло", "ru", ""),
        ("安娜住在奥斯陆", "en", "Cjk letters"),
        ("Москва", "xx", ""),
    ],
)
def test_a_text_in_another_language_is_told(text: str, language: str, why: str):
    found = foreign(text, language)
    assert (why in found) if why else (found == "")


def test_a_name_may_be_written_as_the_turn_wrote_it():
    assert foreign("Ana likes Москва", "en", source="I like Москва") == ""


@given(st.text(max_size=80), st.sampled_from(["en", "de", "zh", "xx"]))
def test_a_text_is_never_foreign_to_itself_by_script(text: str, language: str):
    assert "letters" not in foreign(text, language, source=text)
    assert all(script == script.upper() for script in scripts_of(text))


def test_stems_hold_the_words_and_their_stems():
    assert stems("Ana's climbing") == {"ana", "climbing", "climb"}


def test_what_the_turn_says_is_not_invented():
    check_invented([add("Ana", "lives in", "Oslo", where="old town")], TURN)
    check_invented([add("Ana", "enjoys", "climb")], TURN)
    check_invented([Operation(act=Act.NOTE, text="Ana loves climbing very much.")], TURN)


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (add("Ana", "lives in", "Bergen"), "Bergen"),
        (add("Anna", "lives in", "Oslo"), "Anna"),
        (add("Ana", "lives in", "Oslo", where="harbour"), "harbour"),
        (Operation(act=Act.NOTE, text="Bears eat salmon near rivers."), "Bears, eat, salmon"),
    ],
)
def test_what_nobody_said_is_refused_by_name(operation: Operation, words: str):
    with pytest.raises(ModelReplyError, match=f"invented: {words}"):
        check_invented([operation], TURN)


def test_dates_and_the_user_are_free():
    check_invented([add("user", "moved in", "May 2024")], "I moved.")


def test_an_operation_in_another_language_is_refused():
    with pytest.raises(ModelReplyError, match="Cyrillic"):
        check_language([add("Ana", "живёт в", "Oslo")], "en", TURN)
    check_language([add("Ana", "lives in", "Oslo")], "en", TURN)
