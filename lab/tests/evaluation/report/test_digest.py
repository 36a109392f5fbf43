"""Curves around changes."""

from hypothesis import given
from hypothesis import strategies as st

from lab.tests.evaluation.proving.turned import turned
from lab.tests.evaluation.report.made import kept
from mags_lab.evaluation.report.digest import Digest, around_changes, curve, digest


def test_a_curve_tells_all_turns_before_a_change_and_the_touched_ones_after():
    turns = [turned(turn, right=turn % 2 == 0) for turn in range(10)]
    turns += [turned(10, right=False, since=0), turned(11, right=True), turned(12, since=2)]
    spans = around_changes(turns, before=(-6, -2), after=(1, 3))
    assert [(s.first, s.last, s.score, s.turns) for s in spans] == [
        (-6, -3, 0.5, 4),
        (-2, -1, 0.5, 2),
        (0, 1, 0.0, 1),
        (2, 3, 1.0, 1),
    ]


def test_a_game_without_changes_has_no_curve():
    assert around_changes([turned(turn) for turn in range(5)]) == ()


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6) | st.none()), min_size=1, max_size=60))
def test_every_touched_turn_within_reach_counts_once(given: list[tuple[bool, int | None]]):
    turns = [
        turned(n, right=right, since=None if since is None else min(since, n))
        for n, (right, since) in enumerate(given)
    ]
    spans = around_changes(turns, before=(-3,), after=(2, 4))
    after = [t for t in turns if t.since is not None and t.since <= 4]
    assert sum(span.turns for span in spans if span.first >= 0) == len(after)
    assert all(0.0 <= span.score <= 1.0 for span in spans)


def test_a_curve_over_matches_is_the_mean_of_theirs():
    def match(right: bool, seed: int) -> Digest:
        return digest(kept([turned(0), turned(1, right=right, since=0)], seed=seed))

    found = curve("MAGS", [match(True, 0), match(False, 1)])
    assert [(span.first, mean.mean, mean.n) for span, mean in found.points] == [
        (-25, 1.0, 2),
        (0, 0.5, 2),
    ]
