"""Where lines speak only against something, the rest is right; a crowd of lines changes nothing."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.index.tokens import terms
from mags_lab.training.reader.against import against
from mags_lab.training.reader.book import PHRASES, RELATIONS, TRAIN
from mags_lab.training.reader.crowded import crowded
from mags_lab.training.reader.sides import trusted
from mags_lab.training.reader.tasks import TRAINED, task
from mags_lab.training.reader.telling import Tale
from mags_lab.training.reader.world import table

SEEDS = st.integers(min_value=0, max_value=10**9)
SIDES = st.sampled_from((TRAIN, PHRASES, RELATIONS))


@given(SEEDS, SIDES, st.integers(min_value=0, max_value=12))
def test_something_is_left_and_something_is_not(seed, side, extra):
    one = task(Random(seed), side, extra=extra, kind="against")
    assert 0 < len(one.right) < len(one.actions)
    assert one.needed
    assert not any(mark in "".join((*one.lines, one.question, *one.actions)) for mark in "{}")


@given(SEEDS)
def test_each_of_those_that_are_not_right_is_spoken_against_unless_one_is_spoken_for(seed):
    one = task(Random(seed), TRAIN, extra=0, kind="against")
    told = " ".join(one.lines[place] for place in one.needed)
    shared = set.intersection(*(set(a.replace(":", " ").split()) for a in one.actions))
    names = [{w for w in a.replace(":", " ").split() if w not in shared} for a in one.actions]
    if len(one.right) > 1 and all(len(own) == 1 and next(iter(own)).istitle() for own in names):
        for action, own in zip(one.actions, names, strict=True):
            # By stems: "Eating" is spoken against by "nobody may eat".
            spoken = set(terms(next(iter(own)))) <= set(terms(told))
            assert spoken is (action not in one.right)


def test_mostly_only_those_that_are_wrong_are_spoken_of_and_often_one_is_left():
    tales = [Tale(rng=Random(seed), side=TRAIN) for seed in range(300)]
    asked = [against(tale) for tale in tales]
    one_left = sum(len(one.right) == 1 for one in asked)
    assert 120 < one_left < 240
    assert sum(len(one.values) == 2 for one in asked) > 30


@pytest.mark.parametrize(
    ("name", "which", "marks"),
    [
        ("choice", "good", {"v", "s"}),
        ("choice", "bad", {"v", "s"}),
        ("choice", "bad_all", {"a", "b", "s"}),
        ("choice", "both", {"good", "bad", "s"}),
        ("choice", "mine", {"good", "bad"}),
        ("crowd", "again", {"say"}),
        ("trust", "is", {"z", "noun"}),
        ("trust", "is_not", {"z", "noun"}),
        ("trust", "advise", {"z", "verb"}),
        ("trust", "warn", {"z", "verb"}),
    ],
)
def test_a_phrase_names_all_that_it_is_about(name, which, marks):
    for phrase in table("against")[name][which]:
        assert set(re.findall(r"{(\w+)}", phrase)) == marks, phrase


@given(SEEDS, st.booleans())
def test_a_name_is_spoken_for_in_other_words_than_against(seed, on):
    said = trusted(Tale(rng=Random(seed), side=TRAIN), on=on)
    assert said.count("{z}") == 1
    others = (trusted(Tale(rng=Random(n), side=TRAIN), on=not on) for n in range(40))
    assert said not in set(others)


@given(SEEDS, SIDES)
def test_a_crowd_stands_beside_what_decides_and_the_right_one_is_one(seed, side):
    one = task(Random(seed), side, extra=0, kind="crowded")
    assert len(one.right) == 1
    assert len(one.lines) > len(one.needed)


def test_the_lines_of_a_crowd_share_words_with_what_is_asked():
    shared = 0
    for seed in range(60):
        one = task(Random(seed), TRAIN, extra=0, kind="crowded")
        words = {w.strip("?.,'s").lower() for w in (*one.question.split(), *one.actions)}
        beside = [line for place, line in enumerate(one.lines) if place not in one.needed]
        shared += any(words & {w.strip("?.,'s").lower() for w in x.split()} for x in beside)
    assert shared > 50


def test_a_crowd_has_three_lines_and_more_about_like_matters():
    for seed in range(60):
        tale = Tale(rng=Random(seed), side=TRAIN)
        crowded(tale)
        assert 3 <= tale.fewest <= 11
        assert len(tale.others) >= 2


def test_both_kinds_are_about_a_tenth_of_what_is_drawn():
    total = sum(share for share, _ in TRAINED.values())
    for kind in ("against", "crowded"):
        assert 0.08 < TRAINED[kind][0] / total < 0.12
