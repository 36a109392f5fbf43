"""What every store promises, whichever it is."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mags.errors import InvalidInput, KeyConflict, NotFound, StoreClosed
from mags.graph.delta import Changes
from mags.graph.records import ARC, NODE, ArcKind, Content, NodeKind, blank_arc, blank_node
from mags.ports.store import Mark, Store
from tests.store.samples import VECTOR, checkpoint, content, failing_block, note, same, seen, seqs
from tests.store.server import KINDS, new_store


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = new_store(request.param, tmp_path)
    yield store
    store.close()


# -- journal -------------------------------------------------------------------


def test_a_new_memory_is_empty(store: Store):
    assert (store.branch, store.journal.head(), seqs(store)) == ("main", 0, [])
    assert store.points.load() is None
    assert store.points.marks() == []
    assert store.facts.branches() == [Mark(name="main", branch="", seq=0, recorded_at=0.0)]


def test_entries_come_back_in_order_and_without_words(store: Store):
    deltas = [note(i, "a word", after=i - 1) for i in (1, 2, 3)]
    assert [store.journal.append(delta) for delta in deltas] == [1, 2, 3]
    entries = list(store.journal.since(1))
    assert [(e.seq, e.branch) for e in entries] == [(2, "main"), (3, "main")]
    assert [e.delta for e in entries] == [replace(d, contents=()) for d in deltas[1:]]
    assert store.journal.head() == 3


def test_a_key_brings_back_its_delta(store: Store):
    delta = note(1, key="k")
    store.journal.append(delta)
    assert store.journal.find_key("k") == delta
    assert store.journal.find_key("other") is None


def test_a_key_is_written_once_in_an_ancestry(store: Store):
    store.journal.append(note(1, key="k"))
    child = store.fork("child")
    for place in (store, child):
        with pytest.raises(KeyConflict):
            place.journal.append(note(2, "lost", key="k"))
    assert seqs(store) == [1]
    assert list(store.contents.scan()) == []
    child.close()


def test_siblings_may_use_the_same_key(store: Store):
    children = [store.fork(name) for name in ("left", "right")]
    for number, child in enumerate(children, 1):
        child.journal.append(note(number, key="k"))
    assert [child.journal.find_key("k").result["id"] for child in children] == [1, 2]
    assert store.journal.find_key("k") is None
    for child in children:
        child.close()


# -- branches ------------------------------------------------------------------


def test_a_branch_sees_its_ancestors_up_to_the_fork(store: Store):
    store.journal.append(note(1))
    child = store.fork("child", 5.0)
    assert child.journal.head() == 1
    store.journal.append(note(2))
    child.journal.append(note(3))
    grandchild = child.fork("grandchild")
    child.journal.append(note(4))
    grandchild.journal.append(note(5))
    assert (seqs(store), seqs(child), seqs(grandchild)) == ([1, 2], [1, 3, 4], [1, 3, 5])
    assert seqs(grandchild, 2) == [3, 5]
    assert store.facts.branches() == [
        Mark(name="main", branch="", seq=0, recorded_at=0.0),
        Mark(name="child", branch="main", seq=1, recorded_at=5.0),
        Mark(name="grandchild", branch="child", seq=3, recorded_at=0.0),
    ]
    child.close()
    grandchild.close()


@pytest.mark.parametrize("name", ["main", "", "a\nb", "x" * 201])
def test_a_branch_needs_a_new_and_printable_name(store: Store, name: str):
    with pytest.raises(InvalidInput):
        store.fork(name)


def test_closing_a_branch_leaves_the_others_open(store: Store):
    child = store.fork("child")
    child.close()
    child.close()
    with pytest.raises(StoreClosed):
        child.journal.head()
    assert store.journal.append(note(1)) == 1


def test_a_closed_store_says_so(store: Store):
    store.close()
    for use in (
        lambda: store.journal.append(note(1)),
        lambda: store.journal.since(0),
        lambda: store.contents.next_id(1),
        lambda: store.points.load(),
        lambda: store.facts.get("secret"),
        lambda: store.fork("child"),
    ):
        with pytest.raises(StoreClosed, match="open it again"):
            use()


# -- writing -------------------------------------------------------------------


def test_a_block_that_raises_leaves_nothing_but_its_ids(store: Store):
    store.journal.append(note(1, "kept", key="k1"))
    store.points.save(checkpoint(store, 1, 1))
    before = (seen(store.journal.since(0)), store.facts.size())
    with failing_block(store):
        first = store.contents.next_id(10)
        store.journal.append(note(2, "lost", key="k2"))
        store.facts.put("name", "lost")
        store.points.mark("lost", 2, 0.0)
        store.contents.put_vectors([1], np.zeros((1, 8), np.float16), [b""])
        store.contents.erase([1])
        store.fork("lost").close()
        assert (seqs(store), store.points.load()) == ([1, 2], None)
    after = (seen(store.journal.since(0)), store.facts.size())
    assert after[0] == before[0]
    assert {k: v for k, v in after[1].items() if k != "bytes"} == {
        k: v for k, v in before[1].items() if k != "bytes"
    }
    assert store.journal.find_key("k2") is None
    assert store.facts.get("name") is None
    assert store.points.marks() == []
    assert len(store.facts.branches()) == 1
    assert store.facts.forgotten().tolist() == []
    assert [c.vector.tobytes() for c in store.contents.scan()] == [VECTOR.tobytes()]
    assert store.contents.next_id(1) == first + 10
    assert store.journal.append(note(2, key="k2")) == 2


def test_a_step_that_fails_leaves_the_rest_of_its_block(store: Store):
    with store.writing():
        store.journal.append(note(1, key="k"))
        with pytest.raises(KeyConflict):
            store.journal.append(note(2, key="k"))
        with failing_block(store):
            store.journal.append(note(3))
        store.journal.append(note(4))
    assert [e.delta.result["id"] for e in store.journal.since(0)] == [1, 4]


def test_threads_take_turns_and_lose_nothing(store: Store):
    def write(first: int) -> None:
        for i in range(10):
            with store.writing():
                taken = store.contents.next_id(1)
                store.journal.append(note(taken, "a word", key=f"{first}-{i}"))
                assert store.contents.get([taken])[0].text == "a word"

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seqs(store) == list(range(1, 41))
    assert sorted(c.id for c in store.contents.scan()) == list(range(1, 41))


# -- contents ------------------------------------------------------------------


def test_contents_come_back_in_the_order_asked(store: Store):
    words = content(1, "Zürich 日本 \x00 🐟", speaker="Ada", attrs={"a": [1, None, 2.5]})
    store.journal.append(replace(note(1), contents=(words, content(2, ""))))
    found = store.contents.get([2, 1, 2])
    assert found == [replace(c, vector=None) for c in (content(2, ""), words, content(2, ""))]


def test_scan_brings_vectors_and_takes_a_choice_of_nodes(store: Store):
    parts = (content(3), content(1), Content(id=9, node=1, text="newer"))
    store.journal.append(replace(note(1), contents=parts))
    assert [c.id for c in store.contents.scan()] == [1, 3, 9]
    assert [c.id for c in store.contents.scan([1])] == [1, 9]
    first, last = store.contents.scan([1])
    assert first.vector.tobytes() == VECTOR.tobytes()
    assert first.vector.dtype == np.float16
    assert last.vector is None


def test_what_is_not_there_is_named(store: Store):
    with pytest.raises(NotFound, match="no content 7"):
        store.contents.get([7])
    with pytest.raises(NotFound, match="no content 7"):
        store.contents.put_vectors([7], np.zeros((1, 8), np.float16), [b""])


def test_contents_are_immutable(store: Store):
    store.journal.append(note(1, "first"))
    with pytest.raises(InvalidInput, match="immutable"):
        store.journal.append(note(1, "second"))
    assert (seqs(store), store.contents.get([1])[0].text) == ([1], "first")


@pytest.mark.parametrize("bad", [Content(id=1, node=1, text="\ud800"), content(1, x={1, 2})])
def test_words_that_cannot_be_kept_are_refused(store: Store, bad: Content):
    with pytest.raises(InvalidInput, match="cannot be kept"):
        store.journal.append(replace(note(1), contents=(bad,)))
    assert seqs(store) == []


def test_new_vectors_replace_the_old_and_drop_the_checkpoints(store: Store):
    store.journal.append(replace(note(1), contents=(content(1), content(2))))
    store.points.save(checkpoint(store, 1, 1))
    store.contents.put_vectors([2, 1], np.array([[1, 2], [3, 4]], np.float16), [b"", b""])
    assert [c.vector.tolist() for c in store.contents.scan()] == [[3, 4], [1, 2]]
    assert store.points.load() is None


def test_tokens_are_kept_beside_the_words_on_every_branch(store: Store):
    said = [replace(content(1), tokens=b"one"), content(2), replace(content(3), tokens=b"three")]
    store.journal.append(replace(note(1), contents=tuple(said)))
    child = store.fork("child")
    for place in (store, child):
        assert place.contents.tokens([3, 2, 1, 9, 3]) == [b"three", b"", b"one", b"", b"three"]
        assert not any(c.tokens for c in (*place.contents.get([1]), *place.contents.scan()))
    child.contents.put_vectors([1, 2], np.ones((2, 4), np.float16), [b"", b"two"])
    assert store.contents.tokens([1, 2, 3]) == [b"", b"two", b"three"]
    with failing_block(store):
        store.contents.put_vectors([3], np.ones((1, 4), np.float16), [b"lost"])
    assert store.contents.tokens([3]) == [b"three"]
    child.close()


def test_an_erased_node_leaves_no_tokens(store: Store):
    said = [replace(content(node), tokens=b"words" * 9) for node in (1, 2)]
    store.journal.append(replace(note(1), contents=tuple(said)))
    store.contents.erase([1])
    assert store.contents.tokens([1, 2]) == [b"", b"words" * 9]


def test_ids_are_never_given_twice(store: Store):
    child = store.fork("child")
    firsts = [place.contents.next_id(n) for n in (1, 5, 2) for place in (store, child)]
    assert firsts == [1, 2, 3, 8, 13, 15]
    with pytest.raises(InvalidInput):
        store.contents.next_id(0)
    child.close()


# -- erasing -------------------------------------------------------------------


def test_an_erased_node_is_gone_from_every_branch(store: Store):
    store.journal.append(note(1, "secret", key="k1"))
    store.journal.append(note(2, "kept", after=1))
    child = store.fork("child")
    child.journal.append(note(3, "kept", after=1))
    for place in (store, child):
        place.points.save(checkpoint(place, place.journal.head(), 1, 2))
    assert store.contents.erase([1, 99]) == 1
    for place in (store, child):
        assert place.points.load() is None
        assert place.facts.forgotten().tolist() == [1, 99]
        for entry in place.journal.since(0):
            assert 1 not in entry.delta.nodes.after["id"].tolist()
            assert len(entry.delta.arcs) == 0
    assert [c.text for c in store.contents.scan()] == ["kept", "kept"]
    assert store.contents.erase([1]) == 0
    child.close()


def test_the_past_is_all_that_ever_was_on_every_branch_and_is_not_forgotten(store: Store):
    told = blank_node(id=1, kind=NodeKind.EPISODE, content=1)
    made = [blank_arc(2, 1, ArcKind.SOURCE), blank_arc(2, 1, ArcKind.ASSOCIATION)]
    first = note(2, "made")
    store.journal.append(
        replace(
            first,
            nodes=Changes.of(NODE, [(None, told), (None, first.nodes.after)]),
            arcs=Changes.of(ARC, [(None, arc) for arc in made]),
        )
    )
    child = store.fork("child")
    pinned = child.journal.append(note(3, "elsewhere"))
    gone = store.journal.append(replace(note(2).inverse(), kind="rollback"))
    assert gone > pinned
    for place in (store, child):
        past = place.journal.past()
        assert past.nodes["id"].tolist() == [1, 2, 3]
        assert past.links.tolist() == [(2, 1, ArcKind.SOURCE)]
        assert past.into(np.array([1]), ArcKind.SOURCE)["src"].tolist() == [2]
        assert past.out_of(np.array([1]), ArcKind.SOURCE).tolist() == []
    store.contents.erase([1])
    past = child.journal.past()
    assert (past.nodes["id"].tolist(), past.links.tolist()) == ([2, 3], [])
    child.close()


def test_the_key_of_an_erased_node_stays(store: Store):
    store.journal.append(note(1, "secret", key="k1"))
    store.contents.erase([1])
    found = store.journal.find_key("k1")
    assert (found.payload, found.result, len(found.nodes)) == ("payload of k1", {"id": 1}, 0)


def test_nothing_brings_an_erased_node_back(store: Store):
    store.journal.append(note(1, "secret"))
    stale = checkpoint(store, 1, 1)
    store.contents.erase([1])
    with pytest.raises(NotFound, match="forgotten"):
        store.journal.append(replace(note(2), contents=(Content(id=5, node=1, text="secret"),)))
    with pytest.raises(InvalidInput, match="catch up"):
        store.points.save(stale)
    assert (seqs(store), store.points.load()) == ([1], None)


# -- checkpoints and snapshots ---------------------------------------------------


def test_a_checkpoint_comes_back_to_the_bit_and_is_replaced(store: Store):
    store.journal.append(note(1))
    store.journal.append(note(2))
    for seq in (1, 2):
        point = checkpoint(store, seq, *range(seq))
        store.points.save(point)
        assert same(store.points.load(), point)
    loaded = store.points.load()
    loaded.arrays["vectors.rows"][:] = 9
    assert same(store.points.load(), checkpoint(store, 2, 0, 1))
    assert store.facts.size()["checkpoints"] == 1


def test_a_branch_starts_from_its_ancestors_checkpoint_before_the_fork(store: Store):
    store.journal.append(note(1))
    store.points.save(checkpoint(store, 1))
    child = store.fork("child")
    assert child.points.load().branch == "main"
    store.journal.append(note(2))
    store.points.save(checkpoint(store, 2))
    assert child.points.load() is None
    child.journal.append(note(3))
    child.points.save(checkpoint(child, 3))
    assert (child.points.load().seq, store.points.load().seq) == (3, 2)
    child.close()


def test_a_checkpoint_that_would_hide_something_is_refused(store: Store):
    store.journal.append(note(1))
    for wrong in (
        checkpoint(store, 2),
        replace(checkpoint(store, 1), branch="other"),
        replace(checkpoint(store, 1), arrays={"x": np.array([None])}),
    ):
        with pytest.raises(InvalidInput):
            store.points.save(wrong)


def test_snapshots_are_named_and_moved(store: Store):
    for i in (1, 2, 3):
        store.journal.append(note(i))
    store.points.mark("b", 2, 7.0)
    store.points.mark("a", 3, 8.0)
    store.points.mark("a", 1, 9.0)
    assert [(m.name, m.seq, m.recorded_at) for m in store.points.marks()] == [
        ("a", 1, 9.0),
        ("b", 2, 7.0),
    ]
    for seq in (4, -1):
        with pytest.raises(InvalidInput):
            store.points.mark("c", seq, 0.0)


def test_a_branch_sees_the_snapshots_of_its_ancestors_before_the_fork(store: Store):
    for i in (1, 2):
        store.journal.append(note(i))
    store.points.mark("early", 1, 0.0)
    child = store.fork("child")
    store.journal.append(note(3))
    store.points.mark("late", 3, 0.0)
    child.journal.append(note(4))
    child.points.mark("own", 4, 0.0)
    assert [m.name for m in child.points.marks()] == ["early", "own"]
    assert [m.name for m in store.points.marks()] == ["early", "late"]
    child.close()
