from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mags.models.embed.hashing import HashEmbedder
from mags.ports.embedder import CachedEmbedder

ENTRY_BYTES = 4 * 8 + 320


class CountingEmbedder(HashEmbedder):
    """The hashing embedder, keeping what it was asked for."""

    def __init__(self) -> None:
        super().__init__(8)
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        return super().embed(texts)


def held(cached: CachedEmbedder) -> int:
    """Bytes held now, overhead included."""
    return len(cached._vectors) * ENTRY_BYTES


def test_a_text_seen_before_is_not_embedded_again() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner)

    cached.embed(["fig", "plum"])
    cached.embed(["plum", "pear", "fig"])

    assert inner.asked == [["fig", "plum"], ["pear"]]


def test_a_text_repeated_in_one_call_is_embedded_once() -> None:
    inner = CountingEmbedder()

    rows = CachedEmbedder(inner).embed(["fig", "fig", "plum", "fig"])

    assert inner.asked == [["fig", "plum"]]
    assert np.array_equal(rows, HashEmbedder(8).embed(["fig", "fig", "plum", "fig"]))


def test_the_least_recently_used_goes_first() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, max_bytes=2 * ENTRY_BYTES)

    for text in ("fig", "plum", "fig", "pear", "fig", "plum"):
        cached.embed([text])

    assert inner.asked == [["fig"], ["plum"], ["pear"], ["plum"]]
    assert held(cached) == 2 * ENTRY_BYTES


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=12), st.integers(0, 6))
def test_a_cache_of_any_size_changes_no_vector_and_keeps_its_bound(
    calls: list[list[str]], room: int
) -> None:
    cached = CachedEmbedder(HashEmbedder(8), max_bytes=room * ENTRY_BYTES)

    for texts in calls:
        assert np.array_equal(cached.embed(texts), HashEmbedder(8).embed(texts))
        assert held(cached) <= room * ENTRY_BYTES


def test_what_the_caller_does_to_a_vector_does_not_reach_the_cache() -> None:
    cached = CachedEmbedder(HashEmbedder(8))
    cached.embed(["fig"])[:] = 0
    cached.embed(["fig"])[:] = 0

    assert np.array_equal(cached.embed(["fig"]), HashEmbedder(8).embed(["fig"]))


def test_a_cleared_cache_holds_nothing() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner)
    cached.embed(["fig"])
    cached.clear()

    assert held(cached) == 0
    cached.embed(["fig"])
    assert inner.asked == [["fig"], ["fig"]]


def test_it_goes_by_the_name_of_the_embedder_inside() -> None:
    cached = CachedEmbedder(HashEmbedder(8))

    assert (cached.name, cached.dimension) == ("hash-8", 8)
