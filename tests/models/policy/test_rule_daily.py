"""What plain people say day by day: weekdays, who is who, values told anew in few words."""

import pytest

from mags.ports.policy import Act, Recalled
from tests.models.policy.reading import POLICY, facts, turn, write


def held(subject: str, relation: str, obj: str, text: str = "") -> Recalled:
    """A fact told before."""
    told = text or f"{subject} {relation} {obj}."
    return Recalled(id=1, text=told, subject=subject, relation=relation, object=obj)


def after(text: str, *before: Recalled) -> list[tuple[str, str, str, str]]:
    """Return what a turn calls for that is read by facts told before."""
    found = POLICY.write(turn(text), [], list(before)).operations
    return [(op.act.value, op.subject, op.relation, op.object) for op in found]


@pytest.mark.parametrize(
    ("said", "relation", "days"),
    [
        ("I work Tuesdays.", "works on", "Tuesdays"),
        ("I usually work Mondays, Tuesdays and Thursdays", "works on",
         "Mondays, Tuesdays and Thursdays"),
        ("I cook Tuesdays and Thursdays, Bob does the rest", "cooks on", "Tuesdays and Thursdays"),
        ("I don't work Mondays", "does not work on", "Mondays"),
    ],
)  # fmt: skip
def test_days_need_no_preposition(said: str, relation: str, days: str) -> None:
    assert ("ADD", "Alice", relation, days) in facts(said)


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


def test_what_somebody_said_of_their_days_is_theirs_to_say() -> None:
    found = write("Tom said he works Mondays").operations
    assert [op.text for op in found] == ["Tom said that Tom works on Mondays."]


def test_who_one_does_a_thing_with_on_a_day_is_kept() -> None:
    found = write("On Fridays I usually swim with my sister, Carmo").operations
    assert "Alice swims on Fridays with Alice's sister, Carmo." in [op.text for op in found]
    assert ("ADD", "Alice", "swims with", "sharks") in facts("I swim with sharks on Sundays")


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


def test_the_name_told_after_an_engagement_is_the_other_s() -> None:
    found = facts("Tom got engaged! Her name is Lucia and she's from Naples")
    assert ("ADD", "Tom", "is engaged to", "Lucia") in found
    assert ("ADD", "Lucia", "is from", "Naples") in found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("I'm a nurse on the stroke ward at St. Luke's",
         {("works as", "nurse"), ("works at", "St. Luke's")}),
        ("I'm a chef on a cruise ship", {("works as", "chef"), ("works on", "cruise ship")}),
        ("I'm a doctor on call", {("works as", "doctor on call")}),
    ],
)  # fmt: skip
def test_a_trade_is_parted_from_where_it_is_worked_in(
    said: str, found: set[tuple[str, str]]
) -> None:
    assert {(relation, obj) for _, _, relation, obj in facts(said)} == found


@pytest.mark.parametrize(
    ("said", "relation", "value"),
    [
        ("I get about 2,100 euros a month after tax", "salary", "2,100 euros a month"),
        ("I'm low on iron", "is low on", "iron"),
    ],
)  # fmt: skip
def test_values_told_in_few_words_are_read(said: str, relation: str, value: str) -> None:
    assert ("ADD", "Alice", relation, value) in facts(said)


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
    ("said", "subject", "value"),
    [
        ("Switched alarm companies, it's Verisafe now", "alarm company", "Verisafe"),
        ("changed the code of the alarm, it's 9083 now", "alarm code", "9083"),
        ("The landlord put the rent up to 1200", "rent", "1200"),
    ],
)
def test_a_value_told_anew_takes_the_place_of_the_old_one(
    said: str, subject: str, value: str
) -> None:
    assert facts(said) == [("UPDATE", subject, "is", value)]


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


def test_a_bare_number_is_the_newest_of_what_was_measured() -> None:
    weight = held("Alice", "weight", "84 kilos", "Alice weighs 84 kilos.")
    assert after("82 now", weight) == [("UPDATE", "Alice", "weight", "82 kilos")]
    assert after("79.5 this morning!", weight) == [("UPDATE", "Alice", "weight", "79.5 kilos")]
    cat = held("Alice's cat", "weight", "6.2 kilos", "Alice's cat weighs 6.2 kilos.")
    assert after("cat's down to 5.8", cat) == [("UPDATE", "Alice's cat", "weight", "5.8 kilos")]


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


def test_what_the_doctor_takes_somebody_off_is_over() -> None:
    tablet = held("Alice", "takes", "water tablet", "Alice takes a water tablet.")
    assert after("The doctor's taken me off the water tablet", tablet)[0] == (
        "RETRACT", "Alice", "takes", "water tablet",
    )  # fmt: skip
    for said in ("The doctor took me off guard", "they've taken me off the case"):
        assert after(said, tablet) == []


def test_who_gave_notice_no_longer_works_there() -> None:
    job = held("Tom", "works at", "Shell", "Tom works at Shell.")
    assert ("RETRACT", "Tom", "works at", "Shell") in after("Tom gave notice", job)
    found = after("He gave me notice to leave", job)
    assert "RETRACT" not in [act for act, *_ in found]


def test_a_correction_keeps_what_else_was_told() -> None:
    study = held(
        "Bethan", "studies", "marine biology", "Bethan studies marine biology at Plymouth."
    )
    said = "wait, I said Bethan studies marine biology, it's actually oceanography"
    found = POLICY.write(turn(said), [], [study]).operations
    assert [(op.act, op.text) for op in found] == [
        (Act.UPDATE, "Bethan studies oceanography at Plymouth.")
    ]
