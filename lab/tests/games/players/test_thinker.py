"""How the player thinks: what it asks its memory for, and which lines are over."""

from __future__ import annotations

import mags
from mags.models.embed.hashing import HashEmbedder
from mags_lab.games.players.notes import Note, ShownLine
from mags_lab.games.players.thinker import RARE, Habits, Passing, Rarity, midway
from mags_lab.games.turns import GameLine, GameScene


def test_a_line_lapses_once_when_all_that_it_told_has_ended_or_is_forgotten():
    memory = mags.open(None, embedder=HashEmbedder(64), clock=lambda: 0.0)
    first = memory.assert_fact("Ada", "guards", "the gate", until=100.0).facts[0]
    second = memory.assert_fact("Ada", "guards", "the well", until=200.0).facts[0]
    passing = Passing()
    passing.told(7, [first, second])
    passing.told(8, [])
    assert passing.lapsed(memory, 150.0) == []
    assert passing.lapsed(memory, 250.0) == [7]
    assert passing.lapsed(memory, 250.0) == []
    passing.told(9, [first])
    memory.forget(first)
    assert passing.lapsed(memory, 50.0) == [9]


OPENED = "The key 1 opens the brass locker."
FOUND = "The key 2 opens the tin locker."
QUESTION = "You are in the Hall and carry a key 1 and a key 2. What do you do?"
SCENE = GameScene(turn=9, at=0.0, said=(), question=QUESTION, actions=("go east", "go west"))


def note(text: str, turn: int = 0) -> Note:
    return Note(said=(turn, 0), line=GameLine(text=text, speaker="world", at=0.0))


def shown(*texts: str) -> list[ShownLine]:
    return [ShownLine(text=text, note=note(text)) for text in texts]


def told(*texts: str) -> Rarity:
    rarity = Rarity()
    for turn, text in enumerate(texts):
        rarity.told(note(text, turn))
    return rarity


def test_the_words_come_first_of_which_the_fewest_lines_are_still_to_be_found():
    rarity = told(
        OPENED,
        "You unlocked the brass locker with the key 1.",
        "You carried the brass ring off.",
        "In the Den stands a tin locker.",
        FOUND,
    )
    assert rarity.rarest(shown(OPENED, FOUND), QUESTION) == ["tin", "brass", "locker"]


def test_a_word_of_which_every_line_was_found_leads_nowhere():
    rarity = told(FOUND, "In the Den stands a tin locker.")
    assert rarity.rarest(shown(FOUND), QUESTION) == ["tin", "locker"]
    assert rarity.rarest(shown(FOUND, "In the Den stands a tin locker."), QUESTION) == []


def test_a_line_counts_once_however_often_it_was_told_and_a_word_once_a_line():
    rarity = told("tin tin tin", "tin cup", *["brass"] * 3, "brass cup")
    assert rarity.rarest(shown("a brass tin hall key keys"), QUESTION) == ["brass", "tin"]
    assert rarity.rarest(shown("brass", "tin tin tin"), QUESTION) == ["brass", "tin"]


def test_forms_of_a_word_are_one_word():
    rarity = told("The recipe says: roast the pepper.", "What is roasted takes the oven.")
    assert rarity.rarest(shown("The recipe says: roast the pepper."), QUESTION) == ["roast"]


def test_words_as_rare_stay_in_the_order_of_what_was_found_and_are_few():
    text = " ".join(f"thing{i}" for i in range(2 * RARE))
    rarity = told(text, f"{text} again")
    assert rarity.rarest(shown(text), QUESTION) == text.split()[:RARE]


def test_a_line_of_the_memorys_own_words_is_not_looked_into():
    assert told(FOUND).rarest([ShownLine(text=FOUND, note=None)], QUESTION) == []


def test_among_places_the_query_has_the_rarest_words_and_else_names_and_always_the_actions():
    told_of = "Ada has the tin key."
    rarity, found = told(OPENED, FOUND, told_of), shown(told_of)
    among = midway(found, SCENE, Habits(ways=True), rarity)
    assert among == "tin go east go west"
    assert midway(found, SCENE, Habits(), rarity) == "Ada go east go west"
    assert midway(found, SCENE, Habits(naming=False), rarity) == "go east go west"
