"""Slots in the order of arrival, and stepping aside for work that is cheaper in company."""

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from mags.models.cores import cores
from mags.models.embed.hashing import HashEmbedder
from mags.server.batching import BatchedEmbedder
from mags.server.concurrency import OVERTAKEN, ConcurrencyLimiter, Ticket


def started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def until(true: Callable[[], bool]) -> None:
    ends = time.monotonic() + 20.0
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.001)


def in_line(limiter: ConcurrencyLimiter, works: list[Callable[[], None]]) -> list[threading.Thread]:
    """Threads that have queued up in their order while the slot was taken."""
    threads = []
    with limiter.slot():
        for place, work in enumerate(works):
            threads.append(started(work))
            until(lambda place=place: len(limiter._queue) == place + 1)
    return threads


def test_who_came_first_works_first_and_never_two_at_once():
    limiter, order, working = ConcurrencyLimiter(1), [], []

    def work(number: int) -> Callable[[], None]:
        def run() -> None:
            with limiter.slot():
                working.append(number)
                assert len(working) == 1
                order.append(number)
                time.sleep(0.002)
                working.remove(number)

        return run

    for thread in in_line(limiter, [work(number) for number in range(8)]):
        thread.join()
    assert order == list(range(8))
    assert not limiter.holds_slot


def test_so_many_work_at_once_as_there_are_slots():
    limiter, met = ConcurrencyLimiter(3), threading.Barrier(3)

    def work() -> None:
        with limiter.slot():
            met.wait(20.0)

    for thread in [started(work) for _ in range(6)]:
        thread.join()
    assert limiter._free == 3


def test_a_failure_leaves_its_slot():
    limiter = ConcurrencyLimiter(1)
    with pytest.raises(ValueError, match="no"), limiter.slot():
        raise ValueError("no")
    with limiter.slot():
        assert limiter.holds_slot
    assert limiter._free == 1


def test_alone_one_steps_aside_for_nobody():
    limiter = ConcurrencyLimiter(1)
    with limiter.slot():
        limiter.step_aside(Ticket())
        assert limiter.holds_slot
    assert limiter._free == 1


def test_others_go_before_who_steps_aside():
    limiter, order = ConcurrencyLimiter(1), []

    def modest() -> None:
        with limiter.slot():
            limiter.step_aside(Ticket())
            order.append("modest")

    def plain() -> None:
        with limiter.slot():
            order.append("plain")

    for thread in in_line(limiter, [modest, plain, plain]):
        thread.join()
    assert order == ["plain", "plain", "modest"]


def test_who_steps_aside_is_overtaken_by_so_many_and_no_more():
    limiter, order = ConcurrencyLimiter(1), []

    def modest() -> None:
        with limiter.slot():
            limiter.step_aside(Ticket())
            order.append("modest")

    def plain() -> None:
        with limiter.slot():
            order.append("plain")

    for thread in in_line(limiter, [modest, *[plain] * (OVERTAKEN + 5)]):
        thread.join()
    assert order.index("modest") == OVERTAKEN


def test_who_is_called_queues_up_again():
    limiter, order, ticket = ConcurrencyLimiter(1), [], Ticket()

    def modest() -> None:
        with limiter.slot():
            limiter.step_aside(ticket)
            order.append("modest")

    def calling() -> None:
        with limiter.slot():
            limiter.wake([ticket, Ticket()])  # the second stands nowhere
            order.append("calling")

    def plain() -> None:
        with limiter.slot():
            order.append("plain")

    for thread in in_line(limiter, [modest, plain, calling, plain]):
        thread.join()
    assert order == ["plain", "calling", "plain", "modest"]
    assert limiter._free == 1


class Counted(HashEmbedder):
    """Counts the texts of its calls."""

    def __init__(self) -> None:
        super().__init__(16)
        self.calls: list[int] = []

    def embed(self, texts):
        self.calls.append(len(texts))
        return super().embed(texts)


def test_all_who_have_slots_embed_together_and_each_gets_its_own():
    limiter, counted = ConcurrencyLimiter(1), Counted()
    batched = BatchedEmbedder(counted, limiter=limiter)
    found: dict[int, np.ndarray] = {}

    def work(number: int) -> Callable[[], None]:
        def ask() -> None:
            with limiter.slot():
                found[number] = batched.embed([f"text {number}", "the same"])
                assert limiter.holds_slot

        return ask

    for thread in in_line(limiter, [work(number) for number in range(8)]):
        thread.join()
    assert counted.calls == [16]
    for number in range(8):
        alone = HashEmbedder(16).embed([f"text {number}", "the same"])
        assert np.array_equal(found[number], alone)
    assert limiter._free == 1


def test_this_process_may_use_a_core():
    assert cores() >= 1
