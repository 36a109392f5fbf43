"""Every data file that ships is in its form: slots, words, grammar, citations."""

import pytest

from mags.models.grammar import read_engram
from mags_lab.training.chains.hand import chains, samples
from mags_lab.training.chains.phrasebook import (
    all_phrases,
    blocked,
    files,
    fill,
    frames,
    phrasebook,
    read_entries,
    smalltalk,
    words,
)
from mags_lab.training.chains.schema import check_target, engram
from mags_lab.training.chains.splits import SHARED_WORDS, part
from mags_lab.training.generate.fillers import decent, known_types

FOLDERS = ("phrasebook", "independent", "dev-phrasings", "dev-counted")
TOML = [
    pytest.param(folder, file.name, file.read_text(encoding="utf-8"), id=f"{folder}/{file.name}")
    for folder in FOLDERS
    for file in files(folder, ".toml")
]


@pytest.mark.parametrize(("folder", "name", "text"), TOML)
def test_every_phrase_has_the_slots_of_its_list(folder: str, name: str, text: str):
    assert list(read_entries(text, where=name))


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_slot_type_can_be_filled(folder: str):
    known = known_types(words())
    types = {t for entry in phrasebook(folder) for t in (entry.subject, entry.object)}
    assert types - known == set()


def test_every_relation_fits_the_grammar():
    for entry in phrasebook():
        read_engram(f"<engram>\nADD | Ana | {entry.name} | Oslo\n</engram>")


def test_no_phrase_is_left_with_a_brace_in_it():
    values = {"s": "Ana", "o": "Oslo", "p": "Bergen", "k": "food"}
    filled = [fill(phrase, values) for _, _, phrase in all_phrases(phrasebook())]
    assert [text for text in filled if "{" in text or "}" in text] == []


def test_the_other_author_has_no_phrase_of_ours():
    ours = {phrase.casefold() for _, _, phrase in all_phrases(phrasebook())}
    theirs = {phrase.casefold() for _, _, phrase in all_phrases(phrasebook("independent"))}
    # Short questions ("Where do I live?") two people may well word alike; splits leave those out.
    assert len(ours & theirs) <= 0.08 * len(theirs)


def test_every_chain_by_hand_is_whole():
    found = list(chains())
    for sample in samples(found):
        check_target(sample)
    assert len({chain.id for chain in found}) == len(found)


def test_frames_and_small_talk_are_many_and_stand_once():
    around = [f for name in ("either", "statement", "question", "gossip") for f in frames()[name]]
    assert len(around) >= 70
    assert len(smalltalk()) >= 200
    for lines in (*frames().values(), smalltalk()):
        assert len(set(lines)) == len(lines)


def test_every_word_list_has_a_held_out_part():
    for name, found in words().items():
        if name not in SHARED_WORDS:
            assert len(part(found, kind="word", held=True, least=3)) >= 3
            assert len(part(found, kind="word", held=False, least=3)) >= 8


def test_blocked_letters_are_read_and_turn_words_away():
    assert len(blocked()) > 40
    assert decent("Velmar")
    assert not decent(f"Vel{blocked()[0]}ar")


def test_an_empty_engram_says_none():
    assert engram([]) == "<engram>\nnone\n</engram>"
