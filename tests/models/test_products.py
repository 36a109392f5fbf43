"""Products in pieces are those of numpy, for any shape."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.cores import PIECE, product

SIZES = st.one_of(st.integers(1, 4), st.integers(1, 300))


@given(rows=SIZES, inner=st.sampled_from([1, 48, 192, 786, 1152]), out=SIZES, seed=st.integers(0))
def test_a_product_in_pieces_is_the_whole_one(rows: int, inner: int, out: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, inner)).astype(np.float32)
    weight = rng.standard_normal((out, inner)).astype(np.float32)
    whole = (x.astype(np.float64) @ weight.T.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(product(x, weight), whole, atol=1e-3)
    np.testing.assert_allclose(product(x[0], weight), whole[0], atol=1e-3)
    np.testing.assert_allclose(
        product(x[:, : inner // 2 + 1], weight[:, : inner // 2 + 1]),
        x[:, : inner // 2 + 1] @ weight[:, : inner // 2 + 1].T,
        atol=1e-3,
    )


def test_no_piece_is_large_enough_for_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = list[int]()
    multiply = np.matmul

    def counted(x: Any, weight: Any, out: Any) -> Any:
        sizes.append(len(x) * weight.size)
        assert min(len(x), weight.shape[1]) > 1  # else it is no product of matrices
        return multiply(x, weight, out=out)

    monkeypatch.setattr(np, "matmul", counted)
    for rows in (2, 3, 49, 97, 256):
        for shape in ((192, 786), (576, 192), (768, 384), (64, 1152), (2, 192)):
            product(np.ones((rows, shape[1]), np.float32), np.ones(shape, np.float32))
    assert max(sizes) <= PIECE
