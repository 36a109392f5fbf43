"""What plain people say day by day: weekdays, who is who, values told anew in few words."""

import pytest

from mags.ports.policy import Recalled
from tests.models.policy.reading import POLICY, facts, turn


def held(subject: str, relation: str, obj: str, text: str = "") -> Recalled:
    """A fact told before."""
    told = text or f"{subject} {relation} {obj}."
    return Recalled(id=1, text=told, subject=subject, relation=relation, object=obj)


def after(text: str, *before: Recalled) -> list[tuple[str, str, str, str]]:
    """Return what a turn calls for that is read by facts told before."""
    found = POLICY.write(turn(text), [], list(before)).operations
    return [(op.act.value, op.subject, op.relation, op.object) for op in found]


@pytest.mark.parametrize(
    "said",
    [
        "I love Mondays",
        "Mondays suck",
        "Fridays are pizza night",
        "If I work Saturdays I get paid double",
        "Do you work Sundays",
        "The shop opens Sundays",
        "Black Fridays are the worst",
        "Happy Friday",
    ],
)
def test_days_that_are_no_time_of_doing_stay_what_they_are(said: str) -> None:
    assert not any(relation.endswith(" on") for _, _, relation, _ in facts(said))


@pytest.mark.parametrize(
    "said",
    [
        "I have a question, Paula",
        "We need a doctor, Sam",
        "We hired a car, Paula",
        "I found a vet, finally",
        "The neighbour got a puppy, her name is Bella",
        "The vet saw my dog, her name is Luna",
        "The nurse comes at ten, her name escapes me",
        "The man comes on Fridays, his name is Bob",
        "I got a job as a nurse, Anna did too",
        "My boss is a nightmare, Paula",
        "The hotel was great, his name is Bob",
    ],
)
def test_who_is_called_out_or_another_gets_no_trade(said: str) -> None:
    told = {"Paula", "Sam", "Bella", "Luna", "Bob", "Anna"}
    assert not any(
        subject in told or (obj in told and relation in {"neighbour", "vet", "man", "hotel"})
        for _, subject, relation, obj in facts(said)
    )


@pytest.mark.parametrize(
    "said",
    [
        "Rose is 9",
        "Rent is theft",
        "Tom is 150 cm tall",
        "Emma is 30 a month cheaper",
        "I am low on the list",
        "I'm short of breath",
        "I get 100 calls a week",
        "We take a walk after dinner",
    ],
)
def test_what_only_looks_like_a_value_is_none(said: str) -> None:
    told = {"rent", "salary", "takes", "is low on", "is short of", "rose", "tom", "emma"}
    assert not any(relation in told for _, _, relation, _ in facts(said))


@pytest.mark.parametrize(
    "said",
    [
        "I changed my mind, it's fine now",
        "We switched seats, it's better now",
        "put the kettle on",
        "I put my foot down to 2 things",
        "My plans have changed: now it's Rome",
    ],
)
def test_changes_without_a_value_change_none(said: str) -> None:
    assert not any(act == "UPDATE" for act, *_ in facts(said))


def test_both_ends_of_a_stretch_of_days_are_its_time() -> None:
    assert facts("The trip is from 6 to 9 June") == [
        ("ADD", "trip", "is happening on", "6 June 2024 to 9 June 2024")
    ]


@pytest.mark.parametrize(
    "said",
    [
        "30 now",
        "400 now",
        "82 books now",
        "82 now?",
        "84 now",
        "I'm 82 now",
        "82 today",
        "8.2.1 now",
    ],
)
def test_a_number_far_off_or_of_something_else_measures_nothing(said: str) -> None:
    found = after(said, held("Alice", "weight", "84 kilos", "Alice weighs 84 kilos."))
    assert "weight" not in [relation for _, _, relation, _ in found]
    assert after(said, held("Alice", "walked", "84 km", "Alice walked 84 km."))[:1] in (
        [], [("ADD", "Alice", "age", "82")],
    )  # fmt: skip
