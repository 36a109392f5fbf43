"""What of a turn is told: not what is asked, quoted, supposed, wished, joked or pasted."""

import pytest

from mags.models.policy.rules.clauses import declaratives as read
from mags.models.policy.rules.fitting import fits
from tests.models.policy.reading import POLICY, facts, turn


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "I'm 42 and earn 65k, can you help me make a budget?",
            [("Alice", "age", "42"), ("Alice", "earns", "65k")],
        ),
        (
            "I live in Porto and work at a bakery, so what would you cook",
            [("Alice", "lives in", "Porto"), ("Alice", "works at", "bakery")],
        ),
        ("my sister Ana lives in Rome how do i get there", [("Alice", "sister", "Ana"),
                                                           ("Ana", "lives in", "Rome")]),
        ("I'm allergic to nuts - any ideas for lunch?", [("Alice", "is allergic to", "nuts")]),
        ("I play the cello. Do you?", [("Alice", "plays", "cello")]),
        ("Can you help me? I moved to Oslo in May.", [("Alice", "lives in", "Oslo")]),
    ],
)  # fmt: skip
def test_what_is_told_before_a_request_is_read_and_the_request_is_not(text, told):
    assert [one[1:] for one in facts(text)] == told
    assert POLICY.write(turn(text), (), ()).is_question


@pytest.mark.parametrize(
    "text",
    [
        "I move to Rome if she agrees.",
        "I would move to Rome.",
        "I might move to Rome.",
        "I wish I lived in Rome.",
        "Do I live in Rome?",
        'The sign said "I live in Rome and I work at Acme."',
        "Imagine that I live in Rome.",
        "I live in Rome /s",
        "In my game I live in Rome.",
        "no wait, I meant the other company",
        "I'm 200 years old.",
        "I live in a budgeting app.",
        "I work at the job.",
    ],
)
def test_what_is_not_told_as_so_is_no_fact(text):
    assert facts(text) == []


@pytest.mark.parametrize(
    ("relation", "object", "kept"),
    [
        ("age", "119", True),
        ("age", "200", False),
        ("age", "six", True),
        ("lives in", "Oslo", True),
        ("lives in", "small flat", True),
        ("lives in", "fear", False),
        ("lives in", "Friday", False),
        ("sister", "Ana", True),
        ("sister", "great help", False),
        ("works as", "nurse", True),
        ("works as", "4", False),
        ("is", "44.90", False),
        ("plans", "6-9 June", False),
        ("works at", "job", False),
        ("is married to", "Bob", True),
        ("is married to", "job", False),
    ],
)
def test_what_fills_a_slot_is_of_its_type(relation, object, kept):
    assert fits(relation, object) is kept


def test_of_a_pasted_text_only_what_is_told_in_the_first_person_is_read():
    pasted = "\n".join(f"Person{i} lives in Town{i}." for i in range(40))
    assert facts(f"{pasted}\nI live in Oslo.\n> I live in Rome.\n- I work at Acme") == [
        ("ADD", "Alice", "lives in", "Oslo")
    ]


def test_however_long_a_pasted_text_is_no_more_than_so_many_words_of_it_are_looked_at():
    lists = [", ".join(f"item {i}" for i in range(n)) for n in (2_000, 4_000)]
    lines = ["\n".join(f"my item {i}" for i in range(n)) for n in (2_000, 4_000)]
    for short, long in (lists, lines):
        assert sum(len(one.words) for one in read(short)) == sum(len(o.words) for o in read(long))


def test_whose_things_a_turn_speaks_of_is_looked_up_and_nothing_else():
    assert POLICY.wants(turn("Greta lives in Graz."), ()) == ()
    assert POLICY.wants(turn("Where is my sister?"), ()) == ()
    assert {"Alice", "Alice's sister"} <= set(POLICY.wants(turn("My sister moved."), ()))
