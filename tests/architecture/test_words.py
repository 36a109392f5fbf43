"""Where English stands: what a change, an end or a doubt is, the reader says, not the arbiter."""

from __future__ import annotations

import ast
from pathlib import Path

MANY = 5
"""Words from which on a collection of them is a list of words."""


def listed(tree: ast.Module) -> list[str]:
    """The lists of lower-case words in a module: literals, and texts of words alone."""
    found = []
    for node in ast.walk(tree):
        words: list[object] = []
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            words = [one.value for one in node.elts if isinstance(one, ast.Constant)]
        elif isinstance(node, ast.Call):
            given = [one.value for one in node.args if isinstance(one, ast.Constant)]
            words = [word for text in given if isinstance(text, str) for word in text.split()]
        texts = [word for word in words if isinstance(word, str)]
        if len(texts) >= MANY and all(word.isalpha() and word.islower() for word in texts):
            found.append(f"{node.lineno}: {texts[:3]}")
    return found


def test_the_engram_holds_no_list_of_words(root: Path):
    files = sorted((root / "src/mags/engram").glob("*.py"))
    lists = {path.name: listed(ast.parse(path.read_text(encoding="utf-8"))) for path in files}
    assert {name: found for name, found in lists.items() if found} == {}


def test_a_list_of_words_is_seen_in_either_form():
    one = ast.parse('A = frozenset({"lie", "lies", "lied", "lying", "liar"})')
    other = ast.parse('A = _set("lie lies lied lying liar")')
    assert (len(listed(one)), len(listed(other))) == (1, 1)
