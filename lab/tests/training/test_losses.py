"""Losses and advantages against numbers worked out by hand (needs the extra `train`)."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")

from mags_lab.training import grpo, ppo, sft  # noqa: E402 - torch first


def test_an_advantage_is_the_reward_less_the_mean_of_its_group() -> None:
    rewards = torch.tensor([1.0, 0.0, 0.5, 0.5])
    assert grpo.group_advantages(rewards, 2).tolist() == [0.5, -0.5, 0.0, 0.0]


def test_a_group_whose_rewards_are_equal_teaches_nothing() -> None:
    rewards = torch.tensor([1.0, 0.0, 0.5, 0.5])
    assert grpo.informative(rewards, 2).tolist() == [True, True, False, False]


def test_the_ratio_is_clipped_only_where_that_lowers_the_objective() -> None:
    logp = torch.log(torch.tensor([[1.5, 0.5], [1.5, 0.5]]))
    old = torch.zeros(2, 2)
    objective = grpo.clipped_objective(logp, old, torch.tensor([1.0, -1.0]), clip=0.2)
    # Gain: 1.5 is held at 1.2, 0.5 stays. Loss: 1.5 stays, 0.5 is held at 0.8.
    assert objective == pytest.approx(torch.tensor([[1.2, 0.5], [-1.5, -0.8]]))


def test_grpo_divides_by_a_constant_length() -> None:
    logp = torch.zeros(2, 3)
    mask = torch.tensor([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    loss = grpo.grpo_loss(logp, logp, torch.tensor([0.5, -0.5]), mask, length=4)
    assert loss.item() == pytest.approx(-(0.5 * 3 - 0.5 * 1) / (2 * 4))


def test_the_gradient_of_grpo_is_minus_the_advantage_over_the_constant() -> None:
    logp = torch.zeros(1, 2, requires_grad=True)
    mask = torch.tensor([[1.0, 0.0]])
    grpo.grpo_loss(logp, logp.detach(), torch.tensor([0.5]), mask, length=4).backward()
    assert logp.grad is not None
    assert logp.grad.tolist() == [[-0.125, 0.0]]


def test_a_reward_lies_on_the_last_token_that_was_chosen() -> None:
    mask = torch.tensor([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    laid = ppo.token_rewards(torch.tensor([2.0, 3.0]), mask)
    assert laid.tolist() == [[0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]


def test_generalised_advantages_are_those_of_the_recursion() -> None:
    rewards = torch.tensor([[0.0, 1.0, 0.0]])
    values = torch.tensor([[0.5, 0.25, 9.0]])
    mask = torch.tensor([[1.0, 1.0, 0.0]])
    got = ppo.generalised_advantages(rewards, values, mask, gamma=1.0, lam=0.5)
    last = 1.0 - 0.25
    assert got.tolist() == [[(0.25 - 0.5) + 0.5 * last, last, 0.0]]


def test_with_lambda_one_the_advantage_is_return_less_value() -> None:
    rewards = torch.tensor([[0.0, 0.0, 1.0]])
    values = torch.tensor([[0.3, 0.6, 0.9]])
    got = ppo.generalised_advantages(rewards, values, torch.ones(1, 3), gamma=1.0, lam=1.0)
    assert got == pytest.approx(torch.tensor([[0.7, 0.4, 0.1]]))


def test_the_value_loss_takes_the_worse_of_clipped_and_not() -> None:
    values, old = torch.tensor([[1.0]]), torch.tensor([[0.0]])
    loss = ppo.value_loss(values, old, torch.tensor([[1.0]]), torch.ones(1, 1), clip=0.2)
    assert loss.item() == pytest.approx(0.5 * 0.8**2)


def test_ppo_is_a_mean_over_the_tokens_that_were_chosen() -> None:
    logp = torch.zeros(1, 3)
    advantages, mask = torch.tensor([[1.0, 3.0, 9.0]]), torch.tensor([[1.0, 1.0, 0.0]])
    assert ppo.ppo_loss(logp, logp, advantages, mask).item() == -2.0


def test_the_cross_entropy_is_weighed_token_by_token() -> None:
    logits = torch.tensor([[[0.0, 0.0], [math.log(3.0), 0.0]]])
    targets, weights = torch.tensor([[0, 0]]), torch.tensor([[0.1, 1.0]])
    want = (0.1 * math.log(2.0) + 1.0 * math.log(4 / 3)) / 1.1
    assert sft.weighted_cross_entropy(logits, targets, weights).item() == pytest.approx(want)
