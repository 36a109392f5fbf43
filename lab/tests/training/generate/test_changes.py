"""Turns right after a telling of the same slot."""

from datetime import date
from random import Random

import pytest

from mags.ports.policy import Act
from mags_lab.training.chains.schema import Split
from mags_lab.training.chains.splits import split_material
from mags_lab.training.generate.changes import ChangeDrafts
from mags_lab.training.generate.fillers import Fillers, Framer
from mags_lab.training.generate.samples import Turns
from mags_lab.training.generate.statements import Company, StatementMaker, TurnDraft

ANA = Company(speaker="Ana", other="Bo", now=date(2024, 5, 1))


def drafts(split: Split, many: int) -> list[TurnDraft]:
    rng, own = Random(7), split_material(split)
    fillers = Fillers(own, rng)
    framer = Framer(own, rng, fillers)
    changes = ChangeDrafts(own, rng, framer, StatementMaker(own, rng, fillers, framer))
    found = (changes.draft(ANA) for _ in range(many))
    return [one for one in found if one is not None]


@pytest.fixture(scope="module")
def made() -> list[TurnDraft]:
    return drafts(Split.TRAIN, 1200)


def acts(draft: TurnDraft) -> list[Act]:
    return [line.act for line in draft.lines]


def test_each_follows_a_statement_of_the_speaker_or_the_other(made: list[TurnDraft]):
    assert len(made) > 1000
    for draft in made:
        assert "after" in draft.tags
        assert len(draft.recent) in (1, 2)
        assert {turn.speaker for turn in draft.recent} <= {"Ana", "Bo"}


def test_what_is_remembered_is_what_was_said_just_before(made: list[TurnDraft]):
    known = [draft for draft in made if draft.recalled]
    assert len(known) > 500
    for draft in known:
        last = draft.recalled[0].text.rstrip(".").split()[-1]
        assert last.casefold() in draft.recent[0].text.casefold(), draft


def test_changes_ends_additions_and_nothing_all_follow(made: list[TurnDraft]):
    kinds = {tuple(acts(draft)) for draft in made}
    assert {(Act.UPDATE,), (Act.RETRACT,), (Act.ADD,), (Act.RETRACT, Act.ADD), ()} <= kinds


def test_the_same_again_and_what_only_looks_like_a_fact_store_nothing(made: list[TurnDraft]):
    for draft in made:
        if {"known", "near"} & {*draft.tags}:
            assert draft.lines == ()
        if "known" in draft.tags:
            assert draft.recalled


def test_a_change_in_a_word_or_two_names_its_object(made: list[TurnDraft]):
    short = [draft for draft in made if "amend" in draft.tags]
    assert len(short) > 100
    for draft in short:
        assert all(line.object in draft.text for line in draft.lines)


def test_nothing_is_put_around_a_word_or_two():
    turns = Turns(split_material(Split.TRAIN), Random(3), scatter=1.0)
    short = [one for one in (turns.to_write() for _ in range(1500)) if "amend" in one.tags]
    assert len(short) > 10
    assert not any({"scattered", "aside"} & {*one.tags} for one in short)
