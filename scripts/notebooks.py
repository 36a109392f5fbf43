"""Run notebooks from top to bottom, without Jupyter.

    python -m scripts.notebooks notebooks/1-quick-tour.ipynb            say where one stops
    python -m scripts.notebooks --write notebooks/1-quick-tour.ipynb    keep what comes out, too

Every notebook runs in an empty folder of its own and one namespace, cell after cell. What a cell
prints, its last value and the figures it drew become its outputs. A cell that fails ends the run.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


def code_cells(notebook: dict[str, Any]) -> Iterator[Cell]:
    """The cells to run, in order."""
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def run(path: Path) -> dict[str, Any]:
    """A notebook with the outputs of a run; whatever a cell raises comes through."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, cell in enumerate(code_cells(notebook), start=1):
                cell["outputs"] = list(_run(cell, namespace, f"{path.name}[{number}]", number))
                cell["execution_count"] = number
        finally:
            os.chdir(home)
    return notebook


def _run(cell: Cell, namespace: dict[str, Any], name: str, number: int) -> Iterator[Cell]:
    """Run a cell; what came out of it, as a notebook keeps it."""
    tree = ast.parse("".join(cell["source"]), name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard):
        exec(compile(tree, name, "exec"), namespace)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
    if heard.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(heard.getvalue())}
    for image in _drawn():
        yield {"data": {"image/png": image}, "metadata": {}, "output_type": "display_data"}
    if value is not None:
        yield {
            "data": {"text/plain": _lines(repr(value))},
            "execution_count": number,
            "metadata": {},
            "output_type": "execute_result",
        }


def _drawn() -> Iterator[str]:
    """Figures that were drawn since the last cell, as PNG in base64; none without matplotlib."""
    plt = sys.modules.get("matplotlib.pyplot")
    if plt is None:
        return
    for number in plt.get_fignums():
        held = io.BytesIO()
        plt.figure(number).savefig(held, format="png", dpi=80, bbox_inches="tight")
        yield base64.b64encode(held.getvalue()).decode() + "\n"
    plt.close("all")


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main(arguments: Sequence[str]) -> int:
    """Run the notebooks named; with --write, keep their outputs."""
    os.environ.setdefault("MPLBACKEND", "agg")
    for given in arguments:
        if given == "--write":
            continue
        path = Path(given)
        notebook = run(path.resolve())
        if "--write" in arguments:
            text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
            path.write_text(text, encoding="utf-8")
        print(f"{path}: {sum(1 for _ in code_cells(notebook))} cells ran")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
