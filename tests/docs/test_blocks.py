"""What the pages show is what happens (see scripts/blocks.py)."""

from pathlib import Path

import pytest

from scripts.blocks import align, blocks, fits, run_page
from tests.golden import pages
from tests.golden.written import check


@pytest.mark.parametrize("name", pages.FILES)
def test_every_block_prints_what_the_page_shows_and_all_else_as_it_is_kept(
    root: Path, name: str
) -> None:
    page = run_page(root / name)
    assert page.faults == []
    check(pages.FILES[name], pages.of_page(page, name))


def test_a_shown_line_may_differ_in_ids_decimals_and_spacing_only() -> None:
    assert fits("Oslo [m4] support 1.00", "Oslo  [m259]   support 0.93")
    assert not fits("Oslo [m4]", "Paris [m4]")
    assert fits("Oslo ... [m4]", "Oslo, since May [m4]")


def test_python_lines_follow_one_another_and_console_lines_may_have_gaps() -> None:
    printed = ["one", "two", "three"]
    assert align(["one", "three"], printed, gaps=False) == [0, None]
    assert align(["one", "...", "three"], printed, gaps=False) == [0, None, 2]
    assert align(["one", "three"], printed, gaps=True) == [0, 2]


def test_a_block_marked_as_not_run_is_left_alone() -> None:
    page = [
        "<!-- not run: dear -->",
        "```python",
        "1 / 0",
        "```",
        "```python",
        "1",
        "```",
    ]
    assert [block.lines for block in blocks(page)] == [("1",)]


def test_a_page_that_shows_something_else_is_a_fault(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint('Oslo')\n# -> Paris\nprint('more')\n```\n")
    faults = run_page(page).faults
    assert len(faults) == 2
    assert "shows 'Paris'" in faults[0]
    assert "prints more than it shows: 'more'" in faults[1]
