"""PPO, the baseline: a critic that shares the model's features instead of groups.

Given a fair chance: the value head is warmed up alone before the policy moves, it reads the last
layer's states (with a gradient into them, weighed by `value_weight`), advantages are GAE (Schulman
et al. 2016, arXiv:1506.02438) normalised over the step, and both losses are clipped (Schulman et
al. 2017, arXiv:1707.06347).

Shapes: `b` replies, `t` tokens of a reply, padded, `w` the model's width; `mask` is 1 on tokens the
policy chose and 0 elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from mags_lab.training.experience import (
    Experience,
    Judge,
    PromptTask,
    SamplingPolicy,
    gather,
    logp_of,
    reply_states,
)
from mags_lab.training.grpo import clipped_objective
from mags_lab.training.optimisers import optimisers, save_checkpoint, schedule, take_step
from mags_lab.training.runs import Watch
from mags_lab.training.sft import resume

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PpoConfig:
    """How to reinforce with a critic. `critic_warmup`: steps in which the value head alone learns.

    `copies`: replies to each prompt. A step has `replies` replies in all: `prompts x group` of GRPO
    with `group` copies is equal compute, but for the value head and for groups that GRPO samples
    again.
    """

    steps: int = 100
    replies: int = 256
    copies: int = 1
    epochs: int = 2
    rows: int = 64
    rate: float = 3e-4
    warmup: float = 0.05
    value_rate: float = 1e-3
    value_weight: float = 0.5
    critic_warmup: int = 5
    clip: float = 0.2
    gamma: float = 1.0
    lam: float = 0.95
    norm: float = 1.0
    seed: int = 0
    save_every: int = 0


class Critic(nn.Module):  # type: ignore[misc]
    """What a reply will be worth, read from the state at each token: (b, t, w) to (b, t)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.read = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, states: Tensor) -> Tensor:
        """Values in the scale of rewards."""
        value: Tensor = self.read(states.float()).squeeze(-1)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Advantages:
    """An experience with what the critic says of it; each (b, t)."""

    seen: Experience
    values: Tensor
    advantages: Tensor
    returns: Tensor


