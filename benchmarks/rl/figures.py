"""The cells of a run as results and as a picture of the curves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.results import Result, result
from benchmarks.rl.chapter import SUITE
from benchmarks.rl.intervals import gain, level
from benchmarks.rl.study import ALONE, BASE, BLIND, GRPO, HALVED, MORE, PPO
from benchmarks.systems import System
from mags_lab.evaluation.metrics import Interval
from mags_lab.training.chains.schema import NOTHING, Role, Sample

NAMES: Mapping[str, tuple[str, str]] = {
    BASE: ("SFT", "fine-tuned on labels of both roles; where the next four begin"),
    GRPO: ("GRPO", "reward 0.3 F1 + 0.3 F1 in part + 0.4 exact, against the label"),
    BLIND: ("GRPO, no labels", "reward: what a memory does with the reply"),
    PPO: (
        "PPO",
        "GRPO's reward; the best of the sweep's four settings on dev; as many steps as fit into "
        "GRPO's processor time by the sweep's cost of a step, which a busier machine made longer",
    ),
    MORE: ("SFT on", "on labels of the prompts that GRPO has, in as much processor time"),
}
SPECIALISTS: Mapping[str, tuple[Mapping[str, str], str]] = {
    "two specialists": (ALONE, "one model for each role, each in as many steps as SFT"),
    "two specialists, half the steps": (HALVED, "the same, each in half of SFT's steps"),
}
CURVES = {GRPO: "GRPO", BLIND: "GRPO, no labels", PPO: "PPO"}
PANELS = {
    "format": "well formed",
    "grounded": "nothing invented",
    "near": "F1 in part *",
    "f1": "F1 *",
    "exact": "exact *",
    "fidelity": "exam **",
}
"""* not in the reward of no labels, ** in that alone."""
WINDOW = 15
NOTHING_TO, SOMETHING_TO = "nothing", "something"
Made = Mapping[tuple[str, int], Mapping[str, Any]]
"""What each cell left, by kind and seed."""


def parted(
    measures: Mapping[str, Mapping[str, Sequence[float]]], tests: Sequence[Sample]
) -> dict[str, dict[str, list[float]]]:
    """The measures, and those of writing parted: turns with nothing to store, and with something.

    `tests`: the samples in the order in which they were measured.
    """
    found = {name: {m: list(v) for m, v in of.items()} for name, of in measures.items()}
    for split in {one.split.value for one in tests}:
        written = measures.get(f"{split} write")
        if written is None:
            continue
        targets = [t.target for t in tests if t.split.value == split and t.role is Role.WRITE]
        for part, wanted in ((NOTHING_TO, True), (SOMETHING_TO, False)):
            found[f"{split} {part}"] = {
                name: [v for v, t in zip(values, targets, strict=False) if (t == NOTHING) is wanted]
                for name, values in written.items()
            }
    return found


def results(made: Made, command: str, kinds: Collection[str] = tuple(NAMES)) -> list[Result]:
    """One result for each of `kinds` that is there for at least one seed with its base.

    Specialists are held against the base of their own study.
    """
    found = [
        _result(made, kind, System(name=n, note=t), command)
        for kind, (n, t) in NAMES.items()
        if kind in kinds
    ]
    found += [
        _specialists(made, kinds, System(name=name, note=note), command)
        for name, (kinds, note) in SPECIALISTS.items()
    ]
    return [one for one in found if one is not None]


def _result(made: Made, kind: str, system: System, command: str) -> Result | None:
    seeds = [seed for (k, seed) in made if k == kind and (BASE, seed) in made]
    if not seeds:
        return None
    before = [made[BASE, seed] for seed in seeds]
    after = [made[kind, seed] for seed in seeds]
    groups = {
        group: _group(
            [one["measures"] for one in before], [one["measures"] for one in after], names
        )
        for group, names in _groups(after[0]["measures"]).items()
    }
    return result(SUITE, system, groups, _facts(after), command)


def _specialists(
    made: Made, kinds: Mapping[str, str], system: System, command: str
) -> Result | None:
    seeds = [
        seed
        for (kind, seed) in made
        if kind == BASE and all((alone, seed) in made for alone in kinds.values())
    ]
    if not seeds:
        return None
    before = [made[BASE, seed]["measures"] for seed in seeds]
    after = [
        {
            group: made[kinds.get(group.split()[1], kinds["write"]), seed]["measures"][group]
            for group in made[BASE, seed]["measures"]
        }
        for seed in seeds
    ]
    groups = {group: _group(before, after, names) for group, names in _groups(after[0]).items()}
    pairs = [[made[kind, seed] for kind in kinds.values()] for seed in seeds]
    whole = [{n: sum(one[n] for one in pair) for n in ("cpu_s", "steps")} for pair in pairs]
    return result(SUITE, system, groups, _facts(whole), command)


def _groups(measures: Mapping[str, object]) -> dict[str, list[str]]:
    """ "frames ask", "frames write" and "frames", which is both, and so for every split."""
    found: dict[str, list[str]] = {}
    for name in measures:
        found.setdefault(name, []).append(name)
        if name.split()[1] in ALONE:
            found.setdefault(name.split()[0], []).append(name)
    return found


def _group(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> dict[str, Interval]:
    found: dict[str, Interval] = {}
    for measure in ("exact", "gist", "f1", "exam"):
        old, new = (_table(side, names, measure) for side in (before, after))
        if new.size:
            found[measure] = level(new)
            found[f"gain {measure}"] = gain(old, new)
    return found


def _table(
    measures: Sequence[Mapping[str, Any]], names: Sequence[str], measure: str
) -> NDArray[np.float64]:
    """(seeds, samples)."""
    return np.array([[v for name in names for v in one[name][measure]] for one in measures], float)


def _facts(made: Sequence[Mapping[str, Any]]) -> dict[str, float | str]:
    mean = {name: float(np.mean([one[name] for one in made])) for name in ("cpu_s", "steps")}
    return {**mean, "seeds": float(len(made))}


def plot(made: Made, path: Path) -> None:
    """The curves of the parts of the reward over processor time, each seed a line, as SVG."""
    figure = Figure(figsize=(9, 5.6), layout="tight")
    grid = figure.subplots(2, len(PANELS) // 2, sharex=True).flat
    for axes, (part, title) in zip(grid, PANELS.items(), strict=True):
        _panel(axes, made, part)
        axes.set_title(title)
        axes.grid(alpha=0.3)
    for axes in figure.axes[len(PANELS) // 2 :]:
        axes.set_xlabel("processor seconds")
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context({"svg.hashsalt": "mags"}):  # the same figures give the same file
        if figure.axes[0].get_legend_handles_labels()[0]:
            figure.axes[0].legend(loc="lower right", fontsize="small")
        figure.savefig(path, metadata={"Date": None})


def _panel(axes: Axes, made: Made, part: str) -> None:
    for place, (kind, label) in enumerate(CURVES.items()):
        for seed in sorted(seed for (k, seed) in made if k == kind):
            x, y = smoothed(made[kind, seed]["curve"], part)
            first = not any(line.get_label() == label for line in axes.get_lines())
            axes.plot(x, y, color=f"C{place}", lw=1, label=label if first else None)


def smoothed(
    curve: Sequence[Mapping[str, float]], part: str, window: int = WINDOW
) -> tuple[list[float], list[float]]:
    """Processor seconds, and the part's mean over the last `window` steps."""
    values = [float(one[part]) for one in curve]
    means = [
        sum(values[max(0, i + 1 - window) : i + 1]) / min(window, i + 1) for i in range(len(values))
    ]
    return [float(one["cpu_s"]) for one in curve], means
