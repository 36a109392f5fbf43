"""Changes to the config file that keep everything else in it as it was written."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from mags.errors import ConfigurationError

HEADER = re.compile(r"\s*\[")
POLICY = re.compile(r"\s*\[\s*policy\s*\]\s*(#.*)?")
KEY = re.compile(r"\s*(kind|path)\s*=")


def set_policy(file: Path, kind: str, path: Path | None) -> None:
    """Set `policy.kind` and `policy.path` (None takes it out); the file is made if need be.

    Raises ConfigurationError where the file is not the TOML that this can change.
    """
    before = file.read_text(encoding="utf-8") if file.is_file() else ""
    values = {"kind": kind} | ({} if path is None else {"path": str(path)})
    after = with_policy(before, values)
    wanted = _read(before, file)
    kept = {k: v for k, v in wanted.get("policy", {}).items() if k not in ("kind", "path")}
    if _read(after, file) != {**wanted, "policy": {**kept, **values}}:
        raise ConfigurationError(
            f"{file} writes its policy in a way that cannot be changed here: set "
            + " and ".join(f"policy.{name} = {value!r}" for name, value in values.items())
            + " by hand.",
            key="policy",
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".part")
    unfinished.write_text(after, encoding="utf-8")
    os.replace(unfinished, file)


def with_policy(text: str, values: dict[str, str]) -> str:
    """The text of a config file with these values first in its `[policy]`, old ones taken out."""
    # Strings of JSON are strings of TOML.
    new = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    lines: list[str] = []
    inside = found = False
    for line in text.splitlines():
        if HEADER.match(line):
            inside = POLICY.fullmatch(line) is not None
        if inside and KEY.match(line):
            continue
        lines.append(line)
        if inside and not found:
            found = True
            lines += new
    if not found:
        lines += [*([""] if lines else []), "[policy]", *new]
    return "\n".join(lines) + "\n"


def _read(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as failure:
        raise ConfigurationError(
            f"The config file {file} cannot be read: {failure}.", key="config", value=str(file)
        ) from failure
