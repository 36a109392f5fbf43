"""Plugins: verbs of entry points, loaded when they are used, and missed by name."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner

from mags import MissingExtra, extras
from mags.app import make_policy
from mags.cli.app import LABORATORY, add_plugin, app, whole
from mags.settings import PolicySettings, Settings
from tests.cli.running import run


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """MAGS without plugins."""
    monkeypatch.setattr(extras, "entry_points", lambda **_: ())


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("verb", LABORATORY)
def test_without_the_laboratory_its_verbs_say_what_to_install(verb: str) -> None:
    for words in ([verb], [verb, "--help"], [verb, "anything", "--at-all"]):
        with pytest.raises(MissingExtra, match=rf"mags {verb} needs .*pip install \. \./lab"):
            run(*words)


@pytest.mark.usefixtures("alone")
def test_without_the_laboratory_its_verbs_stand_in_the_help() -> None:
    help_ = run("--help")
    assert [verb for verb in LABORATORY if f" {verb} " not in help_] == []


def test_the_help_loads_no_plugin() -> None:
    script = (
        "import sys\n"
        "from mags.cli import app\n"
        "app(['--help'], standalone_mode=False)\n"
        "assert not [name for name in sys.modules if name.startswith('mags_lab')]\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def hello(name: str, times: int = 1) -> None:
    """Greet somebody."""
    typer.echo(f"hello {name} " * times)


def test_a_function_is_a_plugin_with_its_arguments_and_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def points(group: str, name: str) -> list[SimpleNamespace]:
        asked.append((group, name))
        return [SimpleNamespace(load=lambda: hello)]

    monkeypatch.setattr(extras, "entry_points", points)
    outer = typer.Typer()
    add_plugin(outer, "hello", "Greet.", point="inner.hello")
    outer.command()(lambda: None)
    said = CliRunner().invoke(outer, ["hello", "Ana", "--times", "2"])
    assert (said.exit_code, said.output) == (0, "hello Ana hello Ana \n")
    assert [one.name for one in whole(outer).commands["hello"].params] == ["name", "times"]
    assert asked == [("mags.verbs", "inner.hello")] * 2


def test_the_plugins_are_the_laboratory() -> None:
    found = whole(app).commands
    assert set(found) >= {"train", "play", "eval", "models"}
    assert found["train"].params == []
    assert {"sft", "grpo", "evaluate", "data"} <= set(found["train"].commands)


@pytest.mark.usefixtures("alone")
def test_without_the_laboratory_adapters_say_what_to_install(tmp_path: Path) -> None:
    settings = Settings(policy=PolicySettings(kind="adapters", path=tmp_path))
    with pytest.raises(MissingExtra, match=r"pip install \. './lab\[train\]'"):
        make_policy(settings, None)
