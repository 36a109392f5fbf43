"""Conversation by hand: every turn is in its form, its splits share none, it is varied."""

import re
from collections import Counter
from random import Random

import pytest

from mags.errors import InvalidInput
from mags.models.grammar import check_invented, read_engram
from mags_lab.training.chains.dialogues import asides, dialogues, fault_of, read, stands_in
from mags_lab.training.chains.phrasebook import words
from mags_lab.training.chains.schema import Role, Split, check_target
from mags_lab.training.chains.splits import HELD_OUT_RELATIONS, part, split_material, split_of
from mags_lab.training.chains.variety import distinct, self_bleu
from mags_lab.training.generate.dialogues import Talks, unknown_types
from mags_lab.training.generate.fillers import known_types
from mags_lab.training.reward import source_of

SPLITS = (Split.TRAIN, Split.DEV, Split.TALK)


def one(text: str) -> str:
    (found,) = read(text, theme="t")
    return fault_of(found)


def test_every_turn_is_in_its_form_and_its_slots_can_be_filled():
    found = dialogues()
    assert len(found) >= 500
    assert unknown_types(found, known_types(words())) == frozenset()
    assert len({turn.id for turn in found}) == len(found)


def test_a_third_of_the_turns_tell_nothing_and_a_sixth_several_things():
    shares = Counter(min(len(turn.keep), 2) for turn in dialogues())
    total = shares.total()
    assert 0.30 <= shares[0] / total <= 0.42
    assert shares[2] / total >= 0.17


def test_no_turn_names_a_relation_that_training_may_not_see():
    kept = [line for turn in dialogues() for line in turn.keep]
    assert [line for line in kept if {*line.split(" | ")[2:3]} & HELD_OUT_RELATIONS] == []


def test_splits_share_no_turn_and_have_their_shares():
    turns = {split: {turn.id for turn in split_material(split).dialogues} for split in SPLITS}
    assert sum(map(len, turns.values())) == len(set().union(*turns.values())) == len(dialogues())
    assert 0.07 <= len(turns[Split.TALK]) / len(dialogues()) <= 0.13
    assert 0.11 <= len(turns[Split.DEV]) / len(dialogues()) <= 0.19
    assert {split_of(turn) for turn in split_material(Split.TALK).dialogues} == {Split.TALK}
    assert split_material(Split.PHRASINGS).dialogues == ()


def test_the_test_split_has_asides_of_its_own():
    for name in asides():
        train, talk = (
            split_material(Split.TRAIN).asides[name],
            split_material(Split.TALK).asides[name],
        )
        assert {*train} & {*talk} == set()
        assert talk == part(asides()[name], kind=f"aside {name}", held=True)


@pytest.mark.parametrize("split", SPLITS)
def test_every_draft_is_a_sample_that_invents_nothing(split: Split):
    talks = Talks(split_material(split), Random(7))
    for place in range(600):
        role = Role.ROUTER if place % 4 == 0 else Role.WRITE
        sample = talks.draft(role).sample(role, id=str(place), split=split)
        check_target(sample)
        assert not re.search(r"[{}\[\]]|\|", sample.turn.text)
        if role is Role.WRITE:
            check_invented(read_engram(sample.target).operations, source_of(sample))


def test_turns_are_varied_and_none_is_nearly_another():
    texts = [re.findall(r"\{[^{}]*\}|[^\W_]+(?:'[^\W_]+)?|[?!]", t.say) for t in dialogues()]
    assert distinct(texts, 2) >= 0.6
    assert distinct(texts, 3) >= 0.9
    assert self_bleu(Random(0).sample(texts, min(300, len(texts)))) <= 0.2
    assert len({" ".join(text).casefold() for text in texts}) == len(texts)


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        ('keep = ["ADD | {me} | visited | {city}"]', "nobody said city"),
        ('keep = ["ADD | {me} | frobs | soup"]', "neither of the phrasebook"),
        ('keep = ["ADD | {me} | likes | bread"]', "was not said"),
        ('keep = ["ADD | {me}\'s sister | likes | soup"]', "nobody named"),
        ('keep = ["ADD | {you} | likes | soup"]', "nobody named"),
        ('keep = ["NOTE | I like soup"]', "stands alone"),
        ('keep = ["NOTE | Soup is on Monday"]', "do not stand"),
        ('keep = ["EAT | {me} | likes | soup"]', "ADD, UPDATE, RETRACT"),
        ("likes = 3", "may have was"),
    ],
)
def test_a_turn_that_is_wrong_says_where_and_why(table: str, wanted: str):
    with pytest.raises(InvalidInput, match=wanted) as failure:
        one(f'[x]\nsay = "I like soup."\n{table}')
    assert failure.value.facts["where"] == "t.x"


def test_words_stand_in_a_text_whole_and_outside_of_choices():
    assert stands_in("soup", "I like [hot|cold] soup, you know")
    assert not stands_in("hot", "I like [hot|cold] soup")
    assert not stands_in("so", "I like soup")
    assert stands_in("{job}", "I'm {a job} now")
    assert not stands_in("{city}", "I'm in {city 2}")
