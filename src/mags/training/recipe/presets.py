"""What a nano is trained by, as one value; and the recipes that have a name.

No torch is needed to read a recipe. Large models have presets of their own, with the memory that
they need (`mags.training.large.presets`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from mags.errors import InvalidInput
from mags.training.reward import RewardWeights


class Reward(StrEnum):
    """What replies are reinforced by: the label of each sample, or what a memory does with them."""

    LABELS = "labels"
    STORE = "store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """What is made to train on. `train`: samples; `kept_back`: of those, for GRPO alone, told in
    sentence frames that SFT does not see; `test`: samples of each split to evaluate on.
    """

    train: int = 20_000
    kept_back: int = 3_000
    test: int = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Widths:
    """The model: `mags.training.nano.model.NanoSize`."""

    width: int = 128
    layers: int = 4
    heads: int = 4
    inner: int = 384
    context: int = 512
    pieces: int = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """One run of SFT. `tokens`: of a batch. `rank`: of a LoRA, 0 trains every weight."""

    steps: int
    rate: float
    tokens: int = 4_096
    rank: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforcing:
    """GRPO, and PPO with as many steps of as many replies: `prompts` x `group` in each.

    GRPO may draw groups again that teach nothing, PPO has a critic to teach. `rows`: replies of one
    forward pass, which decides on the memory. `rank`: of a LoRA, 0 trains every weight. `roles`:
    which are reinforced. The rate was chosen on the small world's dev: three times as much unlearns
    (docs/log.md, 2026-11-21). `reward`: shares of the parts, where labels judge.
    """

    steps: int
    prompts: int = 32
    group: int = 8
    epochs: int = 1
    rows: int = 32
    rate: float = 2e-4
    rank: int = 0
    limit: int = 96
    roles: tuple[str, ...] = ("ask", "write")
    reward: RewardWeights = field(default_factory=RewardWeights)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A whole training. `combined`: one model for all roles; else `specialise` makes three of it.

    `lean`: SFT by `mags.training.nano.lean`.
    `save_every`: steps between checkpoints. `evaluated`: samples of each role and split.
    `threads`: of torch; another number gives other roundings, so other weights. `heads`: recipes of
    the heads (`mags.training.heads.recipes`), each going on from the one before.
    """

    name: str
    base: Teaching
    specialise: Teaching
    reinforce: Reinforcing
    data: Data = field(default_factory=Data)
    widths: Widths = field(default_factory=Widths)
    combined: bool = False
    lean: bool = True
    longest: int = 400
    save_every: int = 200
    evaluated: int = 100
    threads: int = 2
    seed: int = 0
    heads: tuple[str, ...] = ()


SMOKE = Recipe(
    name="smoke",
    data=Data(train=600, kept_back=100, test=20),
    widths=Widths(width=64, layers=2, heads=2, inner=128, pieces=640),
    base=Teaching(steps=120, rate=6e-3, tokens=2_048),
    specialise=Teaching(steps=8, rate=3e-3, tokens=2_048, rank=4),
    reinforce=Reinforcing(steps=2, prompts=4, group=4, rank=4, limit=48),
    save_every=10,
    evaluated=4,
    heads=("smoke", "smoke", "smoke-whole"),
)
"""Every step in about a minute: it shows that the road holds, and teaches next to nothing."""

QUICK = Recipe(
    name="quick",
    data=Data(train=6_000, kept_back=1_000, test=300),
    base=Teaching(steps=500, rate=3e-3),
    specialise=Teaching(steps=80, rate=1e-3),
    reinforce=Reinforcing(steps=10, prompts=16),
    save_every=100,
    evaluated=50,
    heads=("quick", "quick-whole"),
)
"""Some ten minutes on two cores: copying has begun."""

NANO = Recipe(
    name="nano",
    data=Data(train=120_000, kept_back=4_000),
    widths=Widths(width=192, layers=4, heads=3, inner=512, pieces=4_096),
    base=Teaching(steps=2_400, rate=3e-3),
    specialise=Teaching(steps=0, rate=0.0),
    reinforce=Reinforcing(steps=25),
    heads=("frozen", "whole", "again", "talk"),
)
"""The nano and the heads that ship; what it takes: docs/training.md."""

PRESETS = {one.name: one for one in (SMOKE, QUICK, NANO)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A size of nano, and the learning rate that suits it."""

    widths: Widths
    rate: float


def _size(width: int, layers: int, heads: int, rate: float, *, pieces: int = 4096) -> Size:
    widths = Widths(width=width, layers=layers, heads=heads, inner=3 * width, pieces=pieces)
    return Size(widths=widths, rate=rate)


SIZES = {
    "1M": _size(128, 4, 4, 3e-3, pieces=1024),
    "5M": _size(256, 5, 4, 3e-3),
    "20M": _size(384, 10, 6, 2e-3),
    "50M": _size(512, 14, 8, 1.5e-3),
    "100M": _size(768, 12, 12, 1e-3),
}
"""What `mags train sizes` sets side by side, by the weights of each."""


def size(name: str) -> Size:
    """A size by its name; raises InvalidInput that tells the others."""
    if name not in SIZES:
        raise InvalidInput(f"There is no size {name!r}: there are {', '.join(SIZES)}.", size=name)
    return SIZES[name]


def preset(name: str) -> Recipe:
    """A recipe by its name; raises InvalidInput that tells the others."""
    if name not in PRESETS:
        raise InvalidInput(
            f"There is no preset {name!r}: there are {', '.join(PRESETS)}. Language models that "
            "others trained get adapters by `mags train lora`.",
            preset=name,
        )
    return PRESETS[name]
