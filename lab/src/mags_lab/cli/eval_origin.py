"""Where a figure comes from: the command, the commit, the machine, the time."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

from mags_lab.evaluation.report.folder import Run

SOURCES = Path(__file__).resolve().parent


def run_now(seeds: str) -> Run:
    """How this very command is run, on which machine, when."""
    return Run(
        command=shlex.join(["mags", *sys.argv[1:]]),
        commit=commit(SOURCES),
        seeds=seeds,
        machine=machine(),
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )


def machine(cpus: Path = Path("/proc/cpuinfo")) -> str:
    """The processor, how many cores, and the Python."""
    lines: Sequence[str] = cpus.read_text("utf-8").splitlines() if cpus.exists() else ()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    name = next(names, platform.machine())
    return f"{name}, {os.cpu_count()} cores; Python {platform.python_version()}"


@cache
def commit(sources: Path = SOURCES) -> str:
    """The commit of the sources, marked where they were changed since; else the version."""
    words = ["git", "-C", str(sources), "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        found = subprocess.run(words, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return f"version {version('mags')}"
    return found.stdout.strip()
