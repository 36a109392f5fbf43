"""Many readers or one changer, and no way to leave the lock shut."""

import threading
import time
from collections.abc import Callable

import pytest

from mags.memory.live import ReadWriteLock

WAIT_S = 10.0


def started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_readers_pass_together() -> None:
    lock, both = ReadWriteLock(), threading.Barrier(2)

    def read() -> None:
        with lock.reading():
            both.wait(WAIT_S)

    threads = [started(read), started(read)]
    for thread in threads:
        thread.join(WAIT_S)
    assert not both.broken


def test_a_changer_is_alone() -> None:
    lock, inside, most = ReadWriteLock(), [0], [0]

    def change() -> None:
        for _ in range(200):
            with lock.changing():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [started(change) for _ in range(4)]
    for thread in threads:
        thread.join(WAIT_S)
    assert most == [1]


def test_nested_readers_pass_a_waiting_changer() -> None:
    lock, done = ReadWriteLock(), threading.Event()

    def change() -> None:
        with lock.changing():
            done.set()

    with lock.reading():
        thread = started(change)
        while not lock._waiting:
            time.sleep(0.001)
        with lock.reading():
            assert not done.is_set()
    thread.join(WAIT_S)
    assert done.is_set()


def test_a_changer_is_not_starved_by_readers_that_overlap() -> None:
    lock, stop = ReadWriteLock(), threading.Event()

    def read() -> None:
        while not stop.is_set():
            with lock.reading():
                time.sleep(0.002)

    def change() -> None:
        for _ in range(20):
            with lock.changing():
                pass

    threads = [started(read) for _ in range(4)]
    changer = started(change)
    changer.join(WAIT_S)
    starved = changer.is_alive()
    stop.set()
    for thread in threads:
        thread.join(WAIT_S)
    assert not starved


def test_who_reads_cannot_change() -> None:
    lock = ReadWriteLock()
    with lock.reading(), pytest.raises(RuntimeError, match="let go"), lock.changing():
        pass
    with lock.changing(), lock.reading(), lock.changing():
        assert lock.inside
    assert not lock.inside


@pytest.mark.parametrize("side", ["reading", "changing"])
def test_a_failure_inside_opens_the_gate_again(side: str) -> None:
    lock = ReadWriteLock()
    with pytest.raises(KeyboardInterrupt), getattr(lock, side)():
        raise KeyboardInterrupt
    with lock.changing():
        pass


def test_an_interrupt_while_waiting_to_change_lets_readers_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lock, held, go = ReadWriteLock(), threading.Event(), threading.Event()

    def read() -> None:
        with lock.reading():
            held.set()
            go.wait(WAIT_S)

    thread = started(read)
    held.wait(WAIT_S)

    def interrupted(timeout: float | None = None) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(lock._condition, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt), lock.changing():
        pass
    monkeypatch.undo()
    with lock.reading():
        pass
    go.set()
    thread.join(WAIT_S)
    with lock.changing():
        pass
