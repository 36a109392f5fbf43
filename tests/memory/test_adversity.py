"""Full disks, files that may only be read, damaged checkpoints: said, survived, nothing lost."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import mags
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.ports.policy import Route
from mags.settings import Settings
from mags.store.database import go_on
from tests.memory.replaying import assert_whole, digest


def room(memory: Memory, pages: int | None) -> None:
    """Let the file of a memory grow by so many pages only."""
    writer = memory._live.store._branch.database._writer
    most = 2**30 if pages is None else writer.pragma("page_count") + pages
    writer.pragma("max_page_count", most)


@pytest.fixture
def memory(opened: Callable[..., Memory], tmp_path: Path) -> Memory:
    memory = opened(tmp_path / "m.mags")
    memory.observe("I live in Oslo.", speaker="Ana", session="s", key="k")
    return memory


def test_a_full_disk_is_said_and_loses_nothing(memory: Memory) -> None:
    room(memory, 60)
    told: list[tuple[int, str]] = []

    def tell() -> None:
        text = f"Turn {len(told)} is " + "long " * 200
        told.append((memory.observe(text, key=f"k{len(told)}").episode_id, text))

    with pytest.raises(mags.StoreFull, match="free some space"):
        tuple(iter(tell, "full"))
    assert len(told) > 3
    before = digest(memory)
    assert_whole(memory)
    for i, text in told:
        assert memory.get(i).text == text
    for write in (
        lambda: memory.observe_many(["long " * 8_000] * 3),
        lambda: memory.edit(told[0][0], text="long " * 20_000),
        lambda: memory.observe("long " * 20_000),
    ):
        with pytest.raises(mags.StoreFull):
            write()
    assert digest(memory) == before
    room(memory, None)
    memory.observe("There is room again.")
    memory.sleep()
    assert_whole(memory)


def test_an_answer_is_given_though_the_disk_is_full(memory: Memory) -> None:
    memory.observe_many([f"Line {i}." for i in range(30)])
    room(memory, 2)
    for size in (20_000, 2_000, 200):
        with pytest.raises(mags.StoreFull):
            memory.observe_many(["word " * size, *(f"Line {i}." for i in range(60))])
    for _ in range(200):
        reply = memory.ask("Where does Ana live?")
        assert "Oslo" in reply.text
        if reply.warnings:
            break
    assert "not strengthened" in reply.warnings[0]
    room(memory, None)
    assert memory.ask("Where does Ana live?").warnings == ()
    assert_whole(memory)


def test_a_sleep_that_was_due_and_failed_does_not_take_the_turn(
    opened: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise mags.StoreFull("the disk is full")

    memory = opened(settings=Settings(memory=MemorySettings(sleep_every=1)))
    monkeypatch.setattr(memory._sleeper, "sleep", fail)
    for seen in (memory.observe("Bob likes tea."), memory.observe_many(["Hello you."])[-1]):
        assert memory.get(seen.episode_id)
        assert "the disk is full" in seen.warnings[0]


def test_a_read_only_memory_answers_and_says_that_nothing_was_learned(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    reader = opened(tmp_path / "m.mags", read_only=True)
    reply = reader.ask("Where does Ana live?")
    assert "Oslo" in reply.text
    assert "read_only" in reply.warnings[0]
    assert reader.recall("Oslo")
    assert reader.profile("Ana").facts
    assert reader.stats().nodes["episode"] == 1
    for write in (
        lambda: reader.observe("Hello you."),
        lambda: reader.observe_many(["Hello you."]),
        lambda: reader.sleep(),
        lambda: reader.forget("Oslo"),
        lambda: reader.snapshot("now"),
        lambda: reader.feedback(reply.trace, 1.0),
        lambda: reader.pin(reply.citations[0].id),
        lambda: reader.branch("other"),
    ):
        with pytest.raises(mags.InvalidInput, match="read_only"):
            write()
    assert reader.forget("Oslo", dry_run=True).ids
    memory.observe("I moved to Rome.", speaker="Ana")
    assert "Rome" in reader.ask("Where does Ana live?").text
    memory.observe_many([f"Line {i}." for i in range(600)])
    assert reader.recall("Line 5")
    reader.close()
    assert_whole(memory)


def test_a_file_that_nobody_may_write_can_be_asked(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    path = tmp_path / "m.mags"
    with opened(path) as memory:
        memory.observe("I live in Oslo.", speaker="Ana")
    before = path.read_bytes()
    path.chmod(0o444)
    with opened(path, read_only=True) as reader:
        assert "Oslo" in reader.ask("Where does Ana live?").text
    path.chmod(0o644)
    assert path.read_bytes() == before


def test_a_damaged_checkpoint_costs_time_and_nothing_else(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory._live.checkpoint()
    kept = memory._live.state.graph.nodes[:1]["recorded_at"].tobytes()
    live = digest(memory)
    memory.observe_many([f"Line {i}." for i in range(20)])
    memory.close()
    path = tmp_path / "m.mags"
    whole = bytearray(path.read_bytes())
    at = whole.rindex(kept)
    whole[at] ^= 1
    path.write_bytes(whole)
    with pytest.raises(mags.CorruptFile, match="damaged"):
        opened(path)
    go_on(path)
    again = opened(path)
    assert_whole(again)
    assert digest(again) != live
    assert again.stats().nodes["episode"] == 21


def test_a_memory_that_was_compacted_beside_an_open_handle_goes_on(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    other = opened(tmp_path / "m.mags")
    assert other.recall("Oslo")
    memory.observe_many([f"Line {i}." for i in range(20)])
    memory._live.checkpoint()
    memory._live.store.journal.compact(memory.stats().seq)
    assert other.recall("Line 5", k=1)[0].text == "Line 5."
    other.observe("Bob likes tea.")
    assert digest(memory) == digest(other)
    assert_whole(memory)


def test_a_memory_re_embedded_elsewhere_is_neither_read_nor_written_wrongly(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    other = opened(tmp_path / "m.mags")
    other.recall("Oslo")
    memory.reembed(type(memory._live.embedder)(32))
    for use in (lambda: other.observe("Hello you."), lambda: other.recall("Oslo")):
        with pytest.raises(mags.EmbedderMismatch, match="reembed"):
            use()
    assert memory.recall("Oslo")
    memory.observe("Bob likes tea.")
    assert_whole(memory)


class Silent:
    """An answerer that no model answers."""

    name = "silent"

    def answer(self, *_: object, **__: object) -> None:
        raise mags.ModelUnavailable("no model answers at this address")


class Curious:
    """A policy that always recalls and never reads."""

    name = "curious"

    def route(self, turn, recent):
        return Route()

    def ask(self, question, recent):
        return mags.Plan(queries=(question.text,))

    def write(self, turn, recent, recalled):
        raise mags.ModelReplyError("the model answered in verse")


def test_a_turn_that_nobody_can_answer_is_remembered(opened: Callable[..., Memory]) -> None:
    memory = opened(answerer=Silent(), policy=Curious())
    with pytest.raises(mags.ModelUnavailable):
        memory.converse("Where do I live?", speaker="Ana", key="k")
    assert memory.stats().nodes["episode"] == 1
    seen = memory.observe("I live in Oslo.", speaker="Ana")
    assert "verse" in seen.why
    with pytest.raises(mags.ModelUnavailable):
        memory.ask("Where does Ana live?")
    assert memory.stats().tick == 2
    assert_whole(memory)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_export_to_a_full_disk_says_so(memory: Memory) -> None:
    with pytest.raises(mags.MagsError, match="export"):
        memory.export("/dev/full")


def test_an_export_that_fails_leaves_the_old_one(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.jsonl"
    memory.export(path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    memory.observe("Bob likes tea.")
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(mags.MagsError, match="export"):
        memory.export(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.glob("*.jsonl*")] == ["out.jsonl"]
