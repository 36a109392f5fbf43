"""What is over or denied, and facts of another kind than the one asked for."""

from dataclasses import replace

import pytest

from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.answer.question import content
from mags.models.answer.spans import Candidate, takes_back, tells_anew
from mags.models.policy.rules.tokens import stems
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn

LEFT_OPEN = ("I don't know.", "I am not sure.")

DAY = 86_400.0


def turn(id: int, text: str) -> ContextItem:
    return ContextItem(id=id, text=text, speaker="Dana", at=id * DAY, score=6.0 - id)


def fact(id: int, text: str, *parts: str, current: bool = True) -> ContextItem:
    return ContextItem(id=id, text=text, fact=parts, at=id * DAY, score=5.0, current=current)


def ask(text: str, *items: ContextItem) -> str:
    question = Turn(text=text, speaker="Dana", at=20_000 * DAY)
    return ExtractiveAnswerer().answer(question, items, recent=(), recall_again=lambda _: ()).text


def test_what_is_over_says_no_unless_it_holds_again():
    over = fact(1, "Ana works at Lumen.", "Ana", "works at", "Lumen", current=False)
    again = fact(2, "Ana works at Lumen.", "Ana", "works at", "Lumen")
    assert ask("Does Ana still work at Lumen?", over).startswith("No ")
    assert ask("Does Ana still work at Lumen?", over, again).startswith("Yes ")
    assert not ask("Did Ana work at Lumen?", over).startswith("No ")


def test_what_somebody_does_not_do_is_no_answer_to_what_they_do():
    cacti = fact(1, "Rosa does not sell cacti.", "Rosa", "does not sell", "cacti")
    assert "cacti —" not in ask("What does Rosa sell?", cacti)
    assert ask("Does Rosa sell cacti?", cacti).startswith("No ")


def test_another_than_what_does_it_is_no_answer():
    ci, prod = turn(1, "CI runs on GitHub"), turn(2, "prod is on Hetzner")
    assert not ask("Where does prod run?", ci, prod).startswith("CI")


def test_a_turn_without_a_day_goes_behind_one_with_it():
    coming = ContextItem(id=1, text="He's coming over for the wedding", speaker="Dana", score=5.0)
    day = turn(2, "They'll be married in Naples on 20 September")
    told = ask("When is the wedding?", coming, day)
    assert told.startswith("20 September 1970 ")


def test_a_month_is_no_place():
    moved = ContextItem(id=2, text="They moved the course to April 3rd", speaker="Dana", score=6.0)
    told = ContextItem(id=1, text="the course is in Porto", speaker="Dana", score=5.0)
    assert ask("Where is the course?", moved, told).startswith("Porto ")


def test_weekdays_tell_when_and_not_where():
    works = fact(1, "Dana works on Mondays and Fridays.", "Dana", "works on", "Mondays and Fridays")
    assert ask("Which days do I work?", works).startswith("Mondays and Fridays ")
    assert ask("When do I work?", works).startswith("Mondays and Fridays ")
    assert ask("Where do I work?", works).startswith(LEFT_OPEN)
    ship = fact(2, "Dana works on a cruise ship.", "Dana", "works on", "cruise ship")
    assert ask("Where do I work?", ship).startswith("a cruise ship ")


def test_one_value_is_no_sum_unless_it_is_told_as_one():
    once = turn(1, "I made $120 at the market on May 15th")
    assert ask("How much did I make at the market on May 15th?", once).startswith("$120 ")
    assert ask("How much did I make at the markets in total?", once).startswith(LEFT_OPEN)
    told = turn(2, "In total I made $495 at the markets")
    assert ask("How much did I make at the markets in total?", told).startswith("$495 ")


def test_a_sum_is_no_value_of_each_unless_it_is_told_so():
    mugs = turn(1, "I spent $60 on some coffee mugs for my coworkers")
    asked = "How much did I spend on each coffee mug for my coworkers?"
    assert ask(asked, mugs).startswith(LEFT_OPEN)
    told = turn(2, "I spent $12 on each coffee mug for my coworkers")
    assert ask(asked, told).startswith("$12 ")


def test_what_is_asked_of_all_times_is_not_answered_by_one():
    rode = turn(1, "I rode the rollercoaster three times on Sunday")
    assert ask("How many times did I ride it across all the fairs?", rode).startswith(LEFT_OPEN)


@pytest.mark.parametrize(
    ("said", "asked", "answer"),
    [
        ("I like coffee a lot", "Do I like coffee?", "Yes "),
        ("I don't like coffee at all", "Do I like coffee?", "No "),
        ("My son started school in May", "Do I have a son?", "Yes "),
    ],
)
def test_yes_or_no_is_said_by_what_the_turn_says(said, asked, answer):
    assert ask(asked, turn(1, said)).startswith(answer)


def test_a_day_told_later_of_something_else_is_no_news():
    moved = turn(2, "moved here two years ago, from Cork")
    read = Candidate(item=moved, head="2024", quote=moved.text, features={"cover": 0.0}, value=0.5)
    asked, told = content("When did I quit smoking?"), stems("2021")
    assert tells_anew(read, told, asked)  # "moved to Cork" need not say of whose home
    assert not tells_anew(replace(read, features={"cover": 0.0, "is time": 1.0}), told, asked)


@pytest.mark.parametrize(
    ("text", "said", "corrected"),
    [
        ("no sorry Cardiff!! he'd kill me. rest is right", "Cork", True),
        ("Scratch that, it was 40,000, Jamaican of course.", "4,000 dollars", True),
        ("no, Friday", "Monday", True),
        ("no, Duke runs like a puppy again, he's 11!", "Dr Mehta", False),
        ("sorry, I'm late", "Cork", False),
        ("no, 14", "Cork", False),
        ("no, Cardiff", "Yes", False),
    ],
)
def test_a_value_is_corrected_by_another_of_its_kind(text: str, said: str, corrected: bool):
    assert takes_back(text, said) == corrected


def test_what_was_corrected_right_after_is_no_answer():
    told = turn(1, "our tank is some guy from Cork")
    asked = "Where's our tank from?"
    assert ask(asked, told).startswith("Cork ")
    after = replace(turn(2, "no sorry Cardiff!! he'd kill me"), at=told.at + 60.0)
    left_open = ask(asked, told, after)
    assert left_open.startswith(LEFT_OPEN)
    assert "Cardiff" in left_open
