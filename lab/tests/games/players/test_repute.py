"""Words that speak for what they stand beside are learned from what acts brought."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags_lab.games.players.notes import Note
from mags_lab.games.players.repute import OLDER, Repute, beside, features, own_names
from mags_lab.games.turns import Choice, GameLine, GameScene, Said

WHOM = "Who can help you find the ring?"
FOUR = ("rely on Filow", "rely on Rulmar", "rely on Gwwyn", "rely on Osodry")
NAMES = {one.split()[-1].lower(): one for one in FOUR}


def scene(turn: int, question: str = WHOM, actions: Sequence[str] = FOUR) -> GameScene:
    return GameScene(turn=turn, at=float(turn), said=(), question=question, actions=tuple(actions))


def note(turn: int, text: str) -> Note:
    return Note(said=(turn, 0), line=GameLine(speaker="crier", text=text, at=float(turn)))


class Town:
    """What was said of each, as a memory finds it."""

    def __init__(self, *said: str, since: int = 0) -> None:
        self.notes = [note(turn, text) for turn, text in enumerate(said, since)]

    def latest(self, names: Sequence[str]) -> list[list[Note]]:
        return [[n for n in self.notes[::-1] if one in n.line.text.lower()][:3] for one in names]


def read(action: str) -> Choice:
    return Choice(action=action, sure=0.4)


def asked(repute: Repute, town: Town, turn: int, reads: str = FOUR[0]) -> Choice:
    shown: list[Said | None] = [one.said for one in repute.meet(scene(turn), town.latest)]
    return repute.among(read(reads), FOUR, shown) if shown else read(reads)


def taught(good: str, bad: str, times: int = 12) -> Repute:
    """Each of the four was praised in turn, the others blamed, and whom was praised was right."""
    repute = Repute()
    for turn in range(times):
        right = FOUR[turn % 4]
        lines = [(good if one == right else bad).format(one.split()[-1]) for one in FOUR]
        choice = asked(
            repute, Town(*lines, since=9 * turn), 9 * turn + 5, reads=FOUR[(turn + 1) % 4]
        )
        repute.learn(choice.action, won=choice.action == right)
    return repute


def test_the_names_of_actions_are_what_is_asked_about_where_nothing_else_is_named():
    assert own_names(WHOM, FOUR) == [{"filow"}, {"rulmar"}, {"gwwyn"}, {"osodri"}]
    assert own_names("Of Filow and Rulmar, whom do you trust?", FOUR[:2]) != []
    assert own_names("Who is a friend of Brukin?", FOUR) == []
    assert own_names("What do you give?", ("give the fern", "give the seed")) == []


def test_words_beside_a_name_are_those_of_its_sentence_and_no_other_names():
    line = "Filow had it right and Rulmar made it up. Shame on Osodry."
    others = frozenset({"filow", "rulmar", "osodri"})
    assert beside(line, frozenset({"rulmar"}), others) == (
        *(("before", one) for one in ("and", "right", "it", "had")),
        *(("after", one) for one in ("made", "it", "up")),
    )
    assert beside(line, frozenset({"osodri"}), others) == (("before", "on"), ("before", "shame"))
    assert beside(line, frozenset({"gwwyn"}), others) == ()


def test_what_was_said_before_counts_less():
    old, new = (("after", "sings"),), (("after", "lied"), ("before", "again"))
    found = features([new, old])
    assert found == pytest.approx(
        {("after", "lied"): 1 / sqrt(2), ("before", "again"): 1 / sqrt(2), old[0]: OLDER}
    )


def test_at_first_chains_are_followed_and_no_more_once_they_led_wrong():
    repute, town = Repute(), Town("Hats off to Rulmar.", "Filow led us astray.", since=10)
    assert repute.meet(scene(20), town.latest) == []
    for turn in range(20, 24):
        asked(repute, town, turn)
        repute.learn(FOUR[0], won=False)
    assert [one.line.text for one in repute.meet(scene(30), town.latest)] == [
        "Filow led us astray.",
        "Hats off to Rulmar.",
    ]


def test_chains_that_lead_well_stay_followed():
    repute, town = Repute(), Town("Rulmar sings.", "Filow sings.")
    for turn in range(30):
        assert asked(repute, town, turn) == read(FOUR[0])
        repute.learn(FOUR[0], won=turn % 10 > 0)


@pytest.mark.parametrize(
    ("good", "bad"),
    [("Hats off to {}.", "{} led us astray."), ("{} zumbs.", "Not a crumb of {} is dalt.")],
)
def test_what_praises_and_what_blames_is_learned_in_any_words(good: str, bad: str):
    repute = taught(good, bad)
    lines = [(good if "Gwwyn" in one else bad).format(one.split()[-1]) for one in FOUR]
    assert asked(repute, Town(*lines, since=400), 405).action == FOUR[2]


def test_the_line_that_decided_is_shown_and_cited():
    repute = taught("Hats off to {}.", "{} led us astray.")
    said = ["Hats off to Gwwyn.", "Filow led us astray.", "The boots of Gwwyn have holes."]
    lines = repute.meet(scene(405), Town(*said, since=400).latest)
    assert [one.line.text for one in lines] == [said[1], said[0]]
    choice = repute.among(read(FOUR[0]), FOUR, [one.said for one in lines])
    assert (choice.action, choice.cited) == (FOUR[2], (1,))


def test_a_later_word_goes_before_an_earlier_one():
    repute = taught("Hats off to {}.", "{} led us astray.", times=40)
    both = ["Hats off to {}.", "{} led us astray."]
    fallen = [one.format("Gwwyn") for one in both]
    risen = [one.format("Osodry") for one in both[::-1]]
    assert asked(repute, Town(*fallen, *risen, since=400), 405, reads=FOUR[2]).action == FOUR[3]


def test_what_came_of_choosing_somebody_counts_where_nothing_was_said_since():
    repute = Repute()
    silent = Town(*(f"{one.split()[-1]} sings." for one in FOUR))
    for turn in range(30):
        choice = asked(repute, silent, turn, reads=FOUR[turn % 4])
        repute.learn(choice.action, won=choice.action == FOUR[1])
    assert asked(repute, silent, 99, reads=FOUR[0]).action == FOUR[1]


def test_where_other_things_are_named_nothing_is_shown_and_nothing_is_learned():
    repute = taught("Hats off to {}.", "{} led us astray.")
    town = Town("Hats off to Gwwyn.", "Filow led us astray.", since=400)
    assert repute.meet(scene(405, "Who is a friend of Brukin?"), town.latest) == []
    repute.learn(FOUR[0], won=False)
    assert asked(repute, town, 406).action == FOUR[2]


@given(st.lists(st.tuples(st.sampled_from(FOUR), st.booleans()), max_size=20))
def test_the_choice_is_always_one_of_the_open_actions(acts: list[tuple[str, bool]]):
    repute, town = Repute(), Town("Hats off to Gwwyn.", "Filow led us astray.")
    for turn, (action, won) in enumerate(acts):
        asked(repute, town, turn)
        repute.learn(action, won=won)
    shown = [one.said for one in repute.meet(scene(99), town.latest)]
    assert repute.among(read(FOUR[1]), FOUR[1:3], shown).action in FOUR[1:3]
    gone = read("rely on nobody")
    assert repute.among(gone, FOUR, shown) == gone
