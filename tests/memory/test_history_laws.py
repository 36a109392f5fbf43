"""Whatever happens to a memory, its history holds: replay, rollback, branches, round trips."""

import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, reject, settings
from hypothesis import strategies as st

import mags
from mags.errors import InvalidInput
from mags.index.tokens import fold_name
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.ports.relations import relations
from mags.settings import Settings
from tests.memory.replaying import assert_whole, digest, replayed

TEXTS = (
    "I live in Bergen.",
    "I moved to Oslo.",
    "My sister Ana has a dog named Rex.",
    "Bob likes tea.",
    "Bob no longer likes tea.",
    "What does Bob like?",
    "The meeting is on Tuesday.",
)
QUESTIONS = ("Where does Alice live?", "What does Bob like?", "Who has a dog?")
FORGETTABLE = ("Tuesday", "Rex", "tea", "Bergen")

observed = st.tuples(st.just("observe"), st.sampled_from(TEXTS), st.sampled_from(("", "a", "b")))
asked = st.tuples(st.just("ask"), st.sampled_from(QUESTIONS), st.sampled_from((1.0, -1.0, None)))
asserted = st.tuples(st.just("assert"), st.sampled_from(("Oslo", "Rome", "Paris")), st.booleans())
edited = st.tuples(st.just("edit"), st.integers(0, 9), st.sampled_from(("Hm.", "Bob likes milk.")))
pinned = st.tuples(st.just("pin"), st.integers(0, 9), st.booleans())
tended = st.tuples(st.sampled_from(("sleep", "checkpoint", "reopen")), st.none(), st.none())
bulk = st.tuples(st.just("many"), st.lists(st.sampled_from(TEXTS), max_size=5), st.none())
DEEDS = st.one_of(observed, asked, asserted, edited, pinned, tended, bulk)
LAWS = settings(suppress_health_check=[HealthCheck.too_slow])


class World:
    """A memory in a folder, with a clock that runs."""

    def __init__(self, folder: Path, branch: str = "main") -> None:
        self.path = folder / "m.mags"
        self.clock = itertools.count(1_722_500_000)
        self.memory = self._open()

    def _open(self) -> Memory:
        return mags.open(
            self.path,
            embedder=HashEmbedder(16),
            settings=Settings(),
            policy=RulePolicy(),
            clock=lambda: float(next(self.clock)),
        )

    def do(self, deed: str, first: object, second: object) -> None:
        verb: Callable[[object, object], object] = getattr(self, f"_{deed}")
        verb(first, second)

    def _observe(self, text: object, session: object) -> None:
        self.memory.observe(str(text), speaker="Alice", session=str(session))

    def _many(self, texts: list[str], _: object) -> None:
        self.memory.observe_many([("Alice", text) for text in texts])

    def _ask(self, question: object, reward: float | None) -> None:
        reply = self.memory.ask(str(question))
        self.memory.feedback(reply.trace, reward)

    def _assert(self, town: object, retract: bool) -> None:
        self.memory.assert_fact("Alice", "lives in", str(town), retract=retract)

    def _edit(self, nth: int, text: str) -> None:
        ids = [int(i) for i in self.memory.to_networkx().nodes]
        if ids:
            edited = ids[nth % len(ids)]
            try:
                self.memory.edit(edited, text=text, importance=0.5)
            except InvalidInput:  # a fact says what its text says, and no two say the same
                assert self.memory.get(edited).fact is not None

    def _pin(self, nth: int, pinned: bool) -> None:
        ids = [int(i) for i in self.memory.to_networkx().nodes]
        if ids:
            self.memory.pin(ids[nth % len(ids)], pinned)

    def _sleep(self, *_: object) -> None:
        self.memory.sleep()

    def _checkpoint(self, *_: object) -> None:
        self.memory._live.checkpoint()

    def _reopen(self, *_: object) -> None:
        self.memory.close()
        self.memory = self._open()

    def forget(self, word: str) -> None:
        try:
            self.memory.forget(word)
        except mags.NotFound:
            return

    def recalled(self) -> list[dict[int, object]]:
        """Hits with their scores; the push of the spread depends on the order of arcs by eps."""
        moment = 1_722_600_000.0
        found = [self.memory.recall(q, as_of=moment) for q in QUESTIONS]
        return [{hit.id: pytest.approx(hit.score, abs=0.03) for hit in f} for f in found]

    def scored(self) -> list[dict[int, float]]:
        """The same as plain numbers."""
        return [{i: s.expected for i, s in hits.items()} for hits in self.recalled()]


