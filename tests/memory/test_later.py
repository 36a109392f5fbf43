"""Turns that are kept at once and read later: `read_every`."""

import os
import signal
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mags
from mags import inspect
from mags.errors import ModelUnavailable
from mags.graph.delta import Delta
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.ports.policy import Recalled, Turn, Writing
from mags.settings import Settings

EVERY = 3
COUNTS = ("operation", "count", "seen", "said")
"""Whole numbers of a reason that are no ids."""
DAY_S = 86_400.0
START_S = 1_700_000_000.0
LINES = (
    "I live in Bergen.",
    "I moved to Oslo!",
    "I work at Acme.",
    "I no longer work at Acme.",
    "My sister Ana lives in Paris.",
    "She moved to Rome.",
    "Where do I live?",
    "I like paella.",
    "It rains today.",
    "I have a dog named Rex.",
)


class Several(RulePolicy):
    """The rules, asked for several turns at once; `batches` holds how many each time."""

    together = EVERY

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []

    def write_many(
        self, turns: Sequence[Turn], recent: Sequence[Turn], recalled: Sequence[Recalled]
    ) -> list[Writing]:
        self.batches.append(len(turns))
        near = [*recent, *turns]
        before = len(recent)
        return [self.write(t, near[: before + i], recalled) for i, t in enumerate(turns)]


class Fallible(RulePolicy):
    """The rules, as a server that may not answer."""

    down = True

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        if self.down:
            raise ModelUnavailable("no model answers")
        return super().write(turn, recent, recalled)


def late(every: int = EVERY) -> Settings:
    return Settings(memory=MemorySettings(read_every=every, sleep_every=0))


def deltas(memory: Memory) -> list[Delta]:
    return [entry.delta for entry in memory._store.journal.since(0)]


def told(memory: Memory) -> list[tuple[Any, ...]]:
    """What became of each turn that is read, in words: ids depend on when something is kept."""

    def in_words(name: str, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int) or name in COUNTS:
            return value
        return memory.get(value).text if value else value

    def reason(one: dict[str, Any]) -> dict[str, Any]:
        return {name: in_words(name, value) for name, value in one.items() if name != "slot"}

    return [
        (
            memory.get(delta.result["episode"]).text,
            [[memory.get(i).text for i in delta.result[n]] for n in ("facts", "closed", "notes")],
            [reason(dict(one)) for one in delta.reasons],
        )
        for delta in deltas(memory)
        if delta.kind in ("observe", "read") and not is_kept(memory, delta)
    ]


def is_kept(memory: Memory, delta: Delta) -> bool:
    """Whether a Delta only keeps a turn."""
    read = [d.result["episode"] for d in deltas(memory) if d.kind == "read"]
    return delta.kind == "observe" and delta.result["episode"] in read


def facts(memory: Memory) -> list[tuple[Any, ...]]:
    return sorted((f.text, str(f.valid_from), str(f.valid_to)) for f in memory.facts())


@pytest.mark.parametrize("policy", [Several, RulePolicy])
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(talks=st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=7), max_size=3))
def test_turns_read_later_tell_what_they_tell_in_bulk(
    policy: type, opened: Callable[..., Memory], talks: list[list[str]]
) -> None:
    pairs = [(line, f"s{i}") for i, talk in enumerate(talks) for line in talk]
    turns = [
        Turn(text=text, speaker="Eva", at=START_S + DAY_S * i, session=session)
        for i, (text, session) in enumerate(pairs)
    ]
    first, second = policy(), policy()
    one, many = opened(policy=first, settings=late()), opened(policy=second, settings=late(1))
    for turn in turns:
        one.observe(turn.text, speaker="Eva", at=turn.at, session=turn.session)
    one.sleep()
    many.observe_many(turns)
    assert told(one) == told(many)
    assert facts(one) == facts(many)
    if policy is Several:
        sizes = [min(EVERY, len(talk) - at) for talk in talks for at in range(0, len(talk), EVERY)]
        assert first.batches == second.batches == sizes


def test_a_turn_that_waits_is_found_word_for_word(memory_later: Memory) -> None:
    seen = memory_later.observe("I live in Bergen.", speaker="Eva", at=START_S)
    assert (seen.facts, seen.understood) == ((), True)
    assert "later" in seen.why
    assert memory_later.facts() == []
    assert memory_later.recall("Bergen").hits[0].id == seen.episode_id


