"""The encoder's layers, trained together with the heads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from mags.models.embed.onnx import (  # noqa: E402
    SHIPPED,
    OnnxEmbedder,
    checked_bytes,
    constants,
)
from mags.models.policy.heads.weights import SHIPPED as HEADS  # noqa: E402
from mags.models.policy.heads.weights import opened  # noqa: E402
from mags_lab.training.chains.schema import Split  # noqa: E402
from mags_lab.training.chains.variety import SeenTurns  # noqa: E402
from mags_lab.training.generate.samples import of_split  # noqa: E402
from mags_lab.training.heads.course import Place, real_of  # noqa: E402
from mags_lab.training.heads.encoder import Encoder  # noqa: E402
from mags_lab.training.heads.export import save, trained  # noqa: E402
from mags_lab.training.heads.labels import taught  # noqa: E402
from mags_lab.training.heads.material import Material  # noqa: E402
from mags_lab.training.heads.model import Heads, Shape  # noqa: E402
from mags_lab.training.heads.pieces import Pieces, drawn  # noqa: E402
from mags_lab.training.heads.recipes import SMOKE_WHOLE, WHOLE, Tuning  # noqa: E402
from mags_lab.training.heads.whole import tuned  # noqa: E402

TINY = replace(SMOKE_WHOLE, fresh=12, talk=4)
NONE = Material(train=(), dev=())


def test_the_encoder_sees_what_the_shipped_one_sees() -> None:
    embedder = OnnxEmbedder()
    pieces = Pieces().read(list(of_split(Split.DEV, 4, 0, SeenTurns())))
    encoder = Encoder().eval()
    for one in pieces:
        there = embedder.token_states(one.shown.layout.text).states.reshape(len(one.ids), 3, 384)
        mask = torch.ones(1, len(one.ids), dtype=torch.bool)
        with torch.no_grad():
            here = encoder(torch.from_numpy(one.ids)[None], mask)[0].permute(1, 0, 2).numpy()
        norms = np.linalg.norm(there, axis=-1) * np.linalg.norm(here, axis=-1)
        assert ((there * here).sum(axis=-1) / norms).min() > 0.99


def test_layers_that_learned_nothing_are_the_constants_they_began_as() -> None:
    found = constants(checked_bytes(SHIPPED.model, SHIPPED.model_sha256))
    for name, array in Encoder().constants().items():
        np.testing.assert_allclose(array, found[name], rtol=1e-5, atol=1e-7, err_msg=name)


def test_every_sample_is_in_one_batch_of_its_role() -> None:
    pieces = Pieces().read(list(of_split(Split.DEV, 40, 0, SeenTurns())))
    batches = drawn(pieces, Random(0), 300)
    assert sorted(id(one) for some in batches for one in some) == sorted(map(id, pieces))
    assert all(len({one.shown.sample.role for one in some}) == 1 for some in batches)


def test_a_course_trains_layers_and_heads_and_leaves_what_is_below(tmp_path: Path) -> None:
    encoder, model = tuned(TINY, Place(folder=tmp_path, held=NONE))
    begun = Encoder(tuned=opened(HEADS).tuned)
    assert torch.equal(encoder.layers[0].up.weight, begun.layers[0].up.weight)
    assert not torch.equal(encoder.layers[1].up.weight, begun.layers[1].up.weight)
    layers = encoder.constants()
    made = trained(model, taught(), tuned=layers)
    read = opened(save(model, made.about, tmp_path / "heads.npz", layers))
    assert read.tuned.keys() == layers.keys()
    assert all(np.array_equal(read.tuned[name], layers[name]) for name in layers)


def test_a_course_of_layers_reads_what_people_wrote_where_it_says_so(tmp_path: Path) -> None:
    real = tuple(of_split(Split.TRAIN, 6, "people", SeenTurns()))
    read = Place(folder=tmp_path / "read", held=NONE, real=real)
    plain = Place(folder=tmp_path / "plain", held=NONE)
    course = replace(TINY, real=3)
    met, without = tuned(course, read)[1], tuned(course, plain)[1]
    assert not torch.equal(met.state_dict()["tag.bias"], without.state_dict()["tag.bias"])
    assert {one.id for one in real_of(course, 0, real)} <= {one.id for one in real}
    assert len(real_of(course, 0, real)) == 3
    assert real_of(course, 1, ()) == []


def test_no_share_of_the_way_is_where_it_began(tmp_path: Path) -> None:
    still = replace(TINY, tuning=Tuning(share=0.0))
    encoder, _ = tuned(still, Place(folder=tmp_path, held=NONE))
    begun = Encoder(tuned=opened(HEADS).tuned)
    assert torch.equal(encoder.layers[3].up.weight, begun.layers[3].up.weight)


def test_a_course_of_layers_that_was_stopped_ends_where_it_would_have(tmp_path: Path) -> None:
    small = Heads(Shape(relations=len(taught().relations), width=16, blocks=1))
    start = save(small, trained(small, taught()).about, tmp_path / "start.npz")
    course = replace(TINY, rounds=2)
    once = tuned(course, Place(folder=tmp_path / "once", held=NONE, start=start))
    parts = Place(folder=tmp_path / "parts", held=NONE, start=start)
    tuned(replace(course, rounds=1), parts)
    seen = []
    again = tuned(course, parts, lambda step, told: seen.append((step, *told)))
    assert seen == [(2, "loss")]
    for one, other in zip(once, again, strict=True):
        found = other.state_dict()
        assert all(torch.equal(weight, found[name]) for name, weight in one.state_dict().items())
    assert once[1].shape == small.shape


def test_what_ships_is_trained_with_the_layers_and_sees_every_sample_once() -> None:
    assert (WHOLE.tuning, WHOLE.passes) == (Tuning(), 1)
