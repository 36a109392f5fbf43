"""What is forgotten stays in no cache of what reads."""

from __future__ import annotations

import mags
from mags.models.policy.rules import scene, tokens


def test_a_text_that_is_forgotten_is_kept_by_nothing_that_reads():
    with mags.open(None) as memory:
        memory.observe("My niece Zorvana lives in Quellmar.", speaker="Alice")
        memory.observe("She likes tea.", speaker="Alice")
        assert tokens.tokenise.cache_info().currsize
        assert scene.met_in.cache_info().currsize
        memory.forget("Zorvana")
    assert not tokens.tokenise.cache_info().currsize
    assert not scene.met_in.cache_info().currsize
