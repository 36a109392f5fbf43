"""`mags train lora|sft|grpo|ppo|needs` where nothing is trained; see lab/tests/training."""

import importlib.util
from pathlib import Path

import pytest

from mags.errors import InvalidInput, MissingExtra
from mags_lab.training.large.presets import PRESETS
from tests.cli.running import run

HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "peft", "trl", "gguf"))


@pytest.mark.skipif(HAS_TORCH, reason="the extra is there")
@pytest.mark.parametrize("words", [("lora", "model"), ("grpo", "model")])
def test_the_extra_that_is_missing_is_named(words: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"'./lab\[train\]'"):
        run("train", *words, "--out", str(tmp_path))


@pytest.mark.parametrize(
    ("words", "there_are"),
    [
        (("lora", "model", "--preset", "nano"), "quick, full, smoke"),
        (("ppo", "model", "--preset", "nano"), "quick, full, smoke"),
        (
            ("semantic", "a.mags", "--base", "b", "--gguf", "one.gguf", "--lora", "./one.gguf"),
            "name another",
        ),
    ],
)
def test_what_there_is_not_is_refused_before_anything_is_loaded(
    words: tuple[str, ...], there_are: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=there_are):
        run("train", *words, "--out", str(tmp_path))


def test_the_presets_are_those_that_the_documentation_names() -> None:
    known = {name: (one.rank, one.alpha, one.epochs) for name, one in PRESETS.items()}
    assert known == {"quick": (16, 32, 1), "full": (64, 128, 10), "smoke": (4, 8, 1)}


def test_the_needs_are_told_without_any_library_of_training() -> None:
    told = run("train", "needs")
    assert "Qwen 3 8B" in told
    assert "25.8" in told
