"""What was done, what came of it, and what that speaks against."""

from __future__ import annotations

from mags.games.players.diary import Diary
from mags.games.players.notes import Note
from mags.games.turns import Line, Scene

ACTIONS = ("Offer oat bread", "Offer rye bread", "Offer plum jam")


def scene(question: str = "What do you feed Gurken?") -> Scene:
    return Scene(turn=3, at=10.0, said=(), question=question, actions=ACTIONS)


def note(text: str, at: float = 20.0) -> Note:
    return Note(said=(4, 0), line=Line(speaker="narrator", text=text, at=at))


def test_the_first_line_that_says_what_was_done_reports_it():
    diary = Diary()
    diary.did(scene(), "Offer rye bread", 0.0)
    line = note("Gurken spat the rye out.")
    assert diary.report([line]) == (line, 0.0)
    assert diary.report([line]) is None


def test_a_line_about_something_else_reports_nothing():
    diary = Diary()
    diary.did(scene(), "Offer rye bread", 0.0)
    assert diary.report([note("A light rain falls.")]) is None


def test_what_went_wrong_counts_for_nothing_until_something_newer_is_said():
    diary = Diary()
    diary.did(scene(), "Offer rye bread", 0.0)
    diary.report([note("Gurken spat the rye out.")])
    assert diary.after("It is time to feed Gurken. With what?", ACTIONS) == {1: 20.0}


def test_what_went_well_speaks_against_the_others():
    diary = Diary()
    diary.did(scene(), "Offer rye bread", 0.0)
    diary.report([note("Gurken spat the rye out.")])
    diary.did(scene(), "Offer rye bread", 1.0)
    diary.report([note("Gurken loved the rye.", 30.0)])
    assert diary.after("What do you feed Gurken?", ACTIONS) == {0: 30.0, 2: 30.0}


def test_another_one_and_a_question_without_names_are_other_matters():
    diary = Diary()
    diary.did(scene(), "Offer rye bread", 0.0)
    diary.report([note("Gurken spat the rye out.")])
    assert diary.after("What do you feed Snumbar?", ACTIONS) == {}
    assert diary.after("what do you pick?", ACTIONS) == {}
