"""The notebooks run from top to bottom (see scripts/notebooks.py; those of training with torch)."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scripts.notebooks import code_cells, main, run

PLACE = re.compile(r"/(?:root|home|work|tmp)/")


def books(root: Path) -> list[Path]:
    return sorted((root / "notebooks").glob("*.ipynb"))


def test_the_quick_tour_runs(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    book = run(root / "notebooks" / "1-quick-tour.ipynb")
    said = ["".join(out.get("text", ())) for cell in code_cells(book) for out in cell["outputs"]]
    assert said[0].startswith("Oslo — “Alice moved to Oslo.”")
    assert any("oracle     100%" in text for text in said)


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
