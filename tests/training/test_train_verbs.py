"""`mags train lora|sizes|heads|all`, run as people run them, from nothing and on random weights."""

import importlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

for library in ("torch", "peft", "trl", "gguf"):
    pytest.importorskip(library, reason="needs the extra: pip install 'mags[train]'")

from mags.cli import train_runs  # noqa: E402
from mags.errors import ConfigurationError  # noqa: E402
from mags.models.policy.heads.weights import SHIPPED, HeadsFile, opened  # noqa: E402
from mags.training.recipe.presets import SMOKE, Data, Reinforcing, Teaching  # noqa: E402
from tests.cli.running import run  # noqa: E402
from tests.training.large import families  # noqa: E402

SHORT = ("--made", "24", "--most", "1")


def test_heads_are_trained_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "heads.npz"
    how = ("--recipe", "smoke", "--tests", "1", "--folder", str(tmp_path / "run"))
    told = run("train", "heads", "--out", str(file), *how)
    assert "trained in" in told
    assert opened(HeadsFile(path=file)).about.vocabulary.relations


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_nano_is_trained_listed_used_and_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = replace(
        SMOKE,
        data=Data(train=40, kept_back=10, test=2),
        base=Teaching(steps=2, rate=6e-3, tokens=1_024),
        specialise=Teaching(steps=0, rate=0.0),
        reinforce=Reinforcing(steps=1, prompts=2, group=2, rank=0, limit=8),
        evaluated=1,
    )
    monkeypatch.setattr(train_runs, "preset", lambda name: tiny)
    monkeypatch.setenv("MAGS_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").write_text('[policy]\nkind = "rules"\n')
    folder = tmp_path / "run"
    told = run("train", "all", "--preset", "smoke", "--out", str(folder), "--threads", "1")
    assert "mags models use" in told
    assert "peak MB" in told
    first, last = (opened(HeadsFile(path=folder / n)) for n in ("heads-1.npz", SHIPPED.path.name))
    assert first.about.vocabulary.relations == last.about.vocabulary.relations
    assert last.tuned
    steps = json.loads((folder / "run.json").read_text())["steps"]
    assert list(steps)[-3:] == ["heads-1-smoke", "heads-2-smoke", "heads-3-smoke-whole"]
    found = json.loads(run("models", "list", str(tmp_path), "--json"))
    assert found[-1]["given"] == str((folder / "export").resolve())
    run("models", "use", str(folder))
    assert 'kind = "nano"' in (tmp_path / "config.toml").read_text()
    run("models", "use", str(folder / SHIPPED.path.name))
    assert 'kind = "heads"' in (tmp_path / "config.toml").read_text()
    for form in ("onnx", "safetensors", "gguf"):
        run("models", "export", str(folder), "--out", str(tmp_path / form), "--form", form)
    assert sorted(p.name for p in (tmp_path / "onnx").iterdir()) == [
        "ask.onnx", "nano.json", "router.onnx", "tokenizer.json", "write.onnx",
    ]  # fmt: skip
    models = sorted(p.parent.name for p in (tmp_path / "safetensors").rglob("model.safetensors"))
    assert models == ["base", "grpo-ask", "grpo-write"]
    files = sorted((tmp_path / "gguf").iterdir())
    assert [path.name for path in files] == ["base.gguf", "grpo-ask.gguf", "grpo-write.gguf"]
    assert all(path.read_bytes()[:4] == b"GGUF" for path in files)
    told = run(
        *("models", "compare", "rules", str(tmp_path / "onnx"), f"base={folder / 'base'}"),
        *("--data", str(folder / "data"), "--most", "1", "--probed", "0", "--split", "seen"),
    )
    assert "nano (smoke)" in told
    assert "base" in told


@pytest.mark.filterwarnings("ignore")
def test_an_adapter_is_taught_reinforced_used_and_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = families.folder("qwen", tmp_path / "base")
    monkeypatch.setattr("mags.training.trial.SPLITS", ("frames",))
    monkeypatch.chdir(tmp_path)  # a folder that is named from here is found from elsewhere, too
    monkeypatch.setenv("MAGS_CONFIG", str(tmp_path / "config.toml"))
    folder = tmp_path / "run"
    how = ("--preset", "smoke", "--grpo", "1", "--out", str(folder), *SHORT)
    told = run("train", "lora", "base", *how)
    assert "smoke SFT" in told
    adapter = folder / "adapter"
    lines = told.splitlines()
    assert f"Use it with: mags models use {adapter}" in lines
    assert f"Take it elsewhere with: mags models export {adapter} --form gguf --out DIR" in lines
    results = json.loads((folder / "results.json").read_text())
    assert [row["name"] for row in results["rows"]] == ["before", "smoke SFT", "and GRPO"]
    assert "write frames" in results["rows"][0]["exact"]
    assert all(0 < row["trained"] < row["weights"] for row in results["rows"])
    for stage in ("sft", "grpo"):
        assert (folder / stage / "scalars.jsonl").read_text().count("\n") > 1
    card = json.loads((folder / "adapter" / "mags.json").read_text())
    assert card == {"base": str(base.resolve()), "wording": "compact"}
    curves = (folder / "sft" / "scalars.jsonl").read_text()
    run("train", "lora", "base", *how, "--reward", "store")
    assert (folder / "sft" / "scalars.jsonl").read_text() == curves, "SFT was done already"
    scored = json.loads((folder / "grpo-store" / "scalars.jsonl").read_text().splitlines()[0])
    assert {"format", "grounded", "fidelity"} <= scored.keys()
    with pytest.raises(ConfigurationError, match="would be written over"):
        run("train", "lora", "base", "--preset", "smoke", "--out", str(folder), *SHORT)
    with pytest.raises(ConfigurationError, match="give --grpo N, too"):
        run("train", "lora", "base", "--reward", "store", "--out", str(tmp_path / "other"))
    with pytest.raises(ConfigurationError, match="preset, seed differ"):
        run("train", "lora", "base", "--preset", "quick", "--seed", "1", "--out", str(folder))
    run("models", "export", str(folder / "adapter"), "--form", "gguf", "--out", str(tmp_path / "m"))
    assert (tmp_path / "m" / "model.gguf").read_bytes()[:4] == b"GGUF"


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no model")
    with pytest.raises(
        ConfigurationError, match="holds no causal language model that transformers"
    ):
        run("train", "lora", str(tmp_path), "--out", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_a_name_that_cannot_be_fetched_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        ConfigurationError,
        match=r"is no folder here, .*couldn.t connect.*where the hub can be reached",
    ):
        run("train", "lora", "nobody/no-model", "--out", str(tmp_path))


def test_four_bits_are_refused_where_they_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ConfigurationError, match="CUDA GPU and bitsandbytes"):
        run("train", "lora", str(tmp_path), "--four-bit", "--out", str(tmp_path))


@pytest.mark.filterwarnings("ignore")
def test_nanos_of_several_sizes_are_set_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    presets = importlib.import_module("mags.training.recipe.presets")
    small = presets.Size(widths=presets.Widths(width=32, layers=1, heads=2, pieces=400), rate=3e-3)
    monkeypatch.setitem(presets.SIZES, "1M", small)
    short = ("--steps", "2", "--tokens", "512", "--made", "24", "--most", "0")
    told = run("train", "sizes", "1M", "--out", str(tmp_path), *short)
    assert re.search(r"frames +- +- +-", told)
    (row,) = json.loads((tmp_path / "results.json").read_text())["rows"]
    assert row["name"] == "1M"
    assert (tmp_path / "nano-1M.gguf").read_bytes()[:4] == b"GGUF"
