"""LangGraph's store on a memory, against the real library.

Needs the extra `langgraph` (`make test-full`, or `pip install 'mags[langgraph]'`).
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.settings import Settings

base = pytest.importorskip("langgraph.store.base", reason="needs the extra `langgraph`")
from langgraph.store.memory import InMemoryStore  # noqa: E402

from mags.adapters.langgraph import MagsStore  # noqa: E402

ANA, BO = ("users", "ana"), ("users", "bo")


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


def opened(path: Path | None = None) -> mags.Memory:
    return mags.open(path, embedder=HashEmbedder(64), settings=Settings(), policy=RulePolicy())


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory() -> Iterator[mags.Memory]:
    with opened() as memory:
        yield memory


@pytest.fixture
def store(memory: mags.Memory, clock: Clock) -> MagsStore:
    return MagsStore(memory, clock=clock)


def keys(found) -> list[str]:
    return [item.key for item in found]


def test_an_item_is_read_as_it_was_put_and_keeps_when_it_was_made(store: MagsStore, clock: Clock):
    value = {"food": "I like olives", "n": 1, "deep": {"list": [1, None, {"a": True}]}, "é": "\x00"}
    store.put(ANA, "1", value)
    made = store.get(ANA, "1")
    assert (made.value, made.key, made.namespace) == (value, "1", ANA)
    assert made.created_at == made.updated_at
    clock.now_s += 60
    store.put(ANA, "1", {**value, "n": 2})
    again = store.get(ANA, "1")
    assert (again.value["n"], again.created_at) == (2, made.created_at)
    assert (again.updated_at - made.updated_at).total_seconds() == 60
    assert store.get(ANA, "2") is None
    assert store.get(BO, "1") is None


def test_search_ranks_by_what_is_recalled_and_fills_up_with_the_rest(store: MagsStore):
    store.put(ANA, "moved", {"text": "Ana moved from Lisbon to Porto."})
    store.put(ANA, "tea", {"text": "She drinks green tea every morning."})
    store.put(ANA, "hidden", {"text": "Porto Porto Porto"}, index=False)
    found = store.search(ANA, query="Who moved to Porto?")
    assert found[0].key == "moved"
    assert found[0].score > 0
    assert (found[-1].key, found[-1].score) == ("hidden", None)
    assert keys(store.search(ANA, query="Who moved to Porto?", limit=1)) == ["moved"]
    assert keys(store.search(ANA, query="Who moved to Porto?", limit=5, offset=1))[0] != "moved"
    assert store.search(BO, query="Porto") == []


def test_a_fact_learnt_from_an_item_leads_to_it(store: MagsStore, memory: mags.Memory):
    store.put(ANA, "1", {"text": "My brother is called Bo."})
    for n in range(12):
        store.put(ANA, f"n{n}", {"text": f"It rained for {n} hours in the hills."})
    assert memory.facts()
    assert store.search(ANA, query="Who is the brother?", limit=1)[0].key == "1"


def test_what_one_user_says_of_himself_changes_nothing_for_another(
    store: MagsStore, memory: mags.Memory
):
    store.put(ANA, "home", {"text": "I live in Porto."})
    store.put(BO, "home", {"text": "I live in Oslo."})
    assert sorted(fact.object for fact in memory.facts(current=True)) == ["Oslo", "Porto"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"kind": "a"}, ["1", "3"]),
        ({"n": {"$gt": 1}}, ["2", "3"]),
        ({"n": {"$gte": 1, "$lt": 3}}, ["1", "2"]),
        ({"n": {"$lte": 1}}, ["1"]),
        ({"kind": {"$ne": "a"}}, ["2"]),
        ({"kind": {"$eq": "b"}, "n": 2}, ["2"]),
        ({"tags": ["x", "y"]}, ["3"]),
        ({"deep": {"one": 1}}, ["3"]),
        ({"none": 1}, []),
    ],
)
def test_a_filter_takes_what_has_it(store: MagsStore, wanted: dict, expected: list[str]):
    store.put(ANA, "1", {"kind": "a", "n": 1})
    store.put(ANA, "2", {"kind": "b", "n": 2})
    store.put(ANA, "3", {"kind": "a", "n": 3, "tags": ["x", "y"], "deep": {"one": 1, "two": 2}})
    assert sorted(keys(store.search(ANA, filter=wanted))) == expected


def test_an_unknown_relation_of_a_filter_is_refused(store: MagsStore):
    store.put(ANA, "1", {"n": 1})
    with pytest.raises(mags.InvalidInput, match="gte"):
        store.search(ANA, filter={"n": {"$in": [1]}})


def test_namespaces_are_listed_by_ends_depth_and_page(store: MagsStore):
    for namespace in (("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "c", "f")):
        store.put(namespace, "k", {"x": 1})
    assert store.list_namespaces(prefix=("a", "b"), max_depth=3) == [
        ("a", "b", "c"),
        ("a", "b", "d"),
    ]
    assert store.list_namespaces(suffix=("f",)) == [("a", "c", "f")]
    assert store.list_namespaces(prefix=("a", "*", "d")) == [
        ("a", "b", "d", "e"),
        ("a", "b", "d", "i"),
    ]
    assert store.list_namespaces(limit=1, offset=1) == [("a", "b", "d", "e")]


def test_what_is_deleted_is_gone_from_the_memory_too(store: MagsStore, memory: mags.Memory):
    store.put(ANA, "1", {"text": "Ana keeps Zanzibar geese."})
    store.delete(ANA, "1")
    store.delete(ANA, "never there")
    assert store.get(ANA, "1") is None
    assert store.list_namespaces() == []
    with pytest.raises(mags.NotFound):
        memory.forget("Zanzibar")


def test_another_text_takes_the_place_of_the_old_one(store: MagsStore, memory: mags.Memory):
    store.put(ANA, "1", {"text": "Ana keeps Zanzibar geese."})
    store.put(ANA, "1", {"text": "Ana keeps Tibetan yaks."})
    assert store.get(ANA, "1").value == {"text": "Ana keeps Tibetan yaks."}
    assert keys(store.search(ANA)) == ["1"]
    with pytest.raises(mags.NotFound):
        memory.forget("Zanzibar")


def test_another_value_with_the_same_text_keeps_the_episode(store: MagsStore, memory: mags.Memory):
    store.put(ANA, "1", {"text": "I like tea."}, index=["text"])
    before = memory.stats().nodes["episode"]
    store.put(ANA, "1", {"text": "I like tea.", "seen": 2}, index=["text"])
    assert memory.stats().nodes["episode"] == before
    assert store.get(ANA, "1").value["seen"] == 2


def test_fields_say_what_is_searched(memory: mags.Memory):
    store = MagsStore(memory, fields=["notes[*].body"])
    store.put(ANA, "1", {"title": "Porto", "notes": [{"body": "On geese."}, {"body": "On yaks."}]})
    store.put(ANA, "2", {"title": "On geese and yaks"})
    texts = [memory.get(hit.id).text for hit in memory.recall("geese", k=20).hits]
    assert "On geese.\nOn yaks." in texts
    assert not any("geese and yaks" in text for text in texts)
    scored = {item.key: item.score for item in store.search(ANA, query="geese")}
    assert scored["1"] > 0
    assert scored["2"] is None


def test_an_item_ends_so_many_minutes_after_it_was_read_last(store: MagsStore, clock: Clock):
    store.put(ANA, "1", {"text": "soon"}, ttl=10)
    store.put(ANA, "2", {"text": "never"})
    clock.now_s += 9 * 60
    assert store.get(ANA, "1") is not None
    clock.now_s += 9 * 60
    assert store.get(ANA, "1", refresh_ttl=False) is not None
    clock.now_s += 2 * 60
    assert store.get(ANA, "1") is None
    assert keys(store.search(ANA)) == ["2"]
    assert store.sweep_ttl() == 1
    assert store.sweep_ttl() == 0


def test_the_default_time_to_live_is_the_configured_one(memory: mags.Memory, clock: Clock):
    store = MagsStore(memory, clock=clock, ttl={"default_ttl": 1, "refresh_on_read": False})
    store.put(ANA, "1", {"text": "soon"})
    store.put(ANA, "2", {"text": "never"}, ttl=None)
    clock.now_s += 50
    store.get(ANA, "1")
    clock.now_s += 50
    store.put(ANA, "3", {"text": "sweeps"})
    assert sorted(keys(store.search(ANA))) == ["2", "3"]


def test_what_was_prolonged_is_so_after_it_is_opened_again(tmp_path: Path, clock: Clock):
    with opened(tmp_path / "a.mags") as memory:
        store = MagsStore(memory, clock=clock)
        store.put(ANA, "1", {"text": "soon"}, ttl=10)
        clock.now_s += 9 * 60
        store.search(ANA)
    clock.now_s += 9 * 60
    with opened(tmp_path / "a.mags") as memory:
        assert MagsStore(memory, clock=clock).get(ANA, "1") is not None


def test_two_stores_on_one_memory_see_each_other(memory: mags.Memory, clock: Clock):
    one, other = MagsStore(memory, clock=clock), MagsStore(memory, clock=clock)
    one.put(ANA, "1", {"text": "a"})
    assert other.get(ANA, "1").value == {"text": "a"}
    other.put(ANA, "1", {"text": "b"})
    assert one.get(ANA, "1").value == {"text": "b"}
    one.delete(ANA, "1")
    assert other.get(ANA, "1") is None


def test_what_the_memory_takes_back_the_store_does_not_have(memory: mags.Memory, store: MagsStore):
    store.put(ANA, "1", {"text": "before"})
    memory.snapshot("then")
    store.put(ANA, "2", {"text": "after"})
    memory.rollback("then")
    assert keys(store.search(ANA)) == ["1"]


def test_of_two_that_a_crash_left_the_later_one_counts(store: MagsStore, memory: mags.Memory):
    store.put(ANA, "1", {"text": "old"})
    erase, store._kept.erase = store._kept.erase, lambda episode: None
    store.put(ANA, "1", {"text": "new"})
    store._kept.erase = erase
    assert memory.stats().nodes["episode"] == 2
    assert store.get(ANA, "1").value == {"text": "new"}
    assert keys(store.search(ANA)) == ["1"]
    store.put(ANA, "2", {"text": "sweeps"})
    assert memory.stats().nodes["episode"] == 2


def test_the_rest_of_the_memory_is_no_item(store: MagsStore, memory: mags.Memory):
    memory.observe("Ana lives in Porto.", attrs={"caption": "langgraph"})
    store.put(ANA, "1", {"text": "Ana likes tea."})
    assert keys(store.search((), query="Ana")) == ["1"]


@pytest.mark.parametrize("value", [{"x": object()}, {"x": {1, 2}}, {"x": "a" * 1_000_001}])
def test_what_cannot_be_kept_is_refused_and_changes_nothing(store: MagsStore, value: dict):
    store.put(ANA, "1", {"x": 1})
    with pytest.raises(mags.InvalidInput):
        store.put(ANA, "1", value)
    assert store.get(ANA, "1").value == {"x": 1}


def test_the_library_checks_namespaces(store: MagsStore):
    for namespace in ((), ("a.b",), ("langgraph", "x"), ("",)):
        with pytest.raises(ValueError, match=r"[Nn]amespace"):
            store.put(namespace, "1", {"x": 1})


def test_it_works_from_a_loop_and_in_batches(store: MagsStore):
    async def work():
        await store.aput(ANA, "1", {"text": "I like tea."})
        item = await store.aget(ANA, "1")
        found = await store.asearch(ANA, query="tea")
        await store.adelete(ANA, "1")
        return item, found, await store.alist_namespaces()

    item, found, left = asyncio.run(work())
    assert (item.value, keys(found), left) == ({"text": "I like tea."}, ["1"], [])
    answers = store.batch(
        [
            base.PutOp(ANA, "1", {"n": 1}),
            base.PutOp(ANA, "1", {"n": 2}),
            base.GetOp(ANA, "1"),
        ]
    )
    assert answers == [None, None, None]  # reading comes first, as in LangGraph's own store
    assert store.get(ANA, "1").value == {"n": 2}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
VALUE = st.dictionaries(st.text(max_size=8), JSON, max_size=4)
PLACE = st.sampled_from([ANA, BO, ("users",), ("notes", "ana", "2026")])
KEY = st.sampled_from("abc")
STEP = st.one_of(
    st.tuples(st.just("put"), PLACE, KEY, VALUE, st.sampled_from([None, False])),
    st.tuples(st.just("delete"), PLACE, KEY),
)


@given(st.lists(STEP, max_size=12))
def test_it_holds_what_the_librarys_own_store_holds(steps: list):
    with opened() as memory:
        mine, theirs = MagsStore(memory), InMemoryStore()
        for name, namespace, key, *rest in steps:
            for store in (mine, theirs):
                getattr(store, name)(namespace, key, *rest)
        there = [item for prefix in ((), ("users",)) for item in theirs.search(prefix, limit=99)]
        here = [item for prefix in ((), ("users",)) for item in mine.search(prefix, limit=99)]
        assert _plain(here) == _plain(there)
        known = {item.namespace for item in there}
        assert mine.list_namespaces() == sorted(known)
        reopened = MagsStore(memory)
        assert _plain(reopened.search((), limit=99)) == _plain(mine.search((), limit=99))


def _plain(items) -> list:
    return sorted((item.namespace, item.key, repr(item.value)) for item in items)
