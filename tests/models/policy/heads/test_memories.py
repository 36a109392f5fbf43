"""What is remembered, found again in the words of a turn."""

import pytest

from mags.models.policy.heads.choices import Vocabulary
from mags.models.policy.heads.layout import MARKS, SPEAKER, SPECIAL, laid_out, marks
from mags.models.policy.heads.memories import (
    OBJECT,
    SUBJECT,
    columns,
    read_fact,
    remembered,
    with_memories,
)
from mags.ports.policy import Recalled, Turn

KNOWN = Vocabulary(relations=("birthday", "favourite", "lives in"), kinds=("food", "drink"))
LAYOUT = laid_out(Turn(text="Ana left Oslo, and I did too.", speaker="Bob"))


def memory(text: str, *, current: bool = True) -> Recalled:
    return Recalled(id=1, text=text, speaker="Bob", at=0.0, current=current)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ana lives in New Oslo.", ("Ana", "lives in", "New Oslo")),
        ("Ana's birthday is 3 May.", ("Ana", "birthday", "3 May")),
        ("Carlos' favourite drink is tea.", ("Carlos", "favourite", "tea")),
        ("Ana said that it rained.", None),
        ("lives in Oslo.", None),
    ],
)
def test_a_fact_is_read_as_memories_word_it(text, fact):
    assert read_fact(text, KNOWN) == fact


def test_words_that_a_current_memory_tells_of_are_marked_by_their_part():
    ana, oslo = SPECIAL, SPECIAL + 2
    place = KNOWN.relations.index("lives in")
    many = len(KNOWN.relations)
    assert set(remembered(LAYOUT, [memory("Ana lives in Oslo.")], KNOWN)) == {
        (oslo, OBJECT),
        (oslo, 2 + place),
        (ana, SUBJECT),
        (ana, 2 + many + place),
    }
    assert remembered(LAYOUT, [memory("Ana lives in Oslo.", current=False)], KNOWN) == ()


def test_the_speaker_is_a_subject_without_being_named():
    found = remembered(LAYOUT, [memory("Bob lives in Rome.")], KNOWN)
    assert (SPEAKER, SUBJECT) in found


def test_marks_of_memories_stand_beside_those_of_writing():
    signs = marks(LAYOUT)
    both = with_memories(LAYOUT, signs, [memory("Bob lives in Rome.")], KNOWN)
    assert both.shape == (LAYOUT.rows, MARKS + columns(KNOWN))
    assert (both[:, :MARKS] == signs).all()
    assert both[SPEAKER, MARKS + SUBJECT] == 1.0
