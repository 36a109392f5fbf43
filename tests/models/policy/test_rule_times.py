from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.policy.rules.when import times
from tests.models.policy.reading import day

NOW = datetime(2023, 5, 25, 13, 14, tzinfo=UTC).timestamp()  # a Thursday


def at(day: str) -> float:
    return datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()


@pytest.mark.parametrize(
    ("text", "since", "until", "said"),
    [
        ("yesterday", "2023-05-24", "2023-05-25", "on 24 May 2023"),
        ("last night", "2023-05-24", "2023-05-25", "on 24 May 2023"),
        ("exactly two weeks ago", "2023-05-11", "2023-05-12", "on 11 May 2023"),
        ("in three weeks to the day", "2023-06-15", "2023-06-16", "on 15 June 2023"),
        ("exactly a month ago", "2023-04-25", "2023-04-26", "on 25 April 2023"),
        ("two weeks ago", "2023-05-08", "2023-05-15", "in the week of 8 May 2023"),
        ("three days ago", "2023-05-22", "2023-05-23", "on 22 May 2023"),
        ("a few months ago", "2023-02-01", "2023-03-01", "in February 2023"),
        ("in May", "2023-05-01", "2023-06-01", "in May 2023"),
        ("in June", "2022-06-01", "2022-07-01", "in June 2022"),
        ("last May", "2022-05-01", "2022-06-01", "in May 2022"),
        ("in 2019", "2019-01-01", "2020-01-01", "in 2019"),
        ("since 2018", "2018-01-01", "2019-01-01", "since 2018"),
        ("since two years", "2021-01-01", "2022-01-01", "since 2021"),
        ("before March 2020", "2020-03-01", "2020-04-01", "before March 2020"),
        ("on 3 June", "2022-06-03", "2022-06-04", "on 3 June 2022"),
        ("May 7, 2023", "2023-05-07", "2023-05-08", "on 7 May 2023"),
        ("the 7th of May 2022", "2022-05-07", "2022-05-08", "on 7 May 2022"),
        ("in March, the 8th", "2023-03-08", "2023-03-09", "on 8 March 2023"),
        ("in March on the 8th", "2023-03-08", "2023-03-09", "on 8 March 2023"),
        ("in March, the 2nd floor", "2023-03-01", "2023-04-01", "in March 2023"),
        ("2021-02-28", "2021-02-28", "2021-03-01", "on 28 February 2021"),
        ("last Saturday", "2023-05-20", "2023-05-21", "on 20 May 2023"),
        ("a week ago today", "2023-05-18", "2023-05-19", "on 18 May 2023"),
        ("a week today", "2023-05-18", "2023-05-19", "on 18 May 2023"),
        ("two years ago today", "2021-05-25", "2021-05-26", "on 25 May 2021"),
        ("two weeks ago yesterday", "2023-05-10", "2023-05-11", "on 10 May 2023"),
        ("two weeks from yesterday", "2023-06-07", "2023-06-08", "on 7 June 2023"),
        ("a week ago Monday", "2023-05-15", "2023-05-16", "on 15 May 2023"),
        ("a week from tomorrow", "2023-06-02", "2023-06-03", "on 2 June 2023"),
        ("a month from today", "2023-06-25", "2023-06-26", "on 25 June 2023"),
        ("a week on Friday", "2023-06-02", "2023-06-03", "on 2 June 2023"),
        ("two weeks from Friday", "2023-06-09", "2023-06-10", "on 9 June 2023"),
        ("on Friday week", "2023-06-02", "2023-06-03", "on 2 June 2023"),
        ("on Saturday in a week", "2023-06-03", "2023-06-04", "on 3 June 2023"),
        ("this coming Sunday", "2023-05-28", "2023-05-29", "on 28 May 2023"),
        ("this past Sunday", "2023-05-21", "2023-05-22", "on 21 May 2023"),
        ("two Sundays ago", "2023-05-14", "2023-05-15", "on 14 May 2023"),
        ("on the Sunday before last", "2023-05-14", "2023-05-15", "on 14 May 2023"),
        ("the week before last", "2023-05-08", "2023-05-15", "in the week of 8 May 2023"),
        ("a fortnight ago", "2023-05-08", "2023-05-15", "in the week of 8 May 2023"),
        ("on the 12th of next month", "2023-06-12", "2023-06-13", "on 12 June 2023"),
        ("the 12th of last month", "2023-04-12", "2023-04-13", "on 12 April 2023"),
        ("on Christmas Eve", "2022-12-24", "2022-12-25", "on 24 December 2022"),
        ("on New Year's Eve 2021", "2021-12-31", "2022-01-01", "on 31 December 2021"),
        ("tmrw", "2023-05-26", "2023-05-27", "on 26 May 2023"),
        ("last Fri", "2023-05-19", "2023-05-20", "on 19 May 2023"),
        ("on Saturday the 13th", "2023-05-13", "2023-05-14", "on 13 May 2023"),
        ("next Monday", "2023-05-29", "2023-05-30", "on 29 May 2023"),
        ("next month", "2023-06-01", "2023-07-01", "in June 2023"),
        ("last summer", "2022-06-01", "2022-09-01", "in summer 2022"),
        ("in the 1990s", "1990-01-01", "2000-01-01", "in the 1990s"),
    ],
)
def test_a_time_is_made_absolute(text, since, until, said):
    (found,) = times(f"It was {text}, they say", NOW)
    assert (day(found.since), day(found.until), found.text) == (since, until, said)


