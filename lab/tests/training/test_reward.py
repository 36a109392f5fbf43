"""What a reply is worth, and how near a miss comes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.grammar import read_engram, read_plan
from mags.ports.policy import Turn
from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.fidelity import ExpectedFacts, StoreFidelity, fidelity_of, gold_of, taken_in
from mags_lab.training.reward import (
    GoldJudge,
    RewardWeights,
    alike,
    closeness,
    distance,
    item_f1,
    parts_of,
    read,
)

TOLD = "<engram>\nADD | Zora | lives in | Oslo\nADD | Bo | works at | Acme\n</engram>"
NAMES = st.text(alphabet="abco", max_size=6)


def engram(said: str) -> float:
    return closeness(read_engram(f"<engram>\n{said}\n</engram>"), read_engram(TOLD))


@pytest.mark.parametrize(
    ("one", "other", "letters"),
    [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "abc", 0), ("ab", "ba", 2)],
)
def test_the_distance_is_the_letters_to_be_changed(one: str, other: str, letters: int) -> None:
    assert distance(one, other) == letters


@given(NAMES, NAMES, NAMES)
def test_the_distance_is_a_metric(one: str, other: str, third: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert distance(one, third) <= distance(one, other) + distance(other, third)


def test_names_that_share_less_than_half_are_different() -> None:
    assert alike("oslo", "oslo") == 1.0
    assert alike("oslo", "osla") == 0.75
    assert alike("oslo", "rome") == 0.0


def test_each_item_is_laid_beside_the_one_it_is_nearest_to() -> None:
    assert engram("ADD | Bo | works at | Acme\nADD | Zora | lives in | Oslo") == 1.0
    # Act, relation, more, subject, and three letters of four.
    assert engram("ADD | Zora | lives in | Osla") == pytest.approx(2 * (4.75 / 5) / 3)


def test_silence_is_near_silence_alone() -> None:
    assert engram("none") == 0.0
    silent = read_engram("<engram>\nnone\n</engram>")
    assert (closeness(silent, silent), closeness(read_engram(TOLD), silent)) == (1.0, 0.0)


def test_lines_of_a_plan_are_compared_with_their_like() -> None:
    want = read_plan("<recall>\nq\nentities: Ana\nhop: Ana | boss\nkind: person\n</recall>", "")
    got = read_plan("<recall>\nq\nentities: Anna\nhop: Anna | boss\nkind: thing\n</recall>", "")
    assert closeness(want, want) == 1.0
    # The query; entity 3/4; hop: place, relation and direction, subject 3/4; kind wrong.
    assert closeness(got, want) == pytest.approx(2 * (1 + 0.75 + 3.75 / 4 + 0) / 8)


AT = 1_715_299_200.0  # 10 May 2024
MOVED = "<engram>\nUPDATE | Zora | lives in | Oslo\nADD | Zora | sister | Ana\n</engram>"
NONE = "<engram>\nnone\n</engram>"


def writing(target: str = MOVED) -> Sample:
    turn = Turn(text="I moved to Oslo, near my sister Ana.", speaker="Zora", at=AT)
    return Sample(id="w", role=Role.WRITE, split=Split.TRAIN, turn=turn, target=target)


def asking() -> Sample:
    target = "<recall>\nAna lives in\nentities: Ana\nhop: Ana | lives in\nkind: place\n</recall>"
    turn = Turn(text="Where does Ana live?", speaker="Zora", at=AT)
    return Sample(id="a", role=Role.ASK, split=Split.TRAIN, turn=turn, target=target)


def test_a_reply_like_the_target_is_worth_one() -> None:
    parts = parts_of(writing(), MOVED, RewardWeights())
    named = ("format", "grounded", "f1", "near", "exact", "gate", "reward")
    assert parts == dict.fromkeys(named, 1.0)


def test_one_of_two_operations_has_an_f1_of_two_thirds() -> None:
    sample, reply = writing(), "<engram>\nADD | Zora | sister | ana\n</engram>"
    assert item_f1(sample, read(sample, reply)) == pytest.approx(2 / 3)
    weights = RewardWeights(format=0.2, f1=0.8, near=0.0, exact=0.0)
    assert parts_of(sample, reply, weights)["reward"] == pytest.approx(0.2 + 0.8 * 2 / 3)


def test_the_parts_are_weighed_by_their_shares() -> None:
    reply = "<engram>\nADD | Zora | sister | ana\n</engram>"
    weights = RewardWeights(f1=3.0, near=3.0, exact=4.0)
    assert parts_of(writing(), reply, weights)["reward"] == pytest.approx(0.6 * 2 / 3)


def test_silence_on_a_turn_that_tells_something_earns_nothing() -> None:
    parts = parts_of(writing(), NONE, RewardWeights())
    assert (parts["format"], parts["grounded"], parts["reward"]) == (1.0, 1.0, 0.0)


def test_a_near_miss_earns_more_than_silence_and_less_than_the_right_thing() -> None:
    reply = MOVED.replace("Ana", "Anna")
    # One operation right; of the other act, relation, more and subject, and 3/4 of the name.
    near = (1.0 + (4 + 0.75) / 5) / 2
    parts = parts_of(writing(), reply, RewardWeights(f1=0.3, near=0.3, exact=0.4, invented=0.5))
    assert (parts["f1"], parts["near"], parts["grounded"]) == (0.5, pytest.approx(near), 0.0)
    assert parts["reward"] == pytest.approx(0.5 * (0.3 * 0.5 + 0.3 * near))


def test_the_order_of_operations_does_not_matter() -> None:
    reply = "<engram>\nADD | Zora | sister | Ana\nUPDATE | Zora | lives in | Oslo\n</engram>"
    assert parts_of(writing(), reply, RewardWeights())["exact"] == 1.0


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("Zora lives in Oslo.", id="no memory tokens"),
        pytest.param("<engram>\nADD | Zora | lives in\n</engram>", id="a field missing"),
    ],
)
def test_what_is_malformed_is_worth_nothing(reply: str) -> None:
    assert parts_of(writing(), reply, RewardWeights(format=1.0))["reward"] == 0.0


def test_what_is_invented_is_charged() -> None:
    reply, whole = "<engram>\nUPDATE | Zora | lives in | Bergen\n</engram>", RewardWeights(f1=0.0)
    free, charged, gated = (
        parts_of(writing(), reply, replace(whole, invented=share))["reward"]
        for share in (0.0, 0.25, 1.0)
    )
    assert free > 0.0
    assert (charged, gated) == (pytest.approx(0.75 * free), 0.0)


def test_saying_none_where_there_is_nothing_is_right() -> None:
    assert parts_of(writing(NONE), NONE, RewardWeights())["reward"] == 1.0


def test_a_plan_is_scored_line_by_line() -> None:
    sample = asking()
    reply = "<recall>\nAna lives in\nentities: Ana\nhop: Ana | works at\nkind: place\n</recall>"
    assert item_f1(sample, read(sample, reply)) == pytest.approx(2 * 3 / (4 + 4))


def test_a_plan_may_not_name_a_stranger() -> None:
    reply = "<recall>\nBo lives in\nentities: Bo\nhop: Bo | lives in\nkind: place\n</recall>"
    assert parts_of(asking(), reply, RewardWeights())["grounded"] == 0.0


@pytest.mark.parametrize(
    ("said", "worth"),
    [
        # Probes: two bystanders, the new home, the old one closed, the sister.
        pytest.param(MOVED, 1.0, id="all of it"),
        pytest.param(NONE, 2 / 5, id="nothing: only the bystanders are right"),
        pytest.param("<engram>\nUPDATE | Zora | lives in | Oslo\n</engram>", 4 / 5, id="no sister"),
        pytest.param(
            "<engram>\nUPDATE | Zora | lives in | Oslo\nADD | Zora | sister | Ana\n"
            "ADD | Ana | lives in | Oslo\n</engram>",
            5 / 6,
            id="one fact too many",
        ),
    ],
)
def test_fidelity_is_what_the_memory_knows_afterwards(said: str, worth: float) -> None:
    operations = read_engram(said).operations
    assert StoreFidelity()(writing(), operations) == pytest.approx(worth)


@pytest.mark.parametrize(
    ("said", "worth"),
    [
        # Told: the new home, the old one closed, the sister.
        pytest.param(MOVED, 1.0, id="all of it"),
        pytest.param(NONE, 0.0, id="nothing"),
        pytest.param("<engram>\nUPDATE | Zora | lives in | Oslo\n</engram>", 2 / 3, id="no sister"),
        pytest.param(
            "<engram>\nUPDATE | Zora | lives in | Oslo\nADD | Zora | sister | Ana\n"
            "ADD | Ana | lives in | Oslo\n</engram>",
            3 / 4,
            id="one fact too many",
        ),
        pytest.param(
            "<engram>\nUPDATE | Zora | lives in | Oslo\nADD | Zora | sister | Ana\n"
            "RETRACT | Orsolo | lives in | Brentavia\n</engram>",
            1 / 2,
            id="a bystander harmed",
        ),
    ],
)
def test_what_was_taken_in_pays_what_was_told_and_charges_what_was_harmed(
    said: str, worth: float
) -> None:
    sample = writing()
    found = fidelity_of(gold_of(sample), sample.turn, read_engram(said).operations, by=taken_in)
    assert found == pytest.approx(worth)


def test_nothing_taken_in_is_right_only_where_nothing_was_told() -> None:
    gold = gold_of(writing(NONE))
    kept, more = frozenset(_folded(gold)), frozenset({*_folded(gold), ("zora", "likes", "oslo")})
    assert (taken_in(gold, kept, kept), taken_in(gold, kept, more)) == (1.0, 0.0)


def _folded(gold: ExpectedFacts) -> list[tuple[str, str, str]]:
    return [(s.casefold(), r.casefold(), o.casefold()) for s, r, o in gold.before]


def test_fidelity_needs_no_label_to_be_part_of_the_reward() -> None:
    judge = GoldJudge(
        weights=RewardWeights(f1=0.0, near=0.0, exact=0.0, fidelity=1.0), fidelity=StoreFidelity()
    )
    good, poor = judge([writing(), writing()], [MOVED, NONE])
    assert (good["reward"], poor["reward"]) == (1.0, pytest.approx(2 / 5))
