"""Days without a year: of what is to come the next, of what has been the last (15 May 2024)."""

import pytest

import mags
from mags.settings import PolicySettings, Settings
from tests.models.policy.reading import day, facts, write


@pytest.mark.parametrize(
    ("text", "relation", "since"),
    [
        ("I start at Brightwater on 1 July.", "works at", "2024-07-01"),
        ("My sister starts at Brightwater on 1 July.", "works at", "2024-07-01"),
        ("On 1 May I start at Brightwater.", "works at", "2025-05-01"),
        ("I work at Lumen from 1 July.", "works at", "2024-07-01"),
        ("I work at Lumen from 1 May.", "works at", "2025-05-01"),
        ("I work at Lumen since 1 July.", "works at", "2023-07-01"),
        ("I started at Brightwater on 1 July.", "works at", "2023-07-01"),
        ("I moved to Bergen on 1 July.", "lives in", "2023-07-01"),
        ("I worked at Lumen from 1 July.", "worked at", "2023-07-01"),
    ],
)
def test_a_state_in_the_present_begins_on_the_next_such_day_and_one_in_the_past_on_the_last(
    text, relation, since
):
    (found,) = write(text).operations
    assert (found.relation, day(found.valid_from)) == (relation, since)


@pytest.mark.parametrize(
    "text",
    [
        "We fly to Lisbon on 26 June.",
        "I move to Bergen on 1 July.",
        "We travel to Rome in February.",
        "I leave Lumen on 30 June.",
        "I'm visiting Ana from 3 June.",
        "I'm moving to Denver next month.",
        "I'm going to visit Rome next Friday",
        "I plan to move to Rome.",
    ],
)
def test_an_event_that_is_told_ahead_of_its_day_is_not_so_yet(text):
    assert facts(text) == []


def test_a_verb_whose_past_looks_like_its_present_is_taken_for_the_past():
    (over,) = write("I quit my job on 1 July.").operations
    assert day(over.valid_to) == "2023-07-01"


def test_a_job_to_come_ends_the_present_one_on_its_first_day_and_not_before():
    settings = Settings(policy=PolicySettings(kind="rules"))
    with mags.open(None, settings=settings) as memory:
        memory.observe("I work at Lumen.", speaker="Dana", at="2025-03-09")
        memory.observe("I start at Brightwater on 1 May.", speaker="Dana", at="2025-03-10")
        for then, firm in (("2025-04-30", "Lumen"), ("2025-05-01", "Brightwater")):
            assert [f.object for f in memory.facts("Dana", as_of=then)] == [firm]
            assert memory.ask("Where does Dana work?", as_of=then).text.startswith(firm)


def test_who_starts_at_a_school_does_not_work_there_unless_that_is_said():
    assert all(said[2] != "works at" for said in facts("Ana starts at Hill School on 1 July."))
    said = facts("Ana starts work at Hill School on 1 July.")
    assert said == [("ADD", "Ana", "works at", "Hill School")]
