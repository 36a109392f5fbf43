"""Heads trained on a handful of samples: reproducible, better than at first, kept in a file."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from mags.errors import CorruptFile  # noqa: E402 - torch may be missing
from mags.models.policy.heads.weights import HeadsFile, Thresholds, opened  # noqa: E402
from mags_lab.training.chains.schema import Split  # noqa: E402
from mags_lab.training.chains.variety import SeenTurns  # noqa: E402
from mags_lab.training.generate.samples import of_split  # noqa: E402
from mags_lab.training.heads.decide import by_heads  # noqa: E402
from mags_lab.training.heads.export import (  # noqa: E402
    best_threshold,
    halves,
    save,
    trained,
    with_thresholds,
)
from mags_lab.training.heads.fit import Fitting, fit  # noqa: E402
from mags_lab.training.heads.growth import grow  # noqa: E402
from mags_lab.training.heads.labels import vocabulary  # noqa: E402
from mags_lab.training.heads.model import Heads, Shape  # noqa: E402
from mags_lab.training.heads.states import states_of  # noqa: E402


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    samples = tuple(of_split(Split.TRAIN, 60, 3, SeenTurns()))
    folder = tmp_path_factory.mktemp("states")
    first = states_of(samples, folder)
    again = states_of(samples, folder)
    assert all(np.array_equal(a.states, b.states) for a, b in zip(first, again, strict=True))
    return first


@pytest.fixture(scope="module")
def known(shown):
    return vocabulary(one.sample for one in shown)


def fitted(shown, known, losses=None, epochs=4):
    def watch(step, scalars):
        if losses is not None:
            losses.append(scalars["loss"])

    shape = Shape(relations=len(known.relations), width=32, blocks=1)
    return fit(shown, known, shape, Fitting(epochs=epochs, rows=300, seed=5), watch)


def test_the_same_seed_gives_the_same_heads_and_the_loss_falls(shown, known):
    one, other = fitted(shown, known), fitted(shown, known)
    for name, weights in halves(one).items():
        assert np.array_equal(weights, halves(other)[name]), name
    losses: list[float] = []
    fitted(shown, known, losses, epochs=10)
    # What is watched is a slow mean that begins at one batch, maybe of the easiest role.
    assert losses[-1] < max(losses)


def test_a_saved_file_decides_as_the_heads_that_were_trained(shown, known, tmp_path):
    model = fitted(shown, known)
    made = trained(model, known)
    file = save(model, made.about, tmp_path / "heads.npz")
    assert save(model, made.about, tmp_path / "again.npz").sha256 == file.sha256
    read = opened(file)
    assert read.about == made.about
    for one in shown:
        assert by_heads(read, one) == by_heads(made, one)


def test_a_damaged_file_is_refused(shown, known, tmp_path):
    model = fitted(shown, known)
    file = save(model, trained(model, known).about, tmp_path / "heads.npz")
    file.path.write_bytes(file.path.read_bytes()[:-1])
    with pytest.raises(CorruptFile, match="damaged"):
        opened(file)
    with pytest.raises(CorruptFile, match="cannot read"):
        opened(HeadsFile(path=tmp_path / "none.npz"))


def test_the_threshold_leaves_to_the_rules_what_they_do_better():
    found = [(0.9, 1.0, 0.0), (0.6, 1.0, 0.5), (0.3, 0.0, 1.0), (0.2, 0.0, 0.5)]
    assert best_threshold(found) == pytest.approx(0.6, abs=1e-3)


def test_heads_that_are_always_better_always_decide():
    assert best_threshold([(0.9, 1.0, 0.0), (0.1, 1.0, 0.0)]) <= 0.1


def test_heads_that_go_on_begin_as_those_they_come_from(shown, known, tmp_path):
    model = fitted(shown, known)
    file = save(model, trained(model, known).about, tmp_path / "heads.npz")
    more = replace(known, relations=("admires", *known.relations))
    grown = Heads(Shape(relations=len(more.relations), width=32, blocks=2)).eval()
    grow(grown, file, more)
    before, after = opened(file), trained(grown, more)
    for one in shown:
        was, now = by_heads(before, one), by_heads(after, one)
        assert was.reading == now.reading
        assert was.confidence == pytest.approx(now.confidence, abs=0.1)


def test_other_thresholds_change_nothing_else_of_a_file(shown, known, tmp_path):
    model = fitted(shown, known)
    made = trained(model, known)
    file = save(model, made.about, tmp_path / "heads.npz", {"layer/w": np.ones(3, np.int8)})
    least = Thresholds(ask=0.25, fact=0.125)
    other = with_thresholds(file, least, tmp_path / "other.npz")
    before, after = opened(file), opened(other)
    assert after.about == replace(before.about, thresholds=least)
    assert all(
        np.array_equal(after.network.weights[n], w) for n, w in before.network.weights.items()
    )
    assert after.tuned.keys() == before.tuned.keys() == {"layer/w"}
    assert with_thresholds(other, before.about.thresholds, tmp_path / "x.npz").sha256 == file.sha256
