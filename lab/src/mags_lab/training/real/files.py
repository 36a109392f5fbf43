"""Where the real sets lie, and reading them: JSON and text, gzipped or not."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mags.errors import NotFound

VARIABLE = "MAGS_DATA"
DEFAULT = Path("../shared/data")


def data_folder(environment: Mapping[str, str]) -> Path:
    """The folder of the sets: `MAGS_DATA`, else `../shared/data`. `environment`: `os.environ`."""
    return Path(environment.get(VARIABLE) or DEFAULT)


def read_bytes(path: Path) -> bytes:
    """What a file holds, unpacked where it is gzipped; raises NotFound that says what to set."""
    if not path.is_file():
        raise NotFound(
            f"There is no {path}: set {VARIABLE} to the folder that holds the sets "
            "(docs/benchmarks.md names them and where they come from).",
            path=path,
        )
    raw = path.read_bytes()
    return gzip.decompress(raw) if path.suffix == ".gz" else raw


def read_text(path: Path) -> str:
    """The text of a file; bytes that are no UTF-8 are marked as such."""
    return read_bytes(path).decode("utf-8", "replace")


def read_json(path: Path) -> Any:  # noqa: ANN401 - the shape is the set's; its loader checks it
    """The JSON value of a file."""
    return json.loads(read_text(path))


def read_lines(path: Path) -> Iterator[Any]:
    """The JSON values of a file, one a line."""
    for line in read_text(path).splitlines():
        if line.strip():
            yield json.loads(line)


def only(folder: Path, pattern: str) -> list[Path]:
    """The files of a pattern, sorted; raises NotFound where there is none."""
    found = sorted(folder.glob(pattern))
    if not found:
        read_bytes(folder / pattern)
    return found
