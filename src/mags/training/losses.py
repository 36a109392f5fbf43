"""Losses and advantages of the reinforcement learning, as pure functions of tensors.

Shapes: `b` completions, `t` tokens of a completion, padded; `mask` is 1 on tokens the policy
chose and 0 elsewhere. Log-probabilities are natural, of the tokens chosen.

Sources: GRPO (Shao et al. 2024, arXiv:2402.03300), without the division by the deviation and with
a constant length in the denominator (Liu et al. 2025, "Dr. GRPO", arXiv:2503.20783); PPO (Schulman
et al. 2017, arXiv:1707.06347); GAE (Schulman et al. 2016, arXiv:1506.02438).
"""

from __future__ import annotations

import torch
from torch import Tensor


def group_advantages(rewards: Tensor, group: int) -> Tensor:
    """Reward minus the mean of its group; (b,) with groups of `group` neighbours, to (b,)."""
    grouped = rewards.view(-1, group)
    return (grouped - grouped.mean(dim=1, keepdim=True)).reshape(-1)


def informative(rewards: Tensor, group: int) -> Tensor:
    """Which completions belong to a group whose rewards differ; (b,) to bool (b,).

    A group of zero variance teaches nothing and is drawn again (Yu et al. 2025, "DAPO",
    arXiv:2503.14476).
    """
    grouped = rewards.view(-1, group)
    differs = (grouped - grouped[:, :1]).abs().amax(dim=1) > 0
    return differs.repeat_interleave(group)


def clipped_objective(
    logp: Tensor, old_logp: Tensor, advantages: Tensor, *, clip: float = 0.2
) -> Tensor:
    """The least of ratio x advantage and clipped ratio x advantage, each token; (b, t).

    `advantages` is (b,) for one advantage a completion or (b, t) for one a token.
    """
    each = advantages if advantages.dim() == logp.dim() else advantages.unsqueeze(-1)
    ratio = torch.exp(logp - old_logp)
    return torch.minimum(ratio * each, ratio.clamp(1.0 - clip, 1.0 + clip) * each)


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


def value_loss(
    values: Tensor, old_values: Tensor, returns: Tensor, mask: Tensor, *, clip: float = 0.2
) -> Tensor:
    """Half the squared error of the value head, clipped or not (the worse); a mean over tokens."""
    held = old_values + (values - old_values).clamp(-clip, clip)
    worse = torch.maximum((values - returns) ** 2, (held - returns) ** 2)
    return 0.5 * (worse * mask).sum() / mask.sum().clamp(min=1.0)


def ppo_loss(
    logp: Tensor, old_logp: Tensor, advantages: Tensor, mask: Tensor, *, clip: float = 0.2
) -> Tensor:
    """Minus the clipped objective as a mean over tokens; all (b, t)."""
    objective = clipped_objective(logp, old_logp, advantages, clip=clip)
    return -(objective * mask).sum() / mask.sum().clamp(min=1.0)


def weighted_cross_entropy(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Cross-entropy of the next token, a mean by `weights`.

    `logits` (b, t, v) predict `targets` (b, t); `weights` (b, t) are 1 on the completion, small on
    the prompt, 0 on padding.
    """
    losses = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1).float(), targets.flatten(), reduction="none"
    ).view_as(targets)
    return (losses * weights).sum() / weights.sum().clamp(min=1e-8)
