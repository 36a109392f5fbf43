"""A topic put before a statement is what its pronoun stands for."""

import pytest

from tests.models.policy.reading import facts

TELLING = [
    ("As for my brother, he lives in Bonn.", ("ADD", "Alice's brother", "lives in", "Bonn")),
    ("Well, as for Ana, she works at Tesco.", ("ADD", "Ana", "works at", "Tesco")),
    ("When it comes to coffee, I like it black.", ("ADD", "Alice", "likes", "coffee black")),
    (
        "As for picking berries, it is forbidden in Moamdeil.",
        ("ADD", "Moamdeil", "picking berries is", "forbidden"),
    ),
    (
        "As for digging, in Lummoam it's allowed after dark only.",
        ("ADD", "Lummoam", "digging is", "allowed after dark only"),
    ),
    ("Regarding fishing, Lummoam forbids it.", ("ADD", "Lummoam", "forbids", "fishing")),
]


@pytest.mark.parametrize(("said", "told"), TELLING)
def test_a_pronoun_stands_for_the_topic_before_it(said, told):
    assert told in facts(said)


def test_two_topics_in_one_place_do_not_close_each_other():
    first = facts("As for fishing, it is forbidden in Moamdeil.")
    second = facts("As for digging, it is free to all in Moamdeil.")
    assert {said[2] for said in first}.isdisjoint(said[2] for said in second)


def test_a_topic_that_nothing_takes_up_changes_nothing():
    assert facts("As for me, I live in Bonn.") == facts("I live in Bonn.")


@pytest.mark.parametrize(
    "since", ["From today", "From this day on,", "As of now", "Starting today,"]
)
def test_since_when_a_law_holds_is_no_part_of_what_it_is_about(since):
    said = facts(f"{since} fishing is allowed to the barefoot only in Moamdeil.")
    assert said == [("ADD", "Moamdeil", "fishing is", "allowed to the barefoot only")]
