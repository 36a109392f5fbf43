"""Turns that arrive together and are turns of their own: `observe_many(..., apart=True)`."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

import mags
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.ports.policy import Recalled, Turn, Writing


class Counting(HashEmbedder):
    """Keeps how many texts each call had."""

    def __init__(self) -> None:
        super().__init__(64)
        self.sizes: list[int] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.sizes.append(len(texts))
        return super().embed(texts)


def test_turns_told_apart_leave_what_turns_told_one_by_one_leave(
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
    seen = apart.observe_many(turns, apart=True)
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


def test_turns_told_apart_are_embedded_together(opened: Callable[..., Memory]) -> None:
    embedder = Counting()
    memory = opened(embedder=embedder)
    memory.observe("Hello.", speaker="Bob")
    embedder.sizes.clear()
    said = ["Good morning to you.", "What a day it is.", "Well then."]
    memory.observe_many([("Bob", text) for text in said], apart=True)
    assert [size for size in embedder.sizes if size] == [3]


class Shifting(RulePolicy):
    """Embeds the memory anew while it reads the second turn, as another thread may."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: list[Callable[[], object]] = []

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        if turn.text.startswith("Two") and self.meanwhile:
            self.meanwhile.pop()()
        return super().write(turn, recent, recalled)


def test_what_was_embedded_ahead_is_not_used_once_the_memory_has_another_embedder(
    opened: Callable[..., Memory],
) -> None:
    policy = Shifting()
    memory = opened(policy=policy)
    other = HashEmbedder(96)
    policy.meanwhile.append(lambda: memory.reembed(other))
    seen = memory.observe_many(["One it is.", "Two it is.", "Three it is."], apart=True)
    state = memory._live.state
    rows = np.array([state.graph.row_of[one.episode_id] for one in seen])
    expected = other.embed(["One it is.", "Two it is.", "Three it is."])
    np.testing.assert_allclose(state.vectors.get(rows), expected, atol=2e-3)


def test_turns_kept_already_are_not_embedded_again(opened: Callable[..., Memory]) -> None:
    embedder = Counting()
    memory = opened(embedder=embedder)
    said = [{"speaker": "Bob", "text": f"Line {i} it is.", "key": f"k{i}"} for i in range(3)]
    first = memory.observe_many(said, apart=True)
    embedder.sizes.clear()
    again = memory.observe_many(said, apart=True)
    assert [one.episode_id for one in again] == [one.episode_id for one in first]
    assert all(one.repeated for one in again)
    assert not any(embedder.sizes)


def test_of_turns_told_apart_those_before_one_that_cannot_be_kept_stand(memory: Memory) -> None:
    memory.observe("Something else.", speaker="Bob", key="taken")
    said = [{"text": "Line one."}, {"text": "Line two.", "key": "taken"}, {"text": "Line three."}]
    with pytest.raises(mags.KeyConflict, match="taken"):
        memory.observe_many(said, apart=True)
    assert memory.stats().nodes["episode"] == 2
