"""The reader's own world: what it tells suffices, and the tests keep words of their own."""

from itertools import islice
from random import Random

import pytest

from mags_lab.training.reader.batches import stream
from mags_lab.training.reader.book import PHRASES, RELATIONS, SIDES, TRAIN, relations
from mags_lab.training.reader.tasks import TRAINED, bare, task, tasks
from mags_lab.training.reader.untold import declining
from mags_lab.training.reader.world import part, table


def test_there_are_sixty_relations_and_as_many_for_training_alone():
    known = (*relations(TRAIN), *relations(RELATIONS))
    assert len(known) >= 110
    assert len(relations(PHRASES)) + len(relations(RELATIONS)) >= 60
    assert len({r.name for r in known}) == len(known)
    assert all(len(r.say) >= 4 for r in relations(TRAIN))


def test_no_phrase_is_on_both_sides():
    held = {r.name: r for r in relations(PHRASES)}
    shared = [known for known in relations(TRAIN) if known.name in held]
    assert len(shared) == len(held)
    for known in shared:
        assert not set(known.say) & set(held[known.name].say)
        assert not set(known.ask) & set(held[known.name].ask)


def test_what_training_alone_has_repeats_nothing_that_is_held_out():
    for file in ("untold", "laws"):
        for name, phrases in table(file).items():
            assert len(set(phrases)) == len(phrases), name
    for manner, lists in table("framings").items():
        for which, phrases in lists.items():
            of_old = table("manners").get(manner, {}).get(which, [])
            assert not set(phrases) & set(part(of_old, held=True)), (manner, which)
    more = {name: set(given["say"].split(" | ")) for name, given in table("more").items()}
    for known in relations(PHRASES):
        assert not more.get(known.name, set()) & set(known.say)


def test_actions_decline_in_other_words_in_the_tests():
    trained = {declining(Random(seed), TRAIN) for seed in range(800)}
    held = {declining(Random(seed), PHRASES) for seed in range(800)}
    assert len(trained) > 100
    assert len(held) > 30
    assert not trained & held


def test_who_was_never_told_declines_and_who_was_told_does_not():
    for seed in range(60):
        words = set(table("untold")["decline"])
        untold = task(Random(seed), TRAIN, extra=4, kind="untold")
        assert untold.right <= words
        assert len(untold.lines) >= 2
        told = task(Random(seed), TRAIN, extra=4, kind="told")
        assert not told.right & words
        assert words & set(told.actions)


def test_a_process_beside_draws_the_same_batches_as_this_one():
    here = stream(3, 2, tokens=300, easy=0, workers=0)
    beside = stream(3, 2, tokens=300, easy=0, workers=1)
    for one, two in zip(here, islice(beside, 2), strict=True):
        assert one.ids.tolist() == two.ids.tolist()
        assert one.right.tolist() == two.right.tolist()


@pytest.mark.parametrize("kind", TRAINED)
@pytest.mark.parametrize("side", SIDES.values(), ids=SIDES)
def test_every_kind_of_task_has_a_right_action_and_lines_that_decide(kind, side):
    for seed in range(6):
        one = task(Random(seed), side, extra=5, kind=kind)
        assert one.right
        assert one.right <= set(one.actions)
        assert len(set(one.actions)) == len(one.actions) > len(one.right)
        assert one.needed or kind == "untold"
        assert max(one.needed, default=0) < len(one.lines)
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
