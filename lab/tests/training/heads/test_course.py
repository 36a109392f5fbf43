"""A course of rounds: stopped and gone on, it ends in the same heads; none meets what is held."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from mags.errors import InvalidInput  # noqa: E402 - torch may be missing
from mags.models.policy.heads.weights import SHIPPED  # noqa: E402
from mags_lab.training.chains.schema import Split  # noqa: E402
from mags_lab.training.chains.variety import SeenTurns  # noqa: E402
from mags_lab.training.heads.course import Place, attend, held_back, pace, samples_of  # noqa: E402
from mags_lab.training.heads.export import halves  # noqa: E402
from mags_lab.training.heads.recipes import SMOKE  # noqa: E402

TINY = replace(SMOKE, rounds=3, fresh=12, talk=4, dev=4, tests=1)


@pytest.fixture(scope="module")
def held():
    return held_back(TINY)


def weights(course, folder, held, watch=None):
    return halves(attend(course, Place(folder=folder, held=held), watch))


def test_a_course_that_was_stopped_ends_where_it_would_have(held, tmp_path):
    whole = weights(TINY, tmp_path / "whole", held)
    # Told to take fewer rounds, it is as one that was stopped, but for the rate that fell.
    flat = replace(TINY, cool=0)
    once = weights(flat, tmp_path / "once", held)
    weights(replace(flat, rounds=2), tmp_path / "parts", held)
    losses = []
    parts = weights(flat, tmp_path / "parts", held, lambda step, x: losses.append((step, x)))
    assert [step for step, _ in losses] == [3]
    assert all(np.array_equal(parts[name], w) for name, w in once.items())
    assert any(not np.array_equal(whole[name], w) for name, w in once.items())


def test_states_of_rounds_that_are_past_are_not_kept(held, tmp_path):
    weights(TINY, tmp_path, held)
    left = {path.name for path in tmp_path.iterdir() if path.is_dir()}
    assert left == {f"states-{TINY.rounds - 1}"}


def test_rounds_bring_other_samples_and_none_that_is_held_back(held):
    first, second = (list(samples_of(TINY, number, held)) for number in (1, 2))
    assert len(first) == TINY.fresh + TINY.talk
    assert {one.split for one in first} == {Split.TRAIN}
    assert not {one.turn.text for one in first} & {one.turn.text for one in second}
    assert [one.turn for one in samples_of(TINY, 1, held)] == [one.turn for one in first]
    known = SeenTurns()
    assert all(known.take(one) for one in (*held.dev[:20], *first))


def test_what_is_written_by_hand_comes_every_few_rounds(held):
    course = replace(TINY, by_hand=2)
    by_hand = [
        any(one.source == "hand" for one in samples_of(course, number, held)) for number in range(4)
    ]
    assert by_hand == [True, False, True, False]
    never = replace(TINY, by_hand=0)
    assert len(list(samples_of(never, 0, held))) == TINY.fresh + TINY.talk


def test_heads_that_were_trained_with_the_encoder_do_not_go_on_without_it(held, tmp_path):
    with pytest.raises(InvalidInput, match="mags train heads --recipe whole"):
        attend(TINY, Place(folder=tmp_path, held=held, start=SHIPPED))


def test_the_rate_rises_in_the_first_round_and_falls_in_the_last_ones():
    course = replace(TINY, rounds=10, cool=4)
    paces = [pace(course, at) for at in (0.0, 0.5, 1.0, 6.0, 8.0, 10.0)]
    assert paces == pytest.approx([0.02, 0.5, 1.0, 1.0, 0.51, 0.02])
