"""The turns of a LoCoMo or LongMemEval file as JSON lines, to be told to a memory.

python -m mags_lab.evaluation.datasets.turns locomo10.json | mags observe -
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from mags.errors import InvalidInput
from mags_lab.evaluation.datasets.locomo import spoken
from mags_lab.evaluation.datasets.longmemeval import said
from mags_lab.evaluation.datasets.source import Json, read_json, read_jsonl
from mags_lab.evaluation.protocol import SourceTurn


def read_turns(path: Path) -> Iterator[SourceTurn]:
    """What is said in a LoCoMo or LongMemEval file, in its order; else raises InvalidInput."""
    for part in _parts(path):
        if "conversation" in part:
            yield from spoken(str(part["sample_id"]), part["conversation"])
        elif {"steps", "haystack_sessions", "evidence_sessions"} & part.keys():
            yield from said(part)
        else:
            raise InvalidInput(f"{path} is no LoCoMo or LongMemEval file", path=path)


def main(path: Path) -> None:
    """Write those that say something to the standard output."""
    for turn in read_turns(path):
        if turn.text:
            line = {**asdict(turn), "key": turn.id, "at": turn.at.isoformat()}
            sys.stdout.write(json.dumps(line) + "\n")


def _parts(path: Path) -> list[Json]:
    try:
        raw = read_json(path)
    except json.JSONDecodeError:
        raw = list(read_jsonl(path))
    return raw if isinstance(raw, list) else [raw]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
