import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mags.models.policy.heads.choices import ACTS, Fact, Vocabulary
from mags.models.policy.heads.decoding import (
    FOLLOWS,
    best_act,
    best_chain,
    best_path,
    best_span,
    clear_of,
    runs,
    without_echoes,
)
from mags.ports.policy import Act

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


def test_what_holds_many_values_is_told_anew_where_another_would_be_updated():
    acts = np.log(np.array([0.3, 0.6, 0.1], dtype=np.float32))
    relations = np.log(np.array([0.7, 0.3], dtype=np.float32))
    act, relation, sure = best_act(acts, relations, [True, False])
    assert (ACTS[act], relation) == (Act.ADD, 0)
    assert np.isclose(sure, np.log(0.3 * 0.7))
    act, relation, sure = best_act(acts, relations, [False, False])
    assert (ACTS[act], relation) == (Act.UPDATE, 0)


@given(
    st.lists(st.floats(-9, 0), min_size=3, max_size=3),
    st.lists(st.floats(-9, 0), min_size=4, max_size=4),
)
def test_no_pair_that_may_be_is_likelier_than_the_best(acts, relations):
    many = [True, False, True, False]
    act, relation, sure = best_act(np.array(acts), np.array(relations), many)
    assert not (ACTS[act] is Act.UPDATE and many[relation])
    assert sure == max(
        told + named
        for one, told in zip(ACTS, acts, strict=False)
        for named, is_many in zip(relations, many, strict=True)
        if not (one is Act.UPDATE and is_many)
    )


def test_a_change_says_already_that_the_old_value_is_no_more():
    known = Vocabulary(relations=("boss", "likes"), one=frozenset({"boss"}))

    def fact(act: Act, place: int, relation: str, confidence: float = 0.9) -> Fact:
        return Fact(act=act, first=place, last=place, relation=relation, confidence=confidence)

    old, new = fact(Act.RETRACT, 3, "boss"), fact(Act.UPDATE, 5, "boss", 0.4)
    assert without_echoes([old, new], known) == (new,)
    unsure = fact(Act.RETRACT, 7, "boss", 0.2)
    assert without_echoes([old, unsure], known) == (old,)
    tastes = [fact(Act.RETRACT, 3, "likes"), fact(Act.ADD, 5, "likes")]
    assert without_echoes(tastes, known) == tuple(tastes)
    assert without_echoes([old], known) == (old,)
