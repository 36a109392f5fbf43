"""Studies that have a name."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.rl.study import Amounts, Critic, Practice, Study
from mags.training.recipe.presets import Teaching, Widths

SMALL = Study(
    name="small",
    first=Teaching(steps=900, rate=4e-3, tokens=2_048),
    again=Teaching(steps=450, rate=3e-3, tokens=2_048),
    practice=Practice(steps=26, rate=5e-5),
    more=1e-3,
    critics=(
        Critic(rate=5e-5),
        Critic(rate=1.5e-4),
        Critic(rate=5e-5, value_weight=0.1, warm=2),
    ),
)
"""What docs/benchmarks.md shows: some twenty minutes of one core a seed."""

SMOKE = replace(
    SMALL,
    name="smoke",
    first=Teaching(steps=4, rate=4e-3, tokens=512),
    again=Teaching(steps=2, rate=4e-3, tokens=512),
    practice=Practice(steps=2, rate=1e-3, prompts=2, group=2, redraws=0),
    critics=(Critic(rate=1e-3, warm=1),),
    amounts=Amounts(taught=12, kept_back=6, dev=1, frames=2, phrasings=1, examined=1),
    widths=Widths(width=32, layers=1, heads=2, inner=48, context=384, pieces=400),
    seeds=(0,),
)
"""Every cell in seconds: it shows that the command holds, and teaches nothing."""

STUDIES = {one.name: one for one in (SMALL, SMOKE)}
