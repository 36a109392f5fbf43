"""The notebooks run from top to bottom (see scripts/notebooks.py; those of training with torch)."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scripts.notebooks import alike, changed, code_cells, main, run, said

PLACE = re.compile(r"/(?:root|home|work|tmp)/")


def books(root: Path) -> list[Path]:
    return sorted((root / "notebooks").glob("*.ipynb"))


def test_the_quick_tour_runs_and_says_what_it_keeps(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    book = run(root / "notebooks" / "1-quick-tour.ipynb")
    told = [said(cell) for cell in code_cells(book)]
    assert told[0].startswith("Oslo — “Alice moved to Oslo.”")
    assert any("oracle     100%" in text for text in told)
    assert changed(json.loads((root / "notebooks" / "1-quick-tour.ipynb").read_text()), book) == []


def test_there_are_three_notebooks_and_each_was_run(root: Path):
    assert [path.stem for path in books(root)] == [
        "1-quick-tour", "2-training-ask-and-write", "3-serving-an-adapter",
    ]  # fmt: skip
    for path in books(root):
        book = json.loads(path.read_text())
        cells = list(code_cells(book))
        assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
        kinds = {out["output_type"] for cell in cells for out in cell["outputs"]}
        assert "error" not in kinds
        assert PLACE.search(json.dumps([cell["outputs"] for cell in cells])) is None


def test_every_cell_has_its_own_id_and_the_format_is_named(root: Path):
    for path in books(root):
        book = json.loads(path.read_text())
        assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
        ids = [cell["id"] for cell in book["cells"]]
        assert len(set(ids)) == len(ids)


def written(path: Path, *sources: str) -> Path:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "id": str(n), "metadata": {}, "outputs": [], "source": [source]}
        for n, source in enumerate(sources)
    ]
    text = {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["1 / 0"]}
    path.write_text(json.dumps({"cells": [text, *cells], "nbformat": 4, "nbformat_minor": 5}))
    return path


def test_what_a_cell_prints_and_its_last_value_are_kept(tmp_path: Path):
    path = written(tmp_path / "a.ipynb", "x = 1\nprint('one')\nx + 1", "x = 3")
    assert main(["--write", str(path)]) == 0
    first, second = code_cells(json.loads(path.read_text()))
    assert [out.get("text") or out["data"] for out in first["outputs"]] == [
        ["one\n"], {"text/plain": ["2"]},
    ]  # fmt: skip
    assert second["outputs"] == []


def test_a_cell_that_fails_ends_the_run(tmp_path: Path):
    path = written(tmp_path / "a.ipynb", "x = 1", "1 / 0", "print('never')")
    before = path.read_text()
    with pytest.raises(ZeroDivisionError):
        main(["--write", str(path)])
    assert path.read_text() == before


def test_what_differs_by_processor_or_hour_is_alike_and_words_are_not():
    assert alike("score 7.24 in 12 s at 127.0.0.1:8000", "score 7.25 in 3 s at 127.0.0.1:41")
    assert not alike("score 7.24", "score 7.94")
    assert not alike("Oslo [m16]", "Bergen [m16]")
    assert not alike("Oslo [m16]", "Oslo [m17]")
    assert not alike("a 1.0", "a 1.0 2.0")


def test_a_check_says_which_cell_says_something_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = written(tmp_path / "a.ipynb", "print('one')", "print('Oslo')")
    assert main(["--write", str(path)]) == 0
    assert main(["--check", str(path)]) == 0
    path.write_text(path.read_text().replace('"Oslo\\n"', '"Bergen\\n"'))
    capsys.readouterr()
    assert main(["--check", str(path)]) == 1
    assert "cell 2\n--- stored\nBergen\n\n--- now\nOslo\n" in capsys.readouterr().out
