"""What a reader makes of sentences, and what a planner makes of that."""

import random

import pytest

from mags_lab.games.adventures.planner import Planner, known, mentions, read, things
from mags_lab.games.adventures.telling import Teller
from mags_lab.games.adventures.worlds import Predicate, state_of
from mags_lab.games.logic.bank import load
from mags_lab.games.sentences import BANKS

TASK = "You want to bring everything to the place where it belongs. You are in the {}. What now?"


def test_two_rooms_and_a_direction_are_a_way_there_and_back():
    for text in (
        "The Hall is north of the Red Room.",
        "You went north from the Red Room to the Hall.",
        "Going north from the Red Room you came to the Hall.",
        "Leaving the Red Room by the north exit, you enter the Hall.",
    ):
        links = read([text]).links
        assert links["Red Room"]["north"][0] == "Hall"
        assert links["Hall"]["south"][0] == "Red Room"


def test_a_room_with_directions_tells_ways_that_are_not_yet_known():
    picture = read(["The Hall has exits to the north, east and south."])
    assert picture.ways == {"Hall": {"north", "east", "south"}}
    assert picture.links == {}


def test_what_was_seen_last_counts():
    picture = read(
        ["On the floor of the Hall lies a key.", "In the Attic there is a key. It rains."]
    )
    seen = picture.last_seen("key")
    assert seen is not None
    assert (seen.room, seen.line) == ("Attic", 1)
    assert [one.text for one in picture.lore] == ["it rains."]
    assert picture.last_seen("lamp") is None


def test_what_was_taken_is_no_longer_where_it_was_until_it_is_seen_again():
    lines = ["On the floor of the Hall lies a key.", "In the Hall you took the key."]
    assert read(lines).last_seen("key") is None
    lines.append("You put the key on the shelf in the Attic.")
    seen = read(lines).last_seen("key")
    assert seen is not None
    assert seen.room == "Attic"


def test_one_who_looks_for_something_new_does_not_turn_back_at_once():
    lines = (
        "The Hall has exits to the north, east and south.",
        "The Porch is north of the Cellar.",
        "You went west from the Hall to the Cellar.",
    )
    question = TASK.format("Cellar")
    choose = Planner().choose
    # The Hall seems to have ways that nobody took; but one has just come from there.
    assert choose(lines, question, ("go east", "go north")).action == "go north"
    assert choose(lines, question, ("go east",)).action == "go east"
    before = ("You went east from the Cellar to the Hall.",)
    assert choose((*before, *lines[:2]), question, ("go east", "go north")).action == "go east"


def test_the_state_of_a_thing_is_the_one_told_last():
    lines = ["In the Hall there is an oak chest, which is locked."]
    assert read(lines).locks("oak chest") == "locked"
    lines.append("In the Hall there is an oak chest, which is open.")
    assert read(lines).locks("oak chest") == "open"
    assert read(lines).locks("tin chest") == ""


def test_names_end_where_other_words_begin():
    assert list(things("in the fridge in the cellar there is a block of cheese and an egg.")) == [
        "fridge",
        "cellar",
        "block of cheese",
        "egg",
    ]
    assert list(things("the place of the rag doll is on its shelf")) == [
        "place",
        "rag doll",
        "shelf",
    ]


def test_a_name_is_known_by_its_longest_beginning():
    names = {"key 1", "puzzle", "wooden puzzle"}
    assert known("key 1 opens", names) == "key 1"
    assert known("puzzle mat", names) == "puzzle"
    assert known("mat", names) == ""
    assert mentions("a key 12 lies here", "key 1") is False


def test_it_takes_what_belongs_elsewhere_and_leaves_what_lies_right():
    lines = ("The rag doll belongs on the toy chest.", "The ladle belongs on the shelf.")
    actions = ("go north", "take ladle from shelf", "take rag doll from table")
    choice = Planner().choose(lines, TASK.format("Hall"), actions)
    assert choice.action == "take rag doll from table"
    assert choice.cited == (0,)
    assert choice.sure == 1.0


def test_it_walks_the_shortest_known_way_and_cites_it():
    lines = (
        "The rag doll belongs on the toy chest.",
        "In the Attic there is a toy chest.",
        "The Cellar is east of the Hall.",
        "The Attic is east of the Cellar.",
        "The Attic is south of the Hall.",
    )
    actions = ("go east", "go south", "drop rag doll")
    choice = Planner().choose(lines, TASK.format("Hall"), actions)
    assert choice.action == "go south"
    assert choice.cited == (0, 1, 4)


def test_it_opens_the_door_in_its_way():
    lines = ("The rag doll belongs on the toy chest.", "In the Attic there is a toy chest.")
    lines += ("The Attic is east of the Hall.",)
    actions = ("open oak door", "open fridge", "drop rag doll")
    assert Planner().choose(lines, TASK.format("Hall"), actions).action == "open oak door"
    lines += ("In the Hall the tin door on the east side is closed.",)
    actions = ("open tin door", *actions)
    assert Planner().choose(lines, TASK.format("Hall"), actions).action == "open tin door"


