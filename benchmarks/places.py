"""Where data is read from and where results go; the only place that reads the environment."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MAGS_DATA") or ROOT.parent / "shared" / "data")
CACHE = ROOT / ".cache" / "benchmarks"
RESULTS = ROOT / "benchmarks" / "results"
REPORT = ROOT / "docs" / "benchmarks.md"
PICTURES = ROOT / "docs" / "pictures"
