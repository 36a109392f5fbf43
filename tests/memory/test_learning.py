"""What the model that answers wants remembered: stored, cited as its own, less sure, undoable."""

import re
from collections.abc import Callable, Sequence

import pytest

import mags
from mags.memory.memory import Memory
from mags.memory.views import Reply
from mags.models.answer.llm import LlmAnswerer
from mags.models.chat.scripted import ScriptedChat
from mags.models.policy.rules import RulePolicy
from mags.models.prompts import load_prompts
from mags.ports.chat import Message

ANSWER = "Alice lives in Oslo. [m{}]"


def says(engram: str, answer: str = ANSWER) -> Callable[[Sequence[Message]], str]:
    """A reply that cites the first memory shown and carries an engram."""

    def reply(messages: Sequence[Message]) -> str:
        mark = re.search(r"\[m(\d+)\]", "\n".join(m.content for m in messages[1:]))
        assert mark is not None
        block = f"\n<engram>\n{engram}\n</engram>" if engram else ""
        return answer.format(mark[1]) + block

    return reply


@pytest.fixture
def answered(opened: Callable[..., Memory]) -> Callable[..., Memory]:
    """A memory in which Alice lives in Oslo, answered by a script."""

    def make(*replies: object, **given: object) -> Memory:
        answerer = LlmAnswerer(ScriptedChat(replies), load_prompts())
        memory = opened(given.pop("path", None), answerer=answerer, **given)
        memory.observe("I live in Oslo.", speaker="Alice", at="2024-05-03", session="s")
        return memory

    return make


def ask(memory: Memory, question: str = "Does Alice, who likes Rome, live in Oslo?") -> Reply:
    return memory.ask(question, speaker="Bob", session="s")


def test_what_the_model_adds_is_a_fact_that_the_assistant_said(
    answered: Callable[..., Memory],
) -> None:
    memory = answered(says("ADD | Alice | likes | Rome"))
    reply = ask(memory)
    assert reply.learnt is not None
    (fact,) = reply.learnt.facts
    view = memory.get(fact)
    assert (view.fact.subject, view.fact.relation, view.fact.object) == ("Alice", "likes", "Rome")
    assert view.sources == (reply.learnt.episode_id,)
    episode = memory.get(reply.learnt.episode_id)
    assert (episode.meta["speaker"], episode.text) == ("mags", reply.text)
    assert [op.object for op in reply.operations] == ["Rome"]
    assert reply.warnings == ()


def test_the_assistant_is_less_sure_than_a_user_who_then_confirms_it(
    answered: Callable[..., Memory],
) -> None:
    memory = answered(says("ADD | Alice | likes | Rome"))
    (fact,) = ask(memory).learnt.facts
    assert memory.get(fact).confidence == 0.4
    seen = memory.observe("I like Rome.", speaker="Alice", at="2024-05-04", session="t")
    assert seen.confirmed == (fact,)
    said = memory.get(memory.observe("I like tea.", speaker="Alice").facts[0]).confidence
    assert memory.get(fact).confidence == pytest.approx(1 - 0.6 * (1 - said), abs=1e-3)


def test_what_was_recalled_and_is_said_again_is_confirmed_and_no_surer(
    answered: Callable[..., Memory],
) -> None:
    memory = answered(says("ADD | Alice | lives in | Oslo"))
    fact = memory.facts("Alice")[0].id
    before = memory.get(fact)
    reply = ask(memory)
    after = memory.get(fact)
    assert (reply.learnt.facts, reply.learnt.confirmed) == ((), (fact,))
    assert after.confidence == before.confidence
    assert after.uses > before.uses
    assert len(after.sources) == len(before.sources) + 1


def test_what_the_model_changes_or_takes_back_goes_through_the_arbiter(
    answered: Callable[..., Memory],
) -> None:
    memory = answered(
        says("UPDATE | Alice | lives in | Rome"), says("RETRACT | Alice | lives in |")
    )
    oslo = memory.facts("Alice")[0].id
    first = ask(memory).learnt
    assert first is not None
    assert first.closed == (oslo,)
    second = ask(memory).learnt
    assert second is not None
    assert second.closed == first.facts
    assert memory.facts("Alice", current=True) == []


def test_i_in_an_operation_is_who_asked(answered: Callable[..., Memory]) -> None:
    memory = answered(says("ADD | I | likes | Rome"))
    (fact,) = ask(memory).learnt.facts
    assert memory.get(fact).fact.subject == "Bob"