def test_a_date_without_a_year_is_the_next_one_when_it_lies_ahead():
    (past,) = times("on 3 June", NOW)
    (ahead,) = times("on 3 June", NOW, future=True)
    assert (day(past.since), day(ahead.since)) == ("2022-06-03", "2023-06-03")


@pytest.mark.parametrize(
    "text",
    [
        "they put it at 1450, down from 1600",
        "a salary of 1900 a month",
        "around 1200 people came",
        "it went up by 1000 euros",
    ],
)
def test_a_number_beside_an_amount_is_no_year(text):
    assert times(text, NOW) == ()


@pytest.mark.parametrize("text", ["I may go", "march on", "room 12", "0000-01-01"])
def test_what_is_no_time_is_let_be(text):
    assert times(text, NOW) == ()


def test_without_a_time_of_its_own_a_turn_gives_relative_dates_no_meaning():
    assert times("yesterday and in May", 0.0) == ()
    assert len(times("on 7 May 2023", 0.0)) == 1


def test_a_time_inside_a_title_is_part_of_the_title():
    assert times('He wrote "Echoes of Tomorrow" here', NOW) == ()


@given(st.text(max_size=80), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
def test_times_are_in_order_and_never_overlap(text, at, future):
    found = times(text, at, future=future)
    assert all(time.since < time.until for time in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@given(
    st.sampled_from(["5000", "12", "a few"]),
    st.sampled_from(["day", "week", "month", "year"]),
    st.sampled_from(["ago", "from now", "ago today", "from tomorrow", "ago Friday"]),
    st.floats(min_value=-1e12, max_value=1e12),
)
def test_no_distance_leaves_the_calendar(number, unit, way, at):
    assert len(times(f"{number} {unit}s {way}", at)) in {0, 1}


@pytest.mark.parametrize(
    ("said", "begins", "ends"),
    [
        ("from 1 May to 3 June", "from 1 May 2025", "until 3 June 2025"),
        ("between 6 and 9 June", "from 6 June 2025", "until 9 June 2025"),
        ("camping 6-9 June", "from 6 June 2025", "until 9 June 2025"),
        ("from 1 March to 5 April", "from 1 March 2025", "until 5 April 2025"),
        ("from 28 December to 3 January", "from 28 December 2025", "until 3 January 2026"),
    ],
)
def test_a_time_with_two_ends_keeps_both_and_begins_before_it_ends(
    said: str, begins: str, ends: str
) -> None:
    first, last = times(said, at("2025-03-10"), future=True)
    assert (first.role, last.role) == ("since", "until")
    assert (first.text.replace("since", "from"), last.text) == (begins, ends)
    assert first.since < last.since


def test_a_number_before_to_is_no_day_where_what_follows_is_none() -> None:
    found = times("tables for 2 to 4 people on 5 May", at("2025-03-10"), future=True)
    assert [one.text for one in found] == ["on 5 May 2025"]


def test_the_end_of_a_month_is_that_month_and_until_it_is_up_to_the_next() -> None:
    (time,) = times("at the end of August", at("2025-03-10"), future=True)
    assert (time.text, time.since) == ("at the end of August 2025", at("2025-08-01"))
    (until,) = times("until the end of August", at("2025-03-10"), future=True)
    assert (until.role, until.since) == ("until", at("2025-09-01"))


def test_a_weekday_in_letters_of_another_sort_is_that_day():
    assert times("next \u017fun we met", 1.7e9) == times("next sun we met", 1.7e9)
    assert times("\u0130n \u017fpring 2023", 1.7e9) == times("In spring 2023", 1.7e9)


def test_what_holds_from_today_begins_today_and_what_was_from_yesterday_was_of_that_day() -> None:
    (today,) = times("from today we camp", at("2025-03-10"))
    (yesterday,) = times("the soup from yesterday", at("2025-03-10"))
    assert (today.role, today.text) == ("since", "from 10 March 2025")
    assert (yesterday.role, yesterday.text) == ("at", "on 9 March 2025")
