"""Export, import and re-embedding."""

import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import mags
from mags import inspect
from mags.graph.records import NodeKind
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.store.sqlite import SqliteStore


@pytest.fixture
def memory(opened: Callable[..., Memory], tmp_path: Path) -> Memory:
    memory = opened(tmp_path / "m.mags")
    memory.observe("I live in Bergen.", speaker="Alice", at="2024-01-03", session="s")
    memory.observe("I moved to Oslo.", speaker="Alice", at="2024-05-12", session="s")
    memory.observe("My sister Ana has a dog named Rex.", speaker="Alice", at="2024-05-12")
    return memory


def words(memory: Memory) -> list[tuple[object, ...]]:
    return sorted(
        (f.subject, f.relation, f.object, str(f.valid_from), str(f.valid_to))
        for f in memory.facts()
    )


@pytest.mark.parametrize("vectors", [True, False])
def test_an_export_read_into_an_empty_memory_is_the_same_memory(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path, vectors: bool
) -> None:
    memory.export(tmp_path / "m.jsonl", vectors=vectors)
    copy = opened()
    copy.import_(tmp_path / "m.jsonl")
    assert copy.stats().nodes == memory.stats().nodes
    assert copy.stats().arcs == memory.stats().arcs
    assert words(copy) == words(memory)
    query = "Where does Alice live?"
    assert [h.text for h in copy.recall(query)] == [h.text for h in memory.recall(query)]


def test_a_second_import_tells_how_many_turns_were_there_already(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory.export(tmp_path / "m.jsonl")
    copy = opened()
    copy.observe("I moved to Oslo.", speaker="Alice", at="2024-05-13")  # at another time
    assert copy.import_(tmp_path / "m.jsonl").reasons == ()
    assert copy.import_(tmp_path / "m.jsonl").reasons == ({"rule": "import", "again": 3},)


def test_slots_work_on_after_an_import(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory.export(tmp_path / "m.jsonl")
    copy = opened()
    copy.import_(tmp_path / "m.jsonl")
    seen = copy.observe("I moved to Rome.", speaker="Alice", at="2024-07-01")
    assert [copy.get(i).fact.object for i in seen.closed] == ["Oslo"]


def test_an_import_joins_entities_of_the_same_name(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory.export(tmp_path / "m.jsonl")
    other = opened()
    other.observe("Alice likes tea.", speaker="Bob")
    other.import_(tmp_path / "m.jsonl")
    assert {f.object for f in other.facts("Alice", current=True)} >= {"tea", "Oslo"}


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda lines: ["not json", *lines[1:]], "line 1"),
        (lambda lines: ['{"format": "other"}', *lines[1:]], "not an export"),
        (lambda lines: [lines[0].replace('"version": 1', '"version": 99'), *lines[1:]], "newer"),
        (lambda lines: [lines[0], *lines[2:]], "cut short: .* nodes"),
        (lambda lines: lines[:-1], "cut short: .* arcs"),
        (lambda lines: [lines[0].replace(": 1,", f": {'1' * 5_000},"), *lines[1:]], "line 1"),
        (lambda lines: [*lines[:-1], re.sub('"w": [^,}]+', f'"w": {10**400}', lines[-1])], "w can"),
        (lambda lines: [*lines[:2], '{"what": 1}', *lines[2:]], "line 3"),
        (lambda lines: [], "empty"),
    ],
)
def test_a_damaged_export_changes_nothing(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path, spoil: Callable, said: str
) -> None:
    path = tmp_path / "m.jsonl"
    memory.export(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(spoil(lines)), encoding="utf-8")
    other = opened()
    with pytest.raises(mags.InvalidInput, match=said):
        other.import_(path)
    assert sum(other.stats().nodes.values()) == 0


