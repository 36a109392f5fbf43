"""A tokenizer and a model that can spell, made once for the tests that need torch."""

import copy
from typing import Any

import pytest


@pytest.fixture(scope="session")
def words() -> Any:
    """The tokenizer of `tests.training.tiny`."""
    pytest.importorskip("torch", reason="needs the extra: pip install 'mags[train]'")
    pytest.importorskip("transformers", reason="needs the extra: pip install 'mags[train]'")
    return pytest.importorskip("tests.training.tiny").tokenizer()


@pytest.fixture(scope="session")
def _taught(words: Any) -> Any:
    return pytest.importorskip("tests.training.tiny").speller(words)


@pytest.fixture
def speller(_taught: Any) -> Any:
    """A model that spells letters, the test's own."""
    return copy.deepcopy(_taught)
