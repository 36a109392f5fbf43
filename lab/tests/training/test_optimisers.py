"""Muon for the matrices inside, AdamW for the rest; rates and clipping (extra `train`)."""

import math
from itertools import pairwise
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
pytest.importorskip("transformers", reason="needs the extra: pip install './lab[train]'")

from lab.tests.training import tiny  # noqa: E402
from mags_lab.training.optimisers import optimisers, schedule, take_step  # noqa: E402 - torch first


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
    rates = [schedule(step, 100, warm=0.1, floor=0.05) for step in range(101)]
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
