from collections import Counter
from datetime import date
from random import Random

import pytest

from mags.errors import InvalidInput
from mags.models.grammar import check_invented, read_engram, read_plan
from mags.ports.policy import Act
from mags.ports.relations import backwards, stem
from mags_lab.training.chains.card import card
from mags_lab.training.chains.schema import (
    OperationLine,
    RecallLook,
    Role,
    Sample,
    Split,
    check_target,
    engram,
    route,
    to_line,
)
from mags_lab.training.chains.splits import split_material
from mags_lab.training.generate import dates
from mags_lab.training.generate.fillers import Fillers, Framer, decent, lowered, name
from mags_lab.training.generate.samples import Amount, generate

AMOUNT = Amount(train=2500, least=150)


@pytest.fixture(scope="module")
def made() -> list[Sample]:
    return list(generate(AMOUNT, 5))


def test_a_seed_gives_the_same_bytes_and_another_other_ones():
    few = Amount(train=200, least=20)
    once, again, other = ("\n".join(map(to_line, generate(few, seed))) for seed in (5, 5, 6))
    assert once == again != other


def test_the_grammar_reads_every_target(made: list[Sample]):
    for sample in made:
        check_target(sample)


def test_nothing_in_an_engram_is_invented(made: list[Sample]):
    for sample in made:
        if sample.role is Role.WRITE:
            said = [f"{t.speaker} {t.text}" for t in (sample.turn, *sample.recent)]
            check_invented(read_engram(sample.target).operations, "\n".join(said))


def test_a_plan_names_only_who_was_named(made: list[Sample]):
    for sample in made:
        if sample.role is Role.ASK:
            turns = (sample.turn, *sample.recent)
            said = " ".join(f"{t.speaker} {t.text}" for t in turns).casefold()
            for entity in read_plan(sample.target, "").entities:
                assert entity.casefold() in said, sample


def test_no_kind_of_write_is_over_forty_percent(made: list[Sample]):
    # An update or retraction counts before an add.
    counts = Counter(
        next((act for act in ("UPDATE", "RETRACT", "ADD") if act in sample.target), "none")
        for sample in made
        if sample.split is Split.TRAIN and sample.role is Role.WRITE
    )
    shares = {act: count / counts.total() for act, count in counts.items()}
    assert shares.keys() == {"ADD", "UPDATE", "RETRACT", "none"}
    assert max(shares.values()) <= 0.40
    assert min(shares.values()) >= 0.12


def test_ids_are_unique_and_every_tag_is_there(made: list[Sample]):
    assert len({sample.id for sample in made}) == len(made)
    tags = Counter(tag for sample in made for tag in sample.tags)
    wanted = (
        "add change swap correct end near question pronoun kin when known note both inverse 2-hop "
        "past_first vague_third episodic second scattered list yesno"
    )
    assert {
        tag for tag in (*wanted.split(), "small talk", "bare answer", "3 facts", "unnamed kin")
    } <= tags.keys()


def test_every_route_is_taught(made: list[Sample]):
    words = Counter(s.target.split()[1] for s in made if s.role is Role.ROUTER)
    assert {*words} == {"both", "recall", "engram", "neither"}
    assert min(words.values()) >= 0.1 * words.total()


def test_thousands_of_samples_are_made_where_they_are_asked_for():
    assert sum(1 for _ in generate(Amount(train=2000, least=1), 3)) >= 2000


def test_the_card_tells_counts_variety_licences_and_the_command(made: list[Sample]):
    told = card(made, command="mags train data --out DIR --samples 2500 --seed 5")
    assert "mags train data --out DIR --samples 2500 --seed 5" in told
    assert "Apache-2.0" in told
    assert "self-BLEU" in told
    for split in {sample.split for sample in made}:
        assert f"| {split} |" in told


def test_names_are_decent_and_read_as_names():
    rng = Random(0)
    for held in (False, True):
        for _ in range(300):
            made_up = name(rng, held=held)
            assert made_up[0].isupper()
            assert decent(made_up)


def test_an_unknown_slot_type_says_what_to_add():
    with pytest.raises(InvalidInput, match=r"words/no-such\.txt"):
        Fillers(split_material(Split.TRAIN), Random(0)).value("no-such")


def test_values_differ_from_those_to_avoid():
    fillers = Fillers(split_material(Split.TRAIN), Random(0))
    with pytest.raises(InvalidInput, match="too few"):
        fillers.value("kind", avoid=split_material(Split.TRAIN).words["kind"])


def test_operations_have_one_spelling():
    line = OperationLine(
        act=Act.ADD, subject="Ana", relation="favourite food", object="ramen | udon"
    )
    assert str(line) == "ADD | Ana | favourite | ramen \\| udon | kind=food"
    dated = OperationLine(
        act=Act.ADD, subject="Ana", relation="lives in", object="Oslo", when="2024-05"
    )
    assert str(dated) == "ADD | Ana | lives in | Oslo | | 2024-05"
    (read,) = read_engram(engram([dated, dated])).operations
    assert (read.object, read.qualifiers) == ("Oslo", {})


def test_plans_and_routes_have_one_spelling():
    look = RecallLook(
        queries=("Ana's sister",),
        entities=("Ana",),
        hops=(("Ana", "sister", False), ("^", "works at", True)),
        since="2024",
        kind="thing",
        past=True,
    )
    assert str(look).splitlines() == [
        "<recall>",
        "Ana's sister",
        "entities: Ana",
        "hop: Ana | sister",
        "hop: ^ | works at | inverse",
        "since: 2024",
        "kind: thing",
        "past: yes",
        "</recall>",
    ]
    assert route("recall", episodic=0.5) == "<route> recall episodic=0.5 semantic=1 </route>"
    assert (stem("Ana", "lives in"), stem("Ana", "favourite food")) == (
        "Ana lives in",
        "Ana's favourite food",
    )
    assert backwards("birthday", "3 May") == "birthday is 3 May"


def test_dates_mean_what_they_say_on_their_day():
    now = date(2024, 5, 10)
    assert dates.of_phrase("I moved here last month.", now) == "2024-04"
    assert dates.of_phrase("I moved here yesterday.", now) == "2024-05-09"
    assert dates.of_phrase("I moved here.", now) == ""
    spans = {dates.span(Random(i), now) for i in range(600)}
    (week,) = {(s.since, s.until) for s in spans if s.words == "last week"}
    assert week == ("2024-04-29", "2024-05-05")
    assert {s.since for s in spans if s.words == "in June"} == {"2023-06"}
    assert {s.since for s in spans if s.words == "in May"} == {"2024-05"}


def test_frames_keep_sentences_whole():
    material = split_material(Split.TRAIN)
    framer = Framer(material, Random(0), Fillers(material, Random(0)))
    values = {"x": "My flat is in Oslo.", "y": "You see", "w": "May"}
    assert framer.put("{x} {y}", values) == "My flat is in Oslo. You see"
    assert framer.put("{x} And {y}", values) == "My flat is in Oslo. And you see"
    assert framer.put("So {x-}?", values) == "So my flat is in Oslo?"
    assert framer.put("Ok: {x}", values) == "Ok: My flat is in Oslo."
    assert framer.put("{y} Bye!", values) == "You see. Bye!"
    assert "{n}" not in framer.put("{n}, {x}", values)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("My flat is in Oslo.", "my flat is in Oslo."),
        ("I'm here.", "I'm here."),
        ("Oslo is home.", "Oslo is home."),
        ("What's new?", "what's new?"),
    ],
)
def test_only_what_is_surely_no_name_loses_its_capital(text: str, wanted: str):
    assert lowered(text) == wanted
