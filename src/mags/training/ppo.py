"""PPO, the baseline: a critic that shares the model's features instead of groups.

Given a fair chance: the value head is warmed up alone before the policy moves, it reads the last
layer's states (with a gradient into them, weighed by `value_weight`), advantages are GAE and
normalised over the step, and both losses are clipped (Schulman et al. 2017, arXiv:1707.06347).
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

from mags.training.checkpoint import save_checkpoint
from mags.training.experience import (
    COLUMNS,
    Experience,
    Judge,
    Task,
    Voice,
    gather,
    logp_of,
    reply_states,
)
from mags.training.losses import generalised_advantages, ppo_loss, token_rewards, value_loss
from mags.training.optimisers import optimisers, schedule, take_step
from mags.training.progress import Watch
from mags.training.sft import resume

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PpoConfig:
    """How to reinforce with a critic. `warm`: steps in which the value head alone learns.

    `copies`: replies to each prompt, which is then read once for all of them. A step has `replies`
    replies in all: `prompts x group` of GRPO with `group` copies is equal compute, but for the
    value head and for groups that GRPO draws again.
    """

    steps: int = 100
    replies: int = 256
    copies: int = 1
    epochs: int = 2
    rows: int = 64
    rate: float = 3e-4
    muon: bool = False
    whole: bool = False
    rise: float = 0.05
    value_rate: float = 1e-3
    value_weight: float = 0.5
    warm: int = 5
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
class Advised:
    """An experience with what the critic says of it; each (b, t)."""

    seen: Experience
    values: Tensor
    advantages: Tensor
    returns: Tensor


def reinforce_with_critic(
    voice: Voice,
    tasks: Sequence[Task[T]],
    judge: Judge[T],
    config: PpoConfig,
    *,
    watch: Watch | None = None,
    folder: Path | None = None,
) -> None:
    """Train the voice's model in place on tasks; checkpoints go to `folder`, taken up there."""
    torch.manual_seed(config.seed)
    critic = Critic(voice.model.config.hidden_size).to(voice.model.device)
    both = nn.ModuleDict({"policy": voice.model, "critic": critic})
    policy = optimisers(voice.model, rate=config.rate, decay=0.0, muon=config.muon)
    value: list[Optimizer] = [AdamW(critic.parameters(), lr=config.value_rate)]
    begin = resume(both, [*policy, *value], folder)
    for step in range(begin, config.steps):
        chance = torch.Generator(device=voice.model.device).manual_seed(config.seed * 7919 + step)
        pick = random.Random(config.seed * 7919 + step)
        asked = [pick.choice(tasks) for _ in range(config.replies // config.copies)]
        seen = gather(voice, asked, judge, chance=chance, copies=config.copies)
        advised = advise(voice, critic, seen, config)
        moves = step >= config.warm
        loss = _learn(voice, critic, (policy if moves else [], value), advised, config, step=step)
        if watch is not None:
            watch(step + 1, {**seen.parts, "loss": loss})
        if folder is not None and config.save_every and (step + 1) % config.save_every == 0:
            save_checkpoint(folder, step + 1, both, [*policy, *value])
    voice.model.eval()


@torch.no_grad()
def advise(voice: Voice, critic: Critic, seen: Experience, config: PpoConfig) -> Advised:
    """Values, advantages (normalised over all tokens) and returns of replies."""
    parts = [seen.rows(rows) for rows in torch.arange(len(seen.rewards)).split(config.rows)]
    together = _together(config)
    states = (reply_states(voice.model, part, copies=together)[1] for part in parts)
    values = torch.cat([critic(one) for one in states])
    values = values * seen.mask
    rewards = token_rewards(seen.rewards, seen.mask)
    raw = generalised_advantages(rewards, values, seen.mask, gamma=config.gamma, lam=config.lam)
    chosen = raw[seen.mask.bool()]
    scaled = (raw - chosen.mean()) / (chosen.std() + 1e-8) * seen.mask
    return Advised(seen=seen, values=values, advantages=scaled, returns=raw + values)


def _learn(
    voice: Voice,
    critic: Critic,
    chosen: tuple[Sequence[Optimizer], Sequence[Optimizer]],
    advised: Advised,
    config: PpoConfig,
    *,
    step: int,
) -> float:
    policy, value = chosen
    rate = config.rate * schedule(step, config.steps, warm=config.rise)
    total = 0.0

    def update() -> None:
        take_step(policy, voice.model.parameters(), rate=rate, norm=config.norm)
        take_step(value, critic.parameters(), rate=config.value_rate, norm=config.norm)
        voice.model.zero_grad(set_to_none=True)

    voice.model.train()
    for epoch in range(config.epochs):
        mixing = torch.Generator().manual_seed(config.seed + epoch)
        total = 0.0
        for rows in advised.seen.minibatches(config.rows, chance=mixing):
            loss = _loss(voice, critic, advised, rows, config, moves=bool(policy))
            share = len(rows) / len(advised.values)
            (loss * share if config.whole else loss).backward()
            if not config.whole or not policy:
                update()
            total += float(loss.detach()) * len(rows)
        if config.whole and policy:
            update()
    return total / len(advised.values)


def _loss(
    voice: Voice, critic: Critic, advised: Advised, rows: Tensor, config: PpoConfig, *, moves: bool
) -> Tensor:
    part = advised.seen.rows(rows).trimmed(columns=COLUMNS)
    length = part.mask.shape[1]
    logits, states = reply_states(voice.model, part, copies=_together(config))
    values = critic(states if moves else states.detach())
    before, returns = advised.values[rows, :length], advised.returns[rows, :length]
    worth = value_loss(values, before, returns, part.mask, clip=config.clip)
    if not moves:
        return worth
    logp = logp_of(logits, part, temperature=voice.sampling.temperature)
    advantages = advised.advantages[rows, :length]
    aim = ppo_loss(logp, part.old_logp, advantages, part.mask, clip=config.clip)
    return aim + config.value_weight * worth


def _together(config: PpoConfig) -> int:
    """Neighbours of a minibatch that have the same prompt."""
    return config.copies if config.rows % config.copies == 0 else 1
