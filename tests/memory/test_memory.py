"""What `Memory` offers, on both stores."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

import mags
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder


def state_of(memory: Memory) -> str:
    return memory._live.state.graph.digest()


def told(memory: Memory) -> None:
    memory.observe("I live in Bergen.", speaker="Alice", at="2024-01-03", session="one")
    memory.observe("My sister Ana has a dog named Rex.", speaker="Alice", at="2024-01-03")
    memory.observe("I moved to Oslo.", speaker="Alice", at="2024-05-12", session="two")


def test_a_turn_is_kept_word_for_word(memory: Memory) -> None:
    seen = memory.observe("  Well — I said so, didn't I?  ", speaker="Bob", at="2024-02-01")
    assert memory.get(seen.episode_id).text == "  Well — I said so, didn't I?  "
    assert memory.get(seen.episode_id).meta["speaker"] == "Bob"


def test_the_same_key_with_the_same_turn_returns_the_first_result(memory: Memory) -> None:
    first = memory.observe("I live in Oslo.", speaker="Alice", key="turn-1")
    before = state_of(memory)
    again = memory.observe("I live in Oslo.", speaker="Alice", key="turn-1")
    assert again.repeated
    assert (again.episode_id, again.facts) == (first.episode_id, first.facts)
    assert state_of(memory) == before


def test_the_same_key_with_another_turn_is_an_error_and_changes_nothing(memory: Memory) -> None:
    memory.observe("I live in Oslo.", speaker="Alice", key="turn-1")
    before = state_of(memory)
    with pytest.raises(mags.KeyConflict, match="turn-1"):
        memory.observe("I live in Rome.", speaker="Alice", key="turn-1")
    assert state_of(memory) == before


@pytest.mark.parametrize("text", ["", "   ", "a\x00b"])
def test_a_turn_without_words_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(mags.InvalidInput):
        memory.observe(text)
    assert memory.stats().nodes["episode"] == 0


def test_news_closes_what_was_and_both_can_be_asked(memory: Memory) -> None:
    told(memory)
    assert "Oslo" in memory.ask("Where does Alice live?").text
    assert "Bergen" in memory.ask("Where does Alice live?", as_of="2024-03-01").text
    closed = [f for f in memory.facts("Alice") if f.valid_to is not None]
    assert [(f.object, f.valid_to) for f in closed] == [
        ("Bergen", datetime(2024, 5, 12, tzinfo=UTC))
    ]


def test_what_was_known_then_is_another_question_than_what_was_true_then(
    memory: Memory, clock: Callable[[], float]
) -> None:
    memory.observe("I live in Bergen.", speaker="Alice", at="2024-01-03")
    then = clock()
    memory.observe("I moved to Oslo.", speaker="Alice", at="2024-05-12")
    known = memory.facts("Alice", recorded_as_of=then)
    assert [(f.object, f.valid_to) for f in known] == [("Bergen", None)]


def test_recall_never_writes(memory: Memory) -> None:
    told(memory)
    before, entries = state_of(memory), len(memory.log())
    found = memory.recall("Where does Alice live?")
    assert found.hits
    assert (state_of(memory), len(memory.log())) == (before, entries)


def test_two_recalls_at_the_same_moment_are_equal(memory: Memory) -> None:
    told(memory)
    moment = "2024-06-01"
    first = [(h.id, h.score) for h in memory.recall("Who is Rex?", as_of=moment)]
    assert [(h.id, h.score) for h in memory.recall("Who is Rex?", as_of=moment)] == first


def test_every_hit_is_explained_by_shares_that_sum_to_its_score(memory: Memory) -> None:
    told(memory)
    for hit in memory.recall("Where does Alice live?").trace.hits:
        assert sum(hit.shares.values()) == pytest.approx(hit.score, abs=1e-2)


def test_without_support_the_answer_is_i_dont_know(memory: Memory) -> None:
    told(memory)
    reply = memory.ask("What is the capital of Mongolia?")
    assert reply.text.startswith("I don't know")
    assert reply.citations == ()


def test_an_answer_cites_what_carries_it(memory: Memory) -> None:
    told(memory)
    reply = memory.ask("Where does Alice live?")
    assert reply.citations
    assert "Oslo" in reply.citations[0].text
    assert f"[m{reply.citations[0].id}]" in reply.text


def test_feedback_counts_once_a_trace(memory: Memory) -> None:
    told(memory)
    reply = memory.ask("Where does Alice live?")
    assert memory.feedback(reply.trace, reward=1.0)
    before = state_of(memory)
    assert not memory.feedback(reply.trace, reward=1.0)
    assert state_of(memory) == before


def test_a_reward_outside_its_range_is_refused(memory: Memory) -> None:
    told(memory)
    reply = memory.ask("Where does Alice live?")
    with pytest.raises(mags.InvalidInput, match=r"\[-1, 1\]"):
        memory.feedback(reply.trace, reward=2.0)


def test_observe_and_ask_cost_a_tick_and_asserting_none(memory: Memory) -> None:
    memory.observe("I live in Oslo.", speaker="Alice")
    assert memory.stats().tick == 1
    memory.ask("Where does Alice live?")
    assert memory.stats().tick == 2
    memory.assert_fact("Alice", "lives in", "Rome")
    assert memory.stats().tick == 2


def test_a_bulk_import_costs_a_tick_a_session(memory: Memory) -> None:
    turns = [
        {"text": f"Turn {i} of the talk.", "speaker": "Bob", "session": f"s{i // 10}"}
        for i in range(30)
    ]
    memory.observe_many(turns)
    assert memory.stats().tick == 3
    assert memory.stats().nodes["episode"] == 30


def test_bulk_and_single_turns_make_the_same_facts(opened: Callable[..., Memory]) -> None:
    turns = [
        {"text": "I live in Bergen.", "speaker": "Alice", "at": "2024-01-03", "session": "a"},
        {"text": "I moved to Oslo.", "speaker": "Alice", "at": "2024-05-12", "session": "a"},
        {"text": "Bob likes tea.", "speaker": "Alice", "at": "2024-05-13", "session": "b"},
    ]
    one, many = opened(), opened()
    for turn in turns:
        one.observe(**turn)
    many.observe_many(turns)
    plain = [
        [(f.subject, f.relation, f.object, f.valid_from, f.valid_to) for f in m.facts()]
        for m in (one, many)
    ]
    assert plain[0] == plain[1]
    assert len(plain[0]) == 3


def test_rollback_restores_the_graph_bit_for_bit_and_loses_nothing(memory: Memory) -> None:
    memory.observe("I live in Bergen.", speaker="Alice", at="2024-01-03")
    memory.snapshot("before")
    before = state_of(memory)
    memory.observe("I moved to Oslo.", speaker="Alice", at="2024-05-12")
    memory.ask("Where does Alice live?")
    memory.sleep()
    after = len(memory.log())
    memory.rollback("before")
    assert state_of(memory) == before
    assert len(memory.log()) == after + 1
    assert memory.log()[0].kind == "rollback"
    assert "Bergen" in memory.ask("Where does Alice live?").text


def test_a_rollback_can_be_rolled_back(memory: Memory) -> None:
    memory.snapshot("empty")
    told(memory)
    memory.snapshot("told")
    told_state = state_of(memory)
    memory.rollback("empty")
    memory.rollback("told")
    assert state_of(memory) == told_state
    assert "Oslo" in memory.ask("Where does Alice live?").text


def test_diff_tells_what_came_and_what_closed(memory: Memory) -> None:
    memory.observe("I live in Bergen.", speaker="Alice", at="2024-01-03")
    memory.snapshot("before")
    assert memory.diff("before").empty
    memory.observe("I moved to Oslo.", speaker="Alice", at="2024-05-12")
    diff = memory.diff("before")
    assert [f.object for f in diff.closed] == ["Bergen"]
    assert {n.kind for n in diff.added} >= {"episode", "fact"}


def test_diff_tells_what_is_gone_in_its_words_until_that_is_forgotten(memory: Memory) -> None:
    memory.snapshot("empty")
    said = memory.observe("I live in Bergen.", speaker="Alice", at="2024-01-03").episode_id
    memory.snapshot("told")
    memory.rollback("empty")
    gone = {(one.kind, one.text) for one in memory.diff("told").removed}
    assert {("episode", "I live in Bergen."), ("entity", "Bergen")} <= gone
    memory.forget(said)
    assert not any("Bergen" in one.text for one in memory.diff("told").removed)


def test_a_name_of_a_snapshot_is_not_taken_from_another_moment(memory: Memory) -> None:
    first = memory.snapshot("one")
    assert memory.snapshot("one").seq == first.seq  # the same moment: nothing is lost
    memory.observe("I live in Oslo.")
    with memory.branch("other") as other, pytest.raises(mags.InvalidInput, match="another name"):
        other.snapshot("one")
    with pytest.raises(mags.InvalidInput, match="there is a snapshot 'one' already"):
        memory.snapshot("one")
    assert [mark.seq for mark in memory.snapshots()] == [first.seq]
    assert memory.snapshot("one", move=True).seq > first.seq
    assert len(memory.snapshots()) == 1


def test_an_unknown_snapshot_is_named_with_those_there_are(memory: Memory) -> None:
    memory.snapshot("one")
    with pytest.raises(mags.NotFound, match="one"):
        memory.rollback("two")


def test_a_branch_goes_its_own_way(memory: Memory) -> None:
    memory.observe("I live in Bergen.", speaker="Alice", at="2024-01-03")
    other = memory.branch("what-if")
    other.observe("I moved to Rome.", speaker="Alice", at="2024-05-12")
    memory.observe("I moved to Oslo.", speaker="Alice", at="2024-05-12")
    assert "Rome" in other.ask("Where does Alice live?").text
    assert "Oslo" in memory.ask("Where does Alice live?").text
    other.close()


def test_edit_changes_text_and_numbers_and_is_found_by_its_new_words(memory: Memory) -> None:
    seen = memory.observe("The meeting is on Tuesday.", speaker="Bob")
    memory.edit(seen.episode_id, text="The meeting is on Thursday.", importance=0.7)
    view = memory.get(seen.episode_id)
    assert (view.text, view.importance) == ("The meeting is on Thursday.", 0.7)
    assert memory.recall("thursday meeting", k=1)[0].id == seen.episode_id


def test_edit_refuses_what_is_no_field_and_numbers_out_of_range(memory: Memory) -> None:
    seen = memory.observe("The meeting is on Tuesday.", speaker="Bob")
    with pytest.raises(mags.InvalidInput, match="colour"):
        memory.edit(seen.episode_id, colour="red")
    with pytest.raises(mags.InvalidInput, match="importance"):
        memory.edit(seen.episode_id, importance=2.0)


def test_a_pinned_node_keeps_its_strength(memory: Memory) -> None:
    seen = memory.observe("Remember the milk.", speaker="Bob")
    assert memory.pin(seen.episode_id).pinned
    memory._live.state.graph.tick += 100_000
    assert memory.get(seen.episode_id).strength == 1.0
    assert not memory.pin(seen.episode_id, False).pinned


def test_a_pin_that_is_taken_back_takes_its_importance_with_it(memory: Memory) -> None:
    node = memory.observe("Remember the milk.", speaker="Bob").episode_id
    before = memory.get(node).importance
    memory.pin(node)
    assert memory.pin(node).importance == 1.0  # a second time
    assert memory.pin(node, False).importance == before < 1.0
    memory.pin(node)
    memory.edit(node, importance=0.75)
    assert memory.pin(node, False).importance == 0.75


def test_connect_joins_two_things_over_facts(memory: Memory) -> None:
    told(memory)
    path = memory.connect("Alice", "Rex")
    assert path is not None
    assert path.texts[0] == "Alice"
    assert path.texts[-1] == "Rex"


def test_connect_finds_nothing_where_nothing_joins(memory: Memory) -> None:
    memory.assert_fact("Alice", "likes", "tea")
    memory.assert_fact("Zed", "likes", "mud")
    with pytest.raises(mags.NotFound, match="Nobody"):
        memory.connect("Alice", "Nobody")


def test_a_profile_has_now_and_before(memory: Memory) -> None:
    told(memory)
    profile = memory.profile("alice")
    assert "Oslo" in [f.object for f in profile.facts]
    assert [f.object for f in profile.past] == ["Bergen"]


def test_asserted_facts_go_through_the_same_arbiter(memory: Memory) -> None:
    memory.assert_fact("Alice", "lives in", "Bergen", at="2024-01-01")
    seen = memory.assert_fact("Alice", "lives in", "Oslo", at="2024-06-01")
    assert len(seen.closed) == 1
    assert [f.object for f in memory.facts("Alice", current=True)] == ["Oslo"]


def test_sleep_reports_and_the_memory_still_answers(memory: Memory) -> None:
    told(memory)
    report = memory.sleep()
    assert report.after.nodes >= report.before.nodes
    assert "Oslo" in memory.ask("Where does Alice live?").text


def test_a_memory_sleeps_by_itself_when_it_is_due(opened: Callable[..., Memory]) -> None:
    memory = opened()
    for i in range(200):
        memory.observe(f"Note number {i}.", speaker="Bob")
    assert "sleep" in {entry.kind for entry in memory.log()}


def test_networkx_has_every_node_and_arc(memory: Memory) -> None:
    told(memory)
    graph, stats = memory.to_networkx(), memory.stats()
    assert graph.number_of_nodes() == sum(stats.nodes.values())
    assert graph.number_of_edges() == sum(stats.arcs.values())


def test_reopening_finds_everything(opened: Callable[..., Memory], tmp_path: Path) -> None:
    path = tmp_path / "kept.mags"
    memory = opened(path)
    told(memory)
    before = state_of(memory)
    hits = [h.id for h in memory.recall("Where does Alice live?")]
    memory.close()
    again = opened(path)
    assert state_of(again) == before
    assert [h.id for h in again.recall("Where does Alice live?")] == hits


def test_a_closed_memory_says_so(opened: Callable[..., Memory]) -> None:
    memory = opened()
    memory.close()
    memory.close()
    with pytest.raises(mags.StoreClosed, match="open it again"):
        memory.observe("Hello there.")


def test_another_embedder_is_refused_by_name_of_the_cure(
    opened: Callable[..., Memory], tmp_path: Path
) -> None:
    opened(tmp_path / "a.mags").close()
    with pytest.raises(mags.EmbedderMismatch, match="mags reembed"):
        opened(tmp_path / "a.mags", embedder=HashEmbedder(32))


def test_two_handles_see_each_other(opened: Callable[..., Memory], tmp_path: Path) -> None:
    one, two = opened(tmp_path / "a.mags"), opened(tmp_path / "a.mags")
    one.observe("I live in Oslo.", speaker="Alice")
    assert "Oslo" in two.ask("Where does Alice live?").text
    two.observe("Bob likes tea.", speaker="Alice")
    assert any("tea" in h.text for h in one.recall("What does Bob like?"))


class FailingPolicy:
    name = "failing"

    def route(self, turn, recent):
        raise mags.ModelUnavailable("no model answers")

    ask = write = lambda self, *given: self.route(None, None)


def test_a_failing_write_model_loses_no_turn(opened: Callable[..., Memory]) -> None:
    memory = opened(policy=FailingPolicy())
    seen = memory.observe("I live in Oslo.", speaker="Alice")
    assert not seen.understood
    assert "no model answers" in seen.why
    assert memory.get(seen.episode_id).text == "I live in Oslo."


def test_the_public_names_are_these() -> None:
    assert sorted(mags.__all__) == mags.__all__
    assert {"open", "Memory", "MagsError", "Turn", "Plan"} <= set(mags.__all__)
    assert all(hasattr(mags, name) for name in mags.__all__)


def test_what_only_a_page_or_a_game_needs_is_no_method(memory: Memory) -> None:
    methods = [name for name in dir(Memory) if not name.startswith("_")]
    assert len(methods) <= 33  # 32, and `correct`
    assert not set(methods) & set(mags.inspect.__all__)


def test_a_method_of_version_0_1_still_answers_and_says_where_it_went(memory: Memory) -> None:
    told(memory)
    with pytest.warns(DeprecationWarning, match=r"mags\.inspect\.regions"):
        assert memory.regions() == mags.inspect.regions(memory)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        memory.nothing_of_the_kind()