def test_an_export_names_its_version_in_its_first_line(memory: Memory, tmp_path: Path) -> None:
    memory.export(tmp_path / "m.jsonl")
    header = json.loads((tmp_path / "m.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert (header["format"], header["version"]) == ("mags-memory", 1)


def test_an_export_of_before_arcs_were_counted_is_read(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    path = tmp_path / "m.jsonl"
    memory.export(path)
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    header = json.loads(first)
    del header["arcs"]
    path.write_text("\n".join([json.dumps(header), *lines]), encoding="utf-8")
    other = opened()
    other.import_(path)
    assert other.stats().nodes == memory.stats().nodes


def test_reembedding_changes_the_embedder_for_good(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    made = memory.reembed(HashEmbedder(32))
    assert made == memory.stats().parts["contents"]
    assert "Oslo" in memory.ask("Where does Alice live?").text
    memory.close()
    with pytest.raises(mags.EmbedderMismatch):
        opened(tmp_path / "m.mags")
    again = opened(tmp_path / "m.mags", embedder=HashEmbedder(32))
    assert "Oslo" in again.ask("Where does Alice live?").text


class Stopping(HashEmbedder):
    """Fails at its second batch."""

    calls = 0

    def embed(self, texts):
        Stopping.calls += 1
        if Stopping.calls == 2:
            raise KeyboardInterrupt
        return super().embed(texts)


def test_an_interrupted_reembedding_leaves_everything_as_it_was(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = opened(tmp_path / "m.mags")
    memory.observe_many([f"Sentence number {i} is here." for i in range(300)])
    before = [one.vector.tobytes() for one in memory._store.contents.scan()]
    with pytest.raises(KeyboardInterrupt):
        memory.reembed(Stopping(32))
    memory.observe("And one more.")
    memory.close()
    with pytest.raises(mags.EmbedderMismatch, match="was written with"):
        opened(tmp_path / "m.mags", embedder=HashEmbedder(32))
    again = opened(tmp_path / "m.mags")
    after = [one.vector.tobytes() for one in again._store.contents.scan()]
    assert after[: len(before)] == before
    assert again.recall("sentence number 123", k=1)[0].text == "Sentence number 123 is here."


@pytest.mark.parametrize("dimension", [64, 32, 48])
def test_what_an_older_version_left_half_reembedded_opens_with_any_embedder(
    opened: Callable[..., Memory], tmp_path: Path, dimension: int
) -> None:
    memory = opened(tmp_path / "m.mags")
    memory.observe_many([f"Sentence number {i} is here." for i in range(20)])
    memory.close()
    with closing(SqliteStore.open(tmp_path / "m.mags")) as store:
        store.facts.put("reembedding", HashEmbedder(32).name)
        half = [one.id for one in store.contents.scan()][:9]
        store.contents.put_vectors(half, np.ones((9, 32), np.float16), [b""] * 9)
    with pytest.raises(mags.EmbedderMismatch, match="open it once for writing"):
        opened(tmp_path / "m.mags", embedder=HashEmbedder(dimension), read_only=True)
    again = opened(tmp_path / "m.mags", embedder=HashEmbedder(dimension))
    assert {len(one.vector) for one in again._store.contents.scan()} == {dimension}
    assert again.recall("sentence number 7", k=1)[0].text == "Sentence number 7 is here."


def test_what_is_written_and_forgotten_while_it_is_reembedded_stays_so(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = opened(tmp_path / "m.mags")
    memory.observe_many([f"Sentence number {i} is here." for i in range(20)])

    class Meanwhile(HashEmbedder):
        """Something happens before its first batch."""

        quiet = True

        def embed(self, texts):
            if self.quiet:
                self.quiet = False
                memory.forget("Sentence number 3 is here.")
                memory.observe("A sentence of meanwhile.")
            return super().embed(texts)

    memory.reembed(Meanwhile(32))
    found = {one.text: one.vector for one in memory._store.contents.scan()}
    assert "Sentence number 3 is here." not in found
    assert len(found["A sentence of meanwhile."]) == 32
    assert {len(vector) for vector in found.values()} == {32}


def test_what_led_to_an_act_is_found_by_its_new_id_after_an_import(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    first, other = opened(), opened()
    ground = first.observe("Snumbar eats amber wax.").episode_id
    attrs = {"outcome": "1", "led_by": f"{ground} 999999"}
    first.observe("You gave Snumbar amber wax, and it ate.", attrs=attrs)
    first.export(tmp_path / "m.jsonl")
    other.observe("Berta sings.")
    other.import_(tmp_path / "m.jsonl")
    other.export(tmp_path / "o.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    said = [line for line in lines if line.get("node", {}).get("kind") == NodeKind.EPISODE]
    ids = {line["text"]: line["node"]["id"] for line in said}
    led_by = [line["meta"]["attrs"]["led_by"] for line in said if line["meta"].get("attrs")]
    assert led_by == [str(ids["Snumbar eats amber wax."])]
    assert ids["Snumbar eats amber wax."] != ground


@pytest.mark.parametrize(
    "attrs", [{"outcome": "1", "led_by": ""}, {"caption": ""}, {"caption": "tea " * 1_000}]
)
def test_what_may_be_observed_may_be_imported(
    opened: Callable[..., Memory], tmp_path: Path, attrs: dict[str, str]
) -> None:
    memory = opened()
    memory.observe("It went well.", attrs=attrs)
    memory.export(tmp_path / "m.jsonl")
    copy = opened()
    copy.import_(tmp_path / "m.jsonl")
    assert copy.stats().nodes == memory.stats().nodes


def test_words_of_an_older_memory_that_tell_no_outcome_and_no_ids_are_passed_over(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory, path = opened(), tmp_path / "m.jsonl"
    memory.observe("Ana sold the boat to Per.", attrs={"outcome": "1", "led_by": "7"})
    memory.export(path)
    text = path.read_text().replace('"outcome": "1"', '"outcome": "sold"')
    path.write_text(text.replace('"led_by": "7"', '"led_by": "Ana"'))
    copy = opened()
    copy.import_(path)
    found = inspect.chains(copy, "Who has the boat that Ana sold?", ("Per", "Kari"))
    assert [one.option for one in found] == [0]


KILLED = """
import os, sys
import mags
from mags.memory import porting
from mags.models.embed.hashing import HashEmbedder
from mags.settings import Settings

memory = mags.open(sys.argv[1], embedder=HashEmbedder(64), settings=Settings())
told = porting.json.dumps
left = [int(sys.argv[3])]

def dumps(*values, **how):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), 9)
    return told(*values, **how)

porting.json.dumps = dumps
memory.export(sys.argv[2])
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no files without a name")
def test_a_kill_during_an_export_leaves_no_words_behind(
    memory: Memory, tmp_path: Path, root: Path
) -> None:
    memory.close()
    folder = tmp_path / "exports"
    folder.mkdir()
    command = [sys.executable, "-c", KILLED, str(tmp_path / "m.mags"), str(folder / "e.jsonl")]
    done = subprocess.run([*command, "5"], cwd=root, check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(folder.iterdir()) == []


def test_an_export_is_its_owners_alone_and_takes_the_place_of_another(
    memory: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    path = folder / "e.jsonl"
    (folder / "e.jsonl.part").write_text("what a killed process of an older version left")
    for _ in range(2):
        lines = memory.export(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert len(path.read_text(encoding="utf-8").splitlines()) == lines
        assert list(folder.iterdir()) == [path]


def test_an_export_to_an_open_file_is_the_same(memory: Memory, tmp_path: Path) -> None:
    memory.export(tmp_path / "e.jsonl")
    into = io.StringIO()
    memory.export(into)
    assert into.getvalue() == (tmp_path / "e.jsonl").read_text(encoding="utf-8")
