"""What a prompt holds: filled by worth, nothing twice, a long memory cut rather than skipped."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mags.models.answer.context import LONGEST, SHORTEST, by_day, fill
from mags.ports.answer import ContextItem
from mags.ports.chat import estimate

MAY_3 = 1714694400.0  # 2024-05-03 00:00 UTC
DAY_S = 86_400.0
SENTENCES = ("It rained all day. ", "My dog is called Rex! ", "We went home.\n", "I like tea. ")
WORDS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=60).map("".join)
OSLO = ContextItem(id=42, text="I moved to Oslo.", speaker="Alice", at=MAY_3)
HOME = ContextItem(
    id=43,
    kind="fact",
    text="Alice lives in Oslo.",
    speaker="Alice",
    at=MAY_3,
    fact=("Alice", "lives in", "Oslo"),
    within=42,
)


def items(texts: list[str]) -> list[ContextItem]:
    return [
        ContextItem(id=n, text=text, speaker="Ana", at=MAY_3 + DAY_S * (n % 3))
        for n, text in enumerate(texts, start=1)
    ]


@given(st.lists(WORDS, max_size=30), st.integers(60, 800))
def test_the_lines_keep_to_the_budget(texts: list[str], tokens: int):
    lines = by_day(fill("What is the dog called?", items(texts), tokens))
    assert sum(estimate(line) for line in lines) <= tokens + len(lines)


@given(st.lists(WORDS, max_size=30), st.integers(60, 800))
def test_none_is_skipped_for_a_worse_one(texts: list[str], tokens: int):
    shown = [one.item.id for one in fill("What is the dog called?", items(texts), tokens)]
    assert shown == list(range(1, len(shown) + 1))


@given(st.lists(WORDS, min_size=1, max_size=12))
def test_with_room_enough_everything_is_shown_whole(texts: list[str]):
    shown = fill("What is the dog called?", items(texts), 100_000)
    assert [one.text for one in shown] == [" ".join(text.split()) for text in texts]


def test_a_long_memory_is_shown_by_the_passages_that_share_the_questions_words():
    text = "It rained all day. " * 40 + "My dog is called Rex. " + "We went home. " * 40
    (long,) = fill("What is the dog called?", items([text]), 60)
    assert "My dog is called Rex." in long.text
    assert not long.whole


def test_what_is_left_of_the_budget_goes_to_what_was_cut():
    long = "It rained all day. " * 30
    alone = fill("Rain?", items([long]), 400)
    beside = fill("Rain?", items([long] * 30), 400)
    assert alone[0].whole
    assert estimate(beside[0].text) <= max(SHORTEST + 8, 400 * LONGEST)


def test_a_fact_that_the_turn_beside_it_says_is_not_shown_again():
    assert [one.item.id for one in fill("", [OSLO, HOME], 400)] == [42]
    led = [replace(HOME, within=None), replace(OSLO, within=43)]
    assert [one.item.id for one in fill("", led, 400)] == [42]


def test_a_fact_that_says_more_than_its_turn_is_shown_with_it():
    for more in (
        replace(HOME, current=False),
        replace(HOME, disputed=True),
        replace(HOME, valid_from=MAY_3),
        replace(HOME, qualifiers=(("with", "Ana"),)),
        replace(HOME, text="Alice lives in Rome.", fact=("Alice", "lives in", "Rome")),
    ):
        assert [one.item.id for one in fill("", [OSLO, more], 400)] == [42, 43]


def test_what_is_known_already_is_not_shown_again():
    assert fill("", [OSLO], 400, {42}) == []


def test_each_day_stands_with_its_weekday_above_what_was_said_on_it():
    later = ContextItem(id=1, text="It rains.", speaker="Bob", at=MAY_3 + DAY_S)
    theme = ContextItem(id=2, kind="theme", text="Moving house.", at=float("-inf"))
    assert by_day(fill("", [later, OSLO, theme], 400)) == [
        "At no known time:",
        "[m2] Moving house.",
        "Friday 3 May 2024:",
        "[m42] Alice: I moved to Oslo.",
        "Saturday 4 May 2024:",
        "[m1] Bob: It rains.",
    ]
