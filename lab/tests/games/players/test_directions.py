"""How places lie to one another, told by who goes there."""

from __future__ import annotations

import pytest

import mags
from mags.models.embed.hashing import HashEmbedder
from mags.ports.policy import Turn
from mags_lab.games.players.directions import LYING, WayPolicy

NORTH = ("York", "is north of", "Leeds")
EAST = ("Red Hall", "is east of", "Blue Room")


def told(text: str) -> list[tuple[str, str, str]]:
    read = WayPolicy().write(Turn(text=text, speaker="guide", at=0.0), (), ())
    return [(op.subject, op.relation, op.object) for op in read.operations]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("You went west from the Red Hall to the Blue Room.", EAST),
        ("Going east from the Blue Room you came to the Red Hall.", EAST),
        ("We left the Red Hall and went westwards into the Blue Room.", EAST),
        ("West of the Red Hall lies the Blue Room.", EAST),
        ("From the Red Hall you walk west and find yourself in the Blue Room.", EAST),
        ("Quitting the Red Hall by its western door you enter the Blue Room.", EAST),
        ("Through the western exit of the Red Hall you reach the Blue Room.", EAST),
        ("The Red Hall's western door opens into the Blue Room.", EAST),
        ("The Blue Room opens east into the Red Hall.", EAST),
        ("The Red Hall has the Blue Room on its west.", EAST),
        ("York is north of Leeds.", NORTH),
        ("Ana drove north from Leeds to York.", NORTH),
        ("Leeds lies to the south of York.", NORTH),
    ],
)
def test_both_ways_of_a_path_tell_one_fact(text: str, fact: tuple[str, str, str]):
    assert told(text) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "The Red Hall has exits to the east and south.",
        "From the Red Hall one can go south and east.",
        "From the Red Hall you may leave south or east.",
        "Ways lead east and south out of the Red Hall.",
        "The Red Hall opens to the south and, by a path, to the east.",
        "Gates to the east and south lead out of the Red Hall.",
        "The Red Hall's south and east doors are open.",
        "Two roads leave the Red Hall, one heading east and one south.",
    ],
)
def test_the_exits_of_a_place_are_its_own_in_one_order(text: str):
    assert told(text) == [("Red Hall", "has", "Red Hall's exits to the east and south")]


@pytest.mark.parametrize(
    "text",
    [
        "Is York north of Leeds?",
        "York is not north of Leeds.",
        "If you go north from Leeds to York, it rains.",
        "Kate is from South Africa and lives in Leeds.",
        "The east wing of Hampton Court is closed in May.",
        "I live in the east of Leeds.",
        "I travelled from Oslo to West Berlin.",
        "I came from Rome and Anna went north.",
        "We went north from Leeds in March.",
        "Anna drove north from Leeds.",
        "We flew east from Oslo at Easter.",
        "Knott is a mountain in the north of Cumbria.",
        "The south bank of Oslo faces Nesodden.",
        "Oslo lies in the southern part of Norway.",
        "It is ten miles west of Oslo on the road to Drammen.",
        "I doubt that York is north of Leeds.",
        "The council wants a road south from Leeds to York.",
        "Nobody ever went north from Leeds to York.",
    ],
)
def test_what_tells_no_direction_gives_no_such_fact(text: str):
    assert not [one for one in told(text) if one[1] in LYING]


@pytest.mark.parametrize(
    "text",
    [
        "I want to go west from Leeds one day.",
        "The way to Leeds leads east.",
        "You can go north with Anna.",
        "The door of Anna's house opens west.",
    ],
)
def test_where_somebody_goes_is_no_exit(text: str):
    assert not [one for one in told(text) if "exits" in one[2]]


def test_other_sentences_of_a_turn_are_read_by_the_rules():
    read = told("York is north of Leeds. Ana lives in York.")
    assert read == [NORTH, ("Ana", "lives in", "York")]


def test_going_elsewhere_does_not_end_how_a_place_lies():
    with mags.open(None, embedder=HashEmbedder(64), policy=WayPolicy()) as memory:
        way = memory.observe("You went west from the Blue Room to the Grey Den.", speaker="guide")
        left = memory.observe(
            "You left the Red Hall and went west into the Blue Room.", speaker="guide"
        )
        assert len(way.facts) == len(left.facts) == 1
        assert memory.get(way.facts[0]).valid_to is None