def test_every_few_turns_are_read(memory_later: Memory) -> None:
    for text in ("I live in Bergen.", "I work at Acme."):
        memory_later.observe(text, speaker="Eva", session="a")
    assert memory_later.facts() == []
    memory_later.observe("I like paella.", speaker="Eva", session="a")
    assert len(memory_later.facts()) == 3


def test_the_first_turn_of_a_session_has_those_that_wait_read(memory_later: Memory) -> None:
    memory_later.observe("I live in Bergen.", speaker="Eva", session="a")
    memory_later.observe("I work at Acme.", speaker="Eva", session="b")
    assert [fact.text for fact in memory_later.facts()] == ["Eva lives in Bergen."]
    memory_later.observe("I like paella.", speaker="Eva", session="a")
    assert len(memory_later.facts()) == 1


def test_sessions_that_alternate_are_read_as_many_at_once_as_one_would_be(
    opened: Callable[..., Memory],
) -> None:
    policy = Several()
    memory = opened(policy=policy, settings=late(2 * EVERY))
    for session in "ab":  # both have begun
        memory.observe("It rains today.", speaker="Eva", session=session)
    memory.sleep()
    policy.batches.clear()
    talks = {"a": ("I live in Bergen.", "I work at Acme.", "I like paella."), "b": LINES[1:2] * 3}
    for lines in zip(*talks.values(), strict=True):
        for session, line in zip(talks, lines, strict=True):
            memory.observe(line, speaker="Eva", session=session)
    assert policy.batches == [EVERY, EVERY]
    assert {fact.text for fact in memory.facts()} >= {"Eva works at Acme.", "Eva likes paella."}


class Warned(RulePolicy):
    """The rules, with something to say of each turn."""

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        return replace(super().write(turn, recent, recalled), warnings=("read by the small model",))


def test_what_a_model_warns_of_a_turn_is_told_when_it_is_read(
    opened: Callable[..., Memory],
) -> None:
    memory = opened(policy=Warned(), settings=late(2))
    first = memory.observe("I live in Bergen.", speaker="Eva")
    second = memory.observe("I like paella.", speaker="Eva")
    assert first.warnings == ()
    assert second.warnings == tuple(
        f"[m{seen.episode_id}] read by the small model" for seen in (first, second)
    )
    memory.observe("I work at Acme.", speaker="Eva")
    with pytest.warns(RuntimeWarning, match="read by the small model"):
        memory.sleep()


def test_what_waits_in_an_export_is_read_where_it_is_imported(
    opened: Callable[..., Memory], memory_later: Memory, tmp_path: Path
) -> None:
    memory_later.observe("I live in Bergen.", speaker="Eva", at=START_S, session="a")
    memory_later.observe("I moved to Oslo!", speaker="Eva", at=START_S + DAY_S, session="a")
    memory_later.export(tmp_path / "eva.jsonl")
    other = opened(settings=late())
    other.observe("I like paella.", speaker="Eva", at=START_S + 2 * DAY_S, session="b")
    other.import_(tmp_path / "eva.jsonl")
    assert other.facts() == []
    for memory in (memory_later, other):
        memory.sleep()
    here = [one for one in facts(other) if "paella" not in one[0]]
    assert here == facts(memory_later)
    assert len(facts(other)) == len(here) + 1


def test_what_waits_is_read_by_each_branch_for_itself(memory_later: Memory) -> None:
    memory_later.observe("I live in Bergen.", speaker="Eva", session="a")
    with memory_later.branch("other") as branch:
        branch.observe("I work at Acme.", speaker="Eva", session="a")
        branch.sleep()
        assert len(branch.facts()) == 2
        assert memory_later.facts() == []
        memory_later.sleep()
        assert [fact.text for fact in memory_later.facts()] == ["Eva lives in Bergen."]
        assert len(branch.facts()) == 2


def test_a_fact_read_later_has_the_time_of_its_turn_and_rests_on_it(memory_later: Memory) -> None:
    seen = memory_later.observe("I live in Bergen.", speaker="Eva", at=START_S)
    ticks = memory_later.stats().tick
    memory_later.observe_many([])
    (fact,) = memory_later.facts()
    assert fact.valid_from is not None
    assert fact.valid_from.timestamp() == START_S
    (read,) = [delta for delta in deltas(memory_later) if delta.kind == "read"]
    assert read.result == {**read.result, "episode": seen.episode_id, "facts": [fact.id]}
    sources = [one.id for one in memory_later.neighbours(fact.id) if one.arc == "source"]
    assert sources == [seen.episode_id]
    assert memory_later.stats().tick == ticks


