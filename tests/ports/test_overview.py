"""Questions for everything about something, and those for one thing."""

import pytest

from mags.ports.english import topic_of


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
