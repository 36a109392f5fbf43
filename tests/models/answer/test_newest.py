"""The newest word on a matter, the sentence that is quoted, and what is over or denied."""

import pytest

from mags.models.answer.closest import NOT_SURE
from mags.models.answer.extractive import ExtractiveAnswerer, newest_first, quoted
from mags.models.answer.question import read_question
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


@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [
        (
            "How much is the rent?",
            "the rent is 1150 a month",
            "the landlord put the rent up to 1200",
        ),
        (
            "What is the alarm code?",
            "the alarm code is 4471",
            "changed the alarm code, it's 9083 now",
        ),
        ("When is standup?", "standup is at 9:30", "standup is at 10:00"),
        ("How many species did I find?", "found 5 species so far", "seven species now!"),
    ],
)
def test_what_was_told_anew_goes_first(asked, before, after):
    answer = ask(asked, turn(1, before), turn(2, after))
    assert after in answer
    assert before not in answer


@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [
        ("What is the door code?", "the door code is 4411", "we change the door code now and then"),
        ("When is the meeting?", "the meeting is on 3 May", "I dread the meeting now"),
        ("What is the alarm code?", "the alarm code is 4471", "who has the alarm code now?"),
        ("Where is the key?", "the key is in the shed", "now the shed is green"),
        ("What was the rent before?", "the rent was 900 once", "the rent is 950 now"),
        ("How many species did I see?", "I saw 5 species", "Lena saw seven species now"),
        ("How many keys did I find?", "I found 5 keys at home", "two keys now fit the lock"),
    ],
)
def test_what_tells_something_else_stays_behind(asked, before, after):
    question = read_question(Turn(text=asked, speaker="Dana"))
    judged = [(0.9, turn(1, before)), (0.8, turn(2, after))]
    assert newest_first(question, judged, 0.59) == judged


def test_of_two_sentences_the_one_with_the_day_is_quoted_too():
    question = read_question(Turn(text="When did Saskia start?", speaker="Dana"))
    told = "We hired a designer, Saskia. She starts on 1 April"
    assert quoted(question, told, marked=False) == told
    assert (
        quoted(question, "", marked=True)
        == "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"
    )


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


def test_the_preposition_left_behind_tells_the_kind():
    go = fact(1, "The API is written in Go.", "the API", "is written in", "Go")
    assert ask("What language is the API written in?", go).startswith("Go ")
    assert ask("What language is the app written in?", go).startswith(LEFT_OPEN)


def test_another_than_what_does_it_is_no_answer():
    ci, prod = turn(1, "CI runs on GitHub"), turn(2, "prod is on Hetzner")
    assert not ask("Where does prod run?", ci, prod).startswith("CI")


def test_a_turn_without_a_day_goes_behind_one_with_it():
    coming = ContextItem(id=1, text="He's coming over for the wedding", speaker="Dana", score=5.0)
    day = turn(2, "They'll be married in Naples on 20 September")
    assert ask("When is the wedding?", coming, day).startswith("20 September 1970 ")
    assert ask("Where is the wedding?", coming, day).startswith(day.text)
    told = ask("Who is coming to the wedding?", coming, day)
    assert told.startswith(f"{NOT_SURE} \N{LEFT DOUBLE QUOTATION MARK}{coming.text}")


def test_a_month_is_no_place():
    moved = ContextItem(id=2, text="They moved the course to April 3rd", speaker="Dana", score=6.0)
    told = ContextItem(id=1, text="the course is in Porto", speaker="Dana", score=5.0)
    assert ask("Where is the course?", moved, told).startswith(told.text)


def test_weekdays_tell_when_and_not_where():
    works = fact(1, "Dana works on Mondays and Fridays.", "Dana", "works on", "Mondays and Fridays")
    assert ask("Which days do I work?", works).startswith("Mondays and Fridays ")
    assert ask("When do I work?", works).startswith("Mondays and Fridays ")
    assert ask("Where do I work?", works).startswith(LEFT_OPEN)
    ship = fact(2, "Dana works on a cruise ship.", "Dana", "works on", "cruise ship")
    assert ask("Where do I work?", ship).startswith("a cruise ship ")
