"""Plans of houses, states of them and what is useful there: no TextWorld needed."""

import tomllib
from importlib import resources
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.errors import MissingExtra
from mags_lab.games.adventures import worlds
from mags_lab.games.adventures.catalogue import CLEAN, GAMES, HUNT, PACKAGE
from mags_lab.games.adventures.game import advise
from mags_lab.games.adventures.telling import Lore, belonging, link, lying, parsed
from mags_lab.games.adventures.worlds import (
    OPPOSITE,
    Dish,
    HousePlan,
    HouseState,
    clean,
    distances,
    hunt,
)
from mags_lab.games.logic.bank import load
from mags_lab.games.sentences import BANKS

ROW = {"Hall": {"east": "Attic"}, "Attic": {"east": "Loft", "west": "Hall"}, "Loft": {}}


def state(here: str, holder: dict[str, tuple[str, str]], **status: str) -> HouseState:
    return HouseState(
        here=here,
        exits=ROW,
        doors={("Hall", "east"): "oak door"},
        holder=holder,
        status={thing: frozenset([one]) for thing, one in status.items()},
        kinds=dict.fromkeys(holder, "o"),
    )


def lore(**given) -> Lore:
    return Lore(**{"belongs": {}, "opens": {}, "notes": {}, **given})


def laws_of_a_house(plan: HousePlan, rooms: int) -> None:
    exits: dict[str, dict[str, str]] = {}
    for room, way, other in plan.links:
        assert way not in exits.setdefault(room, {})
        exits[room][way] = other
    assert len(exits) == rooms
    assert all(exits[b][OPPOSITE[way]] == a for a, way, b in plan.links)
    assert distances(exits, plan.start).keys() == exits.keys()
    assert set(plan.stands.values()) <= exits.keys()
    assert set(plan.lies.values()) <= exits.keys() | plan.stands.keys()


@pytest.mark.parametrize("level", HUNT)
@given(seed=st.integers(0, 10**6), bank=st.sampled_from(BANKS))
def test_every_key_of_a_hunt_can_be_had_with_the_one_before(level: str, seed: int, bank: str):
    plan = hunt(HUNT[level], load("hunt", bank, PACKAGE), seed)
    laws_of_a_house(plan, HUNT[level].rooms)
    assert len(plan.lockers) == HUNT[level].keys + HUNT[level].decoys
    assert len(plan.prizes) == HUNT[level].keys + 1
    open_to_us = {plan.start}
    for prize in plan.prizes:
        assert plan.lies[prize] in open_to_us
        open_to_us |= {plan.opens[prize]} if prize in plan.opens else set()
    assert {plan.lies[note] for note in plan.notes} <= open_to_us
    assert plan == hunt(HUNT[level], load("hunt", bank, PACKAGE), seed)


@pytest.mark.parametrize("level", CLEAN)
@given(seed=st.integers(0, 10**6), bank=st.sampled_from(BANKS))
def test_only_what_is_to_be_tidied_lies_in_another_room(level: str, seed: int, bank: str):
    plan = clean(CLEAN[level], load("clean", bank, PACKAGE), seed)
    laws_of_a_house(plan, CLEAN[level].rooms)
    away = {thing for thing in plan.lies if plan.lies[thing] != plan.belongs[thing]}
    assert away == set(plan.tidied)
    assert len(away) == CLEAN[level].misplaced
    for thing in away:
        assert plan.stands[plan.lies[thing]] != plan.stands[plan.belongs[thing]]


def test_here_comes_first_then_the_nearest():
    belongs = {"doll": "shelf", "ladle": "shelf"}
    holder = {"shelf": ("in", "Loft"), "doll": ("on", "table"), "table": ("in", "Attic")}
    holder["ladle"] = ("on", "you")
    now = state("Attic", holder)
    advice = advise(now, lore(belongs=belongs), (), ("go east", "take doll from table"))
    assert advice.best == {"take doll from table"}
    assert advice.rests_on == (belonging("doll", "shelf"), lying(now, "doll"))
    holder["doll"] = ("on", "you")
    now = state("Attic", holder)
    advice = advise(now, lore(belongs=belongs), (), ("go east", "go west"))
    assert advice.best == {"go east"}
    facts = (belonging("doll", "shelf"), lying(now, "shelf"), link("Attic", "east", "Loft"))
    assert advice.rests_on == facts


