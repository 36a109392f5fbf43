import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.ports.relations import canonical, kind_of, normalise, read, relations

TEMPLATES = {
    "capital": ("The capital of {} is", "P36"),
    "is a citizen of": ("{} is a citizen of", "P27", "country of citizenship"),
    "was created in the country of": ("P495", "country of origin"),
    "is associated with the sport of": ("P641", "sport"),
    "is located in the continent of": ("P30", "continent"),
    "plays the position of": ("P413", "position played on team / speciality"),
    "director": ("The director of {} is", "P1037", "director / manager"),
    "was performed by": ("P175", "performer", "performed by"),
    "is married to": ("P26", "spouse", "{} is married to"),
    "was developed by": ("P178", "developer"),
    "chief executive officer": ("The chief executive officer of {} is", "P169", "CEO"),
    "was founded by": ("P112", "founded by", "founder"),
    "official language": ("The official language of {} is", "official_language", "P37"),
    "was created by": ("P170", "creator"),
    "head coach": ("The head coach of {} is", "P286"),
    "author": ("The author of {} is", "P50", "was written by"),
    "was born in": ("was born in the city of", "P19", "place of birth", "birthplace"),
    "child": ("{}'s child is", "P40"),
    "original broadcaster": ("The original broadcaster of {} is", "P449"),
    "company that produced": ("The company that produced {} is", "manufacturer", "P176"),
    "works at": ("is employed by", "P108", "employer", "works for"),
    "is famous for": ("{} is famous for", "P800"),
    "died in": ("died in the city of", "P20", "place of death"),
    "was educated at": ("university where was educated", "The university where {} was educated is"),
    "type of music that plays": ("The type of music that {} plays is", "P136"),
    "chairperson": ("The chairperson of {} is", "P488"),
    "headquarters is located in the city of": (
        "The headquarters of {} is located in the city of",
        "headquarters location",
        "P159",
    ),
    "name of the current head of the government": (
        "The name of the current head of the {} government is",
        "head of government",
        "P6",
    ),
    "works in the field of": ("{} works in the field of", "P106", "P101"),
}


@pytest.mark.parametrize(("name", "phrases"), TEMPLATES.items(), ids=TEMPLATES)
def test_every_template_of_mquake_names_one_single_valued_relation(name, phrases):
    for phrase in (name, *phrases, name.upper(), name.replace(" ", "_")):
        found = canonical(phrase)
        assert found is not None, phrase
        assert (found.name, found.one) == (name, True), phrase


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("lives in", "lives in"),
        ("has lived in", "lives in"),
        ("living in", "lives in"),
        ("moved to", "lives in"),
        ("lived in", "lived in"),
        ("used to live in", "lived in"),
        ("founded", "founded"),
        ("was founded by", "was founded by"),
        ("capital of", "is capital of"),
        ("is the capital of", "is capital of"),
        ("likes", "likes"),
        ("does not like", "dislikes"),
        ("doesn't like", "dislikes"),
        ("favorite food", "favourite"),
        ("worked for", "worked at"),
        ("was married to", "was married to"),
        ("husband", "is married to"),
    ],
)
def test_tense_direction_and_polarity_are_kept_apart(phrase, name):
    found = canonical(phrase)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("have exhibited", "exhibited"),
        ("climb", "climbs"),
        ("is not allergic to", "is not allergic to"),
        ("place of publication", "place of publication"),
        ("", "is related to"),
    ],
)
def test_an_unknown_phrase_keeps_its_own_words_and_holds_many(phrase, name):
    found = normalise(phrase)
    assert (found.name, found.one, found.known) == (name, False, False)


def test_a_change_cue_is_told_apart_from_a_state():
    assert read("moved to").change is True
    assert read("lives in").change is False


def test_a_kind_names_the_slot_of_a_favourite():
    assert kind_of("favourite ice cream") == "ice cream"
    assert kind_of("lives in") == ""


@pytest.mark.parametrize(
    ("phrase", "subject", "object", "sentence"),
    [
        ("lives in", "Ana", "Oslo", "Ana lives in Oslo."),
        ("capital", "France", "Paris", "France's capital is Paris."),
        ("capital", "the United States of America", "Washington",
         "The capital of the United States of America is Washington."),
        ("sister", "James", "Ana", "James' sister is Ana."),
    ],
)  # fmt: skip
def test_a_relation_reads_as_a_sentence(phrase, subject, object, sentence):
    assert canonical(phrase).sentence(subject, object) == sentence


def test_every_relation_of_the_table_is_found_under_its_own_name():
    for name, relation in relations().items():
        assert canonical(name) == relation


def test_inverses_come_in_pairs_that_exist():
    for relation in relations().values():
        if relation.inverse:
            assert relation.inverse in relations()
        if relation.symmetric:
            assert relation.inverse == relation.name


@given(st.text(max_size=60))
def test_any_phrase_has_a_relation_and_naming_it_again_changes_nothing(phrase):
    name = normalise(phrase).name
    assert name
    assert normalise(name).name == name


@pytest.mark.parametrize(
    "phrase", ["coached", "authors", "phones", "sees", "has meeting", "follows"]
)
def test_what_somebody_does_is_not_what_something_is_called(phrase: str):
    assert normalise(phrase).name == phrase


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("was coached by", "head coach"),
        ("is seeing", "is dating"),
        ("weighed", "weight"),
        ("has met", "met"),
        ("authored by", "author"),
    ],
)
def test_what_it_suffers_is(phrase: str, name: str):
    assert normalise(phrase).name == name


@pytest.mark.parametrize(
    ("phrase", "name"),
    [("got", "has"), ("had got", "had"), ("is seeing", "is dating"), ("was called", "is called")],
)
def test_what_was_got_is_had_now_and_a_passive_is_what_it_says(phrase: str, name: str):
    assert normalise(phrase).name == name


@pytest.mark.parametrize("phrase", ["saw", "sees", "called"])
def test_who_saw_or_called_somebody_is_not_dating_them_nor_called_so(phrase: str):
    assert canonical(phrase) is None
