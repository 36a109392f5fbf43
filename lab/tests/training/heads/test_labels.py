from collections import Counter

import pytest

from mags.models.grammar import EngramBlock
from mags.models.policy.heads.choices import operations_of, plan_of
from mags.models.policy.heads.layout import SPEAKER, laid_out
from mags.models.policy.heads.memories import places_of, subjects_of
from mags.ports.policy import Turn
from mags_lab.training.chains.schema import Role, Split
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate.samples import of_split
from mags_lab.training.heads.decide import by_hand
from mags_lab.training.heads.labels import gold, vocabulary
from mags_lab.training.heads.material import material
from mags_lab.training.reward import adherence

SPLITS = (Split.TRAIN, Split.FRAMES, Split.PHRASINGS, Split.INDEPENDENT)


@pytest.fixture(scope="module")
def samples():
    return {split: tuple(of_split(split, 250, 3, SeenTurns())) for split in SPLITS}


@pytest.mark.parametrize("split", SPLITS)
def test_labels_say_just_what_targets_say(samples, split):
    known = vocabulary(s for some in samples.values() for s in some)
    judged = Counter[str]()
    for sample in samples[split]:
        if sample.role is Role.ROUTER:
            continue
        layout = laid_out(sample.turn, sample.recent)
        labels = gold(sample, layout, known)
        judged["all"] += 1
        if labels is None:
            continue
        if labels.question is not None:
            reading = plan_of(layout, labels.question, sample.turn, known)
        else:
            facts = [told.fact for told in labels.told]
            turn = sample.turn
            reading = EngramBlock(
                operations=operations_of(layout, facts, turn, sample.recalled, known)
            )
        judged["right"] += int(adherence(sample, reading))
    assert judged["right"] >= 0.99 * judged["all"]


def test_names_stand_where_whole_words_do():
    layout = laid_out(Turn(text="Ana and Anabel; ANA", speaker="Bob"))
    assert [layout.span(*rows) for rows in places_of(layout, "ana", turn=True)] == ["Ana", "ANA"]


def test_the_speaker_is_found_first_and_a_relative_by_my():
    layout = laid_out(Turn(text="My sister saw Bob.", speaker="Bob"))
    assert subjects_of(layout, "Bob")[0] == (SPEAKER, SPEAKER)
    (rows,) = subjects_of(layout, "Bob's sister")
    assert layout.span(*rows) == "My sister"


def test_hand_written_samples_are_shared_out_among_training_and_dev():
    found = material(train=5, dev=5, tests=0, seed=1)
    assert {s.split for s in found.train} == {Split.TRAIN}
    assert {s.split for s in found.dev} == {Split.DEV}
    assert sum(s.source == "hand" for s in found.train) > 300
    assert found.tests == ()


def test_thresholds_are_found_on_phrases_that_training_never_has_too():
    without = material(train=0, dev=6, tests=0, seed=1)
    found = material(train=0, dev=6, tests=0, seed=1, unheard=4)
    unheard = [one for one in found.dev if one.split is Split.DEV_PHRASINGS]
    assert len(unheard) == 4
    assert [one for one in found.dev if one not in unheard] == [*without.dev]


def test_turns_by_hand_are_those_of_conversation_and_those_of_chains():
    found = material(train=6, dev=0, tests=0, seed=1, talk=4).train
    generated = [one for one in found if not by_hand(one)]
    assert {one.source for one in generated} == {"generator"}
    assert len(generated) == 6


def test_turns_of_conversation_come_after_the_same_plain_samples():
    without = material(train=20, dev=0, tests=0, seed=1)
    found = material(train=20, dev=0, tests=0, seed=1, talk=8)
    assert found.train[:20] == without.train[:20]
    talked = found.train[20:28]
    assert all("dialogue" in sample.tags and sample.role is not Role.ASK for sample in talked)
    assert len({sample.id for sample in found.train}) == len(found.train)
