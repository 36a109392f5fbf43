"""What a turn leaves open, read by the facts that were told before it."""

from __future__ import annotations

import pytest

from mags.models.policy.rules import RulePolicy
from mags.models.policy.rules.contrasts import contrasted
from mags.ports.policy import Act, Operation, Recalled, Turn, Writing

AT = 1_706_000_000.0  # Tuesday 23 January 2024


def fact(subject: str, relation: str, object_: str, text: str = "", **said: str) -> Recalled:
    """A fact that was told before."""
    return Recalled(
        id=1,
        text=text or f"{subject} {relation} {object_}.",
        subject=subject,
        relation=relation,
        object=object_,
        qualifiers=said,
    )


def written(text: str, *told: Recalled) -> Writing:
    """What the rules make of a turn of Ana's, with what was told before, the oldest first."""
    return RulePolicy().write(Turn(text=text, speaker="Ana", at=AT), (), told)


def triples(writing: Writing, act: Act) -> set[tuple[str, str, str]]:
    """The triples of the operations of one kind."""
    return {_triple(op) for op in writing.operations if op.act is act}


def _triple(op: Operation) -> tuple[str, str, str]:
    return op.subject, op.relation, op.object


CAR = fact("Ana", "drives", "green Fiat Panda")
JOB = fact("Ana", "works at", "Petal")
MEETING = fact("book club meeting", "is happening on", "14 February 2024")
SISTER = fact("Ana", "sister", "Greta", "Ana's sister is Greta.")
BROTHER = fact("Ana", "brother", "Emil", "Ana's brother is Emil.")


@pytest.mark.parametrize(
    ("text", "told", "over"),
    [
        ("I sold the car.", CAR, ("Ana", "drives", "green Fiat Panda")),
        ("It got stolen!", CAR, ("Ana", "drives", "green Fiat Panda")),
        ("I quit on Friday.", JOB, ("Ana", "works at", "Petal")),
        ("They let me go yesterday.", JOB, ("Ana", "works at", "Petal")),
        ("They cancelled it.", MEETING,
         ("book club meeting", "is happening on", "14 February 2024")),
        ("We broke up.", fact("Ana", "is dating", "Ruben"), ("Ana", "is dating", "Ruben")),
        ("I gave it up.", fact("Ana", "is learning", "accordion"),
         ("Ana", "is learning", "accordion")),
        ("The boiler is fixed.", fact("boiler", "is", "broken"), ("boiler", "is", "broken")),
    ],
)  # fmt: skip
def test_what_is_over_is_taken_back_and_kept_as_over(
    text: str, told: Recalled, over: tuple[str, str, str]
) -> None:
    writing = written(text, told)
    assert over in triples(writing, Act.RETRACT)
    assert (over[0], f"no longer {over[1]}", over[2]) in triples(writing, Act.ADD)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I sold the boat.", CAR),
        ("It got stolen!", JOB),
        ("He quit on Friday.", JOB),
        ("I quit smoking.", JOB),
        ("They cancelled it.", CAR),
        ("It's a nice day.", MEETING),
    ],
)
def test_what_does_not_fit_ends_nothing(text: str, told: Recalled) -> None:
    assert _triple_of(told) not in triples(written(text, told), Act.RETRACT)


def _triple_of(told: Recalled) -> tuple[str, str, str]:
    return told.subject, told.relation, told.object


@pytest.mark.parametrize(
    ("text", "told", "new"),
    [
        ("They moved it to 21 February.", MEETING,
         ("book club meeting", "is happening on", "21 February 2024")),
        ("It went up to 700 euros.", fact("Ana", "rent", "640 euros", "Ana's rent is 640 euros."),
         ("Ana", "rent", "700 euros")),
        ("They changed the gate code, it's 8817 now.", fact("gate code", "is", "5523"),
         ("gate code", "is", "8817")),
        ("New gate code: 8817.", fact("gate code", "is", "5523"), ("gate code", "is", "8817")),
    ],
)  # fmt: skip
def test_a_new_value_takes_the_place_of_the_one_told_before(
    text: str, told: Recalled, new: tuple[str, str, str]
) -> None:
    assert triples(written(text, told), Act.UPDATE) == {new}


def test_of_those_that_fit_the_one_told_last_is_meant() -> None:
    bike = fact("Ana", "has", "red bike")
    assert triples(written("I sold it.", CAR, bike), Act.RETRACT) == {("Ana", "has", "red bike")}
    assert ("Ana", "drives", "green Fiat Panda") in triples(
        written("I sold it.", bike, CAR), Act.RETRACT
    )


def test_a_pronoun_is_whoever_it_fits_of_those_told_of_before() -> None:
    writing = written("She moved to Trieste.", SISTER, BROTHER)
    assert ("Greta", "lives in", "Trieste") in triples(writing, Act.ADD)
    writing = written("He moved to Trieste.", BROTHER, SISTER)
    assert ("Emil", "lives in", "Trieste") in triples(writing, Act.ADD)


def test_somebody_of_the_turn_is_meant_before_those_told_of_before() -> None:
    writing = written("My aunt Olga was here. She lives in Turku.", SISTER)
    assert ("Olga", "lives in", "Turku") in triples(writing, Act.ADD)


def test_only_a_turn_that_leaves_something_open_asks_for_what_was_told() -> None:
    policy = RulePolicy()
    assert policy.wants(Turn(text="Greta lives in Graz.", speaker="Ana"), ()) == ()
    assert policy.wants(Turn(text="Where is it now?", speaker="Ana"), ()) == ()
    wanted = policy.wants(Turn(text="My sister moved.", speaker="Ana"), ())
    assert {"Ana", "Ana's sister"} <= set(wanted)


def test_who_is_named_only_to_be_left_out_gets_nothing() -> None:
    writing = written("Orin Vashti, not Tolwin Brask, received the Velmar Medal.")
    assert triples(writing, Act.ADD) == {("Orin Vashti", "received", "Velmar Medal")}
    assert triples(writing, Act.RETRACT) == {("Tolwin Brask", "received", "Velmar Medal")}
    assert contrasted("It's Tuesday, not Monday.") == ("It's Tuesday, not Monday.", ())


def test_never_one_but_another_is_two_things_told() -> None:
    writing = written("Kelm Drosten has never climbed Mount Orvin, but he has summited Mount Tarn.")
    assert triples(writing, Act.ADD) == {
        ("Kelm Drosten", "never climbed", "Mount Orvin"),
        ("Kelm Drosten", "has summited", "Mount Tarn"),
    }


def test_a_state_that_passes_is_a_fact() -> None:
    assert triples(written("My uncle Bram is ill."), Act.ADD) >= {("Bram", "is", "ill")}
    assert triples(written("The boiler is broken again."), Act.ADD) == {("boiler", "is", "broken")}
