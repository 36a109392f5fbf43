"""How many steps to take is chosen by samples of dev that are drawn for it, never by a test."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from torch import Tensor

from mags_lab.training.experience import Judge, PromptTask, SamplingPolicy
from mags_lab.training.rollout import complete_in_parts

T = TypeVar("T")
ROWS = 64


@dataclass(slots=True, kw_only=True)
class Chooser(Generic[T]):
    """Looks at a model while it learns, every `every` steps and at the `last`, and keeps the best.

    A look is the mean of the judge's `part` over the likeliest replies to `tasks`. `cpu_s` is what
    looking cost, to be left out of the bill.
    """

    policy: SamplingPolicy
    tasks: Sequence[PromptTask[T]]
    judge: Judge[T]
    part: str
    every: int
    last: int
    looks: list[tuple[int, float]] = field(default_factory=list)
    cpu_s: float = field(default=0.0)
    _best: dict[str, Tensor] = field(default_factory=dict)

    def __call__(self, step: int) -> None:
        """Look where it is time to. Step 0 is the start."""
        if step % self.every and step != self.last:
            return
        begun = time.process_time()
        before = self.best
        self.looks.append((step, self._look()))
        if before is None or self.looks[-1][1] > before[1]:
            weights = self.policy.model.state_dict()
            self._best = {name: one.clone() for name, one in weights.items()}
        self.cpu_s += time.process_time() - begun

    @property
    def best(self) -> tuple[int, float] | None:
        """The first of the best looks: its step, and what it found."""
        return max(self.looks, key=lambda look: look[1], default=None)

    def take_best(self) -> None:
        """Put the best model's weights back."""
        self.policy.model.load_state_dict(self._best)

    def _look(self) -> float:
        judged = self.judge([task.known for task in self.tasks], likeliest(self.policy, self.tasks))
        return sum(one[self.part] for one in judged) / len(judged)


def likeliest(policy: SamplingPolicy, tasks: Sequence[PromptTask[T]]) -> list[str]:
    """The likeliest reply to each task."""
    calm = replace(policy, sampling=replace(policy.sampling, temperature=0.0))
    calm.model.eval()
    prompts = [task.prompt for task in tasks]
    return calm.replies(complete_in_parts(calm.model, prompts, calm.sampling, rows=ROWS))
