"""docs/one-turn.md names files and functions that are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs/one-turn.md").read_text(encoding="utf-8")
LINKED = sorted(set(re.findall(r"\]\(\.\./((?:src|tests)/[^)]+\.py)\)", PAGE)))
NAMED = sorted(set(re.findall(r"`((?:[A-Z]\w+\.)?_?[A-Za-z]\w+)`", PAGE)))
OF_DATA = {"user", "one", "ask", "closed", "supersedes", "valid_to", "read_only", "with"}
"""Words in the same type that name no function or class."""


def defined() -> set[str]:
    """Every name that the linked files define, methods with their class."""
    names: set[str] = set()
    for path in LINKED:
        for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
            inner = node.body if isinstance(node, ast.ClassDef) else []
            found = [node, *inner]
            names |= {one.name for one in found if hasattr(one, "name")}
            names |= {f"{node.name}.{one.name}" for one in inner if hasattr(one, "name")}
            names |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return names


@pytest.fixture(scope="module")
def known() -> set[str]:
    return defined()


@pytest.mark.parametrize("name", [one for one in NAMED if one not in OF_DATA])
def test_every_function_and_class_that_is_named_is_in_a_linked_file(name: str, known: set[str]):
    assert name in known
