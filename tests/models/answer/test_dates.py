"""The day that a memory tells of is computed from when it was said, as precise as it was said."""

from datetime import UTC, datetime

import pytest

from mags.models.answer.dates import day_told, since_told
from mags.models.answer.question import content


def at(day: str) -> float:
    return datetime.fromisoformat(day).replace(tzinfo=UTC, hour=9).timestamp()


@pytest.mark.parametrize(
    ("question", "text", "said", "day"),
    [
        ("When did it break?", "it broke yesterday", "2024-08-10", "9 August 2024"),
        ("When did Mel run?", "I ran the race last Saturday", "2023-05-25", "20 May 2023"),
        ("When was the exam?", "Exam was on monday", "2020-02-21", "17 February 2020"),
        ("When is the exam?", "the exam is on monday", "2020-02-21", "24 February 2020"),
        ("When is it live?", "live by 2 dec", "2024-11-16", "2 December 2024"),
        ("When did she sing?", "it is on the second of March", "2024-02-12", "2 March 2024"),
        ("When is her birthday?", "its on the 20th", "2023-09-13", "20 September 2023"),
        ("When is supper?", "supper on Saturday the 20th, at six", "2020-06-11", "20 June 2020"),
        ("When is supper?", "supper is on Sat the 20th", "2020-06-11", "20 June 2020"),
        ("When is the club?", "chess club tuesdays 19.00", "2022-08-14", "tuesdays 19.00"),
        ("When is it?", "exactly two weeks from today", "2026-06-02", "16 June 2026"),
        ("When do we go?", "a week from today we go", "2026-06-02", "9 June 2026"),
        ("When was the race?", "this coming Sunday I run it", "2025-10-15", "19 October 2025"),
        ("When is the race?", "I run a week from Friday", "2025-10-15", "24 October 2025"),
        ("When did it come?", "it came two Mondays ago", "2025-10-15", "6 October 2025"),
        ("When did he move?", "he moved in May", "2024-08-10", "May 2024"),
        ("When did he move?", "he moved, at last", "2024-08-10", ""),
        ("What time is dinner?", "dinner on Friday at 19:30", "2024-08-10", "19:30"),
    ],
)
def test_a_day_is_told(question: str, text: str, said: str, day: str) -> None:
    assert day_told(question, text, at(said), content(question)) == day


def test_of_several_days_the_one_beside_what_is_asked_is_told() -> None:
    text = "Latin on Mondays at 5, French on Wednesdays at 5."
    assert day_told("When is French?", text, at("2024-01-10"), content("French")) == (
        "on Wednesdays at 5"
    )
    assert day_told("When is it?", text, at("2024-01-10"), content("it")) == ""


@pytest.mark.parametrize(
    ("question", "text", "since"),
    [
        ("Since when does she work?", "I work there since January", "since January 2020"),
        ("Since when is he vegan?", "I have been vegan for 3 years", "since 2017"),
        ("Since when is he vegan?", "I was vegan for 3 years", "for 3 years"),
        ("How long is he vegan?", "I have been vegan for 3 years", "3 years"),
        ("Since when does she play?", "i play the pan since i was 11", "since i was 11"),
        ("How long did she work there?", "I sat there for nineteen years", "nineteen years"),
        ("Since when is it so?", "for three months now", "for three months"),
        ("Since when is it so?", "three months today!", "since November 2019"),
        ("How long does it take?", "across in thirty-one minutes", "thirty-one minutes"),
        ("Since when is it so?", "it is so", ""),
    ],
)
def test_a_beginning_or_how_long_is_told(question: str, text: str, since: str) -> None:
    assert since_told(question, text, at("2020-02-04")) == since