def test_reading_is_undone_by_a_rollback_and_done_again(memory_later: Memory) -> None:
    memory_later.observe("I live in Bergen.", speaker="Eva")
    memory_later.snapshot("kept")
    memory_later.sleep()
    assert len(memory_later.facts()) == 1
    memory_later.rollback("kept")
    assert memory_later.facts() == []
    memory_later.sleep()
    assert len(memory_later.facts()) == 1


def test_a_turn_that_is_forgotten_is_not_read(memory_later: Memory) -> None:
    seen = memory_later.observe("I live in Bergen.", speaker="Eva")
    memory_later.forget(seen.episode_id)
    memory_later.sleep()
    assert memory_later.facts() == []


def test_closing_reads_what_waits(opened: Callable[..., Memory], tmp_path: Path) -> None:
    with opened(tmp_path / "m.mags", settings=late()) as memory:
        memory.observe("I live in Bergen.", speaker="Eva")
    assert len(opened(tmp_path / "m.mags").facts()) == 1


def test_turns_wait_until_a_model_answers(opened: Callable[..., Memory]) -> None:
    policy = Fallible()
    memory = opened(policy=policy, settings=late(2))
    first = memory.observe("I live in Bergen.", speaker="Eva")
    second = memory.observe("I like paella.", speaker="Eva")
    assert first.warnings == ()
    assert "no model answers" in second.warnings[0]
    with pytest.warns(RuntimeWarning, match="no model answers"):
        memory.sleep()
    assert memory.facts() == []
    policy.down = False
    memory.sleep()
    assert len(memory.facts()) == 2


def test_two_who_have_a_memory_open_read_a_turn_once(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    one = opened(tmp_path / "m.mags", settings=late())

    class Slow(RulePolicy):
        """The rules, while the other one reads the same turn."""

        def write(self, turn: Turn, *others: Any) -> Writing:
            one.sleep()
            return super().write(turn, *others)

    two = opened(tmp_path / "m.mags", settings=late(), policy=Slow())
    one.observe("I live in Bergen.", speaker="Eva")
    two.observe_many([])
    assert len(two.facts()) == 1
    assert [delta.kind for delta in deltas(two)].count("read") == 1


def test_what_a_killed_process_left_waiting_is_read_later(tmp_path: Path) -> None:
    path, (end, start) = tmp_path / "m.mags", os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads
        pid = os.fork()
    if not pid:
        try:
            memory = mags.open(
                path, embedder=HashEmbedder(64), settings=late(50), policy=RulePolicy()
            )
            for i, line in enumerate(LINES[:3]):
                memory.observe(line, speaker="Eva", at=START_S + i)
            os.write(start, b"kept")
            signal.pause()
        finally:
            os._exit(1)
    assert os.read(end, 4) == b"kept"
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with mags.open(
        path, embedder=HashEmbedder(64), settings=late(50), policy=RulePolicy()
    ) as memory:
        assert memory.facts() == []
        memory.sleep()
        found = {fact.text: fact.valid_to is None for fact in memory.facts()}
    assert found == {
        "Eva lives in Bergen.": False,
        "Eva moved to Oslo.": True,
        "Eva works at Acme.": True,
    }


@pytest.fixture(params=["ram", "file"])
def memory_later(
    request: pytest.FixtureRequest, opened: Callable[..., Memory], tmp_path: Path
) -> Memory:
    path = None if request.param == "ram" else tmp_path / "eva.mags"
    return opened(path, settings=late())


@settings(max_examples=8, deadline=None)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=5))
def test_what_is_kept_until_asked_is_read_together_and_says_what_it_says_at_once(lines: list[str]):
    policy = Several()
    with (
        mags.open(embedder=HashEmbedder(), settings=Settings(), policy=policy) as later,
        mags.open(embedder=HashEmbedder(), settings=Settings(), policy=Several()) as at_once,
    ):
        for line in lines:
            assert later.observe(line, later=True).facts == ()
        assert policy.batches == []
        assert inspect.read_waiting(later) == inspect.read_waiting(later) == ()
        at_once.observe_many(lines)
        assert sum(policy.batches) == len(lines)
        told = [
            sorted((one.subject, one.relation, one.object) for one in memory.facts())
            for memory in (later, at_once)
        ]
    assert told[0] == told[1]
