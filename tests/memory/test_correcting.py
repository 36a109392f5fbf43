""" "That is wrong, it is X" is one call, counts as the person's own word, and can be taken back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags.errors import InvalidInput, NotFound
from mags.models.embed.hashing import HashEmbedder
from mags.ports.corrections import instead

NOW = 1_767_258_000.0


@pytest.fixture
def memory():
    with mags.open(embedder=HashEmbedder(64), clock=lambda: NOW) as memory:
        memory.observe("I live in Oslo.", speaker="Ana", at="2025-05-01")
        memory.observe("My dog is called Max.", speaker="Ana", at="2025-05-02")
        yield memory


def home(memory):
    return next(fact for fact in memory.facts("Ana") if fact.relation == "lives in")


@pytest.mark.parametrize(
    "right",
    ["Bergen", "No, it's Bergen.", "That is wrong, it is Bergen", "I live in Bergen.",
     "Ana lives in Bergen."],
)  # fmt: skip
def test_a_fact_is_corrected_by_a_value_or_by_a_sentence(memory, right):
    wrong = home(memory)
    seen = memory.correct(wrong.id, right, speaker="Ana")
    assert seen.closed == (wrong.id,)
    assert memory.ask("Where does Ana live?").text.startswith("Bergen")
    (fact,) = [memory.get(i).fact for i in seen.facts]
    assert (fact.object, fact.grade, fact.speaker) == ("Bergen", "self", "Ana")


def test_what_was_wrong_never_was_so_and_what_is_right_held_since_then(memory):
    memory.correct(home(memory), "Bergen", speaker="Ana")
    assert [f.object for f in memory.facts("Ana", "2025-05-10") if f.relation == "lives in"] == [
        "Bergen"
    ]


def test_an_answer_is_corrected_by_what_it_cites(memory):
    reply = memory.ask("What is Ana's dog called?")
    assert "Max" in reply.text
    memory.correct(reply, "Rex", speaker="Ana")
    first = memory.ask("What is Ana's dog called?").text.split("\n")[0]
    assert first.startswith("Rex")
    assert "Max" not in first


def test_a_correction_is_the_persons_own_word_which_no_rumour_ends(memory):
    memory.correct(home(memory), "Bergen", speaker="Ana")
    memory.observe("Ana moved to Rome.", speaker="Bob", at="2025-07-01")
    assert memory.ask("Where does Ana live?").text.startswith("Bergen")


def test_a_rumour_that_is_right_is_taken_up_by_a_correction(memory):
    rumour = memory.observe("Ana moved to Rome.", speaker="Bob", at="2025-06-01").facts[0]
    own = next(f for f in memory.facts("Ana") if f.object == "Oslo")
    seen = memory.correct(own, "Rome", speaker="Ana")
    assert seen.confirmed == (rumour,)
    assert not memory.get(rumour).fact.disputed
    assert memory.ask("Where does Ana live?").text.startswith("Rome")


@pytest.mark.parametrize("right", ["Bergen", None])
def test_who_is_not_trusted_corrects_no_word_but_their_own(memory, right):
    seen = memory.correct(home(memory), right, speaker="Bob", trusted=False)
    assert seen.closed == ()
    assert seen.disputed
    assert memory.ask("Where does Ana live?").text.startswith("Oslo")
    own = memory.correct(home(memory), "Lima", speaker="Ana", trusted=False)
    assert own.closed
    assert memory.ask("Where does Ana live?").text.startswith("Lima")


def test_what_is_only_known_to_be_wrong_is_denied(memory):
    memory.correct(home(memory), None, speaker="Ana")
    assert not memory.ask("Where does Ana live?").text.startswith("Oslo")
    assert [f for f in memory.facts("Ana", current=True) if f.relation == "lives in"] == []


def test_a_correction_is_taken_back_like_everything(memory):
    before = [(f.id, f.object, f.valid_to) for f in memory.facts()]
    memory.snapshot("before")
    memory.correct(home(memory), "Bergen", speaker="Ana")
    memory.rollback("before")
    assert [(f.id, f.object, f.valid_to) for f in memory.facts()] == before


def test_the_same_correction_with_its_key_is_written_once(memory):
    wrong = home(memory).id
    first = memory.correct(wrong, "Bergen", speaker="Ana", key="k")
    again = memory.correct(wrong, "Bergen", speaker="Ana", key="k")
    assert again.repeated
    assert again.facts == first.facts


def test_what_cannot_be_corrected_is_refused_and_nothing_is_written(memory):
    wrong, seq = home(memory), memory.stats().seq
    with pytest.raises(InvalidInput, match="already"):
        memory.correct(wrong, "Oslo")
    with pytest.raises(InvalidInput, match="could not be read"):
        memory.correct(wrong, "where the wild things that nobody has ever seen are said to be")
    with pytest.raises(NotFound):
        memory.correct(999, "Bergen")
    with pytest.raises(InvalidInput, match="name it by its id"):
        memory.correct(memory.ask("Who is the king of Norway?"), "Harald")
    assert memory.stats().seq == seq or memory.log(1)[0].kind == "ask"


@pytest.mark.parametrize(
    ("said", "wrong", "value"),
    [
        ("no, it's Bergen", "", "Bergen"),
        ("oops I meant april", "", "april"),
        ("Bergen, not Oslo.", "Oslo", "Bergen"),
        ("not Oslo, Bergen", "Oslo", "Bergen"),
        ("sorry, typo: 480 not 4800", "4800", "480"),
        ("no she's 64", "", "64"),
        ("that's wrong", "", ""),
        ("no wait, I meant the other one", "", None),
        ("that's wrong, they should pay you more", "", None),
        ("no, she's asleep", "", None),
        ("no he moved away last year", "", None),
        ("his name is Kwint, not Quint, sorry", "Quint", "Kwint"),
        ("the viola, not the cello, I always mix them up", "cello", "viola"),
        ("no, Thursday, if it rains", "", None),
    ],
)
def test_a_correction_says_what_is_wrong_and_what_is_right(said, wrong, value):
    assert instead(said) == (wrong, value)


@given(st.text())
def test_a_value_that_is_right_is_what_was_said(said):
    _, value = instead(said)
    plain = " ".join(said.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
    assert value is None or value in plain
