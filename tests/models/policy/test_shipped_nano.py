"""The nano that comes with MAGS runs end to end by one setting, and without torch."""

import shutil
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

import mags
from mags.app import make_policy
from mags.errors import ConfigurationError, CorruptFile, ModelReplyError
from mags.models.grammar import read_engram
from mags.models.policy.compact import compact
from mags.models.policy.nano import (
    SHIPPED,
    NanoFolder,
    NanoModel,
    NanoPolicy,
    Sampler,
    shipped_nano,
)
from mags.models.policy.nano.shipped import CARD_SHA256
from mags.models.policy.shorthand import expand
from mags.ports.policy import Act, Turn
from mags.settings import PolicySettings, Settings

NANO = Settings(policy=PolicySettings(kind="nano"))
AT = 1_715_299_200.0
TOLD = Turn(text="I live in Oslo.", speaker="Anna", at=AT)


def test_it_is_small_and_chosen_by_one_setting() -> None:
    size = sum(path.stat().st_size for path in SHIPPED.iterdir())
    assert size < 8_000_000
    assert make_policy(NANO, None).name == "nano, else rules"


def test_it_decides_what_to_write_and_what_to_recall() -> None:
    policy = NanoPolicy(shipped_nano())
    (one,) = policy.write(TOLD, [], ()).operations
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


def test_its_replies_are_drawn_where_a_sampler_draws_them() -> None:
    nano = NanoModel(shipped_nano(), "write")
    prompt = compact("write", TOLD, ())

    def said(temperature: float, seed: int = 0) -> list[str]:
        sampler = Sampler(temperature, seed=seed)
        return [nano.complete(prompt, limit=48, sampler=sampler) for _ in range(3)]

    assert said(0.0) == 3 * [nano.complete(prompt, limit=48)]
    wild = said(3.0)
    assert wild == said(3.0) != said(3.0, seed=1)
    assert len(set(wild)) == 3


def test_drawn_decisions_leave_the_likeliest_as_they_are_and_cost_tokens() -> None:
    policy = NanoPolicy(shipped_nano())
    likeliest = policy.write(TOLD, [], ()).operations
    used = policy.tokens
    assert policy.sampled(Sampler(0.0, seed=0)).write(TOLD, [], ()).operations == likeliest
    assert policy.tokens == 2 * used
    with pytest.raises(ModelReplyError) as refused:
        policy.sampled(Sampler(5.0, seed=0)).write(TOLD, [], ())
    assert refused.value.facts["reply"]
    assert policy.write(TOLD, [], ()).operations == likeliest
    assert policy.failures.total() == 0


def test_what_is_drawn_is_held_to_the_grammar_too() -> None:
    pytest.importorskip("llguidance", reason="needs the extra: pip install 'mags[grammar]'")
    nano = NanoModel(shipped_nano(), "write", held=True)
    sampler = Sampler(1.5, seed=0)
    prompt = compact("write", TOLD, ())
    said = [nano.complete(prompt, "write", sampler=sampler) for _ in range(8)]
    assert len(set(said)) > 1
    for one in said:
        if one.endswith("</engram>"):  # else it came to its limit of tokens
            read_engram(expand(one, TOLD, ()))


def test_a_setting_holds_it_to_the_grammar() -> None:
    pytest.importorskip("llguidance", reason="needs the extra: pip install 'mags[grammar]'")
    settings = Settings(policy=replace(NANO.policy, held=True))
    free, held = (make_policy(one, None).write(TOLD, [], ()) for one in (NANO, settings))
    assert held.operations == free.operations != ()


@pytest.mark.skipif(find_spec("llguidance") is not None, reason="the extra grammar is there")
def test_without_its_extra_the_grammar_is_asked_for_by_name() -> None:
    settings = Settings(policy=replace(NANO.policy, held=True))
    with pytest.raises(ConfigurationError, match="grammar"):
        make_policy(settings, None).write(TOLD, [], ())


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
