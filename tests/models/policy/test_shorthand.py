"""What a trained model says in short stands for one reply in full, and for no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from mags.models.policy.taught import expand, shorten
from mags.ports.policy import Turn

TURN = Turn(text="Who is my sister?", speaker="Alice")
BEFORE = (Turn(text="Hello.", speaker="Bob"), Turn(text="Hello.", speaker="Alice"))
PLAN = """<recall>
Alice's sister
entities: Alice
hop: Alice | sister
hop: ^ | lives in
kind: place
</recall>"""
SHORT = """<recall>
hop: me | sister
hop: ^ | lives in
kind: place
</recall>"""


def engram(*lines: str) -> str:
    return "\n".join(("<engram>", *lines, "</engram>"))


def test_a_plan_follows_from_its_first_hop() -> None:
    assert shorten(PLAN, TURN) == SHORT
    assert expand(SHORT, TURN) == PLAN


def test_a_query_of_its_own_is_kept() -> None:
    own = PLAN.replace("Alice's sister", "sisters of Alice")
    assert shorten(own, TURN).split("\n")[1:3] == ["sisters of Alice", "entities: me"]
    assert expand(shorten(own, TURN), TURN) == own


def test_an_inverse_hop_is_looked_for_by_its_object() -> None:
    full = "<recall>\nlives in Oslo\nentities: Oslo\nhop: Oslo | lives in | inverse\n</recall>"
    assert shorten(full, TURN) == "<recall>\nhop: Oslo | lives in | inverse\n</recall>"
    assert expand(shorten(full, TURN), TURN) == full


def test_who_speaks_is_me_and_who_spoke_before_is_you() -> None:
    full = engram(
        "ADD | Alice | sister | Eve",
        "ADD | Alice's sister | knows | Bob",
        "RETRACT | Bob | met | Alice",
        "NOTE | Alice sleeps",
    )
    short = engram(
        "ADD | me | sister | Eve",
        "ADD | my sister | knows | you",
        "RETRACT | you | met | me",
        "NOTE | Alice sleeps",
    )
    assert shorten(full, TURN, BEFORE) == short
    assert expand(short, TURN, BEFORE) == full


def test_a_name_that_the_turn_spells_is_spelled() -> None:
    told = Turn(text="Bob lives in Oslo.", speaker="Alice")
    full = engram("ADD | Bob | lives in | Oslo")
    assert shorten(full, told, BEFORE) == full


def test_nobody_else_having_spoken_you_is_nobody() -> None:
    assert expand(engram("ADD | you | met | Eve"), TURN) == engram("ADD | you | met | Eve")


NAMES = some.sampled_from(
    ["Alice", "Bob", "me", "you", "my sister", "Alice's sister", "Thomas' dog"]
)
LINES = some.lists(
    some.one_of(
        some.builds("ADD | {} | sister | {}".format, NAMES, NAMES),
        some.builds("hop: {} | sister".format, NAMES),
        some.builds("entities: {}".format, NAMES),
        some.text(max_size=12),
    ),
    max_size=5,
)


@given(lines=LINES, speaker=some.sampled_from(["Alice", "Thomas", ""]))
def test_what_was_shortened_expands_to_itself_or_was_left_alone(
    lines: list[str], speaker: str
) -> None:
    turn, full = Turn(text="Well.", speaker=speaker), "\n".join(lines)
    short = shorten(full, turn, BEFORE)
    assert short == full or expand(short, turn, BEFORE) == full


@pytest.mark.parametrize(
    "reply", ["", "<recall>", "<recall>\nhop: ", "ADD | ", "hop: a | b | c | d", "a\nhop: | b"]
)
def test_any_text_can_be_expanded(reply: str) -> None:
    assert isinstance(expand(reply, TURN, BEFORE), str)
