"""Heads are shown on what training said, and on what it never said."""

from collections import Counter

import pytest

pytest.importorskip("torch")

from mags_lab.training.chains.schema import Split
from mags_lab.training.heads.course import held_back
from mags_lab.training.heads.recipes import SMOKE
from mags_lab.training.heads.unheard import SHOWN, drawn


def test_as_many_samples_of_every_split_are_shown():
    assert Counter(sample.split for sample in drawn(5, 1)) == dict.fromkeys(SHOWN, 5)


def test_a_course_holds_back_as_many_unheard_phrases_as_heard_ones_and_none_that_is_counted():
    held = Counter(one.split for one in held_back(SMOKE).dev)
    assert held[Split.DEV_PHRASINGS] == SMOKE.dev
    assert held[Split.DEV_COUNTED] == 0
