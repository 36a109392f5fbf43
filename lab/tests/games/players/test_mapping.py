"""Lines that tell how places lie: exits of which nobody knows where they lead come first."""

from __future__ import annotations

import mags
from mags.models.embed.hashing import HashEmbedder
from mags_lab.games.players.directions import WayPolicy
from mags_lab.games.players.mapping import Map
from mags_lab.games.players.notes import Note, ShownLine
from mags_lab.games.turns import GameLine

SAID = (
    "The Red Hall has exits to the east and west.",
    "You went west from the Red Hall to the Blue Room.",
    "From the Blue Room one can go east.",
    "Going east from the Blue Room you came to the Red Hall.",
    "In the Blue Room there is an oak locker.",
)
EXITS, WEST, BLUE_EXITS, BACK, LOCKER = range(len(SAID))
QUESTION = "You are in the Red Hall. What do you do?"


def mapped(*said: str) -> tuple[Map, list[ShownLine]]:
    """A map that was told these lines, and the lines as they are recalled."""
    memory = mags.open(None, embedder=HashEmbedder(64), policy=WayPolicy(), clock=lambda: 1e6)
    known, lines = Map(memory), []
    for place, text in enumerate(said):
        note = Note(said=(place, 0), line=GameLine(text=text, speaker="world", at=60.0 * place))
        seen = memory.observe(text, speaker="world", at=60.0 * place)
        known.told(note, (*seen.facts, *seen.confirmed))
        lines.append(
            ShownLine(text=note.shown, note=note, ids=(seen.episode_id,), facts=known.facts(note))
        )
    return known, lines


def texts(lines: list[ShownLine]) -> list[str]:
    return [one.text.removeprefix("world: ") for one in lines]


def test_exits_are_shown_until_all_have_been_taken():
    known, lines = mapped(*SAID)
    shown = texts(known.lines(lines, QUESTION, 9))
    assert SAID[EXITS] in shown  # nobody went east
    assert SAID[BLUE_EXITS] not in shown


def test_where_the_ways_of_the_place_that_is_asked_about_lead_comes_first_recalled_or_not():
    known, lines = mapped(*SAID)
    assert texts(known.lines([lines[LOCKER]], QUESTION, 1)) == [SAID[BACK]]
    assert texts(known.lines([], "You are in the Green Attic.", 1)) == [SAID[EXITS]]


def test_what_is_in_mind_stays_before_all_else():
    known, lines = mapped(*SAID)
    mind = [lines[LOCKER], lines[WEST]]
    shown = known.lines([lines[EXITS]], QUESTION, 3, mind=mind[:1])
    assert texts(shown) == [SAID[LOCKER], SAID[BACK], SAID[EXITS]]
    assert shown[0].ids == lines[LOCKER].ids
    again = known.lines([], QUESTION, 1, mind=mind)
    assert texts(again) == [SAID[LOCKER]]


def test_exits_are_shown_where_the_recall_did_not_find_them():
    known, lines = mapped(*SAID)
    assert SAID[EXITS] in texts(known.lines([lines[LOCKER]], QUESTION, 9))


def test_a_way_that_was_told_in_both_directions_is_shown_once_as_it_was_told_last():
    known, lines = mapped(*SAID)
    shown = texts(known.lines([lines[LOCKER]], QUESTION, 9))
    assert SAID[BACK] in shown
    assert SAID[WEST] not in shown


def test_a_line_whose_way_does_not_fit_is_left_out_with_it():
    farther = "You went west from the Blue Room to the Green Attic."
    known, lines = mapped(SAID[WEST], farther, "In the Green Attic there is a tin locker.")
    assert texts(known.lines([lines[2]], QUESTION, 2)) == [SAID[WEST]]
    assert texts(known.lines([lines[2]], QUESTION, 3)) == [SAID[WEST], lines[2].text[7:], farther]


def test_a_line_that_was_not_told_has_no_facts():
    known, _ = mapped(*SAID)
    assert known.facts(None) == frozenset()
    other = Note(said=(9, 9), line=GameLine(text="It rained.", speaker="world", at=0.0))
    assert known.facts(other) == frozenset()


def test_lines_are_about_the_words_that_two_of_them_have_but_for_those_that_tell_a_way():
    known, lines = mapped(*SAID, "With the key 2 one opens the oak locker.")
    assert known.things(lines) == ["oak locker"]
    assert known.things(lines[: LOCKER + 1]) == []
