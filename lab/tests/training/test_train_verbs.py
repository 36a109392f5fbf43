"""`mags train sft|grpo|ppo|lora|heads|all`, run as people run them, on random weights."""

import json
from pathlib import Path

import pytest

for library in ("torch", "peft", "trl", "gguf"):
    pytest.importorskip(library, reason="needs the extra: pip install './lab[train]'")

from safetensors.numpy import load_file  # noqa: E402

from lab.tests.training.large import families  # noqa: E402
from mags.errors import ConfigurationError  # noqa: E402
from mags.models.policy.heads.weights import SHIPPED, HeadsFile, opened  # noqa: E402
from tests.cli.running import run  # noqa: E402

SHORT = ("--made", "24", "--most", "1")


def test_heads_are_trained_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "heads.npz"
    how = ("--recipe", "smoke", "--tests", "1", "--folder", str(tmp_path / "run"))
    told = run("train", "heads", "--out", str(file), *how)
    assert "trained in" in told
    assert opened(HeadsFile(path=file)).about.vocabulary.relations


def test_the_heads_are_trained_by_all_their_courses_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert list(steps) == ["heads-1-smoke", "heads-2-smoke", "heads-3-smoke-whole"]
    run("models", "use", str(folder / SHIPPED.path.name))
    assert 'kind = "heads"' in (tmp_path / "config.toml").read_text()


@pytest.mark.filterwarnings("ignore")
def test_one_algorithm_trains_a_fresh_adapter_and_another_trains_it_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = families.folder("llama", tmp_path / "base")
    monkeypatch.setattr("mags_lab.training.large.trial.SPLITS", ("frames",))
    taught = tmp_path / "sft" / "adapter"
    how = ("--preset", "smoke", "--steps", "2", *SHORT)
    told = run("train", "sft", str(base), "--out", str(tmp_path / "sft"), *how)
    assert f"Use it with: mags models use {taught}" in told.splitlines()
    before = load_file(taught / "adapter_model.safetensors")
    for verb, reward in (("grpo", "labels"), ("ppo", "store")):
        folder = tmp_path / verb
        words = (str(taught), "--out", str(folder), "--reward", reward, "--rate", "0.01")
        run("train", verb, *words, *how)
        rows = json.loads((folder / "results.json").read_text())["rows"]
        assert [row["name"] for row in rows] == ["before", verb]
        curves = [json.loads(line) for line in (folder / verb / "scalars.jsonl").open()]
        assert [one["step"] for one in curves] == [1, 2]
        assert ("exact" in curves[0]) == (reward == "labels")
        card = json.loads((folder / "adapter" / "mags.json").read_text())
        assert card == {"base": str(base.resolve()), "wording": "compact"}
    after = load_file(tmp_path / "ppo" / "adapter" / "adapter_model.safetensors")
    assert after.keys() == before.keys()
    with pytest.raises(ConfigurationError, match="steps differ"):
        run("train", "sft", str(base), "--out", str(tmp_path / "sft"), *how, "--steps", "3")


@pytest.mark.filterwarnings("ignore")
def test_an_adapter_is_taught_reinforced_used_and_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = families.folder("qwen", tmp_path / "base")
    monkeypatch.setattr("mags_lab.training.large.trial.SPLITS", ("frames",))
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