def reinforce_with_critic(
    policy: SamplingPolicy,
    tasks: Sequence[PromptTask[T]],
    judge: Judge[T],
    config: PpoConfig,
    *,
    watch: Watch | None = None,
    folder: Path | None = None,
) -> None:
    """Train the policy's model in place on tasks; checkpoints go to `folder`, taken up there."""
    torch.manual_seed(config.seed)
    critic = Critic(policy.model.config.hidden_size).to(policy.model.device)
    both = nn.ModuleDict({"policy": policy.model, "critic": critic})
    for_policy = optimisers(policy.model, rate=config.rate, decay=0.0, muon=False)
    for_critic: list[Optimizer] = [AdamW(critic.parameters(), lr=config.value_rate)]
    begin = resume(both, [*for_policy, *for_critic], folder)
    for step in range(begin, config.steps):
        generator = torch.Generator(device=policy.model.device).manual_seed(
            config.seed * 7919 + step
        )
        pick = random.Random(config.seed * 7919 + step)
        asked = [pick.choice(tasks) for _ in range(config.replies // config.copies)]
        seen = gather(policy, asked, judge, generator=generator, copies=config.copies)
        estimated = estimate_advantages(policy, critic, seen, config)
        moves = step >= config.critic_warmup
        loss = _learn(
            policy, critic, (for_policy if moves else [], for_critic), estimated, config, step=step
        )
        if watch is not None:
            watch(step + 1, {**seen.parts, "loss": loss})
        if folder is not None and config.save_every and (step + 1) % config.save_every == 0:
            save_checkpoint(folder, step + 1, both, [*for_policy, *for_critic])
    policy.model.eval()


@torch.no_grad()
def estimate_advantages(
    policy: SamplingPolicy, critic: Critic, seen: Experience, config: PpoConfig
) -> Advantages:
    """Values, advantages (normalised over all tokens) and returns of replies."""
    parts = [seen.rows(rows) for rows in torch.arange(len(seen.rewards)).split(config.rows)]
    values = torch.cat([critic(reply_states(policy.model, part)[1]) for part in parts]) * seen.mask
    rewards = token_rewards(seen.rewards, seen.mask)
    raw = generalised_advantages(rewards, values, seen.mask, gamma=config.gamma, lam=config.lam)
    chosen = raw[seen.mask.bool()]
    scaled = (raw - chosen.mean()) / (chosen.std() + 1e-8) * seen.mask
    return Advantages(seen=seen, values=values, advantages=scaled, returns=raw + values)


def _learn(
    policy: SamplingPolicy,
    critic: Critic,
    chosen: tuple[Sequence[Optimizer], Sequence[Optimizer]],
    estimated: Advantages,
    config: PpoConfig,
    *,
    step: int,
) -> float:
    for_policy, for_critic = chosen
    rate = config.rate * schedule(step, config.steps, warmup=config.warmup)
    total = 0.0

    policy.model.train()
    for epoch in range(config.epochs):
        shuffler = torch.Generator().manual_seed(config.seed + epoch)
        total = 0.0
        for rows in estimated.seen.minibatches(config.rows, generator=shuffler):
            loss = _loss(policy, critic, estimated, rows, config, moves=bool(for_policy))
            loss.backward()
            take_step(for_policy, policy.model.parameters(), rate=rate, norm=config.norm)
            take_step(for_critic, critic.parameters(), rate=config.value_rate, norm=config.norm)
            policy.model.zero_grad(set_to_none=True)
            total += float(loss.detach()) * len(rows)
    return total / len(estimated.values)


def _loss(
    policy: SamplingPolicy,
    critic: Critic,
    estimated: Advantages,
    rows: Tensor,
    config: PpoConfig,
    *,
    moves: bool,
) -> Tensor:
    part = estimated.seen.rows(rows).trimmed()
    length = part.mask.shape[1]
    logits, states = reply_states(policy.model, part)
    values = critic(states if moves else states.detach())
    before, returns = estimated.values[rows, :length], estimated.returns[rows, :length]
    worth = value_loss(values, before, returns, part.mask, clip=config.clip)
    if not moves:
        return worth
    logp = logp_of(logits, part, temperature=policy.sampling.temperature)
    advantages = estimated.advantages[rows, :length]
    aim = ppo_loss(logp, part.old_logp, advantages, part.mask, clip=config.clip)
    return aim + config.value_weight * worth


def token_rewards(rewards: Tensor, mask: Tensor) -> Tensor:
    """The reward of a completion laid on its last token; (b,) and (b, t) to (b, t)."""
    counts = torch.arange(mask.shape[1], device=mask.device)
    last = (counts * mask).amax(dim=1).long()
    laid = torch.zeros_like(mask, dtype=rewards.dtype)
    laid[torch.arange(mask.shape[0], device=mask.device), last] = rewards
    return laid * mask


def generalised_advantages(
    rewards: Tensor, values: Tensor, mask: Tensor, *, gamma: float = 1.0, lam: float = 0.95
) -> Tensor:
    """GAE over the tokens of each completion; all (b, t). Padding gets 0.

    delta_t = r_t + gamma V_{t+1} - V_t; A_t = delta_t + gamma lam A_{t+1}; V is 0 past the end.
    """
    advantages = torch.zeros_like(values)
    carried = torch.zeros_like(values[:, 0])
    following = torch.zeros_like(carried)
    for t in reversed(range(values.shape[1])):
        here = mask[:, t]
        delta = rewards[:, t] + gamma * following - values[:, t]
        carried = (delta + gamma * lam * carried) * here
        following = values[:, t] * here
        advantages[:, t] = carried
    return advantages


def ppo_loss(
    logp: Tensor, old_logp: Tensor, advantages: Tensor, mask: Tensor, *, clip: float = 0.2
) -> Tensor:
    """Minus the clipped objective as a mean over tokens; all (b, t)."""
    objective = clipped_objective(logp, old_logp, advantages, clip=clip)
    return -(objective * mask).sum() / mask.sum().clamp(min=1.0)


def value_loss(
    values: Tensor, old_values: Tensor, returns: Tensor, mask: Tensor, *, clip: float = 0.2
) -> Tensor:
    """Half the squared error of the value head, clipped or not (the worse); a mean over tokens."""
    held = old_values + (values - old_values).clamp(-clip, clip)
    worse = torch.maximum((values - returns) ** 2, (held - returns) ** 2)
    return 0.5 * (worse * mask).sum() / mask.sum().clamp(min=1.0)
