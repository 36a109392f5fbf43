"""Pieces drawn by chance, by hand."""

import numpy as np
import pytest

from mags_lab.training.evaluate.deciders import Sampler

LOGITS = np.log(np.array([0.1, 0.6, 0.3], dtype=np.float32))


def drawn(temperature: float, seed: int, count: int = 4_000) -> list[int]:
    sampler = Sampler(temperature, seed=seed)
    return [sampler.piece(LOGITS) for _ in range(count)]


def test_the_same_seed_draws_the_same_pieces() -> None:
    assert drawn(1.0, 3, 50) == drawn(1.0, 3, 50) != drawn(1.0, 4, 50)


def test_at_temperature_zero_it_takes_the_likeliest_each_time() -> None:
    assert set(drawn(0.0, 0, 50)) == {1}


def test_pieces_come_as_often_as_the_softmax_says() -> None:
    shares = np.bincount(drawn(1.0, 0), minlength=3) / 4_000
    assert shares == pytest.approx([0.1, 0.6, 0.3], abs=0.03)
    # Half the temperature squares each share before they are brought to one again.
    shares = np.bincount(drawn(0.5, 0), minlength=3) / 4_000
    assert shares == pytest.approx(np.array([1, 36, 9]) / 46, abs=0.03)


def test_what_is_not_allowed_is_never_drawn() -> None:
    sampler = Sampler(100.0, seed=0)
    masked = np.where([True, False, True], LOGITS, -np.inf).astype(np.float32)
    assert {sampler.piece(masked) for _ in range(200)} == {0, 2}


def test_a_temperature_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="not negative"):
        Sampler(-0.1, seed=0)
