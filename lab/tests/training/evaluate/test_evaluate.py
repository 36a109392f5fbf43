"""Policies of every kind on one scale: what counts as the same, and the figures by hand."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from mags.errors import CorruptFile, MissingExtra, ModelReplyError
from mags.models.chat.scripted import ScriptedChat
from mags.models.grammar import read_engram, read_plan, read_route
from mags.models.policy.prompted import PromptedPolicy
from mags.models.policy.rules import RulePolicy
from mags.models.prompts import load_prompts
from mags.ports.chat import MeteredChat
from mags.ports.policy import Plan, Recalled, Route, Turn, Writing
from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.evaluate.deciders import Decision, PolicyDecider
from mags_lab.training.evaluate.evaluation import (
    EvaluationConfig,
    chosen,
    evaluate,
    from_json,
    plot,
    tables,
    to_json,
)
from mags_lab.training.evaluate.intervals import mean, ratio
from mags_lab.training.evaluate.scores import (
    agreement,
    cells,
    judge,
    said,
    same_function,
    same_gist,
)
from mags_lab.training.fidelity import StoreFidelity

AT = 1_715_299_200.0
LIVES = "<engram>\nADD | Ana | lives in | Oslo\n</engram>"
TWO = "<engram>\nADD | Ana | lives in | Oslo\nADD | Ana | owns | a boat\n</engram>"
NONE = "<engram>\nnone\n</engram>"


def writing(target: str = LIVES, text: str = "I live in Oslo.", id: str = "w") -> Sample:
    turn = Turn(text=text, speaker="Ana", at=AT)
    return Sample(id=id, role=Role.WRITE, split=Split.SEEN, turn=turn, target=target)


def asking() -> Sample:
    turn = Turn(text="Where does Ana live?", speaker="Ben", at=AT)
    target = "<recall>\nAna lives in\nentities: Ana\nhop: Ana | lives in\nkind: place\n</recall>"
    return Sample(id="a", role=Role.ASK, split=Split.SEEN, turn=turn, target=target)


def routing() -> Sample:
    turn = Turn(text="Where does Ana live?", speaker="Ben", at=AT)
    target = "<route> recall </route>"
    return Sample(id="r", role=Role.ROUTER, split=Split.FRAMES, turn=turn, target=target)


def decided(reply: str | None) -> Decision:
    return Decision(reading=None if reply is None else read_engram(reply), seconds=0.002, tokens=7)


class Mute:
    """A policy whose model never replies in the agreed form."""

    name = "mute"

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        raise ModelReplyError("no", reason="gibberish")

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        raise ModelReplyError("no", reason="gibberish")

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        raise ModelReplyError("no", reason="gibberish")


def test_relations_in_other_words_are_the_same_relation() -> None:
    one = read_engram("<engram>\nADD | Ana | resides in | Oslo\n</engram>")
    assert said(one) == said(read_engram(LIVES))
    kinds = (
        "<engram>\nADD | Ana | favourite | blue | kind=colour\n</engram>",
        "<engram>\nADD | Ana | favourite colour | blue\n</engram>",
    )
    assert said(read_engram(kinds[0])) == said(read_engram(kinds[1]))
    left = read_engram("<engram>\nADD | Ana | moved from | Oslo\n</engram>")
    assert said(left) != said(read_engram(LIVES))


def test_the_gist_of_facts_leaves_out_times_and_how_they_came() -> None:
    update = read_engram("<engram>\nUPDATE | ana | lives in | oslo | 2024-05\n</engram>")
    retract = read_engram("<engram>\nRETRACT | Ana | lives in | Oslo\n</engram>")
    assert same_gist(update, read_engram(LIVES))
    assert not same_gist(retract, read_engram(LIVES))
    assert said(update) != said(read_engram(LIVES))


def test_the_gist_of_a_plan_is_its_hops_or_else_its_names_and_times() -> None:
    target = read_plan(asking().target, "q")
    other = read_plan("<recall>\nhop: ana | resides in\n</recall>", "q")
    assert same_gist(other, target)
    assert not same_gist(read_plan("<recall>\nentities: Ana\n</recall>", "q"), target)
    dated = "<recall>\nentities: Ana\nsince: 2024\n</recall>"
    assert same_gist(read_plan(dated, "q"), read_plan(dated.replace("Ana", "ana"), "p"))
    assert not same_gist(read_plan(dated, "q"), read_plan(dated.replace("2024", "2023"), "q"))


def test_the_right_function_is_doing_something_exactly_where_something_is_to_do() -> None:
    something, nothing = read_engram(LIVES), read_engram(NONE)
    assert same_function(read_engram(TWO), something)
    assert not same_function(nothing, something)
    assert not same_function(read_plan(asking().target, "q"), something)
    weighed = read_route("<route> recall episodic=0.5 semantic=1 </route>")
    assert same_function(weighed, read_route("<route> recall </route>"))
    assert not same_function(weighed, read_route("<route> both </route>"))


def test_one_of_two_operations_counts_as_precision_one_and_recall_half() -> None:
    (cell,) = cells([judge(writing(TWO), decided(LIVES))])
    figures = {name: found.mean for name, found in cell.measures.items()}
    assert figures == {
        "exact": 0.0, "function": 1.0, "gist": 0.0, "refused": 0.0, "mixed": 0.0,
        "precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3),
    }  # fmt: skip
    assert (cell.n, cell.p50_ms, cell.p95_ms, cell.tokens) == (1, 2.0, 2.0, 7.0)


def test_a_refused_reply_says_nothing_and_is_right_nowhere() -> None:
    (cell,) = cells([judge(writing(), decided(None)), judge(writing(NONE), decided(None))])
    figures = {name: found.mean for name, found in cell.measures.items()}
    assert figures["refused"] == 1.0
    assert figures["exact"] == figures["function"] == figures["recall"] == figures["f1"] == 0.0


def test_where_nothing_is_to_say_and_nothing_is_said_all_is_right() -> None:
    (cell,) = cells([judge(writing(NONE), decided(NONE))])
    for name in ("exact", "precision", "recall", "f1", "function"):
        assert cell.measures[name].mean == 1.0


def test_agreement_is_the_share_of_pairs_that_say_the_same() -> None:
    assert agreement([decided(LIVES), decided(LIVES), decided(NONE)]) == pytest.approx(1 / 3)
    assert agreement([decided(None), decided(None)]) == 0.0
    mixed = Decision(reading=read_engram(LIVES), mixed=True)
    verdict = judge(writing(), decided(LIVES), [mixed, decided(LIVES)])
    assert verdict.agreement == 1.0
    assert verdict.mixed == pytest.approx(1 / 3)


def test_an_interval_holds_the_mean_and_narrows_with_more_decisions() -> None:
    few, many = (mean(np.tile([0.0, 1.0], n), seed=0) for n in (10, 1_000))
    assert few.mean == many.mean == 0.5
    assert few.low < many.low < 0.5 < many.high < few.high
    assert many.high - many.low == pytest.approx(2 * 1.96 * 0.5 / 2_000**0.5, rel=0.2)
    assert str(mean(np.ones(4), seed=0)) == "100.0 (100.0-100.0)"
    assert ratio(np.zeros(3), np.zeros(3), empty=1.0, seed=0).mean == 1.0


def test_the_rules_are_evaluated_as_a_memory_asks_them() -> None:
    samples = [writing(), writing(NONE, "Good morning!", "n"), asking(), routing()]
    config = EvaluationConfig(probed=1)
    found = evaluate(PolicyDecider(RulePolicy()), samples, config, fidelity=StoreFidelity())
    assert [(one.role, one.split, one.n) for one in found.cells] == [
        ("ask", "seen", 1),
        ("write", "seen", 2),
        ("router", "frames", 1),
    ]
    write = found.cell("write", "seen")
    assert write is not None
    assert write.measures["exact"].mean == 1.0
    assert write.measures["fidelity"].mean == 1.0
    assert write.measures["fidelity"].n == 1
    assert write.p50_ms is not None
    ask = found.cell("ask", "seen")
    assert ask is not None
    assert ask.measures["gist"].mean == 1.0
    assert "agreement" not in ask.measures


def test_a_policy_that_fails_is_evaluated_too() -> None:
    found = evaluate(PolicyDecider(Mute(), spent=lambda: 5), [writing()], EvaluationConfig())
    assert found.cells[0].measures["refused"].mean == 1.0
    assert found.cells[0].tokens == 5.0


def test_the_tokens_of_a_language_model_are_those_of_each_decision() -> None:
    chat = MeteredChat(ScriptedChat(["<engram>\nnone\n</engram>"] * 2, name="small"))
    decider = PolicyDecider(PromptedPolicy(chat, load_prompts()))
    first, second = decider.decide([writing()] * 2)
    assert first.tokens == second.tokens
    assert first.tokens is not None
    assert first.tokens > 100


class Wavering(Mute):
    """A policy that says another thing every second time it is asked to write."""

    def __init__(self) -> None:
        self._asked = 0

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        self._asked += 1
        said = LIVES if self._asked % 2 else NONE
        return Writing(operations=read_engram(said).operations)


def test_decisions_are_drawn_of_who_draws_and_judged_beside_the_likeliest() -> None:
    samples = [writing(), writing(NONE, "Good morning!", "n")]
    decider = PolicyDecider(RulePolicy(), sampled=Wavering())
    (cell,) = evaluate(decider, samples, EvaluationConfig(repeated=1, draws=3)).cells
    assert cell.measures["exact"].mean == 1.0
    assert cell.measures["agreement"].mean == pytest.approx(1 / 3)
    assert cell.measures["agreement"].n == 1


def test_a_refused_reply_of_another_function_is_noticed() -> None:
    class Astray(Mute):
        def write(
            self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]
        ) -> Writing:
            raise ModelReplyError("no", reason="no block", reply="<recall>\nnone\n</recall>")

    (decision,) = PolicyDecider(Astray()).decide([writing()])
    assert (decision.reading, decision.why, decision.mixed) == (None, "no block", True)
    (decision,) = PolicyDecider(Mute()).decide([writing()])
    assert not decision.mixed


def test_samples_of_a_role_that_a_policy_lacks_are_left_out_and_told_of(tmp_path: Path) -> None:
    samples = [writing(), routing()]
    lacking = PolicyDecider(Mute(), roles=(Role.ASK, Role.WRITE))
    found = evaluate(lacking, samples, EvaluationConfig())
    assert [(one.role, one.n) for one in found.cells] == [("write", 1)]
    assert found.lacks == ("router",)
    whole = evaluate(PolicyDecider(RulePolicy()), samples, EvaluationConfig())
    assert whole.lacks == ()
    path = tmp_path / "evaluation.json"
    path.write_text(to_json([found, whole]), encoding="utf-8")
    assert from_json(path) == [found, whole]
    console = Console(width=80, record=True)
    console.print(tables([found, whole]))
    told = "mute has no router: where it is in use, the rules decide that."
    assert console.export_text().strip().endswith(told)


def test_everyone_gets_the_same_samples() -> None:
    samples = [writing(id=str(i)) for i in range(20)]
    first, again = (chosen(samples, EvaluationConfig(most=5)) for _ in range(2))
    assert first == again
    assert [len(some) for some in first.values()] == [5]
    assert chosen(samples, EvaluationConfig(most=5, seed=1)) != first


def test_an_evaluation_is_read_back_and_shown(tmp_path: Path) -> None:
    found = evaluate(PolicyDecider(RulePolicy()), [writing(), asking()], EvaluationConfig())
    path = tmp_path / "evaluation.json"
    path.write_text(to_json([found]), encoding="utf-8")
    assert from_json(path) == [found]
    console = Console(width=80, record=True)
    console.print(tables([found]))
    shown = console.export_text()
    assert "100.0 (100-100)" in shown
    assert "rules" in shown
    assert "..." not in shown
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown
    path.write_text("[1]")
    with pytest.raises(CorruptFile):
        from_json(path)


def test_a_picture_is_drawn_where_matplotlib_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = evaluate(PolicyDecider(RulePolicy()), [writing(), asking()], EvaluationConfig())
    with monkeypatch.context() as without:
        without.setitem(__import__("sys").modules, "matplotlib.figure", None)
        with pytest.raises(MissingExtra, match=r"mags\[plot\]"):
            plot([found], tmp_path / "none.svg")
    pytest.importorskip("matplotlib", reason="needs the extra: pip install 'mags[plot]'")
    plot([found], tmp_path / "pictures" / "exact.svg")
    assert "<svg" in (tmp_path / "pictures" / "exact.svg").read_text()