@LAWS
@given(before=st.lists(DEEDS, max_size=6), after=st.lists(DEEDS, max_size=6))
def test_rollback_restores_graph_and_recall(before: list, after: list) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for deed in before:
            world.do(*deed)
        world.memory.snapshot("then")
        graph, recalled = digest(world.memory), world.recalled()
        for deed in after:
            world.do(*deed)
        world.memory.rollback("then")
        assert digest(world.memory) == graph
        assert_whole(world.memory)
        assert world.scored() == recalled
        world._reopen()
        assert digest(world.memory) == graph
        assert world.scored() == recalled
        world.memory.close()


@LAWS
@given(deeds=st.lists(DEEDS, max_size=10), at=st.integers(0, 10), word=st.sampled_from(FORGETTABLE))
def test_replay_from_nothing_and_from_a_checkpoint_are_the_live_state(
    deeds: list, at: int, word: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for number, deed in enumerate(deeds):
            if number == at:
                world._checkpoint()
            if number == at + 3:
                world.forget(word)
            world.do(*deed)
        assert_whole(world.memory)
        live, recalled = digest(world.memory), world.recalled()
        world._reopen()
        assert digest(world.memory) == live == replayed(world.memory)
        assert world.scored() == recalled
        world.memory.close()


@LAWS
@given(before=st.lists(DEEDS, max_size=5), after=st.lists(DEEDS, max_size=5))
def test_rolling_back_past_a_forgetting_brings_nothing_back(before: list, after: list) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.do("observe", "Bob likes tea.", "")
        world.memory.snapshot("then")
        for deed in before:
            world.do(*deed)
        world.memory.forget("tea")
        for deed in after:
            world.do(*deed)
        world.forget("tea")
        world.memory.rollback("then")
        assert_whole(world.memory)
        assert not any("tea" in hit.text for hit in world.memory.recall("tea", k=50))
        world.memory.close()


@LAWS
@given(common=st.lists(DEEDS, max_size=4), here=st.lists(DEEDS, max_size=4))
def test_a_branch_and_its_parent_never_see_each_other(common: list, here: list) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for deed in common:
            world.do(*deed)
        other = world.memory.branch("other")
        there = digest(other)
        assert there == digest(world.memory)
        for deed in here:
            world.do(*deed)
        assert digest(other) == there == replayed(other)
        here_now = digest(world.memory)
        other.observe("Carol plays chess.", speaker="Carol")
        other.sleep()
        assert digest(world.memory) == here_now
        assert_whole(other)
        other.close()
        world.memory.close()


@LAWS
@given(deeds=st.lists(DEEDS, max_size=8))
def test_an_export_read_back_is_the_same_memory(deeds: list) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for deed in deeds:
            world.do(*deed)
        world.memory.export(Path(folder, "out.jsonl"))
        copy = mags.open(None, embedder=HashEmbedder(16), settings=Settings(), policy=RulePolicy())
        copy.import_(Path(folder, "out.jsonl"))
        assert copy.stats().nodes == world.memory.stats().nodes
        assert copy.stats().arcs == world.memory.stats().arcs
        assert copy.stats().tick == world.memory.stats().tick
        plain = [
            sorted((f.text, str(f.valid_from), str(f.valid_to)) for f in m.facts())
            for m in (copy, world.memory)
        ]
        assert plain[0] == plain[1]
        assert_whole(copy)
        world.memory.close()


NAMES = st.sampled_from(sorted(relations()))
PHRASES = st.one_of(
    NAMES,
    st.builds(str.format, st.sampled_from(["The {} of", "used to {}", "no longer {}"]), NAMES),
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=12),
)
OBJECTS = st.one_of(
    st.sampled_from(["Oslo", "Ana", "tea", "17", "the Orn clan", "the Vel clan"]),
    st.text("abcXYZ 012'-.", min_size=1, max_size=9),
)
LATER = st.sampled_from([(None, None), ("2024-01-01", "2024-06-01"), ("2024-01-01", None)])


@LAWS
@given(phrase=PHRASES, objects=st.tuples(OBJECTS, OBJECTS), times=LATER)
@example(phrase="The capital of", objects=("Rio", "Brasilia"), times=(None, None))
def test_of_two_facts_given_as_the_only_one_the_later_is_open(
    phrase: str, objects: tuple[str, str], times: tuple[str | None, str | None]
) -> None:
    assume(fold_name(objects[0]) != fold_name(objects[1]))
    clock = itertools.count(1_722_500_000)
    with mags.open(
        None,
        embedder=HashEmbedder(16),
        settings=Settings(),
        policy=RulePolicy(),
        clock=lambda: float(next(clock)),
    ) as memory:
        try:
            for thing, at in zip(objects, times, strict=True):
                memory.assert_fact("the realm", phrase, thing, at=at, one=True)
        except InvalidInput:
            reject()  # no words in it
        held = memory.facts("the realm", current=True)
        assert [fact.object for fact in held] == [objects[1]]
