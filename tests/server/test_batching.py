"""Several requests' texts in one call of the embedder, each with vectors of its own."""

import threading
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mags.app import encoder
from mags.errors import ModelUnavailable
from mags.models.embed.hashing import HashEmbedder
from mags.ports.pausing import watched
from mags.server.batching import MOST, BatchedEmbedder
from mags.server.middleware import Metrics


class Held:
    """An embedder that begins when it is let, and tells of its calls."""

    name, dimension = "held", 16

    def __init__(self) -> None:
        self.inner = HashEmbedder(16)
        self.calls: list[list[str]] = []
        self.begun, self.let = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        self.begun.set()
        assert self.let.wait(20.0)
        if "bad" in texts:
            raise ModelUnavailable("no")
        return self.inner.embed(texts)


def asked(batched: BatchedEmbedder, wishes: list[list[str]]) -> tuple[list, list]:
    """Threads that ask at once, and where their answers go."""
    answers: list = [None] * len(wishes)

    def work(place: int) -> None:
        try:
            answers[place] = batched.embed(wishes[place])
        except ModelUnavailable as failure:
            answers[place] = failure

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(wishes))]
    return threads, answers


def answered(held: Held, batched: BatchedEmbedder, wishes: list[list[str]]) -> list:
    """The answers to the first, and to all others, which came in while it was worked on."""
    threads, answers = asked(batched, wishes)
    threads[0].start()
    assert held.begun.wait(20.0)
    for thread in threads[1:]:
        thread.start()
    while len(batched._waiting) < len(wishes) - 1:
        pass
    held.let.set()
    for thread in threads:
        thread.join()
    return answers


def test_what_comes_in_while_one_works_goes_together():
    held = Held()
    wishes = [["one"], ["two", "three"], ["four"]]
    answers = answered(held, BatchedEmbedder(held), wishes)
    assert held.calls[0] == ["one"]
    assert sorted(held.calls[1]) == ["four", "three", "two"]
    for wish, answer in zip(wishes, answers, strict=True):
        assert np.array_equal(answer, held.inner.embed(wish))


def test_a_failure_reaches_everybody_who_was_in_the_call_and_nobody_after():
    held = Held()
    batched = BatchedEmbedder(held)
    answers = answered(held, batched, [["one"], ["bad"], ["two"]])
    assert np.array_equal(answers[0], held.inner.embed(["one"]))
    assert isinstance(answers[1], ModelUnavailable)
    assert isinstance(answers[2], ModelUnavailable)
    assert np.array_equal(batched.embed(["two"]), held.inner.embed(["two"]))


def test_where_there_was_company_a_moment_ago_a_call_waits_for_as_many_and_not_for_ever():
    held = Held()
    batched = BatchedEmbedder(held, patience_s=60.0)
    answered(held, batched, [["one"], ["two"], ["three"]])
    again, _ = asked(batched, [["four"], ["five"]])
    again[0].start()
    while len(batched._waiting) < 1:
        pass
    assert len(held.calls) == 2
    again[1].start()
    for thread in again:
        thread.join(20.0)
    assert sorted(held.calls[2]) == ["five", "four"]
    batched._patience_s = 0.01
    assert np.array_equal(batched.embed(["six"]), held.inner.embed(["six"]))
    assert held.calls[3:] == [["six"]]


def test_a_lone_request_waits_for_nobody():
    held = Held()
    held.let.set()
    threads, _ = asked(BatchedEmbedder(held, patience_s=3_600.0), [["one"]])
    threads[0].start()
    threads[0].join(20.0)
    assert not threads[0].is_alive()
    assert held.calls == [["one"]]


def test_many_texts_of_one_request_wait_for_nobody():
    held = Held()
    held.let.set()
    texts = [str(n) for n in range(MOST)]
    assert np.array_equal(BatchedEmbedder(held).embed(texts), held.inner.embed(texts))
    assert BatchedEmbedder(held).embed([]).shape == (0, 16)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.lists(st.text(max_size=30), min_size=1, max_size=4), min_size=2, max_size=5))
def test_a_text_has_the_same_vector_whoever_asks_beside_it(wishes: list[list[str]]):
    batched = BatchedEmbedder(encoder())
    threads, answers = asked(batched, wishes)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for wish, answer in zip(wishes, answers, strict=True):
        assert np.allclose(answer, encoder().embed(wish), atol=1e-5)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, MOST + 3), min_size=1, max_size=5))
def test_texts_and_calls_are_counted(sizes: list[int]):
    metrics, batched = Metrics(lambda: 0), BatchedEmbedder(HashEmbedder(16))
    with watched(metrics.part):
        for size in sizes:
            batched.embed([f"text {n}" for n in range(size)])
    counted = metrics.registry.get_sample_value
    assert counted("mags_embedding_batch_texts_sum") == sum(sizes)
    part = {"part": "embedding batch"}
    assert counted("mags_part_seconds_count", part) == len(sizes)
