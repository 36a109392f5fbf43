"""After forgetting, the words are in no file and no view, on no branch and in no handle."""

import itertools
import string
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import mags
from mags import inspect
from mags.memory.forgetting import holds
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.ports.embedder import CachedEmbedder
from mags.settings import Settings
from tests.memory.replaying import assert_whole, digest, files_hold

SECRET = "Xyloquartz"


@pytest.fixture
def memory(opened: Callable[..., Memory], tmp_path: Path) -> Memory:
    memory = opened(tmp_path / "m.mags")
    memory.observe("I live in Oslo.", speaker="Alice", session="s")
    return memory


def said_by(memory: Memory) -> str:
    """Everything a memory shows, as one text."""
    nodes = [memory.get(int(i)) for i in memory.to_networkx().nodes]
    shown = [memory.log(), memory.facts(), nodes, memory.recall("password code Oslo", k=50)]
    shown += [memory.neighbours(node.id) for node in nodes]
    if any(mark.name == "start" for mark in memory.snapshots()):
        shown.append(memory.diff("start"))
    return repr(shown).lower()


def assert_gone(memory: Memory, folder: Path, word: str) -> None:
    assert files_hold(folder, word) == []
    assert word.lower() not in said_by(memory)
    assert_whole(memory)


PLACES: dict[str, Callable[[Memory], object]] = {
    "text": lambda m: m.observe(f"My code is {SECRET}."),
    "speaker": lambda m: m.observe("Hello you.", speaker=SECRET),
    "session": lambda m: m.observe("Hello you.", session=f"with {SECRET}"),
    "key": lambda m: m.observe("Hello you.", key=f"turn-{SECRET}-1"),
    "attribute": lambda m: m.observe("Look here.", attrs={"caption": f"a {SECRET} stone"}),
    "attribute's name": lambda m: m.observe("Look here.", attrs={SECRET: "yes"}),
    "asserted": lambda m: m.assert_fact("Alice", "owns", SECRET),
    "qualifier": lambda m: m.assert_fact("Ana", "likes", "tea", qualifiers={"with": SECRET}),
    "edited in": lambda m: m.edit(m.observe("Hm.").episode_id, text=f"Not {SECRET}."),
    "edited away": lambda m: m.edit(m.observe(f"It is {SECRET}.").episode_id, text="Hm."),
    "edited meta": lambda m: m.edit(m.observe("Hm.").episode_id, meta={"note": [SECRET]}),
    "answered": lambda m: (m.observe(f"My code is {SECRET}."), m.converse("What is my code?")),
    "in bulk": lambda m: m.observe_many([f"{SECRET} number {i}." for i in range(3)]),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_phrase_is_erased_wherever_it_stands(memory: Memory, tmp_path: Path, place: str) -> None:
    memory.snapshot("start")
    PLACES[place](memory)
    memory._live.checkpoint()
    assert files_hold(tmp_path, SECRET)
    memory.forget(SECRET)
    assert_gone(memory, tmp_path, SECRET)
    assert "oslo" in said_by(memory)


@pytest.mark.parametrize("place", PLACES)
def test_what_was_rolled_back_can_still_be_forgotten(
    memory: Memory, tmp_path: Path, place: str
) -> None:
    memory.snapshot("start")
    before = digest(memory)
    PLACES[place](memory)
    memory.rollback("start")
    assert files_hold(tmp_path, SECRET)
    gone = memory.forget(SECRET)
    assert gone.past
    assert_gone(memory, tmp_path, SECRET)
    memory.rollback("start")
    assert digest(memory) == before


def words_of(memory: Memory) -> set[str]:
    """The texts of all that can still come back, by whatever rollback, on whatever branch."""
    return {content.text for content in memory._store.contents.scan()}


def test_what_was_derived_from_a_turn_goes_with_it_after_a_rollback(memory: Memory) -> None:
    memory.snapshot("start")
    said = memory.observe("I work for Xylocorp.", speaker="Bob").episode_id
    memory.observe("I like Xylotea.", speaker="Cleo")
    memory.snapshot("told")
    memory.rollback("start")
    planned = memory.forget(said, dry_run=True).past
    gone = memory.forget(said)
    assert gone.past == planned
    assert words_of(memory) >= {"I live in Oslo.", "Alice", "Oslo", "I like Xylotea.", "Cleo"}
    assert not words_of(memory) & {"I work for Xylocorp.", "Bob works for Xylocorp.", "Xylocorp"}
    assert "Bob" not in words_of(memory), "nobody else spoke of him"
    memory.rollback("told")
    assert not any("Xylocorp" in fact.text for fact in memory.facts())
    assert [fact.object for fact in memory.facts("Cleo")] == ["Xylotea"]
    assert_whole(memory)


def test_what_was_derived_on_another_branch_goes_with_its_turn(memory: Memory) -> None:
    with memory.branch("other") as other:
        said = other.observe("I work for Xylocorp.", speaker="Bob").episode_id
        assert memory.forget(said).past
        assert not any("Xylocorp" in fact.text for fact in other.facts())
        assert not words_of(memory) & {"I work for Xylocorp.", "Bob works for Xylocorp."}
        assert_whole(other)


def test_what_has_another_source_is_kept_though_both_were_rolled_back(memory: Memory) -> None:
    memory.snapshot("start")
    said = memory.observe("I work for Xylocorp.", speaker="Bob").episode_id
    memory.observe("Bob works for Xylocorp.", speaker="Alice")
    memory.snapshot("told")
    memory.rollback("start")
    memory.forget(said)
    memory.rollback("told")
    assert [fact.object for fact in memory.facts("Bob")] == ["Xylocorp"]
    assert_whole(memory)


def test_an_answer_that_quoted_what_is_forgotten_goes_after_a_rollback(memory: Memory) -> None:
    memory.snapshot("start")
    said = memory.observe("I work for Xylocorp.", speaker="Bob").episode_id
    memory.converse("Who does Bob work for?")
    assert any("Xylocorp" in text and "[m" in text for text in words_of(memory))
    memory.rollback("start")
    memory.forget(said)
    assert not any("Xylocorp" in text for text in words_of(memory))


def test_what_another_branch_heard_is_erased_there_too(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    other = memory.branch("other")
    other.observe(f"My code is {SECRET}.", speaker="Bob")
    other.observe("Bob likes tea.", speaker="Bob")
    same = opened(tmp_path / "m.mags", branch="other")
    for handle in (other, same):
        assert SECRET.lower() in said_by(handle)
    memory.forget(SECRET)
    for handle in (memory, other, same):
        assert_gone(handle, tmp_path, SECRET)
        assert not any(SECRET in hit.text for hit in handle.recall(SECRET, k=20))
    assert "tea" in said_by(other)
    other.observe("Bob moved to Rome.", speaker="Bob")
    same.ask("Where does Bob live?")
    assert_gone(other, tmp_path, SECRET)
    other.close()


def test_what_a_branch_began_with_is_erased_there_too(memory: Memory, tmp_path: Path) -> None:
    memory.observe(f"My friend {SECRET} lives in Rome.", speaker="Alice")
    other = memory.branch("other")
    other.observe(f"{SECRET} moved to Paris.", speaker="Alice")
    memory.forget(SECRET)
    for handle in (memory, other):
        assert_gone(handle, tmp_path, SECRET)
        handle.sleep()
        handle.ask("Who lives in Rome?")
    other.close()


def test_an_answer_that_cited_a_turn_goes_with_it(memory: Memory, tmp_path: Path) -> None:
    seen = memory.observe(f"My code is {SECRET}.", speaker="Alice")
    reply = memory.converse("What is the code of Alice?", speaker="Bob")
    assert SECRET in reply.text
    memory.forget(seen.episode_id)
    assert_gone(memory, tmp_path, SECRET)


def test_themes_that_quote_the_words_go(memory: Memory, tmp_path: Path) -> None:
    told = [
        memory.observe(f"{SECRET} and tea, time {i}.", speaker="Al").episode_id for i in range(6)
    ]
    for a, b in itertools.permutations(told, 2):
        inspect.associate(memory, a, b, 0.9)
    memory.sleep()
    assert memory.stats().nodes["theme"]
    memory.forget(SECRET)
    assert_gone(memory, tmp_path, SECRET)
    assert memory.stats().nodes["theme"] == 0


def test_the_cache_of_the_embedder_is_emptied(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    inner = Asked(64)
    embedder = CachedEmbedder(inner)
    memory = opened(tmp_path / "m.mags", embedder=embedder)
    memory.observe(f"My code is {SECRET}.")
    memory.forget(SECRET)
    inner.texts.clear()
    embedder.embed([f"My code is {SECRET}."])
    assert inner.texts == [f"My code is {SECRET}."]


class Asked(HashEmbedder):
    """Keeps the texts it was asked to embed."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return super().embed(texts)


class Slow(HashEmbedder):
    """Lets something happen while a sleep embeds what it wrote."""

    meanwhile: Callable[[], object] | None = None

    def embed(self, texts):
        if Slow.meanwhile is not None and any(SECRET in text for text in texts):
            work, Slow.meanwhile = Slow.meanwhile, None
            work()
        return super().embed(texts)


def test_a_sleep_does_not_write_back_what_was_forgotten_meanwhile(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = opened(tmp_path / "m.mags", embedder=Slow(64))
    told = [memory.observe(f"{SECRET} and tea, time {i}.").episode_id for i in range(6)]
    for a, b in itertools.permutations(told, 2):
        inspect.associate(memory, a, b, 0.9)
    Slow.meanwhile = lambda: memory.forget(SECRET)
    memory.sleep()
    assert Slow.meanwhile is None
    assert_gone(memory, tmp_path, SECRET)


def test_a_failure_between_the_graph_and_the_words_forgets_nothing(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.observe(f"My code is {SECRET}.")
    before = digest(memory)

    def fail(node_ids: object) -> int:
        raise mags.StoreFull("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(memory._live.store.contents, "erase", fail)
        with pytest.raises(mags.StoreFull):
            memory.forget(SECRET)
    assert digest(memory) == before
    assert SECRET.lower() in said_by(memory)
    memory.forget(SECRET)
    assert_gone(memory, tmp_path, SECRET)


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("ana has a banana", "ana", True),
        ("a banana", "ana", False),
        ("hunter2!", "hunter2", True),
        ("hunter22", "hunter2", False),
        ("ana's dog", "ana", True),
        ("私は東京に住む", "東京", True),
        ("x-ray", "ray", True),
        ("", "ana", False),
    ],
)
def test_a_phrase_is_found_as_whole_words(text: str, phrase: str, found: bool) -> None:
    assert holds(text, phrase) is found


WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=8)
TURNS = st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=6)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(turns=TURNS, before=WORDS, after=WORDS, at=st.integers(0, 5))
def test_whatever_stands_around_it_a_phrase_is_gone(
    turns: list[list[str]], before: str, after: str, at: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.mags")
        with mags.open(
            path, embedder=HashEmbedder(16), settings=Settings(), policy=RulePolicy()
        ) as memory:
            memory.snapshot("start")
            for i, words in enumerate(turns):
                middle = [before, SECRET, after] if i == at % len(turns) else []
                memory.observe(" ".join([*words, *middle]), speaker=words[0], session=words[-1])
            memory.forget(SECRET)
            assert_gone(memory, Path(folder), SECRET)
        assert files_hold(Path(folder), SECRET) == []


def test_a_reader_that_holds_up_the_cleaning_is_told_of(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = opened(tmp_path / "m.mags", wait_s=0.2)
    memory.observe(f"My code is {SECRET}.")
    reader = apsw.Connection(str(tmp_path / "m.mags"), flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM content").get
    with pytest.raises(mags.StoreError, match="words are erased") as caught:
        memory.forget(SECRET)
    assert caught.value.erased
    assert SECRET.lower() not in said_by(memory)
    reader.close()
    memory.close()
    again = opened(tmp_path / "m.mags")
    assert_gone(again, tmp_path, SECRET)
