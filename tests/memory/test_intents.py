"""A turn of a conversation is taken as what it wants: asked without a mark, a command to forget."""

import pytest

from mags.memory.memory import Memory


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.observe("I live in Oslo.", speaker="Mia", at="2024-05-01")
    memory.observe("My dentist in Hull is strict.", speaker="Mia", at="2024-05-02")
    memory.observe("I like tea.", speaker="Mia", at="2024-05-03")
    return memory


def say(memory: Memory, text: str):
    return memory.converse(text, speaker="Mia", at="2024-05-04")


def test_a_question_without_its_mark_is_answered(told: Memory) -> None:
    reply = say(told, "where do i live")
    assert (reply.outcome, reply.text[:7]) == ("answered", "Oslo \N{EM DASH} ")


def test_a_command_to_forget_shows_what_it_means_and_neither_erases_nor_keeps(
    told: Memory,
) -> None:
    before = told.stats().nodes
    reply = say(told, "forget the thing about the dentist")
    assert reply.text.startswith("Nothing was erased. To forget, by id: ")
    assert all("dentist" in citation.text for citation in reply.citations)
    assert (reply.outcome, reply.seen) == ("closest", None)
    assert told.stats().nodes == before
    assert say(told, "forget the thing about the plumber").outcome == "unknown"


def test_what_is_only_closest_is_neither_charged_nor_kept_as_an_answer(told: Memory) -> None:
    before = told.stats().nodes["episode"]
    reply = say(told, "What is my dentist called?")
    assert reply.outcome == "closest"
    assert told.stats().nodes["episode"] == before + 1
    assert told.get(reply.citations[0].id).uses == 0


def test_a_correction_of_nothing_known_is_said_to_be_unclear(told: Memory) -> None:
    reply = say(told, "no wait, I meant the other one")
    assert reply.outcome == ""
    assert not told.facts("other one")


def test_small_talk_gets_no_report_of_what_was_read(told: Memory) -> None:
    assert say(told, "thanks!").text == "All right."
