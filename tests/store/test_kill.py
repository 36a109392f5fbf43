"""A process killed at any moment loses nothing that was acknowledged."""

import json
import os
import subprocess
import sys
from pathlib import Path

KILLS = 60


def test_nothing_acknowledged_is_lost_by_killing_the_writer(tmp_path: Path, root: Path):
    command = [sys.executable, "-m", "tests.store.kill_writer", str(tmp_path), str(KILLS), "7"]
    done = subprocess.run(
        command, cwd=root, env=os.environ, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["lost"] == []
    assert found["rounds"] == KILLS
    assert found["acknowledged"] > KILLS
    # The kills hit the long steps, too, not only appends.
    assert all(found["during"][step] for step in ("save", "compact", "erase"))
