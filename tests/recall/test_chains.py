"""Chains from a question to options, over what was said."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

import mags
from mags import inspect
from mags.app import embedded
from mags.memory.memory import Memory
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import (
    LED_BY,
    OUTCOME,
    Act,
    Operation,
    Policy,
    Recalled,
    Turn,
    Writing,
)
from mags.recall.chains import Chain

SAID = (
    "Berta sings in the choir.",
    "Snumbar belongs to the Dreirsim family.",
    "The Dreirsim family celebrates the day of Kamrul.",
    "Whoever comes to the day of Kamrul brings amber wax.",
    "Tolvin pays with copper coins.",
    "It rained on Snumbar all day.",
)
QUESTION = "What will you give Snumbar?"
OPTIONS = ("Copper coins", "Amber wax", "A silver spoon")


class Verbs(RulePolicy):
    """Reads also what the family celebrates, which is a guess to the rules."""

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        subject, verb, thing = turn.text.removesuffix(".").partition(" celebrates ")
        if not verb:
            return super().write(turn, recent, recalled)
        feast = Operation(
            act=Act.ADD,
            subject=subject.removeprefix("The "),
            relation="celebrates",
            object=thing.removeprefix("the "),
            exact=True,
        )
        return Writing(operations=(feast,))


def told(
    *lines: str, every_s: float = 60.0, policy: Policy | None = None
) -> tuple[Memory, list[int]]:
    memory = mags.open(None, embedder=embedded(), policy=policy, clock=lambda: 1e6)
    ids = [
        memory.observe(line, speaker="guide", at=every_s * i).episode_id
        for i, line in enumerate(lines)
    ]
    return memory, ids


def texts(memory: Memory, chain: Chain) -> list[str]:
    return [memory.get(step).text for step in chain.steps]


def test_a_chain_of_three_lines_is_found_though_its_middle_names_neither_end():
    memory, _ = told(*SAID)
    best = inspect.chains(memory, QUESTION, OPTIONS)[0]
    assert best.option == 1
    assert texts(memory, best) == list(SAID[1:4])


def test_an_option_that_nobody_spoke_of_has_no_chain():
    memory, _ = told(*SAID)
    assert all(chain.option != 2 for chain in inspect.chains(memory, QUESTION, OPTIONS))


def test_an_empty_memory_and_no_options_have_no_chains():
    memory, _ = told()
    assert inspect.chains(memory, QUESTION, OPTIONS) == ()
    memory, _ = told(*SAID)
    assert inspect.chains(memory, QUESTION, ()) == ()


def test_what_was_said_before_a_moment_does_not_count_for_its_option():
    memory, _ = told(*SAID[:5])
    assert inspect.chains(memory, QUESTION, OPTIONS, after={1: 180.0})[0].option == 1
    later = inspect.chains(memory, QUESTION, OPTIONS, after={1: 181.0})
    assert all(chain.option != 1 for chain in later)


def test_news_in_the_middle_of_a_chain_lets_what_was_said_before_count():
    memory, _ = told(*SAID[:2], *SAID[3:5], policy=Verbs())
    news = "The Dreirsim family celebrates the day of Kamrul."
    assert inspect.chains(memory, QUESTION, OPTIONS, after={1: 200.0}) == ()
    memory.observe(news, speaker="guide", at=240.0)
    best = inspect.chains(memory, QUESTION, OPTIONS, after={1: 200.0})[0]
    assert best.option == 1
    assert texts(memory, best) == [SAID[1], news, SAID[3]]


def test_a_line_that_reports_a_failure_leads_nowhere_and_a_success_counts_less_than_a_statement():
    memory, _ = told("Gurken lives on oat bread.")
    memory.observe(
        "You gave Gurken rye bread.", speaker="narrator", at=60.0, attrs={OUTCOME: "-1.00"}
    )
    question, options = "What do you feed Gurken?", ("Rye bread", "Oat bread")
    assert inspect.chains(memory, question, options)[0].option == 1
    memory.observe(
        "You gave Gurken rye bread.", speaker="narrator", at=120.0, attrs={OUTCOME: "1.00"}
    )
    found = {c.option: c.value for c in inspect.chains(memory, question, options)}
    assert 0.0 < found[0] < found[1]


def test_a_line_whose_facts_are_over_leads_nowhere():
    memory, _ = told("Ana lives in Porto.")
    question, options = "Where does Ana live?", ("Porto", "Lisbon")
    assert inspect.chains(memory, question, options)[0].option == 0
    memory.observe("Ana moved to Lisbon.", speaker="guide", at=1e5)
    assert [chain.option for chain in inspect.chains(memory, question, options)] == [1]


@given(st.permutations(range(3)))
def test_the_order_of_the_options_only_renames_them(order: list[int]):
    memory, _ = told(*SAID)
    plain = {
        OPTIONS[c.option]: (c.value, c.steps) for c in inspect.chains(memory, QUESTION, OPTIONS)
    }
    options = [OPTIONS[i] for i in order]
    shuffled = inspect.chains(memory, QUESTION, options)
    assert {options[c.option]: (c.value, c.steps) for c in shuffled} == plain


def test_values_lie_between_nothing_and_one_and_fall():
    memory, _ = told(*SAID)
    values = [chain.value for chain in inspect.chains(memory, QUESTION, OPTIONS)]
    assert values == sorted(values, reverse=True)
    assert all(0.0 < value <= 1.0 for value in values)


def test_who_says_a_line_is_no_part_of_what_it_says():
    memory, _ = told("Snumbar belongs to the Dreirsim family.")
    memory.observe("The Dreirsim family is a merry one.", speaker="Tolvin", at=60.0)
    memory.observe("Gurken speaks for the Dreirsim family.", speaker="Berta", at=120.0)
    options = ("Tolvin", "Gurken", "Berta")
    found = inspect.chains(memory, "Who speaks for Snumbar?", options)
    assert [options[chain.option] for chain in found] == ["Gurken"]


def test_a_chain_begins_at_what_a_question_names_rather_than_at_its_other_words():
    memory, _ = told(
        "Snumbar belongs to the Dreirsim family.",
        "The Dreirsim family is greeted with the tulka nod.",
        "The polite way to greet a member of the Morvin family is the wensa bow.",
    )
    question = "What is the polite way to greet a member like Snumbar?"
    found = inspect.chains(memory, question, ("The wensa bow", "The tulka nod"))
    assert [chain.option for chain in found] == [1, 0]


def test_a_line_that_only_drops_a_name_leads_worse_than_one_that_tells_of_it():
    memory, _ = told(
        "Tolvin belongs to the Dreirsim family.",
        "Tolvin and Kamrul were seen playing cards.",
        "Gurken speaks for the Dreirsim family.",
        "Kamrul pays with Velmo.",
    )
    best = inspect.chains(memory, "Whom do you ask about Tolvin?", ("Velmo", "Gurken"))[0]
    assert texts(memory, best)[-1] == "Gurken speaks for the Dreirsim family."


def test_a_word_that_many_names_share_ties_no_lines_together():
    clans = ("Orn", "Vell", "Tamsin", "Gorrick")
    feasts = ("Wend", "Lark", "Moss", "Pell")
    gifts = ("amber wax", "oat bread", "blue salt", "green cloth")
    memory, _ = told(
        "Snumbar belongs to House Orn.",
        *(f"House {c} celebrates the day of {f}." for c, f in zip(clans, feasts, strict=True)),
        *(
            f"Whoever comes to the day of {f} brings {g}."
            for f, g in zip(feasts, gifts, strict=True)
        ),
    )
    found = inspect.chains(memory, QUESTION, [f"Bring {gift}" for gift in gifts])
    assert found[0].option == 0
    assert texts(memory, found[0])[0] == "Snumbar belongs to House Orn."
    assert all(chain.value < 0.5 * found[0].value for chain in found[1:])


def test_a_report_leads_on_only_as_long_as_what_led_to_the_act_holds():
    memory, ids = told("Ana lives in Bergen.", "Berta sings in the choir.")
    attrs = {OUTCOME: "1", LED_BY: f"{ids[0]}"}
    memory.observe("You gave the letter for Ana to Per, and it came.", at=120.0, attrs=attrs)
    question, options = "Who takes the letter for Ana?", ("Per", "Kari")
    assert [one.option for one in inspect.chains(memory, question, options)] == [0]
    memory.observe("Ana moved to Oslo.", at=180.0)
    assert inspect.chains(memory, question, options) == ()


def test_a_report_whose_grounds_are_not_known_leads_on():
    memory, _ = told("Berta sings in the choir.")
    attrs = {OUTCOME: "1", LED_BY: "12345"}
    memory.observe("You sent the letter to Bergen, and Ana had it.", at=120.0, attrs=attrs)
    found = inspect.chains(
        memory, "Where do you send the letter for Ana?", ("To Bergen", "To Oslo")
    )
    assert [chain.option for chain in found] == [0]
