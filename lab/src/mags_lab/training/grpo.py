"""GRPO: groups of replies to one prompt, judged against each other; no critic.

Each step samples `group` replies to each of `prompts` tasks. The advantage of a reply is its reward
less its group's mean, and `epochs` passes of the clipped loss make the better ones likelier (Shao
et al. 2024, arXiv:2402.03300). No KL term, no division by the deviation, a constant length in the
denominator (Liu et al. 2025, "Dr. GRPO", arXiv:2503.20783). Groups whose rewards are all equal
teach nothing and are sampled again (Yu et al. 2025, "DAPO", arXiv:2503.14476). Large models have
TRL's trainer for the same loss (`mags_lab.training.large.lora`).

Shapes: `b` replies, `t` tokens of a reply, padded; `mask` is 1 on tokens the policy chose and 0
elsewhere. Log-probabilities are natural, of the tokens chosen.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor
from torch.optim import Optimizer

from mags_lab.training.experience import (
    Experience,
    Judge,
    PromptTask,
    SamplingPolicy,
    gather,
    logp_of,
    reply_states,
)
from mags_lab.training.optimisers import optimisers, save_checkpoint, schedule, take_step
from mags_lab.training.runs import Watch
from mags_lab.training.sft import resume

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpoConfig:
    """How to reinforce. A step has `prompts` x `group` replies; `rows`: of one forward pass.

    `warmup`: share of the steps in which the rate rises: AdamW's first steps are of full size in
    whatever direction the noise has.
    """

    steps: int = 100
    prompts: int = 32
    group: int = 8
    epochs: int = 2
    rows: int = 32
    rate: float = 3e-4
    warmup: float = 0.05
    clip: float = 0.2
    norm: float = 1.0
    resamples: int = 2
    seed: int = 0
    save_every: int = 0


def reinforce(
    policy: SamplingPolicy,
    tasks: Sequence[PromptTask[T]],
    judge: Judge[T],
    config: GrpoConfig,
    *,
    watch: Watch | None = None,
    folder: Path | None = None,
) -> None:
    """Train the policy's model in place on tasks; checkpoints go to `folder`, taken up there."""
    chosen = optimisers(policy.model, rate=config.rate, decay=0.0, muon=False)
    begin = resume(policy.model, chosen, folder)
    for step in range(begin, config.steps):
        generator = torch.Generator(device=policy.model.device).manual_seed(
            config.seed * 7919 + step
        )
        seen, share = sample_groups(policy, tasks, judge, config, generator=generator)
        rate = config.rate * schedule(step, config.steps, warmup=config.warmup)
        loss = learn_from(policy, chosen, seen, config, rate=rate)
        if watch is not None:
            watch(step + 1, {**seen.parts, "loss": loss, "informative": share})
        if folder is not None and config.save_every and (step + 1) % config.save_every == 0:
            save_checkpoint(folder, step + 1, policy.model, chosen)
    policy.model.eval()


def sample_groups(
    policy: SamplingPolicy,
    tasks: Sequence[PromptTask[T]],
    judge: Judge[T],
    config: GrpoConfig,
    *,
    generator: torch.Generator,
) -> tuple[Experience, float]:
    """Replies of informative groups, and the share of groups that were so at the first sample."""
    pick = random.Random(
        int(torch.randint(2**31, (1,), generator=generator, device=generator.device))
    )
    first = _sample(policy, tasks, judge, config, generator=generator, pick=pick)
    useful = informative(first.rewards, config.group)
    share = float(useful.float().mean())
    kept = [first.rows(useful)]
    for _ in range(config.resamples):
        if sum(len(one.rewards) for one in kept) >= config.prompts * config.group:
            break
        more = _sample(policy, tasks, judge, config, generator=generator, pick=pick)
        kept.append(more.rows(informative(more.rewards, config.group)))
    whole = joined(kept, pad=policy.sampling.pad)
    most = config.prompts * config.group
    return replace(
        whole.rows(torch.arange(min(most, len(whole.rewards)))), parts=first.parts
    ), share


def _sample(
    policy: SamplingPolicy,
    tasks: Sequence[PromptTask[T]],
    judge: Judge[T],
    config: GrpoConfig,
    *,
    generator: torch.Generator,
    pick: random.Random,
) -> Experience:
    asked = [pick.choice(tasks) for _ in range(config.prompts)]
    return gather(policy, asked, judge, generator=generator, copies=config.group)


