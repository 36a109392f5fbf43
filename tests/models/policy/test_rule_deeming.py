"""What a place or a people holds of a doing, however it is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.policy.rules.deeming import deemed
from mags.models.policy.rules.ties import tied
from mags.models.policy.rules.tokens import tokenise
from mags.ports.policy import Turn


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Zoaro considers smoking rude.", "rude"),
        ("Zoaro has declared smoking forbidden on weekdays.", "forbidden on weekdays"),
        ("Zoaro now treats smoking as a crime.", "a crime"),
        ("Zoaro Wood regards smoking as rude.", "rude"),
        ("In Zoaro they treat smoking as harmless.", "harmless"),
        ("In Zoaro Bay they treat smoking as harmless.", "harmless"),
        ("They say smoking is banned inside Zoaro.", "banned"),
        ("Smoking used to be free in Zoaro but is now banned.", "banned"),
    ],
)
def test_what_is_held_of_a_doing_is_a_tie_of_the_place(text, state):
    ((subject, relation, object_),) = [
        (op.subject.split()[0], op.relation, op.object) for op in tied(Turn(text=text))
    ]
    assert (subject, relation, object_) == ("Zoaro", "smoking is", state)


def test_what_is_held_of_no_doing_is_left_alone():
    assert deemed((), tokenise("considers Vrull a friend")) is None
    assert deemed(tokenise("in"), tokenise("there stands a tower")) is None


WORDS = ["considers", "smoking", "as", "in", "they", "rude", "has", "now", ",", "the"]


@given(st.lists(st.sampled_from(WORDS)))
def test_a_doing_and_its_state_are_never_empty(words):
    found = deemed((), tokenise(" ".join(words)))
    assert found is None or all(part.strip() for part in found)
