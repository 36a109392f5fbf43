"""Cores, triangles and communities, beside networkx and by hand."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from mags.graph.algorithms import (
    OUTSIDE,
    common_neighbours,
    communities,
    core_numbers,
    dense_cores,
    innermost_cores,
    open_pairs,
)

Csr = tuple[NDArray[np.int32], NDArray[np.int32]]


def csr(n: int, edges: list[tuple[int, int]]) -> Csr:
    both = np.array([*edges, *[(b, a) for a, b in edges]], np.int32).reshape(-1, 2)
    matrix = csr_array((np.ones(len(both)), (both[:, 0], both[:, 1])), (n, n)).tocsr()
    matrix.sort_indices()
    return matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)


def clique(*nodes: int) -> list[tuple[int, int]]:
    return [(a, b) for a in nodes for b in nodes if a < b]


@st.composite
def edge_lists(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    n = draw(st.integers(1, 14))
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    if not pairs:
        return n, []
    return n, draw(st.lists(st.sampled_from(pairs), unique=True))


@given(edge_lists())
def test_core_numbers_are_those_of_networkx(case):
    n, edges = case
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(n))
    expected = nx.core_number(graph)
    assert core_numbers(*csr(n, edges)).tolist() == [expected[i] for i in range(n)]


def test_an_empty_graph_has_no_cores():
    assert len(core_numbers(np.zeros(1, np.int32), np.zeros(0, np.int32))) == 0


def test_a_triangle_with_a_tail_is_a_2_core_and_a_1_core():
    assert core_numbers(*csr(4, [(0, 1), (1, 2), (0, 2), (2, 3)])).tolist() == [2, 2, 2, 1]


def test_two_cliques_joined_by_an_edge_are_two_cores_when_one_is_denser():
    edges = clique(0, 1, 2, 3) + clique(4, 5, 6, 7, 8) + [(3, 4)]
    graph = csr(10, edges)
    core = core_numbers(*graph)
    assert core.tolist() == [3, 3, 3, 3, 4, 4, 4, 4, 4, 0]
    assert innermost_cores(*graph, core, 3).tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1, OUTSIDE]
    assert innermost_cores(*graph, core, 4).tolist() == [OUTSIDE] * 4 + [0] * 5 + [OUTSIDE]


def test_the_rim_of_a_denser_core_is_no_core_of_its_own():
    # 5 and 6 have core number 3 only because they hang on the clique of five.
    edges = [*clique(0, 1, 2, 3, 4), (5, 0), (5, 1), (5, 6), (6, 2), (6, 3)]
    graph = csr(7, edges)
    core = core_numbers(*graph)
    assert core.tolist() == [4, 4, 4, 4, 4, 3, 3]
    assert innermost_cores(*graph, core, 3).tolist() == [0] * 5 + [OUTSIDE] * 2


def test_a_core_is_dense_if_its_members_are_next_to_enough_of_it():
    label = np.zeros(5, np.int32)
    core = np.full(5, 2, np.int32)
    assert dense_cores(label, core, 0.5).tolist() == [0] * 5
    assert dense_cores(label, core, 0.51).tolist() == [OUTSIDE] * 5


@given(edge_lists())
def test_common_neighbours_are_those_of_networkx(case):
    n, edges = case
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(n))
    a, b = (half.ravel().astype(np.int32) for half in np.indices((n, n)))
    expected = [len(set(graph[x]) & set(graph[y])) for x, y in zip(a, b, strict=True)]
    assert common_neighbours(*csr(n, edges), a, b).tolist() == expected


@given(edge_lists(), st.integers(1, 3), st.integers(3, 13))
def test_open_pairs_are_all_unlinked_pairs_with_enough_common_neighbours(case, least, hub):
    n, edges = case
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(n))
    small = {v for v in graph if graph.degree[v] <= hub}
    expected = []
    for a, b in clique(*range(n)):
        common = set(graph[a]) & set(graph[b]) & small
        if {a, b} <= small and len(common) >= least and not graph.has_edge(a, b):
            expected.append((a, b, len(common)))
    links = csr(n, edges)
    found = open_pairs(links, links, least=least, hub=hub, most=10_000)
    assert sorted(map(tuple, found.tolist())) == expected


def test_a_link_of_either_direction_closes_a_pair():
    graph = csr(5, [(a, b) for a in (0, 1) for b in (2, 3, 4)])
    nothing = np.zeros(6, np.int32), np.zeros(0, np.int32)
    assert open_pairs(graph, nothing, least=3, hub=9, most=9).tolist() == [[0, 1, 3]]
    forth = np.array([0, 1, 1, 1, 1, 1], np.int32), np.array([1], np.int32)
    back = np.array([0, 0, 1, 1, 1, 1], np.int32), np.array([0], np.int32)
    assert len(open_pairs(graph, forth, least=3, hub=9, most=9)) == 0
    assert len(open_pairs(graph, back, least=3, hub=9, most=9)) == 0


def test_the_best_supported_open_pairs_come_first_to_the_limit():
    wide = [(a, b) for a in (0, 1) for b in (2, 3, 4, 5)]
    narrow = [(a, b) for a in (6, 7) for b in (8, 9, 10)]
    graph = csr(11, wide + narrow)
    nothing = np.zeros(12, np.int32), np.zeros(0, np.int32)
    assert open_pairs(graph, nothing, least=3, hub=9, most=1).tolist() == [[0, 1, 4]]
    two = open_pairs(graph, nothing, least=3, hub=9, most=2).tolist()
    assert two == [[0, 1, 4], [6, 7, 3]]


def two_cliques() -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    indptr, indices = csr(10, [*clique(0, 1, 2, 3, 4), *clique(5, 6, 7, 8), (4, 5)])
    return indptr, indices, np.ones(len(indices))


@pytest.mark.parametrize("seed", range(5))
def test_two_cliques_are_two_communities_the_larger_first(seed: int):
    label = communities(*two_cliques(), seed=seed)
    assert label.tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_a_graph_without_edges_is_communities_of_one():
    none = np.zeros(4, np.int32), np.zeros(0, np.int32), np.zeros(0)
    assert communities(*none).tolist() == [0, 1, 2]


def test_nodes_without_neighbours_do_not_sway_the_communities():
    rng = np.random.default_rng(0)
    edges = sorted(
        {(int(min(e)), int(max(e))) for e in rng.integers(0, 60, (200, 2)) if e[0] != e[1]}
    )
    indptr, indices = csr(60, edges)
    alone = communities(indptr, indices, np.ones(len(indices)))
    more = np.concatenate([indptr, np.full(5, indptr[-1])]).astype(np.int32)
    assert communities(more, indices, np.ones(len(indices)))[:60].tolist() == alone.tolist()
