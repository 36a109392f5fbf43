"""What the study does, as one value: a world, the sizes of each cell, and the cells in order.

No torch is needed to read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from benchmarks.rl.world import SMALL, SmallWorld

BASE, GRPO, BLIND, PPO, MORE = "base", "grpo", "grpo-blind", "ppo", "more-sft"
ALONE = {"ask": "alone-ask", "write": "alone-write"}
"""Specialists, each with as many steps as the model of both roles."""
HALVED = {"ask": "half-ask", "write": "half-write"}
"""The same, each with half of the steps: the two cost as much as the one."""
SWEEP = "ppo-sweep"
REINFORCED = (BASE, GRPO, BLIND, SWEEP, PPO, MORE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Widths:
    """The model: a Llama of about a million weights."""

    width: int = 128
    layers: int = 4
    heads: int = 4
    inner: int = 384
    context: int = 512
    pieces: int = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """One run of SFT. `tokens`: of a batch."""

    steps: int
    rate: float
    tokens: int = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """Reinforcement: so many steps at most, of `prompts` x `group` replies."""

    steps: int
    rate: float
    prompts: int = 32
    group: int = 8
    epochs: int = 1
    rows: int = 32
    redraws: int = 0
    rise: float = 0.1
    temperature: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSelection:
    """How the model is chosen: by the likeliest replies to `samples` of each role, drawn from dev.

    GRPO is looked at every `every` steps, and of all looks the best one's model is kept, the start
    among them: by exact adherence, or, without labels, by the reward. No look ends a run:
    a rate that has not come down yet makes looks that mislead.
    """

    samples: int = 300
    every: int = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticSetting:
    """One setting of PPO; what it leaves open is as in GRPO's practice.

    `copies`: replies to each prompt of a step. `swept`: steps of its short run in the sweep, more
    where a step costs less.
    """

    rate: float
    value_weight: float = 0.5
    warm: int = 4
    copies: int = 1
    swept: int = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleAmounts:
    """Samples of each role: `taught` to SFT, `kept_back` for reinforcement, and of each test.

    `examined`: of those, on which store fidelity (or the rank of the answer) is measured.
    """

    taught: int = 5_000
    kept_back: int = 1_500
    dev: int = 100
    frames: int = 250
    phrasings: int = 100
    examined: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCell:
    """One model of the study: how it is made (`kind`) from which seed; `setting`: of the sweep."""

    kind: str
    seed: int
    setting: int = 0

    @property
    def name(self) -> str:
        """The name of its file in the folder of the seed."""
        return f"{self.kind}-{self.setting}" if self.kind == SWEEP else self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Everything that decides on a figure.

    SFT is `taught`, one teaching after the other, each from a new warm-up:
    replies in short, pieces learned without names. PPO and more SFT take as
    much processor time as GRPO. The sweep of `critics` is on the first seed. `kinds`: of cells.
    """

    name: str
    taught: tuple[Teaching, ...]
    practice: Practice
    more: float
    critics: tuple[CriticSetting, ...]
    choosing: ModelSelection = field(default_factory=ModelSelection)
    kinds: tuple[str, ...] = REINFORCED
    world: SmallWorld = SMALL
    amounts: SampleAmounts = field(default_factory=SampleAmounts)
    widths: Widths = field(default_factory=lambda: Widths(context=256))
    seeds: tuple[int, ...] = (0, 1, 2)

    def cells(self) -> Iterator[StudyCell]:
        """The cells in the order in which they are made: seed by seed, the sweep in the first."""
        for seed in self.seeds:
            for kind in self.kinds:
                if kind != SWEEP:
                    yield StudyCell(kind=kind, seed=seed)
                elif seed == self.seeds[0]:
                    for place in range(len(self.critics)):
                        yield StudyCell(kind=kind, seed=seed, setting=place)


def equal_steps(budget_s: float, used_s: float, used_steps: int) -> int:
    """How many steps fit into a budget, by what steps have cost so far; at least 2."""
    return max(2, round(budget_s * used_steps / used_s)) if used_s > 0 else 2


def half(how: Teaching) -> Teaching:
    """How one of two specialists is taught that cost as much as the combined model."""
    return replace(how, steps=how.steps // 2)
