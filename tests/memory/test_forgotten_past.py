"""Whatever was told and taken back: nothing outlives the turns that alone it was derived from."""

import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags import inspect
from mags.graph.delta import PastGraph
from mags.graph.records import ArcKind, NodeKind
from mags.memory.memory import Memory
from mags.models.answer.llm import LlmAnswerer
from mags.models.chat.scripted import ScriptedChat
from mags.models.prompts import load_prompts
from tests.memory.replaying import assert_whole
from tests.memory.test_history_laws import DEEDS, LAWS, World


def derived(past: PastGraph) -> set[int]:
    """Facts and notes that have a source, and that nobody gave by hand."""
    made = np.isin(past.nodes["kind"], [int(NodeKind.FACT), int(NodeKind.NOTE)])
    sourced = past.out_of(past.nodes["id"][made], ArcKind.SOURCE)["src"]
    return set(np.setdiff1d(sourced, past.given).tolist())


def told_by_others(past: PastGraph, gone: np.ndarray) -> set[int]:
    """Facts and notes of what stays, about what stays, that another source has ever told."""
    kept = past.links[~np.isin(past.links["dst"], gone)]
    told = set(kept["src"][kept["kind"] == int(ArcKind.SOURCE)].tolist())
    return told - set(past.into(gone, ArcKind.SUBJECT, ArcKind.OBJECT)["src"].tolist())


@LAWS
@given(st.lists(DEEDS, min_size=1, max_size=6), st.lists(DEEDS, max_size=4), st.data())
def test_what_is_derived_keeps_a_source_or_goes(before: list, after: list, data) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.memory.snapshot("start")
        for deed in before:
            world.do(*deed)
        world.memory.rollback("start")
        for deed in after:
            world.do(*deed)
        journal = world.memory._store.journal
        told = journal.past().nodes
        episodes = told["id"][told["kind"] == int(NodeKind.EPISODE)].tolist()
        if not episodes:
            return
        had = derived(journal.past())
        before_it = journal.past()
        forgotten = data.draw(st.sampled_from(episodes))
        gone = world.memory.forget(forgotten)
        left = journal.past()
        assert had & set(left.nodes["id"].tolist()) == derived(left)
        assert not told_by_others(before_it, np.array(gone.ids)) & set(gone.ids)
        about = before_it.into(np.array(gone.ids), ArcKind.SUBJECT, ArcKind.OBJECT)["src"]
        assert set(before_it.given) - set(about.tolist()) <= set(left.nodes["id"].tolist())
        kept = {content.node for content in world.memory._store.contents.scan()}
        assert not kept & {*gone.past, *(i for ids in gone.nodes.values() for i in ids)}
        assert_whole(world.memory)
        world.memory.close()


@pytest.fixture
def memory(opened: Callable[..., Memory], tmp_path: Path) -> Memory:
    return opened(tmp_path / "m.mags")


def words_of(memory: Memory) -> set[str]:
    """The texts of all that can still come back."""
    return {content.text for content in memory._store.contents.scan()}


def facts_of(memory: Memory) -> list[str]:
    """What holds and held, in words."""
    return sorted(fact.text for fact in memory.facts())


def test_what_later_turns_tell_of_somebody_comes_back_though_his_first_turn_is_forgotten(
    memory: Memory,
) -> None:
    said = memory.observe("I work for Xylocorp.", speaker="Bob").episode_id
    memory.snapshot("early")
    memory.observe("I like tea.", speaker="Bob")
    memory.observe("Ana lives in Rome.", speaker="Alice")
    memory.snapshot("late")
    memory.rollback("early")
    gone = memory.forget(said)
    assert gone.parted, "Bob himself, whom nothing here speaks of now"
    assert facts_of(memory) == []
    memory.rollback("late")
    assert facts_of(memory) == ["Ana lives in Rome.", "Bob likes tea."]
    assert_whole(memory)


def test_a_fact_given_by_hand_outlives_the_turn_that_said_it_too(memory: Memory) -> None:
    given = memory.assert_fact("Bob", "works at", "Xylocorp").facts
    said = memory.observe("Bob works for Xylocorp.", speaker="Alice")
    assert said.confirmed == given
    gone = memory.forget(said.episode_id)
    assert not {*gone.ids, *gone.parted} & set(given)
    assert facts_of(memory) == ["Bob works at Xylocorp."]
    assert_whole(memory)


