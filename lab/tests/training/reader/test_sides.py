"""Who speaks true, rows and gifts: what was told decides, and nothing of it is on both sides."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from mags_lab.training.reader.book import TRAIN
from mags_lab.training.reader.sides import trusted
from mags_lab.training.reader.tasks import Task, task
from mags_lab.training.reader.telling import Tale
from mags_lab.training.reader.world import table

FERRY = Path(__file__).parents[4] / "benchmarks" / "banks" / "ferry.toml"
LISTS = [
    (file, name, which, phrases)
    for file in ("sides", "feedback", "against")
    for name, lists in table(file).items()
    for which, phrases in lists.items()
    if isinstance(phrases, list)
]


def drawn(kind: str, count: int = 200) -> Iterator[Task]:
    return (task(Random(seed), TRAIN, extra=seed % 8, kind=kind) for seed in range(count))


def apart(one: Task) -> dict[str, str]:
    """Each action by the words that no other action has."""
    shared = set.intersection(*(set(action.split()) for action in one.actions))
    return {a: " ".join(w for w in a.split() if w not in shared).strip(",") for a in one.actions}


@pytest.mark.parametrize(("file", "name", "which", "phrases"), LISTS)
def test_no_phrase_stands_twice_in_a_list(file, name, which, phrases):
    assert len(phrases) > 3
    if which not in {"do", "do_not", "ask", "frame", "about", "of"}:
        assert len(set(phrases)) == len(phrases), (file, name, which)


def test_truth_and_lies_are_told_in_as_many_ways():
    truth = table("sides")["truth"]
    assert len(truth["one_yes"]) == len(truth["one_no"]) > 50
    assert len(truth["yes"]) == len(truth["no"]) > 40
    assert len(truth["now_yes"]) == len(truth["now_no"])
    for given in table("sides")["scales"].values():
        assert len(given["yes"]) == len(given["no"]) == 4
    parts = table("against")
    for good, bad in (("good", "bad"), ("advise", "warn"), ("good_noun", "bad_noun")):
        assert len(parts["trust"][good]) == len(parts["trust"][bad])
    assert len(parts["choice"]["good"]) == len(parts["choice"]["bad"])


def test_forms_of_number_are_chosen():
    for one in drawn("sides"):
        words = "".join((*(line.removeprefix("[") for line in one.lines), *one.actions))
        assert "[" not in words
        assert "{" not in words


def test_where_only_some_are_called_liars_any_of_the_others_may_be_right():
    found = 0
    for seed in range(200):
        # With nothing beside, lest a line that decides be joined with one about another.
        one = task(Random(seed), TRAIN, extra=0, kind="sides")
        if len(one.right) == 1:
            continue
        found += 1
        told = " ".join(one.lines[place] for place in one.needed)
        for action, name in apart(one).items():
            if len(name.split()) == 1:
                assert (name in told) is (action not in one.right)
    assert found > 8


def test_a_line_of_several_decides_by_the_part_that_is_asked_for():
    for one in drawn("listed", 60):
        assert len(one.right) == 1
        assert len(one.needed) == one.hops


def test_a_row_leaves_what_was_not_excluded():
    found = 0
    for one in drawn("rows"):
        if len(one.right) == 1:
            continue
        found += 1
        told = " ".join(one.lines[place] for place in one.needed).lower()
        own = apart(one)
        assert all(own[action] in told for action in one.actions if action not in one.right)
    assert found > 20


def test_gifts_differ_and_some_are_taken():
    for one in drawn("tastes"):
        assert 0 < len(one.right) < len(one.actions)
        assert one.needed


def test_the_bank_that_judges_the_reader_shares_no_wording_with_its_training():
    bank = tomllib.loads(FERRY.read_text("utf-8"))["knights"]
    trained = {
        phrase.lower().rstrip(".").replace("{z}", "{name}")
        for *_, phrases in LISTS
        for phrase in phrases
    } | {
        trusted(Tale(rng=Random(seed), side=TRAIN), on=seed % 2 == 0)
        .lower()
        .replace("{z}", "{name}")
        for seed in range(4000)
    }
    for key in ("knight", "liar", "sworn", "fallen", "question"):
        for phrase in (*bank["plain"].get(key, ()), *bank["phrases"].get(key, ())):
            assert phrase.lower().rstrip(".") not in trained
