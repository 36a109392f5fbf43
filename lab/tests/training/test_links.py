"""Links of a memory as pairs, and what passes for none."""

import numpy as np
import pytest

from mags.errors import InvalidInput
from mags.graph.records import ArcKind
from mags_lab.training.links import Arcs, choices, held_out, links_of, nearest


def arcs_of(*rows):
    src, dst, kinds, uses = np.array(rows, np.int64).T
    return Arcs(ends=np.stack([src, dst]), kinds=kinds, uses=uses)


def chain(n=30):
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((n, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [(i, i + 1, ArcKind.NEXT, 0) for i in range(n - 1)]
    return vectors, rows


def test_what_was_only_born_an_association_teaches_nothing():
    vectors, rows = chain()
    rows += [(0, 9, ArcKind.ASSOCIATION, 0), (0, 8, ArcKind.ASSOCIATION, 2)]
    links = links_of(vectors, arcs_of(*rows), np.arange(30))
    assert links.known == {(i + 1, i) for i in range(29)} | {(8, 0)}


def test_the_later_born_of_a_pair_comes_first():
    vectors, rows = chain()
    links = links_of(vectors, arcs_of(*rows), np.arange(30)[::-1])
    assert (links.pairs[:, 0] > links.pairs[:, 1]).all()
    assert np.array_equal(links.vectors, vectors[::-1])


def test_nodes_without_a_vector_are_left_out():
    vectors, rows = chain()
    vectors[5] = 0
    links = links_of(vectors, arcs_of(*rows), np.arange(30))
    assert not (links.pairs == 5).any()


def test_a_memory_of_few_links_is_refused():
    vectors, rows = chain(10)
    with pytest.raises(InvalidInput, match="9 links"):
        links_of(vectors, arcs_of(*rows), np.arange(10))


def test_what_is_held_out_is_not_known_to_who_learns():
    vectors, rows = chain()
    links = links_of(vectors, arcs_of(*rows), np.arange(30))
    learned, out = held_out(links, 0.2, 0)
    kept, gone = (set(map(tuple, part.pairs.tolist())) for part in (learned, out))
    assert (len(kept), len(gone)) == (23, 6)
    assert kept | gone == links.known
    assert learned.known == kept


@pytest.mark.parametrize("near", [0.0, 0.5, 1.0])
def test_a_link_comes_first_and_no_link_is_among_the_others(near):
    vectors, rows = chain()
    links = links_of(vectors, arcs_of(*rows), np.arange(30))
    shown = choices(links, links.pairs, 6, near, np.random.default_rng(0))
    assert np.array_equal(shown.others[:, 0], links.pairs[:, 1])
    for new, others in zip(shown.new, shown.others[:, 1:], strict=True):
        assert not {(max(new, o), min(new, o)) for o in others} & links.known
        assert new not in others


def test_the_nearest_come_in_order_without_the_node_itself():
    vectors, _ = chain()
    found = nearest(vectors, np.arange(30), 5, block=7)
    cosines = vectors @ vectors.T
    for row, near in enumerate(found):
        order = [i for i in np.argsort(-cosines[row]) if i != row][:5]
        assert near.tolist() == order
