"""The reader's own world: what it tells suffices, and the tests keep words of their own."""

from random import Random

import pytest

from mags.training.reader.book import PHRASES, RELATIONS, SIDES, TRAIN, relations
from mags.training.reader.tasks import KINDS, bare, task, tasks


def test_there_are_sixty_relations_of_five_phrases():
    known = (*relations(TRAIN), *relations(RELATIONS))
    assert len(known) >= 60
    assert len({r.name for r in known}) == len(known)
    held = {r.name: r for r in (*relations(PHRASES), *relations(RELATIONS))}
    assert all(len(r.say) + len(held[r.name].say) >= 5 for r in relations(TRAIN))


def test_no_phrase_is_on_both_sides():
    held = {r.name: r for r in relations(PHRASES)}
    for known in relations(TRAIN):
        assert not set(known.say) & set(held[known.name].say)
        assert not set(known.ask) & set(held[known.name].ask)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", SIDES.values(), ids=SIDES)
def test_every_kind_of_task_has_a_right_action_and_lines_that_decide(kind, side):
    for seed in range(20):
        one = task(Random(seed), side, extra=5, kind=kind)
        assert one.right
        assert one.right <= set(one.actions)
        assert len(set(one.actions)) == len(one.actions) > len(one.right)
        assert one.needed
        assert max(one.needed) < len(one.lines)
        assert "{" not in "".join((*one.lines, one.question, *one.actions))


def test_tasks_are_the_same_for_a_seed():
    assert list(tasks(4, TRAIN, 5, extra=3)) == list(tasks(4, TRAIN, 5, extra=3))


def test_without_extra_lines_those_needed_are_all():
    for one in tasks(2, TRAIN, 40, extra=0):
        assert one.needed == tuple(range(len(one.lines)))


def test_a_bare_task_can_be_answered_by_nobody():
    one = bare(next(tasks(2, TRAIN, 1, extra=3)))
    assert one.lines == ()
    assert one.right == frozenset(one.actions)
