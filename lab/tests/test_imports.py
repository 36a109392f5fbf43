"""Which modules of the product the laboratory imports: what may not change unnoticed.

After a wanted change: `REWRITE_GOLDEN=1 pytest lab/tests/test_imports.py`.
"""

import ast
import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "imports.txt"


def imported(root: Path) -> set[str]:
    """Modules of `mags` that the laboratory's sources import by name."""
    found: set[str] = set()
    for path in (root / "lab/src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                found |= {name if _is_module(root, name) else node.module for name in names}
    return {name for name in found if name == "mags" or name.startswith("mags.")}


def _is_module(root: Path, name: str) -> bool:
    place = root / "src" / name.replace(".", "/")
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def test_the_laboratory_imports_of_the_product_what_is_written_down(root: Path):
    found = sorted(imported(root))
    if os.environ.get("REWRITE_GOLDEN"):
        GOLDEN.write_text("\n".join(found) + "\n", encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8").splitlines()
