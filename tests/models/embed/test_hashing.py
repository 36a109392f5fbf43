import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.embed.hashing import HashEmbedder


def test_a_word_is_hashed_with_its_trigrams() -> None:
    # crc32("w:a") = 0xb1e32870: even, so minus 1 on axis (>> 1) % 8 = 0;
    # crc32("c:<a>") = 0x17d0b9fc: even, so minus 1/4 on axis 6; then to unit length.
    vector = HashEmbedder(8).embed(["a"])[0]

    assert vector.tolist() == pytest.approx([-0.9701425, 0, 0, 0, 0, 0, -0.2425356, 0])


@given(st.text(alphabet=st.characters(max_codepoint=126), max_size=50))
def test_capitals_do_not_matter(text: str) -> None:
    upper, lower = HashEmbedder().embed([f"x {text.upper()}", f"x {text.lower()}"])

    assert np.array_equal(upper, lower)


def test_shared_words_and_shared_spelling_bring_texts_nearer() -> None:
    rows = HashEmbedder(256).embed(["Alice lives in Oslo", "Alice lived in Oslo", "Bob likes jazz"])

    assert rows[0] @ rows[1] > 0.6 > 0.3 > rows[0] @ rows[2]


def test_the_name_tells_the_dimension() -> None:
    assert HashEmbedder(32).name == "hash-32"
    assert HashEmbedder(32).embed(["x"]).shape == (1, 32)
