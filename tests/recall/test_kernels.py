"""Laws of the kernels, against exact answers on small random graphs."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from mags.graph.delta import Draft
from mags.graph.graph import Graph
from mags.graph.records import ArcKind, NodeKind
from mags.recall import spread
from mags.recall.hull import gains
from mags.recall.kernels import foremost
from mags.recall.recall import clusters
from mags.recall.settings import RecallSettings

EPS = 1e-3


def random_graph(seed: int, n: int, scale: float = 1.0, only: int | None = None) -> Graph:
    """Notes joined by associations both ways; weights at tick 0, so that nothing decays.

    `only`: the one arc (by its number) that is multiplied by `scale`; all of them without.
    """
    rng = np.random.default_rng(seed)
    graph = Graph()
    draft = Draft(graph)
    for i in range(1, n + 1):
        draft.add_node(None, id=i, kind=NodeKind.NOTE)
    number = 0
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            if i != j and rng.random() < 0.3:
                w = float(rng.uniform(0.2, 0.7))
                w *= scale if only is None or only == number else 1.0
                draft.add_arc(i, j, ArcKind.ASSOCIATION, w=w)
                number += 1
    graph.apply(draft.delta("observe"))
    return graph


def weights_of(graph: Graph) -> np.ndarray:
    """Raw transition weights by row, shape (n, n)."""
    w = np.zeros((graph.size, graph.size))
    for arc in graph.arcs():
        w[graph.row_of[int(arc["src"])], graph.row_of[int(arc["dst"])]] = arc["w"]
    return w * spread.KIND_WEIGHTS[ArcKind.ASSOCIATION]


def exact_pagerank(graph: Graph, seed: int, alpha: float) -> np.ndarray:
    """Personalised PageRank by a dense solve; where nothing leaves, all mass stays."""
    w = weights_of(graph)
    total = w.sum(axis=1)
    moves = np.divide(w, total[:, None], out=np.zeros_like(w), where=total[:, None] > 0)
    stay = np.where(total > 0, alpha, 1.0)
    start = np.zeros(graph.size)
    start[seed] = 1.0
    arriving = np.linalg.solve(np.eye(graph.size) - (1 - alpha) * moves.T, start)
    return stay * arriving


@given(seed=st.integers(0, 10_000), n=st.integers(2, 14))
def test_push_is_within_eps_times_the_degrees_of_exact_pagerank(seed, n):
    graph = random_graph(seed, n)
    chosen = RecallSettings(eps=EPS, max_pushes=100_000)
    rows, p = spread.activation(graph, np.array([0]), np.ones(1), 0.0, chosen)
    found = np.zeros(graph.size)
    found[rows] = p
    exact = exact_pagerank(graph, 0, chosen.alpha)
    degrees = np.maximum(1, graph.adjacency.length[: graph.size])
    assert (found <= exact + 1e-9).all()
    assert np.abs(found - exact).sum() <= EPS * degrees.sum() + 1e-9


@given(seed=st.integers(0, 10_000), n=st.integers(2, 8))
def test_best_first_without_a_cap_is_the_exhaustive_depth_first_search(seed, n):
    graph = random_graph(seed, n)
    w = weights_of(graph) / np.sqrt(np.maximum(1, graph.adjacency.length[: graph.size]))[:, None]
    best: dict[int, float] = {}

    def walk(row: int, value: float, seen: frozenset[int]) -> None:
        best[row] = max(best.get(row, 0.0), value)
        for other in np.flatnonzero(w[row]):
            if int(other) not in seen:
                walk(int(other), value * w[row, other], seen | {int(other)})

    walk(0, 1.0, frozenset({0}))
    chosen = RecallSettings(threshold=0.0, max_nodes=10_000)
    found = spread.paths(graph, np.array([0]), 0.0, chosen).value
    assert found.keys() == best.keys()
    for row, value in best.items():
        assert found[row] == pytest.approx(value, rel=1e-6)


@given(seed=st.integers(0, 10_000), n=st.integers(3, 10), only=st.integers(0, 30))
def test_a_stronger_arc_never_lowers_a_path(seed, n, only):
    chosen = RecallSettings(threshold=0.0, max_nodes=10_000)
    before = spread.paths(random_graph(seed, n), np.array([0]), 0.0, chosen).value
    stronger = random_graph(seed, n, scale=1.4, only=only)
    after = spread.paths(stronger, np.array([0]), 0.0, chosen).value
    assert all(after[row] >= value - 1e-12 for row, value in before.items())


def joined(weights: dict[tuple[int, int], float]) -> Graph:
    """Notes by number, joined by associations of these weights."""
    graph = Graph()
    draft = Draft(graph)
    for i in range(1, 1 + max(max(ends) for ends in weights)):
        draft.add_node(None, id=i, kind=NodeKind.NOTE)
    for (a, b), w in weights.items():
        draft.add_arc(a, b, ArcKind.ASSOCIATION, w=w)
    graph.apply(draft.delta("observe"))
    return graph


@given(seed=st.integers(0, 10_000), n=st.integers(3, 10), threshold=st.floats(0.01, 0.5))
def test_a_threshold_leaves_out_what_is_below_it_and_nothing_else(seed, n, threshold):
    graph, start = random_graph(seed, n), np.array([0])
    every = spread.paths(graph, start, 0.0, RecallSettings(threshold=0.0, max_nodes=10_000)).value
    chosen = RecallSettings(threshold=threshold, max_nodes=10_000)
    found = spread.paths(graph, start, 0.0, chosen).value
    assert found == {row: value for row, value in every.items() if value >= threshold or row == 0}


def test_of_a_hub_whose_arcs_are_too_weak_one_above_1_is_walked_all_the_same():
    graph = joined({(1, i): 3.0 if i == 7 else 0.5 for i in range(2, 12)})
    start = np.array([graph.row_of[1]])
    found = spread.paths(graph, start, 0.0, RecallSettings(threshold=0.4)).value
    assert found == {graph.row_of[1]: 1.0, graph.row_of[7]: pytest.approx(1.5 / np.sqrt(10))}


@given(seed=st.integers(0, 100_000), n=st.integers(3, 40))
def test_a_hull_grows_by_a_point_by_as_much_as_scipy_says(seed, n):
    points = np.random.default_rng(seed).normal(size=(n + 1, 2))
    wider, held = ConvexHull(points).volume, ConvexHull(points[:n]).volume
    assert gains(points[:n], points[n:]) == pytest.approx([wider - held], rel=1e-9, abs=1e-12)


def test_a_hub_receives_and_never_passes_on():
    graph = joined({**{(1, i): 0.5 for i in range(2, 6)}, (6, 1): 0.5})
    start = np.array([graph.row_of[6]])
    open_, _ = spread.activation(graph, start, np.ones(1), 0.0, RecallSettings())
    cut, _ = spread.activation(graph, start, np.ones(1), 0.0, RecallSettings(hub_degree=3))
    ids = graph.nodes["id"]
    assert sorted(ids[open_]) == [1, 2, 3, 4, 5, 6]
    assert sorted(ids[cut]) == [1, 6]


def test_clusters_are_the_strongly_connected_hits():
    graph = Graph()
    draft = Draft(graph)
    for i in range(1, 7):
        draft.add_node(None, id=i, kind=NodeKind.NOTE)
    for tail, head, w in ((1, 2, 0.5), (2, 3, 0.5), (3, 1, 0.5), (4, 5, 0.5), (5, 6, 0.9)):
        draft.add_arc(tail, head, ArcKind.ASSOCIATION, w=w)
    draft.add_arc(6, 5, ArcKind.ASSOCIATION, w=0.1)
    graph.apply(draft.delta("observe"))
    assert clusters(graph, [1, 2, 3, 4, 5, 6]) == ((1, 2, 3),)
    assert clusters(graph, [1, 2, 4]) == ()


@given(scores=st.lists(st.integers(-4, 4), max_size=30), k=st.integers(0, 40))
def test_the_foremost_are_the_first_of_a_stable_order(scores, k):
    values = np.array(scores, np.float32)
    order = np.argsort(-values, kind="stable")[:k]
    assert foremost(values, k).tolist() == order.tolist()


@given(ties=st.sets(st.tuples(st.integers(1, 8), st.integers(1, 8)), min_size=1))
def test_clusters_are_those_that_networkx_finds(ties):
    arcs = [(a, b) for a, b in sorted(ties) if a != b]
    graph = joined({**dict.fromkeys(arcs, 0.5), (1, 9): 0.5})
    found = nx.strongly_connected_components(nx.DiGraph(arcs))
    expected = sorted(tuple(sorted(one)) for one in found if len(one) > 1)
    assert clusters(graph, range(1, 10)) == tuple(expected)
