"""Matches: what a record holds, and that it can be kept."""

from dataclasses import replace

import pytest

from lab.tests.games.players.tiny import Towns, Words
from mags.errors import InvalidInput
from mags_lab.games.matches import GameMatch, TaughtFacts, as_json, from_json, play
from mags_lab.games.players.baselines import Nothing, Oracle, WindowPlayer
from mags_lab.games.turns import GameLine, GameScene, Move, Truth, TruthFact

OSLO = TruthFact(subject="Anna", relation="home", object="Oslo")
BREAD = TruthFact(subject="Bruno", relation="bread", object="rye")
SCENE = GameScene(
    turn=3,
    at=0.0,
    said=(
        GameLine(speaker="Ida", text="Anna lives in Oslo.", at=0.0),
        GameLine(speaker="Jon", text="It rains.", at=0.0),
    ),
    question="Where does Anna live?",
    actions=("Oslo", "Rome"),
)
TRUTH = Truth(
    best=frozenset({"Oslo"}),
    needed=("Anna's home is Oslo.",),
    rests_on=(OSLO,),
    teaches={(3, 0): (OSLO,), (1, 0): (BREAD,)},
)


@pytest.fixture
def ledger() -> TaughtFacts:
    made = TaughtFacts()
    made.heard(SCENE, TRUTH)
    return made


def test_a_line_teaches_by_where_it_stood(ledger: TaughtFacts):
    move = Move(action="Oslo", lines=("whatever", "it says"), sources=(((3, 1),), ((3, 0),)))
    assert ledger.teaches(move, TRUTH) == [frozenset(), {OSLO}]


def test_without_sources_a_line_teaches_by_its_words(ledger: TaughtFacts):
    lines = ("Ida: Anna lives in Oslo.", "Anna lives in Oslo.", "Anna's home is Oslo.", "It rains.")
    taught = ledger.teaches(Move(action="Oslo", lines=lines), TRUTH)
    assert taught == [{OSLO}, {OSLO}, {OSLO}, frozenset()]


def test_sources_of_only_some_lines_are_refused(ledger: TaughtFacts):
    with pytest.raises(InvalidInput, match="sources of 1 lines and shows 2"):
        ledger.teaches(Move(action="Oslo", lines=("a", "b"), sources=(((3, 0),),)), TRUTH)


def test_only_lines_of_the_scene_are_told_by_it(ledger: TaughtFacts):
    assert ledger.told_at(OSLO) == 3
    assert ledger.told_at(BREAD) is None


def test_the_oracle_is_shown_what_it_needs_and_is_always_right():
    turns = play(Towns(), Oracle(Words()), seed=2, turns=60)
    assert all(turn.right and turn.carried == 1 and turn.shown == 1 for turn in turns)


def test_a_match_stops_with_the_game_or_after_its_turns():
    assert len(play(Towns(length=7), Nothing(Words()), seed=0, turns=50)) == 7
    assert len(play(Towns(length=50), Nothing(Words()), seed=0, turns=7)) == 7


def test_age_and_change_are_counted_from_what_was_told_last():
    turns = play(Towns(every=10), Oracle(Words()), seed=4, turns=80)
    asked = next(turn for turn in turns if turn.since == 5)
    assert asked.age == 5
    assert asked.knowable
    unmoved = next(turn for turn in turns if turn.since is None and turn.turn > 0)
    assert unmoved.age == unmoved.turn
    assert [turn.turn for turn in turns if turn.fresh] == [10, 20, 30, 40, 50, 60, 70]


def test_a_record_survives_as_a_line_of_json():
    turns = play(Towns(every=10), WindowPlayer(Words(), tokens=60), seed=4, turns=30)
    assert [from_json(as_json(turn)) for turn in turns] == list(turns)
    assert from_json(as_json(turns[3], lines=False)) == replace(turns[3], lines=())


@pytest.mark.parametrize("line", ["no", "[]", '{"turn": 1}', '{"turn": 1, "action": "", "x": 0}'])
def test_what_is_no_record_is_refused(line: str):
    with pytest.raises(InvalidInput, match="no record of a turn"):
        from_json(line)


def test_the_end_tells_what_holds_and_what_held():
    match = GameMatch(Towns(every=10), Oracle(Words()), seed=4, turns=31)
    turns = list(match)
    assert len(turns) == 31
    assert len(match.end.facts) == 8
    assert len(match.end.over) in (1, 2, 3)
    assert match.end.facts.isdisjoint(match.end.over)
    assert set(match.end.taught) == {
        *((0, place) for place in range(8)),
        *((t, 2) for t in (10, 20, 30)),
    }
