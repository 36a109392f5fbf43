"""Talk in contractions, bare words and short messages, read as what it says plainly."""

import pytest

from tests.models.policy.reading import facts, write

TELLING = [
    ("ive moved to Kiel", ("ADD", "Alice", "lives in", "Kiel")),
    ("Mia's obsessed with horses", ("ADD", "Mia", "likes", "horses")),
    ("Tom's just moved back to Dublin", ("ADD", "Tom", "lives in", "Dublin")),
    ("I live in York for now", ("ADD", "Alice", "lives in", "York")),
    ("I started at Deloitte last Monday", ("ADD", "Alice", "works at", "Deloitte")),
    ("Could you remember that my locker code is 4471?", ("ADD", "Alice", "locker code", "4471")),
    ("My birthday's in May", ("ADD", "Alice", "birthday", "May")),
]


@pytest.mark.parametrize(("said", "told"), TELLING)
def test_what_is_said_as_people_talk_is_read_as_what_it_says(said, told):
    assert told in facts(said)


def test_several_owned_have_a_plural_verb():
    for said, told in (
        ("My parents live in Rome", "Alice's parents live in Rome."),
        ("My boss lives in Rome", "Alice's boss lives in Rome."),
    ):
        assert [op.text for op in write(said).operations] == [told]
