"""No part of a test split was ever in training: phrases, frames, words, names, relations."""

import re

import pytest

from mags_lab.training.chains.dialogues import dialogues
from mags_lab.training.chains.phrasebook import (
    FURTHER,
    all_phrases,
    folded,
    frames,
    phrasebook,
    smalltalk,
)
from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.chains.splits import (
    CALIBRATION,
    HELD_OUT_RELATIONS,
    NEW_FRAMES,
    NEW_PHRASES,
    SHARED_WORDS,
    TESTS,
    held_out,
    part,
    split_material,
)
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate.fillers import spellable, syllables
from mags_lab.training.generate.samples import Amount, generate, of_split

NUMBER = re.compile(r"\d|o'clock")
PLAIN = re.compile(r"(?:user|assistant)(?:'s|$)")


def phrases(split: Split) -> set[str]:
    return {
        folded(p) for e in split_material(split).entries for ps in e.phrases.values() for p in ps
    }


@pytest.fixture(scope="module")
def made() -> dict[Split, list[Sample]]:
    found: dict[Split, list[Sample]] = {}
    for sample in generate(Amount(train=3000, least=300), 11):
        found.setdefault(sample.split, []).append(sample)
    return found


def fields(samples: list[Sample]) -> set[str]:
    """Subjects and objects of operations and plans, but for numbers and dates."""
    found = set()
    for sample in samples:
        for line in sample.target.splitlines():
            parts = line.split(" | ")
            if parts[0] in ("ADD", "UPDATE", "RETRACT"):
                found |= {parts[1], parts[3]}
            elif line.startswith("entities: "):
                found.add(line.removeprefix("entities: "))
    # A turn by hand has words of its own beside its slots.
    own = {field for turn in dialogues() for line in turn.keep for field in line.split(" | ")}
    return {words for words in found - own if not NUMBER.search(words) and not PLAIN.match(words)}


@pytest.mark.parametrize("split", TESTS)
def test_phrases_frames_and_words_are_those_that_the_split_says(split: Split):
    train, test = split_material(Split.TRAIN), split_material(split)
    shared = phrases(Split.TRAIN) & phrases(split)
    assert (shared == set()) is (split in NEW_PHRASES)
    for name, lines in test.frames.items():
        assert lines
        assert ({*lines} & {*train.frames[name]} == set()) is (split in NEW_FRAMES)
    for name, found in test.words.items():
        assert found
        assert name in SHARED_WORDS or {*found} & {*train.words[name]} == set()
    assert ({*test.smalltalk} & {*train.smalltalk} == set()) is (split in NEW_PHRASES)


@pytest.mark.parametrize("split", TESTS)
def test_no_name_or_object_of_a_test_was_in_training(split: Split, made: dict[Split, list[Sample]]):
    assert fields(made.get(split, [])) & fields(made[Split.TRAIN] + made[Split.DEV]) == set()


def test_training_never_names_a_held_out_relation(made: dict[Split, list[Sample]]):
    entries = {entry.name for entry in phrasebook()}
    assert entries >= HELD_OUT_RELATIONS
    for split, samples in made.items():
        targets = "\n".join(s.target for s in samples if s.role is not Role.ROUTER)
        named = {name for name in HELD_OUT_RELATIONS if f"| {name}" in targets}
        assert named == (HELD_OUT_RELATIONS if split is Split.RELATIONS else set())


def test_no_turn_of_a_test_is_in_training(made: dict[Split, list[Sample]]):
    def whole(sample: Sample) -> tuple[str, ...]:
        texts = [turn.text for turn in (sample.turn, *sample.recent)]
        return (sample.role, *texts, *(item.text for item in sample.recalled))

    train = set(map(whole, made[Split.TRAIN]))
    for split in TESTS:
        assert [sample for sample in made.get(split, ()) if whole(sample) in train] == []


def test_what_was_written_for_training_alone_stands_in_no_test():
    more = {folded(phrase) for _, _, phrase in all_phrases(phrasebook(FURTHER))}
    assert len(more) >= 2000
    assert more <= phrases(Split.TRAIN) == phrases(Split.DEV)
    named = {(entry.name, entry.subject, entry.object) for entry in phrasebook()}
    assert {(e.name, e.subject, e.object) for e in phrasebook(FURTHER)} <= named
    for split in TESTS:
        test = split_material(split)
        for entry in phrasebook(FURTHER):
            mine = {folded(p) for ps in entry.phrases.values() for p in ps}
            theirs = {
                folded(p)
                for e in test.entries
                if e.name == entry.name
                for ps in e.phrases.values()
                for p in ps
            }
            assert mine & theirs == set()
        assert {*smalltalk(FURTHER)} & {*test.smalltalk} == set()
        for name, lines in frames(FURTHER).items():
            assert {*lines} & {*test.frames[name]} == set()


@pytest.mark.parametrize("split", sorted(CALIBRATION))
def test_what_dev_says_anew_no_other_split_says(split: Split):
    own = {folded(phrase) for _, _, phrase in all_phrases(phrasebook(split))}
    assert len(own) >= 300
    for other in {Split.TRAIN, Split.DEV, *CALIBRATION, *TESTS} - {split}:
        assert own & phrases(other) == set()
    new, train = split_material(split), split_material(Split.TRAIN)
    assert {entry.name for entry in new.entries} == {entry.name for entry in train.entries}
    assert (new.words, new.frames, new.smalltalk) == (train.words, train.frames, train.smalltalk)
    assert phrases(split) - own <= phrases(Split.TRAIN)
    assert not new.held


@pytest.mark.parametrize("split", sorted(CALIBRATION))
def test_phrases_that_training_never_has_make_samples_of_their_own_split(split: Split):
    found = list(of_split(split, 60, 1, SeenTurns()))
    assert {sample.split for sample in found} == {split}
    assert {sample.role for sample in found} == {*Role}


def test_syllables_belong_to_one_side_and_names_cannot_be_read_as_the_other():
    assert {*syllables(True)} & {*syllables(False)} == set()
    word = "".join(syllables(False)[:3])
    assert spellable(word, held=False)
    assert not spellable("xyz", held=False)


def test_a_part_is_held_out_whatever_else_is_in_its_list():
    lines = [f"{{x}} number {i}" for i in range(200)]
    out = part(lines, kind="frame", held=True)
    assert 20 <= len(out) <= 60
    assert [line for line in lines[:50] if held_out(folded(line), kind="frame")] == [
        line for line in out if line in lines[:50]
    ]
    assert {*out} | {*part(lines, kind="frame", held=False)} == {*lines}


def test_training_keeps_one_even_of_a_list_of_one():
    assert part(["only"], kind="x", held=False, least=2) == ("only",)
