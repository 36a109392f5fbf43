"""Laws of the logic games: what a scene, a truth and a bank must keep to."""

import random
import tomllib
from importlib import resources
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mags.errors import InvalidInput
from mags_lab.games.logic.bank import listed, load, plain
from mags_lab.games.logic.catalogue import (
    ELEUSIS,
    GAMES,
    KNIGHTS,
    MASTERMIND,
    eleusis,
    knights,
    mastermind,
)
from mags_lab.games.logic.eleusis import Rule
from mags_lab.games.logic.record import Deal, RoundRecord
from mags_lab.games.logic.standings import share_right
from mags_lab.games.sentences import BANKS
from mags_lab.games.turns import Game, GameScene, Truth, TruthFact

KINDS = {"eleusis": eleusis, "mastermind": mastermind, "knights": knights}
FERRY = Path(__file__).parents[4] / "benchmarks" / "banks" / "ferry.toml"
SHORT = [f"{kind}/short" for kind in KINDS]


def tables(bank: str) -> dict:
    text = (resources.files("mags_lab.games.logic") / "data" / f"{bank}.toml").read_text("utf-8")
    return tomllib.loads(text)


def played(game: Game, seed: int, choices: random.Random) -> list[tuple[GameScene, Truth]]:
    turns = []
    scene: GameScene | None = game.begin(seed)
    while scene is not None:
        turns.append((scene, game.truth()))
        _, scene = game.act(choices.choice(scene.actions))
    return turns


@pytest.mark.parametrize("name", SHORT)
@given(seed=st.integers(0, 10**9), chosen=st.integers(0, 10**9))
@settings(max_examples=10, deadline=None)
def test_a_seed_and_the_actions_give_the_same_game(name: str, seed: int, chosen: int):
    game = GAMES[name]()
    first = played(game, seed, random.Random(chosen))
    assert first == played(game, seed, random.Random(chosen))
    assert first == played(GAMES[name](), seed, random.Random(chosen))


@pytest.mark.parametrize("name", SHORT)
@given(seed=st.integers(0, 10**9), chosen=st.integers(0, 10**9))
def test_every_turn_keeps_the_laws_of_a_game(name: str, seed: int, chosen: int):
    told: dict[TruthFact, int] = {}
    ended: set[TruthFact] = set()
    last = -1.0
    for turn, (scene, truth) in enumerate(played(GAMES[name](), seed, random.Random(chosen))):
        assert scene.turn == turn
        assert 3 <= len(scene.actions) <= 8
        assert len(set(scene.actions)) == len(scene.actions)
        assert len(truth.best) == 1
        assert truth.best < set(scene.actions)
        assert len(truth.needed) == len(truth.rests_on) in (1, 2)
        assert [line.at for line in scene.said] == sorted({line.at for line in scene.said})
        assert all(line.at > last for line in scene.said[:1])
        last = scene.at
        for (said_turn, place), facts in truth.teaches.items():
            assert said_turn == turn
            assert all(fact.subject in scene.said[place].text for fact in facts)
            told.update(dict.fromkeys(facts, turn))
        ended |= {fact for facts in truth.ends.values() for fact in facts}
        # What was told holds, or is over because a line showed it, or has changed unseen.
        assert not truth.facts & truth.over
        assert truth.facts | truth.over <= told.keys()
        assert truth.over <= ended
        assert list(truth.changes) == sorted(truth.changes)
        assert (truth.changed is None) == (truth.after == "")
        assert not set(truth.rests_on) & truth.over
        if truth.knowable:
            assert truth.facts >= set(truth.rests_on)
            assert truth.age == turn - min(told[fact] for fact in truth.rests_on)
        for fact, sentence in zip(truth.rests_on, truth.needed, strict=True):
            assert fact.subject in sentence


@pytest.mark.parametrize("name", SHORT)
def test_a_needed_fact_that_was_told_is_needed_in_the_words_that_told_it(name: str):
    lines = set()
    found = 0
    for scene, truth in played(GAMES[name](), 5, random.Random(5)):
        lines.update(line.text for line in scene.said)
        if truth.facts >= set(truth.rests_on):
            found += 1
            assert lines >= set(truth.needed)
    assert found > 10


