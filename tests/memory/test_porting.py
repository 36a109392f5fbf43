"""Export, import and re-embedding."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import mags
from mags import inspect
from mags.graph.records import NodeKind
from mags.memory.live import reembed
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


def test_an_interrupted_reembedding_is_refused_until_it_is_finished(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = opened(tmp_path / "m.mags")
    memory.observe_many([f"Sentence number {i} is here." for i in range(300)])
    memory.close()
    store = SqliteStore.open(tmp_path / "m.mags")
    with pytest.raises(KeyboardInterrupt):
        reembed(store, Stopping(32))
    store.close()
    for embedder in (HashEmbedder(64), HashEmbedder(32)):
        with pytest.raises(mags.EmbedderMismatch, match="interrupted"):
            opened(tmp_path / "m.mags", embedder=embedder)
    store = SqliteStore.open(tmp_path / "m.mags")
    assert reembed(store, HashEmbedder(32)) > 0
    store.close()
    again = opened(tmp_path / "m.mags", embedder=HashEmbedder(32))
    assert again.recall("sentence number 123", k=1)[0].text == "Sentence number 123 is here."


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
