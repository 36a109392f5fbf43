"""`mags train lora|needs|sizes`, run as people run them, on a model of random weights."""

import importlib.util
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mags.cli.app import app
from mags.errors import ConfigurationError, InvalidInput, MagsError, MissingExtra
from mags.training.large.presets import PRESETS

HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "peft", "trl", "gguf"))
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="needs the extra: pip install 'mags[train]'")
SHORT = ("--made", "24", "--most", "1")


def run(*words: str) -> str:
    done = CliRunner().invoke(app, [*words], env={"COLUMNS": "250"})
    if isinstance(done.exception, MagsError):
        raise done.exception
    assert done.exception is None, done.output
    return done.output


@pytest.mark.skipif(HAS_TORCH, reason="the extra is there")
@pytest.mark.parametrize("words", [("lora", "model"), ("sizes", "1M")])
def test_the_extra_that_is_missing_is_named(words: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"pip install 'mags\[train\]'"):
        run("train", *words, "--out", str(tmp_path))


@pytest.mark.parametrize(
    ("words", "there_are"),
    [(("lora", "model", "--preset", "nano"), "quick, full, smoke"), (("sizes", "8B"), "1M, 5M")],
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


@needs_torch
@pytest.mark.filterwarnings("ignore")
def test_an_adapter_is_taught_reinforced_used_and_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    families = pytest.importorskip("tests.training.large.families")
    base = families.folder("qwen", tmp_path / "base")
    monkeypatch.setattr("mags.training.trial.SPLITS", ("frames",))
    monkeypatch.chdir(tmp_path)  # a folder that is named from here is found from elsewhere, too
    monkeypatch.setenv("MAGS_CONFIG", str(tmp_path / "config.toml"))
    folder = tmp_path / "run"
    how = ("--preset", "smoke", "--grpo", "1", "--out", str(folder), *SHORT)
    told = run("train", "lora", "base", *how)
    assert "smoke SFT" in told
    assert f"mags models use {folder / 'adapter'}" in told
    results = json.loads((folder / "results.json").read_text())
    assert [row["name"] for row in results["rows"]] == ["before", "smoke SFT", "and GRPO"]
    assert "write frames" in results["rows"][0]["exact"]
    assert all(0 < row["trained"] < row["weights"] for row in results["rows"])
    for stage in ("sft", "grpo"):
        assert (folder / stage / "scalars.jsonl").read_text().count("\n") > 1
    card = json.loads((folder / "adapter" / "mags.json").read_text())
    assert card == {"base": str(base.resolve()), "wording": "compact"}
    run("models", "export", str(folder / "adapter"), "--form", "gguf", "--out", str(tmp_path / "m"))
    assert (tmp_path / "m" / "model.gguf").read_bytes()[:4] == b"GGUF"


@needs_torch
def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no model")
    with pytest.raises(
        ConfigurationError, match="holds no causal language model that transformers"
    ):
        run("train", "lora", str(tmp_path), "--out", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@needs_torch
def test_a_name_that_cannot_be_fetched_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        ConfigurationError,
        match=r"is no folder here, .*couldn.t connect.*where the hub can be reached",
    ):
        run("train", "lora", "nobody/no-model", "--out", str(tmp_path))


@needs_torch
def test_four_bits_are_refused_where_they_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ConfigurationError, match="CUDA GPU and bitsandbytes"):
        run("train", "lora", str(tmp_path), "--four-bit", "--out", str(tmp_path))


@needs_torch
@pytest.mark.filterwarnings("ignore")
def test_nanos_of_several_sizes_are_set_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    presets = importlib.import_module("mags.training.recipe.presets")
    small = presets.Size(widths=presets.Widths(width=32, layers=1, heads=2, pieces=400), rate=3e-3)
    monkeypatch.setitem(presets.SIZES, "1M", small)
    short = ("--steps", "2", "--tokens", "512", "--made", "24", "--most", "0")
    told = run("train", "sizes", "1M", "--out", str(tmp_path), *short)
    assert "- / - / -" in told
    (row,) = json.loads((tmp_path / "results.json").read_text())["rows"]
    assert row["name"] == "1M"
    assert (tmp_path / "nano-1M.gguf").read_bytes()[:4] == b"GGUF"
