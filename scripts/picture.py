"""Make docs/pictures/: what `mags` shows in a terminal, and a recalled subgraph.

python -m scripts.picture
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
WIDTH = 84
TALK = """\
[2024-03-04] Alice: I live in Bergen and I work at the aquarium.
[2024-03-04] Bob: Carol is married to Erik.
[2024-03-05] Alice: My sister Ana has a dog named Rex.
[2024-03-05] Bob: Erik works at a bakery in Trondheim.
[2024-05-06] Alice: Guess what? I moved to Oslo!
"""
SESSION = (
    "mags observe --file talk.txt",
    'mags ask "Where does Alice live?"',
    'mags ask "Where does Alice live?" --as-of 2024-04-01',
    'mags ask "What is the name of the dog of Alice\'s sister?"',
    'mags ask "What car does Alice drive?"',
    "mags facts Alice",
)
DRAWN = (
    "mags observe --file talk.txt",
    'mags ask "What is the name of the dog of Alice\'s sister?" --plot recalled.svg',
)
MAGS = "from mags.cli import main; main()"
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
INDENTED = re.compile(r' x="([\d.]+)"( y="[^"]+") textLength="([\d.]+)"([^>]*)>((?:&#160;)+)')
CELL = 12.2
"""Width of a character in what Rich writes."""


def main() -> None:
    """Write terminal.svg and recalled.svg."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "talk.txt").write_text(TALK, encoding="utf-8")
        (PICTURES / "terminal.svg").write_text(terminal(folder), encoding="utf-8")
        (folder / "alice.mags").unlink()
        alone = "\n".join(line for line in TALK.splitlines() if "Bob:" not in line)
        (folder / "talk.txt").write_text(alone, encoding="utf-8")
        for command in DRAWN:
            run(command, folder)
        drawn = (folder / "recalled.svg").read_text(encoding="utf-8")
        (PICTURES / "recalled.svg").write_text(drawn + "\n", encoding="utf-8")


def terminal(folder: Path) -> str:
    """The session as an SVG that loads nothing."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text("$ cat talk.txt", style="bold"))
    console.print(Text(TALK.rstrip()))
    for command in SESSION:
        console.print(Text(f"$ {command}", style="bold"))
        console.print(Text.from_ansi(run(command, folder).rstrip()))
    picture = FONTS.sub("", console.export_svg(title="mags", unique_id="mags"))
    return INDENTED.sub(_moved, picture) + "\n"


def _moved(match: re.Match[str]) -> str:
    """A text that begins after its spaces: not every viewer keeps them."""
    x, y, length, rest, spaces = match.groups()
    cells = spaces.count("&#160;") * CELL
    moved = f' x="{float(x) + cells:g}"{y} textLength="{float(length) - cells:g}"'
    return f"{moved}{rest}>"


def run(command: str, folder: Path) -> str:
    """What a command prints, in colour."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    colour = {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}
    place = {"COLUMNS": str(WIDTH), "MAGS_MEMORY": "alice.mags"}
    words = [sys.executable, "-c", MAGS, *shlex.split(command)[1:]]
    done = subprocess.run(
        words,
        cwd=folder,
        env={**kept, **colour, **place},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    lines = (line for line in done.stdout.splitlines() if Text.from_ansi(line).plain.strip())
    return "\n".join(line for line in lines if "observing" not in line)


if __name__ == "__main__":
    main()
