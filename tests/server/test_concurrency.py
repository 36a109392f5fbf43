"""Slots in the order of arrival, and stepping aside for work that is cheaper in company."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags import inspect
from mags.models.cores import cores
from mags.models.embed.hashing import HashEmbedder
from mags.ports import pausing
from mags.server import concurrency
from mags.server.batching import BatchedEmbedder
from mags.server.concurrency import (
    HEAVY,
    OVERTAKEN,
    PIECE_S,
    Admission,
    ConcurrencyLimiter,
    RateLimiter,
    Work,
)
from tests.server.serving import until


def started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


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
    assert limiter.mine is None


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
        assert limiter.mine
    assert limiter._free == 1


def test_alone_one_steps_aside_for_nobody():
    limiter = ConcurrencyLimiter(1)
    with limiter.slot():
        limiter.step_aside(limiter.mine)
        assert limiter.mine
    assert limiter._free == 1


def test_others_go_before_who_steps_aside():
    limiter, order = ConcurrencyLimiter(1), []

    def modest() -> None:
        with limiter.slot():
            limiter.step_aside(limiter.mine)
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
            limiter.step_aside(limiter.mine)
            order.append("modest")

    def plain() -> None:
        with limiter.slot():
            order.append("plain")

    for thread in in_line(limiter, [modest, *[plain] * (OVERTAKEN + 5)]):
        thread.join()
    assert order.index("modest") == OVERTAKEN


def test_who_is_called_queues_up_again():
    limiter, order, aside = ConcurrencyLimiter(1), [], []

    def modest() -> None:
        with limiter.slot() as work:
            aside.append(work)
            limiter.step_aside(work)
            order.append("modest")

    def calling() -> None:
        with limiter.slot():
            limiter.wake([*aside, Work(limiter, "")])  # the second stands nowhere
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
                assert limiter.mine

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


def burn(seconds: float) -> None:
    """Use so much processor time."""
    begun = time.thread_time()
    while time.thread_time() - begun < seconds:
        pass


def test_of_two_tenants_the_one_that_has_had_less_comes_first():
    limiter, order = ConcurrencyLimiter(1), []

    def work(tenant: str) -> Callable[[], None]:
        def run() -> None:
            with limiter.slot(tenant) as mine:
                order.append(tenant)
                mine.pay(0.02)

        return run

    for thread in in_line(limiter, [work(name) for name in ("greedy",) * 6 + ("modest",) * 2]):
        thread.join()
    assert order.index("modest") == 1
    assert order[:4].count("modest") == 2


def test_what_a_tenant_asks_at_once_is_counted_before_it_is_used():
    limiter, order, over = ConcurrencyLimiter(2), [], threading.Event()
    with limiter.slot("greedy") as asked:
        asked.pay(0.05)  # what its requests usually use
    limiter.charge(("modest", False), limiter._had["greedy", False])
    limiter.acquire(Work(limiter, "other"))

    def work(tenant: str) -> Callable[[], None]:
        def run() -> None:
            with limiter.slot(tenant):
                order.append(tenant)
                assert over.wait(20.0)

        return run

    threads = in_line(limiter, [work(name) for name in ("greedy", "greedy", "modest")])
    until(lambda: len(order) == 1)
    limiter.release()
    until(lambda: len(order) == 2)
    over.set()
    for thread in threads:
        thread.join()
    assert order[:2] == ["greedy", "modest"]


def test_in_the_end_what_is_counted_is_what_was_used():
    limiter = ConcurrencyLimiter(1)
    for seconds in (0.3, 0.1, 0.0, 0.2):
        with limiter.slot("a") as asked:
            asked.pay(seconds)
    assert limiter._had["a", False] == pytest.approx(0.6, abs=0.05)
    with limiter.slot("a") as asked:
        asked.pay(0.2)
        asked.pay(0.1)  # it is long work by now
    assert limiter._had["a", False] == pytest.approx(0.8, abs=0.05)
    assert limiter._had["a", True] == pytest.approx(0.1 * HEAVY, abs=0.05)


def test_long_work_rests_between_its_pieces_until_others_have_had_as_much():
    limiter, order = ConcurrencyLimiter(1), []
    limiter.charge(("reader", False), 0.0)

    def long() -> None:
        with limiter.slot("writer", long=True):
            for number in range(3):
                order.append(f"piece {number}")
                burn(2 * PIECE_S)
                pausing.pause()

    def short() -> None:
        with limiter.slot("reader"):
            order.append("reader")

    for thread in in_line(limiter, [long, *[short] * 3]):
        thread.join()
    assert order == ["piece 0", *["reader"] * 3, "piece 1", "piece 2"]
    assert limiter._free == 1


def test_long_work_goes_on_where_nobody_waits_and_is_no_other_work():
    limiter = ConcurrencyLimiter(1)
    with limiter.slot("writer", long=True) as work:
        burn(2 * PIECE_S)
        pausing.pause()
        assert limiter.mine is work
        assert work.spent_s >= 2 * PIECE_S
    pausing.pause()  # outside: nobody's


@pytest.mark.parametrize(
    ("lock", "work"),
    [
        (lambda memory: memory._live.writing(), lambda memory: memory.observe("I live in Oslo.")),
        (lambda memory: memory._live.writing(), lambda memory: memory._live.checkpoint()),
        (lambda memory: memory._live.store.writing(), lambda memory: memory._live.checkpoint()),
        (lambda memory: memory._live._saving, lambda memory: memory._live.checkpoint()),
        (lambda memory: memory._observer._late, lambda memory: inspect.read_waiting(memory)),
        (lambda memory: memory._sleeper._asleep, lambda memory: memory.sleep()),
    ],
    ids=["writer", "copy", "transaction", "saving", "late reading", "sleep"],
)
def test_who_waits_for_another_thread_takes_no_slot(tmp_path: Path, lock, work):
    limiter, begun, done = ConcurrencyLimiter(1), threading.Event(), []
    with mags.open(tmp_path / "a.mags", embedder=HashEmbedder(16)) as memory:
        memory.observe("I live in Bergen.", later=True)

        def run() -> None:
            with limiter.slot("second"):
                begun.set()
                work(memory)
                done.append(1)

        with lock(memory):
            thread = started(run)
            begun.wait()
            until(lambda: limiter._free == 1)
            with limiter.slot("third"):
                assert not done
        thread.join()
    assert done
    assert limiter._free == 1


def test_who_has_what_all_others_wait_for_comes_to_an_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(concurrency, "PATIENCE_S", 0.01)
    limiter, lock = ConcurrencyLimiter(1), threading.Lock()
    has, back, inside, ended = threading.Event(), threading.Event(), [], []

    def holder() -> None:
        with limiter.slot("holder"):
            with pausing.waiting():
                lock.acquire()
                until(lambda: len(inside) == 2)
                has.set()
                back.wait()
            lock.release()
            ended.append(1)

    def other() -> None:
        with limiter.slot("other"):
            with pausing.waiting():
                inside.append(1)
                has.wait()
            with lock:  # with its slot, or one out of turn
                ended.append(1)

    threads = [threading.Thread(target=one, daemon=True) for one in (holder, other, other)]
    for thread in threads:
        thread.start()
    until(lambda: limiter._free == -1)
    back.set()
    until(lambda: len(ended) == 3)
    for thread in threads:
        thread.join()
    assert limiter._free == 1


def test_each_answers_for_its_part_of_what_was_embedded_together():
    limiter = ConcurrencyLimiter(1)
    batched = BatchedEmbedder(HashEmbedder(16), limiter=limiter)
    works = []

    def work(number: int) -> Callable[[], None]:
        def ask() -> None:
            with limiter.slot(str(number)) as mine:
                works.append(mine)
                batched.embed([f"text {number} " * 100])

        return ask

    for thread in in_line(limiter, [work(number) for number in range(4)]):
        thread.join()
    assert all(one.spent_s > 0.0 for one in works)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=60))
def test_nobody_fills_a_server_and_all_who_wait_are_let_in(steps):
    async def run() -> None:
        admission, inside, tasks = Admission(6, 100), Counter(), []

        async def one(tenant: str, done: asyncio.Event) -> None:
            assert await admission.enter(tenant, 20.0)
            inside[tenant] += 1
            assert inside.total() <= 6
            # What one has is never more than what was free before it came.
            assert inside[tenant] <= 4
            await done.wait()
            inside[tenant] -= 1
            admission.leave(tenant)

        ends = []
        for tenant, end in steps:
            ends.append(asyncio.Event())
            tasks.append(asyncio.create_task(one(tenant, ends[-1])))
            await asyncio.sleep(0)
            if end:
                ends.pop(0).set()
                await asyncio.sleep(0)
        for event in ends:
            event.set()
        await asyncio.wait_for(asyncio.gather(*tasks), 20.0)
        assert admission.waiting == 0
        assert admission._free == 6

    asyncio.run(run())


def test_who_gives_up_waiting_leaves_no_trace():
    async def run() -> None:
        admission = Admission(1, 1)
        assert await admission.enter("a", 1.0)
        assert not await admission.enter("b", 0.001)
        waiting = asyncio.create_task(admission.enter("b", 20.0))
        await asyncio.sleep(0)
        assert not await admission.enter("c", 20.0)  # as many wait as may
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        admission.leave("a")
        assert await admission.enter("c", 1.0)

    asyncio.run(run())


@given(st.lists(st.tuples(st.floats(0.0, 30.0), st.floats(0.0, 20.0)), max_size=30))
def test_nobody_works_more_than_its_time_and_what_one_request_took(requests):
    buckets, now_s, used_s, last_s = RateLimiter(0.5, 30.0), 0.0, 0.0, 0.0
    for after_s, work_s in requests:
        now_s += after_s
        if buckets.wait("a", now_s) == 0.0:
            buckets.pay("a", work_s, now_s)
            used_s, last_s = used_s + work_s, work_s
    assert used_s <= 30.0 + 0.5 * now_s + last_s + 1e-6


def test_who_is_in_debt_waits_until_it_is_paid():
    buckets = RateLimiter(0.5, 30.0)
    buckets.pay("a", 40.0, 0.0)
    assert buckets.wait("a", 0.0) == 20.0
    assert buckets.wait("a", 20.0) == 0.0
    assert buckets.wait("b", 0.0) == 0.0
