"""`mags train sft|grpo|ppo|lora|reader`, run as people run them, on random weights."""

import json
from pathlib import Path

import pytest

for library in ("torch", "peft", "trl", "gguf"):
    pytest.importorskip(library, reason="needs the extra: pip install './lab[train]'")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402

from lab.tests.training.large import families  # noqa: E402
from mags.errors import ConfigurationError  # noqa: E402
from mags.models.embed.onnx import OnnxEmbedder  # noqa: E402
from mags.models.policy.reader.network import READS, ReaderFile, marks, opened, parts, rows  # noqa: E402
from mags.models.policy.reader.policy import TrainedReader  # noqa: E402
from mags.ports.policy import Recalled, Turn  # noqa: E402
from mags_lab.talk.encoder import Encoder  # noqa: E402
from mags_lab.talk.fit import save  # noqa: E402
from mags_lab.talk.model import Reader, TalkShape  # noqa: E402
from tests.cli.running import run  # noqa: E402

SHORT = ("--made", "24", "--most", "1")


CORPUS = """== {id} | friends | ana
people: Ana; Ben
-- 2024-03-02
Ana: I live in {town}.
+ s | me | lives in | {town} | topic: home
Ben: Nice.
[a] Ana: I moved to {other} in May.
+ e | me | moved to | {other} | topic: home
- me | {town} | replaced
? value | Ben | Where does Ana live? | {other} | ev: a
"""
TOWNS = ("Oslo", "Rome", "Graz", "Lund")


def test_the_reader_is_trained_goes_on_where_it_stopped_and_is_read_back(tmp_path: Path) -> None:
    corpus, file, folder = tmp_path / "corpus", tmp_path / "reader.npz", tmp_path / "run"
    corpus.mkdir()
    pairs = [(town, other) for town in TOWNS for other in TOWNS if town != other]
    told = (CORPUS.format(id=f"d{n}", town=a, other=b) for n, (a, b) in enumerate(pairs))
    (corpus / "some.talk").write_text("\n".join(told))
    how = ("--out", str(file), "--folder", str(folder), "--corpus", str(corpus))
    run("train", "reader", *how, "--epochs", "1")
    shown = run("train", "reader", *how, "--epochs", "2")
    assert "epoch 2" in shown
    assert "epoch 1" not in shown
    reader = TrainedReader(ReaderFile(path=file))
    turn = Turn(text="I live in Oslo.", speaker="Ana", at=1.7e9)
    assert all(0 <= one.probability <= 1 for one in reader.facts(turn, ()))
    held = Recalled(id=1, text="", subject="Ana", relation="lives in", object="Rome")
    (ends,) = reader.ends(turn, (), [held], [])
    assert 0 <= ends <= 1


def test_numpy_reads_as_torch_trained(tmp_path: Path) -> None:
    torch.manual_seed(1)
    encoder, model = Encoder().eval(), Reader(TalkShape(relations=7)).eval()
    file = save(encoder, model, [str(n) for n in range(7)], tmp_path / "reader.npz")
    trained = opened(file)
    turn = Turn(text="I moved to Oslo in May, my sister Ola too.", speaker="Ana")
    (layout,) = parts(turn)
    seen_by = OnnxEmbedder(READS, constants=trained.tuned).token_states(layout.text)
    states, signs = rows(layout, seen_by), marks(layout)
    network = trained.network
    ours = network.trunk(states, signs)
    there = torch.ones(1, len(states), dtype=torch.bool)
    with torch.no_grad():
        x = model.trunk(torch.from_numpy(states)[None], torch.from_numpy(signs)[None], there)
        pooled = model.pool(x, there)
        which = torch.tensor([[0, 6, 7]])
        found = model.spans(x, pooled, which)
        points = model.pointers(x, found, which, torch.from_numpy(signs)[None])[0]
        tags = model.tag(x)[0].softmax(dim=-1)
        ends = model.ends(pooled[:, 1]).sigmoid()
        relation = model.relation(found)[0].log_softmax(dim=-1)
    assert np.allclose(ours, x[0], atol=2e-2)
    assert np.allclose(network.tags(ours), tags, atol=1e-2)
    mine = network.pooled(ours)
    assert network.ends(mine) == pytest.approx(float(ends), abs=1e-2)
    (scores,) = network.spans(ours, mine, signs, [(6, 7)])
    assert np.allclose(scores.relation, relation, atol=2e-2)
    assert np.allclose(scores.points[2], points[2].log_softmax(dim=-1), atol=5e-2)


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
