"""Supervised fine-tuning: it learns, it repeats, it goes on (needs the extra `train`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
pytest.importorskip("transformers", reason="needs the extra: pip install './lab[train]'")

from lab.tests.training import tiny  # noqa: E402
from mags.errors import CorruptFile  # noqa: E402 - torch first
from mags_lab.training.optimisers import latest  # noqa: E402
from mags_lab.training.sft import SftConfig, fine_tune  # noqa: E402

CONFIG = SftConfig(steps=12, rate=1e-2, tokens=512, save_every=4)


class Stopped(Exception):
    """The power went."""


def weights(model: Any) -> dict[str, Any]:
    return {name: one.detach().clone() for name, one in model.named_parameters()}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(torch.equal(one[name], other[name]) for name in one)


def test_the_loss_falls(words: Any) -> None:
    losses: list[float] = []
    model = tiny.model(words)
    config = SftConfig(steps=40, rate=1e-2, tokens=1_024)
    fine_tune(
        model, tiny.encoded(words), config, watch=lambda _, found: losses.append(found["loss"])
    )
    assert len(losses) == 40
    assert sum(losses[-5:]) / 5 < 0.4 * losses[0]
    assert not model.training


def test_the_same_seed_gives_the_same_weights(words: Any) -> None:
    made = []
    for seed in (0, 0, 1):
        model = tiny.model(words)
        fine_tune(model, tiny.encoded(words), SftConfig(steps=5, tokens=512, seed=seed))
        made.append(weights(model))
    assert same(made[0], made[1])
    assert not same(made[0], made[2])


def test_a_run_that_was_stopped_ends_with_the_same_weights(words: Any, tmp_path: Path) -> None:
    whole = tiny.model(words)
    fine_tune(whole, tiny.encoded(words), CONFIG)

    def stop(step: int, scalars: Mapping[str, float]) -> None:
        if step == 7:
            raise Stopped

    stopped = tiny.model(words)
    with pytest.raises(Stopped):
        fine_tune(stopped, tiny.encoded(words), CONFIG, watch=stop, folder=tmp_path)
    steps: list[int] = []
    again = tiny.model(words, seed=9)
    fine_tune(
        again,
        tiny.encoded(words),
        CONFIG,
        watch=lambda step, _: steps.append(step),
        folder=tmp_path,
    )
    assert steps == list(range(5, 13))
    assert same(weights(whole), weights(again))


def test_a_run_that_is_done_does_nothing_more(words: Any, tmp_path: Path) -> None:
    done = tiny.model(words)
    fine_tune(done, tiny.encoded(words), CONFIG, folder=tmp_path)
    again = tiny.model(words, seed=9)
    fine_tune(
        again, tiny.encoded(words), CONFIG, watch=lambda *_: pytest.fail("a step"), folder=tmp_path
    )
    assert same(weights(done), weights(again))


@pytest.mark.parametrize("left", [0, 50, 1_000, -50])
def test_a_damaged_checkpoint_is_named(words: Any, tmp_path: Path, left: int) -> None:
    fine_tune(tiny.model(words), tiny.encoded(words), CONFIG, folder=tmp_path)
    path = latest(tmp_path)
    assert path is not None
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(CorruptFile, match=f"{path.name} is damaged: remove it"):
        fine_tune(tiny.model(words), tiny.encoded(words), CONFIG, folder=tmp_path)
