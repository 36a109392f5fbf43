"""Rewrite the golden files, and say how much of each is another now.

python -m tests.golden                           everything, in a minute or two
python -m tests.golden turns                     what is read (or `questions`, or `pages`)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import conftest  # noqa: F401 - no settings of the person who runs it
from mags.errors import NotFound
from scripts.blocks import run_page
from tests.golden import pages, ranking, reading
from tests.golden.written import KIND, blocks, keep, processor, written_here

ROOT = Path(__file__).resolve().parents[2]


def turns() -> Iterator[str]:
    """What is read of the turns."""
    made = reading.made()
    for name, text in made.items():
        yield keep(name, text)
    apart = sum(head.startswith("[") for _, head in blocks(made["observe_many.txt"]))
    yield f"observe and observe_many read {apart} of 500 turns differently"


def questions() -> Iterator[str]:
    """What is found for the questions, of the sets that are there."""
    for name in ranking.SETS:
        try:
            yield keep(ranking.file_of(name), ranking.made(name))
        except NotFound as absent:
            yield f"{ranking.file_of(name)} stays as it is: {absent}"


def printed() -> Iterator[str]:
    """What README, tutorial and demo print."""
    for page, name in pages.FILES.items():
        yield keep(name, pages.of_page(run_page(ROOT / page), page))
    yield keep(pages.DEMO, pages.of_demo(pages.demo()))


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "turns": turns,
    "questions": questions,
    "pages": printed,
}


def main(wanted: Sequence[str]) -> None:
    """Rewrite the parts that are named, or all."""
    unknown = sorted(set(wanted) - set(PARTS))
    if unknown:
        sys.exit(f"no such part: {', '.join(unknown)} (there are {', '.join(PARTS)})")
    if not written_here():
        if wanted:
            sys.exit("written on another kind of processor: write all of them")
        KIND.write_text(f"{processor()}\n", encoding="utf-8")
    for name, part in PARTS.items():
        if name in wanted or not wanted:
            for line in part():
                print(line, flush=True)  # noqa: T201 - it talks to a terminal


if __name__ == "__main__":
    main(sys.argv[1:])
