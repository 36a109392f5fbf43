"""Work side by side: as much at once as there are cores to spare, with the same results."""

import threading
import time
from collections.abc import Iterator

import pytest

from mags.models import cores
from mags.models.cores import side_by_side


@pytest.fixture(autouse=True)
def three(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three cores, all of which are to spare again at the end."""
    free = threading.Semaphore(3)
    monkeypatch.setattr(cores, "_FREE", free)
    yield
    assert all(free.acquire(blocking=False) for _ in range(3))
    assert not free.acquire(blocking=False)


def threads_of(items: int, most: int) -> set[int]:
    """By how many threads so many items were worked on, each of which takes a while."""

    def work(item: int) -> tuple[int, int]:
        time.sleep(0.02)
        return item, threading.get_ident()

    made = list(side_by_side(work, range(items), most))
    assert [item for item, _ in made] == list(range(items))
    return {thread for _, thread in made}


@pytest.mark.parametrize(("items", "most", "threads"), [(9, 9, 3), (9, 2, 2), (2, 9, 2)])
def test_as_many_are_at_work_as_there_are_cores_items_and_leave(
    items: int, most: int, threads: int
) -> None:
    assert len(threads_of(items, most)) == threads


@pytest.mark.parametrize(("items", "most"), [(9, 1), (1, 9), (0, 9)])
def test_what_is_done_one_by_one_is_done_by_who_asks(items: int, most: int) -> None:
    assert threads_of(items, most) <= {threading.get_ident()}


def test_who_is_at_work_takes_a_core_from_the_others() -> None:
    for _ in side_by_side(str, range(2), 1):
        for _ in side_by_side(str, range(2), 1):
            assert threads_of(4, 4) == {threading.get_ident()}


def test_work_that_fails_raises_and_gives_its_cores_back() -> None:
    def work(item: int) -> int:
        return 1 // item

    with pytest.raises(ZeroDivisionError):
        list(side_by_side(work, [1, 0, 1], 3))
