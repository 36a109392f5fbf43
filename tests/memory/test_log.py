"""The log reads what it shows, and shows the same as the whole."""

from pathlib import Path

import pytest

import mags
from mags.memory.settings import MemorySettings
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.settings import Settings

FOLDING = Settings(memory=MemorySettings(max_journal_bytes=2_000))


@pytest.mark.parametrize("limit", [0, 1, 2, 7, 30])
def test_a_limited_log_is_the_newest_of_the_whole(tmp_path: Path, limit: int) -> None:
    with mags.open(
        tmp_path / "m.mags", embedder=HashEmbedder(64), settings=Settings(), policy=RulePolicy()
    ) as memory:
        for i in range(8):
            memory.observe(f"Note number {i}.", speaker="Ben")
        assert memory.log(limit) == memory.log()[:limit]


def test_a_branch_beside_others_shows_its_own_entries(tmp_path: Path) -> None:
    with mags.open(
        tmp_path / "m.mags", embedder=HashEmbedder(64), settings=Settings(), policy=RulePolicy()
    ) as memory:
        memory.observe("Ana lives in Oslo.", speaker="Ben")
        with memory.branch("other") as other:
            for i in range(5):
                other.observe(f"Note number {i}.", speaker="Ben")
            memory.observe("Ana lives in Riga.", speaker="Ben")
            assert memory.log(2) == memory.log()
            assert other.log(6) == other.log()


def test_a_folded_journal_shows_what_is_left(tmp_path: Path) -> None:
    with mags.open(
        tmp_path / "m.mags", embedder=HashEmbedder(64), settings=FOLDING, policy=RulePolicy()
    ) as memory:
        for i in range(20):
            memory.observe(f"Note number {i}.", speaker="Ben")
        memory.sleep()
        assert len(memory.log()) < 20
        assert memory.log(2) == memory.log()[:2]
