"""What is said anew comes before what it says otherwise."""

import numpy as np
import pytest

from mags.graph.delta import Draft
from mags.graph.records import ArcKind
from mags.ports.policy import Plan
from mags.recall.kernels import lost_words
from mags.recall.settings import RecallSettings, RecencySettings
from tests.recall.small import DAY, Small

WITHOUT_RERANKING = RecallSettings(renewal=RecencySettings(on=False))
QUESTION = "Which sport does Ana play on Sundays?"


def twice(speaker="Ana", second="Ana") -> Small:
    """A statement, and one that is like it, a day later; the older is the better match."""
    small = Small()
    small.say("On Sundays the sport that I play is tennis", speaker=speaker, at=1 * DAY)
    small.say(
        "On Sundays the sport that I play is chess now", speaker=second, at=2 * DAY, session="s2"
    )
    small.say("The soup was cold", speaker="Ben", at=2 * DAY, session="s3")
    return small


def texts(found):
    return [hit.text.split()[-1] for hit in found]


def test_of_two_statements_alike_the_newer_comes_first():
    small = twice()
    assert texts(small.ask(QUESTION, settings=WITHOUT_RERANKING))[:2] == ["tennis", "now"]
    assert texts(small.ask(QUESTION))[:2] == ["now", "tennis"]


@pytest.mark.parametrize(
    "plan",
    [
        Plan(queries=(QUESTION,), past=True),
        Plan(queries=(QUESTION,), since=0.0, until=5 * DAY),
    ],
)
def test_a_question_about_the_past_or_a_time_keeps_the_order_of_scores(plan):
    small = twice()
    found = small.ask(QUESTION, plan=plan)
    assert texts(found) == texts(small.ask(QUESTION, plan=plan, settings=WITHOUT_RERANKING))


def test_what_another_person_says_alike_renews_nothing():
    small = twice(second="Ben")
    assert texts(small.ask(QUESTION)) == texts(small.ask(QUESTION, settings=WITHOUT_RERANKING))


def test_documents_renew_nothing():
    small = twice(speaker="", second="")
    assert texts(small.ask(QUESTION)) == texts(small.ask(QUESTION, settings=WITHOUT_RERANKING))


def test_nothing_is_lost_and_only_scores_of_the_newer_rise():
    small = twice()
    before = {hit.id: hit.score for hit in small.ask(QUESTION, settings=WITHOUT_RERANKING)}
    after = {hit.id: hit.score for hit in small.ask(QUESTION)}
    assert before.keys() == after.keys()
    risen = [i for i in after if after[i] > before[i] + 1e-6]
    assert [small.state.content(i).text.split()[-1] for i in risen] == ["now"]
    assert all(after[i] == pytest.approx(before[i]) for i in after if i not in risen)


def test_lost_words_are_the_share_the_newer_lacks():
    idf = np.array([0.5, 0.25, 0.125], np.float32)
    assert lost_words(np.uint64(0b111), np.uint64(0b010), idf) == pytest.approx(0.625)
    assert lost_words(np.uint64(0b010), np.uint64(0b111), idf) == 0.0


def test_what_superseded_a_fact_comes_before_what_told_it():
    small = Small()
    (old,) = small.say("Ana's favourite drink is warm milk", speaker="Ben", at=1 * DAY)
    (new,) = small.say("Ana's drink is cider", speaker="Ana", at=2 * DAY, session="s2")
    first = small.fact("Ana", "drinks", "milk", source=old, at=1 * DAY, until=2 * DAY)
    heir = small.fact("Ana", "drinks", "cider", source=new, at=2 * DAY)
    question = "What is the favourite drink?"
    only_score = small.ask(question, settings=WITHOUT_RERANKING, k=20)
    assert only_score.hits[0].episode_ids == (old,)
    draft = Draft(small.state.graph)
    draft.add_arc(heir, first, ArcKind.SUPERSEDES)
    small.apply(draft)
    alike = RecallSettings(renewal=RecencySettings(alike=2.0, lost=1.0))
    assert small.ask(question, settings=alike, k=20).hits[0].episode_ids == (new,)


def test_a_fact_told_twice_names_the_better_turn_first():
    small = Small()
    (old,) = small.say("Well, cider is what Ana drinks", speaker="Ben", at=1 * DAY)
    (new,) = small.say("What Ana drinks every day is cider", speaker="Ben", at=2 * DAY)
    fact = small.fact("Ana", "drinks", "cider", source=old, at=1 * DAY)
    draft = Draft(small.state.graph)
    draft.add_arc(fact, new, ArcKind.SOURCE)
    small.apply(draft)
    plan = Plan(queries=("What Ana drinks every day",), semantic=1.0, episodic=1.0)
    hits = small.ask("", plan=plan, k=20).hits
    assert next(h for h in hits if fact in (h.id, *h.members)).episode_ids[0] == new
