"""`mags feedback`: tell the memory whether the last answer was good."""

from __future__ import annotations

from typing import Annotated

import typer

from mags.cli.last import last_trace
from mags.cli.shared import Branch, MemoryPath, Where, out


def feedback(
    reward: Annotated[float, typer.Argument(help="From -1 (wrong) to 1 (right).")],
    memory: MemoryPath = None,
    branch: Branch = "main",
) -> None:
    """Reward the paths that led to the last answer (use `-- -1` for a negative one)."""
    trace = last_trace(memory)
    with Where(path=memory, branch=branch).open() as opened:
        counted = opened.feedback(trace, reward)
    out.print("Noted." if counted else "This answer was rewarded before; nothing changed.")
