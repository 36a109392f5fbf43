"""Run the code blocks of Markdown pages and compare what they print with what they show.

    python -m scripts.blocks README.md docs/tutorial.md          say what differs
    python -m scripts.blocks --write README.md docs/tutorial.md  show what is printed now

How a page is written:

- every ```python block runs, in order, in one namespace and one empty folder; a comment line
  ``# -> text`` shows the next line that the block prints;
- every ```console block runs its ``$ mags ...`` lines in the same folder (``$ export A=b`` sets a
  variable, ``$ command | mags ...`` pipes); the lines under a command are lines of its output, in
  order, others may stand between them;
- ``...`` stands for anything in a line, and a line of it for any lines. Ids (m12), decimals and
  spacing may differ;
- a block after the line ``<!-- not run: why -->`` is left alone.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from mags.cli.app import app, explained
from mags.cli.console import out

FENCE = re.compile(r"^```(\w*)\s*$")
NOT_RUN = re.compile(r"^<!-- not run: .+ -->$")
SHOWN = "# -> "
ANYTHING = "..."
LOOSE = (
    (re.compile(r"\bm\d+\b"), "m#"),
    (re.compile(r"\d[\d,]*\.\d+|\d{1,3}(?:,\d{3})+"), "#"),
    (re.compile(r"\s+"), " "),
)
COLUMNS = "96"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: its language, its lines, and the place of the first in the page."""

    language: str
    lines: tuple[str, ...]
    start: int


@dataclass(slots=True)
class Page:
    """A page as its blocks run: what came out other than shown, and what could be shown now.

    `printed`: every command, and every line that came out, spaces at its end aside.
    """

    lines: list[str]
    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    variables: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)


def blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Every block that is to be run."""
    opened: tuple[str, int] | None = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if fence is None:
            continue
        if opened is None:
            opened = fence.group(1), number + 1
            continue
        language, start = opened
        opened = None
        before = lines[start - 2].strip() if start > 1 else ""
        if language in ("python", "console") and not NOT_RUN.match(before):
            yield Block(language=language, lines=tuple(lines[start:number]), start=start)


def fits(shown: str, printed: str) -> bool:
    """Whether a printed line is what the page shows, ids, decimals and spacing aside."""
    words = [re.escape(_loose(part)) for part in shown.split(ANYTHING)]
    return re.fullmatch(".*".join(words), _loose(printed)) is not None


def _loose(line: str) -> str:
    for pattern, instead in LOOSE:
        line = pattern.sub(instead, line)
    return line.strip()


def align(shown: Sequence[str], printed: Sequence[str], *, gaps: bool) -> list[int | None]:
    """The place of the printed line behind each shown one; None where it is missing or a gap.

    `gaps`: lines may stand between those shown; without it only where a line is `...`.
    """
    places: list[int | None] = []
    at = 0
    free = gaps
    for line in shown:
        if line.strip() == ANYTHING:
            free = True
            places.append(None)
            continue
        reach = range(at, len(printed)) if free else range(at, min(at + 1, len(printed)))
        found = next((i for i in reach if fits(line, printed[i])), None)
        places.append(found)
        at = at if found is None else found + 1
        free = gaps
    return places


def run_page(path: Path) -> Page:
    """Run every block of a page in a folder of its own."""
    page = Page(lines=path.read_text(encoding="utf-8").splitlines())
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for block in list(blocks(page.lines)):
                if block.language == "python":
                    _python(page, block, path.name)
                else:
                    _console(page, block, path.name)
        finally:
            os.chdir(home)
    return page


def _python(page: Page, block: Block, name: str) -> None:
    heard = io.StringIO()
    source = "\n" * block.start + "\n".join(block.lines)
    with contextlib.redirect_stdout(heard):
        exec(compile(source, name, "exec"), page.namespace)
    printed = [line for line in heard.getvalue().splitlines() if line.strip()]
    page.printed += [f"block at line {block.start}", *(f"    {line.rstrip()}" for line in printed)]
    places = [i for i, line in enumerate(block.lines) if line.lstrip().startswith(SHOWN.strip())]
    shown = [block.lines[i].lstrip().removeprefix(SHOWN.strip()).strip() for i in places]
    numbers = [block.start + i for i in places]
    _compare(page, name, numbers, shown, printed, gaps=False)
    last = shown[-1] if shown else ""
    if last != ANYTHING and len(shown) < len(printed):
        page.faults.append(f"{name}:{block.start}: prints more than it shows: {printed[-1]!r}")


def _console(page: Page, block: Block, name: str) -> None:
    place = 0
    while place < len(block.lines):
        line = block.lines[place]
        if not line.startswith("$ "):
            page.faults.append(f"{name}:{block.start + place + 1}: no command above {line!r}")
            place += 1
            continue
        end = place + 1
        while end < len(block.lines) and not block.lines[end].startswith("$ "):
            end += 1
        numbers = [i for i in range(place + 1, end) if block.lines[i].strip()]
        printed = _command(page, line[2:])
        heard = (line.rstrip() for line in printed if line.strip())
        page.printed += [line, *(f"    {line}" for line in heard)]
        shown = [block.lines[i].strip() for i in numbers]
        _compare(page, name, [block.start + i for i in numbers], shown, printed, gaps=True)
        place = end


def _command(page: Page, command: str) -> list[str]:
    """What a command prints, on both channels."""
    if command.startswith("export "):
        name, _, value = command.removeprefix("export ").partition("=")
        page.variables[name] = value
        return []
    before, bar, after = command.rpartition(" | mags ")
    piped = None
    if bar:
        piped = subprocess.run(
            before, shell=True, capture_output=True, check=True, text=True
        ).stdout
        command = f"mags {after}"
    program, *words = shlex.split(command)
    if program != "mags":
        raise ValueError(f"a page runs `mags` only, not {program}")
    return _mags(words, {**page.variables, "COLUMNS": COLUMNS}, piped)


def _mags(words: Sequence[str], variables: dict[str, str], piped: str | None) -> list[str]:
    out.width = int(COLUMNS)  # its width was settled when it was made, under other variables
    result = CliRunner().invoke(app, list(words), env=variables, input=piped)
    heard = result.output
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        channel = io.StringIO()
        with contextlib.redirect_stderr(channel), contextlib.suppress(SystemExit), explained():
            raise result.exception
        heard += channel.getvalue()
    return heard.splitlines()


def _compare(
    page: Page,
    name: str,
    numbers: Sequence[int],
    shown: Sequence[str],
    printed: Sequence[str],
    *,
    gaps: bool,
) -> None:
    """Note what is missing, and put what is printed now in place of what fits."""
    for number, line, found in zip(numbers, shown, align(shown, printed, gaps=gaps), strict=True):
        if line == ANYTHING:
            continue
        if found is None:
            heard = "\n    ".join(printed) or "nothing"
            page.faults.append(f"{name}:{number + 1}: shows {line!r}; printed was\n    {heard}")
        elif ANYTHING not in line:
            old = page.lines[number]
            head = old[: len(old) - len(old.lstrip())] + ("" if gaps else SHOWN)
            page.lines[number] = head + printed[found].strip()


def main(arguments: Sequence[str]) -> int:
    """Run the pages named; with --write, show what is printed now. The number of faults."""
    write = "--write" in arguments
    faults = 0
    for given in arguments:
        if given == "--write":
            continue
        path = Path(given)
        page = run_page(path)
        for fault in page.faults:
            print(fault, file=sys.stderr)
        faults += len(page.faults)
        if write:
            path.write_text("\n".join(page.lines) + "\n", encoding="utf-8")
    return faults


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
