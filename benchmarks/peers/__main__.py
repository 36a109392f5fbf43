"""`python -m benchmarks.peers`: make the peers' environment if need be, and run the suites in it.

The environment lies under `.cache/`, apart from the project's own; arguments
are handed on to `benchmarks.peers.run`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.results import ROOT

_FOLDER = ROOT / ".cache" / "peers-venv"
_REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def environment() -> Path:
    """Return the interpreter of the peers' environment, made anew when its requirements change."""
    python = _FOLDER / "bin" / "python"
    mark = _FOLDER / "installed.txt"
    wanted = _REQUIREMENTS.read_text()
    if not mark.exists() or mark.read_text() != wanted:
        venv.create(_FOLDER, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "-r", str(_REQUIREMENTS)]
        subprocess.run([*install, "-e", str(ROOT)], check=True)
        mark.write_text(wanted)
    return python


def main() -> int:
    """Run the peers; return their exit status."""
    # Nothing may call home while it is measured, and nothing is there to be downloaded.
    quiet = {
        "MEM0_TELEMETRY": "False",
        "MEM0_DIR": str(ROOT / ".cache" / "mem0"),
        "ANONYMIZED_TELEMETRY": "False",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
    }
    command = [str(environment()), "-m", "benchmarks.peers.run", *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **quiet}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
