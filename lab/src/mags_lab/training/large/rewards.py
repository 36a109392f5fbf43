"""The reward in TRL's form: one named function a part, so that each has a curve of its own.

Their weighted sum is the reward of `mags_lab.training.reward.parts_of`: each part carries the gate
(malformed is worth nothing, invented less), and a sample that has no fidelity, since it is no
writing, gets the mean of its other parts there. Parts of weight 0 are only shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mags.errors import InvalidInput
from mags_lab.training.chains.schema import Sample
from mags_lab.training.experience import Judge
from mags_lab.training.fidelity import BlindJudge, blind, has_exam, relations_of
from mags_lab.training.reward import GoldJudge, Reward, shares_of

Completion = str | Sequence[Mapping[str, str]]
SHOWN = ("format", "grounded", "f1", "exact")
PLACE = "place"
"""The column of a data set that says which sample a prompt came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardTerm:
    """One reward function: `weight` of it goes into the sum.

    `known`: what the judge knows of each prompt.
    """

    name: str
    weight: float
    known: Sequence[Any]
    judge: Judge[Any]

    @property
    def __name__(self) -> str:
        """What the curve is called."""
        return self.name

    def __call__(self, completions: Sequence[Completion], **columns: Any) -> list[float]:
        """Score completions; TRL gives every column of its data set by name."""
        asked = [self.known[place] for place in columns[PLACE]]
        judged = self.judge(asked, [text_of(one) for one in completions])
        return [self._worth(parts) for parts in judged]

    def _worth(self, parts: Mapping[str, float]) -> float:
        if not self.weight:
            return parts[self.name]
        return parts["gate"] * parts[self.name] if self.name in parts else parts["reward"]


class Once:
    """A judge that is asked once of each batch, though every part asks; the last one is kept."""

    def __init__(self, judge: Judge[Any]) -> None:
        self._judge = judge
        self._asked: tuple[Sequence[Any], Sequence[str]] = ((), ())
        self._found: Sequence[Mapping[str, float]] = ()

    def __call__(
        self, tasks: Sequence[Any], replies: Sequence[str]
    ) -> Sequence[Mapping[str, float]]:
        """One mapping a reply."""
        if (tasks, replies) != self._asked:
            self._found = self._judge(tasks, replies)
            self._asked = tasks, replies
        return self._found


def reward_parts(samples: Sequence[Sample], judge: GoldJudge) -> list[RewardTerm]:
    """The parts of a judge that count, scaled to sum to 1, and those that are only shown."""
    shares = shares_of(judge.weights)
    if judge.fidelity is None:
        shares.pop("fidelity", None)
    whole, once = sum(shares.values()), Once(judge)
    counted = {name: share / whole for name, share in shares.items()}
    return [
        RewardTerm(name=name, weight=weight, known=samples, judge=once)
        for name, weight in {**dict.fromkeys(SHOWN, 0.0), **counted}.items()
    ]


def store_parts(samples: Sequence[Sample]) -> list[RewardTerm]:
    """What a memory does with replies, all of the reward; no part has seen a target.

    Every sample has an exam (`mags_lab.training.fidelity.has_exam`).
    """
    relations, judge = relations_of(samples), Once(BlindJudge())
    known = [blind(one, relations) for one in samples]
    weights = {"format": 0.0, "grounded": 0.0, "fidelity": 1.0}
    return [RewardTerm(name=n, weight=w, known=known, judge=judge) for n, w in weights.items()]


def rewarded(samples: Sequence[Sample], reward: Reward) -> tuple[list[Sample], list[RewardTerm]]:
    """The samples that a reward can judge, and its parts; raises InvalidInput where none is."""
    chosen = judgeable(samples, reward)
    by_labels = reward is Reward.LABELS
    return chosen, reward_parts(chosen, GoldJudge()) if by_labels else store_parts(chosen)


def judgeable(samples: Sequence[Sample], reward: Reward) -> list[Sample]:
    """The samples that a reward can judge; raises InvalidInput where none is."""
    chosen = [one for one in samples if reward is Reward.LABELS or has_exam(one)]
    if not chosen:
        raise InvalidInput("No sample of these has an exam: reinforce by labels.", samples=0)
    return chosen


def text_of(completion: Completion) -> str:
    """What was said: a completion is a text, or messages of a chat."""
    if isinstance(completion, str):
        return completion
    return "".join(message["content"] for message in completion)
