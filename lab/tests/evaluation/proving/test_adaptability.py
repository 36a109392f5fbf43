"""Adaptability, beside numbers worked out by hand."""

from lab.tests.evaluation.proving.turned import turned
from mags_lab.evaluation.proving.adaptability import (
    adaptability,
    adapted,
    after_change,
)

BEFORE = [turned(turn, right=turn % 4 != 0) for turn in range(1, 9)]  # 6 of 8 right


def test_recovery_is_the_first_right_answer_that_stays_right():
    rights = {11: False, 14: True, 15: False, 20: True, 22: True, 30: True}
    touched = [turned(turn, right=right, since=turn - 10) for turn, right in rights.items()]
    between = [turned(turn) for turn in range(16, 20)]
    turns = sorted([*BEFORE, *touched, *between], key=lambda one: one.turn)
    (found,) = adapted(turns)
    assert (found.at, found.before, found.after) == (10, 0.75, 4 / 6)
    assert (found.touched, found.turns, found.asks, found.recovered) == (6, 10, 3, True)
    assert found.lost == 3 * 0.75 - 1.0


def test_who_never_recovers_is_counted_to_the_end():
    touched = [turned(turn, right=False, since=turn - 10) for turn in (12, 13, 19)]
    (found,) = adapted([*BEFORE, *touched])
    assert (found.turns, found.asks, found.recovered) == (9, 3, False)
    assert found.lost == 3 * 0.75


def test_one_right_answer_is_enough_where_only_one_was_asked():
    (found,) = adapted([*BEFORE, turned(12, since=2)])
    assert (found.turns, found.asks, found.recovered, found.lost) == (2, 0, True, 0.0)


def test_a_second_change_ends_the_first():
    touched = [turned(12, right=False, since=2), turned(15, since=1), turned(16, since=2)]
    first, second = adapted([*BEFORE, *touched])
    assert (first.at, first.touched, first.recovered) == (10, 1, False)
    assert (second.at, second.touched, second.recovered) == (14, 2, True)


def test_a_change_before_anything_was_played_has_no_before():
    assert adapted([turned(0, since=0), turned(1, since=1)]) == ()


def test_the_mean_over_changes():
    touched = [turned(12, right=False, since=2), turned(15, since=1), turned(16, since=2)]
    found = adaptability(adapted([*BEFORE, *touched]))
    assert found is not None
    assert (found.changes, found.recovered, found.asks) == (2, 0.5, 0.5)
    assert adaptability([]) is None


def test_only_touched_questions_are_after_a_change():
    turns = [turned(0), turned(1, since=1, right=False), turned(2, since=2)]
    assert after_change(turns) == 0.5
    assert after_change(turns[:1]) is None