def test_it_goes_where_it_has_not_been_and_never_back_without_need():
    lines = (
        "You went north from the Cellar to the Hall.",
        "The Hall has exits to the south, east.",
    )
    choice = Planner().choose(lines, TASK.format("Hall"), ("go south", "go east"))
    assert choice.action == "go east"


def test_it_does_what_the_recipe_says_with_what_the_lines_name():
    lines = (
        "To grill something, use the BBQ.",
        "The recipe asks for the pork chop.",
        "The recipe says: grill the pork chop.",
    )
    question = "You want to eat. You are in the Hall. You carry a pork chop. What do you do?"
    actions = ("cook pork chop with oven", "cook pork chop with BBQ", "chop pork chop with knife")
    assert Planner().choose(lines, question, (*actions, "drop pork chop")).action == actions[1]


def test_a_meal_is_prepared_when_all_is_ready():
    lines = ("The recipe asks for the leek.", "The recipe says: dice the leek.")
    question = "You want to eat. You are in the Hall. You carry a {}leek. What do you do?"
    actions = ("prepare meal", "drop leek", "dice leek with knife", "go north")
    assert Planner().choose(lines, question.format(""), actions).action == "dice leek with knife"
    assert Planner().choose(lines, question.format("diced "), actions).action == "prepare meal"


def test_a_frying_pan_belongs_somewhere_and_what_was_diced_with_a_knife_does_not():
    lines = ("The place of the frying pan is on the shelf.", "In the Attic there is a shelf.")
    lines += ("The Attic is east of the Hall.",)
    actions = ("go east", "go west", "drop frying pan", "drop leek")
    assert Planner().choose(lines, TASK.format("Hall"), actions).action == "go east"
    lines = ("You diced the leek with the shelf.", *lines[1:])
    assert Planner().choose(lines, TASK.format("Hall"), actions).action == "go west"


def test_what_was_done_to_one_thing_was_not_done_to_the_next():
    lines = ("The recipe says: fry the leek.", "To fry something, use the stove.")
    question = "You want to eat. You are in the Hall. You carry a fried egg and a diced leek."
    actions = ("cook leek with stove", "drop egg", "drop leek", "go north")
    assert Planner().choose(lines, question, actions).action == actions[0]


def test_it_knows_nothing_but_the_lines_before_it():
    actions = ("go south", "take ladle from shelf")
    choice = Planner().choose((), TASK.format("Hall"), actions)
    assert choice.action == "go south"
    assert choice.cited == ()


@pytest.mark.parametrize("bank", BANKS)
@pytest.mark.parametrize("chance", range(8))
def test_what_is_told_of_a_house_reads_as_that_house(bank: str, chance: int):
    state = state_of(
        [
            Predicate("at", ("P", "hall"), ("P", "r")),
            Predicate("north_of", ("red room", "hall"), ("r", "r")),
            Predicate("south_of", ("hall", "red room"), ("r", "r")),
            Predicate("link", ("hall", "oak door", "red room"), ("r", "d", "r")),
            Predicate("closed", ("oak door",), ("d",)),
            Predicate("at", ("tin box", "hall"), ("c", "r")),
            Predicate("locked", ("tin box",), ("c",)),
            Predicate("at", ("shelf", "hall"), ("s", "r")),
            Predicate("on", ("egg", "shelf"), ("o", "s")),
            Predicate("at", ("rope", "hall"), ("o", "r")),
        ]
    )
    teller = Teller(load("tell", bank, "mags_lab.games.adventures"), random.Random(chance))
    said = list(teller.arrive(state, "Hall"))
    picture = read([text for text, _ in said])
    assert picture.ways == {"Hall": {"north"}}
    assert picture.locks("tin box") == "locked"
    for thing in ("tin box", "shelf", "egg", "rope"):
        seen = picture.last_seen(thing)
        assert seen is not None
        assert seen.room == "Hall"
    told = {(f.subject, f.relation, f.object) for _, facts in said for f in facts}
    assert told == {
        ("oak door", "is", "closed"),
        ("tin box", "is", "locked"),
        ("tin box", "is in", "Hall"),
        ("shelf", "is in", "Hall"),
        ("egg", "is on", "shelf"),
        ("rope", "is in", "Hall"),
    }


def test_what_became_of_an_ingredient_is_no_errand():
    lines = (
        "The recipe asks for the leek.",
        "In the Kitchen there is a leek.",
        "Little cubes are what the knife has made of the leek.",
        "You went north from the Kitchen to the Hall.",
    )
    question = (
        "You want to prepare the meal. You are in the Hall. You carry a knife and a diced leek."
    )
    actions = ("drop knife", "drop leek", "go south", "go east")
    assert Planner().choose(lines, question, actions).action == "go east"
