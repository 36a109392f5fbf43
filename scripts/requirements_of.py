"""Print the requirements of an extra of the laboratory, one a line.

python scripts/requirements_of.py train
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements_of(extra: str, project: Path) -> list[str]:
    """What the extra asks for, as written."""
    with project.open("rb") as file:
        known = tomllib.load(file)["project"]["optional-dependencies"]
    return [str(one) for one in known[extra]]


if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent
    sys.stdout.write("\n".join(requirements_of(sys.argv[1], root / "lab/pyproject.toml")) + "\n")
