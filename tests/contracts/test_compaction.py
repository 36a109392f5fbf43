"""What every store promises of compaction: shorter, the same graph, nothing needed lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mags.errors import KeyConflict, NotFound
from mags.graph.graph import Graph
from mags.ports.store import Store
from tests.store.samples import checkpoint, note, seqs
from tests.store.server import KINDS, new_store


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = new_store(request.param, tmp_path)
    for i in range(1, 7):
        store.journal.append(note(i, f"word {i}", key=f"k{i}", after=max(i - 2, 0)))
    yield store
    store.close()


def replayed(store: Store) -> str:
    graph = Graph()
    for entry in store.journal.since(0):
        graph.apply(entry.delta)
    return graph.digest()


def test_nothing_is_folded_that_no_checkpoint_covers(store: Store):
    assert store.journal.compact(6) == 0
    store.points.save(checkpoint(store, 4))
    assert store.journal.compact(6) == 3
    assert seqs(store) == [4, 5, 6]


def test_compaction_keeps_the_graph_the_keys_and_the_words(store: Store):
    before = replayed(store)
    store.points.save(checkpoint(store, 6))
    assert store.journal.compact(5) == 4
    assert store.journal.compact(5) == 0
    assert store.journal.compact(6) == 1
    assert replayed(store) == before
    assert [e.delta.kind for e in store.journal.since(0)] == ["fold"]
    assert store.journal.head() == 6
    found = store.journal.find_key("k2")
    assert (found.kind, found.key, found.payload) == ("observe", "k2", "payload of k2")
    assert (found.result, len(found.nodes)) == ({"id": 2}, 0)
    with pytest.raises(KeyConflict):
        store.journal.append(note(9, key="k2"))
    assert len(list(store.contents.scan())) == 6
    assert store.journal.append(note(7)) == 7


def test_no_snapshot_is_folded_away(store: Store):
    store.points.save(checkpoint(store, 6))
    store.points.mark("here", 3, 0.0)
    assert store.journal.compact(6) == 2
    assert seqs(store, 3) == [4, 5, 6]
    store.points.mark("here", 6, 0.0)
    assert store.journal.compact(6) == 3


def test_no_fork_is_folded_away(store: Store):
    child = store.fork("child")
    before = replayed(child)
    store.journal.append(note(7))
    store.journal.append(note(8))
    store.points.save(checkpoint(store, 8))
    assert store.journal.compact(8) == 5
    assert seqs(store) == [6, 7, 8]
    assert (seqs(child), replayed(child)) == ([6], before)
    child.close()


def test_a_branch_folds_its_own_entries_only(store: Store):
    child = store.fork("child")
    store.points.mark("of the parent", 2, 0.0)
    for i in (7, 8, 9):
        child.journal.append(note(i))
    child.points.save(checkpoint(child, 9))
    assert child.journal.compact(9) == 2
    assert seqs(child) == [1, 2, 3, 4, 5, 6, 9]
    assert seqs(child, 6) == [9]
    child.close()


def test_a_snapshot_of_a_child_on_its_parents_entries_holds_them(store: Store):
    child = store.fork("child")
    child.points.mark("early", 2, 0.0)
    store.points.save(checkpoint(store, 6))
    assert store.journal.compact(6) == 1
    assert seqs(store) == [2, 3, 4, 5, 6]
    child.close()


def test_there_is_no_way_into_the_middle_of_a_fold(store: Store):
    store.points.save(checkpoint(store, 5))
    store.journal.compact(5)
    with pytest.raises(NotFound, match="compacted up to 5"):
        store.journal.since(3)
    with pytest.raises(NotFound, match="compacted up to 5"):
        store.points.mark("late", 3, 0.0)
    assert seqs(store, 5) == [6]
    assert store.points.mark("begin", 0, 0.0).seq == 0


def test_a_fold_forgets_what_was_erased_before_and_after(store: Store):
    store.contents.erase([2])
    store.points.save(checkpoint(store, 6))
    store.journal.compact(4)
    store.contents.erase([3])
    graph = Graph()
    for entry in store.journal.since(0):
        graph.apply(entry.delta)
    assert sorted(graph.ids().tolist()) == [1, 4, 5, 6]
    assert {(int(a["src"]), int(a["dst"])) for a in graph.arcs()} == {(6, 4)}
