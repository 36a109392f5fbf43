"""PPO: a critic that learns what to expect, and a reward that rises (extra `train`)."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
pytest.importorskip("transformers", reason="needs the extra: pip install './lab[train]'")

from lab.tests.training import tiny  # noqa: E402
from mags_lab.training.experience import gather  # noqa: E402 - torch first
from mags_lab.training.ppo import Critic, PpoConfig, estimate_advantages, reinforce_with_critic  # noqa: E402


def test_the_reward_rises_and_the_loss_falls(words: Any, speller: Any) -> None:
    rewards: list[float] = []
    losses: list[float] = []

    def noted(_: int, found: Mapping[str, float]) -> None:
        rewards.append(found["reward"])
        losses.append(found["loss"])

    config = PpoConfig(steps=25, replies=64, rate=3e-3, value_rate=3e-3, critic_warmup=3)
    reinforce_with_critic(
        tiny.policy(words, speller),
        tiny.tasks(words),
        tiny.share_of_a,
        config,
        watch=noted,
    )
    assert rewards[0] < 0.5
    assert sum(rewards[-3:]) / 3 > rewards[0] + 0.2
    # The loss of the warm-up is the critic's alone: the first step after it is the one to beat.
    assert sum(losses[-3:]) / 3 < 0.5 * losses[config.critic_warmup]
    assert not speller.training


def test_a_run_that_was_stopped_ends_as_one_that_ran_through(
    words: Any, speller: Any, tmp_path: Path
) -> None:
    """The critic goes on, too: with another one advantages would differ, and so would weights."""
    config = PpoConfig(steps=4, replies=16, rows=16, critic_warmup=1, save_every=2)
    whole, again = copy.deepcopy(speller), copy.deepcopy(speller)
    tasks = tiny.tasks(words)
    losses: dict[int, list[float]] = {}

    def noted(step: int, found: Mapping[str, float]) -> None:
        losses.setdefault(step, []).append(found["loss"])

    for model in (whole, again):
        reinforce_with_critic(
            tiny.policy(words, model), tasks, tiny.share_of_a, config, watch=noted, folder=tmp_path
        )
        (tmp_path / "step-4.pt").unlink()
    assert {step: len(found) for step, found in losses.items()} == {1: 1, 2: 1, 3: 2, 4: 2}
    assert losses[3][0] == losses[3][1]
    assert losses[4][0] == losses[4][1]
    assert all(
        torch.equal(a, b) for a, b in zip(whole.parameters(), again.parameters(), strict=True)
    )


def test_a_step_has_as_many_replies_whatever_prompts_share(words: Any, speller: Any) -> None:
    counts: list[int] = []

    def judge(asked: Sequence[str], replies: Sequence[str]) -> Sequence[Mapping[str, float]]:
        counts.append(len(replies))
        assert all(len({*asked[i : i + 4]}) == 1 for i in range(0, len(asked), 4))
        return tiny.share_of_a(asked, replies)

    config = PpoConfig(steps=2, replies=32, copies=4, rows=16, critic_warmup=1)
    reinforce_with_critic(tiny.policy(words, speller), tiny.tasks(words), judge, config)
    assert counts == [32, 32]


def test_the_policy_stays_still_while_the_critic_warms_up(words: Any, speller: Any) -> None:
    before = [one.detach().clone() for one in speller.parameters()]
    losses: list[float] = []
    config = PpoConfig(steps=8, replies=64, critic_warmup=8, value_rate=1e-2)
    reinforce_with_critic(
        tiny.policy(words, speller),
        tiny.tasks(words),
        tiny.share_of_a,
        config,
        watch=lambda _, found: losses.append(found["loss"]),
    )
    assert all(torch.equal(a, b) for a, b in zip(before, speller.parameters(), strict=True))
    assert losses[-1] < losses[0]


def test_advantages_are_normalised_over_the_tokens_of_replies(words: Any, speller: Any) -> None:
    policy = tiny.policy(words, speller)
    generator = torch.Generator().manual_seed(0)
    seen = gather(policy, tiny.tasks(words), tiny.share_of_a, generator=generator)
    torch.manual_seed(0)
    critic = Critic(tiny.SIZE.width)
    said = estimate_advantages(policy, critic, seen, PpoConfig(rows=3))
    chosen = said.advantages[seen.mask.bool()]
    assert chosen.mean().item() == pytest.approx(0.0, abs=1e-5)
    assert chosen.std().item() == pytest.approx(1.0, abs=1e-4)
    assert bool((said.advantages[seen.mask == 0] == 0).all())
    assert said.values.shape == seen.mask.shape
