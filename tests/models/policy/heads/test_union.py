"""Heads and rules together: nothing is told twice."""

from mags.models.policy.heads.union import joined
from mags.ports.policy import Act, Operation


def told(subject: str, relation: str, object: str) -> Operation:
    return Operation(act=Act.ADD, subject=subject, relation=relation, object=object)


def note(text: str) -> Operation:
    return Operation(act=Act.NOTE, text=text)


SURE = told("Ana", "lives in", "Oslo")


def test_what_speaks_of_something_else_is_added():
    other = told("Ana", "works as", "nurse")
    assert joined([SURE], [other, note("Bob sings.")]) == (SURE, other, note("Bob sings."))


def test_the_same_object_slot_or_a_note_around_it_is_left_out():
    others = [
        told("Ana", "likes", "oslo"),
        told("ANA", "lives in", "Rome"),
        note("Ana is in Oslo."),
    ]
    assert joined([SURE], others) == (SURE,)
