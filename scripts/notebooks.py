"""Run notebooks from top to bottom, without Jupyter.

    python -m scripts.notebooks notebooks/1-quick-tour.ipynb            say where one stops
    python -m scripts.notebooks --write notebooks/1-quick-tour.ipynb    keep what comes out, too
    python -m scripts.notebooks --check notebooks/1-quick-tour.ipynb    say where it is another

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
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


PORT = re.compile(r"(?<=127\.0\.0\.1:)\d+")
DURATION = re.compile(r"\b\d+(?:[.,]\d+)* ?(?:s|ms|min|seconds?|minutes?)\b")
DECIMAL = re.compile(r"(?<![\w.])-?\d+\.\d+(?![\w.])")
NEAR = 0.06
"""How far a decimal may be from the stored one: processors sum in other orders."""


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


def said(cell: Cell) -> str:
    """What a cell printed and its last value, as text."""
    parts = (
        out.get("text") or out.get("data", {}).get("text/plain", ()) for out in cell["outputs"]
    )
    return "".join("".join(part) for part in parts)


def alike(one: str, other: str) -> bool:
    """Whether two outputs say the same, but for ports, durations and the last digit of decimals."""
    texts = [DURATION.sub("a while", PORT.sub("a port", text)) for text in (one, other)]
    plain = {DECIMAL.sub("0.0", text) for text in texts}
    first, second = ([float(number) for number in DECIMAL.findall(text)] for text in texts)
    return len(plain) == 1 and all(abs(a - b) <= NEAR for a, b in zip(first, second, strict=True))


def changed(stored: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Where a run says something else than the notebook keeps: the cell, both texts."""
    pairs = zip(code_cells(stored), code_cells(now), strict=True)
    return [
        f"cell {number}\n--- stored\n{said(old)}\n--- now\n{said(new)}"
        for number, (old, new) in enumerate(pairs, start=1)
        if not alike(said(old), said(new))
    ]


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
    """Run the notebooks named; with --write, keep their outputs, with --check, compare them."""
    os.environ.setdefault("MPLBACKEND", "agg")
    different: list[str] = []
    for given in arguments:
        if given in ("--write", "--check"):
            continue
        path = Path(given)
        notebook = run(path.resolve())
        if "--check" in arguments:
            different += changed(json.loads(path.read_text(encoding="utf-8")), notebook)
        if "--write" in arguments:
            text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
            path.write_text(text, encoding="utf-8")
        print(f"{path}: {sum(1 for _ in code_cells(notebook))} cells ran")
    print("\n".join(different), end="\n" if different else "")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
