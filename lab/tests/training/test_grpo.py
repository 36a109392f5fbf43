"""GRPO: groups, resamples, and a reward that rises (needs the extra `train`)."""

import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
pytest.importorskip("transformers", reason="needs the extra: pip install './lab[train]'")

from lab.tests.training import tiny  # noqa: E402
from mags_lab.training.experience import Experience, gather  # noqa: E402 - torch first
from mags_lab.training.grpo import GrpoConfig, informative, joined, reinforce, sample_groups  # noqa: E402
from mags_lab.training.rollout import complete  # noqa: E402

CONFIG = GrpoConfig(steps=12, prompts=8, group=8, rate=3e-3, resamples=1)
Rewards = Sequence[Mapping[str, float]]


def generator() -> Any:
    return torch.Generator().manual_seed(0)


def weights(model: Any) -> list[Any]:
    return [one.detach().clone() for one in model.parameters()]


def worth(prompts: Mapping[str, float]) -> Callable[[Sequence[str], Sequence[str]], Rewards]:
    """A judge that pays the share of a, but for these prompts always the same."""

    def judge(asked: Sequence[str], replies: Sequence[str]) -> Rewards:
        paid = tiny.share_of_a(asked, replies)
        return [
            {"reward": prompts[known]} if known in prompts else one
            for known, one in zip(asked, paid, strict=True)
        ]

    return judge


def test_the_reward_rises(words: Any, speller: Any) -> None:
    rewards: list[float] = []
    reinforce(
        tiny.policy(words, speller),
        tiny.tasks(words),
        tiny.share_of_a,
        CONFIG,
        watch=lambda _, found: rewards.append(found["reward"]),
    )
    assert rewards[0] < 0.5
    assert sum(rewards[-3:]) / 3 > rewards[0] + 0.3
    assert not speller.training


def test_the_same_seed_gives_the_same_weights(words: Any, speller: Any) -> None:
    made = []
    for _ in range(2):
        model = copy.deepcopy(speller)
        short = GrpoConfig(steps=2, prompts=4, group=4)
        reinforce(tiny.policy(words, model), tiny.tasks(words), tiny.share_of_a, short)
        made.append(weights(model))
    assert all(torch.equal(one, other) for one, other in zip(*made, strict=True))


def test_a_run_that_was_stopped_goes_on_where_it_was(
    words: Any, speller: Any, tmp_path: Path
) -> None:
    config = GrpoConfig(steps=4, prompts=4, group=4, save_every=2)
    whole, again = copy.deepcopy(speller), copy.deepcopy(speller)
    tasks = tiny.tasks(words)
    reinforce(tiny.policy(words, whole), tasks, tiny.share_of_a, config, folder=tmp_path)
    (tmp_path / "step-4.pt").unlink()
    steps: list[int] = []
    reinforce(
        tiny.policy(words, again),
        tasks,
        tiny.share_of_a,
        config,
        watch=lambda step, _: steps.append(step),
        folder=tmp_path,
    )
    assert steps == [3, 4]
    assert all(
        torch.equal(one, other) for one, other in zip(weights(whole), weights(again), strict=True)
    )


def test_a_group_answers_one_prompt_and_stays_together(words: Any, speller: Any) -> None:
    seen, _ = sample_groups(
        tiny.policy(words, speller),
        tiny.tasks(words),
        tiny.share_of_a,
        CONFIG,
        generator=generator(),
    )
    width = seen.tokens.shape[1] - seen.mask.shape[1]
    prompts = seen.tokens[:, :width].reshape(-1, CONFIG.group, width)
    assert bool((prompts == prompts[:, :1]).all())
    assert len({tuple(one) for one in prompts[:, 0].tolist()}) > 1
    assert bool(informative(seen.rewards, CONFIG.group).all())


def test_groups_of_no_variance_are_drawn_again(words: Any, speller: Any) -> None:
    tasks = tiny.tasks(words, 2)
    judge = worth({tasks[0].known: 0.5})
    config = GrpoConfig(prompts=8, group=8, resamples=8)
    policy = tiny.policy(words, speller)
    seen, share = sample_groups(policy, tasks, judge, config, generator=generator())
    assert 0.0 < share < 1.0
    assert len(seen.rewards) == 64
    asked = {tuple(t for t in row.tolist() if t != policy.sampling.pad) for row in seen.tokens}
    assert all(row[: len(tasks[1].prompt)] == tasks[1].prompt for row in asked)


def test_where_no_group_teaches_nothing_is_learned(words: Any, speller: Any) -> None:
    tasks = tiny.tasks(words, 2)
    judge = worth({task.known: 1.0 for task in tasks})
    before = weights(speller)
    config = GrpoConfig(steps=2, prompts=2, group=4, resamples=1)
    shares: list[float] = []
    reinforce(
        tiny.policy(words, speller),
        tasks,
        judge,
        config,
        watch=lambda _, found: shares.append(found["informative"]),
    )
    assert shares == [0.0, 0.0]
    assert all(torch.equal(a, b) for a, b in zip(before, weights(speller), strict=True))


def test_joined_experiences_keep_each_row(words: Any, speller: Any) -> None:
    policy, pad = tiny.policy(words, speller), words.pad_token_id
    short = tiny.tasks(words, 2)
    long = [type(short[0])(prompt=(*short[0].prompt, *short[1].prompt[1:]), known="say 0: say 1: ")]
    parts = [
        gather(policy, asked, tiny.share_of_a, generator=generator()) for asked in (short, long)
    ]
    whole = joined(parts, pad=pad)

    def rows(one: Experience) -> list[tuple[list[int], list[int]]]:
        length = one.mask.shape[1]
        return [
            (
                [t for t, a in zip(row, seen, strict=True) if a],
                [t for t, m in zip(row[-length:], mask, strict=True) if m],
            )
            for row, seen, mask in zip(
                one.tokens.tolist(), one.attention.tolist(), one.mask.tolist(), strict=True
            )
        ]

    assert rows(whole) == rows(parts[0]) + rows(parts[1])
    assert whole.rewards.tolist() == [*parts[0].rewards.tolist(), *parts[1].rewards.tolist()]


def test_after_learning_good_replies_are_likelier(words: Any, speller: Any) -> None:
    policy, tasks = tiny.policy(words, speller), tiny.tasks(words)
    reinforce(policy, tasks, tiny.share_of_a, CONFIG)
    greedy = tiny.sampling(words, temperature=0.0)
    done = complete(speller, [task.prompt for task in tasks], greedy)
    replies = policy.replies(done)
    assert sum(one["reward"] for one in tiny.share_of_a(replies, replies)) / len(replies) > 0.8
