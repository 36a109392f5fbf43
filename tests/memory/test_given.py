"""What cannot be used is refused in words, and changes nothing."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mags
from mags import inspect
from mags.memory.inputs import seconds
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.settings import Settings
from tests.memory.replaying import assert_whole, digest

HALF = "half \ud83d of a pair"
NAN = float("nan")

REFUSED: dict[str, Callable[[Memory], object]] = {
    "a text that is no text": lambda m: m.observe(5),
    "no text": lambda m: m.observe(None),
    "half a surrogate pair": lambda m: m.observe(HALF),
    "half a pair as speaker": lambda m: m.observe("Hello you.", speaker=HALF),
    "half a pair as session": lambda m: m.observe("Hello you.", session=HALF),
    "half a pair as key": lambda m: m.observe("Hello you.", key=HALF),
    "half a pair as attribute": lambda m: m.observe("Hello you.", attrs={"caption": HALF}),
    "half a pair in a query": lambda m: m.recall(HALF),
    "half a pair in a question": lambda m: m.ask(HALF),
    "half a pair in a fact": lambda m: m.assert_fact("Ana", "likes", HALF),
    "half a pair in a name": lambda m: m.profile(HALF),
    "half a pair to forget": lambda m: m.forget(HALF),
    "half a pair in an edit": lambda m: m.edit(1, text=HALF),
    "half a pair in meta": lambda m: m.edit(1, meta={"note": HALF}),
    "an outcome in an edit": lambda m: m.edit(1, meta={"attrs": {"outcome": "well"}}),
    "attrs in an edit that are none": lambda m: m.edit(1, meta={"attrs": "well"}),
    "half a pair as snapshot": lambda m: m.snapshot(HALF),
    "NUL in a speaker": lambda m: m.observe("Hello you.", speaker="a\x00b"),
    "a text too long": lambda m: m.observe("x" * 1_000_001),
    "a speaker too long": lambda m: m.observe("Hello you.", speaker="x" * 10_000),
    "no speaker": lambda m: m.observe("Hello you.", speaker=None),
    "an outcome that is no number": lambda m: m.observe("It went.", attrs={"outcome": "well"}),
    "an outcome out of bounds": lambda m: m.observe("It went.", attrs={"outcome": "2"}),
    "an outcome that is NaN": lambda m: m.observe("It went.", attrs={"outcome": "nan"}),
    "led by an id of too many digits": lambda m: m.observe("So.", attrs={"led_by": "9" * 5_000}),
    "led by what is no id": lambda m: m.observe("It went.", attrs={"led_by": "3 Ana"}),
    "attrs that are no texts": lambda m: m.observe("Hello you.", attrs={"n": 5}),
    "a time that is no number": lambda m: m.observe("Hello you.", at=NAN),
    "an endless time": lambda m: m.observe("Hello you.", at=float("inf")),
    "a time past all dates": lambda m: m.observe("Hello you.", at=1e15),
    "a time that is a list": lambda m: m.observe("Hello you.", at=[2024]),
    "a time that is True": lambda m: m.observe("Hello you.", at=True),
    "a time in words": lambda m: m.observe("Hello you.", at="yesterday"),
    "as_of past all dates": lambda m: m.recall("tea", as_of=1e300),
    "as_of that is no number": lambda m: m.ask("What is it?", as_of=NAN),
    "k of 0": lambda m: m.recall("tea", k=0),
    "k below 0": lambda m: m.recall("tea", k=-3),
    "k of a half": lambda m: m.recall("tea", k=0.5),
    "k that is True": lambda m: m.ask("What is it?", k=True),
    "k of 0 to ask": lambda m: m.ask("What is it?", k=0),
    "an empty query": lambda m: m.recall("  "),
    "an empty question": lambda m: m.ask(""),
    "id 0": lambda m: m.get(0),
    "an id below 0": lambda m: m.get(-1),
    "an id that is True": lambda m: m.forget(True),
    "an id past all numbers": lambda m: m.get(2**70),
    "an id that is None": lambda m: m.forget(None),
    "an id that is a half": lambda m: m.neighbours(0.5),
    "an empty name": lambda m: m.forget("  "),
    "a turn with a wrong field": lambda m: m.observe_many([{"texts": "Hello you."}]),
    "a turn without a text": lambda m: m.observe_many([{"speaker": "Ana"}]),
    "a turn of three": lambda m: m.observe_many([("a", "b", "c")]),
    "a turn that is a number": lambda m: m.observe_many([5]),
    "a Turn with a wrong text": lambda m: m.observe_many([mags.Turn(text=None, speaker="", at=1)]),
    "a fact without object": lambda m: m.assert_fact("Ana", "likes", " "),
    "a fact of no confidence": lambda m: m.assert_fact("Ana", "likes", "tea", confidence=0),
    "a fact of mad confidence": lambda m: m.assert_fact("Ana", "likes", "tea", confidence=NAN),
    "a qualifier that is a list": lambda m: m.assert_fact("Ana", "a", "b", qualifiers={"x": [1]}),
    "an importance in words": lambda m: m.edit(1, importance="very"),
    "an importance that is no number": lambda m: m.edit(1, importance=NAN),
    "a weight that is no number": lambda m: inspect.associate(m, 1, 2, NAN),
    "a reward that is no number": lambda m: m.feedback(m.recall("tea").trace, NAN),
    "meta that is no mapping": lambda m: m.edit(1, meta=["a"]),
    "meta of what is not JSON": lambda m: m.edit(1, meta={"a": {1, 2}}),
    "an unnamed snapshot": lambda m: m.snapshot(" "),
    "an unnamed branch": lambda m: m.branch(""),
    "a branch twice": lambda m: m.branch("main"),
    "a snapshot that is None": lambda m: m.snapshot(None),
    "a branch that is a number": lambda m: m.branch(5),
    "a text in place of turns": lambda m: m.observe_many("Hello you."),
    "one turn in place of turns": lambda m: m.observe_many({"text": "Hello you."}),
    "None in place of turns": lambda m: m.observe_many(None),
    "a text in place of options": lambda m: inspect.chains(m, "What is it?", "tea"),
    "a fact over before it began": lambda m: m.assert_fact(
        "Ana", "lives in", "Oslo", at="2024-02-01", until="2024-01-01"
    ),
    "a confidence in words": lambda m: m.assert_fact("Ana", "likes", "tea", confidence="high"),
    "qualifiers that are a text": lambda m: m.assert_fact("Ana", "a", "b", qualifiers="x"),
    "a weight in words": lambda m: inspect.associate(m, 1, 2, "heavy"),
    "a reward in words": lambda m: m.feedback(m.recall("tea").trace, "good"),
    "half a change to list": lambda m: m.log(2.5),
    "a limit below 0": lambda m: m.log(-1),
    "changes after a word": lambda m: inspect.changes(m, "x"),
    "changes after what no store counts to": lambda m: inspect.changes(m, 10**30),
    "a limit of hits in words": lambda m: m.explain(m.recall("tea").trace, "all"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_used_is_refused_and_changes_nothing(memory: Memory, what: str) -> None:
    memory.observe("Bob likes tea.", speaker="Ana")
    before = digest(memory)
    with pytest.raises(mags.InvalidInput) as caught:
        REFUSED[what](memory)
    assert len(str(caught.value)) > 10
    assert digest(memory) == before
    assert_whole(memory)


@pytest.mark.parametrize(
    "said",
    [
        {"text": "x " * 50_000},
        {"text": "👩‍👩‍👧 says ‏שלום‎ and 你好", "speaker": "Ünïcödé 名前 👾"},
        {"text": "Hello you.", "speaker": ""},
        {"text": "Hello you.", "session": "s" * 2_000},
        {"text": "Hello you.", "key": "k" * 10_000},
        {"text": "Hello you.", "at": datetime(1, 1, 1, tzinfo=UTC)},
        {"text": "Hello you.", "at": datetime(9999, 12, 31, tzinfo=UTC)},
        {"text": "Hello you.", "at": -6e10},
        {"text": "\u202e\u0301 ." + "\U0010ffff"},
    ],
)
def test_what_is_odd_but_sound_is_kept_and_shown(memory: Memory, said: dict[str, object]) -> None:
    seen = memory.observe(**said)
    view = memory.get(seen.episode_id)
    assert view.text == said["text"]
    assert memory.recall("hello you")
    memory.ask("Who says hello?")
    memory.explain(memory.recall("hello").trace)
    memory.sleep()
    assert_whole(memory)


@pytest.mark.parametrize("as_of", ["0001-01-01", "9999-12-31", -6e10, 0, "1700-01-01"])
def test_any_date_may_be_asked_for(memory: Memory, as_of: object) -> None:
    memory.observe("I live in Oslo.", speaker="Ana", at="2024-01-01")
    memory.recall("Where does Ana live?", as_of=as_of)
    memory.ask("Where does Ana live?", as_of=as_of, recorded_as_of=as_of)
    memory.facts("Ana", as_of=as_of)


def test_naive_and_aware_times_and_texts_of_one_moment_are_one_moment() -> None:
    moment = datetime(2024, 5, 3, 12, tzinfo=UTC)
    there = moment.astimezone(timezone(timedelta(hours=5, minutes=30)))
    naive = moment.replace(tzinfo=None)
    assert {seconds(m) for m in (moment, there, naive, "2024-05-03T12:00", moment.timestamp())} == {
        moment.timestamp()
    }


@pytest.mark.filterwarnings("ignore:apart is deprecated")
@pytest.mark.parametrize(("apart", "kept"), [(False, 64), (True, 100)])
def test_turns_that_fail_on_the_way_leave_the_batches_before_them(
    memory: Memory, apart: bool, kept: int
) -> None:
    def failing() -> Iterator[str]:
        for i in range(100):
            yield f"Line {i} of a book."
        raise OSError("the source broke off")

    with pytest.raises(OSError, match="broke off"):
        memory.observe_many(failing(), apart=apart)
    assert memory.stats().nodes["episode"] == kept
    assert_whole(memory)


def test_no_turns_are_no_change(memory: Memory) -> None:
    assert memory.observe_many([]) == []
    assert memory.log() == []


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20),
    st.binary(max_size=4), st.lists(st.integers(), max_size=2), st.characters(categories=["Cs"]),
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(text=ANYTHING, speaker=ANYTHING, at=ANYTHING, session=ANYTHING, key=ANYTHING, attrs=ANYTHING)
def test_a_turn_of_anything_is_kept_or_refused(**said: object) -> None:
    with mags.open(
        None, embedder=HashEmbedder(16), settings=Settings(), policy=RulePolicy()
    ) as memory:
        try:
            seen = memory.observe_many([said])[0]
        except mags.InvalidInput:
            assert memory.log() == []
        else:
            assert memory.get(seen.episode_id).text == said["text"]
        assert_whole(memory)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(mags.StoreError, match="no folder"):
        mags.open(
            tmp_path / "none" / "a.mags",
            embedder=HashEmbedder(16),
            settings=Settings(),
            policy=RulePolicy(),
        )
