"""Verb forms, and questions for everything about something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.ports.english import (
    forms,
    gerund,
    guess,
    is_time,
    is_verb,
    lemma,
    past_tense,
    third_person,
    topic_of,
)


@pytest.mark.parametrize(
    ("base", "third", "past", "participle", "ing"),
    [
        ("move", "moves", "moved", "moved", "moving"),
        ("go", "goes", "went", "gone", "going"),
        ("study", "studies", "studied", "studied", "studying"),
        ("quit", "quits", "quit", "quit", "quitting"),
        ("plan", "plans", "planned", "planned", "planning"),
        ("die", "dies", "died", "died", "dying"),
        ("have", "has", "had", "had", "having"),
    ],
)
def test_every_form_of_a_verb_leads_back_to_its_base(base, third, past, participle, ing):
    assert (third_person(base), past_tense(base), gerund(base)) == (third, past, ing)
    for word in (base, third, past, participle, ing):
        assert lemma(word) == base


def test_a_shared_form_goes_to_the_verb_it_is_an_inflection_of():
    assert lemma("found") == "find"
    assert lemma("founded") == "found"
    assert {form for _, form in forms("put")} == {"base", "past", "participle"}


def test_an_unlisted_verb_is_guessed_only_when_asked():
    assert not is_verb("zorbed")
    assert (lemma("zorbed"), guess("zorbed")) == ("zorbed", "zorb")


@given(st.text(max_size=20))
def test_no_word_raises(word):
    assert isinstance(guess(word), str)
    assert isinstance(past_tense(word or "x"), str)


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What do you know about Ana?", "Ana"),
        ("tell me about the garden", "the garden"),
        ("Okay, can you tell me everything about Ana?", "Ana"),
        ("What have I told you about rowing?", "rowing"),
        ("Give me an overview of the Brightwater project.", "the Brightwater project"),
        ("Describe Ana.", "Ana"),
        ("Sum up what you know about me", "me"),
        ("tell me everything you know about Ana", "Ana"),
        ("What all have you got on Ana?", ""),
    ],
)
def test_an_overview_asks_for_everything_about_something(question: str, topic: str):
    assert topic_of(question) == topic


@pytest.mark.parametrize(
    "question",
    [
        "Where does Ana live?",
        "Tell me about Ana's job.",
        "Tell me about Ana\u2019s job.",
        "What do you know about my sister?",
        "Tell me about where Ana lives.",
        "Tell me about the home of Ana.",
        "Who is Ana?",
        "Describe how Ana works.",
        "Is Ana about?",
        "",
    ],
)
def test_a_question_for_one_thing_is_no_overview(question: str):
    assert topic_of(question) == ""


TIMES = ("seven", "5:45", "9am-5pm", "six to two", "7 am", "night", "Saturdays", "around 8.30")
OTHERS = ("Bravida", "Seven Seas", "3M", "10 Downing Street", "a 2016 Jimny", "Sunday Times")


def test_a_time_of_the_day_or_the_week_is_known():
    assert [words for words in (*TIMES, *OTHERS) if is_time(words)] == [*TIMES]
