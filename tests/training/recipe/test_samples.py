"""What a recipe trains on, and that GRPO's frames are new to what SFT learned."""

import sys
from pathlib import Path

import pytest

from mags.errors import ConfigurationError, InvalidInput
from mags.training.chains.schema import Split, read_samples, write_samples
from mags.training.chains.splits import shelf
from mags.training.recipe import samples
from mags.training.recipe.ledger import Ledger
from mags.training.recipe.presets import NANO, PRESETS, SMOKE, Data, preset

DATA = Data(train=60, kept_back=20, test=5)


def test_frames_that_are_kept_back_are_not_taught() -> None:
    whole = shelf(Split.TRAIN)
    taught, back = (samples.frames_of(whole, back=kept) for kept in (False, True))
    parted = 0
    for name, lines in whole.frames.items():
        if len(lines) > 1:
            assert set(taught.frames[name]).isdisjoint(back.frames[name])
            assert {*taught.frames[name], *back.frames[name]} == set(lines)
            parted += 1
    assert parted > 5
    assert taught.entries == back.entries


def test_the_same_seed_makes_the_same_files(tmp_path: Path) -> None:
    counts = [samples.make(tmp_path / name, DATA, 3) for name in ("a", "b")]
    assert counts[0] == counts[1]
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    back = list(read_samples(tmp_path / "a" / "kept-back.jsonl"))
    assert len(back) == 20
    taught = list(read_samples(tmp_path / "a" / "taught.jsonl"))
    assert sum(one.source == "generator" for one in taught) == 40
    assert not {one.turn.text for one in back} & {one.turn.text for one in taught}


def test_files_that_were_made_before_are_parted(tmp_path: Path) -> None:
    samples.make(tmp_path / "made", DATA, 0)
    given = list(read_samples(tmp_path / "made" / "taught.jsonl"))
    write_samples(tmp_path / "given" / "train.jsonl", given)
    write_samples(tmp_path / "given" / "dev.jsonl", given[:3])
    counts = samples.take(tmp_path / "taken", tmp_path / "given")
    assert counts["taught"] + counts["kept-back"] == len(given)
    assert counts["kept-back"] == pytest.approx(0.2 * len(given), rel=0.5)
    assert [one.id for one in samples.tests(tmp_path / "taken")] == [o.id for o in given[:3]]


def test_a_preset_has_a_name_and_a_wrong_one_tells_the_others() -> None:
    assert preset("nano") is NANO
    assert all(name == one.name for name, one in PRESETS.items())
    with pytest.raises(InvalidInput, match="smoke, quick, nano"):
        preset("huge")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets a peak")
def test_the_peak_of_a_step_is_its_own(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, SMOKE)
    with ledger.step("data") as noted:
        noted["bytes"] = len(bytearray(300 << 20))
    with ledger.step("base"):
        pass
    assert ledger.steps["data"]["peak_mb"] > ledger.steps["base"]["peak_mb"] + 250.0


def test_a_finished_step_is_kept_with_its_costs_and_another_recipe_refused(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, SMOKE)
    with ledger.step("data") as noted:
        noted["samples"] = 7
    with pytest.raises(ZeroDivisionError), ledger.step("base"):
        raise ZeroDivisionError
    again = Ledger(tmp_path, SMOKE)
    assert again.is_done("data")
    assert not again.is_done("base")
    assert again.steps["data"]["samples"] == 7
    assert again.steps["data"]["peak_mb"] > 1.0
    with pytest.raises(ConfigurationError, match="another recipe"):
        Ledger(tmp_path, NANO)
