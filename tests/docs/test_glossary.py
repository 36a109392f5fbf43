"""The glossary: each term stands once, and lives where it says."""

import re
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

ROW = re.compile(r"^\| (?P<term>[^|]+) \| [^|]+ \| `(?P<module>mags[\w.]*)` \|$", re.M)


def rows(root: Path) -> list[tuple[str, str]]:
    """Terms and the modules in which they live."""
    return ROW.findall((root / "docs/glossary.md").read_text(encoding="utf-8"))


def test_every_term_stands_once(root: Path) -> None:
    assert [
        term for term, times in Counter(term for term, _ in rows(root)).items() if times > 1
    ] == []


def test_every_module_of_the_glossary_is_there(root: Path) -> None:
    assert len(rows(root)) > 50
    assert [name for _, name in rows(root) if find_spec(name) is None] == []
