"""A topic put before a statement changes nothing of it."""

from tests.models.policy.reading import facts


def test_a_topic_that_nothing_takes_up_changes_nothing():
    assert facts("As for me, I live in Bonn.") == facts("I live in Bonn.")
