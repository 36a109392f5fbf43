import numpy as np
import pytest

from mags.models.embed.sentence_transformers import pool

# Two windows of three tokens, two numbers each; the second has one token of padding.
STATES = np.array(
    [[[1, 2], [3, 4], [8, 0]], [[5, -6], [1, -2], [99, 99]]],
    dtype=np.float32,
)
MASK = np.array([[1, 1, 1], [1, 1, 0]])


@pytest.mark.parametrize(
    ("modes", "expected"),
    [
        (("mean",), [[4, 2], [3, -4]]),
        (("cls",), [[1, 2], [5, -6]]),
        (("max",), [[8, 4], [5, -2]]),
        (("lasttoken",), [[8, 0], [1, -2]]),
        (("cls", "mean"), [[1, 2, 4, 2], [5, -6, 3, -4]]),
    ],
)
def test_padding_never_counts(modes: tuple[str, ...], expected: list[list[float]]) -> None:
    assert pool(STATES, MASK, modes).tolist() == expected
