"""How likely it is right what was read: fitted on what was judged, and read by the product."""

import math
from random import Random

import pytest

from mags.models.policy.reader.network import Calibration
from mags_lab.talk.calibration import blended, logistic, network
from mags_lab.talk.corpus import DATA, dialogues, judged_answers, judged_facts

EITHER = [({"a": a, "b": b, "none": 0.0}, float(a != b)) for a in (0.0, 1.0) for b in (0.0, 1.0)]


def test_units_are_added_to_the_logistic_model_where_they_are_heard() -> None:
    model = Calibration(
        weights={"a": 2.0}, bias=-1.0, units={"a": (1.0, 0.0), "b": (0.0, -1.0)}, shift=(0.5, 0.25),
        out=(2.0, 3.0),
    )  # fmt: skip
    logit = -1.0 + 2.0 * 1.0 + 2.0 * (0.5 + 1.0)  # the second unit hears .25 - 1: nothing
    assert model.probability({"a": 1.0, "b": 1.0, "c": 9.0}) == pytest.approx(
        1 / (1 + math.exp(-logit))
    )
    assert model.probability({}) == pytest.approx(1 / (1 + math.exp(1.0 - 2.0 * 0.5 - 3.0 * 0.25)))


def test_a_network_tells_what_no_logistic_model_does() -> None:
    told = EITHER * 1000
    assert all(logistic(told).probability(x) == pytest.approx(0.5, abs=0.01) for x, _ in EITHER)
    fitted = network(told)
    assert all((fitted.probability(x) > 0.6) == bool(right) for x, right in EITHER)
    assert all((fitted.probability(x) < 0.4) != bool(right) for x, right in EITHER)
    assert "none" not in fitted.units  # nothing is learned of what is never there
    assert fitted == network(told)


def test_a_model_is_as_sure_as_what_it_learned_is_right() -> None:
    rng = Random(3)
    told = [({"a": a}, float(rng.random() < 0.2 + 0.6 * a)) for a in (0.0, 1.0) for _ in range(500)]
    for model in (logistic(told), network(told)):
        assert model.probability({"a": 0.0}) == pytest.approx(0.2, abs=0.06)
        assert model.probability({"a": 1.0}) == pytest.approx(0.8, abs=0.06)


def test_what_was_judged_is_of_dev() -> None:
    dev = [one for one in dialogues(DATA, "dev") if one.turns]
    own = {one.id for one in dev}
    turns = {said.id for one in dev for said in one.turns}
    facts = judged_facts()
    read_in_place = {turn for turn, *_ in facts} - turns
    assert not {turn.rpartition(":")[0] for turn in read_in_place} & own
    assert len({turn for turn, *_ in facts} & turns) > 2000
    asked = {(one.id, q.who, q.text) for one in dev for q in one.questions}
    known = [key for key in judged_answers() if key[0] in own]
    assert len(known) > 5000
    assert all(key[:3] in asked and key[3] in ("value", "quote") for key in known)


def test_a_blend_is_the_mean_of_a_network_and_a_logistic_model() -> None:
    told = EITHER * 100 + [({"a": 1.0}, 1.0)] * 60
    logit = [
        math.log(p / (1.0 - p))
        for model in (logistic(told), network(told), blended(told))
        for p in [model.probability({"a": 1.0, "b": 1.0})]
    ]
    assert logit[2] == pytest.approx((logit[0] + logit[1]) / 2.0, abs=1e-3)
