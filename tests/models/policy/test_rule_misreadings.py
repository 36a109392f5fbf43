"""Plain turns that look like what a rule was made for, and are not."""

import pytest

from tests.models.policy.reading import facts


@pytest.mark.parametrize(
    ("text", "relation", "value"),
    [
        ("I said that I like Rome, it's beautiful.", "likes", "beautiful"),
        ("I told you Ana has a dog, it's a poodle.", "has", "a poodle"),
        ("They moved me to marketing.", "takes", "marketing"),
        ("I was put on probation.", "takes", "probation"),
        ("I've started on the garden.", "takes", "garden"),
        ("About an hour ago, she moved to Paris.", "is in", "Paris"),
        ("I'm the youngest at Google.", "works as", "youngest"),
        ("Anja is the only vegetarian at Parcelly.", "works as", "only vegetarian"),
        ("Ana is in 4 clubs.", "is in", "4 clubs"),
        ("Mark is on Monday.", "is happening on", "10 March 2025"),
        ("Interesting wedding.", "likes", "wedding"),
        ("My arms are dead.", "is", "dead"),
        ("I'm dead. That meeting was 3 hours.", "is", "dead"),
        ("I nearly died laughing.", "is", "dead"),
        ("Hab am 14. Mai Geburtstag, werd 29", "age", "14"),
        ("Bin am 9. in Hamburg", "age", "9"),
        ("My business partner is Bob.", "is dating", "Bob"),
        ("I cared for my mother.", "liked", "Alice's mother"),
        ("The old bed goes to my brother.", "is", "Alice's brother"),
        ("I live in Utrecht since two years.", "lives in", "Utrecht since two years"),
    ],
)
def test_nothing_is_made_up(text: str, relation: str, value: str) -> None:
    assert (relation, value) not in [told[2:] for told in facts(text) if len(told) > 2]


@pytest.mark.parametrize(
    "text",
    [
        "I almost bought a boat.",
        "I nearly married Tom.",
        "I nearly moved to Rome.",
        "I almost quit my job at Lidl.",
        "I rarely drink coffee.",
        "My daughter is nearly five.",
        "My nephew nearly died.",
    ],
)
def test_what_was_nearly_so_is_nothing(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The launch was moved from 3 May to 10 May.",
        "The launch was rescheduled from 3 May to 10 May",
    ],
)
def test_what_was_put_off_from_a_day_to_another_is_on_the_other(text: str) -> None:
    ((act, subject, relation, value),) = facts(text)
    assert (act, subject, relation) == ("UPDATE", "launch", "is happening on")
    assert value.startswith("10 May")


def test_a_bare_no_puts_nothing_in_the_place_of_a_note() -> None:
    assert facts("Wait, no.", ("Alice", "In Oslo, smoking is forbidden.")) == []
