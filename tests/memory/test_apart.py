"""Turns that are a tick and a transaction each: `observe_many(..., apart=True)`, deprecated."""

from collections.abc import Callable

import pytest

import mags
from mags.memory.memory import Memory


def test_turns_told_apart_leave_what_turns_told_one_by_one_leave_and_the_caller_is_warned(
    opened: Callable[..., Memory],
) -> None:
    turns = [
        {"text": "I live in Bergen.", "speaker": "Alice", "at": "2024-01-03", "session": "a"},
        {"text": "I moved to Oslo.", "speaker": "Alice", "at": "2024-05-12", "session": "a"},
        {"text": "Bob likes tea.", "speaker": "Alice", "at": "2024-05-13", "session": "a"},
        {"text": "She sold it.", "speaker": "Bob", "at": "2024-05-13", "session": "a"},
    ]
    one, apart = opened(), opened()
    told = [one.observe(**turn) for turn in turns]
    with pytest.warns(DeprecationWarning, match="call observe for each") as warned:
        seen = apart.observe_many(turns, apart=True)
    assert [one.filename for one in warned] == [__file__]
    assert [(s.facts, s.closed, s.notes) for s in seen] == [
        (t.facts, t.closed, t.notes) for t in told
    ]
    assert any(s.closed for s in seen)
    plain = [
        [(f.subject, f.relation, f.object, f.valid_from, f.valid_to) for f in m.facts()]
        for m in (one, apart)
    ]
    assert plain[0] == plain[1]
    assert one.stats().tick == apart.stats().tick == len(turns)


@pytest.mark.filterwarnings("ignore:apart is deprecated")
def test_of_turns_told_apart_those_before_one_that_cannot_be_kept_stand(memory: Memory) -> None:
    memory.observe("Something else.", speaker="Bob", key="taken")
    said = [{"text": "Line one."}, {"text": "Line two.", "key": "taken"}, {"text": "Line three."}]
    with pytest.raises(mags.KeyConflict, match="taken"):
        memory.observe_many(said, apart=True)
    assert memory.stats().nodes["episode"] == 2
