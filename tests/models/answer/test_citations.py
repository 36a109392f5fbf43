"""Citations: read out of a text, false marks taken away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.answer.citations import pairs, settle, share_cited


@pytest.mark.parametrize(
    ("text", "settled", "cited"),
    [
        ("Oslo. [m42]", "Oslo. [m42]", (42,)),
        ("Oslo [m42, m7].", "Oslo [m42] [m7].", (42, 7)),
        ("Oslo [m42][m7] [m42].", "Oslo [m42][m7] [m42].", (42, 7)),
        ("Oslo [m42; 7].", "Oslo [m42] [m7].", (42, 7)),
        ("Oslo [m99].", "Oslo.", ()),
        ("Oslo [m99, m7].", "Oslo [m7].", (7,)),
        ("See [1] and [mm].", "See [1] and [mm].", ()),
    ],
)
def test_marks_become_citations_and_false_ones_go(text: str, settled: str, cited: tuple[int, ...]):
    assert settle(text, {42, 7}) == (settled, cited)


@given(st.text(st.sampled_from("[]m4279 ,;.\nab"), max_size=60))
def test_a_settled_text_stays_as_it_is(text: str):
    once, cited = settle(text, {42, 7})
    assert settle(once, {42, 7}) == (once, cited)
    assert set(cited) <= {42, 7}


def test_the_share_of_cited_sentences_is_counted():
    assert share_cited("She moved. [m1] It rained. He stayed! [m2]") == pytest.approx(2 / 3)
    assert share_cited("I don't know.") == 0.0
    assert share_cited("") == 0.0


def test_pairs_are_ordered_and_at_most_those_of_eight():
    assert pairs((7, 3, 7, 5)) == ((3, 5), (3, 7), (5, 7))
    assert len(pairs(tuple(range(20)))) == 28
