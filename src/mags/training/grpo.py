"""GRPO for models small enough that generating is cheap: groups of replies, no critic.

Each step: `prompts` tasks, `group` replies to each, rewards less their group's mean, `epochs`
passes of the clipped loss (`mags.training.losses.grpo_loss`). Groups whose rewards are all equal
teach nothing and are drawn again, up to `redraws` times. No KL term, no division by the deviation
(Liu et al. 2025, arXiv:2503.20783). For large models there is `mags.training.large.grpo`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import torch
from torch.optim import Optimizer

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
from mags.training.losses import group_advantages, grpo_loss, informative
from mags.training.optimisers import optimisers, schedule, take_step
from mags.training.progress import Watch
from mags.training.sft import resume

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpoConfig:
    """How to reinforce. A step has `prompts` x `group` replies; `rows`: of one forward pass.

    `whole`: one update an epoch, by the gradient of all replies, instead of one a forward pass.
    `rise`: share of the steps in which the rate rises: AdamW's first steps are of full size in
    whatever direction the noise has.
    """

    steps: int = 100
    prompts: int = 32
    group: int = 8
    epochs: int = 2
    rows: int = 32
    rate: float = 3e-4
    muon: bool = False
    whole: bool = False
    rise: float = 0.05
    clip: float = 0.2
    norm: float = 1.0
    redraws: int = 2
    seed: int = 0
    save_every: int = 0


def reinforce(
    voice: Voice,
    tasks: Sequence[Task[T]],
    judge: Judge[T],
    config: GrpoConfig,
    *,
    watch: Watch | None = None,
    folder: Path | None = None,
) -> None:
    """Train the voice's model in place on tasks; checkpoints go to `folder`, taken up there."""
    chosen = optimisers(voice.model, rate=config.rate, decay=0.0, muon=config.muon)
    begin = resume(voice.model, chosen, folder)
    for step in range(begin, config.steps):
        chance = torch.Generator(device=voice.model.device).manual_seed(config.seed * 7919 + step)
        seen, share = draw_groups(voice, tasks, judge, config, chance=chance)
        rate = config.rate * schedule(step, config.steps, warm=config.rise)
        loss = learn_from(voice, chosen, seen, config, rate=rate)
        if watch is not None:
            watch(step + 1, {**seen.parts, "loss": loss, "informative": share})
        if folder is not None and config.save_every and (step + 1) % config.save_every == 0:
            save_checkpoint(folder, step + 1, voice.model, chosen)
    voice.model.eval()


def draw_groups(
    voice: Voice,
    tasks: Sequence[Task[T]],
    judge: Judge[T],
    config: GrpoConfig,
    *,
    chance: torch.Generator,
) -> tuple[Experience, float]:
    """Replies of informative groups, and the share of groups that were so at the first draw."""
    pick = random.Random(int(torch.randint(2**31, (1,), generator=chance, device=chance.device)))
    first = _draw(voice, tasks, judge, config, chance=chance, pick=pick)
    useful = informative(first.rewards, config.group)
    share = float(useful.float().mean())
    kept = [first.rows(useful)]
    for _ in range(config.redraws):
        if sum(len(one.rewards) for one in kept) >= config.prompts * config.group:
            break
        more = _draw(voice, tasks, judge, config, chance=chance, pick=pick)
        kept.append(more.rows(informative(more.rewards, config.group)))
    whole = joined(kept, pad=voice.sampling.pad)
    most = config.prompts * config.group
    return replace(
        whole.rows(torch.arange(min(most, len(whole.rewards)))), parts=first.parts
    ), share


def _draw(
    voice: Voice,
    tasks: Sequence[Task[T]],
    judge: Judge[T],
    config: GrpoConfig,
    *,
    chance: torch.Generator,
    pick: random.Random,
) -> Experience:
    asked = [pick.choice(tasks) for _ in range(config.prompts)]
    return gather(voice, asked, judge, chance=chance, copies=config.group)


def learn_from(
    voice: Voice,
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
    copies = config.group if config.rows % config.group == 0 else 1
    total = 0.0
    voice.model.train()
    for epoch in range(config.epochs):
        chance = torch.Generator().manual_seed(config.seed + epoch)
        total = 0.0
        for rows in seen.minibatches(config.rows, chance=chance):
            part = seen.rows(rows).trimmed(columns=COLUMNS)
            logits, _ = reply_states(voice.model, part, copies=copies)
            logp = logp_of(logits, part, temperature=voice.sampling.temperature)
            loss = grpo_loss(
                logp,
                part.old_logp,
                advantages[rows],
                part.mask,
                clip=config.clip,
                length=voice.sampling.limit,
            )
            share = len(rows) / len(advantages)
            (loss * share if config.whole else loss).backward()
            if not config.whole:
                take_step(chosen, voice.model.parameters(), rate=rate, norm=config.norm)
            total += float(loss.detach()) * len(rows)
        if config.whole:
            take_step(chosen, voice.model.parameters(), rate=rate, norm=config.norm)
    return total / len(advantages)


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
