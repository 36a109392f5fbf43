"""The nano that comes with MAGS runs end to end by one setting, and without torch."""

import shutil
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

import mags
from mags.app import make_policy
from mags.errors import ConfigurationError, CorruptFile
from mags.models.policy.nano import SHIPPED, NanoFolder, NanoPolicy, shipped_nano
from mags.models.policy.nano.shipped import CARD_SHA256
from mags.ports.policy import Act, Turn
from mags.settings import PolicySettings, Settings

NANO = Settings(policy=PolicySettings(kind="nano"))
AT = 1_715_299_200.0


def test_it_is_small_and_chosen_by_one_setting() -> None:
    size = sum(path.stat().st_size for path in SHIPPED.iterdir())
    assert size < 8_000_000
    assert make_policy(NANO, None).name == "nano, else rules"


def test_it_decides_what_to_write_and_what_to_recall() -> None:
    policy = NanoPolicy(shipped_nano())
    told = Turn(text="I live in Oslo.", speaker="Anna", at=AT)
    (one,) = policy.write(told, [], ()).operations
    assert (one.act, one.subject, one.relation, one.object) == (
        Act.ADD, "Anna", "lives in", "Oslo",
    )  # fmt: skip
    moved = Turn(text="I moved to Bergen.", speaker="Anna", at=AT)
    (one,) = policy.write(moved, [], ()).operations
    assert (one.act, one.subject, one.relation, one.object) == (
        Act.UPDATE, "Anna", "lives in", "Bergen",
    )  # fmt: skip
    plan = policy.ask(Turn(text="Where does my sister live?", speaker="Anna", at=AT), [])
    assert [(hop.subject, hop.relation) for hop in plan.hops] == [
        ("Anna", "sister"), ("", "lives in"),
    ]  # fmt: skip
    assert policy.failures.total() == 0
    assert "torch" not in sys.modules


def test_a_setting_holds_it_to_the_grammar() -> None:
    pytest.importorskip("llguidance", reason="needs the extra: pip install 'mags[grammar]'")
    settings = Settings(policy=replace(NANO.policy, held=True))
    told = Turn(text="I live in Oslo.", speaker="Anna", at=AT)
    free, held = (make_policy(one, None).write(told, [], ()) for one in (NANO, settings))
    assert held.operations == free.operations != ()


@pytest.mark.skipif(find_spec("llguidance") is not None, reason="the extra grammar is there")
def test_without_its_extra_the_grammar_is_asked_for_by_name() -> None:
    settings = Settings(policy=replace(NANO.policy, held=True))
    told = Turn(text="I live in Oslo.", speaker="Anna", at=AT)
    with pytest.raises(ConfigurationError, match="grammar"):
        make_policy(settings, None).write(told, [], ())


def test_a_memory_with_it_observes_recalls_and_asks() -> None:
    with mags.open(None, settings=NANO) as memory:
        for text in ("My sister Marlain lives in Oslo.", "I work as a nurse."):
            memory.observe(text, speaker="Anna", at=AT)
        found = memory.recall("Where does Marlain live?", speaker="Anna")
        assert "Oslo" in found[0].text
        assert "nurse" in memory.ask("What do I work as?", speaker="Anna").text


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "nano"
    shutil.copytree(SHIPPED, folder)
    (folder / "nano.json").write_text("{}")
    with pytest.raises(CorruptFile, match="damaged"):
        NanoFolder.read(folder, sha256=CARD_SHA256)
    shutil.copy2(SHIPPED / "nano.json", folder)
    (folder / "write.onnx").write_bytes(b"x")
    with pytest.raises(CorruptFile, match="damaged"):
        NanoPolicy(NanoFolder.read(folder)).write(Turn(text="Hi!"), [], ())
