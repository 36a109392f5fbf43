"""What lines that came with an act mean where the same is done and something else is asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mags_lab.games.players.lessons import TRIES, Act, Lessons

LEFT, RIGHT = frozenset({"ana", "left"}), frozenset({"ana", "right"})
NOWHERE = "No {} is in any drawer of Ana."
ELSEWHERE = "The {} is in another drawer of Ana."


def act(about: frozenset[str], thing: str) -> Act:
    return Act(frozenset({"ana"}), about, frozenset({thing}))


def taught(line: str, *won: bool) -> Lessons:
    """Looked for in vain on the left, then on the right, so many things."""
    lessons = Lessons()
    for number, well in enumerate(won):
        thing = f"key{number}"
        lessons.learn(act(LEFT, thing), [line.format(thing)], won=False)
        lessons.learn(act(RIGHT, thing), [], won=well)
    return lessons


def test_a_line_after_which_an_act_never_went_well_elsewhere_speaks_against_it_there():
    lessons = taught(NOWHERE, *[False] * TRIES)
    lessons.learn(act(LEFT, "ring"), [NOWHERE.format("ring")], won=False)
    assert lessons.against(act(RIGHT, "ring"))
    assert not lessons.against(act(RIGHT, "coin"))
    assert not lessons.against(Act(frozenset({"ben"}), frozenset({"ben"}), frozenset({"ring"})))


def test_a_line_after_which_it_went_well_at_times_speaks_against_nothing():
    lessons = taught(ELSEWHERE, *[False] * TRIES, True)
    lessons.learn(act(LEFT, "ring"), [ELSEWHERE.format("ring")], won=False)
    assert not lessons.against(act(RIGHT, "ring"))


def test_a_line_of_another_or_without_the_act_says_nothing():
    lessons = taught(NOWHERE, *[False] * TRIES)
    lessons.learn(act(LEFT, "ring"), ["No ring is in any drawer of Ben.", "Ana sighs."], won=False)
    assert not lessons.against(act(RIGHT, "ring"))


@given(st.lists(st.booleans(), max_size=TRIES - 1))
def test_nothing_is_learned_from_few_acts(won: list[bool]):
    lessons = taught(NOWHERE, *won)
    lessons.learn(act(LEFT, "ring"), [NOWHERE.format("ring")], won=False)
    assert not lessons.against(act(RIGHT, "ring"))
