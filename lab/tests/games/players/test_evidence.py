"""Which lines are shown of what leads to the actions."""

from __future__ import annotations

from mags.recall.chains import Chain
from mags_lab.games.players.evidence import (
    beside,
    condition,
    denied,
    meanwhile,
    settled,
    shortened,
    sound,
    weighed,
)
from mags_lab.games.players.notes import Note
from mags_lab.games.turns import GameLine

ACTIONS = ("Go to the pier", "Go to the inn", "Go to the garden")
ASKED = frozenset({"gurken"})
WORK = ("At the mill", "At the harbour", "Say that this is unknown")


def note(turn: int, text: str, speaker: str = "Jon") -> Note:
    return Note(said=(turn, 0), line=GameLine(speaker=speaker, text=text, at=float(turn)))


def chain(option: int, value: float, *steps: int, since: tuple[int, ...] = ()) -> Chain:
    return Chain(option=option, value=value, steps=steps, since=since)


LINES = {
    0: note(0, "When Gurken is tired, the pier is the place."),
    1: note(1, "If Gurken is sad, the inn is the place."),
    2: note(2, "Gurken played cards with Ilka."),
    3: note(3, "Ilka works at the mill."),
    4: note(4, "The sister of Gurken is Ilka."),
    5: note(5, "I work at the mill.", "Gurken"),
    6: note(6, "I am tired.", "Gurken"),
    7: note(7, "I am so sad.", "Gurken"),
    8: note(8, "I am sad.", "Ilka"),
}


def test_small_talk_about_a_name_answers_nothing_where_nothing_may_be_known():
    idle, told, own = chain(0, 0.5, 2, 3), chain(0, 0.4, 4, 3), chain(0, 0.3, 5)
    assert sound([idle], "Where does Gurken work?", LINES.get, wary=True) == []
    sister = "Where does the sister of Gurken work?"
    assert sound([told], sister, LINES.get, wary=True) == [told]
    assert sound([own], "Where does Gurken work?", LINES.get, wary=True) == [own]
    assert sound([chain(0, 0.9, 3)], "Where does Gurken work?", LINES.get, wary=True) == []


def test_where_something_has_to_be_chosen_every_chain_may_decide():
    idle = chain(0, 0.5, 2, 3)
    assert sound([idle], "Where does Gurken work?", LINES.get, wary=False) == [idle]


def test_a_last_line_that_names_what_is_asked_needs_no_way_there():
    assert shortened(chain(0, 0.5, 2, 4), ASKED, LINES.get).steps == (4,)
    assert shortened(chain(0, 0.5, 2, 5), ASKED, LINES.get).steps == (5,)
    assert shortened(chain(0, 0.5, 2, 3), ASKED, LINES.get).steps == (2, 3)


def test_beside_a_line_stand_the_lines_that_say_as_much_of_other_actions():
    first, second, third = chain(0, 0.9, 3), chain(1, 0.5, 5), chain(2, 0.4, 4)
    found = [first, second, third]
    assert beside(found, "Where is Gurken?", LINES.get) == [first, second]
    assert beside(found, "Who works with Gurken?", LINES.get) == [first, second]
    assert beside(found, "Is Gurken at the mill?", LINES.get) == [first, second]
    assert beside([third, second], "Who is the sister of Gurken?", LINES.get) == [third]
    long = chain(0, 0.9, 2, 3)
    assert beside([long, second], "Where is Gurken?", LINES.get) == [long]


def test_under_conditions_the_one_met_last_decides():
    best = beside([chain(0, 0.9, 0), chain(1, 0.3, 1)], "Where do you take Gurken?", LINES.get)
    evidence = weighed(best, ACTIONS, LINES.get)
    assert condition(LINES[0]) == evidence.conditions - condition(LINES[1]) == {"tire"}
    shown = settled(evidence, [LINES[7], LINES[6], LINES[8], LINES[1]], ASKED)
    assert shown == (LINES[1], LINES[7])
    assert settled(evidence, [LINES[6]], ASKED) == (LINES[0], LINES[6])
    assert settled(evidence, [LINES[8]], ASKED) == (LINES[0], LINES[1])


def test_what_holds_for_a_while_goes_before_what_it_stands_in_for():
    told = {
        0: note(0, "Gurken belongs to the Ilka choir."),
        1: note(1, "The Ilka choir meets at the mill."),
        2: note(2, "For ten days the Ilka choir meets at the pier."),
        3: note(3, "For ten days Jon meets Berta."),
    }
    usual, now, other = chain(0, 0.5, 0, 1), chain(1, 0.4, 0, 2), chain(2, 0.4, 3)
    question = "Where does the choir of Gurken meet?"
    assert meanwhile([usual, now], question, told.get, {2}) == [now, usual]
    assert meanwhile([usual, other, now], question, told.get, {2, 3}) == [now, usual, other]
    assert meanwhile([usual, now], question, told.get, ()) == [usual, now]
    assert meanwhile([usual, chain(1, 0.2, 0, 2)], question, told.get, {2})[0] == usual
    assert meanwhile([], question, told.get, {2}) == []


def test_beside_what_holds_for_a_while_stands_nothing():
    now, usual = chain(1, 0.5, 1), chain(0, 0.5, 0)
    question = "Where do you take Gurken?"
    assert beside([now, usual], question, LINES.get, passing={1}) == [now]
    assert beside([now, usual], question, LINES.get) == [now, usual]


def test_what_was_said_since_is_shown_after_it():
    evidence = weighed([chain(0, 0.9, 3, since=(5,))], WORK, LINES.get)
    assert evidence.notes == (LINES[3], LINES[5])
    assert evidence.conditions == frozenset()


def test_what_the_last_word_denies_is_out_where_it_speaks_for_another():
    moved = note(9, "I work at the mill now instead of the harbour.", "Gurken")
    assert denied([LINES[5], moved], WORK) == {1}
    assert denied([note(9, "Not the harbour, I said the mill: I work at the mill.")], WORK) == {1}
    assert denied([moved, LINES[5]], WORK) == {1}
    assert denied([moved], WORK[1:]) == frozenset()
    assert denied([moved, note(10, "I work at the harbour again.")], WORK) == frozenset()
