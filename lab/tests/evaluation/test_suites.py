"""The suites, run by small systems whose answers are known beforehand."""

from datetime import UTC, datetime
from types import MappingProxyType

from mags_lab.evaluation.datasets.editing import ChainCase, Edits, UpdateCase
from mags_lab.evaluation.datasets.locomo import LocomoConversation
from mags_lab.evaluation.datasets.multihop import Corpus
from mags_lab.evaluation.objective import Quality
from mags_lab.evaluation.protocol import Probe, SourceTurn, Statement
from mags_lab.evaluation.suites import editing, retrieval

WHEN = datetime(2024, 1, 1, tzinfo=UTC)


class Newest:
    """Finds what was stored last, whatever is asked."""

    def __init__(self):
        self.ids = []
        self.triples = {}

    def add(self, turns):
        self.ids += [t.id for t in turns]

    def add_graph(self, turns, triples):
        self.add(turns)
        self.triples = dict(triples)

    def tell(self, statements):
        self.ids += [s.key for s in statements]

    def observe(self, sentences):
        self.ids += range(len(sentences))

    def search(self, query, k):
        return self.ids[::-1][:k]

    def closed(self):
        return {0, 1}


def turn(number, session="s"):
    return SourceTurn(id=f"t{number}", text="x", speaker="A", at=WHEN, session=session)


def probe(number, kind="k"):
    return Probe(id=f"q{number}", text="?", gold=frozenset({f"t{number}"}), kind=kind)


def talk(*numbers):
    return LocomoConversation(
        id="c",
        speakers=("A", "B"),
        turns=tuple(map(turn, numbers)),
        probes=tuple(map(probe, numbers)),
        dropped=0,
        unanswerable=0,
    )


def test_within_a_conversation_nothing_of_another_is_found():
    run = retrieval.locomo_within(Newest, [talk(1), talk(2)], k=1)
    assert [o.ranked for o in run.outcomes] == [("t1",), ("t2",)]
    assert retrieval.scores(run, ks=(1,))["recall@1"].mean == 1.0


def test_together_all_conversations_compete():
    run = retrieval.locomo_together(Newest, [talk(1), talk(2)], k=1)
    assert retrieval.scores(run, ks=(1,))["recall@1"].mean == 0.5
    assert run.turns == 2


def test_an_answer_is_right_whose_first_hit_is_evidence():
    run = retrieval.locomo_together(Newest, [talk(1), talk(2)], k=2)
    # Newest ranks t2, t1: right for the second question, and both find their evidence in two.
    assert retrieval.quality(run) == Quality(wrong=0.5, carried=1.0)
    assert retrieval.quality(run, k=1) == Quality(wrong=0.5, carried=0.5)


def test_the_clock_is_the_callers_and_add_and_search_are_timed_apart():
    ticks = iter([0.0, 3.0, 10.0, 10.5])
    run = retrieval.locomo_together(Newest, [talk(1)], clock=lambda: next(ticks))
    assert run.add_s == 3.0
    assert [o.seconds for o in run.outcomes] == [0.5]


def test_sessions_rank_at_their_best_turn():
    run = retrieval.locomo_together(Newest, [talk(1, 2, 3)], k=3)
    by = retrieval.by_session(run, {"t1": "a", "t2": "b", "t3": "b"})
    assert by.outcomes[0].ranked == ("b", "a")
    assert by.outcomes[0].probe.gold == {"a"}


def test_kinds_split_a_run():
    corpus = Corpus(
        name="c",
        turns=(turn(1), turn(2)),
        probes=(probe(1, "x"), probe(2, "y")),
        triples=MappingProxyType({"t1": (("a", "b", "c"),)}),
    )
    made = []

    def make():
        made.append(Newest())
        return made[-1]

    run = retrieval.multihop(make, corpus, with_triples=True)
    assert [o.probe.id for o in retrieval.kinds(run)["y"].outcomes] == ["q2"]
    assert made[0].triples == {"t1": (("a", "b", "c"),)}
    retrieval.multihop(make, corpus, with_triples=False)
    assert made[1].triples == {}


def fact(obj):
    return Statement(subject="s", relation="r", object=obj, text=f"s r {obj}")


def test_a_stale_fact_among_the_first_k_is_counted_once_a_case():
    case = ChainCase(
        id="1", questions=("?", "??"), chain=("s|r|new",), stale=frozenset({"s|r|old"})
    )
    data = Edits(
        before=(fact("old"),),
        edits=(fact("new"),),
        cases=(case,),
        slots=frozenset(),
        repeated=0,
        ambiguous=0,
    )
    run = editing.edited_chains(Newest, data, distractors=[fact("other")])
    assert run.facts == 3
    found = editing.chain_scores(run, ks=(1, 2))
    assert {name: i.mean for name, i in found.items()} == {
        "chain@1": 1.0,
        "recall@1": 1.0,
        "stale@1": 0.0,
        "chain@2": 1.0,
        "recall@2": 1.0,
        "stale@2": 1.0,
    }
    assert found["chain@1"].n == 1
    assert editing.chain_quality(run, k=1) == Quality(wrong=0.0, carried=1.0)
    assert editing.chain_quality(run, k=2) == Quality(wrong=1.0, carried=1.0)


def test_updates_count_order_and_closings():
    case = UpdateCase(
        id="1", facts=("a", "b", "c"), update="d", question="?", answer="", contradicted=(1,)
    )
    (outcome,) = editing.updates(Newest, [case])
    assert outcome.ranked == (3, 2, 1, 0)
    assert (outcome.closings.wrong, outcome.closings.missed) == (1 / 3, 0.0)
    found = editing.update_scores([outcome])
    assert found["new first"].mean == 1.0
    assert found["new found@1"].mean == 1.0
    # One closing was due and made, one of the three others (0, 2 and 3) was wrong: F1 2 / 3.
    assert editing.update_quality([outcome]) == Quality(wrong=0.0, carried=1.0, f1=2 / 3)
