"""How near a reply comes: letters by hand, and what holds for any names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.grammar import read_engram, read_plan
from mags_lab.training.closeness import alike, closeness, distance

TOLD = "<engram>\nADD | Zora | lives in | Oslo\nADD | Bo | works at | Acme\n</engram>"
NAMES = st.text(alphabet="abco", max_size=6)


def engram(said: str) -> float:
    return closeness(read_engram(f"<engram>\n{said}\n</engram>"), read_engram(TOLD))


@pytest.mark.parametrize(
    ("one", "other", "letters"),
    [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "abc", 0), ("ab", "ba", 2)],
)
def test_the_distance_is_the_letters_to_be_changed(one: str, other: str, letters: int) -> None:
    assert distance(one, other) == letters


@given(NAMES, NAMES, NAMES)
def test_the_distance_is_a_metric(one: str, other: str, third: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert distance(one, third) <= distance(one, other) + distance(other, third)


def test_names_that_share_less_than_half_are_different() -> None:
    assert alike("oslo", "oslo") == 1.0
    assert alike("oslo", "osla") == 0.75
    assert alike("oslo", "rome") == 0.0


def test_each_item_is_laid_beside_the_one_it_is_nearest_to() -> None:
    assert engram("ADD | Bo | works at | Acme\nADD | Zora | lives in | Oslo") == 1.0
    # Act, relation, more, subject, and three letters of four.
    assert engram("ADD | Zora | lives in | Osla") == pytest.approx(2 * (4.75 / 5) / 3)


def test_silence_is_near_silence_alone() -> None:
    assert engram("none") == 0.0
    silent = read_engram("<engram>\nnone\n</engram>")
    assert (closeness(silent, silent), closeness(read_engram(TOLD), silent)) == (1.0, 0.0)


def test_lines_of_a_plan_are_compared_with_their_like() -> None:
    want = read_plan("<recall>\nq\nentities: Ana\nhop: Ana | boss\nkind: person\n</recall>", "")
    got = read_plan("<recall>\nq\nentities: Anna\nhop: Anna | boss\nkind: thing\n</recall>", "")
    assert closeness(want, want) == 1.0
    # The query; entity 3/4; hop: place, relation and direction, subject 3/4; kind wrong.
    assert closeness(got, want) == pytest.approx(2 * (1 + 0.75 + 3.75 / 4 + 0) / 8)
