"""The notebooks of training run from top to bottom (extra `train`)."""

from pathlib import Path

import pytest

for library in ("torch", "peft", "gguf"):
    pytest.importorskip(library, reason="needs the extra: pip install './lab[train]'")

from scripts.notebooks import code_cells, run  # noqa: E402

BOOKS = {
    "2-training-ask-and-write": "exact, in percent",
    "3-serving-an-adapter": "general.architecture llama",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BOOKS)
def test_a_notebook_of_training_runs(
    name: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    book = run(root / "notebooks" / f"{name}.ipynb")
    said = "".join(
        text for cell in code_cells(book) for out in cell["outputs"] for text in out.get("text", ())
    )
    assert BOOKS[name] in said
