"""A State that loses nodes and gets them back; vectors near and far."""

import numpy as np

from mags.graph.delta import Draft
from mags.index import search as module
from mags.index.search import VectorIndex
from tests.recall.small import told


def remove(small, node):
    draft = Draft(small.state.graph)
    draft.remove_node(node)
    return small.apply(draft)


def test_a_node_that_comes_back_is_found_again():
    small = told()
    cat = small.ask("What is the cat called?")[0].id
    undo = remove(small, cat).inverse()
    assert cat not in [h.id for h in small.ask("What is the cat called?", k=20)]
    small.state.apply(undo)
    assert small.ask("What is the cat called?")[0].id == cat


def test_names_go_and_come_back_with_their_entity():
    small = told()
    oslo = small.state.names.find("Oslo")[0]
    undo = remove(small, oslo).inverse()
    assert small.state.names.find("Oslo") == []
    small.state.apply(undo)
    assert small.state.names.find("the Oslo") == [oslo]
    assert small.state.names.scan("She left Oslo's harbour") == [oslo]


def test_speakers_are_counted_as_episodes_come_and_go():
    small = told()
    ana, ben = small.state.names.find("Ana")[0], small.state.names.find("Ben")[0]
    assert (small.state.speakers[ana], small.state.speakers[ben]) == (4, 2)
    small.say("One more thing", speaker="Ben", session="s9")
    assert small.state.speakers[ben] == 3
    remove(small, small.ask("What is the cat called?")[0].id)
    assert small.state.speakers[ana] == 3


def test_what_is_made_of_a_state_is_kept_until_it_changes():
    small, made = told(), []

    def make():
        made.append(small.state.seq)
        return len(made)

    assert [small.state.kept("a", make) for _ in range(3)] == [1, 1, 1]
    assert small.state.kept("b", make) == 2
    small.say("One more thing", speaker="Ben", session="s9")
    assert small.state.kept("a", make) == 3


def unit(rng, n, d=64):
    made = rng.normal(size=(n, d)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def everywhere(rows):
    return np.zeros(len(rows), np.int8)


def best(matrix, query, k):
    return set(np.argsort(-(matrix.astype(np.float16).astype(np.float32) @ query))[:k].tolist())


def test_the_scan_finds_exactly_the_nearest():
    rng = np.random.default_rng(3)
    matrix, index = unit(rng, 2_000, 384), VectorIndex(384)
    index.put(np.arange(2_000), matrix)
    for query in unit(rng, 20, 384):
        (rows,) = index.search_groups(query, 10, everywhere, 1)
        cosines = index.products(rows, query[None])[:, 0]
        assert set(rows.tolist()) == best(matrix, query, 10)
        assert (np.diff(cosines) <= 1e-6).all()


def test_the_graph_finds_nearly_all_of_the_nearest(monkeypatch):
    monkeypatch.setattr(module, "SCAN_LIMIT", 1_000)
    rng = np.random.default_rng(4)
    matrix, index = unit(rng, 3_000), VectorIndex(64)
    index.put(np.arange(3_000), matrix)
    index.adopt(index.picture().build())
    queries = unit(rng, 50)
    held = [
        len(set(index.search_groups(q, 10, everywhere, 1)[0].tolist()) & best(matrix, q, 10))
        for q in queries
    ]
    assert sum(held) >= 0.9 * 10 * len(queries)


def test_groups_propose_apart():
    rng = np.random.default_rng(5)
    matrix, index = unit(rng, 300), VectorIndex(64)
    index.put(np.arange(300), matrix)
    query = unit(rng, 1)[0]
    even, odd = index.search_groups(query, 5, lambda rows: rows % 2, 2)
    assert (even % 2 == 0).all()
    assert (odd % 2 == 1).all()
    assert set(even.tolist()) == {i for i in best(matrix, query, 300) if i % 2 == 0} & {
        2 * j for j in best(matrix[::2], query, 5)
    }
