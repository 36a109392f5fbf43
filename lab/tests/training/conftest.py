"""A tokenizer and a model that can spell, made once for the tests that need torch.

Such a test has `importorskip` in its own file, too: `make training` runs the files that have it.
"""

import copy
from typing import Any

import pytest


@pytest.fixture(scope="session")
def words() -> Any:
    """The tokenizer of `lab.tests.training.tiny`."""
    pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")
    pytest.importorskip("transformers", reason="needs the extra: pip install './lab[train]'")
    return pytest.importorskip("lab.tests.training.tiny").tokenizer()


@pytest.fixture(scope="session")
def _taught(words: Any) -> Any:
    return pytest.importorskip("lab.tests.training.tiny").speller(words)


@pytest.fixture
def speller(_taught: Any) -> Any:
    """A model that spells letters, the test's own."""
    return copy.deepcopy(_taught)
