"""The reader that ships: what it reads, and that with nothing to read it has no opinion."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from mags_lab.games.reader import EmbeddedReader, LexicalReader, shipped_reader
from mags_lab.training.reader.book import PHRASES
from mags_lab.training.reader.tasks import tasks

HAND = tomllib.loads((Path(__file__).parent / "hand.toml").read_text(encoding="utf-8"))["case"]
COUNT = 100


@pytest.fixture(scope="module")
def some():
    return list(tasks(99, PHRASES, COUNT, extra=0))


def share(some, lines=lambda one: one.lines):
    reader = shipped_reader()
    chosen = [reader.choose(lines(one), one.question, one.actions).action for one in some]
    return sum(action in one.right for action, one in zip(chosen, some, strict=True)) / len(some)


def test_weights_ship_and_are_one_object():
    assert isinstance(shipped_reader(), EmbeddedReader)
    assert shipped_reader() is shipped_reader()


def test_given_the_lines_that_decide_it_is_right(some):
    assert share(some) >= 0.85


def test_given_no_line_it_is_at_chance(some):
    chance = float(np.mean([len(one.right) / len(one.actions) for one in some]))
    assert abs(share(some, lambda one: ()) - chance) < 0.15


def test_what_is_told_in_lines_about_others_only_leaves_it_unsure(some):
    one, other = some[0], some[1]
    choice = shipped_reader().choose(other.lines, one.question, one.actions)
    assert choice.sure < 0.9


def test_the_order_of_dated_lines_and_of_actions_changes_nothing():
    for one in tasks(98, PHRASES, 20, extra=5):
        if not all(line.startswith("[") for line in one.lines):
            continue
        days = [line[1:11] for line in one.lines]
        if len(set(days)) < len(days):
            continue
        there = shipped_reader().choose(one.lines, one.question, one.actions)
        back = shipped_reader().choose(one.lines[::-1], one.question, one.actions[::-1])
        assert back.action == there.action
        assert back.sure == pytest.approx(there.sure, abs=1e-3)
        assert {one.lines[p] for p in there.cited} == {one.lines[::-1][p] for p in back.cited}


def test_it_reads_what_was_written_by_hand_better_than_a_walk_over_words():
    def right(reader):
        chosen = [
            reader.choose(tuple(c["lines"]), c["question"], tuple(c["actions"])) for c in HAND
        ]
        return sum(choice.action == c["right"] for choice, c in zip(chosen, HAND, strict=True))

    assert right(shipped_reader()) > right(LexicalReader())


def test_lines_that_cannot_be_read_do_no_harm():
    odd = ("", "[", "[2031-13-45] x", "\x00", "::::", "日本語のテキスト", "a" * 5000, "? " * 300)
    choice = shipped_reader().choose(odd, "Where?", ("North", "South"))
    assert choice.action in {"North", "South"}
    assert choice == shipped_reader().choose(odd, "Where?", ("North", "South"))
