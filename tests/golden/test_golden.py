"""What is read and found is as it is kept beside this file (see `python -m tests.golden`)."""

from collections import Counter
from pathlib import Path

import pytest

from mags.errors import NotFound
from tests.golden import ranking, reading, written
from tests.golden.written import check, differences, kept, number, same, settled, written_here

HITS = ("    9.120 3.f1 by 3 ", "    4.001 5", "    4.000 2.f1", "    -.250 7")


def test_what_is_read_of_500_turns_is_as_it_is_kept() -> None:
    for name, text in reading.made().items():
        check(name, text)


@pytest.mark.skipif(not written_here(), reason="rankings were written on another processor")
@pytest.mark.parametrize("name", ranking.SETS)
def test_what_is_found_for_300_questions_is_as_it_is_kept(name: str) -> None:
    try:
        made = ranking.made(name)
    except NotFound as absent:
        pytest.skip(str(absent))
    check(ranking.file_of(name), made)


def test_there_are_500_turns_in_talks_and_300_questions() -> None:
    talks = reading.talks()
    assert sum(len(talk.turns) for talk in talks) == 500
    assert all(5 <= len(talk.turns) <= 15 for talk in talks)
    assert max(Counter(talk.name for talk in talks).values()) == 1
    asked = [kept(ranking.file_of(name)) for name in ranking.SETS]
    assert sum(text.count("\n    anchors") for text in asked) == 300


# The comparison itself: it must be able to fail.


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("observe.txt", "ADD Ines | lives in | Porto", "ADD Ines | lives in | Braga"),
        ("observe.txt", "why: supersede fact=2.f1", "why: conflict fact=2.f1"),
        ("observe.txt", "x 2.f1 Ines's boss", "~ 2.f1 Ines's boss"),
        ("observe.txt", "until 2024-02-02T21:40", "until 2024-02-03T21:40"),
        ("weights.txt", "1 strength .740", "1 strength .743"),
    ],
)
def test_a_changed_object_reason_mark_time_or_weight_is_a_difference(
    name: str, old: str, new: str
) -> None:
    text = kept(name)
    assert old in text
    check(name, text)
    with pytest.raises(AssertionError, match=r"\n\+.*\n(.*\n)*.*python -m tests\.golden"):
        check(name, text.replace(old, new, 1))


def test_operations_in_another_order_are_a_difference() -> None:
    one, two = "    ADD Ines | lives in | Porto .900\n", "    ADD Ines | works at | bakery"
    text = kept("observe.txt")
    assert one + two in text
    line = text[text.index(two) :].partition("\n")[0] + "\n"
    assert differences(text, text.replace(one + line, line + one, 1), "observe.txt")


def test_a_ranking_in_another_order_is_a_difference_unless_it_is_a_tie() -> None:
    assert same(HITS, HITS)
    assert same(HITS, (HITS[0], HITS[2], HITS[1], HITS[3]))
    assert not same(HITS, (HITS[1], HITS[0], *HITS[2:]))
    assert not same(HITS, HITS[:3])
    assert not same(HITS, (*HITS[:3], "    -.250 8", HITS[3]))


def test_at_the_end_of_a_ranking_a_tie_may_stand_in_for_another() -> None:
    assert same(HITS[:2], (HITS[0], "    4.000 2.f1"))
    assert not same(HITS[:2], (HITS[0], "    4.000 2.f1", "    3.000 9"))
    assert not same(HITS, (*HITS[:1], "    4.001 6", *HITS[2:]))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As where the files were written."""
    (tmp_path / "processor.txt").write_text(written.processor())
    monkeypatch.setattr(written, "KIND", tmp_path / "processor.txt")


def test_on_another_processor_numbers_have_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "processor.txt").write_text("another")
    monkeypatch.setattr(written, "KIND", tmp_path / "processor.txt")
    assert same(("    1 ~ 2 .410",), ("    1 ~ 2 .440",))
    assert not same(("    1 ~ 2 .410",), ("    1 ~ 2 .460",))


@pytest.mark.usefixtures("here")
def test_decimals_may_differ_by_noise_and_nothing_else_may() -> None:
    assert same(("    1 ~ 2 .410",), ("    1 ~ 2 .412",))
    assert not same(("    1 ~ 2 .410",), ("    1 ~ 2 .413",))
    assert same(("    support 0.96 · extractive",), ("    support 0.95 · extractive",))
    assert not same(("    support 0.96",), ("    support 0.94",))
    assert not same(("    + 1.f1 The gym is 44.90.",), ("    + 1.f1 The gym is 44.91.",))
    assert not same(("    anchors 1 2",), ("    anchors 2 1",))


@pytest.mark.usefixtures("here")
def test_what_differs_by_noise_alone_is_not_rewritten() -> None:
    old = "[1]\n    1 ~ 2 .410\n[2]\n    2 ~ 3 .410\n"
    new = "[1]\n    1 ~ 2 .411\n[2]\n    2 ~ 3 .510\n"
    assert settled(old, new) == "[1]\n    1 ~ 2 .410\n[2]\n    2 ~ 3 .510\n"
    assert differences(old, new, "x")[2:] == [
        "@@ -2,3 +2,3 @@", "     1 ~ 2 .410", " [2]", "-    2 ~ 3 .410", "+    2 ~ 3 .510",
    ]  # fmt: skip


def test_a_long_difference_is_cut_and_names_the_command() -> None:
    with pytest.raises(AssertionError) as failed:
        check("no such file.txt", "".join(f"[{n}]\n" for n in range(100)))
    assert len(str(failed.value).splitlines()) == written.SHOWN + 3
    assert written.COMMAND in str(failed.value)


def test_numbers_are_written_with_three_decimals_and_no_leading_nought() -> None:
    values = (0.5, -0.25, -0.0001, 12.0, 1.0)
    assert [number(value) for value in values] == [".500", "-.250", ".000", "12.000", "1.000"]


def test_a_block_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="stands twice"):
        written.blocks("# a\n[1] x\n[1] x\n")
    assert len(written.blocks("# a\n[1] x\n# b\n[1] x\n")) == 4
