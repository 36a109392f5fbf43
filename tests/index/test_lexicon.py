"""BM25 by hand, and rows that come and go."""

import math
import zlib

import numpy as np
import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from mags.index.search import Lexicon
from mags.index.tokens import AnswerMark, marks, stem


def lexicon(*texts: str) -> Lexicon:
    made = Lexicon(lambda term: zlib.crc32(term.encode()))
    made.add(list(range(len(texts))), texts, [marks(t) for t in texts])
    return made


def test_bm25_is_what_the_formula_says():
    made = lexicon("fox fox hound", "fox hare", "badger")
    found = made.match(["fox"])
    idf = math.log1p((3 - 2 + 0.5) / (2 + 0.5))
    average = (3 + 2 + 1) / 3

    def part(tf: float, length: float) -> float:
        return idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / average))

    assert found.scores == pytest.approx([part(2, 3), part(1, 2), 0.0], rel=1e-5)
    assert sorted(found.rows.tolist()) == [0, 1]


def test_a_dropped_row_is_gone_and_can_come_back():
    made = lexicon("fox hound", "fox hare")
    made.drop(np.array([0]))
    assert made.match(["hound"]).rows.tolist() == []
    assert (made.documents, made.frequency("fox")) == (1, 1)
    made.add([0], ["fox hound"])
    assert made.match(["hound"]).rows.tolist() == [0]


def test_packing_keeps_scores_and_marks():
    made = lexicon("fox hound last week", "fox hare", "badger")
    copy = Lexicon.unpack(made.packed(np.arange(3)), lambda term: zlib.crc32(term.encode()))
    assert copy.match(["fox"]).scores == pytest.approx(made.match(["fox"]).scores)
    assert copy.marks[:3].tolist() == made.marks[:3].tolist()
    assert copy.marks[0] & AnswerMark.TIME


@pytest.mark.parametrize(
    ("text", "mark", "borne"),
    [
        ("We met last Friday", AnswerMark.TIME, True),
        ("We met", AnswerMark.TIME, False),
        ("It took three hours", AnswerMark.NUMBER, True),
        ("They live in Oslo", AnswerMark.PLACE, True),
        ("my sister came", AnswerMark.PERSON, True),
        ("because it rained", AnswerMark.REASON, True),
        ("I love rye bread", AnswerMark.LIKING, True),
        ("So please always one step a line", AnswerMark.STANDING, True),
        ("I'm blind, so no tables please", AnswerMark.STANDING, True),
        ("He never came home", AnswerMark.STANDING, False),
    ],
)
def test_marks_say_what_a_text_could_answer(text, mark, borne):
    assert bool(marks(text) & mark) is borne


@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789éß", max_size=14))
def test_a_stem_is_what_the_stemmer_says(word):
    assert stem(word) == snowballstemmer.stemmer("english").stemWord(word)


def test_what_stands_aside_is_found_and_changes_no_score_of_the_rest():
    texts = ["Ana lives in Oslo", "Ben lives in Rome", "the garden is wet"]
    plain, more = lexicon(*texts), lexicon(*texts)
    more.add([3, 4], ["Ana Oslo sleepily", "Ben lives in Rome again"])
    more.set_aside(np.array([3, 4]))
    wanted = ["ana", "live", "oslo"]
    same, wide = plain.match(wanted), more.match(wanted)
    assert wide.scores[:3].tolist() == same.scores.tolist()
    assert (wide.scores[3] > 0.0, wide.mass) == (True, same.mass)
    assert (more.documents, more.frequency("oslo")) == (3, 1)
    more.drop(np.array([3]))
    assert (more.documents, more.frequency("rome")) == (3, 1)
    more.drop(np.array([0, 4]))
    assert (more.documents, more.frequency("oslo")) == (2, 0)
