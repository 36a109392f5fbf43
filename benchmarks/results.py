"""Where data is read from and where results go: one JSON file a suite and system.

Only this module reads the environment.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.systems import System
from mags_lab.evaluation.metrics import Interval

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MAGS_DATA") or ROOT.parent / "shared" / "data")
CACHE = ROOT / ".cache" / "benchmarks"
RESULTS = ROOT / "benchmarks" / "results"
REPORT = ROOT / "docs" / "benchmarks.md"
PICTURES = ROOT / "docs" / "pictures"


Groups = Mapping[str, Mapping[str, Interval]]
"""Group of questions ("all", "test", "kind:temporal") to measure to figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Figures of one system on one suite.

    `facts` holds what is no mean over questions: numbers of turns, seconds, megabytes;
    `objective` the four terms of the objective and their sum L, where a system can be weighed.
    """

    suite: str
    system: str
    note: str
    groups: Mapping[str, Mapping[str, Mapping[str, float]]]
    facts: Mapping[str, float | str]
    made: Mapping[str, str]
    objective: Mapping[str, float] = field(default_factory=dict)


def result(
    suite: str, system: System, groups: Groups, facts: Mapping[str, float | str], command: str
) -> Result:
    """Put figures together with the machine, the day, the commit and the command."""
    return Result(
        suite=suite,
        system=system.name,
        note=system.note,
        groups={g: {m: asdict(i) for m, i in named.items()} for g, named in groups.items()},
        facts=dict(facts),
        made={
            "machine": machine(),
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "commit": _commit(),
            "command": command,
            "python": platform.python_version(),
        },
    )


def save(found: Result, folder: Path = RESULTS) -> Path:
    """Write the result over the one before it of the same suite and system."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_slug(found.suite)}--{_slug(found.system)}.json"
    path.write_text(json.dumps(asdict(found), indent=1, sort_keys=True) + "\n")
    return path


def load(folder: Path = RESULTS) -> list[Result]:
    """Return all results on disk, in order of file name."""
    raw: list[dict[str, Any]] = [
        json.loads(p.read_text()) for p in sorted(folder.glob("*--*.json"))
    ]
    return [Result(**item) for item in raw]


def machine() -> str:
    """Processor, cores to be had and memory, in words."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        named = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text())
        processor = named[1] if named else processor
    cores = os.cpu_count() or 1
    memory = ""
    if hasattr(os, "sysconf"):
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        memory = f", {total / 2**30:.0f} GB"
    return f"{processor}, {cores} cores{memory}, {platform.system()}"


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    )
    return found.stdout.strip() or "unknown"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
