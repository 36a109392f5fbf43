"""The figures of a match: scores, recall, retention, and what changes cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.tests.evaluation.proving.turned import turned
from mags.errors import InvalidInput
from mags_lab.evaluation.proving.figures import (
    adaptability,
    adapted,
    after_change,
    by_change,
    by_facts,
    by_kind,
    chance,
    explained,
    recall_accuracy,
    retention,
    score,
    told,
    weighed,
    whole_recall,
)


def test_score_is_the_mean_reward_and_chance_a_blind_choice():
    turns = [turned(reward=1.0), turned(reward=0.0), turned(reward=0.5, best=("a", "b"))]
    assert score(turns) == 0.5
    assert chance(turns) == (0.25 + 0.25 + 0.5) / 3


def test_no_turn_has_no_score():
    with pytest.raises(InvalidInput, match="no turn to measure"):
        score([])


def test_recall_counts_facts_and_whole_recall_chains():
    turns = [
        turned(needed=4, carried=2),
        turned(needed=1, carried=1),
        turned(needed=2, carried=0, knowable=False),
        turned(needed=0, carried=0),
    ]
    assert recall_accuracy(turns) == 0.75
    assert whole_recall(turns) == 0.5


def test_where_nothing_was_needed_nothing_was_missed():
    assert recall_accuracy([turned(needed=0, carried=0)]) == 1.0
    assert whole_recall([]) == 1.0


def test_a_right_answer_is_explained_by_a_line_that_decides():
    turns = [
        turned(cited=(1,), teaching=(0, 1)),
        turned(cited=(2,), teaching=(0, 1)),
        turned(cited=(0,), teaching=(0,), right=False),
        turned(cited=(0,), teaching=(0,), knowable=False),
    ]
    assert explained(turns) == 0.5
    assert explained([]) == 0.0


def test_retention_is_told_by_age():
    turns = [
        turned(age=0),
        turned(age=10, right=False),
        turned(age=11, carried=0),
        turned(age=1_000),
        turned(age=10_001),
        turned(age=None, knowable=False),
    ]
    found = {
        kept.upto: (kept.above, kept.score, kept.recall, kept.turns) for kept in retention(turns)
    }
    assert found == {10: (-1, 0.5, 1.0, 2), 100: (10, 1.0, 0.0, 1), 1_000: (100, 1.0, 1.0, 1)}


def test_who_knows_what_was_told_guesses_only_where_that_decides_nothing():
    turns = [
        turned(right=False),
        turned(knowable=False),
        turned(knowable=False, best=("a", "b", "c")),
        turned(right=False),
    ]
    assert told(turns) == (1 + 0.25 + 0.75 + 1) / 4
    assert told([turned(right=False)]) == 1.0
    with pytest.raises(InvalidInput, match="no turn to measure"):
        told([])


@given(st.lists(st.booleans(), min_size=1))
def test_what_was_told_is_worth_no_less_than_chance_and_no_more_than_all(known: list[bool]):
    turns = [turned(knowable=one) for one in known]
    assert chance(turns) <= told(turns) <= 1.0
    assert (told(turns) == 1.0) == all(known)


def test_retention_is_told_apart_by_how_many_facts_decide():
    turns = [
        turned(needed=1, age=5),
        turned(needed=1, age=5, right=False),
        turned(needed=2, age=50, right=False),
        turned(needed=3, age=5),
        turned(needed=4, age=5, right=False),
        turned(needed=4, age=500),
        turned(needed=2, knowable=False),
        turned(needed=0, carried=0),
    ]
    found = {
        count: [(kept.upto, kept.score, kept.turns) for kept in spans]
        for count, spans in by_facts(turns).items()
    }
    assert found == {
        1: [(10, 0.5, 2)],
        2: [(100, 0.0, 1)],
        3: [(10, 0.5, 2), (1_000, 1.0, 1)],
    }
    assert weighed(by_facts(turns)[3]) == (2 / 3, 3)
    assert weighed([]) == (0.0, 0)


def test_kinds_are_measured_apart():
    turns = [turned(kind="b"), turned(kind="a", right=False), turned(kind="b", right=False)]
    assert by_kind(turns) == {"a": 0.0, "b": 0.5}


def test_changes_are_measured_apart_where_they_touched():
    turns = [turned(since=1, change="felt"), turned(change="felt"), turned(since=2, right=False)]
    assert by_change(turns) == {"": 0.0, "felt": 1.0}


@given(st.lists(st.tuples(st.integers(0, 20_000), st.booleans()), min_size=1))
def test_every_turn_is_in_one_span_of_retention(ages: list[tuple[int, bool]]):
    turns = [turned(age=age, right=right) for age, right in ages]
    spans = retention(turns)
    assert sum(kept.turns for kept in spans) == sum(age <= 10_000 for age, _ in ages)


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
