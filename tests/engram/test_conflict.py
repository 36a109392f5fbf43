"""Statements whose relation the table does not know, and what they close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mags.engram.settings import ConflictSettings, EngramSettings
from mags.graph.records import NEVER, ArcKind
from mags.ports import relations
from mags.ports.likeness import FEATURES, features, is_specific, probability, sentences, take_apart
from tests.engram.desk import Desk, add, note

OLD = "Lara Bryneth and Cassie Simms both attended the summer school in Oslo."
NEW = "Lara Bryneth and Cassie Simms both attended the summer school in Rome."


@pytest.fixture
def desk():
    return Desk()


def attended(place):
    return (
        add("Lara Bryneth", "attended", f"summer school in {place}"),
        add("Cassie Simms", "attended", f"summer school in {place}"),
    )


def test_who_says_themself_what_is_over_contradicts_nothing_else(desk):
    mentions = ("Lara Bryneth", "Cassie Simms")
    desk.say(OLD, *attended("Oslo"), mentions=mentions)
    assert desk.say(NEW, *attended("Rome"), mentions=mentions, says_ends=True).closed == []


def test_a_swapped_ending_of_a_long_parallel_closes(desk):
    old = desk.say(OLD, *attended("Oslo"), mentions=("Lara Bryneth", "Cassie Simms")).facts
    done = desk.say(NEW, *attended("Rome"), mentions=("Lara Bryneth", "Cassie Simms"))
    assert done.closed == old
    assert [desk.state.graph.targets(new, ArcKind.SUPERSEDES) for new in done.facts] == [
        [old[0]],
        [old[1]],
    ]
    assert {r["rule"] for r in desk.deltas[-1].reasons} >= {"conflict", "contradicted"}


def test_what_the_new_turn_restates_survives(desk):
    people = ("Lara Bryneth", "Cassie Simms")
    lara, cassie = desk.say(OLD, *attended("Oslo"), mentions=people).facts
    done = desk.say(
        "Lara Bryneth attended the summer school in Rome, "
        "while Cassie Simms attended the summer school in Oslo.",
        attended("Rome")[0],
        attended("Oslo")[1],
        mentions=people,
    )
    assert done.confirmed == [cassie]
    assert done.closed == [lara]


def test_what_the_new_turn_denies_does_not_survive(desk):
    people = ("Lori Werren", "Kara Harrin")
    old = desk.say(
        "Lori Werren and Kara Harrin collaborated on a community art project.",
        *(add(person, "collaborated on", "community art project") for person in people),
        mentions=people,
    ).facts
    done = desk.say(
        "Lori Werren and Kara Harrin never collaborated on a community art project.",
        *(add(person, "never collaborated on", "community art project") for person in people),
        mentions=people,
    )
    assert done.closed == old


@pytest.mark.parametrize(
    ("relation", "old", "new"),
    [
        ("likes", "hiking in the mountains", "cooking in the evening"),
        ("visited", "the museum in Oslo", "the museum in Rome"),
        ("speaks", "French at work", "German at work"),
        ("owns", "a red bicycle from Berlin", "a blue bicycle from Berlin"),
        ("tinkers with", "old clocks", "old radios"),
    ],
)
def test_two_of_a_kind_are_two(desk, relation, old, new):
    for thing in (old, new):
        desk.say(f"Ana Ruiz {relation} {thing}.", add("Ana Ruiz", relation, thing), speaker="Bob")
    assert len(desk.open()) == 2


def test_another_person_with_the_same_property_closes_nothing(desk):
    for person in ("Anya Ternor", "Jaston Glace"):
        desk.say(
            f"{person} is a professional rock climber who has scaled peaks on three continents.",
            add(person, "is a", "professional rock climber"),
            mentions=(person,),
        )
    assert len(desk.open()) == 2


def test_what_is_told_of_another_in_other_words_closes_nothing(desk):
    frame = "In case nobody told you, as far as anybody here can tell,"
    old = add("Dorjei", "counts as one of", "Guyeim crew")
    desk.say(f"{frame} Dorjei counts as one of the Guyeim crew.", old, mentions=("Guyeim crew",))
    new = add("Paursil", "is a member of", "Guyeim crew")
    told = f"{frame} Paursil is a member of the Guyeim crew."
    assert desk.say(told, new, mentions=("Guyeim crew",)).closed == []


def test_who_joins_several_takes_the_place_of_none(desk):
    for name in ("Stovrul", "Theinfun"):
        desk.say(
            f"{name} belongs to the Floar clan.",
            add(name, "is a member of", "Floar clan"),
            mentions=(name, "Floar clan"),
        )
    joined = desk.say(
        "Meimsam belongs to the Floar clan now.",
        replace(add("Meimsam", "is a member of", "Floar clan"), change=True),
        mentions=("Meimsam", "Floar clan"),
    )
    assert joined.closed == []


def test_an_unread_contradiction_closes_by_its_episode(desk):
    people = ("Lara Bryneth", "Cassie Simms")
    old = desk.say(OLD, *attended("Oslo"), mentions=people).facts
    done = desk.say(NEW, mentions=people, understood=False)
    assert done.closed == old
    assert desk.state.graph.targets(done.episode, ArcKind.SUPERSEDES) == old


def test_what_is_said_again_in_more_words_contradicts_nothing(desk):
    told = "pretty sure Auntie Rerkur runs with the Ganner folk."
    names = ("Auntie Rerkur", "Ganner folk")
    desk.say(f"For next time: {told}", add(names[0], "runs with", names[1]), mentions=names)
    assert desk.say(f"The reason is that {told}", mentions=names).closed == []


def test_a_wish_contradicts_nothing(desk):
    desk.say(
        "Any child can see that Growau is a flaudraul.",
        add("Growau", "is", "flaudraul"),
        mentions=("Growau",),
    )
    assert desk.say("If only Growau could see this!", mentions=("Growau",)).closed == []


@pytest.mark.parametrize(
    "more", [{"is_question": True}, {"attrs": {"recalled": "yes"}}], ids=["question", "echo"]
)
def test_questions_and_echoes_close_nothing(desk, more):
    people = ("Lara Bryneth", "Cassie Simms")
    desk.say(OLD, *attended("Oslo"), mentions=people)
    assert desk.say(NEW, mentions=people, **more).closed == []


@pytest.mark.parametrize(
    "settings",
    [EngramSettings(arbiter=False), EngramSettings(conflict=ConflictSettings(on=False))],
    ids=["append only", "conflict off"],
)
def test_the_switches_leave_both_open(settings):
    desk = Desk(settings)
    for text, place in ((OLD, "Oslo"), (NEW, "Rome")):
        desk.say(text, *attended(place), mentions=("Lara Bryneth", "Cassie Simms"))
    assert len(desk.open()) == 4


def test_what_was_said_earlier_does_not_close_what_was_said_later(desk):
    people = ("Lara Bryneth", "Cassie Simms")
    desk.say(NEW, *attended("Rome"), mentions=people, at=20)
    assert desk.say(OLD, *attended("Oslo"), mentions=people, at=10).closed == []


def test_a_note_can_be_contradicted(desk):
    old = desk.say(OLD, note(OLD), mentions=("Lara Bryneth", "Cassie Simms")).notes
    done = desk.say(NEW, note(NEW), mentions=("Lara Bryneth", "Cassie Simms"))
    assert done.closed == old
    assert desk.node(old[0])["valid_to"] < NEVER


def test_embeddings_alone_never_decide():
    same_form = "Ana met Bob in Oslo."
    assert probability("Carl sold Dora a piano.", same_form, 1.0) < ConflictSettings().threshold


def test_every_feature_has_a_weight_and_lies_in_its_range():
    for new, old in ((NEW, OLD), (OLD, OLD), ("No.", OLD), (NEW, "No."), ("", "")):
        values = features(new, old, 0.5)
        assert values.shape == (len(FEATURES),)
        assert ((values >= 0) & (values <= 1)).all()


def test_features_of_a_pair_by_hand():
    values = dict(zip(FEATURES, features(NEW, OLD, 0.5), strict=True))
    # common: both sentences share attend, summer, school; 12 stems of which one differs
    assert values["old_common"] == values["new_common"] == 1.0
    assert values["shared_common"] == np.float64(3 / 5)
    assert values["old_proper"] == 4 / 5
    assert values["ratio"] == 2 * 11 / 24
    assert values["prefix"] == 11 / 12
    assert (values["swapped_alike"], values["joint"], values["negated"]) == (1, 1, 0)


def test_a_sentence_is_taken_apart():
    parts = take_apart("Micah Reide does not speak English in 2021, but likes tea.")
    assert parts.proper == {"micah", "reid", "english"}
    assert parts.common == {"speak", "like", "tea", "2021"}
    assert parts.numbers == {"2021"}
    assert parts.denied == {"speak", "english", "2021"}
    assert parts.negates
    assert parts.first == "micah"


def test_titles_do_not_end_a_sentence():
    assert sentences("Dr. Lee came. She left! Why?") == ["Dr. Lee came.", "She left!", "Why?"]


def test_relations_that_hold_several_are_not_of_one_value_and_hold_several_once_they_are_over():
    table = relations.relations()
    several = {name for name, relation in table.items() if relation.several}
    assert {"likes", "liked", "has", "is child of", "speaks", "spoke"} <= several
    assert [name for name in several if table[name].one] == []


def test_two_people_meet_for_the_first_time_once():
    new, old = (take_apart(f"Ana Ruiz and Tom Becker met at a {x} fair in Rome.") for x in "ab")
    assert is_specific(new, old, 4)
    assert not is_specific(
        take_apart("Ana Ruiz met Tom at a fair."), take_apart("Ana Ruiz met Ida at a fair."), 4
    )


@pytest.mark.parametrize("text", ["Ana only drinks tea.", "Ana exclusively drinks tea now."])
def test_only_closes_the_others_of_its_slot(desk, text):
    milk = desk.say("Ana drinks milk.", add("Ana", "drinks", "milk"), mentions=("Ana",)).facts
    desk.say("Tom drinks milk.", add("Tom", "drinks", "milk"), mentions=("Tom",))
    done = desk.say(text, add("Ana", "drinks", "tea"), mentions=("Ana",))
    assert done.closed == milk


@pytest.mark.parametrize(
    "text", ["Ana drinks tea.", "Ana only drinks tea at night.", "Ana only drinks tea when ill."]
)
def test_an_only_on_a_condition_excludes_nothing(text):
    desk = Desk(EngramSettings(conflict=ConflictSettings(threshold=1.0)))
    desk.say("Ana drinks milk.", add("Ana", "drinks", "milk"), mentions=("Ana",))
    assert desk.say(text, add("Ana", "drinks", "tea"), mentions=("Ana",)).closed == []


def test_what_came_of_one_act_contradicts_nothing(desk):
    people = ("Lara Bryneth", "Cassie Simms")
    desk.say(OLD, *attended("Oslo"), mentions=people)
    done = desk.say(NEW, *attended("Rome"), mentions=people, attrs={"outcome": "-1.00"})
    assert done.closed == []
