"""Constants of the shipped model, read and replaced without a library for ONNX."""

from __future__ import annotations

import numpy as np
import pytest

from mags.errors import InvalidInput
from mags.models.embed.onnx import SHIPPED, OnnxEmbedder, constants, with_constants

GAIN = "encoder.layer.5.output.LayerNorm/gain"
MODEL = SHIPPED.model.read_bytes()


def test_the_constants_have_the_names_shapes_and_types_of_the_graph() -> None:
    found = constants(MODEL)
    assert len(found) == 133
    assert found["words"].shape == (30522, 384)
    assert found["words"].dtype == np.int8
    assert found[GAIN].shape == (384,)
    assert found["middle"].tolist() == [128]


def test_a_model_with_its_own_constants_is_the_same_bytes() -> None:
    assert with_constants(MODEL, constants(MODEL)) == MODEL


def test_only_what_is_replaced_is_another() -> None:
    gain = np.arange(384, dtype=np.float32)
    found = constants(with_constants(MODEL, {GAIN: gain}))
    assert found[GAIN].tolist() == gain.tolist()
    before = constants(MODEL)
    assert all(np.array_equal(before[name], found[name]) for name in before if name != GAIN)


@pytest.mark.parametrize("name", [GAIN, "no such one"])
def test_a_constant_of_another_size_or_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=name):
        with_constants(MODEL, {name: np.zeros(3, dtype=np.float32)})


def test_an_embedder_reads_the_constants_it_is_given() -> None:
    plain = OnnxEmbedder()
    twice = OnnxEmbedder(constants={GAIN: 2 * constants(MODEL)[GAIN]})
    text = "Mira lives in Oslo."
    first, second = (one.token_states(text).states.reshape(-1, 3, 384) for one in (plain, twice))
    np.testing.assert_array_equal(first[:, :2], second[:, :2])
    shift = constants(MODEL)[GAIN.replace("gain", "shift")]
    np.testing.assert_allclose(second[:, 2] - shift, 2 * (first[:, 2] - shift), atol=1e-4)
