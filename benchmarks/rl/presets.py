"""Studies that have a name."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.rl.study import (
    ALONE,
    BASE,
    HALVED,
    REINFORCED,
    CriticSetting,
    ModelSelection,
    Practice,
    SampleAmounts,
    Study,
    Teaching,
    Widths,
)

LEAN = Study(
    name="lean",
    taught=(Teaching(steps=1_500, rate=4e-3, tokens=2_048),),
    practice=Practice(steps=160, rate=2e-4),
    more=1e-3,
    critics=(
        CriticSetting(rate=2e-4),
        CriticSetting(rate=7e-5),
        CriticSetting(rate=2e-4, value_weight=0.1, warm=2),
        CriticSetting(rate=2e-4, copies=8, swept=36),
    ),
    amounts=SampleAmounts(taught=8_000, kept_back=2_500),
)
"""What docs/benchmarks.md shows of reinforcement."""

APART = replace(LEAN, name="apart", kinds=(BASE, *ALONE.values(), *HALVED.values()))
"""One model of both roles, the same as in `LEAN`, against two."""

SMOKE = replace(
    LEAN,
    name="smoke",
    taught=(Teaching(steps=4, rate=4e-3, tokens=512),) * 2,
    practice=Practice(steps=2, rate=1e-3, prompts=2, group=2, redraws=0),
    critics=(CriticSetting(rate=1e-3, warm=1, copies=2, swept=2),),
    choosing=ModelSelection(samples=2, every=1),
    kinds=(*REINFORCED, *ALONE.values(), *HALVED.values()),
    amounts=SampleAmounts(taught=12, kept_back=6, dev=1, frames=2, phrasings=1, examined=1),
    widths=Widths(width=32, layers=1, heads=2, inner=48, context=384, pieces=400),
    seeds=(0,),
)
"""Every cell in seconds: it shows that the command holds, and teaches nothing."""

STUDIES = {one.name: one for one in (LEAN, APART, SMOKE)}
