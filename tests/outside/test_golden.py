"""What users touch is what is written down, name by name.

After a wanted change, of HTTP and prompts too, as CONTRIBUTING.md says:
`REWRITE_GOLDEN=1 pytest tests/outside tests/server/test_openapi.py tests/models/test_prompts.py`.
"""

import difflib
import os
from pathlib import Path

import pytest

from tests.outside.outlines import OUTLINES

GOLDEN = Path(__file__).parent / "golden"
REWRITE = os.environ.get("REWRITE_GOLDEN")
CHANGED = """What users touch has changed (- before, + now):

{}

Where that is wanted: take the old as well for one version, with a warning, write old and new into
docs/upgrading.md, and then run `REWRITE_GOLDEN=1 pytest tests/outside`."""


@pytest.mark.parametrize("name", OUTLINES)
def test_what_users_touch_is_what_is_written_down(name: str) -> None:
    golden, found = GOLDEN / f"{name}.txt", sorted(set(OUTLINES[name]()))
    assert len(found) > 5
    if REWRITE:
        golden.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
    before = golden.read_text(encoding="utf-8").splitlines()
    differences = difflib.unified_diff(before, found, lineterm="", n=0)
    changed = [line for line in differences if line[:3] not in ("---", "+++") and line[:2] != "@@"]
    assert changed == [], CHANGED.format("\n".join(changed))
