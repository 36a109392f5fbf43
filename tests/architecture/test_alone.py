"""The wheel of the product works by itself: nothing of the laboratory is in it or needed by it."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.wheel import WheelBuilder

SCRIPT = """
import json, sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

wheel, libraries, memory, *verbs = sys.argv[1:]
sys.path[:0] = [wheel, libraries]

GROUPS = "verbs", "policies", "server"

import mags
from mags.cli.app import app
from mags.cli.service import outside
from mags.server.service import Service
from mags.server.settings import ServerSettings
from typer.testing import CliRunner

def run(words):
    done = CliRunner().invoke(app, words.split("|"), env={"MAGS_MEMORY": memory, "COLUMNS": "200"})
    return done.exit_code, done.output, str(done.exception or "")

settings = ServerSettings(folder=Path(memory).parent / "served")
paths = Service(settings, outside()).api.openapi()["paths"]
json.dump({
    "from": mags.__file__,
    "laboratory": find_spec("mags_lab") is not None,
    "points": [one.name for group in GROUPS for one in entry_points(group=f"mags.{group}")],
    "paths": list(paths),
    "verbs": {words: run(words) for words in verbs},
}, sys.stdout)
"""
VERBS = ("--help", "observe|Alice lives in Oslo.", "ask|Where does Alice live?", "doctor")
MISSED = ("train", "play", "eval|report", "models|compare")


@pytest.fixture(scope="module")
def told(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What a Python says that has the wheel and all libraries, but nothing from the checkout."""
    home = tmp_path_factory.mktemp("alone")
    libraries = home / "libraries"
    libraries.mkdir()
    for one in Path(sysconfig.get_path("purelib")).iterdir():
        if "mags" not in one.name and one.suffix != ".pth":
            (libraries / one.name).symlink_to(one)
    (wheel,) = WheelBuilder(str(root)).build(directory=str(home), versions=["standard"])
    zipfile.ZipFile(wheel).extractall(home / "wheel")
    words = [str(home / "wheel"), str(libraries), str(home / "m.mags"), *VERBS, *MISSED]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", SCRIPT, *words],
        capture_output=True,
        text=True,
        cwd=home,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},  # a handful of nodes: not worth compiling
    )
    assert done.returncode == 0, done.stderr
    said: Mapping[str, Any] = json.loads(done.stdout)
    return said


def test_nothing_of_the_laboratory_is_there(told: Mapping[str, Any]):
    assert told["from"].endswith("/wheel/mags/__init__.py")
    assert not told["laboratory"]
    assert told["points"] == []
    assert "/memories" in told["paths"]
    assert [path for path in told["paths"] if path.startswith("/games")] == []


def test_the_verbs_of_the_product_work(told: Mapping[str, Any]):
    assert [words for words in VERBS if told["verbs"][words][0] != 0] == []
    assert "Alice lives in Oslo." in told["verbs"]["observe|Alice lives in Oslo."][1]
    assert "Oslo" in told["verbs"]["ask|Where does Alice live?"][1]


@pytest.mark.parametrize("words", MISSED)
def test_the_verbs_of_the_laboratory_say_what_to_install(told: Mapping[str, Any], words: str):
    code, _, why = told["verbs"][words]
    assert code != 0
    assert "needs the laboratory: pip install . ./lab" in why
