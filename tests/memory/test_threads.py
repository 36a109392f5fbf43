"""Many threads and processes on one memory: nothing lost, nothing crossed, nobody stuck."""

import multiprocessing
import random
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

import mags
from mags.graph.delta import Delta
from mags.index.state import Ids, State
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules import RulePolicy
from mags.settings import Settings
from tests.memory.replaying import assert_whole, digest

WAIT_S = 60.0
NAMES = ("Ana", "Bob", "Carol", "Dave")


def together(*works: Callable[[], object]) -> None:
    """Run in threads; raise what any of them raised, or that one is stuck."""
    failures: list[str] = []

    def run(work: Callable[[], object]) -> None:
        done = False
        try:
            work()
            done = True
        finally:
            if not done:
                failures.append(traceback.format_exc())

    threads = [threading.Thread(target=run, args=(w,), daemon=True) for w in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert not any(thread.is_alive() for thread in threads), "a thread is stuck"
    assert failures == []


def tell(memory: Memory, name: str, kept: dict[int, str]) -> None:
    for i in range(12):
        text = f"My code number {i} is {name}{i}."
        kept[memory.observe(text, speaker=name, session=name, key=f"{name}-{i}").episode_id] = text


def tell_many(memory: Memory, kept: dict[int, str]) -> None:
    turns = [{"text": f"Line {i} of a book.", "session": "book"} for i in range(150)]
    seen = memory.observe_many(turns)
    kept.update((s.episode_id, turn["text"]) for s, turn in zip(seen, turns, strict=True))


def ask(memory: Memory) -> None:
    for name in NAMES * 3:
        reply = memory.ask(f"What does {name} like?")
        memory.feedback(reply.trace, 1.0)
        memory.explain(reply.trace)


def look(memory: Memory) -> None:
    for name in NAMES * 4:
        memory.recall(f"What is the code of {name}?")
        memory.profile(name)
        memory.stats()
        memory.snapshot("now", move=True)
        memory.diff("now")


def test_threads_that_do_everything_at_once_lose_and_cross_nothing(memory: Memory) -> None:
    memory.observe_many([f"{name} likes tea." for name in NAMES])
    kept: dict[int, str] = {}
    together(
        lambda: tell(memory, "Ana", kept),
        lambda: tell(memory, "Bob", kept),
        lambda: tell_many(memory, kept),
        lambda: ask(memory),
        lambda: look(memory),
        lambda: [memory.sleep() for _ in range(4)],
    )
    assert len(kept) == 2 * 12 + 150
    assert {node: memory.get(node).text for node in kept} == kept
    assert_whole(memory)


def test_one_key_in_many_threads_is_one_turn(memory: Memory) -> None:
    seen = []
    work = lambda: seen.append(memory.observe("I live in Oslo.", speaker="Ana", key="k"))  # noqa: E731
    together(*[work] * 6)
    assert len({s.episode_id for s in seen}) == 1
    assert sorted(s.repeated for s in seen) == [False] + [True] * 5
    seen.clear()
    work = lambda: seen.append(memory.assert_fact("Ana", "likes", "tea", key="f"))  # noqa: E731
    together(*[work] * 6)
    assert len({s.facts for s in seen}) == 1
    reply = memory.ask("Where does Ana live?")
    counted = []
    together(*[lambda: counted.append(memory.feedback(reply.trace, 1.0))] * 6)
    assert sorted(counted) == [False] * 5 + [True]
    assert_whole(memory)


def test_ids_taken_by_many_threads_are_never_given_twice() -> None:
    lock, start = threading.Lock(), [1]

    def reserve(count: int) -> int:
        with lock:
            first = start[0]
            start[0] += count
            time.sleep(0.0005)
            return first

    ids, taken = Ids(reserve, block=8), []

    def take() -> None:
        for n in (1, 3, 1, 20, 1) * 40:
            first = ids.take(n)
            taken.extend(range(first, first + n))

    together(*[take] * 4)
    assert len(taken) == len(set(taken)) == 4 * 40 * 26


def test_a_branch_and_its_parent_are_written_at_once(memory: Memory) -> None:
    memory.observe("I live in Bergen.", speaker="Ana")
    other = memory.branch("other")

    def tell(one: Memory, town: str) -> None:
        for i in range(25):
            one.observe(f"I moved to {town}{i}.", speaker="Ana")
            one.recall("Where does Ana live?")

    together(lambda: tell(memory, "Oslo"), lambda: tell(other, "Rome"))
    for one, town in ((memory, "Oslo"), (other, "Rome")):
        assert [f.object for f in one.facts("Ana", current=True)] == [f"{town}24"]
        assert_whole(one)
    other.close()


class Interrupted:
    """Interrupts the nth call of a method, in its middle."""

    def __init__(self, nth: int) -> None:
        self.left = nth

    def __call__(self, state: State, delta: Delta, seq: int | None = None) -> None:
        self.left -= 1
        if self.left == 0:
            state.graph.apply(delta)
            raise KeyboardInterrupt
        State.__dict__["_plain_apply"](state, delta, seq)


@pytest.mark.parametrize("nth", [1, 2, 3, 5])
def test_an_interrupt_in_the_middle_of_a_change_leaves_no_half(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    memory.observe("I live in Bergen.", speaker="Ana")
    before = digest(memory)
    monkeypatch.setattr(State, "_plain_apply", State.apply, raising=False)
    cut = Interrupted(nth)
    monkeypatch.setattr(State, "apply", lambda *given: cut(*given))
    with pytest.raises(KeyboardInterrupt):
        memory.observe_many([f"Turn {i} is told." for i in range(8)])
    monkeypatch.undo()
    assert digest(memory) == before
    assert memory.stats().nodes["episode"] == 1
    memory.observe("I moved to Oslo.", speaker="Ana")
    assert_whole(memory)


@pytest.mark.parametrize("where", ["head", "append"])
def test_a_failing_store_leaves_the_state_as_it_was(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    memory.observe("I live in Bergen.", speaker="Ana")
    before = digest(memory)
    journal = memory._live.store.journal
    real, calls = getattr(journal, where), []

    def fail(*given: object) -> object:
        calls.append(given)
        if len(calls) > 2:
            raise mags.StoreFull("the disk is full")
        return real(*given)

    monkeypatch.setattr(journal, where, fail)
    with pytest.raises(mags.StoreFull):
        memory.observe_many([f"Turn {i} is told." for i in range(8)])
    monkeypatch.undo()
    assert digest(memory) == before
    memory.observe("I moved to Oslo.", speaker="Ana")
    assert_whole(memory)


def test_reading_goes_on_while_a_transaction_is_open(memory: Memory) -> None:
    memory.observe("I live in Oslo.", speaker="Ana")
    with memory._live.writing():
        together(
            lambda: memory.recall("Where does Ana live?"),
            memory.stats,
            lambda: memory.facts("Ana"),
            memory.log,
            memory.snapshots,
        )


def test_recall_goes_on_while_it_sleeps(memory: Memory) -> None:
    rng = random.Random(5)
    words = [f"word{i}" for i in range(60)]
    memory.observe_many(
        [{"text": " ".join(rng.sample(words, 6)), "session": f"s{i % 9}"} for i in range(400)]
    )
    awake = [hit.id for hit in memory.recall("word1 word2")]
    asleep: dict[str, list[int]] = {}

    def recall(rule: str) -> None:
        asleep[rule] = [hit.id for hit in memory.recall("word1 word2")]

    memory.sleep(lambda rule, *_: together(lambda: recall(rule)))
    assert len(asleep) > 5
    assert all(found == awake for found in asleep.values())


def talk(path: Path, name: str, turns: int) -> None:
    """One process: writes, reads and asks; the rules read nothing of what is said between moves."""
    given = {"embedder": HashEmbedder(64), "policy": RulePolicy(), "settings": Settings()}
    with mags.open(path, **given, wait_s=30.0) as memory:
        for i in range(turns):
            memory.observe(
                f"I moved to {name}town{i}.", speaker=name, session=name, key=f"{name}{i}"
            )
            memory.recall(f"Where does {name} live?")
            if i % 10 == 5:
                memory.ask(f"Where does {name} live?")
                memory.observe_many([(name, f"{name} says {i} and {j}.") for j in range(5)])
            if i == turns // 2:
                memory.sleep()


def test_processes_that_write_one_file_lose_and_cross_nothing(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    path = tmp_path / "shared.mags"
    memory = opened(path)
    context = multiprocessing.get_context("spawn")
    talkers = [context.Process(target=talk, args=(path, n, 25)) for n in ("Ana", "Bob")]
    for talker in talkers:
        talker.start()
    reads = 0
    while any(talker.is_alive() for talker in talkers):
        memory.recall("Where does Ana live?")
        reads += 1
        time.sleep(0.02)
    assert [talker.exitcode for talker in talkers] == [0, 0]
    assert reads
    for name in ("Ana", "Bob"):
        assert [f.object for f in memory.facts(name, current=True)] == [f"{name}town24"]
        assert memory.observe(
            f"I moved to {name}town3.", speaker=name, session=name, key=f"{name}3"
        ).repeated
    assert memory.stats().nodes["episode"] == 2 * (25 + 2 * 5)
    assert_whole(memory)


def test_another_writer_is_waited_for_and_then_named(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    one, two = opened(tmp_path / "a.mags"), opened(tmp_path / "a.mags", wait_s=0.2)
    two.observe("I live in Oslo.", speaker="Ana")
    with one._live.writing():
        with pytest.raises(mags.StoreBusy, match="writ"):
            two.observe("I live in Rome.", speaker="Ana")
        reply = two.ask("Where does Ana live?")
        assert "Oslo" in reply.text
        assert "not strengthened" in reply.warnings[0]
        assert len(two.recall("Where does Ana live?"))
    two.observe("I moved to Rome.", speaker="Ana")
    assert_whole(one)
