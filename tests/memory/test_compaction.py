"""A journal that grows too large is folded in sleep; nothing that can be asked is lost."""

from pathlib import Path

import mags
from mags.memory.settings import MemorySettings
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.settings import Settings

SETTINGS = Settings(memory=MemorySettings(max_journal_bytes=2_000))


def test_a_large_journal_is_folded_behind_the_oldest_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "m.mags"
    with mags.open(
        path, embedder=HashEmbedder(64), settings=SETTINGS, policy=RulePolicy()
    ) as memory:
        for i in range(20):
            memory.observe(f"Note number {i}.", speaker="Ben")
        memory.snapshot("kept")
        memory.observe("Ana lives in Oslo.", speaker="Ben")
        memory.sleep()
        assert [entry.kind for entry in memory.log()] == ["sleep", "observe", "fold"]
        memory.rollback("kept")
        assert memory.facts("Ana") == []
    with mags.open(
        path, embedder=HashEmbedder(64), settings=SETTINGS, policy=RulePolicy()
    ) as memory:
        assert memory.stats().nodes["episode"] == 20
        assert memory.recall("note number 7", k=1)[0].text == "Note number 7."


def test_without_a_limit_the_journal_is_kept_whole(tmp_path: Path) -> None:
    with mags.open(
        tmp_path / "m.mags", embedder=HashEmbedder(64), settings=Settings(), policy=RulePolicy()
    ) as memory:
        for i in range(5):
            memory.observe(f"Note number {i}.", speaker="Ben")
        memory.sleep()
        assert len(memory.log()) == 6