def learn_from(
    policy: SamplingPolicy,
    chosen: Sequence[Optimizer],
    seen: Experience,
    config: GrpoConfig,
    *,
    rate: float,
) -> float:
    """The epochs of one step; the mean loss of the last one."""
    if not len(seen.rewards):
        return 0.0
    advantages = group_advantages(seen.rewards, config.group)
    total = 0.0
    policy.model.train()
    for epoch in range(config.epochs):
        generator = torch.Generator().manual_seed(config.seed + epoch)
        total = 0.0
        for rows in seen.minibatches(config.rows, generator=generator):
            part = seen.rows(rows).trimmed()
            logits, _ = reply_states(policy.model, part)
            loss = grpo_loss(
                logp_of(logits, part, temperature=policy.sampling.temperature),
                part.old_logp,
                advantages[rows],
                part.mask,
                clip=config.clip,
                length=policy.sampling.limit,
            )
            loss.backward()
            take_step(chosen, policy.model.parameters(), rate=rate, norm=config.norm)
            total += float(loss.detach()) * len(rows)
    return total / len(advantages)


def group_advantages(rewards: Tensor, group: int) -> Tensor:
    """Reward minus the mean of its group; (b,) with groups of `group` neighbours, to (b,)."""
    grouped = rewards.view(-1, group)
    return (grouped - grouped.mean(dim=1, keepdim=True)).reshape(-1)


def informative(rewards: Tensor, group: int) -> Tensor:
    """Which completions belong to a group whose rewards differ; (b,) to bool (b,).

    A group of zero variance teaches nothing and is sampled again.
    """
    grouped = rewards.view(-1, group)
    differs = (grouped - grouped[:, :1]).abs().amax(dim=1) > 0
    return differs.repeat_interleave(group)


def grpo_loss(
    logp: Tensor,
    old_logp: Tensor,
    advantages: Tensor,
    mask: Tensor,
    *,
    clip: float = 0.2,
    length: int,
) -> Tensor:
    """Minus the clipped objective, summed over tokens, over b x `length` (a constant).

    Equals TRL's `loss_type="dr_grpo"` at `beta=0` where `length` is its
    `max_completion_length`: long and short completions weigh a token alike.
    """
    objective = clipped_objective(logp, old_logp, advantages, clip=clip)
    return -(objective * mask).sum() / (logp.shape[0] * length)


def clipped_objective(
    logp: Tensor, old_logp: Tensor, advantages: Tensor, *, clip: float = 0.2
) -> Tensor:
    """The least of ratio x advantage and clipped ratio x advantage, each token; (b, t).

    `advantages` is (b,) for one advantage a completion or (b, t) for one a token.
    """
    each = advantages if advantages.dim() == logp.dim() else advantages.unsqueeze(-1)
    ratio = torch.exp(logp - old_logp)
    return torch.minimum(ratio * each, ratio.clamp(1.0 - clip, 1.0 + clip) * each)


def joined(parts: Sequence[Experience], *, pad: int) -> Experience:
    """Several experiences as one, padded to the widest prompt and reply."""
    width = max(one.tokens.shape[1] - one.mask.shape[1] for one in parts)
    length = max(one.mask.shape[1] for one in parts)

    def wide(one: Experience) -> Experience:
        left = width - (one.tokens.shape[1] - one.mask.shape[1])
        right = length - one.mask.shape[1]
        fill = torch.nn.functional.pad
        return replace(
            one,
            tokens=fill(one.tokens, (left, right), value=pad),
            attention=fill(one.attention, (left, right)),
            mask=fill(one.mask, (0, right)),
            old_logp=fill(one.old_logp, (0, right)),
        )

    widened = [wide(one) for one in parts]
    return Experience(
        tokens=torch.cat([one.tokens for one in widened]),
        attention=torch.cat([one.attention for one in widened]),
        mask=torch.cat([one.mask for one in widened]),
        old_logp=torch.cat([one.old_logp for one in widened]),
        rewards=torch.cat([one.rewards for one in widened]),
        parts=parts[0].parts,
    )
