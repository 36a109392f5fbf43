"""What version 0.1.0 wrote is opened, answered from, written on and taken back by this version."""

import gzip
import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

import mags
from mags.memory.memory import Memory
from mags.settings import NESTED, Settings, read_settings
from mags.store import migrations
from mags.store.migrations import copies, newest
from tests.outside.make_fixtures import (
    BRANCH,
    FORGOTTEN,
    QUESTIONS,
    SNAPSHOT,
    TALK,
    answer,
    kept,
    told,
)

FOLDER = Path(__file__).parent / "0.1.0"
GIVES: Mapping[str, Any] = json.loads((FOLDER / "gives.json").read_text(encoding="utf-8"))
LATER = datetime(2024, 6, 1, tzinfo=UTC)


def unpacked(name: str, folder: Path) -> Path:
    path = folder / name
    path.write_bytes(gzip.decompress((FOLDER / f"{name}.gz").read_bytes()))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of the memory."""
    return unpacked("memory.mags", tmp_path)


def opened(path: Path | None, **how: Any) -> Memory:
    return mags.open(path, settings=Settings(), clock=LATER.timestamp, **how)


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with opened(path) as memory:
        yield memory


def same(found: Mapping[str, Any]) -> bool:
    assert found == {name: GIVES[name] for name in found}
    return len(found) > 2


def test_a_memory_is_read_as_it_was_written(path: Path):
    opened(path).close()  # whatever has to be migrated
    with opened(path, read_only=True) as memory:
        assert same(kept(memory))
        assert same(told(memory))


@pytest.mark.parametrize("read_only", [False, True])
def test_what_a_newer_version_wrote_is_refused_and_left_alone(path: Path, read_only: bool):
    with closing(apsw.Connection(str(path))) as db:
        db.pragma("user_version", newest() + 1)
    before = path.read_bytes()
    with pytest.raises(mags.NewerSchema, match=r"newer MAGS .* upgrade MAGS"):
        opened(path, read_only=read_only)
    assert path.read_bytes() == before


def test_a_migration_leaves_the_memory_as_it_was_beside_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    steps = [*migrations.scripts(), (newest() + 1, "CREATE TABLE added (x)")]
    with monkeypatch.context() as newer:
        newer.setattr(migrations, "scripts", lambda _kind="": iter(steps))
        with opened(path) as memory:
            assert same(kept(memory))
    (copy,) = copies(path)
    with closing(apsw.Connection(str(copy))) as db:
        assert db.pragma("user_version") == 1
    with opened(copy) as memory:
        assert same(kept(memory))
        assert same(told(memory))


def test_its_branch_goes_its_own_way(path: Path):
    with opened(path, branch=BRANCH) as memory:
        assert answer(memory, QUESTIONS[0]) == GIVES["answer_on_the_branch"] == "Paris"


def test_it_is_written_on_and_taken_back(memory: Memory):
    before = told(memory)
    memory.snapshot("now")
    seen = memory.observe("I moved to Rome.", speaker="Alice", at=LATER)
    assert [memory.get(one).text for one in seen.closed] == ["Alice moved to Oslo."]
    assert answer(memory, QUESTIONS[0]) == "Rome"
    memory.rollback("now")
    after = told(memory)
    assert after == before
    assert answer(memory, QUESTIONS[0]) == "Oslo"


def test_its_snapshot_can_be_gone_back_to(memory: Memory):
    memory.rollback(SNAPSHOT)
    assert answer(memory, QUESTIONS[0]) == "Bergen"
    assert memory.stats().closed_facts == 1  # Dora's, which was given with its end


def test_a_key_it_knows_writes_nothing_again(memory: Memory):
    speaker, text = TALK[0]
    when = datetime(2024, 3, 4, 9, tzinfo=UTC)
    head = memory.stats().seq
    seen = memory.observe(text, speaker=speaker, session="s0", key="turn-0", at=when)
    assert seen.repeated
    assert memory.stats().seq == head


def test_what_it_forgot_stays_forgotten(memory: Memory, path: Path):
    assert all(FORGOTTEN not in memory.get(one).text for one in memory.to_networkx().nodes)
    memory.rollback(SNAPSHOT)
    assert all(FORGOTTEN not in memory.get(one).text for one in memory.to_networkx().nodes)
    assert FORGOTTEN.encode() not in path.read_bytes()


def test_it_sleeps_and_answers_as_before(memory: Memory):
    memory.sleep()
    assert {question: answer(memory, question) for question in QUESTIONS} == GIVES["answers"]


def test_an_export_is_taken_in_whole(tmp_path: Path):
    with opened(None) as memory:
        memory.import_(unpacked("export.jsonl", tmp_path))
        assert same(told(memory))


def test_an_export_of_it_is_taken_in_whole(memory: Memory, tmp_path: Path):
    memory.export(tmp_path / "again.jsonl")
    with opened(None) as other:
        other.import_(tmp_path / "again.jsonl")
        assert same(told(other))


def test_a_settings_file_is_read_key_by_key():
    tables = tomllib.loads((FOLDER / "config.toml").read_text(encoding="utf-8"))
    with pytest.warns(FutureWarning, match="policy.held"):
        settings = read_settings({}, config=FOLDER / "config.toml")
    keys = dict(flat(tables))
    assert keys.pop("policy.held") is True  # nano's alone, and without effect since 0.2
    assert len(keys) > 150
    assert {key: plain(value_of(settings, key)) for key in keys} == keys


def flat(table: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{at}{name}.")
        else:
            yield f"{at}{name}", value


def value_of(settings: Settings, key: str) -> Any:
    here: Any = settings.memory if key.partition(".")[0] in NESTED else settings
    for name in key.split("."):
        here = here[name] if isinstance(here, Mapping) else getattr(here, name)
    return here


def plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value
