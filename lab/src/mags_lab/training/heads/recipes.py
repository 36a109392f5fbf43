"""How long and wide heads are trained: courses that reach those that ship, and shorter ones.

No torch is needed to read a recipe.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mags.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """How the encoder's layers are trained with the heads.

    `rate`: of the uppermost layer. `hidden`: share of the tokens. `share`: of the way from the
    beginning to the end that is kept. `tokens`: of a batch.
    """

    rate: float = 1.5e-4
    hidden: float = 0.04
    share: float = 1.0
    tokens: int = 1_300


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A training of the heads.

    `fresh`, `talk`: generated samples and turns of conversation that each round brings, `real`:
    passages that people wrote; what is written `by_hand` comes every so many rounds, never where
    that is 0. A sample stays for `passes` rounds. `scatter`: share of
    the generated ones put among random words. `rows`: words of a batch. `cool`: the last rounds,
    over which the rate falls. `dev`: samples on which thresholds are found; `tests`: of each test
    split. `tuning`: of the encoder's layers, which None leaves as they are.
    """

    rounds: int
    fresh: int = 4_096
    talk: int = 512
    real: int = 0
    by_hand: int = 8
    passes: int = 2
    scatter: float = 0.1
    width: int = 128
    blocks: int = 3
    rows: int = 1_000
    rate: float = 6e-3
    decay: float = 0.05
    norm: float = 1.0
    cool: int = 12
    dev: int = 1_000
    tests: int = 600
    seed: int = 7
    threads: int = 1
    tuning: Tuning | None = None


FROZEN = Course(rounds=30, cool=12)
"""From nothing, upon the encoder as it ships."""

WHOLE = Course(
    rounds=80,
    fresh=2_048,
    talk=256,
    by_hand=16,
    passes=1,
    cool=34,
    rate=1.5e-3,
    dev=700,
    tests=0,
    seed=31,
    tuning=Tuning(),
)
"""On from there together with the encoder's layers (`mags_lab.training.heads.whole`)."""

AGAIN = replace(WHOLE, rounds=56, cool=28, seed=43)
"""On from there, on other samples."""

TALK = replace(
    WHOLE,
    rounds=40,
    fresh=1_536,
    talk=512,
    real=96,
    cool=24,
    rate=1e-3,
    seed=59,
    tuning=Tuning(rate=1e-4),
)
"""On from there, slower: more conversation, and what people wrote about the world again."""

QUICK = Course(rounds=6, cool=3)
"""A few minutes: every part of the heads works, none well."""

SMOKE = Course(rounds=2, fresh=48, talk=16, by_hand=9, width=16, blocks=1, cool=1, dev=20, tests=2)
"""Shows that the road holds, and teaches nothing."""

QUICK_WHOLE = replace(WHOLE, rounds=2, fresh=768, talk=96, by_hand=0, cool=1, dev=200)
"""The encoder's layers in half a minute."""

SMOKE_WHOLE = replace(
    SMOKE, rounds=1, fresh=24, talk=8, by_hand=0, cool=0, tests=0, tuning=Tuning()
)
"""The encoder's layers too, in seconds."""

RECIPES = {
    "frozen": FROZEN,
    "whole": WHOLE,
    "again": AGAIN,
    "talk": TALK,
    "quick": QUICK,
    "quick-whole": QUICK_WHOLE,
    "smoke": SMOKE,
    "smoke-whole": SMOKE_WHOLE,
}


def recipe(name: str) -> Course:
    """A course by its name; raises InvalidInput that tells the others."""
    if name not in RECIPES:
        raise InvalidInput(
            f"There is no recipe {name!r} for heads: there are {', '.join(RECIPES)}.", recipe=name
        )
    return RECIPES[name]


SERIES = {
    "full": ("frozen", "whole", "again", "talk"),
    "quick": ("quick", "quick-whole"),
    "smoke": ("smoke", "smoke", "smoke-whole"),
}
"""Courses one after another, each from where the last one ended; `full` makes those that ship."""


def series(name: str) -> tuple[str, ...]:
    """The recipes of a series by its name; raises InvalidInput that tells the others."""
    if name not in SERIES:
        raise InvalidInput(
            f"There is no preset {name!r}: there are {', '.join(SERIES)}.", preset=name
        )
    return SERIES[name]
