"""The switches and files that the explanation names are there."""

import re
from pathlib import Path

import pytest

from mags.plasticity.cycle import SleepSettings
from mags.settings import Settings

SWITCH = re.compile(r"`\[([a-z.]+)\]\s+(\w+)")
FILE = re.compile(r"`((?:\w+/)+\w+\.py|(?:\w+/)+)`")


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/how-it-works.md").read_text(encoding="utf-8")


def part(name: str) -> object:
    """The settings behind a table of the config file."""
    first, *rest = name.split(".")
    settings = Settings()
    here = getattr(settings.memory if first in ("recall", "engram") else settings, first)
    for inner in rest:
        here = getattr(here, inner)
    return here


def test_every_switch_that_is_named_is_a_setting(page: str) -> None:
    named = SWITCH.findall(page)
    assert len(named) > 15
    assert [(table, key) for table, key in named if not hasattr(part(table), key)] == []


def test_every_rule_of_sleep_stands_in_the_table(page: str) -> None:
    rules = [name for name in SleepSettings.__dataclass_fields__ if name != "live_at"]
    assert [name for name in rules if f"`sleep.{name}`" not in page] == []


def test_every_file_that_is_named_is_there(root: Path, page: str) -> None:
    named = FILE.findall(page)
    assert len(named) > 25
    assert [name for name in named if not (root / "src/mags" / name).exists()] == []
