"""Seats in the order of arrival, and stepping aside for work that is cheaper in company."""

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from mags.models.embed.hashing import HashEmbedder
from mags.server.batching import BatchedEmbedder
from mags.server.turnstile import OVERTAKEN, Ticket, Turnstile, cores


def started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def until(true: Callable[[], bool]) -> None:
    ends = time.monotonic() + 20.0
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.001)


def in_line(turnstile: Turnstile, works: list[Callable[[], None]]) -> list[threading.Thread]:
    """Threads that have queued up in their order while the seat was taken."""
    threads = []
    with turnstile.seat():
        for place, work in enumerate(works):
            threads.append(started(work))
            until(lambda place=place: len(turnstile._queue) == place + 1)
    return threads


def test_who_came_first_sits_first_and_never_two_at_once():
    turnstile, order, sitting = Turnstile(1), [], []

    def work(number: int) -> Callable[[], None]:
        def sit() -> None:
            with turnstile.seat():
                sitting.append(number)
                assert len(sitting) == 1
                order.append(number)
                time.sleep(0.002)
                sitting.remove(number)

        return sit

    for thread in in_line(turnstile, [work(number) for number in range(8)]):
        thread.join()
    assert order == list(range(8))
    assert not turnstile.seated


def test_so_many_sit_at_once_as_there_are_seats():
    turnstile, met = Turnstile(3), threading.Barrier(3)

    def work() -> None:
        with turnstile.seat():
            met.wait(20.0)

    for thread in [started(work) for _ in range(6)]:
        thread.join()
    assert turnstile._free == 3


def test_a_failure_leaves_its_seat():
    turnstile = Turnstile(1)
    with pytest.raises(ValueError, match="no"), turnstile.seat():
        raise ValueError("no")
    with turnstile.seat():
        assert turnstile.seated
    assert turnstile._free == 1


def test_alone_one_steps_aside_for_nobody():
    turnstile = Turnstile(1)
    with turnstile.seat():
        turnstile.aside(Ticket())
        assert turnstile.seated
    assert turnstile._free == 1


def test_others_go_before_who_steps_aside():
    turnstile, order = Turnstile(1), []

    def modest() -> None:
        with turnstile.seat():
            turnstile.aside(Ticket())
            order.append("modest")

    def plain() -> None:
        with turnstile.seat():
            order.append("plain")

    for thread in in_line(turnstile, [modest, plain, plain]):
        thread.join()
    assert order == ["plain", "plain", "modest"]


def test_who_steps_aside_is_overtaken_by_so_many_and_no_more():
    turnstile, order = Turnstile(1), []

    def modest() -> None:
        with turnstile.seat():
            turnstile.aside(Ticket())
            order.append("modest")

    def plain() -> None:
        with turnstile.seat():
            order.append("plain")

    for thread in in_line(turnstile, [modest, *[plain] * (OVERTAKEN + 5)]):
        thread.join()
    assert order.index("modest") == OVERTAKEN


def test_who_is_called_queues_up_again():
    turnstile, order, ticket = Turnstile(1), [], Ticket()

    def modest() -> None:
        with turnstile.seat():
            turnstile.aside(ticket)
            order.append("modest")

    def calling() -> None:
        with turnstile.seat():
            turnstile.call([ticket, Ticket()])  # the second stands nowhere
            order.append("calling")

    def plain() -> None:
        with turnstile.seat():
            order.append("plain")

    for thread in in_line(turnstile, [modest, plain, calling, plain]):
        thread.join()
    assert order == ["plain", "calling", "plain", "modest"]
    assert turnstile._free == 1


class Counted(HashEmbedder):
    """Counts the texts of its calls."""

    def __init__(self) -> None:
        super().__init__(16)
        self.calls: list[int] = []

    def embed(self, texts):
        self.calls.append(len(texts))
        return super().embed(texts)


def test_all_who_have_seats_embed_together_and_each_gets_its_own():
    turnstile, counted = Turnstile(1), Counted()
    batched = BatchedEmbedder(counted, turnstile=turnstile)
    found: dict[int, np.ndarray] = {}

    def work(number: int) -> Callable[[], None]:
        def ask() -> None:
            with turnstile.seat():
                found[number] = batched.embed([f"text {number}", "the same"])
                assert turnstile.seated

        return ask

    for thread in in_line(turnstile, [work(number) for number in range(8)]):
        thread.join()
    assert counted.calls == [16]
    for number in range(8):
        alone = HashEmbedder(16).embed([f"text {number}", "the same"])
        assert np.array_equal(found[number], alone)
    assert turnstile._free == 1


def test_this_process_may_use_a_core():
    assert cores() >= 1