def test_a_fact_told_by_a_turn_and_then_given_by_hand_needs_the_turn_no_more(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = opened(tmp_path / "m.mags")
    said = memory.observe("Bob works for Xylocorp.", speaker="Alice")
    memory.assert_fact("Bob", "works at", "Xylocorp")
    memory.observe("I like tea.", speaker="Bob")
    memory._live.checkpoint()
    assert memory._live.store.journal.compact(memory.stats().seq) > 0
    memory.forget(said.episode_id)
    assert facts_of(memory) == ["Bob likes tea.", "Bob works at Xylocorp."]
    memory.export(tmp_path / "all.jsonl")
    new = opened(tmp_path / "new.mags")
    new.import_(tmp_path / "all.jsonl")
    again = new.observe("Bob works for Xylocorp.", speaker="Alice")
    new.forget(again.episode_id)
    assert facts_of(new) == ["Bob likes tea.", "Bob works at Xylocorp."]


def test_a_fact_given_by_hand_goes_with_whom_it_is_about(memory: Memory) -> None:
    (given,) = memory.assert_fact("Bob", "works at", "Xylocorp").facts
    memory.observe("Bob works for Xylocorp.", speaker="Alice")
    assert given in memory.forget("Bob").ids
    assert memory.facts() == []


def test_a_fact_given_by_hand_and_rolled_back_comes_back_with_its_snapshot(
    memory: Memory,
) -> None:
    said = memory.observe("Bob works for Xylocorp.", speaker="Alice").episode_id
    memory.snapshot("told")
    memory.assert_fact("Bob", "works at", "Xylocorp")
    memory.snapshot("given")
    memory.rollback("told")
    gone = memory.forget(said)
    assert gone.parted, "here nothing tells it now"
    assert memory.facts() == []
    memory.rollback("given")
    assert facts_of(memory) == ["Bob works at Xylocorp."]
    assert_whole(memory)


def test_what_another_branch_was_told_of_somebody_stays_there(memory: Memory) -> None:
    said = memory.observe("I work for Xylocorp.", speaker="Bob").episode_id
    with memory.branch("other") as other:
        other.observe("Bob works for Xylocorp.", speaker="Alice")
        other.observe("I like tea.", speaker="Bob")
        memory.forget(said)
        assert memory.facts() == []
        assert facts_of(other) == ["Bob likes tea.", "Bob works at Xylocorp."]
        assert "tea" in other.ask("What does Bob like?").text
        assert_whole(other)
    assert_whole(memory)


def test_a_theme_that_once_quoted_what_is_forgotten_goes(memory: Memory) -> None:
    def told(words: str, times: int) -> list[int]:
        said = (f"{words} {i}." for i in range(times))
        return [memory.observe(text, speaker="Al").episode_id for text in said]

    def tie(ids: list[int], weight: float) -> None:
        for one, other in itertools.permutations(ids, 2):
            inspect.associate(memory, one, other, weight)

    garden = told("The garden and tea, time", 6)
    tie(garden, 0.9)
    memory.sleep()
    memory.snapshot("before")
    secret = told("Xyloquartz secret and garden", 5)
    tie(garden + secret, 0.95)
    tie(garden + secret, 0.95)
    memory.sleep()
    memory.snapshot("after")
    themes = {
        one.text for one in map(memory.get, memory.to_networkx().nodes) if one.kind == "theme"
    }
    assert any("Xyloquartz" in text for text in themes)
    memory.rollback("before")
    for one in secret:
        memory.forget(one)
    assert not any("Xyloquartz" in text for text in words_of(memory))
    memory.rollback("after")
    assert_whole(memory)


@pytest.mark.parametrize("rolled_back", [False, True])
def test_an_answer_that_cites_an_answer_goes_with_it(
    opened: Callable[..., Memory], tmp_path: Path, rolled_back: bool
) -> None:
    cited: list[int] = []

    def says(words: str) -> Callable[..., str]:
        return lambda _: f"{words} [m{cited[-1]}]"

    chat = ScriptedChat([says("She is at Xylocorp."), says("As I said, at Xylocorp.")])
    memory = opened(tmp_path / "m.mags", answerer=LlmAnswerer(chat, load_prompts()))
    memory.snapshot("start")
    seen = memory.observe("I work for Xylocorp.", speaker="Alice")
    cited.append(seen.facts[0])
    first = memory.converse("Whom does Alice work for?", speaker="Bob")
    assert [one.id for one in first.citations] == cited
    cited.append(newest(memory))
    second = memory.converse("What did mags say of whom Alice works for?", speaker="Bob")
    assert [one.id for one in second.citations] == cited[1:]
    if rolled_back:
        memory.rollback("start")
    memory.forget(seen.episode_id)
    assert not any("Xylocorp" in text for text in words_of(memory))


def newest(memory: Memory) -> int:
    """The episode that was kept last."""
    nodes = map(memory.get, memory.to_networkx().nodes)
    return max(node.id for node in nodes if node.kind == "episode")


def test_numbers_in_an_answer_that_cite_nothing_are_no_citations(memory: Memory) -> None:
    said = memory.observe("I live in Oslo.", speaker="Alice").episode_id
    memory.observe(f"The shelf needs m{said} screws.", speaker="mags", attrs={"recalled": "yes"})
    memory.observe("m" + "1" * 5_000, speaker="mags", attrs={"recalled": "yes"})
    gone = memory.forget(said)
    assert gone.nodes["episode"] == (said,)


def test_an_answer_cites_by_the_new_ids_after_an_import(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    old = opened(tmp_path / "old.mags")
    old.observe("My code is Xyloquartz.", speaker="Alice")
    old.converse("What is the code of Alice?", speaker="Bob")
    old.export(tmp_path / "all.jsonl")
    new = opened(tmp_path / "new.mags")
    new.observe("I live in Oslo.", speaker="Kim")
    new.import_(tmp_path / "all.jsonl")
    nodes = map(new.get, new.to_networkx().nodes)
    (said,) = (one.id for one in nodes if one.text == "My code is Xyloquartz.")
    new.forget(said)
    assert not any("Xyloquartz" in text for text in words_of(new))


def test_what_a_comparison_showed_is_not_kept_once_forgotten(memory: Memory) -> None:
    memory.snapshot("start")
    said = memory.observe("I work for Xylocorp.", speaker="Bob").episode_id
    memory.snapshot("told")
    memory.rollback("start")
    assert any("Xylocorp" in one.text for one in memory.diff("told").removed)
    memory.forget(said)
    with memory._live.reading() as state:
        held = [content.text for content in state._words._held.values()]
    assert not any("Xylocorp" in text for text in held)
