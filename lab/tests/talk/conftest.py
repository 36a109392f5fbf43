"""The corpus of talk, read once for the tests that look at all of it."""

import pytest

from mags_lab.talk.corpus import AnnotatedDialogue, dialogues


@pytest.fixture(scope="session")
def corpus() -> list[AnnotatedDialogue]:
    """Every dialogue of the corpus."""
    return list(dialogues())
