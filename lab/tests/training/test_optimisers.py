"""Optimisers, their schedule and precision, and checkpoints (needs the extra `train`)."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
pytest.importorskip("transformers", reason="needs the extra: pip install './lab[train]'")

from lab.tests.training import tiny  # noqa: E402
from mags_lab.training.optimisers import (  # noqa: E402 - torch first
    Muon,
    latest,
    load_checkpoint,
    optimisers,
    quick,
    save_checkpoint,
    schedule,
    take_step,
)


def test_matrices_inside_go_to_muon_and_every_weight_to_one_optimiser(words: Any) -> None:
    model = tiny.model(words)
    muon, adam = optimisers(model, rate=1e-3)
    inside = [w for group in muon.param_groups for w in group["params"]]
    outside = [w for group in adam.param_groups for w in group["params"]]
    assert {id(w) for w in inside + outside} == {id(w) for w in model.parameters()}
    assert len(inside) + len(outside) == len(list(model.parameters()))
    assert all(w.ndim == 2 for w in inside)
    assert any(w is model.model.embed_tokens.weight for w in outside)


def test_frozen_weights_have_no_optimiser(words: Any) -> None:
    model = tiny.model(words)
    model.requires_grad_(False)
    assert optimisers(model, rate=1e-3) == []


def test_the_rate_rises_then_falls_along_a_cosine_to_its_floor() -> None:
    rates = [schedule(step, 100, warmup=0.1, floor=0.05) for step in range(101)]
    assert rates[:10] == pytest.approx([(i + 1) / 10 for i in range(10)])
    assert rates[10] == pytest.approx(1.0)
    assert rates[55] == pytest.approx(0.05 + 0.95 * 0.5)
    assert rates[100] == pytest.approx(0.05)
    assert all(a >= b for a, b in pairwise(rates[10:]))


def test_a_step_clips_the_gradient_and_says_what_it_was() -> None:
    weight = torch.nn.Parameter(torch.zeros(2))
    plain = torch.optim.SGD([weight], lr=9.0)
    (weight * torch.tensor([3.0, 4.0])).sum().backward()
    assert take_step([plain], [weight], rate=0.5, norm=1.0) == pytest.approx(5.0)
    assert weight.detach() == pytest.approx(torch.tensor([-0.3, -0.4]), abs=1e-4)
    assert weight.grad is None
    assert math.isclose(plain.param_groups[0]["lr"], 0.5)


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        ({"amx_bf16": True, "avx512_bf16": True}, torch.bfloat16),
        ({"amx_bf16": False, "avx512_bf16": True}, torch.float32),
        ({"architecture": "aarch64"}, torch.float32),
    ],
)
def test_bfloat16_is_for_cpus_with_amx(
    monkeypatch: pytest.MonkeyPatch, known: dict[str, object], kind: object
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: known)
    assert quick() is kind


def line() -> torch.nn.Linear:
    torch.manual_seed(0)
    return torch.nn.Linear(2, 2)


def test_weights_optimiser_and_chance_come_back(tmp_path: Path) -> None:
    model = line()
    chosen = [torch.optim.AdamW(model.parameters())]
    model(torch.ones(1, 2)).sum().backward()
    chosen[0].step()
    save_checkpoint(tmp_path, 3, model, chosen)
    expected = torch.rand(3)
    other, fresh = torch.nn.Linear(2, 2), [torch.optim.AdamW(line().parameters())]
    path = latest(tmp_path)
    assert path is not None
    assert load_checkpoint(path, other, fresh) == 3
    assert torch.equal(other.weight, model.weight)
    assert fresh[0].state_dict()["state"][0]["step"] == 1
    assert torch.equal(torch.rand(3), expected)


def test_the_newest_is_the_highest_step_and_older_ones_go(tmp_path: Path) -> None:
    model = line()
    for step in (8, 9, 10):
        save_checkpoint(tmp_path, step, model, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-10.pt", "step-9.pt"]
    assert latest(tmp_path) == tmp_path / "step-10.pt"


def test_a_kill_while_writing_leaves_the_last_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = line()
    save_checkpoint(tmp_path, 1, model, [])
    before = model.weight.detach().clone()

    def half(state: object, path: Path) -> None:
        path.write_bytes(b"half of a checkpoint")
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "save", half)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(tmp_path, 2, model, [])
    found = latest(tmp_path)
    assert found == tmp_path / "step-1.pt"
    assert load_checkpoint(found, model, []) == 1
    assert torch.equal(model.weight, before)


def test_an_empty_folder_has_no_checkpoint(tmp_path: Path) -> None:
    assert latest(tmp_path) is None
    assert latest(tmp_path / "nowhere") is None


def test_what_does_not_learn_is_not_kept(tmp_path: Path) -> None:
    model = line()
    model.bias.requires_grad_(False)
    path = save_checkpoint(tmp_path, 1, model, [])
    assert set(torch.load(path, weights_only=True)["model"]) == {"weight"}


@pytest.mark.parametrize("shape", [(16, 40), (40, 16), (8, 8)])
def test_muon_steps_as_pytorchs_does(shape: tuple[int, int]) -> None:
    torch.manual_seed(0)
    ours = torch.nn.Parameter(torch.randn(shape))
    theirs = torch.nn.Parameter(ours.detach().clone())
    pairs = (
        (ours, Muon([ours], lr=1e-2, weight_decay=0.01)),
        (
            theirs,
            torch.optim.Muon([theirs], lr=1e-2, weight_decay=0.01, adjust_lr_fn="match_rms_adamw"),
        ),
    )
    for _ in range(10):
        gradient = torch.randn(shape)
        for weight, optimiser in pairs:
            weight.grad = gradient.clone()
            optimiser.step()
    assert torch.allclose(ours, theirs, atol=1e-3)
    assert not torch.allclose(ours, torch.zeros(shape))
