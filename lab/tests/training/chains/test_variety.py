import math

import pytest

from mags.ports.policy import Turn
from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.chains.variety import (
    SeenTurns,
    distinct,
    jaccard,
    self_bleu,
    skeleton,
    variety,
)


def sample(text: str, target: str = "<engram>\nnone\n</engram>") -> Sample:
    return Sample(
        id=text,
        role=Role.WRITE,
        split=Split.TRAIN,
        turn=Turn(text=text, speaker="Bob"),
        target=target,
    )


def test_distinct_n_grams_are_counted_over_all_texts():
    texts = [["a", "b", "a"], ["a", "b"]]
    assert distinct(texts, 1) == 2 / 5
    assert distinct(texts, 2) == 2 / 3
    assert distinct(texts, 3) == 1.0
    assert distinct([[]], 1) == 0.0


def test_self_bleu_is_one_for_equal_texts_and_small_for_different_ones():
    same = [["i", "live", "in", "_", "."]] * 3
    assert self_bleu(same) == pytest.approx(1.0)
    other = [["a", "b", "c", "d"], ["e", "f", "g", "h"]]
    # No n-gram is shared: each order counts half a hit.
    assert self_bleu(other) == pytest.approx(math.prod((0.5 / n) ** 0.25 for n in (4, 3, 2, 1)))
    assert self_bleu([["a"]]) == 0.0


def test_self_bleu_by_hand():
    # Against "a b x": 1-grams 2/3, 2-grams 1/2, 3-grams 0.5/1; no 4-grams; equal lengths.
    expected = (2 / 3 * 1 / 2 * 0.5) ** (1 / 3)
    assert self_bleu([["a", "b", "c"], ["a", "b", "x"]]) == pytest.approx(expected)


def test_a_short_text_pays_for_its_brevity():
    pair = self_bleu([["a", "b"], ["a", "b", "c", "d"]])
    short = math.exp(1 - 4 / 2)
    long = (2 / 4 * 1 / 3 * 0.5 / 2 * 0.5 / 1) ** 0.25
    assert pair == pytest.approx((short + long) / 2)


def test_names_and_objects_are_masked():
    one = sample("Velmar lives in Oslo.", "<engram>\nADD | Velmar | lives in | Oslo\n</engram>")
    assert skeleton(one) == ["_", "_", "in", "_"]


def test_near_duplicates_are_turned_away_and_others_kept():
    long = "the quick brown fox jumps over the lazy dog while the old cat sleeps all day in the sun"
    texts = [
        long,
        long + ".",
        long.replace("sun", "shade"),
        "something else entirely was said here",
    ]
    known = SeenTurns()
    assert [text for text in texts if known.take(sample(text))] == [long, texts[3]]


def test_the_same_turn_counts_once_for_each_policy():
    known = SeenTurns()
    assert known.take(sample("Hi there!"))
    assert not known.take(sample("hi there !"))
    assert jaccard(frozenset(), frozenset()) == 1.0


def test_variety_is_the_same_for_the_same_samples():
    samples = [sample(f"I said number {i} to the other one") for i in range(20)]
    assert variety(samples) == variety(samples)
    assert variety(samples, sampled=5).turns == 5
