"""Many readers or one changer, and no way to leave the gate shut."""

import threading
import time
from collections.abc import Callable

import pytest

from mags.memory.live import Gate

WAIT_S = 10.0


def started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_readers_pass_together() -> None:
    gate, both = Gate(), threading.Barrier(2)

    def read() -> None:
        with gate.reading():
            both.wait(WAIT_S)

    threads = [started(read), started(read)]
    for thread in threads:
        thread.join(WAIT_S)
    assert not both.broken


def test_a_changer_is_alone() -> None:
    gate, inside, most = Gate(), [0], [0]

    def change() -> None:
        for _ in range(200):
            with gate.changing():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [started(change) for _ in range(4)]
    for thread in threads:
        thread.join(WAIT_S)
    assert most == [1]


def test_nested_readers_pass_a_waiting_changer() -> None:
    gate, done = Gate(), threading.Event()

    def change() -> None:
        with gate.changing():
            done.set()

    with gate.reading():
        thread = started(change)
        while not gate._waiting:
            time.sleep(0.001)
        with gate.reading():
            assert not done.is_set()
    thread.join(WAIT_S)
    assert done.is_set()


def test_a_changer_is_not_starved_by_readers_that_overlap() -> None:
    gate, stop = Gate(), threading.Event()

    def read() -> None:
        while not stop.is_set():
            with gate.reading():
                time.sleep(0.002)

    def change() -> None:
        for _ in range(20):
            with gate.changing():
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
    gate = Gate()
    with gate.reading(), pytest.raises(RuntimeError, match="let go"), gate.changing():
        pass
    with gate.changing(), gate.reading(), gate.changing():
        assert gate.inside
    assert not gate.inside


@pytest.mark.parametrize("side", ["reading", "changing"])
def test_a_failure_inside_opens_the_gate_again(side: str) -> None:
    gate = Gate()
    with pytest.raises(KeyboardInterrupt), getattr(gate, side)():
        raise KeyboardInterrupt
    with gate.changing():
        pass


def test_an_interrupt_while_waiting_to_change_lets_readers_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate, held, go = Gate(), threading.Event(), threading.Event()

    def read() -> None:
        with gate.reading():
            held.set()
            go.wait(WAIT_S)

    thread = started(read)
    held.wait(WAIT_S)

    def interrupted(timeout: float | None = None) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(gate._condition, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt), gate.changing():
        pass
    monkeypatch.undo()
    with gate.reading():
        pass
    go.set()
    thread.join(WAIT_S)
    with gate.changing():
        pass
