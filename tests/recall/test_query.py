"""What a question is made into."""

import pytest

from mags.recall.query import means_assistant


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
