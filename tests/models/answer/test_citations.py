"""Citations: read out of a text, false marks flagged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.answer.context import (
    OPENINGS,
    UNSEEN,
    BlockFilter,
    settle,
    share_cited,
    visible,
)
from mags.models.answer.topics import pairs


@pytest.mark.parametrize(
    ("text", "settled", "cited"),
    [
        ("Oslo. [m42]", "Oslo. [m42]", (42,)),
        ("Oslo [m42, m7].", "Oslo [m42] [m7].", (42, 7)),
        ("Oslo [m42][m7] [m42].", "Oslo [m42][m7] [m42].", (42, 7)),
        ("Oslo [m42; 7].", "Oslo [m42] [m7].", (42, 7)),
        ("Oslo [m99].", f"Oslo {UNSEEN}.", ()),
        ("Oslo [m99, m7].", "Oslo [m7].", (7,)),
        ("See [1] and [mm].", "See [1] and [mm].", ()),
    ],
)
def test_marks_become_citations_and_a_sentence_on_false_ones_alone_is_flagged(
    text: str, settled: str, cited: tuple[int, ...]
):
    assert settle(text, {42, 7}) == (settled, cited, (99,) if "99" in text else ())


@given(st.text(st.sampled_from("[]m4279 ,;.\nab"), max_size=60))
def test_a_settled_text_stays_as_it_is(text: str):
    once, cited, _ = settle(text, {42, 7})
    assert settle(once, {42, 7}) == (once, cited, ())
    assert set(cited) <= {42, 7}


def test_the_share_of_cited_sentences_is_counted():
    assert share_cited("She moved. [m1] It rained. He stayed! [m2]") == pytest.approx(2 / 3)
    assert share_cited("I don't know.") == 0.0
    assert share_cited("") == 0.0


def test_pairs_are_ordered_and_at_most_those_of_eight():
    assert pairs((7, 3, 7, 5)) == ((3, 5), (3, 7), (5, 7))
    assert len(pairs(tuple(range(20)))) == 28


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Alice lives in Oslo. [m42]", "Alice lives in Oslo. [m42]"),
        ("<think>hm\n</think>\n\nOslo.", "Oslo."),
        ("Oslo.\n<engram>LINK | m1 | m2</engram>\n", "Oslo."),
        ("A <recall>\nx\n</recall> B", "A  B"),
        ("3 < 4 and <b>bold</b>", "3 < 4 and <b>bold</b>"),
        ("never closed <recall> a query", "never closed"),
        ("ends in <rec", "ends in <rec"),
        ("", ""),
    ],
)
def test_only_what_is_meant_for_the_reader_is_visible(text: str, seen: str):
    assert visible(text) == seen


PIECES = st.lists(
    st.sampled_from(
        [f"<{name}>" for name in OPENINGS.values()]
        + [f"</{name}>" for name in OPENINGS.values()]
        + ["<", ">", "</", "re", "call", "think", " ", "\n", "Oslo.", "a"]
    ),
    max_size=20,
)


@given(PIECES, st.data())
def test_how_a_stream_is_cut_makes_no_difference(parts: list[str], data: st.DataObject):
    text = "".join(parts)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    shown: list[str] = []
    block_filter = BlockFilter(shown.append)
    for first, last in zip([0, *cuts], [*cuts, len(text)], strict=True):
        block_filter.feed(text[first:last])
    block_filter.finish()
    assert "".join(shown) == visible(text)


@given(PIECES)
def test_no_opening_token_is_ever_visible(parts: list[str]):
    seen = visible("".join(parts))
    assert seen == seen.strip()
    assert len(seen) <= len("".join(parts))
