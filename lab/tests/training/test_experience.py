"""Experience cut to what is needed (extra `train`)."""

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")

from mags_lab.training.experience import Experience  # noqa: E402 - torch first


def experience() -> Experience:
    """Prompts of 1, 3 and 2 tokens (padded to 4), replies of 2, 1 and 1 (padded to 3)."""
    return Experience(
        tokens=torch.tensor([[0, 0, 0, 1, 5, 6, 0], [0, 1, 2, 3, 7, 0, 0], [0, 0, 1, 2, 8, 0, 0]]),
        attention=torch.tensor(
            [[0, 0, 0, 1, 1, 1, 0], [0, 1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 0, 0]]
        ),
        mask=torch.tensor([[1.0, 1, 0], [1, 0, 0], [1, 0, 0]]),
        old_logp=torch.tensor([[-1.0, -2, 0], [-3, 0, 0], [-4, 0, 0]]),
        rewards=torch.tensor([1.0, 2.0, 3.0]),
        parts={"reward": 2.0},
    )


def test_trimming_takes_away_the_columns_that_no_row_uses() -> None:
    seen = experience().trimmed()
    assert seen.tokens.tolist() == [[0, 0, 1, 5, 6], [1, 2, 3, 7, 0], [0, 1, 2, 8, 0]]
    assert seen.attention.sum(1).tolist() == [3, 4, 3]
    assert seen.mask.tolist() == [[1, 1], [1, 0], [1, 0]]
    assert seen.old_logp.tolist() == [[-1, -2], [-3, 0], [-4, 0]]


def test_trimming_a_part_is_by_its_own_rows() -> None:
    seen = experience().rows(torch.tensor([2])).trimmed()
    assert (seen.tokens.tolist(), seen.mask.tolist()) == ([[1, 2, 8]], [[1]])


def test_minibatches_hold_every_row_once_with_prompts_of_like_length_together() -> None:
    parts = experience().minibatches(2, generator=torch.Generator().manual_seed(0))
    assert sorted(i for part in parts for i in part.tolist()) == [0, 1, 2]
    assert {frozenset(part.tolist()) for part in parts} == {frozenset({0, 2}), frozenset({1})}
