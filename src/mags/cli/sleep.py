"""`mags sleep`: tend the memory."""

from __future__ import annotations

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from mags.cli.shared import AsJson, Branch, MemoryPath, Where, out, print_json
from mags.plasticity.cycle import SleepReport


def sleep(memory: MemoryPath = None, branch: Branch = "main", json: AsJson = False) -> None:
    """Decay, wire, prune, solidify and consolidate; tells what changed."""
    with (
        Where(path=memory, branch=branch).open() as opened,
        Progress(SpinnerColumn(), TextColumn("{task.description}"), transient=True) as progress,
    ):
        task = progress.add_task("sleeping")
        report = opened.sleep(
            lambda rule, _did: progress.update(task, description=f"sleeping: {rule}")
        )
    if json:
        print_json(report)
    else:
        print_report(report)


def print_report(report: SleepReport, said: Console = out) -> None:
    """What a sleep did, a rule a line."""
    a, b = report.before, report.after
    said.print(f"Slept at tick {report.tick}: {a.live} live associations before, {b.live} after.")
    for rule, counts in report.rules.items():
        done = ", ".join(f"{name} {n}" for name, n in counts.items())
        said.print(f"  [cyan]{rule}[/] {done}")
    if not report.rules:
        said.print("  nothing needed tending")
