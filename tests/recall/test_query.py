"""What a question is made into."""

import pytest

import mags
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Plan
from mags.recall.candidates import means_assistant, prepare
from mags.recall.settings import RecallSettings
from tests.recall.small import Small


@pytest.mark.parametrize(
    "question",
    [
        "Can you remind me of the handle of the designer?",
        "What did you recommend for dinner?",
        "Could you tell me which book you suggested?",
        "What was your advice about the roof?",
        "You listed five cities; which was the third?",
    ],
)
def test_you_means_what_the_assistant_said(question):
    assert means_assistant(question)


@pytest.mark.parametrize(
    "question",
    [
        "Can you recommend some events this weekend?",
        "Do you have any ideas for my next painting?",
        "I keep sneezing. Do you think it might be the cat?",
        "Could you please suggest a hotel for my trip?",
        "What would you suggest I cook tonight?",
        "Where does Ana live?",
    ],
)
def test_you_is_only_asked(question):
    assert not means_assistant(question)


def asked(*queries):
    small = Small()
    small.say("Hiking in the hills is what I did on Sunday.")
    return prepare(small.state, Plan(queries=queries), RecallSettings())


def test_a_further_query_with_the_words_of_the_question_is_not_searched():
    query = asked("Where did Bo hike?", "Bo hiked in", "Bo hike")
    assert query.terms == (("bo", "hike"), ("bo", "hike"))
    assert query.texts == ("where did bo hike",)


def test_a_further_query_with_words_of_its_own_is_searched():
    query = asked("Where did Bo hike?", "Bo hiked in", "Bo hills")
    assert query.terms[2] == ("bo", "hill")
    assert query.texts == ("where did bo hike", "bo hills")


@pytest.mark.parametrize(
    ("speakers", "found"),
    [
        (("Sarah Miller", "Tom"), "Sarah Miller"),
        (("Sarah Miller", "Sarah Jones"), ""),
        (("Sarah Miller", "Sarah"), "Sarah"),
    ],
)
def test_a_first_name_that_others_use_means_the_one_speaker_who_has_it(speakers, found):
    with mags.open(None, embedder=HashEmbedder(64), policy=RulePolicy()) as memory:
        for speaker in speakers:
            memory.observe("It rained all day.", speaker=speaker)
        memory.assert_fact("Sarah", "likes", "pottery")
        with memory._live.reading() as state:
            plan = Plan(queries=("What did Sarah start?",))
            query = prepare(state, plan, RecallSettings())
            assert [state.content(i).text for i in query.speakers] == [found][: bool(found)]
