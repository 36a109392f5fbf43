"""The veil over a stream: memory tokens and thinking never come through, however it is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.answer.citations import OPENINGS, Veil, visible


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
    veil = Veil(shown.append)
    for first, last in zip([0, *cuts], [*cuts, len(text)], strict=True):
        veil.feed(text[first:last])
    veil.finish()
    assert "".join(shown) == visible(text)


@given(PIECES)
def test_no_opening_token_is_ever_visible(parts: list[str]):
    seen = visible("".join(parts))
    assert seen == seen.strip()
    assert len(seen) <= len("".join(parts))
