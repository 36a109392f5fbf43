"""Experience of reinforcement learning: what was asked, what was replied, what it was worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import torch
from peft import PeftModel
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from mags_lab.training.rollout import Completions, Sampling, complete_in_parts

T = TypeVar("T")
TaskT = TypeVar("TaskT", contravariant=True)


class Judge(Protocol[TaskT]):
    """Scores replies: one number in [0, 1] each, and its named parts for the curves."""

    def __call__(
        self, tasks: Sequence[TaskT], replies: Sequence[str]
    ) -> Sequence[Mapping[str, float]]:
        """One mapping a reply; its "reward" is what is learned from."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTask(Generic[T]):
    """A prompt as token ids, and what the judge knows of it."""

    prompt: tuple[int, ...]
    known: T


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """Replies of one step.

    `tokens` int64 (b, p + t): prompt and reply, padded on the left before the prompt and on the
    right after the reply; `attention` 1 on both. `mask`, `old_logp` (b, t): of the reply only.
    `rewards` float32 (b,); `parts`: the mean of each named part.
    """

    tokens: Tensor
    attention: Tensor
    mask: Tensor
    old_logp: Tensor
    rewards: Tensor
    parts: Mapping[str, float]

    def rows(self, kept: Tensor) -> Experience:
        """Only these rows (indices or a bool mask)."""
        return Experience(
            tokens=self.tokens[kept],
            attention=self.attention[kept],
            mask=self.mask[kept],
            old_logp=self.old_logp[kept],
            rewards=self.rewards[kept],
            parts=self.parts,
        )

    def trimmed(self) -> Experience:
        """Without the columns that are padding in every row."""
        length = self.mask.shape[1]
        width = self.tokens.shape[1] - length
        left = width - int(self.attention[:, :width].sum(1).max())
        longest = max(1, int(self.mask.sum(1).max()))
        return replace(
            self,
            tokens=self.tokens[:, left : width + longest],
            attention=self.attention[:, left : width + longest],
            mask=self.mask[:, :longest],
            old_logp=self.old_logp[:, :longest],
        )

    def minibatches(self, rows: int, *, generator: torch.Generator) -> list[Tensor]:
        """Indices of all rows, prompts of about the same length together, in random order.

        Replies to one prompt stay together, so that advantages within a group sum to 0.
        """
        prompts = self.attention[:, : -self.mask.shape[1]].sum(1)
        order = prompts.argsort(stable=True).cpu()
        parts = order.split(rows)
        return [parts[i] for i in torch.randperm(len(parts), generator=generator).tolist()]


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingPolicy:
    """A model that replies: its tokenizer and how it samples."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    sampling: Sampling

    def replies(self, done: Completions) -> list[str]:
        """The texts of completions, without end and padding tokens."""
        special = {self.sampling.end, self.sampling.pad}
        rows = zip(done.tokens.tolist(), done.mask.tolist(), strict=True)
        kept = [
            [t for t, m in zip(tokens, mask, strict=True) if m and t not in special]
            for tokens, mask in rows
        ]
        return list(self.tokenizer.batch_decode(kept))


def gather(
    policy: SamplingPolicy,
    tasks: Sequence[PromptTask[T]],
    judge: Judge[T],
    *,
    generator: torch.Generator,
    copies: int = 1,
) -> Experience:
    """Reply `copies` times to every task (next to each other) and have it judged."""
    policy.model.eval()
    done = complete_in_parts(
        policy.model, [t.prompt for t in tasks], policy.sampling, generator=generator, copies=copies
    )
    asked = [task for task in tasks for _ in range(copies)]
    judged = judge([t.known for t in asked], policy.replies(done))
    tokens, attention = _joined([t.prompt for t in asked], done, policy.sampling.pad)
    names = sorted({name for one in judged for name in one})
    return Experience(
        tokens=tokens,
        attention=attention,
        mask=done.mask,
        old_logp=done.logp,
        rewards=torch.tensor([one["reward"] for one in judged], device=tokens.device),
        parts={n: sum(one.get(n, 0.0) for one in judged) / len(judged) for n in names},
    )


def _joined(prompts: Sequence[Sequence[int]], done: Completions, pad: int) -> tuple[Tensor, Tensor]:
    device = done.tokens.device
    width = max(len(prompt) for prompt in prompts)
    before = torch.full((len(prompts), width), pad, device=device)
    seen = torch.zeros_like(before)
    for i, prompt in enumerate(prompts):
        before[i, width - len(prompt) :] = torch.tensor(list(prompt), device=device)
        seen[i, width - len(prompt) :] = 1
    tokens = torch.cat([before, done.tokens], dim=1)
    return tokens, torch.cat([seen, done.mask.long()], dim=1)


def reply_states(model: PreTrainedModel | PeftModel, seen: Experience) -> tuple[Tensor, Tensor]:
    """Logits (b, t, v) that predict each token of the reply, and the states they come from.

    The states (b, t, width) are of the last layer: what a value head reads.
    """
    causal = model.get_base_model() if isinstance(model, PeftModel) else model
    length = seen.mask.shape[1]
    out = causal.model(
        input_ids=seen.tokens,
        attention_mask=seen.attention,
        position_ids=(seen.attention.cumsum(1) - 1).clamp(min=0),
    )
    states = out.last_hidden_state[:, -length - 1 : -1]
    return causal.lm_head(states).float(), states


def logp_of(logits: Tensor, seen: Experience, *, temperature: float = 1.0) -> Tensor:
    """Log-probability of each token of the replies; (b, t), 0 on padding."""
    length = seen.mask.shape[1]
    chosen = seen.tokens[:, -length:].unsqueeze(-1)
    return torch.log_softmax(logits / temperature, dim=-1).gather(2, chosen).squeeze(2) * seen.mask
