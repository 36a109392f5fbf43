"""What somebody else may have written is shown as it is, and steers neither terminal nor file."""

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.dom import minidom

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mags.cli.app import app
from mags.errors import InvalidInput

Run = Callable[..., Result]

HOSTILE = "I like \x1b[31mtea\x1b]0;owned\x07 and <script>alert(1)</script> [red]x[/] \x9b2J\ufffe."


@pytest.fixture
def run(tmp_path: Path) -> Run:
    runner = CliRunner()

    def go(*words: str) -> Result:
        env = {"MAGS_MEMORY": str(tmp_path / "m.mags"), "COLUMNS": "200"}
        return runner.invoke(app, list(words), env=env)

    assert go("observe", HOSTILE, "--speaker", "E\x1b[2Jve [bold]").exit_code == 0
    return go


@pytest.mark.parametrize("words", [("recall", "tea"), ("show", "m2")])
def test_control_characters_are_shown_not_obeyed(run: Run, words: tuple[str, ...]) -> None:
    shown = run(*words).output
    assert "\u241b[31mtea\u241b]0;owned" in shown
    assert "[red]x[/]" in shown
    assert not {"\x1b", "\x07", "\x9b"} & set(shown)


def test_a_drawing_of_hostile_words_is_sound(run: Run, tmp_path: Path) -> None:
    for name in ("x.svg", "x.html"):
        assert run("recall", "tea", "--plot", str(tmp_path / name)).exit_code == 0
        drawn = (tmp_path / name).read_text(encoding="utf-8")
        assert "<script" not in drawn
        assert "\x1b" not in drawn
    minidom.parse(str(tmp_path / "x.svg"))


@pytest.mark.parametrize("given", ["m\N{SUPERSCRIPT TWO}", "m" + "1" * 5_000, "m\u0661"])
def test_what_is_no_id_is_refused_in_words(run: Run, given: str) -> None:
    failure = run("show", given).exception
    assert isinstance(failure, InvalidInput)
    assert "write it as m12" in str(failure)


def test_a_packed_file_that_is_cut_short_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt.gz"
    path.write_bytes(gzip.compress(os.urandom(4_000))[:-100])
    failure = run("observe", "--file", str(path)).exception
    assert isinstance(failure, InvalidInput)
    assert str(path) in str(failure)


def mags(*words: str, to: str) -> subprocess.CompletedProcess[bytes]:
    with Path(to).open("wb") as out:
        command = [sys.executable, "-m", "mags", *words]
        return subprocess.run(
            command, stdout=out, stderr=subprocess.PIPE, check=False, env={**os.environ}
        )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_is_full_is_one_line_and_no_traceback() -> None:
    done = mags("--help", to="/dev/full")
    assert done.returncode != 0
    assert b"the output: No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_drawing_in_a_folder_that_is_not_there_is_one_line(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "none" / "x.svg"
    words = ("-m", str(tmp_path / "m.mags"), "recall", "tea", "--plot", str(place))
    done = mags(*words, to=os.devnull)
    assert done.returncode == 2
    assert f"{place}: No such file or directory".encode() in b" ".join(done.stderr.split())
    assert b"Traceback" not in done.stderr
