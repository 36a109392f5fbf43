"""The encoder's layers, trained together with the heads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from rich.console import Console  # noqa: E402

from mags.models.embed.onnx import SHIPPED, OnnxEmbedder, checked_bytes  # noqa: E402
from mags.models.embed.onnx_constants import constants  # noqa: E402
from mags.models.policy.heads.weights import SHIPPED as HEADS  # noqa: E402
from mags.models.policy.heads.weights import opened  # noqa: E402
from mags.training.chains.schema import Split  # noqa: E402
from mags.training.chains.variety import Known  # noqa: E402
from mags.training.generate.samples import of_split  # noqa: E402
from mags.training.heads.encoder import Encoder  # noqa: E402
from mags.training.heads.export import save, trained  # noqa: E402
from mags.training.heads.labels import taught  # noqa: E402
from mags.training.heads.material import Material  # noqa: E402
from mags.training.heads.pieces import Pieces, drawn  # noqa: E402
from mags.training.heads.recipes import WHOLE  # noqa: E402
from mags.training.heads.whole import Tuning, tuned  # noqa: E402

TINY = replace(WHOLE, rounds=1, fresh=12, talk=4, by_hand=9, cool=0)
NONE = Material(train=(), dev=())


def test_the_encoder_sees_what_the_shipped_one_sees() -> None:
    embedder = OnnxEmbedder()
    pieces = Pieces().read(list(of_split(Split.DEV, 4, 0, Known())))
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
    pieces = Pieces().read(list(of_split(Split.DEV, 40, 0, Known())))
    batches = drawn(pieces, Random(0), 300)
    assert sorted(id(one) for some in batches for one in some) == sorted(map(id, pieces))
    assert all(len({one.shown.sample.role for one in some}) == 1 for some in batches)


def test_a_course_trains_layers_and_heads_and_leaves_what_is_below(tmp_path: Path) -> None:
    encoder, model = tuned(TINY, Tuning(), HEADS, NONE, Console(quiet=True))
    begun = Encoder(tuned=opened(HEADS).tuned)
    assert torch.equal(encoder.layers[0].up.weight, begun.layers[0].up.weight)
    assert not torch.equal(encoder.layers[1].up.weight, begun.layers[1].up.weight)
    layers = encoder.constants()
    made = trained(model, taught(), tuned=layers)
    read = opened(save(model, made.about, tmp_path / "heads.npz", layers))
    assert read.tuned.keys() == layers.keys()
    assert all(np.array_equal(read.tuned[name], layers[name]) for name in layers)


def test_no_share_of_the_way_is_where_it_began() -> None:
    encoder, _ = tuned(TINY, Tuning(share=0.0), HEADS, NONE, Console(quiet=True))
    begun = Encoder(tuned=opened(HEADS).tuned)
    assert torch.equal(encoder.layers[3].up.weight, begun.layers[3].up.weight)
