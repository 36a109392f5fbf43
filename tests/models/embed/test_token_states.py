"""The states of single tokens, for heads trained upon the encoder that is loaded anyway."""

from __future__ import annotations

import numpy as np
import pytest

from mags.models.embed.onnx import OnnxEmbedder

TEXT = "Ana moved to Oslo."


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


def test_the_mean_of_the_states_points_where_the_vector_does(embedder: OnnxEmbedder) -> None:
    last = embedder.token_states(TEXT).states[:, -embedder.dimension :]
    mean = last.mean(axis=0)
    assert mean / np.linalg.norm(mean) == pytest.approx(embedder.embed([TEXT])[0], abs=1e-5)


def test_spans_are_the_characters_of_each_token(embedder: OnnxEmbedder) -> None:
    seen = embedder.token_states(TEXT)
    assert [TEXT[a:b] for a, b in seen.spans] == ["", "Ana", "moved", "to", "Oslo", ".", ""]
    assert seen.states.shape == (7, 3 * 384)
    assert seen.whole


def test_a_text_longer_than_the_window_says_that_its_end_is_missing(
    embedder: OnnxEmbedder,
) -> None:
    seen = embedder.token_states("word " * 400)
    assert not seen.whole
    assert len(seen.states) == 256
