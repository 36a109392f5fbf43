"""First edges, against numbers computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.engram.attention import AttentionWeights, candidates, first_edges, scores
from mags.engram.settings import AttentionSettings, EngramSettings
from mags.errors import ConfigurationError
from mags.graph.records import ArcKind
from tests.engram.desk import Desk, add

SETTINGS = AttentionSettings()


def units(*rows):
    out = np.array(rows, np.float32)
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def test_untrained_attention_is_scaled_cosine():
    new, others = np.array([1, 0], np.float32), units([1, 0], [0, 1])
    given = first_edges(new, others, settings=SETTINGS)
    alpha = np.exp(8.0) / (np.exp(8.0) + 1)
    floor = 1 / 32
    assert given[0] == pytest.approx(0.25 + 0.65 * (alpha - floor) / (1 - floor), abs=1e-6)
    assert given[1] == 0


def trained(new, other, cosine, bias, a):
    arrays = {"new": new, "other": other, "cosine": cosine, "bias": bias, "a": a}
    return AttentionWeights(**{name: np.array(v, np.float32) for name, v in arrays.items()})


def test_trained_attention_is_that_of_a_graph_attention_network():
    weights = trained([[1, 0], [0, 1]], [[0, 2], [1, 0]], [0, 3], [0.5, 0], [1, 2])
    new, others = np.array([1, 0], np.float32), np.array([[0, 1], [0, -1], [1, 0]], np.float32)
    # W [new || other || cosine] + bias: (3.5, 0), (-0.5, 0), (1.5, 4); below 0 times 0.2; a . it.
    given = scores(new, others, settings=SETTINGS, weights=weights)
    assert given.tolist() == pytest.approx([3.5, -0.1, 9.5])


def test_weights_of_a_wrong_shape_are_refused():
    with pytest.raises(ConfigurationError, match="train the linker again"):
        trained(np.zeros((4, 8)), np.zeros((4, 8)), np.zeros(4), np.zeros(4), np.zeros(8))


def test_weights_that_are_no_numbers_are_refused():
    with pytest.raises(ConfigurationError, match="train the linker again"):
        trained(np.zeros((2, 8)), np.zeros((2, 8)), [0, np.nan], np.zeros(2), np.zeros(2))


def test_without_attention_only_the_nearest_is_joined():
    given = first_edges(
        np.array([1, 0], np.float32),
        units([0.9, 0.1], [1, 0], [0, 1]),
        settings=AttentionSettings(on=False),
    )
    assert given.tolist() == pytest.approx([0.0, 0.9, 0.0])


def test_candidates_are_entities_then_recent_episodes_then_the_nearest():
    near = list(range(100, 140))
    chosen = candidates(near, range(6), range(10, 16), settings=SETTINGS)
    assert chosen == [2, 3, 4, 5, 10, 11, 12, 13, *range(100, 108)]


@given(st.integers(1, 16), st.integers(0, 2**32 - 1))
def test_weights_lie_between_the_weakest_and_the_strongest(n, seed):
    rng = np.random.default_rng(seed)
    vectors = units(*rng.standard_normal((n + 1, 8)))
    given = first_edges(vectors[0], vectors[1:], settings=SETTINGS)
    joined = given[given > 0]
    assert len(joined) >= 1
    assert ((joined >= 0.25) & (joined <= 0.9)).all()


@given(st.integers(1, 16), st.floats(0, 1e3), st.integers(0, 2**32 - 1))
def test_trained_weights_lie_between_the_weakest_and_the_strongest(n, scale, seed):
    rng = np.random.default_rng(seed)
    vectors = units(*rng.standard_normal((n + 1, 8)))
    shapes = ((4, 8), (4, 8), 4, 4, 4)
    weights = trained(*(scale * rng.standard_normal(shape) for shape in shapes))
    given = first_edges(vectors[0], vectors[1:], settings=SETTINGS, weights=weights)
    joined = given[given > 0]
    assert len(joined) >= 1
    assert ((joined >= 0.25) & (joined <= np.float32(0.9))).all()


def test_a_new_node_is_joined_both_ways():
    desk = Desk()
    first = desk.say("Ana likes green tea").episode
    second = desk.say("Ana likes black tea").episode
    there = desk.state.graph.find_arc(second, first, ArcKind.ASSOCIATION)
    back = desk.state.graph.find_arc(first, second, ArcKind.ASSOCIATION)
    assert there is not None
    assert there["w"][0] == back["w"][0] == np.float32(0.9)
    assert there["t0"][0] == 2


def test_the_switch_changes_how_many_edges_are_born():
    counts = []
    for on in (True, False):
        desk = Desk(EngramSettings(attention=AttentionSettings(on=on)))
        for word in ("tea", "rum", "milk", "wine"):
            desk.say(f"Ana likes {word} today", add("Ana", "likes", word))
        counts.append(len(desk.state.graph.arcs(ArcKind.ASSOCIATION)))
    assert counts[0] > counts[1] > 0
