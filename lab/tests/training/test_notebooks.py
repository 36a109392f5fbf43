"""The notebooks of training run from top to bottom (extra `train`)."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

for library in ("torch", "peft", "gguf"):
    pytest.importorskip(library, reason="needs the extra: pip install './lab[train]'")

from scripts.notebooks import changed, run  # noqa: E402

BOOKS = {
    "2-training-ask-and-write": (),
    # These start a server and ask it, where llama.cpp's is installed.
    "3-serving-an-adapter": ("cell 6\n", "cell 7\n") if find_spec("llama_cpp") else (),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "apart"), BOOKS.items())
def test_a_notebook_of_training_runs_and_says_what_it_keeps(
    name: str, apart: tuple[str, ...], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    path = root / "notebooks" / f"{name}.ipynb"
    told = changed(json.loads(path.read_text(encoding="utf-8")), run(path))
    assert [cell for cell in told if not cell.startswith(apart)] == []
