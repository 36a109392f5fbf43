import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mags.models.policy.heads.choices import Vocabulary
from mags.models.policy.heads.decoding import (
    FOLLOWS,
    best_chain,
    best_path,
    best_span,
    clear_of,
    runs,
)

SCORES = st.lists(st.lists(st.floats(-9, 0), min_size=5, max_size=5), min_size=1, max_size=5)


@given(SCORES)
def test_the_best_path_is_the_best_of_all_that_go_on_only_what_has_begun(scores):
    path, total = best_path(scores)
    everything = [([], 0.0)]
    for row in scores:
        everything = [
            ([*so_far, tag], value + row[tag])
            for so_far, value in everything
            for tag in range(5)
            if (so_far[-1] in FOLLOWS[tag] if so_far else tag in (0, 1, 3))
        ]
    assert abs(total - max(value for _, value in everything)) < 1e-9
    assert path in [so_far for so_far, _ in everything]


def test_nothing_has_an_empty_path():
    assert best_path([]) == ([], 0.0)


def test_runs_are_the_tagged_stretches():
    assert runs([0, 1, 2, 1, 0, 3, 4]) == [(1, 2, False), (3, 3, False), (5, 6, True)]


def test_a_name_ends_where_it_begins_or_after():
    points = np.log(np.array([[0.1, 0.1, 0.2, 0.6], [0.1, 0.1, 0.7, 0.1]], dtype=np.float32))
    assert best_span(points)[0] == (2, 2)


def test_somebody_present_is_one_row():
    points = np.log(np.array([[0.8, 0.1, 0.1], [0.3, 0.1, 0.6]], dtype=np.float32))
    (first, last), total = best_span(points)
    assert (first, last) == (0, 0)
    assert np.isclose(total, np.log(0.24))


def test_a_chain_asks_only_of_what_the_relation_before_answers():
    known = Vocabulary(
        relations=("diet", "son"),
        answers={"diet": "thing", "^diet": "person", "son": "person", "^son": "person"},
    )
    hops = np.log(np.array([[0.6, 0.3, 0.1], [0.6, 0.1, 0.3], [0.1, 0.1, 0.8]], dtype=np.float32))
    chain, sure = best_chain(hops, known)
    assert chain == ("diet",)
    assert np.isclose(sure, np.log(0.6 * 0.3))
    hops[0] = np.log([0.2, 0.7, 0.1])
    assert best_chain(hops, known)[0] == ("son", "diet")


def test_nothing_is_its_own_subject():
    points = np.log(np.full((3, 4), 0.25, dtype=np.float32))
    points[:2, 2] = 0.0
    assert best_span(points)[0] == (2, 2)
    assert best_span(clear_of(points, 2, 3))[0] == (0, 0)
