"""A guess is marked wherever it is shown, and no answer prefers it to what is surely held."""

from __future__ import annotations

from dataclasses import replace

import pytest

import mags
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.reader.policy import ReaderPolicy
from mags.recall.found import Unit
from mags.settings import Settings
from tests.models.policy.scripted import ScriptedReader, fact

READ = {
    "Bergen it is.": ("lives in", "Bergen"),
    "Rome again.": ("lives in", "Rome"),
    "Coffee o'clock.": ("likes", "coffee"),
    "The old banger.": ("drives", "Toyota"),
    "Back to Zorb.": ("works at", "Zorb"),
}


READER = ScriptedReader({text: [fact(*told, probability=0.6)] for text, told in READ.items()})


@pytest.fixture
def memory():
    embedder = HashEmbedder(64)
    with mags.open(
        None, settings=Settings(), policy=ReaderPolicy(READER), embedder=embedder
    ) as memory:
        yield memory


def tell(memory: mags.Memory, *talk: str) -> None:
    for day, text in enumerate(talk):
        memory.observe(text, speaker="Ana", at=1.7e9 + day * 86_400.0)


def open_(memory: mags.Memory) -> set[tuple[str, bool]]:
    return {(fact.object, fact.tentative) for fact in memory.facts(current=True)}


def test_a_guess_that_no_turn_bears_out_is_shown_as_closest(memory):
    tell(memory, "Bergen it is.")
    reply = memory.ask("Where does Ana live?")
    assert reply.outcome == "closest"
    assert "Bergen it is." in reply.text


@pytest.mark.parametrize(
    "talk", [("I live in Oslo.", "Bergen it is."), ("Bergen it is.", "I live in Oslo.")]
)
def test_where_something_is_surely_held_no_guess_answers(memory, talk):
    tell(memory, *talk)
    reply = memory.ask("Where does Ana live?")
    assert reply.text.startswith("Oslo \N{EM DASH} ")
    assert [one.tentative for one in reply.citations] == [False]


def test_a_guess_that_was_replaced_is_not_what_was_so_before(memory):
    tell(memory, "Rome again.", "I live in Oslo.", "I moved to Bergen.")
    assert memory.ask("Where did Ana live before?").text.startswith("Oslo")


def test_of_many_things_the_guess_is_told_by_itself_only(memory):
    tell(memory, "I like tea.", "Coffee o'clock.")
    assert memory.ask("What does Ana like?").text.startswith("tea \N{EM DASH} ")
    assert memory.ask("Does Ana like coffee?").outcome == "closest"


def test_who_leaves_the_job_that_is_named_may_have_the_one_that_is_guessed(memory):
    tell(memory, "I work at Acme.", "Back to Zorb.", "I no longer work at Acme.")
    assert ("Zorb", True) in open_(memory)
    assert ("Acme", False) not in {
        (fact.object, fact.tentative)
        for fact in memory.facts(current=True)
        if fact.relation == "works at"
    }


def test_facts_hits_and_contexts_mark_guesses(memory):
    tell(memory, "I live in Oslo.", "Bergen it is.")
    assert open_(memory) == {("Oslo", False), ("Bergen", True)}
    assert {fact.object: fact.tentative for fact in memory.profile("Ana").facts} == {
        "Oslo": False,
        "Bergen": True,
    }
    found = memory.recall("Ana lives in Oslo")
    guess = next(fact for fact in memory.facts() if fact.tentative)
    hit = replace(found[0], id=guess.id, text=guess.text, fact=guess)
    assert (found[0].tentative, hit.tentative) == (False, True)
    shown = replace(found, units=(Unit(hits=(found[0], hit), score=1.0),)).context()
    assert [line.endswith(" (a guess)") for line in shown.splitlines()] == [False, True]


def test_what_is_corrected_by_hand_is_a_guess_no_longer(memory):
    tell(memory, "Bergen it is.")
    (fact,) = memory.facts(current=True)
    memory.edit(fact.id, meta={"object": "Rome"})
    assert open_(memory) == {("Rome", False)}
    tell(memory, "I live in Oslo.")
    assert open_(memory) == {("Oslo", False)}


def test_a_guess_is_one_after_an_export_and_an_import(memory, tmp_path):
    tell(memory, "Bergen it is.")
    memory.export(tmp_path / "guess.jsonl")
    with mags.open(None, settings=Settings(), embedder=HashEmbedder(64)) as other:
        other.import_(tmp_path / "guess.jsonl")
        assert open_(other) == {("Bergen", True)}


@pytest.mark.parametrize(
    "rumour",
    [
        "Rumour has it that Ben got fired.",
        "I heard that Ben got fired.",
        "Maybe Ben got fired.",
        "I guess Ben has quit his job.",
    ],
)
def test_an_ending_that_was_only_heard_or_guessed_ends_nothing(memory, rumour):
    tell(memory, "Ben works at customs.", rumour)
    assert ("customs", False) in open_(memory)
