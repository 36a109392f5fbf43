"""What amounts that turns tell come to: which is more, a sum, a difference."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.answer.amounts import compared, worked_out
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn

ASKED_AT = datetime(2025, 9, 20, tzinfo=UTC).timestamp()


def told(*texts: str, speaker: str = "Ines") -> list[ContextItem]:
    at = datetime(2025, 3, 1, 9, tzinfo=UTC).timestamp()
    return [
        ContextItem(id=n, text=text, speaker=speaker, at=at + 60 * n)
        for n, text in enumerate(texts, 1)
    ]


def which(question: str, items: Sequence[ContextItem], speaker: str = "Ines") -> str | None:
    asked = Turn(text=question, speaker=speaker, at=ASKED_AT)
    found = compared(asked, items, {item.id for item in items})
    return found[0] if found else None


@pytest.mark.parametrize(
    ("question", "texts", "answer"),
    [
        (
            "Which was dearer, the blue cloth or the yellow one?",
            ["I paid 120 cedis for the blue cloth and 95 for the yellow one."],
            "the blue cloth",
        ),
        (
            "Which of the two prams is cheaper?",
            ["The red pram costs 640 euro.", "The grey one is 580 euro, with small wheels."],
            "The grey one",
        ),
        ("who's older, Vera or Misha?", ["my sister Vera is 31", "Misha's 27"], "Vera"),
        (
            "Who is older, Leo or Marta?",
            ["Leo was born in March 2017.", "My niece Marta was born in October 2015."],
            "Marta",
        ),
        (
            "Who joined the rose society earlier, Dorothy or I?",
            ["I joined the rose society in 2009.", "My friend Dorothy joined it in 2012."],
            "you",
        ),
        (
            "Whose bag is heavier, mine or my daughter's?",
            ["My bag weighs nine kilos.", "My daughter's school bag weighs eleven."],
            "my daughter's",
        ),
        (
            "Which takes longer, the coast road or the pass?",
            ["The coast road takes 95 minutes.", "Over the pass it is an hour and 2 hours back."],
            None,  # two amounts in a clause are of nothing for sure
        ),
        (
            "Which is quicker for me, the bus or the train?",
            ["The bus takes me an hour: 1.5 hours.", "The train takes 50 minutes."],
            "the train",
        ),
        (
            "Which of my dogs is younger?",
            ["The sheepdog is four, and the terrier is eleven."],
            "The sheepdog",
        ),
        (
            "Who has more hives, Agnieszka or Jacek?",
            ["Agnieszka has four hives.", "Jacek has nine hives and two goats."],
            "Jacek",
        ),
    ],
)
def test_the_one_that_is_more_is_named(question: str, texts: list[str], answer: str | None) -> None:
    assert which(question, told(*texts)) == answer


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Which is dearer, the tent or the stove?", ["The tent was 90 euros.", "A good stove!"]),
        ("Which is dearer, the tent or the stove?", ["The tent was 90 euros, the stove $95."]),
        ("Which is dearer, judo or the harp?", ["Judo is 140 a year; the harp is 60 a month."]),
        ("Who is older, Emeka or Ngozi?", ["Ngozi is my elder sister by four years, Emeka is 30."]),
        ("How much older is Vera than Misha?", ["my sister Vera is 31", "Misha's 27"]),
        ("Which of the two sofas is cheaper?", ["The beige sofa is 210 wide, the grey one 185."]),
        ("What was my budget at first?", ["The budget is 400 euros and the rest is 90 euros."]),
        ("Who is faster, Ada or Milo?", ["Ada ran in 6:50.", "Milo ran in 7:04."]),
        ("Who is older, Vera or Misha?", ["Vera is 31", "Misha's 31"]),
    ],
)
def test_what_is_not_told_of_both_alike_is_not_compared(question: str, texts: list[str]) -> None:
    assert which(question, told(*texts)) is None


MISLEADING = {
    "Who has more hens, Lea or Rui?": ["Lea might buy 30 hens, now she has 4.", "Rui has 11 hens."],
    "Which costs less, the van or the car?": ["If the van cost 50 euros!", "The car is 70 euros."],
    "Who has more sheep, Ida or Vera?": ["Ida no longer has 6 sheep.", "Vera has 4 sheep."],
    "Who has more goats, Ida or Vera?": ["Ida sold 6 goats and has 2 goats.", "Vera has 4 goats."],
    "Who is younger, Paul or Karl?": ["Paul was 30 when his son was born.", "Karl is 40."],
    "Which was colder, the attic or the hall?": ["The attic was minus 5 degrees, the hall 3."],
    "Which rug is cheaper?": ["The wool rug is 80 euros.", "The cotton rug is 90, at half price."],
    "Which is cheaper, the jute mat or the wool mat?": [
        "The jute mat is 90 euros. Cleaning the jute mat costs 20 euros. The wool mat is 80 euros."
    ],
    "Which is cheaper, tea or coffee?": ["Tea is 3 euros, coffee 4. On Mondays coffee is 2."],
    "Which of my cats is older?": ["My tabby cat is 4 and my black cat is 18 months."],
    "Which ring was cheaper?": ["The silver ring cost 1.200 euros and the gold ring cost 900."],
    "Which hotel is cheaper?": [
        "The Oslo hotel is 90 euros a night, the Bergen hotel 600 euros for the week."
    ],
    "Which is earlier, the play or the concert?": [
        "The play is on 3 May, the concert on 1 May.",
        "They put the concert off by a month.",
    ],
    "Which costs more, the bike or the bus?": [
        "The bike was 90.",
        "The bus is 80.",
        "The bike is 70.",
    ],
}
"""Amounts that may not be of what is compared, or not hold."""


@pytest.mark.parametrize("question", MISLEADING)
def test_an_amount_that_may_not_be_its_own_or_not_hold_decides_nothing(question: str) -> None:
    assert which(question, told(*MISLEADING[question])) is None


def test_what_others_say_of_themselves_is_not_mine() -> None:
    items = [*told("I am 41."), *told("I am 50.", speaker="Otto")]
    items[1] = ContextItem(id=9, text="I am 50.", speaker="Otto", at=items[0].at + 60)
    assert which("Who is older, Otto or I?", items) == "Otto"
    assert which("Who is older, Ines or I?", items, speaker="Otto") == "you"


@given(first=st.integers(1, 999), second=st.integers(1, 999))
def test_more_and_less_are_opposites(first: int, second: int) -> None:
    items = told(f"The red lamp costs {first} euros.", f"The green lamp costs {second} euros.")
    dear = which("Which is dearer, the red lamp or the green lamp?", items)
    cheap = which("Which is cheaper, the red lamp or the green lamp?", items)
    if first == second:
        assert dear is cheap is None
    else:
        assert {dear, cheap} == {"the red lamp", "the green lamp"}
        assert (dear == "the red lamp") == (first > second)


def result(question: str, items: Sequence[ContextItem]) -> str | None:
    asked = Turn(text=question, speaker="Ines", at=ASKED_AT)
    found = worked_out(asked, items, {item.id for item in items})
    return found[0] if found else None


@pytest.mark.parametrize(
    ("question", "texts", "answer"),
    [
        (
            "How many driving lessons do I have left?",
            ["I have booked ten driving lessons.", "I have had seven of my driving lessons."],
            "3",
        ),
        (
            "How many records did I buy altogether?",
            ["I bought four records at the fair.", "Today three more records."],
            "7",
        ),
        (
            "How much did the boat and the trailer bring in all?",
            ["I have sold the boat for 6,500 euros.", "The trailer went for 750."],
            "7,250 euros",
        ),
        (
            "How much did house and garden cost together?",
            ["The house cost 1,234,500 euros.", "The garden cost 67.25 euros."],
            "1,234,567.25 euros",
        ),
        ("By how much did the rent rise?", ["The rent went from 640 to 690 pounds."], "50 pounds"),
        (
            "How many hours did I work in total?",
            ["On Monday I worked 90 minutes.", "On Tuesday I worked another 2 hours."],
            "3.5 hours",
        ),
    ],
)
def test_sums_and_differences_are_worked_out(question: str, texts: list[str], answer: str) -> None:
    assert result(question, told(*texts)) == answer


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How many lessons are left?", ["I booked ten lessons.", "Four lessons are left."]),
        ("How many lessons are left?", ["I booked ten lessons."]),
        ("How many lessons did I book?", ["I booked ten lessons, then two more lessons."]),
        ("How many dogs are left?", ["Mother has two dogs.", "Kiko died, he was sixteen."]),
        ("How many pages are left in my book?", ["My book has 300 pages, my sister's 250 pages."]),
        ("How much is left to pay?", ["I paid him 50 euros, so I owe him 150 euros now."]),
        ("How many scarves in total?", ["I knitted 3 scarves.", "I want to knit 5 more scarves."]),
        ("By how much did the rent go up?", ["The rent is 760 euros, and heating is 80 euros."]),
        ("How many coins do I have in all?", ["I have 25 rare coins.", "I keep 12 old coins."]),
        ("How much is left to go?", ["I saved 300 euros for it.", "I saved 450 euros by now."]),
        ("How much is it in all?", ["The tent is 90 euros and the stove $40."]),
        ("How many bowls altogether?", ["I made two bowls, three bowls and four bowls."]),
    ],
)
def test_what_turns_do_not_tell_for_sure_is_not_worked_out(question: str, texts: list[str]) -> None:
    assert result(question, told(*texts)) is None


@given(first=st.integers(1, 999), second=st.integers(1, 999))
def test_a_sum_is_no_less_than_a_difference(first: int, second: int) -> None:
    items = told(f"I sold {first} tickets on Monday.", f"I sold {second} tickets on Tuesday.")
    assert (
        result("How many tickets did I sell on Monday and Tuesday together?", items)
        == f"{first + second:,}"
    )
    items = told(f"I had {first} tickets.", f"I sold {second} tickets on Tuesday.")
    left = result("How many tickets are left?", items)
    assert left == (f"{abs(first - second):,}" if first != second else None)


WORDS = st.sampled_from(
    (
        *("how many", "how much", "which", "older", "left", "altogether", "the red one of two"),
        *("by 3", "hundred and a half", "1,234.5", "£20", "$", "9" * 400, "-3", "50%", "5/6"),
        *("12:30", "or", "euros", "years", "twenty-one more", "3 May", "I'm", "?", ".", ","),
    )
)


@given(
    asked=st.lists(WORDS).map(" ".join), said=st.lists(st.lists(WORDS).map(" ".join), max_size=3)
)
def test_any_words_are_read_without_a_fault(asked: str, said: list[str]) -> None:
    items = told(*said)
    turn = Turn(text=asked, speaker="Ines", at=ASKED_AT)
    for found in (compared(turn, items, {1, 2, 3}), worked_out(turn, items, {1, 2, 3})):
        assert found is None or (found[0] and "nan" not in found[0] and "inf" not in found[0])
