"""What a memory of MAGS costs, and the chapter that shows it."""

import mags
from benchmarks.costs import Kept, chapter
from benchmarks.results import Result
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.recall.found import FactView
from mags.settings import Settings
from mags_lab.evaluation.costs import conflicts, cost_of
from mags_lab.evaluation.objective import Quality

SHOWN = {"prediction": 0.25, "reward": 0.5, "graph": 0.1, "regularisation": 0.0, "L": -0.24}


def fact(relation: str, obj: str, **qualifiers: str) -> FactView:
    return FactView(
        id=1,
        subject="Ana",
        relation=relation,
        object=obj,
        valid_from=None,
        valid_to=None,
        qualifiers=tuple(qualifiers.items()),
    )


def test_open_facts_of_one_slot_conflict_where_it_takes_one_value():
    assert conflicts([fact("lives in", "Oslo"), fact("lives in", "Rome")]) == 2
    assert conflicts([fact("likes", "tea"), fact("likes", "coffee")]) == 0
    assert conflicts([fact("lives in", "Oslo")]) == 0


def remembering() -> Memory:
    return mags.open(None, embedder=HashEmbedder(32), settings=Settings(), clock=lambda: 1.0)


def test_a_recall_beyond_one_a_question_is_counted_and_what_a_turn_changes():
    with remembering() as memory:
        memory.observe("I live in Oslo.", speaker="Ana")
        cost = cost_of(memory, recalls=3, questions=2, turns=1)
        stats = memory.stats()
    assert (cost.counts.recalls, cost.counts.recalls_needed) == (3, 2)
    assert cost.counts.nodes == sum(stats.nodes.values())
    assert cost.counts.facts == 1
    assert cost.counts.conflicts == 0
    assert cost.load.changed_per_turn == 1.0  # the first turn makes all there is


def test_a_system_that_cannot_be_weighed_has_no_objective():
    made = Kept(object)
    made()
    assert made.objective(Quality(wrong=0.0, carried=1.0)) == {}


def test_the_chapter_has_a_line_for_each_weighed_suite():
    one = Result(
        suite="letta", system="MAGS", note="", groups={}, facts={}, made={}, objective=SHOWN
    )
    other = Result(suite="letta", system="BM25", note="", groups={}, facts={}, made={})
    page = chapter([one, other]).splitlines()
    assert page[-1] == "| letta | 0.250 | 0.500 | 0.100 | 0.000 | -0.240 |"
    assert page[-2] == "|---|---|---|---|---|---|"
    assert page[-3] == "| suite | prediction | reward | graph | regularisation | L |"
    assert chapter([other]) == ""
