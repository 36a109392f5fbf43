"""Fidelity: a memory's facts against the game's, by the lines they come from."""

from hypothesis import given
from hypothesis import strategies as st

import mags
from mags.models.embed.hashing import HashEmbedder
from mags.settings import Settings
from mags_lab.evaluation.proving.fidelity import (
    FactVerdict,
    Fidelity,
    GameFacts,
    KnownFact,
    fidelity,
    is_same,
    known_facts,
)
from mags_lab.games.players.notes import Note
from mags_lab.games.turns import GameLine, TruthFact

OSLO = TruthFact(subject="Anna", relation="home", object="Oslo")
ROME = TruthFact(subject="Anna", relation="home", object="Rome")
BONN = TruthFact(subject="Bruno", relation="home", object="Bonn")
WORLD = GameFacts(
    facts={ROME, BONN}, over={OSLO}, taught={(0, 0): (OSLO,), (0, 1): (BONN,), (5, 0): (ROME,)}
)


def known(subject: str, obj: str, said: tuple[int, int], *, open: bool = True) -> KnownFact:
    return KnownFact(id=1, subject=subject, relation="r", object=obj, open=open, said=(said,))


def test_every_verdict():
    assert WORLD.verdict(known("Anna", "Rome", (5, 0))) is FactVerdict.RIGHT
    assert WORLD.verdict(known("Anna", "Oslo", (0, 0))) is FactVerdict.STALE
    assert WORLD.verdict(known("Anna", "Bonn", (0, 1))) is FactVerdict.WRONG
    assert WORLD.verdict(known("Anna", "Oslo", (0, 0), open=False)) is FactVerdict.CLOSED
    assert WORLD.verdict(known("Anna", "Rome", (5, 0), open=False)) is FactVerdict.LOST
    assert WORLD.verdict(known("Anna", "Rome", (7, 0))) is FactVerdict.BESIDE


def test_a_fact_of_a_line_that_was_false_is_wrong():
    lie = TruthFact(subject="Bruno", relation="home", object="Rome")
    world = GameFacts(facts=WORLD.facts, over=WORLD.over, taught={**WORLD.taught, (6, 0): (lie,)})
    assert world.verdict(known("Bruno", "Rome", (6, 0))) is FactVerdict.WRONG


def test_names_are_the_same_in_either_order_and_as_a_whole_word_of_one_another():
    gift = TruthFact(subject="the Vesk clan", relation="gift", object="silver thimble")
    assert is_same(known("Vesk clan", "a silver thimble", (0, 0)), gift)
    assert is_same(known("silver thimble", "the Vesk", (0, 0)), gift)
    assert not is_same(known("Ves", "silver thimble", (0, 0)), gift)
    assert not is_same(known("", "silver thimble", (0, 0)), gift)


def test_a_fact_of_one_thing_is_told_where_that_thing_is_named_whatever_is_said_of_it():
    lies = TruthFact(subject="Bruno", relation="lies", object="")
    honest = TruthFact(subject="Bruno", relation="never lies", object="")
    world = GameFacts(facts={honest}, over={lies}, taught={(1, 0): (lies,), (2, 0): (honest,)})
    assert world.verdict(known("Bruno", "the truth", (2, 0))) is FactVerdict.RIGHT
    assert world.verdict(known("Bruno", "again", (1, 0))) is FactVerdict.STALE
    assert world.verdict(known("Anna", "again", (1, 0))) is FactVerdict.WRONG


def test_counts_and_shares():
    found = fidelity(
        [
            known("Anna", "Rome", (5, 0)),
            known("Anna", "Oslo", (0, 0)),
            known("Bruno", "Bonn", (0, 1), open=False),
            known("Ida", "rain", (9, 9)),
        ],
        WORLD,
    )
    assert found == Fidelity(holding=2, held=1, lost=1, ended=1, stale=1, open=2, right=1)
    assert (found.precision, found.recall, found.f1) == (0.5, 0.5, 0.5)
    assert (found.left_open, found.wrongly_closed) == (1.0, 0.5)


def test_a_fact_that_is_also_open_is_not_lost():
    twice = [known("Bruno", "Bonn", (0, 1)), known("Bruno", "Bonn", (0, 1), open=False)]
    assert fidelity(twice, WORLD).lost == 0


def test_an_empty_memory_is_precise_and_knows_nothing():
    found = fidelity([], WORLD)
    assert (found.precision, found.recall, found.f1, found.wrongly_closed) == (1.0, 0.0, 0.0, 0.0)


counts = st.integers(0, 50)


@given(counts, counts, counts, counts)
def test_shares_lie_between_none_and_all(held: int, more: int, right: int, wrong: int):
    found = Fidelity(
        holding=held + more, held=held, lost=0, ended=0, stale=0, open=right + wrong, right=right
    )
    shares = (found.precision, found.recall)
    assert found.f1 <= max(shares) + 1e-12
    assert found.f1 >= min(shares) - 1e-12


def test_the_facts_of_a_memory_come_with_their_lines():
    with mags.open(
        None, embedder=HashEmbedder(32), settings=Settings(), clock=lambda: 9.0
    ) as memory:
        told = ("Anna lives in Oslo.", "Anna moved to Rome.")
        notes = {}
        for turn, text in enumerate(told):
            seen = memory.observe(text, speaker="Ida", at=float(turn + 1))
            line = GameLine(speaker="Ida", text=text, at=float(turn))
            notes[seen.episode_id] = Note(said=(turn, 0), line=line)
        found = known_facts(memory, notes)
    assert [(f.subject, f.object, f.open, f.said) for f in found] == [
        ("Anna", "Oslo", False, ((0, 0),)),
        ("Anna", "Rome", True, ((1, 0),)),
    ]
