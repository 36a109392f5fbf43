import pytest

from mags.errors import InvalidInput
from mags.ports.policy import Act, Operation
from mags_lab.evaluation.writing import Tally, key_of, keys, micro, score
from mags_lab.training.real.passage import Passage, PassageFact


def op(subject: str, relation: str, thing: str, act: Act = Act.ADD) -> Operation:
    return Operation(act=act, subject=subject, relation=relation, object=thing)


def fact(subject: str, relation: str, thing: str, *, wanted: bool = True) -> PassageFact:
    return PassageFact(subject=(subject,), relation=relation, object=(thing,), wanted=wanted)


def passage(*facts: PassageFact, asked: frozenset[str] | None = None) -> Passage:
    return Passage(id="x", source="made up", text="", held=True, facts=facts, asked=asked)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (op("Bo", "worked at", "Oz"), op("bo", "works at", "the Oz")),
        (op("Bo", "is parent of", "Al"), op("Al", "is child of", "Bo")),
        (op("Al", "mother", "Bo"), op("Bo", "is parent of", "Al")),
        (op("Bo", "is married to", "Al"), op("Al", "is married to", "Bo")),
        (op("Bo", "was educated at", "Oz"), op("Bo", "studied at", "Oz")),
        (op("Bo", "was born on", "3 May 1901"), op("Bo", "was born on", "May 3, 1901")),
        (op("Bo", "likes", "tea", Act.UPDATE), op("Bo", "likes", "tea")),
        (op("Oz", "was founded by", "Bo"), op("Bo", "founded", "Oz")),
    ],
)
def test_tense_direction_and_spelling_do_not_matter(one: Operation, other: Operation) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (op("Bo", "is parent of", "Al"), op("Al", "is parent of", "Bo")),
        (op("Bo", "likes", "tea"), op("Bo", "does not like", "tea")),
        (op("Bo", "likes", "tea"), op("Bo", "likes", "tea", Act.RETRACT)),
    ],
)
def test_direction_of_a_fact_and_its_denial_matter(one: Operation, other: Operation) -> None:
    assert key_of(one) != key_of(other)


def test_any_name_of_an_end_will_do() -> None:
    known = PassageFact(subject=("Bo Qir", "Qir"), relation="lives in", object=("Ula",))
    assert key_of(op("Qir", "lives in", "Ula")) in keys(known)


def test_an_operation_counts_where_its_relation_was_looked_for() -> None:
    found = score(
        passage(
            fact("Bo", "lives in", "Ula"),
            fact("Bo", "works at", "Oz", wanted=False),
            asked=frozenset({"lives in", "works at"}),
        ),
        [
            op("Bo", "lived in", "Ula"),  # right
            op("Bo", "lives in", "Vey"),  # wrong
            op("Bo", "works at", "Oz"),  # may be told
            op("Bo", "likes", "tea"),  # nobody looked for it
        ],
    )
    assert found.triples == Tally(right=1, made=2, wanted=1)
    assert found.pairs == Tally(right=1, made=3, wanted=1)


def test_a_pair_is_right_whatever_is_said_of_it() -> None:
    found = score(passage(fact("Bo", "lives in", "Ula")), [op("Ula", "is home of", "Bo")])
    assert found.triples == Tally(right=0, made=1, wanted=1)
    assert found.pairs == Tally(right=1, made=1, wanted=1)


def test_notes_count_nowhere() -> None:
    found = score(passage(fact("Bo", "lives in", "Ula")), [Operation(act=Act.NOTE, text="Bo")])
    assert found.triples == Tally(right=0, made=0, wanted=1)


def test_counts_are_added_before_they_are_divided() -> None:
    found = micro([Tally(right=1, made=1, wanted=4), Tally(right=1, made=3, wanted=0)])
    assert found["precision"].mean == 0.5
    assert found["recall"].mean == 0.5
    assert found["F1"].mean == 0.5
    assert found["F1"].low <= 0.5 <= found["F1"].high


def test_what_is_told_of_nothing_is_zero_and_no_passage_an_error() -> None:
    assert micro([Tally(right=0, made=0, wanted=0)])["F1"].mean == 0.0
    with pytest.raises(InvalidInput):
        micro([])
