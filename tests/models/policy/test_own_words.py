"""What is quoted of somebody else who speaks of themself is none of the speaker's own words."""

from __future__ import annotations

import pytest

from mags.models.policy.rules import RulePolicy
from mags.models.policy.rules.tokens import own_words
from mags.ports.policy import Turn


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("Tom said: I live in Graz.", ""),
        ('Tom said "I live in Graz" again.', " again."),
        ('My sister wrote, "We moved. I love it." So I live alone.', " So I live alone."),
        ("Tom said, 'I\u2019m in Graz, it's fine.' I am not.", " I am not."),
        ("As my mum says: I live for tea.", ""),
        ("Well, Ana told me: my dog is ill. I live in Ghent.", "Well,  I live in Ghent."),
    ],
)
def test_what_another_says_of_themself_is_left_out(said, own):
    assert own_words(said) == own


@pytest.mark.parametrize(
    "said",
    [
        "I said: I live in Graz.",
        "As I told her: I live in Graz.",
        "That being said, I live in Graz.",
        "Tom said that I live in Graz.",
        "Tom said: Ana lives in Porto.",
        "Note: I moved to Graz.",
        'I read "Emma" and liked it.',
    ],
)
def test_all_else_stays(said):
    assert own_words(said) == said


def test_no_fact_of_who_speaks_is_read_out_of_what_they_quote():
    turn = Turn(text="Tom said: I live in Graz. I work at Stem.", speaker="Dora", at=1.7e9)
    written = RulePolicy().write(turn, (), ())
    assert [(one.subject, one.object) for one in written.operations] == [("Dora", "Stem")]
    assert {"Tom", "Graz"} <= set(written.mentions)
