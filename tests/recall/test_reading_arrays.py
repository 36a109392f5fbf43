"""Kernels that read many rows at once give what NumPy gives; reused paper is clean."""

import numpy as np
import pytest

from mags.graph.delta import Draft
from mags.graph.graph import Graph
from mags.graph.records import ArcKind, NodeKind
from mags.index.search import Lexicon, VectorIndex
from mags.recall import spread
from mags.recall.kernels import best_in_blocks, sessions
from mags.recall.settings import RecallSettings


def filled(n: int = 40, dimension: int = 24) -> VectorIndex:
    rng = np.random.default_rng(0)
    index = VectorIndex(dimension)
    vectors = rng.standard_normal((n, dimension)) * rng.choice([1e-7, 1e-3, 1.0], (n, 1))
    index.put(np.arange(n), vectors.astype(np.float16))
    return index


def star(leaves: int) -> Graph:
    graph = Graph()
    draft = Draft(graph)
    for i in range(1, leaves + 2):
        draft.add_node(None, id=i, kind=NodeKind.NOTE)
    for i in range(2, leaves + 2):
        draft.add_arc(1, i, ArcKind.SUBJECT)
    graph.apply(draft.delta("observe"))
    return graph


def test_products_are_those_of_the_half_precision_matrix():
    index, rows = filled(), np.array([3, -1, 39, 99, 0])
    queries = np.random.default_rng(1).standard_normal((2, 24)).astype(np.float32)
    expected = index.get(rows) @ queries.T
    assert index.products(rows, queries) == pytest.approx(expected, rel=1e-5, abs=1e-9)


def test_a_window_is_the_cosine_with_the_mean_of_what_stands_together():
    index, rows = filled(), np.arange(1, 39)
    beside = np.stack([rows - 1, np.where(rows % 5 == 0, -1, rows + 1)])
    query = np.random.default_rng(2).standard_normal(24).astype(np.float32)
    total = index.get(rows) + index.get(beside[0]) + index.get(beside[1])
    expected = total @ query / np.linalg.norm(total, axis=1)
    found = index.windows(rows, beside, query)
    assert found[0] == pytest.approx(expected, rel=1e-4)
    assert found[1] == pytest.approx(index.get(beside[0]) @ query, rel=1e-4, abs=1e-9)


def test_each_block_gives_its_own_best_words():
    rng = np.random.default_rng(3)
    scores = rng.random(500).astype(np.float32)
    kind = rng.choice([1, 2, 3], 500).astype(np.uint8)
    alive = rng.random(500) < 0.9
    found = best_in_blocks(rng.permutation(500), scores, alive, kind, (True, True, True), 20)
    for wanted in (1, 3):
        rows = np.flatnonzero(alive & (kind == wanted))
        best = rows[np.argsort(-scores[rows])[:20]]
        assert set(found[kind[found] == wanted]) == set(best)
    assert len(found) == 40


def test_a_session_counts_by_the_mean_of_its_best_three():
    keys = np.array([7, 0, 7, 9, 7, 0, 7, 9], np.uint64)
    fused = np.array([1, 5, 2, 4, 3, -1, -9, 2], np.float32)
    out = np.zeros(8, np.float32)
    sessions(keys, np.argsort(keys), fused, out)
    assert out.tolist() == [2, 5, 2, 3, 2, -1, 2, 3]


def test_a_match_on_used_paper_is_as_on_fresh():
    lexicon = Lexicon(hash)
    lexicon.add(range(3), ["red fox", "red hare", "blue fox"])
    fresh = lexicon.match(["fox"]).scores.copy()
    lexicon.reuse(lexicon.match(["red", "hare"]))
    again = lexicon.match(["fox"])
    assert again.scores.tolist() == fresh.tolist()
    assert sorted(again.rows.tolist()) == [0, 2]
    assert again.bits.tolist() == [1, 0, 1]


def test_a_spread_grows_with_what_it_meets():
    graph, loose = star(3_000), RecallSettings(hub_degree=5_000, eps=1e-9, threshold=0.0)
    rows, p = spread.activation(graph, np.array([0]), np.ones(1), 0.0, loose)
    assert len(rows) == loose.max_pushes
    assert p[0] > p[1] > 0
    wide = RecallSettings(hub_degree=5_000, threshold=0.0, max_nodes=4_000)
    assert len(spread.paths(graph, np.array([0]), 0.0, wide).value) == 3_001


def test_paths_to_wanted_rows_are_those_of_all_paths():
    graph = star(50)
    every = spread.paths(graph, np.array([3]), 0.0, RecallSettings(threshold=0.0))
    some = spread.paths(graph, np.array([3]), 0.0, RecallSettings(threshold=0.0), np.array([9]))
    assert set(some.value) == {3, 0, 9}
    assert all(some.before[row] == every.before[row] for row in some.value)
    assert all(some.slot[row] == every.slot[row] for row in some.value)
