"""A recipe goes the whole way, and what is done is not done again (extra `train`)."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install 'mags[train]'")
pytest.importorskip("peft", reason="needs the extra: pip install 'mags[train]'")
pytest.importorskip("onnx", reason="needs the extra: pip install 'mags[train]'")

from mags.app import make_heads  # noqa: E402 - torch first
from mags.errors import InvalidInput  # noqa: E402
from mags.models.policy.heads.weights import HeadsFile, opened  # noqa: E402
from mags.models.policy.nano import NanoFolder  # noqa: E402
from mags.ports.policy import Route, Turn  # noqa: E402
from mags.training.evaluate.evaluation import from_json  # noqa: E402
from mags.training.heads.recipes import recipe as heads_recipe  # noqa: E402
from mags.training.progress import Logbook  # noqa: E402
from mags.training.recipe.lora import low_rank  # noqa: E402
from mags.training.recipe.presets import (  # noqa: E402
    PRESETS,
    SMOKE,
    Data,
    Recipe,
    Reinforcing,
    Teaching,
)
from mags.training.recipe.run import plan, train  # noqa: E402
from mags.training.recipe.steps import Run  # noqa: E402
from mags.training.sft import SftConfig, fine_tune  # noqa: E402
from tests.training import tiny  # noqa: E402

TINY = replace(
    SMOKE,
    data=Data(train=60, kept_back=20, test=2),
    base=Teaching(steps=3, rate=6e-3, tokens=1_024),
    specialise=Teaching(steps=2, rate=3e-3, tokens=1_024, rank=4),
    reinforce=Reinforcing(steps=1, prompts=2, group=2, rank=4, limit=16),
    evaluated=1,
    threads=1,
    heads=(),
)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_recipe_goes_from_nothing_to_a_nano_step_by_step(tmp_path: Path) -> None:
    first = dict(train(TINY, tmp_path, goal="sft").steps)
    assert list(first) == ["data", "tokenizer", "base", "role-ask", "role-write", "role-router"]
    base = (tmp_path / "base" / "model.safetensors").read_bytes()
    done = train(TINY, tmp_path, goal="all").steps
    assert {name: done[name] for name in first} == first
    assert list(done)[6:] == ["grpo-ask", "grpo-write", "export", "evaluate"]
    assert (tmp_path / "base" / "model.safetensors").read_bytes() == base
    assert done["export"]["same_replies"] == 1.0
    folder = NanoFolder.read(tmp_path / "export")
    assert folder.files == {"ask": "ask.onnx", "write": "write.onnx", "router": "router.onnx"}
    names = [one.name for one in from_json(tmp_path / "evaluation.json")]
    assert names == ["rules", "base", "nano (smoke)"]
    ppo = train(TINY, tmp_path, goal="ppo").steps
    assert list(ppo)[-2:] == ["ppo-ask", "ppo-write"]


def test_a_run_that_was_stopped_within_a_step_ends_with_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = replace(
        TINY,
        base=Teaching(steps=6, rate=6e-3, tokens=1_024),
        specialise=Teaching(steps=0, rate=0.0),
        save_every=2,
    )
    train(long, tmp_path / "whole", goal="sft")
    said = Logbook.__call__

    def stop(log: Logbook, step: int, scalars: Mapping[str, float]) -> None:
        said(log, step, scalars)
        if step == 5:
            raise KeyboardInterrupt

    with monkeypatch.context() as stopping:
        stopping.setattr(Logbook, "__call__", stop)
        with pytest.raises(KeyboardInterrupt):
            train(long, tmp_path / "stopped", goal="sft")
    steps = train(long, tmp_path / "stopped", goal="sft").steps
    assert list(steps) == ["data", "tokenizer", "base"]
    models = [tmp_path / name / "base" / "model.safetensors" for name in ("whole", "stopped")]
    assert models[0].read_bytes() == models[1].read_bytes()
    lines = (tmp_path / "stopped" / "base" / "log" / "scalars.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [1, 2, 3, 4, 5, 5, 6]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_heads_are_steps_that_end_with_the_layers_of_the_encoder(tmp_path: Path) -> None:
    recipe = replace(TINY, heads=("smoke", "smoke-whole"))
    done = train(recipe, tmp_path, goal="heads").steps
    assert list(done) == ["heads-1-smoke", "heads-2-smoke-whole"]
    assert all({"cpu_s", "peak_mb", "sha256"} <= step.keys() for step in done.values())
    frozen, whole = (
        opened(HeadsFile(path=tmp_path / name, sha256=done[step]["sha256"]))
        for name, step in zip(("heads-1.npz", "heads-minilm.npz"), done, strict=True)
    )
    assert not frozen.tuned
    assert whole.tuned.keys() == opened().tuned.keys()
    written = (tmp_path / "run.json").read_bytes()
    assert train(recipe, tmp_path, goal="heads").steps == done
    assert (tmp_path / "run.json").read_bytes() == written
    policy = make_heads(tmp_path / "heads-minilm.npz")
    assert isinstance(policy.route(Turn(text="Where do I live?"), ()), Route)


@pytest.mark.parametrize("known", PRESETS.values(), ids=PRESETS)
def test_the_heads_of_a_preset_begin_on_frozen_states_and_end_with_the_layers(
    known: Recipe,
) -> None:
    tuned = [heads_recipe(name).tuning is not None for name in known.heads]
    assert not tuned[0]
    assert tuned[-1]
    assert tuned == sorted(tuned)  # what was trained is not frozen again


def test_courses_of_the_layers_after_one_another_see_other_samples() -> None:
    seeds = [heads_recipe(name).seed for name in PRESETS["nano"].heads]
    assert len(set(seeds)) == len(seeds)


def test_a_run_without_heads_has_no_step_of_them(tmp_path: Path) -> None:
    run = Run(recipe=TINY, folder=tmp_path)
    assert plan(run, "heads") == {}
    assert not any("heads" in name for name in plan(replace(run, recipe=SMOKE), "all"))


def test_a_combined_model_is_one_file_for_all_roles(tmp_path: Path) -> None:
    combined = replace(TINY, combined=True)
    run = Run(recipe=combined, folder=tmp_path)
    steps = list(plan(run, "all"))
    assert steps == ["data", "tokenizer", "base", "grpo-all", "export", "evaluate"]
    with pytest.raises(InvalidInput, match="sft, grpo, ppo, all, heads"):
        plan(run, "dpo")


def changed(before: dict[str, Any], model: Any) -> set[str]:
    after = dict(model.named_parameters())
    return {name for name in before if not torch.equal(before[name], after[name])}


def test_a_low_rank_adapter_is_merged_and_leaves_no_trace(words: Any, speller: Any) -> None:
    before = {name: one.detach().clone() for name, one in speller.named_parameters()}
    with low_rank(speller, 4, seed=0):
        learns = [name for name, one in speller.named_parameters() if one.requires_grad]
        assert learns
        assert all("lora" in name for name in learns)
        fine_tune(speller, tiny.encoded(words, 20), SftConfig(steps=2, tokens=512))
        ids = torch.arange(12).unsqueeze(0)
        said = speller(input_ids=ids).logits.detach()
    assert speller(input_ids=ids).logits.detach() == pytest.approx(said, abs=1e-4)
    assert dict(speller.named_parameters()).keys() == before.keys()
    assert changed(before, speller) == {n for n in before if n.endswith("_proj.weight")}
    assert all(one.requires_grad for one in speller.parameters())


def test_rank_nothing_trains_every_weight(speller: Any) -> None:
    with low_rank(speller, 0, seed=0):
        assert all(one.requires_grad for one in speller.parameters())


def test_a_recipe_is_a_value() -> None:
    assert replace(TINY, seed=1) != TINY
    assert isinstance(TINY, Recipe)
