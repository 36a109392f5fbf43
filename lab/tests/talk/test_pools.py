"""What the second look is trained on: the corpus's own split, and no word that it is tested by."""

from collections.abc import Iterable

import pytest

from mags_lab.talk.corpus import DATA, AnnotatedDialogue
from mags_lab.talk.pools import PUBLIC, material, named

SHORT = 3
"""Words up to which a turn may stand anywhere: "happy birthday!!", "Nobody asked."."""


def texts(some: Iterable[AnnotatedDialogue]) -> set[str]:
    every = list(some)
    turns = {turn.text for one in every for turn in one.turns}
    return {q.text for one in every for q in one.questions} | {
        text for text in turns if len(text.split()) > SHORT
    }


@pytest.fixture(scope="module")
def trained() -> list[AnnotatedDialogue]:
    return material(DATA, "train")


def test_no_text_is_both_trained_on_and_tested_by(
    corpus: list[AnnotatedDialogue], trained: list[AnnotatedDialogue]
):
    learned = texts(trained)
    assert len(learned) > 10_000
    for split in ("dev", "test"):
        assert learned.isdisjoint(texts(one for one in corpus if one.split == split))


def test_nothing_of_a_public_set_is_trained_on(
    corpus: list[AnnotatedDialogue], trained: list[AnnotatedDialogue]
):
    if PUBLIC not in {one.hand for one in corpus}:
        pytest.skip("the public sets are not here: set MAGS_DATA to their folder")
    assert all(one.hand != PUBLIC for one in trained)


def test_a_question_is_asked_about_somebody_by_name():
    assert named("Where did I put my keys?", "Ana") == "Where did Ana put Ana's keys?"
