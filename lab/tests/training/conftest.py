"""A tokenizer and a model that can spell, made once for the tests that need torch.

Such a test has `importorskip` in its own file: `make training` runs the files that do, as the
others need nothing that is only in its environment.
"""

import copy
from importlib import import_module
from typing import Any

import pytest


@pytest.fixture(scope="session")
def words() -> Any:
    """The tokenizer of `lab.tests.training.tiny`."""
    return import_module("lab.tests.training.tiny").tokenizer()


@pytest.fixture(scope="session")
def _taught(words: Any) -> Any:
    return import_module("lab.tests.training.tiny").speller(words)


@pytest.fixture
def speller(_taught: Any) -> Any:
    """A model that spells letters, the test's own."""
    return copy.deepcopy(_taught)
