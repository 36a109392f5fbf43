"""Word vectors come from the embedder's own table."""

import numpy as np

from mags_lab.games.reader import words
from mags_lab.games.reader.words import WordVectors, shipped_vectors


def test_words_of_like_meaning_are_near_and_nonce_words_are_not_known():
    found, known = shipped_vectors()(["fear", "afraid", "salt", "zorblix"])
    like = found @ found.T
    assert like[0, 1] > 0.5 > like[0, 2]
    assert known.tolist() == [True, True, True, False]
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)


def test_a_full_store_of_words_is_emptied_between_calls_and_never_within_one(monkeypatch):
    monkeypatch.setattr(words, "_MOST", 3)
    vectors = WordVectors()
    first, _ = vectors(["one", "two", "three", "four", "five"])
    again, _ = vectors(["five", "one"])
    assert np.array_equal(again, first[[4, 0]])
