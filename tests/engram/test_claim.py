"""Names to entities: by exact form or alias, never by likeness."""

from __future__ import annotations

import unicodedata

import hypothesis.strategies as st
import pytest
from hypothesis import given

from mags.graph.records import ArcKind, NodeKind
from mags.index.tokens import fold as fold_text
from mags.index.tokens import fold_name
from tests.engram.desk import Desk, add


@pytest.fixture
def desk():
    return Desk()


LATIN = st.characters(max_codepoint=0x17F, categories=("L", "N", "P", "Zs"))


@given(st.text(LATIN))
def test_latin_text_folds_as_unicode_says_however_plain_it_is(text):
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'"))
    assert fold_text(text) == "".join(c for c in plain if not unicodedata.combining(c)).casefold()


@pytest.mark.parametrize(
    ("name", "form"),
    [
        (" The  Beatles. ", "beatles"),
        ("a\tcat's", "cat"),
        ("An Ideal", "ideal"),
        ("the", "the"),
        ("Theo", "theo"),
        ("\u2019Caf\u00e9\u2019", "cafe"),
        ("...", ""),
    ],
)
def test_names_fold_their_case_accents_articles_and_edges(name, form):
    assert fold_name(name) == form


def entities(desk):
    return {desk.state.content(int(i)).text for i in desk.state.graph.ids(NodeKind.ENTITY)}


def test_case_accents_and_articles_do_not_make_another_entity(desk):
    desk.say("a", add("Ana", "visited", "the Café Müller"))
    desk.say("b", add("ana", "visited", "cafe muller"))
    assert entities(desk) == {"Ana", "the Café Müller"}


@pytest.mark.parametrize(("one", "other"), [("Zorbik", "Zorbak"), ("room 12", "room 14")])
def test_names_that_differ_in_a_letter_or_digit_are_two_entities(desk, one, other):
    desk.say("a", add("Ana", "visited", one))
    desk.say("b", add("Ana", "visited", other))
    assert entities(desk) == {"Ana", one, other}
    assert len(desk.open()) == 2


def test_i_is_the_speaker(desk):
    desk.say("I live in Oslo", add("I", "lives in", "Oslo"), speaker="Bob")
    subject = desk.state.graph.node(desk.state.names.find("Bob")[0])["id"][0]
    assert len(desk.state.slots.of(int(subject))) == 1


def test_she_is_the_last_named_of_the_turn_who_does_not_speak(desk):
    done = desk.say("Eva is here. She likes tea", add("she", "likes", "tea"), mentions=("Eva",))
    fact = desk.node(done.facts[0])
    assert fact["subject"] == desk.state.names.find("Eva")[0]


def test_a_pronoun_that_means_nobody_is_left_to_the_episode(desk):
    done = desk.say("She likes tea", add("she", "likes", "tea"))
    assert (done.facts, done.ignored) == ([], [(0, "subject unknown")])
    assert done.episode is not None


def test_an_alias_is_learned_and_linked(desk):
    desk.say("My sister Eva", add("Eva", "likes", "tea", aliases={"Eva": ["Ana's sister"]}))
    done = desk.say("My sister likes tea", add("Ana's sister", "likes", "tea"), session="s2")
    assert (done.facts, len(done.confirmed)) == ([], 1)
    content = desk.state.content(desk.state.names.find("Eva")[0])
    assert content.meta["aliases"] == ["Ana's sister"]


def test_an_alias_that_is_another_entity_stays_there(desk):
    desk.say("a", add("Eva", "likes", "tea"), add("Ida", "likes", "tea"))
    desk.say("b", add("Eva", "likes", "rum", aliases={"Eva": ["Ida"]}))
    assert len(desk.state.names.find("Ida")) == 1
    assert len(desk.reasons("alias-taken")) == 1


def test_of_two_entities_of_one_alias_the_one_of_that_name_is_meant(desk):
    desk.say("a", add("Robert", "likes", "tea", aliases={"Robert": ["Bob"]}))
    robert = desk.state.names.find("Robert")[0]
    done = desk.say("b", add("Bob", "likes", "rum"))
    assert desk.node(done.facts[0])["subject"] == robert


def test_an_episode_mentions_its_entities_but_not_its_speaker(desk):
    done = desk.say("I met Eva in Oslo", add("Ana", "met", "Eva"), mentions=("Eva", "Oslo"))
    mentioned = desk.state.graph.targets(done.episode, ArcKind.MENTIONS)
    assert {desk.state.content(i).text for i in mentioned} == {"Eva", "Oslo"}
    assert desk.node(done.episode)["subject"] == desk.state.names.find("Ana")[0]
