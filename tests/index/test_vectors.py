"""Vectors searched by several queries at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.index.kernels import greatest
from mags.index.search import Groups, VectorIndex


def unit(rng, n):
    vectors = rng.normal(size=(n, 32)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def index():
    made = VectorIndex(32)
    made.put(np.arange(600), unit(np.random.default_rng(0), 600))
    made.drop(np.array([3, 4, 5]))
    return made


def third(rows):
    """Rows in two groups; every third lies in none."""
    return rows % 3 - 1


def test_several_queries_find_the_nearest_of_each_group(index):
    queries = unit(np.random.default_rng(1), 3)
    exact = index.get(np.arange(600)) @ queries.T
    found = index.nearest(queries, 10, Groups(third, 2))
    for q in range(3):
        for group in range(2):
            rows = np.array([r for r in range(600) if r % 3 - 1 == group and r not in (3, 4, 5)])
            best = rows[np.argsort(-exact[rows, q])[:10]]
            assert sorted(found[q][group].tolist()) == sorted(best.tolist())


def test_one_query_comes_back_best_first(index):
    query = unit(np.random.default_rng(2), 1)[0]
    (rows,) = index.search_groups(query, 20, lambda rows: np.zeros(len(rows), np.int64), 1)
    cosines = index.products(rows, query[None])[:, 0].tolist()
    assert cosines == sorted(cosines, reverse=True)


def test_a_group_smaller_than_k_comes_back_whole(index):
    few = [7, 8, 9, 4]  # the last was dropped
    queries = unit(np.random.default_rng(3), 2)
    found = index.nearest(queries, 10, Groups(lambda rows: np.where(np.isin(rows, few), 0, -1), 1))
    assert [sorted(rows.tolist()) for (rows,) in found] == [[7, 8, 9], [7, 8, 9]]


def test_no_query_finds_nothing(index):
    assert index.nearest(np.zeros((0, 32), np.float32), 10, Groups(third, 2)) == []


@given(st.lists(st.integers(-6_000_000, 6_000_000), min_size=1, max_size=60), st.data())
def test_the_greatest_of_some_rows_are_those_that_sorting_has_first(values, data):
    scores = np.array([values, values[::-1]], np.int32)
    places = data.draw(st.sets(st.integers(0, len(values) - 1), min_size=1))
    rows = np.array(sorted(places))
    out = np.empty((2, data.draw(st.integers(1, len(rows)))), np.int64)
    greatest(scores, rows, out)
    for query in range(2):
        assert len(set(out[query])) == out.shape[1]
        assert set(out[query]) <= set(rows)
        best = np.sort(scores[query, rows])[-out.shape[1] :]
        assert np.array_equal(np.sort(scores[query, out[query]]), best)


def test_groups_look_at_all_rows_once(index):
    asked = []

    def of(rows):
        asked.append(len(rows))
        return third(rows)

    groups = Groups(of, 2)
    queries = unit(np.random.default_rng(5), 1)
    first = index.nearest(queries, 10, groups)
    again = index.nearest(queries, 10, groups)
    assert asked == [len(np.flatnonzero(index.present[: index.size]))]
    assert [sorted(rows) for rows in first[0]] == [sorted(rows) for rows in again[0]]
