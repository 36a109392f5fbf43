"""The second look: kept with a turn, gone with it, and never needed."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mags
from mags.app import Models, make_parts
from mags.memory.live import LOOK
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.models.embed.hashing import HashEmbedder
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.policy.rules import RulePolicy
from mags.ports.embedder import CachedEmbedder
from mags.ports.policy import Tier
from mags.recall.settings import LookSettings, RecallSettings
from mags.settings import Settings
from mags.store.ram import RamStore

SHIPPED = CachedEmbedder(OnnxEmbedder())
UNLOOKED = Settings(memory=MemorySettings(recall=RecallSettings(look=LookSettings(first=0))))
TALK = (
    "We had soup for dinner, and it rained all evening.",
    "I moved to Oslo in May.",
    "My sister Ola plays the cello in an orchestra.",
    "The cat sleeps on the sofa, as she always does.",
    "Work was fine, thanks.",
)
ASKED = "Which instrument does Ola play?"
Open = Callable[..., Memory]


@pytest.fixture
def careful(opened: Open) -> Open:
    """Opens memories on the shipped embedder."""

    def make(path: Path | None = None, **given: object) -> Memory:
        return opened(path, **{"embedder": SHIPPED, "policy": RulePolicy(), **given})

    return make


def told(memory: Memory) -> Memory:
    for text in TALK:
        memory.observe(text, speaker="Alice", session="s")
    return memory


def ranked(memory: Memory) -> list[tuple[int, float]]:
    return [(hit.id, hit.score) for hit in memory.recall(ASKED, 20).hits]


def moved(memory: Memory) -> list[float]:
    return [hit.shares["look"] for hit in memory.recall(ASKED, 20).trace.hits]


def rows_in(path: Path) -> int:
    with closing(apsw.Connection(str(path))) as db:
        return int(db.execute("SELECT count(*) FROM tokens").get)


def test_the_trace_names_the_look_and_what_it_moved(careful: Open):
    memory = told(careful())
    found = memory.recall(ASKED, 5)
    best = found.trace.hits[0]
    assert "cello" in found[0].text
    assert best.shares["look"] > 0 > min(hit.shares["look"] for hit in found.trace.hits)
    assert sum(best.shares.values()) == pytest.approx(best.score, abs=1e-3)
    assert any("look +" in line for line in memory.explain(found.trace).lines)


def test_without_it_the_ranking_is_what_it_was(careful: Open, tmp_path: Path):
    """The same by the setting, in a file of before it, and where nothing was kept."""
    path = tmp_path / "a.mags"
    told(careful(path)).close()
    unlooked = careful(path, settings=UNLOOKED)
    plain = ranked(unlooked)
    assert set(moved(unlooked)) == {0.0}
    unlooked.close()
    with closing(apsw.Connection(str(path))) as db:
        db.execute("DELETE FROM tokens")
    bare = careful(path)
    assert ranked(bare) == plain
    bare.close()
    with closing(apsw.Connection(str(path))) as db:
        db.execute("DROP TABLE tokens")
        db.execute("DELETE FROM fact WHERE name = ?", (LOOK,))
    old = careful(path, read_only=True)
    assert ranked(old) == plain
    old.close()
    old = careful(path)
    old.observe("Ola also sings.", speaker="Alice", session="s")
    assert set(moved(old)) == {0.0}
    assert rows_in(path) == 0


def test_another_embedder_is_not_asked(opened: Open):
    assert set(moved(told(opened(embedder=HashEmbedder(64))))) == {0.0}


def test_only_turns_have_rows_one_for_each(careful: Open, tmp_path: Path):
    told(careful(tmp_path / "a.mags"))
    assert rows_in(tmp_path / "a.mags") == len(TALK)


@settings(max_examples=8, deadline=None)
@given(chosen=st.sets(st.integers(0, len(TALK) - 1)))
def test_an_erased_turn_leaves_none_on_any_branch(chosen: set[int], tmp_path_factory):
    path = tmp_path_factory.mktemp("look") / "a.mags"
    plain = {"embedder": SHIPPED, "policy": RulePolicy(), "settings": Settings()}
    with mags.open(path, **plain) as memory:
        seen = [memory.observe(text, speaker="Alice", session="s") for text in TALK]
        memory.snapshot("whole")
        memory.branch("other").close()
        for place in chosen:
            memory.forget(seen[place].episode_id)
        memory.rollback("whole")
        left = memory._live.store.contents.tokens([one.episode_id for one in seen])
    assert [place for place, tokens in enumerate(left) if not tokens] == sorted(chosen)
    assert rows_in(path) == len(TALK) - len(chosen)


def test_rolling_back_and_branching_keep_it(careful: Open):
    memory = told(careful())
    before = ranked(memory)
    memory.snapshot("now")
    other = memory.branch("other")
    memory.observe("Ola sold the cello and plays the flute.", speaker="Alice", session="s")
    memory.rollback("now")
    with other:
        for place in (memory, other):
            assert [one for one, _ in ranked(place)] == [one for one, _ in before]
            assert any(moved(place))


def test_an_export_carries_it_and_one_without_gets_it_anew(careful: Open, tmp_path: Path):
    memory = told(careful())
    whole, bare = tmp_path / "whole.jsonl", tmp_path / "bare.jsonl"
    memory.export(whole)
    memory.export(bare, vectors=False)
    for path in (whole, bare):
        other = careful()
        other.import_(path)
        assert moved(other) == pytest.approx(moved(memory), abs=0.3)


def test_reembedding_writes_it_takes_it_away_and_gives_it_to_an_old_memory(
    careful: Open, tmp_path: Path
):
    path = tmp_path / "a.mags"
    memory = told(careful(path))
    before = moved(memory)
    memory.reembed(HashEmbedder(64))
    assert (rows_in(path), set(moved(memory))) == (0, {0.0})
    memory.reembed(SHIPPED)
    assert moved(memory) == pytest.approx(before, abs=1e-4)
    memory.close()
    with closing(apsw.Connection(str(path))) as db:
        db.execute("DELETE FROM tokens")
        db.execute("DELETE FROM fact WHERE name = ?", (LOOK,))
    old = careful(path)
    assert not any(moved(old))
    assert old.reembed(SHIPPED) > 0
    assert moved(old) == pytest.approx(before, abs=1e-4)
    assert old.reembed(SHIPPED) == 0


@pytest.mark.parametrize(
    "query", ["Can you suggest some music for tonight?", "I feel so tired of the rain today."]
)
def test_what_asks_for_nothing_that_was_told_is_not_looked_at(careful: Open, query: str):
    hits = told(careful()).recall(query, 20).trace.hits
    assert {hit.shares["look"] for hit in hits} == {0.0}


def test_documents_have_no_rows_and_keep_their_places(careful: Open, tmp_path: Path):
    memory = careful(tmp_path / "a.mags")
    for text in TALK:
        memory.observe(text, speaker="")
    assert rows_in(tmp_path / "a.mags") == 0
    assert set(moved(memory)) == {0.0}


THOROUGH = Settings(memory=MemorySettings(recall=RecallSettings(tier="thorough")))
PAID = "What does Ana pay for her flat?"


def let(memory: Memory) -> Memory:
    for text in (
        "I pay the dentist tomorrow, and the flat needs paint.",
        "My flat costs me 900 a month.",
        "The flat above pays for the new roof.",
    ):
        memory.observe(text, speaker="Ana", session="s")
    return told(memory)


def test_what_is_read_says_which_turn_shows_what_is_asked(careful: Open):
    memory = let(careful(settings=THOROUGH))
    found = memory.recall(PAID, 5)
    told = zip(found.hits, found.trace.hits, strict=True)
    shares = {hit.text: trace.shares["read"] for hit, trace in told}
    assert max(shares, key=shares.__getitem__) == "My flat costs me 900 a month."
    assert min(shares.values()) >= 0
    best = found.trace.hits[0]
    assert sum(best.shares.values()) == pytest.approx(best.score, abs=1e-3)


def test_a_plan_says_how_carefully_to_rank(careful: Open):
    memory = let(careful())

    def read(tier: Tier | None) -> bool:
        plan = mags.Plan(queries=(PAID,), tier=tier)
        return any(hit.shares["read"] for hit in memory.recall(plan, 5).trace.hits)

    assert [read(tier) for tier in (None, "fast", "careful", "thorough")] == [
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("asked", ["I can't sleep lately.", "Wo wohnt Ana jetzt eigentlich noch?"])
def test_what_is_no_question_in_english_is_not_read(careful: Open, asked: str):
    found = let(careful(settings=THOROUGH)).recall(asked, 5)
    assert {hit.shares["read"] for hit in found.trace.hits} == {0.0}


def test_what_is_forgotten_while_turns_are_read_is_not_found():
    parts = make_parts(THOROUGH, Models(embedder=SHIPPED, policy=RulePolicy()))

    def forgetting(question: mags.Turn, turns: Sequence[mags.Turn]) -> list[float | None]:
        for hit in memory.recall(mags.Plan(queries=(PAID,), tier="fast"), 9).hits:
            if "900" in hit.text:
                memory.forget(hit.id)
        return [0.5] * len(turns)

    with Memory(RamStore(), replace(parts, shows=forgetting)) as memory:
        found = let(memory).recall(PAID, 9)
    assert len(found) > 3
    assert not any("900" in hit.text for hit in found)
