"""The unit for systemd and the page that tells of it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mags.server.run import GRACE_S

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "docs" / "operating" / "mags.service"
systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here"
)


@systemd
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path):
    unit = tmp_path / UNIT.name
    words = UNIT.read_text(encoding="utf-8")
    assert "/opt/mags/bin/mags serve" in words
    # What it starts has to be there, and the page that it names.
    words = words.replace("/opt/mags/bin/mags", shutil.which("true") or "")
    unit.write_text(words, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.strip()) == (0, "")


def test_a_stop_by_systemd_waits_longer_than_the_server_does():
    [wait] = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert int(wait) > GRACE_S


def test_every_metric_that_the_page_names_is_on_the_dashboard():
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    shown = (ROOT / "docs" / "operating" / "grafana.json").read_text(encoding="utf-8")
    named = set(re.findall(r"`(mags_\w+)`", page))
    assert named
    assert [name for name in sorted(named) if name not in shown] == []