def test_learning_is_journaled_and_can_be_taken_back(answered: Callable[..., Memory]) -> None:
    memory = answered(says("ADD | Alice | likes | Rome"))
    memory.snapshot("before")
    before = memory._live.state.graph.digest()
    tick = memory.stats().tick
    reply = ask(memory)
    assert [entry.kind for entry in memory.log(2)] == ["observe", "ask"]
    assert memory.stats().tick == tick + 1
    assert {view.id for view in memory.diff("before").added} >= set(reply.learnt.facts)
    memory.rollback("before")
    assert memory._live.state.graph.digest() == before


def test_forgetting_the_answer_forgets_what_was_learnt_from_it(
    answered: Callable[..., Memory],
) -> None:
    memory = answered(says("ADD | Alice | likes | Rome"))
    learnt = ask(memory).learnt
    assert learnt is not None
    gone = memory.forget(learnt.episode_id)
    assert {learnt.episode_id, *learnt.facts} <= set(gone.ids)
    assert [f.object for f in memory.facts("Alice")] == ["Oslo"]


def test_an_answer_that_wants_nothing_remembered_leaves_no_episode(
    answered: Callable[..., Memory],
) -> None:
    memory = answered(says(""))
    count = memory.stats().nodes["episode"]
    reply = ask(memory)
    assert (reply.operations, reply.learnt) == ((), None)
    assert memory.stats().nodes["episode"] == count


def test_what_is_said_of_the_past_is_not_stored(answered: Callable[..., Memory]) -> None:
    memory = answered(says("ADD | Alice | likes | Rome"))
    reply = memory.ask("Where does Alice, who likes Rome, live?", as_of="2024-06-01")
    assert reply.learnt is None
    assert "asked of the past" in reply.warnings[-1]
    assert len(memory.facts()) == 1


def test_a_read_only_memory_answers_and_says_that_it_learnt_nothing(
    answered: Callable[..., Memory], opened: Callable[..., Memory], tmp_path: object
) -> None:
    path = tmp_path / "alice.mags"
    answered(path=path).close()
    answerer = LlmAnswerer(ScriptedChat([says("ADD | Alice | likes | Rome")]), load_prompts())
    memory = opened(path, answerer=answerer, read_only=True)
    reply = ask(memory)
    assert reply.text.startswith("Alice lives in Oslo.")
    assert (len(reply.warnings), reply.learnt) == (2, None)


def test_in_a_whole_turn_the_answer_is_kept_once_and_after_what_it_answers(
    answered: Callable[..., Memory],
) -> None:
    memory = answered(says("ADD | Alice | likes | Rome"))
    said = "Does Alice, who likes Rome, live in Oslo?"
    reply = memory.converse(said, speaker="Bob", session="s", key="k")
    state = memory._live.state
    texts = [content.text for content in state.words(state.episodes.recent(3))]
    assert texts == ["I live in Oslo.", said, reply.text]
    assert reply.learnt is not None
    assert [memory.get(i).fact.object for i in reply.learnt.facts] == ["Rome"]
    assert [entry.kind for entry in memory.log(3)] == ["observe", "observe", "ask"]


def test_queries_recalled_again_stand_in_the_trace_and_its_explanation(
    answered: Callable[..., Memory],
) -> None:
    memory = answered("<recall>\nthe fjord\n</recall>", says(""))
    memory.observe("My flat is by the fjord.", speaker="Alice", at="2024-05-04", session="s")
    trace = ask(memory).trace
    assert trace.again == ("the fjord",)
    assert mags.Trace.from_dict(trace.as_dict()) == trace
    assert "Recalled again: the fjord" in memory.explain(trace).lines
    assert {hit.id for hit in trace.hits} >= set(trace.cited)


def test_what_only_a_second_recall_found_is_explained_when_cited(
    answered: Callable[..., Memory],
) -> None:
    def last(messages: Sequence[Message]) -> str:
        (mark,) = re.findall(r"\[m(\d+)\] Dora:", messages[-1].content)
        return f"By the fjord. [m{mark}]"

    # By the rules alone the flat stays an episode, with no fact to come out as one with it.
    memory = answered("<recall>\nthe fjord\n</recall>", last, policy=RulePolicy())
    for n in range(14):
        memory.observe(f"Alice said number {n} of Oslo again.", speaker="Carl", session=f"c{n}")
    seen = memory.observe("A flat beside the fjord, with moss.", speaker="Dora", session="d")
    reply = memory.ask("Does Alice live in Oslo?", k=3, speaker="Bob", session="s")
    assert reply.trace.cited == (seen.episode_id,)
    assert reply.trace.of(seen.episode_id) is not None
    assert reply.trace.of(seen.episode_id).sources == (seen.episode_id,)