def test_a_closed_door_is_opened_first():
    now = state("Hall", {"doll": ("in", "Loft")})
    advice = advise(now, lore(), ("doll",), ("open oak door",))
    assert advice.best == {"open oak door"}


def test_a_locked_box_is_unlocked_then_opened_then_emptied():
    holder = {"box": ("in", "Hall"), "doll": ("in", "box"), "key": ("on", "you")}
    for status, command in (
        ("locked", "unlock box with key"),
        ("closed", "open box"),
        ("open", "take doll from box"),
    ):
        now = state("Hall", holder, box=status)
        advice = advise(now, lore(opens={"key": "box"}), ("key", "doll"), (command,))
        assert advice.best == {command}


def test_a_meal_is_cut_cooked_prepared_and_eaten():
    dishes = (Dish(thing="egg", done=("fried", "diced")),)
    kitchen = lore(dishes=dishes, kitchen="Hall")
    holder = {"egg": ("in", "you"), "knife": ("in", "Hall"), "stove": ("in", "Hall")}
    both = ("take knife", "cook egg with stove", "prepare meal")
    assert advise(state("Hall", holder, egg="raw"), kitchen, (), both).best == set(both[:2])
    holder["knife"] = ("in", "you")
    both = ("dice egg with knife", "prepare meal")
    assert advise(state("Hall", holder, egg="fried"), kitchen, (), both).best == {both[0]}
    done = HouseState(
        here="Hall", exits=ROW, doors={}, holder=holder, status={"egg": frozenset(dishes[0].done)}
    )
    assert advise(done, kitchen, (), ("prepare meal",)).best == {"prepare meal"}
    eaten = state("Hall", {"meal": ("in", "you")})
    assert advise(eaten, kitchen, (), ("eat meal",)).best == {"eat meal"}


def test_every_first_step_of_a_shortest_way_is_named():
    square = {
        "A": {"east": "B", "north": "C"},
        "B": {"north": "D"},
        "C": {"east": "D"},
        "D": {},
    }
    now = HouseState(here="A", exits=square, doors={}, holder={}, status={})
    assert set(now.paths("A", "D")) == {("east", "north"), ("north", "east")}
    assert list(now.paths("D", "D")) == []


def test_commands_are_taken_apart():
    assert parsed("unlock oak box with key 1") == ("unlock", "oak box", "key 1")
    assert parsed("take block of cheese from fridge") == ("take", "block of cheese", "fridge")
    assert parsed("go north") == ("go", "north", "")


def test_the_banks_have_the_same_keys_and_share_no_phrase():
    tables = [
        tomllib.loads((resources.files(PACKAGE) / "data" / f"{bank}.toml").read_text("utf-8"))
        for bank in BANKS
    ]
    for part in ("hunt", "clean", "cook", "tell"):
        for phrases in combinations((table[part]["phrases"] for table in tables), 2):
            assert phrases[0].keys() == phrases[1].keys()
            one, other = ({text for texts in p.values() for text in texts} for p in phrases)
            assert not one & other
    for bank, table in zip(BANKS, tables, strict=True):
        words = table["clean"]["words"]
        things = [t for key in words if key.startswith("on ") for t in words[key]]
        furniture = [f for key in words if key.startswith("in ") for f in words[key]]
        assert len(set(things + furniture)) == len(things + furniture), bank
        assert {f"on {one}" for one in furniture} <= words.keys()
        assert {f"in {room}" for room in words["room"]} <= words.keys()


def test_without_textworld_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch):
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(worlds.importlib, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"./lab\[textworld\]"):
        worlds.textworld()


def test_games_are_named_by_kind_level_and_bank():
    assert GAMES["hunt/small"]().name == "hunt/small"
    assert GAMES["cook/large/tuning"]().name == "cook/large/tuning"
