"""The heads by one course after another (extra `train`)."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")

from mags.app import make_heads
from mags.errors import InvalidInput
from mags.models.policy.heads.weights import HeadsFile, opened
from mags.ports.policy import Route, Turn
from mags_lab.training.heads.recipes import SERIES, recipe
from mags_lab.training.heads.series import train


def test_a_series_ends_with_the_layers_of_the_encoder_and_is_not_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SERIES, "two", ("smoke", "smoke-whole"))
    done = train("two", tmp_path).steps
    assert list(done) == ["heads-1-smoke", "heads-2-smoke-whole"]
    assert all({"cpu_s", "peak_mb", "sha256"} <= step.keys() for step in done.values())
    frozen, whole = (
        opened(HeadsFile(path=tmp_path / name, sha256=done[step]["sha256"]))
        for name, step in zip(("heads-1.npz", "heads-minilm.npz"), done, strict=True)
    )
    assert not frozen.tuned
    assert whole.tuned.keys() == opened().tuned.keys()
    written = (tmp_path / "run.json").read_bytes()
    assert train("two", tmp_path).steps == done
    assert (tmp_path / "run.json").read_bytes() == written
    policy = make_heads(tmp_path / "heads-minilm.npz")
    assert isinstance(policy.route(Turn(text="Where do I live?"), ()), Route)


@pytest.mark.parametrize("names", SERIES.values(), ids=SERIES)
def test_a_series_begins_on_frozen_states_and_ends_with_the_layers(names: tuple[str, ...]) -> None:
    tuned = [recipe(name).tuning is not None for name in names]
    assert not tuned[0]
    assert tuned[-1]
    assert tuned == sorted(tuned)  # what was trained is not frozen again


def test_courses_of_the_layers_after_one_another_see_other_samples() -> None:
    seeds = [recipe(name).seed for name in SERIES["full"]]
    assert len(set(seeds)) == len(seeds)


def test_a_series_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="full, quick, smoke"):
        train("huge", tmp_path)
