"""A memory whose process is killed at any moment opens whole, with all it acknowledged."""

import json
import os
import subprocess
import sys
from pathlib import Path

KILLS = 12


def test_a_killed_process_loses_nothing_and_forgets_nothing_by_halves(
    tmp_path: Path, root: Path
) -> None:
    command = [sys.executable, "-m", "tests.memory.kill_talker", str(tmp_path), str(KILLS), "11"]
    done = subprocess.run(
        command, cwd=root, env=os.environ, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["lost"] == []
    assert found["rounds"] >= KILLS
    assert found["acknowledged"] > KILLS
    assert all(found["during"].get(verb) for verb in ("many", "forget"))
