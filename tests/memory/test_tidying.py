"""Tidying in a thread of its own: it holds up nobody, and keeps nothing that is out of date."""

import threading
from pathlib import Path

import pytest

import mags
from mags.index import search as index_search
from mags.memory import live as live_module
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.ports.store import Checkpoint
from mags.settings import Settings

TURNS = 40


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(index_search, "SCAN_LIMIT", 20)
    monkeypatch.setattr(live_module, "CHECKPOINT_AFTER", 1)
    with mags.open(
        tmp_path / "a.mags", embedder=HashEmbedder(), settings=Settings(), policy=RulePolicy()
    ) as memory:
        yield memory


def fill(memory: Memory, first: int = 0) -> None:
    memory.observe_many([f"Ana{i} moved to Oslo{i} in May." for i in range(first, first + TURNS)])


def test_a_turn_is_written_and_found_while_the_graph_is_built(memory, monkeypatch):
    going, building = threading.Event(), threading.Event()
    build = index_search.VectorSnapshot.build

    def slow(self):
        building.set()
        assert going.wait(60)
        return build(self)

    monkeypatch.setattr(index_search.VectorSnapshot, "build", slow)
    fill(memory)
    assert building.wait(60)
    said = memory.observe("Quentin keeps bees on the roof.")
    assert memory.recall("Who keeps bees?")[0].id == said.episode_id
    going.set()
    memory._live.wait_for_tidying()
    assert not memory._live.state.vectors.stale
    assert memory.recall("Who keeps bees?")[0].id == said.episode_id


def test_a_memory_opened_again_has_what_was_tidied(memory, tmp_path: Path):
    fill(memory)
    memory._live.wait_for_tidying()
    kept = memory._live.store.points.load()
    assert kept is not None
    assert kept.seq == memory._live.state.seq
    assert index_search.GRAPH in {name.removeprefix("vectors.") for name in kept.arrays}


def test_closing_waits_for_the_tidying(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(live_module, "CHECKPOINT_AFTER", 1)
    path = tmp_path / "b.mags"
    with mags.open(
        path, embedder=HashEmbedder(), settings=Settings(), policy=RulePolicy()
    ) as memory:
        fill(memory)
    with mags.open(
        path, embedder=HashEmbedder(), settings=Settings(), policy=RulePolicy()
    ) as memory:
        kept = memory._live.store.points.load()
        assert kept is not None
        assert kept.seq == memory._live.state.seq


def test_a_picture_from_before_an_erasure_is_not_kept(memory):
    fill(memory)
    live = memory._live
    live.wait_for_tidying()
    with live.committed() as state:
        arrays, generation = state.packed(), live.generation
        picture = Checkpoint(
            seq=state.seq, branch=live.store.branch, tick=state.graph.tick, arrays=arrays
        )
    gone = memory.recall("Who moved to Oslo3?")[0].id
    memory.forget(gone)
    live.wait_for_tidying()
    assert not live._save(picture, generation)
    kept = live.store.points.load()
    assert kept is not None
    assert gone not in kept.arrays["graph.nodes"]["id"]


@pytest.mark.parametrize(("turns", "kept"), [(1, False), (2 * TURNS, True)])
def test_a_closed_memory_of_more_than_a_few_turns_is_opened_without_replaying_them(
    tmp_path: Path, turns: int, kept: bool
):
    path = tmp_path / "c.mags"
    with mags.open(
        path, embedder=HashEmbedder(), settings=Settings(), policy=RulePolicy()
    ) as memory:
        for n in range(turns):
            memory.observe(f"Ana{n} moved to Oslo{n} in May.")
    with mags.open(
        path, embedder=HashEmbedder(), settings=Settings(), policy=RulePolicy()
    ) as memory:
        found = memory._live.store.points.load()
        assert (found is not None) == kept
        assert (memory._live._weight == 0.0) == kept
