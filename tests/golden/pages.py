"""What README, tutorial and `mags demo` print, every line of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from typer.testing import CliRunner

from mags.cli.app import app
from mags.cli.console import out
from scripts.blocks import COLUMNS, Page

FILES = {
    "README.md": "readme.txt",
    "docs/getting-started.md": "getting-started.txt",
    "docs/tutorial.md": "tutorial.txt",
    "docs/reference/python.md": "python.txt",
}
"""The golden file of each page."""
DEMO = "demo.txt"
SHIFTING = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"), "<now>"),
    (re.compile(r"[\d,]+ (bytes|in memory)"), r"# \1"),
    (re.compile(r"\d+\.\d s in all"), "# s in all"),
    (re.compile(r"\(score -?\d+\.\d\d\)"), "(score #)"),  # what is recent hangs on the day
    (re.compile(r"\[Errno \d+\]"), "[Errno #]"),
)
"""What is another on another day or machine, and what stands for it."""


def text(name: str, lines: Iterable[str]) -> str:
    """The golden text of a page, lines that a command or a block printed being indented."""
    said = "\n".join([f"# {name}", *lines]) + "\n"
    for pattern, instead in SHIFTING:
        said = pattern.sub(instead, said)
    return said


def of_page(page: Page, name: str) -> str:
    """The golden text of a page whose blocks were run."""
    lines: list[str] = []
    heads: Counter[str] = Counter()
    for line in page.printed:
        if not line.startswith(" "):
            heads[line] += 1
            line += f" (again, {heads[line]})" if heads[line] > 1 else ""
        lines.append(line)
    return text(name, lines)


def of_demo(printed: str) -> str:
    """The golden text of what `mags demo` printed."""
    lines = (f"    {line.rstrip()}" for line in printed.splitlines() if line.strip())
    return text("mags demo", lines)


def demo() -> str:
    """Everything that `mags demo` prints."""
    width, out.width = out.width, int(COLUMNS)
    result = CliRunner().invoke(app, ["demo"])
    out.width = width
    if result.exception is not None:
        raise result.exception
    return result.output
