"""The heads as steps of a recipe: one course after another, each from where the last one ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from mags.models.policy.heads.weights import SHIPPED, HeadsFile
from mags.training.heads.making import Files, make
from mags.training.heads.recipes import recipe
from mags.training.recipe.steps import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadsStep:
    """A course. `name`: of its step and folder. `out`: the file it leaves; `start`: the last's."""

    name: str
    recipe: str
    out: Path
    start: Path | None


def of(run: Run) -> list[HeadsStep]:
    """The courses of a recipe; the last leaves the file that `mags models use` takes."""
    told = run.recipe.heads
    files = [run.folder / f"heads-{place}.npz" for place in range(1, len(told))]
    files.append(run.folder / SHIPPED.path.name)
    return [
        HeadsStep(name=f"heads-{place + 1}-{one}", recipe=one, out=out, start=start)
        for place, (one, out, start) in enumerate(zip(told, files, (None, *files), strict=False))
    ]


def take(run: Run, course: HeadsStep) -> dict[str, Any]:
    """Take a course; one that was stopped goes on from its last whole round."""
    known = recipe(course.recipe)
    told = replace(known, seed=known.seed + run.recipe.seed, threads=run.recipe.threads)
    start = HeadsFile(path=course.start) if course.start else None
    files = Files(out=course.out, folder=run.folder / course.name, start=start)
    made = make(told, files, run.console or Console(quiet=True))
    size = round(course.out.stat().st_size / 1e6, 2)
    return {"rounds": told.rounds, "megabytes": size, "sha256": made.file.sha256}
