"""Turns as they are typed: another mark, a small first letter, no apostrophes; names untouched."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mags_lab.training.chains.schema import Split
from mags_lab.training.chains.splits import split_material
from mags_lab.training.generate.fillers import typed
from mags_lab.training.generate.samples import Turns


def test_a_statement_is_mostly_left_as_it_is_and_sometimes_shouted():
    rng = Random(0)
    said = [typed("I moved to Oslo.", rng) for _ in range(1000)]
    assert 650 <= said.count("I moved to Oslo.") <= 900
    assert {"I moved to Oslo!", "I moved to Oslo", "I moved to Oslo!!"} <= {*said}


@given(st.integers(0, 10_000))
def test_names_and_their_genitives_stay_as_they_were(seed: int):
    said = typed("Ana's boss isn't Petra's.", Random(seed))
    assert "Ana's boss is" in said
    assert "Petra's" in said


@given(st.integers(0, 10_000))
def test_a_question_keeps_its_mark(seed: int):
    assert typed("Where does Ana live?", Random(seed)).endswith("?")


def test_only_training_turns_are_typed():
    for split, shouted in ((Split.TRAIN, True), (Split.PHRASINGS, False)):
        turns = Turns(split_material(split), Random(5), scatter=0.0)
        texts = [turns.to_write().text for _ in range(400)]
        assert any(text.endswith(" :)") for text in texts) is shouted
