"""Errors carry what they know as attributes."""

import ast
from pathlib import Path
from typing import get_type_hints

import pytest

import mags
from mags import errors

KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.MagsError)
}
OPEN = {"MagsError", "InvalidInput", "StoreError", "ConfigurationError"}
"""Raised in many places, each of which may add a fact of its own."""


def raised() -> list[tuple[str, str]]:
    """Every fact that the product gives an error by name: (kind, fact)."""
    sources = Path(mags.__file__).parent
    calls = [
        node
        for path in sources.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    return [
        (call.func.id, keyword.arg)
        for call in calls
        if call.func.id in KINDS
        for keyword in call.keywords
        if keyword.arg
    ]


def test_every_fact_of_a_narrow_error_is_a_typed_attribute():
    given = {(kind, fact) for kind, fact in raised() if kind not in OPEN}
    assert len(given) > 20
    assert [one for one in sorted(given) if one[1] not in get_type_hints(KINDS[one[0]])] == []


def test_what_is_not_known_is_none():
    busy = mags.StoreBusy("busy", pid=7)
    assert (busy.pid, busy.waited_s, busy.path, busy.erased) == (7, None, None, False)
    assert busy.facts == {"pid": 7}


def test_a_fact_of_a_single_place_is_an_attribute_too():
    assert mags.InvalidInput("no", reward=2.0).reward == 2.0


def test_a_crossed_boundary_is_told():
    with (
        pytest.raises(mags.StoreError) as caught,
        errors.boundary("the store", lambda failure: mags.StoreError(str(failure))),
    ):
        raise OSError("gone")
    assert caught.value.boundary == caught.value.facts["boundary"] == "the store"
