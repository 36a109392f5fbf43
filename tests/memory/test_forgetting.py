"""Forgetting is true erasure."""

from collections.abc import Callable
from pathlib import Path

import pytest

import mags
from mags.memory.memory import Memory

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
