"""Whose a run's folder is."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")

from mags.errors import ConfigurationError, CorruptFile
from mags_lab.training.large.trial import CLAIM, Trial


def test_a_folder_with_checkpoints_of_another_run_is_refused(tmp_path: Path) -> None:
    Trial(folder=tmp_path).claim({"model": "a"})
    (tmp_path / "sft").mkdir()
    (tmp_path / "sft" / "step-4.pt").touch()
    Trial(folder=tmp_path, grpo=3, most=1).check({"model": "a"})
    with pytest.raises(ConfigurationError, match=r"\(model, seed differ\)"):
        Trial(folder=tmp_path, seed=1).check({"model": "b"})


def test_a_folder_in_which_nothing_was_trained_is_anyones(tmp_path: Path) -> None:
    Trial(folder=tmp_path, more=(tmp_path / "mistyped.jsonl",)).claim({"model": "a"})
    Trial(folder=tmp_path).check({"model": "a"})


@pytest.mark.parametrize("damaged", ["", "{", "null", "[]"])
def test_a_damaged_note_of_the_run_is_said_to_be(tmp_path: Path, damaged: str) -> None:
    (tmp_path / "sft").mkdir()
    (tmp_path / "sft" / "step-4.pt").touch()
    (tmp_path / CLAIM).write_text(damaged)
    with pytest.raises(CorruptFile, match="begin in another folder"):
        Trial(folder=tmp_path).check({})


def test_nothing_is_kept_where_nothing_is_to_be(tmp_path: Path) -> None:
    assert Trial(folder=tmp_path).checkpoints("sft") == tmp_path / "sft"
    assert Trial(folder=tmp_path, keep=False).checkpoints("sft") is None
