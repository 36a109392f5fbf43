"""The reward of a reply: each part by hand, the gate, and what a memory would know by it."""

from __future__ import annotations

import pytest

from mags.models.grammar import read_engram
from mags.ports.policy import Turn
from mags.training.chains.schema import Role, Sample, Split
from mags.training.fidelity import StoreFidelity
from mags.training.reward import GoldJudge, RewardWeights, item_f1, parts_of, read

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
    assert parts == {"format": 1.0, "grounded": 1.0, "f1": 1.0, "exact": 1.0, "reward": 1.0}


def test_one_of_two_operations_has_an_f1_of_two_thirds() -> None:
    sample, reply = writing(), "<engram>\nADD | Zora | sister | ana\n</engram>"
    assert item_f1(sample, read(sample, reply)) == pytest.approx(2 / 3)
    worth = parts_of(sample, reply, RewardWeights(format=0.2, f1=0.8))["reward"]
    assert worth == pytest.approx(0.2 + 0.8 * 2 / 3)


def test_the_order_of_operations_does_not_matter() -> None:
    reply = "<engram>\nADD | Zora | sister | Ana\nUPDATE | Zora | lives in | Oslo\n</engram>"
    assert parts_of(writing(), reply, RewardWeights())["exact"] == 1.0


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("Zora lives in Oslo.", id="no memory tokens"),
        pytest.param("<engram>\nADD | Zora | lives in\n</engram>", id="a field missing"),
        pytest.param("<engram>\nADD | Zora | lives in | Bergen\n</engram>", id="invented"),
    ],
)
def test_what_is_malformed_or_invented_is_worth_nothing(reply: str) -> None:
    assert parts_of(writing(), reply, RewardWeights())["reward"] == 0.0


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


def test_fidelity_needs_no_label_to_be_part_of_the_reward() -> None:
    judge = GoldJudge(
        weights=RewardWeights(format=0.0, f1=0.0, fidelity=1.0), fidelity=StoreFidelity()
    )
    good, poor = judge([writing(), writing()], [MOVED, NONE])
    assert (good["reward"], poor["reward"]) == (1.0, pytest.approx(2 / 5))
