"""A topic put before a statement is what its pronoun stands for."""

import pytest

from tests.models.policy.reading import facts

TELLING = [
    ("As for my brother, he lives in Bonn.", ("ADD", "Alice's brother", "lives in", "Bonn")),
    ("Well, as for Ana, she works at Tesco.", ("ADD", "Ana", "works at", "Tesco")),
    ("When it comes to coffee, I like it black.", ("ADD", "Alice", "likes", "coffee black")),
]


@pytest.mark.parametrize(("said", "told"), TELLING)
def test_a_pronoun_stands_for_the_topic_before_it(said, told):
    assert told in facts(said)


def test_a_topic_that_nothing_takes_up_changes_nothing():
    assert facts("As for me, I live in Bonn.") == facts("I live in Bonn.")