def test_a_change_is_over_when_a_line_shows_it_and_not_before():
    record = RoundRecord(seed=1)
    tin, oak = (TruthFact(subject="Bab", relation="takes", object=one) for one in ("tin", "oak"))
    deal = Deal(
        question="?", actions=("a",), best=frozenset("a"), rests_on=(oak,), needed=("",), kind=""
    )
    record.tell("onlooker", "Bab takes tin.", tin)
    record.turn_over([tin], [oak], how="felt")
    unseen = record.truth(deal)
    assert (unseen.facts, unseen.over, unseen.knowable) == (frozenset(), frozenset(), False)
    assert (unseen.changes, unseen.changed, unseen.after) == ((0,), 0, "felt")
    record.close()
    record.tell("onlooker", "Bab takes oak.", oak)
    seen = record.truth(deal)
    assert (seen.facts, seen.over, seen.knowable) == ({oak}, {tin}, True)
    assert seen.ends == {(1, 0): (tin,)}
    record.turn_over([oak], [tin], how="felt")
    back = record.truth(deal)
    assert (back.facts, back.over) == ({tin}, frozenset())
    assert not record.knows(tin)
    record.tell("table", "Bab has a new rule.", about=[oak])
    assert record.truth(deal).over == {oak}


@pytest.mark.parametrize("kind", KINDS)
def test_both_banks_tell_the_same_game_in_other_words(kind: str):
    shape = []
    for bank in BANKS:
        turns = played_by_place(KINDS[kind]("short", bank), 3)
        shape.append([(len(s.said), s.actions.index(min(t.best))) for s, t in turns])
        assert any("{" not in s.question for s, _ in turns)
    assert shape == [shape[0]] * len(BANKS)


def played_by_place(game: Game, seed: int) -> list[tuple[GameScene, Truth]]:
    turns = []
    scene: GameScene | None = game.begin(seed)
    while scene is not None:
        turns.append((scene, game.truth()))
        _, scene = game.act(scene.actions[scene.turn % len(scene.actions)])
    return turns


@pytest.mark.parametrize("pair", list(combinations(BANKS, 2)))
def test_the_banks_have_the_same_keys_and_share_no_phrase(pair: tuple[str, str]):
    one, other = (tables(bank) for bank in pair)
    assert one.keys() == other.keys()
    for part in ("heads", "tails"):
        assert not set(one["names"][part]) & set(other["names"][part])
    for game in KINDS:
        assert one[game]["words"].keys() == other[game]["words"].keys()
        assert one[game]["phrases"].keys() == other[game]["phrases"].keys()
        phrases = [{p for ps in t[game]["phrases"].values() for p in ps} for t in (one, other)]
        assert not (phrases[0] & phrases[1]) - {"{name}"}
        for key, words in one[game]["words"].items():
            assert len(words) == len(other[game]["words"][key])
            assert not set(words) & set(other[game]["words"][key])


@pytest.mark.parametrize("bank", BANKS)
def test_names_are_told_apart_and_actions_have_one_form(bank: str):
    names = tables(bank)["names"]
    full = [head + tail for head in names["heads"] for tail in names["tails"]]
    assert len(set(full)) == len(full)
    assert all(a == b or a not in b for a in full for b in full)
    for game in KINDS:
        phrases = load(game, bank).phrases
        assert len(phrases["action"]) == 1
    assert len(load("eleusis", bank).phrases["card"]) == 1


@pytest.mark.parametrize("bank", BANKS)
def test_every_level_finds_enough_names_and_words(bank: str):
    for kind, levels in (("eleusis", ELEUSIS), ("mastermind", MASTERMIND), ("knights", KNIGHTS)):
        for level in levels:
            game = KINDS[kind](level, bank)
            assert game.name == f"{kind}/{level}" + ("" if bank == "scored" else f"/{bank}")
            assert GAMES[game.name]().name == game.name
            assert game.begin(0).turn == 0


@pytest.mark.parametrize("name", ["knights/plain", "knights/plain/tuning", "knights/plain/unseen"])
def test_a_plain_question_names_nobody_and_a_line_tells_of_one(name: str):
    for scene, truth in played(GAMES[name](), 3, random.Random(3)):
        people = {action.split()[-1].strip(".") for action in scene.actions}
        assert not any(person in scene.question for person in people)
        for place, facts in truth.teaches.items():
            assert len(facts) == 1
            assert facts[0].subject in scene.said[place[1]].text


