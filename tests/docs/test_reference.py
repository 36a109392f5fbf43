"""What is generated in the documentation is what the code says now."""

from pathlib import Path

import pytest

from scripts.reference import glanced, pages

STALE = "{} is out of date: run `python -m scripts.reference`"
PAGES = pages()


@pytest.mark.parametrize("path", list(PAGES), ids=lambda path: path.name)
def test_a_generated_page_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path], STALE.format(path.name)


def test_every_public_name_and_verb_and_switch_stands_in_the_reference(root: Path) -> None:
    reference = root / "docs/reference"
    assert "### `import_`" in (reference / "python.md").read_text(encoding="utf-8")
    assert "## `import`" in (reference / "cli.md").read_text(encoding="utf-8")
    assert "## `[sleep.birth]`" in (reference / "settings.md").read_text(encoding="utf-8")


def test_the_readme_takes_from_the_benchmarks_only_what_was_measured() -> None:
    benchmarks = (
        "## At a glance\n\n| suite | MAGS |\n|---|---|\n| a | 1.0 |\n| b | not run |\n\n## a\n"
    )
    shown = glanced("top\n<!-- glance -->\nold\n<!-- /glance -->\nend\n", benchmarks)
    assert shown == (
        "top\n<!-- glance -->\n| suite | MAGS |\n|---|---|\n| a | 1.0 |\n<!-- /glance -->\nend\n"
    )
