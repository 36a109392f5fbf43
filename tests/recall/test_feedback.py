"""What the best turns raise, and what was said to keep to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mags.index.tokens import AnswerMark
from mags.recall.candidates import expected
from mags.recall.settings import FeedbackSettings, RecallSettings
from tests.recall.small import DAY, Small

WITHOUT = RecallSettings(feedback=FeedbackSettings(first=0))
QUESTION = "What became of the application to the firefighters?"


def story(speaker: str = "Ana") -> Small:
    """A story of which one turn shares no word with the question, among what somebody else says."""
    small = Small()
    small.say(
        "I sent an application to the firefighters",
        "The firefighters test is with a heavy doll",
        speaker=speaker,
        at=1 * DAY,
    )
    small.say("Dropped that doll on Friday", speaker=speaker, at=9 * DAY, session="s2")
    for i, text in enumerate(("The soup was cold", "Blue paint is sold out", "A bus came late")):
        small.say(text, speaker="Ben", at=(2 + i) * DAY, session=f"b{i}")
    return small


def added(found) -> dict[str, float]:
    return {
        hit.text: part.shares["feedback"]
        for hit, part in zip(found.hits, found.trace.hits, strict=True)
    }


def test_a_turn_of_the_story_is_raised_though_it_shares_no_word_with_the_question():
    told, shares = story(), added(story().ask(QUESTION, k=6))
    assert shares["Dropped that doll on Friday"] > shares["The soup was cold"]
    with_it, without = (
        [hit.text for hit in told.ask(QUESTION, k=6, settings=one).hits]
        for one in (RecallSettings(), WITHOUT)
    )
    place = "Dropped that doll on Friday"
    assert with_it.index(place) <= without.index(place)


@settings(deadline=None, max_examples=20)
@given(st.floats(0.0, 50.0), st.floats(0.0, 50.0))
def test_nothing_comes_before_the_best_turn_that_did_not(company: float, words: float):
    small = story()
    feedback = FeedbackSettings(company=company, words=words)
    found = small.ask(QUESTION, k=6, settings=RecallSettings(feedback=feedback))
    assert found.hits[0].text == small.ask(QUESTION, k=6, settings=WITHOUT).hits[0].text


def test_documents_raise_nothing_and_neither_does_the_tier_fast():
    documents = Small()
    documents.say("The firefighters test is with a heavy doll", "That doll is heavy", speaker="")
    assert not any(added(documents.ask(QUESTION, k=6)).values())
    fast = story().ask(QUESTION, k=6, settings=RecallSettings(tier="fast"))
    assert not any(added(fast).values())


def test_what_asks_nothing_leads_on_to_nothing():
    assert set(added(story().ask("The firefighters are on my mind.", k=6)).values()) == {0.0}


def kept_to() -> Small:
    small = Small()
    small.say("Please never put olives into a dish", speaker="Ana", at=1 * DAY)
    small.say("I never saw olives grow", speaker="Ben", at=2 * DAY, session="s2")
    for i in range(5):
        small.say(f"We had dinner number {i} in town", speaker="Ben", at=(3 + i) * DAY)
    return small


@pytest.mark.parametrize("speaker", ["Ana", "Ben"])
def test_what_was_said_to_keep_to_comes_up_for_a_request_of_who_said_it(speaker: str):
    small = kept_to()
    found = small.ask(f"Can you suggest a dinner for {speaker}?", k=7)
    both = zip(found.hits, found.trace.hits, strict=True)
    marked = {hit.text: part.features["standing"] for hit, part in both}
    raised = {text for text, value in marked.items() if value}
    assert raised == ({"Please never put olives into a dish"} if speaker == "Ana" else set())


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Write me a greeting.", True),
        ("recipe for banana bread pls", True),
        ("What should we order on Saturday?", True),
        ("any quick dinner ideas?", True),
        ("Where does Ana live?", False),
        ("When did I move?", False),
    ],
)
def test_a_request_asks_for_what_is_to_be_kept_to(question: str, asked: bool):
    assert bool(expected(question) & AnswerMark.STANDING) is asked


def test_marks_of_older_rules_are_made_anew():
    small = kept_to()
    lexicon = small.state.lexicon
    held = lexicon.marks.copy()
    lexicon.marks[:], lexicon.rules = 0, 2
    small.state.reindex()
    assert np.array_equal(lexicon.marks, held)
