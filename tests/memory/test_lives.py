"""The life of a node: every change to its strength, and the law between them."""

import pytest

import mags
from mags import inspect
from mags.errors import NotFound
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.settings import Settings


@pytest.fixture
def told(tmp_path) -> Memory:
    memory = mags.open(tmp_path / "a.mags", settings=Settings(), embedder=HashEmbedder(64))
    memory.observe("Ana lives in Oslo.")
    memory.observe("Bo likes chess.")
    with memory:
        yield memory


def fact(memory: Memory, text: str) -> int:
    return next(one.id for one in memory.facts() if one.text == text)


def test_a_life_begins_with_the_change_that_made_the_node(told: Memory):
    first = inspect.life(told, fact(told, "Ana lives in Oslo."))[0]
    assert (first.seq, first.kind, first.uses) == (1, "observe", 0)


def test_an_answer_that_cites_a_node_stands_in_its_life(told: Memory):
    reply = told.ask("Where does Ana live?")
    (cited, *_) = reply.citations
    last = inspect.life(told, cited.id)[-1]
    assert (last.kind, last.uses) == ("ask", 1)
    assert last.strength == pytest.approx(told.get(cited.id).strength, abs=1e-3)


def test_between_changes_the_strength_follows_the_half_life(told: Memory):
    node = fact(told, "Bo likes chess.")
    told.observe("Ana sings.")
    (*_, last) = inspect.life(told, node)
    assert last.half_life == 1000.0
    age = told.stats().tick - last.tick
    faded = last.strength * 2 ** (-age / last.half_life)
    assert told.get(node).strength == pytest.approx(faded, abs=1e-3)


def test_what_is_pinned_fades_no_more(told: Memory):
    node = fact(told, "Bo likes chess.")
    told.pin(node)
    assert inspect.life(told, node)[-1].half_life is None


def test_a_change_of_words_is_none_of_strength(told: Memory):
    node = fact(told, "Bo likes chess.")
    before = inspect.life(told, node)
    told.edit(node, confidence=0.5)
    assert inspect.life(told, node) == before


def test_a_node_that_is_not_there_has_no_life(told: Memory):
    with pytest.raises(NotFound):
        inspect.life(told, 9_999)