def test_an_action_that_is_not_offered_is_refused_and_changes_nothing():
    game = GAMES["eleusis/short"]()
    with pytest.raises(InvalidInput, match="begin one first"):
        game.act("anything")
    with pytest.raises(InvalidInput, match="no scene is open"):
        game.truth()
    scene = game.begin(1)
    truth = game.truth()
    with pytest.raises(InvalidInput, match="choose one of"):
        game.act("eat the deck")
    assert game.truth() == truth
    _, following = game.act(scene.actions[0])
    assert following is not None
    assert following.turn == 1


def test_after_the_last_turn_no_scene_is_open():
    game = GAMES["mastermind/short"]()
    scene: GameScene | None = game.begin(1)
    turns = 0
    while scene is not None:
        outcome, scene = game.act(scene.actions[0])
        turns += 1
        assert outcome.over == (scene is None)
    assert turns == MASTERMIND["short"].turns
    with pytest.raises(InvalidInput):
        game.truth()


def test_an_unknown_bank_is_named():
    with pytest.raises(InvalidInput, match="no bank 'third'"):
        load("eleusis", "third")


def test_a_file_is_a_bank_too_and_what_it_leaves_out_is_the_tuning_banks(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text(
        '[knights.phrases]\naction = ["go with {name}"]\n[knights.plain]\nliar = ["{name} fibbed."]'
    )
    scenes = played(knights("plain", str(own)), 3, random.Random(3))
    assert knights("plain", str(own)).name == "knights/plain/mine"
    assert all(act.startswith("go with ") for scene, _ in scenes for act in scene.actions)
    told = [line.text for scene, _ in scenes for line in scene.said]
    assert any(text.endswith(" fibbed.") for text in told)
    assert load("mastermind", str(own)).phrases == load("mastermind", "tuning").phrases
    assert plain(str(own)).phrases["knight"] == plain("tuning").phrases["knight"]


def test_a_bank_file_with_a_flaw_is_refused(tmp_path):
    own = tmp_path / "mine.toml"
    with pytest.raises(InvalidInput, match="cannot read the bank"):
        load("knights", str(own))
    own.write_text("[knights.phrases\n")
    with pytest.raises(InvalidInput, match="no TOML"):
        load("knights", str(own))
    own.write_text('[knights.phrases]\nactoin = ["go with {name}"]')
    with pytest.raises(InvalidInput, match="no game asks for actoin"):
        load("knights", str(own))


def test_the_ferrymans_bank_can_be_played():
    for make in KINDS.values():
        assert played(make("short", str(FERRY)), 2, random.Random(2))
    assert played(knights("plain", str(FERRY)), 2, random.Random(2))


def test_a_rule_with_an_exception_fits_only_outside_it():
    rule = Rule("tin", "red")
    assert rule.fits(("blue", "tin", "moth"))
    assert not rule.fits(("red", "tin", "moth"))
    assert not rule.fits(("blue", "oak", "moth"))


def test_names_are_listed_as_one_says_them():
    assert [listed(("a",)), listed(("a", "b")), listed(("a", "b", "c"))] == [
        "a",
        "a and b",
        "a, b and c",
    ]


@pytest.mark.parametrize(
    ("name", "chance", "forgetful", "remembering"),
    [
        ("eleusis/standard", 1 / 4, 0.40, 0.85),
        ("mastermind/standard", 1 / 6, 0.30, 0.80),
        ("knights/standard", 1 / 4, 0.62, 0.92),
        ("knights/plain", 1 / 4, 0.62, 0.92),
    ],
)
def test_memory_separates_those_who_read_perfectly(
    name: str, chance: float, forgetful: float, remembering: float
):
    game = GAMES[name]()
    seeds = range(3)
    nothing, window, everything = (
        sum(share_right(game, seed, window=size) for seed in seeds) / len(seeds)
        for size in (0, 100, None)
    )
    assert abs(nothing - chance) < 0.06
    assert window < forgetful
    assert everything > remembering


def test_that_somebody_lies_is_a_fact_of_that_person_alone():
    facts = [
        (scene.said[place].text, fact)
        for scene, truth in played(knights("plain", "tuning"), 1, random.Random(1))
        for (_, place), taught in truth.teaches.items()
        for fact in taught
    ]
    assert {fact.relation for _, fact in facts} == {"lies", "never lies"}
    assert all(fact.subject in text and fact.object == "" for text, fact in facts)
