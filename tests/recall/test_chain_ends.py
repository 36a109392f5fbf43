"""Where chains begin and end: who speaks of whom, and what was said later of the same."""

from __future__ import annotations

import mags
from mags import inspect
from mags.app import embedded
from mags.memory.memory import Memory
from mags.recall.settings import ChainSettings
from mags.settings import Settings

WHERE = "Where does Ilka work?"
PLACES = ("At the mill", "At the harbour", "At the bakery")


def told(*lines: tuple[str, str], beam: int = 128) -> Memory:
    settings = Settings()
    chains = ChainSettings(beam=beam)
    recall = settings.memory.recall.__class__(chains=chains)
    memory = mags.open(
        None,
        embedder=embedded(),
        clock=lambda: 1e6,
        settings=Settings(memory=settings.memory.__class__(recall=recall)),
    )
    for place, (speaker, text) in enumerate(lines):
        memory.observe(text, speaker=speaker, at=60.0 * place)
    return memory


def found(memory: Memory, question: str, options: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    return [
        (options[chain.option], [memory.get(step).text for step in chain.steps])
        for chain in inspect.chains(memory, question, options)
    ]


def test_who_speaks_of_himself_is_meant_by_his_name():
    memory = told(("Ilka", "I work at the mill."), ("Jaro", "I work at the harbour."))
    assert found(memory, WHERE, PLACES)[0] == ("At the mill", ["I work at the mill."])


def test_who_speaks_of_others_is_not_meant():
    memory = told(("Ilka", "Well, Jaro works at the harbour."), ("Jaro", "Ilka is at the bakery."))
    assert found(memory, WHERE, PLACES)[0] == ("At the bakery", ["Ilka is at the bakery."])


def test_what_was_said_later_of_the_same_stands_beside_a_line():
    moved = "The harvest market moves from Monday to Friday."
    memory = told(
        ("Ilka", "The day of the harvest market is Monday."),
        ("Jaro", "Snow fell on the hills."),
        ("Ilka", moved),
    )
    first = inspect.chains(memory, "Which day is the harvest market?", ("On Monday", "On Sunday"))[
        0
    ]
    assert [memory.get(i).text for i in first.steps] == ["The day of the harvest market is Monday."]
    assert [memory.get(i).text for i in first.since] == [moved]


def test_of_lines_alike_those_that_hold_an_option_are_gone_on_from():
    lines = [("Ilka", f"I have seen {n} pigeons.") for n in range(12)]
    memory = told(*lines, ("Ilka", "I begin at the mill."), *lines, beam=4)
    assert found(memory, WHERE, PLACES)[0] == ("At the mill", ["I begin at the mill."])


def test_the_month_in_which_a_line_was_said_is_no_part_of_it():
    memory = mags.open(None, embedder=embedded(), clock=lambda: 1.72e9)
    for text in ("In May Ilka began at the mill.", "Ilka has been at the well."):
        memory.observe(text, speaker="Jaro", at=1.7095e9)  # in March
    options = ("In March", "In May")
    assert found(memory, "In which month did Ilka begin at the mill?", options) == [
        ("In May", ["In May Ilka began at the mill."])
    ]
