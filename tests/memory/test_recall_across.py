"""Several memories recalled as one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mags
from mags.errors import InvalidInput
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules import RulePolicy
from mags.settings import Settings

MINE = ("I bought a red bicycle.", "I like strong coffee.", "My sister is called Ada.")
TEAM = ("The release is on Friday.", "Our standup is at nine.", "Bo writes the release notes.")
COMPANY = ("The office closes at eight.", "Holidays are asked for in the portal.")


def memory_of(*lines: str, dimension: int = 64) -> mags.Memory:
    made = mags.open(
        None, settings=Settings(), policy=RulePolicy(), embedder=HashEmbedder(dimension)
    )
    made.observe_many(lines)
    return made


def test_each_hit_comes_with_the_name_of_the_memory_that_holds_it():
    memories = {"mine": memory_of(*MINE), "team": memory_of(*TEAM), "company": memory_of(*COMPANY)}
    for asked, where in (
        ("When is the release?", "team"),
        ("What is my sister called?", "mine"),
        ("When does the office close?", "company"),
    ):
        found = mags.recall_across(memories, asked, k=5)
        assert found[0].memory == where
        held = {name: {hit.id for hit in one.recall(asked, 20)} for name, one in memories.items()}
        assert all(hit.id in held[hit.memory] for hit in found)
        assert [hit.score for hit in found] == sorted((h.score for h in found), reverse=True)
        assert found.context().startswith(f"[{where} m{found[0].id}]")
        assert set(found.traces) == set(memories)


@settings(max_examples=15, deadline=None)
@given(st.permutations(["mine", "team", "company"]), st.integers(1, 9))
def test_the_order_in_which_memories_are_named_changes_nothing(order: list[str], k: int):
    lines = {"mine": MINE, "team": TEAM, "company": COMPANY}
    memories = {name: memory_of(*lines[name]) for name in lines}
    first = mags.recall_across(memories, "Who writes the notes?", k)
    other = mags.recall_across({n: memories[n] for n in order}, "Who writes the notes?", k)
    assert len(first) == min(k, len(first)) == len(other)
    assert {(h.memory, h.id): round(h.score, 3) for h in first} == {
        (h.memory, h.id): round(h.score, 3) for h in other
    }


def test_a_second_that_goes_by_changes_nothing_of_turns_told_just_now():
    now = [1_800_000_000.0]
    with mags.open(
        None, policy=RulePolicy(), embedder=HashEmbedder(64), clock=lambda: now[0]
    ) as memory:
        for line in TEAM:
            memory.observe(line)
            now[0] += 0.3
        first = memory.recall("Who writes the notes?")
        now[0] += 1.0
        later = memory.recall("Who writes the notes?")
    assert [round(hit.score, 4) for hit in first] == [round(hit.score, 4) for hit in later]
    assert all(hit.shares["recency"] == 0.0 for hit in first.trace.hits)


def test_one_memory_is_recalled_in_the_order_of_its_own():
    mine = memory_of(*MINE)
    alone = mine.recall("What did I buy?", 20)
    assert mags.recall_across({"mine": mine}, "What did I buy?")[0].id == alone[0].id


def test_memories_that_hold_nothing_add_nothing():
    memories = {"mine": memory_of(*MINE), "empty": memory_of()}
    assert {hit.memory for hit in mags.recall_across(memories, "coffee")} == {"mine"}
    assert len(mags.recall_across({"empty": memories["empty"]}, "coffee")) == 0


def test_no_memory_and_two_embedders_are_refused():
    with pytest.raises(InvalidInput, match="one memory"):
        mags.recall_across({}, "coffee")
    with pytest.raises(InvalidInput, match="different embedders"):
        mags.recall_across({"a": memory_of(*MINE), "b": memory_of(*TEAM, dimension=32)}, "coffee")
