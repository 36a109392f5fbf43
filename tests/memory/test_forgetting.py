"""Forgetting is true erasure."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags.memory.memory import Memory
from mags.memory.views import NodeView
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.settings import Settings

SECRET = "Xyloquartz"


def files_hold(folder: Path, word: str) -> list[str]:
    return [p.name for p in folder.iterdir() if word.lower().encode() in p.read_bytes().lower()]


@pytest.fixture
def memory(opened: Callable[..., Memory], tmp_path: Path) -> Memory:
    memory = opened(tmp_path / "m.mags")
    memory.observe("I live in Oslo.", speaker="Alice", session="s", key="k0")
    memory.observe(f"My password is {SECRET}.", speaker="Alice", session="s", key="k1")
    memory.observe("Bob likes tea.", speaker="Alice", session="s", key="k2")
    return memory


def test_a_phrase_is_gone_from_every_file_and_index(memory: Memory, tmp_path: Path) -> None:
    memory.snapshot("with the secret")
    memory.branch("other").close()
    memory.sleep()
    assert files_hold(tmp_path, SECRET)
    gone = memory.forget(SECRET)
    assert gone.ids
    assert files_hold(tmp_path, SECRET) == []
    assert not any(SECRET in h.text for h in memory.recall("password", k=20))
    memory.close()
    assert files_hold(tmp_path, SECRET) == []


def test_no_rollback_brings_it_back(memory: Memory, tmp_path: Path) -> None:
    memory.snapshot("with the secret")
    memory.forget(SECRET)
    memory.observe("Carol plays chess.", speaker="Alice")
    memory.rollback("with the secret")
    assert not any(SECRET in h.text for h in memory.recall("password", k=20))
    assert "tea" in " ".join(h.text for h in memory.recall("What does Bob like?"))
    assert files_hold(tmp_path, SECRET) == []


def test_a_retried_observe_does_not_bring_it_back(memory: Memory, tmp_path: Path) -> None:
    memory.forget(SECRET)
    again = memory.observe(f"My password is {SECRET}.", speaker="Alice", session="s", key="k1")
    assert again.repeated
    assert files_hold(tmp_path, SECRET) == []


def test_facts_without_another_source_go_with_their_episode(memory: Memory) -> None:
    seen = memory.observe("Ana lives in Rome.", speaker="Alice")
    gone = memory.forget(seen.episode_id)
    assert set(seen.facts) <= set(gone.ids)
    assert memory.facts("Ana") == []


def test_facts_with_another_source_stay(memory: Memory) -> None:
    first = memory.observe("Ana lives in Rome.", speaker="Alice", session="a")
    memory.observe("Ana lives in Rome.", speaker="Bob", session="b")
    memory.forget(first.episode_id)
    assert [f.object for f in memory.facts("Ana")] == ["Rome"]


def test_a_dry_run_only_tells(memory: Memory) -> None:
    before = memory.stats().nodes
    plan = memory.forget("Bob", dry_run=True)
    assert plan.dry_run
    assert plan.ids
    assert memory.stats().nodes == before


def test_the_id_of_an_entity_erases_the_sentence_that_tells_it(memory: Memory) -> None:
    bob = next(node for node in nodes(memory) if (node.kind, node.text) == ("entity", "Bob"))
    plan = memory.forget(bob.id, dry_run=True)
    assert plan == memory.forget("Bob", dry_run=True)
    assert set(plan.texts.values()) == {"Bob likes tea.", "Bob", "tea"}
    memory.forget(bob.id)
    assert not any("Bob" in node.text for node in nodes(memory))


def test_the_id_of_an_entity_that_was_rolled_back_erases_its_sentence_too(
    memory: Memory, tmp_path: Path
) -> None:
    memory.snapshot("before")
    memory.observe("Zorvana lives in Rome.", speaker="Alice")
    zorvana = next(node for node in nodes(memory) if node.text == "Zorvana")
    memory.rollback("before")
    assert memory.forget(zorvana.id, dry_run=True) == memory.forget("Zorvana", dry_run=True)
    memory.forget(zorvana.id)
    assert files_hold(tmp_path, "Zorvana") == []


def test_a_plan_tells_the_words_of_now_and_what_goes_with_them(memory: Memory) -> None:
    (fact,) = memory.facts("Bob")
    memory.snapshot("before")
    memory.edit(fact.id, meta={"object": "coffee"})
    memory.rollback("before")
    plan = memory.forget("tea", dry_run=True)
    assert plan.texts[fact.id] == "Bob likes tea."
    assert plan.earlier == {fact.id: ("Bob likes coffee.",)}
    memory.edit(fact.id, meta={"object": "cocoa"})
    plan = memory.forget(fact.id, dry_run=True)
    assert plan.texts[fact.id] == "Bob likes cocoa."
    assert plan.earlier[fact.id] == ("Bob likes tea.", "Bob likes coffee.")


def test_the_id_of_a_fact_leaves_the_turn_that_told_it(memory: Memory) -> None:
    (fact,) = memory.facts("Bob")
    gone = memory.forget(fact.id)
    assert gone.nodes == {"fact": (fact.id,)}
    assert [node.kind for node in nodes(memory) if node.text == "Bob likes tea."] == ["episode"]


def nodes(memory: Memory) -> list[NodeView]:
    return [memory.get(int(i)) for i in memory.to_networkx().nodes]


NAMES = st.sampled_from(["Ana", "Bob", "Carla Orn", "Rome", "the tea house"])
TOLD = st.one_of(
    st.tuples(
        NAMES,
        st.sampled_from(["lives in", "likes", "works at", "moved to", "is a friend of"]),
        NAMES,
    ).map(" ".join),
    NAMES.map("I like {}".format),
)
TURNS = st.lists(st.tuples(st.sampled_from(["Ana", "Dan", "user"]), TOLD), min_size=1, max_size=8)


@given(before=TURNS, after=TURNS, data=st.data())
def test_a_dry_run_tells_exactly_what_goes(before: list, after: list, data: st.DataObject) -> None:
    with mags.open(
        None, embedder=HashEmbedder(16), settings=Settings(), policy=RulePolicy()
    ) as memory:
        memory.snapshot("start")
        for speaker, text in before:
            memory.observe(f"{text}.", speaker=speaker)
        memory.converse("Where does Ana live?", speaker="Dan")
        memory.rollback("start")
        for speaker, text in after:
            memory.observe(f"{text}.", speaker=speaker)
        held = {one.node: one.text for one in memory._store.contents.scan()}
        shown = {node.id: node for node in nodes(memory)}
        wanted = data.draw(st.sampled_from([*held, *sorted(set(held.values())), "tea", "Orn"]))
        try:
            plan = memory.forget(wanted, dry_run=True)
        except mags.NotFound:
            return
        if isinstance(wanted, int) and wanted in shown and shown[wanted].kind == "entity":
            assert plan == memory.forget(shown[wanted].text, dry_run=True)
        done = memory.forget(wanted)
        left = {one.node for one in memory._store.contents.scan()}
        assert plan.texts == {node: text for node, text in held.items() if node not in left}
        assert set(plan.ids) == set(plan.texts)
        assert done == replace(plan, dry_run=False, texts={})


def test_what_is_not_there_cannot_be_forgotten(memory: Memory) -> None:
    with pytest.raises(mags.NotFound):
        memory.forget("Nonexistium")
    with pytest.raises(mags.NotFound):
        memory.forget(10**9)


def test_another_handle_stops_finding_it(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    other = opened(tmp_path / "m.mags")
    assert any(SECRET in h.text for h in other.recall("password", k=20))
    memory.forget(SECRET)
    assert not any(SECRET in h.text for h in other.recall("password", k=20))
