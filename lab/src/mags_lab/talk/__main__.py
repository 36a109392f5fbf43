"""`python -m mags_lab.talk FILE ...`: check files of the corpus and count what they hold."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from mags.errors import InvalidInput
from mags_lab.talk.corpus import DATA, parse


def main(arguments: Sequence[str]) -> int:
    """Check and count; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m mags_lab.talk", description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="default: the whole corpus")
    files = parser.parse_args(arguments).files or sorted(DATA.glob("*.talk"))
    count, status = Counter[str](), 0
    for path in files:
        try:
            found = parse(path.read_text(encoding="utf-8"), path.name)
        except InvalidInput as wrong:
            sys.stdout.write(f"{wrong}\n")
            status = 1
            continue
        for one in found:
            count["dialogues"] += 1
            count[one.split] += 1
            count["questions"] += len(one.questions)
            count["unanswerable"] += sum(asked.unanswerable for asked in one.questions)
            for turn in one.turns:
                count["turns"] += 1
                count["turns without a fact"] += not turn.facts
                count["must"] += sum(fact.must for fact in turn.facts)
                count["optional"] += sum(not fact.must for fact in turn.facts)
                count["closings"] += len(turn.ends)
    sys.stdout.write(", ".join(f"{value} {key}" for key, value in count.items()) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
