"""How answers follow from rules, counted by hand."""

from mags_lab.games.nonsense.rules import NonsenseDecision, RuleSlot, before, fact, path
from mags_lab.games.turns import TruthFact

HONEST = "tells the truth"
RULES = {
    RuleSlot("guardian", "Karduin"): "Orvane",
    RuleSlot("clan", "Orvane"): "the Vesk clan",
    RuleSlot("feast", "the Vesk clan"): "the feast of Imbel",
    RuleSlot("gift", "the feast of Imbel"): "pellin salt",
    RuleSlot("key", "Karduin"): "murra wool",
    RuleSlot("honesty", "Ferrin"): HONEST,
    RuleSlot("law", "Karduin", "whistling"): "forbidden",
    before("the custom of B", "the custom of A"): "the custom of B",
    RuleSlot("act", "the custom of B"): "walk backwards",
}


def answer(*decision: str) -> tuple[str, int] | None:
    found = path(RULES, NonsenseDecision(*decision), HONEST)
    return None if found is None else (found.answer, len(found.links))


def test_a_chain_of_four_rules_ends_in_a_gift() -> None:
    assert answer("gift_place", "Karduin") == ("pellin salt", 4)
    assert answer("gift_creature", "Orvane") == ("pellin salt", 3)
    assert answer("gift_clan", "the Vesk clan") == ("pellin salt", 2)
    assert answer("gift_feast", "the feast of Imbel") == ("pellin salt", 1)


def test_a_creatures_own_rule_goes_before_that_of_its_clan() -> None:
    rules = {**RULES, RuleSlot("own gift", "Orvane"): "bolla ink"}
    one = path(rules, NonsenseDecision("gift_creature", "Orvane"), HONEST)
    far = path(rules, NonsenseDecision("gift_place", "Karduin"), HONEST)
    assert one is not None
    assert far is not None
    assert (one.answer, len(one.links)) == ("bolla ink", 1)
    assert (far.answer, [slot.relation for slot, _ in far.links]) == (
        "bolla ink",
        ["guardian", "own gift"],
    )


def test_of_two_customs_the_one_that_goes_before_says_what_to_do() -> None:
    assert answer("clash", "the custom of A", "the custom of B") == ("walk backwards", 2)


def test_a_gate_and_a_truth_teller_are_found_the_other_way_round() -> None:
    assert answer("enter", "Karduin", "murra wool") == ("Karduin", 1)
    assert answer("enter", "Karduin", "pellin salt") is None
    assert answer("believe", "Ferrin") == ("Ferrin", 1)
    assert answer("believe", "Orvane") is None


def test_a_broken_chain_has_no_answer() -> None:
    assert answer("gift_creature", "Nobody") is None


def test_facts_are_triples_that_name_everything() -> None:
    assert fact(RuleSlot("law", "Karduin", "whistling"), "forbidden") == TruthFact(
        subject="Karduin", relation="law on whistling", object="forbidden"
    )
    slot = before("the custom of B", "the custom of A")
    assert fact(slot, "the custom of B") == TruthFact(
        subject="the custom of B", relation="goes before", object="the custom of A"
    )
