"""The guardrails: foreign scripts and languages, and words nobody said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.errors import ModelReplyError
from mags.models.grammar import check_invented, check_language, foreign, scripts_of
from mags.models.words import stems
from mags.ports.policy import Act, Operation

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
