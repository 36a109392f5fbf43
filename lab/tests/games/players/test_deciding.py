"""What a player learns from its acts: records, votes, and what words mean."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags_lab.games.players.deciding import (
    STEADY,
    SUREST,
    Deciding,
    Features,
    LogLinear,
    SuccessRate,
    chances,
    words_of,
)
from mags_lab.games.players.notes import matter
from mags_lab.games.turns import Choice

RED: Features = {("red",): 1.0}
BLUE: Features = {("blue",): 1.0}


def gap(model: LogLinear) -> float:
    red, blue = model.logs((0.0, 0.0), (RED, BLUE))
    return red - blue


def test_who_has_learned_nothing_goes_by_the_priors():
    assert LogLinear(0.2).logs((0.5, -1.0), (RED, BLUE)) == [0.5, -1.0]


def test_one_step_after_a_win_is_the_slope_of_the_likelihood():
    model = LogLinear(0.2)
    gap(model)
    model.learn(0, won=True)  # both had a half, so the slope is +-1/2
    size = 0.2 * 0.5 / math.sqrt(0.5**2 + STEADY)
    assert gap(model) == pytest.approx(2 * size)


def test_one_step_after_a_failure_is_the_slope_of_one_less_the_likelihood():
    model = LogLinear(0.2)
    model.logs((math.log(3.0), 0.0), (RED, BLUE))
    model.learn(0, won=False)  # chances 3/4, 1/4; odds of 3 are held to 1: slopes -1/4 and +1/4
    size = 0.2 * 0.25 / math.sqrt(0.25**2 + STEADY)
    assert gap(model) == pytest.approx(-2 * size)


def test_what_was_sure_and_went_wrong_is_a_step_of_finite_size():
    model = LogLinear(0.2)
    model.logs((100.0, 0.0), (RED, BLUE))
    model.learn(0, won=False)
    assert -2 * 0.2 / math.sqrt(STEADY) * (1.0 - SUREST) < gap(model) <= 0.0


def test_what_came_of_a_thing_is_taken_in_once_and_never_after_forgetting():
    once, never = LogLinear(0.2), LogLinear(0.2)
    gap(once)
    once.learn(0, won=True)
    before = gap(once)
    once.forget()
    once.learn(0, won=True)
    never.learn(0, won=True)
    assert gap(once) == before
    assert gap(never) == 0.0


def test_chances_of_nothing_and_of_what_cannot_be():
    assert chances([]) == []
    assert chances([-math.inf, -math.inf]) == [0.0, 0.0]
    assert chances([-math.inf, 3.0]) == [0.0, 1.0]


@given(st.lists(st.floats(-300.0, 300.0), min_size=1))
def test_chances_sum_to_one_in_the_order_of_their_logarithms(logs: list[float]):
    found = chances(logs)
    assert sum(found) == pytest.approx(1.0)
    assert found.index(max(found)) == logs.index(max(logs)) or max(found) == pytest.approx(
        found[logs.index(max(logs))]
    )


FED, TRUST = words_of("What do you feed Pell?"), words_of("Whom do you trust?")


def test_nothing_known_is_the_share_at_first():
    assert SuccessRate(0.6, 4.0).share(FED) == pytest.approx(0.6)


def test_a_share_is_half_of_all_turns_and_half_of_those_in_these_words():
    record = SuccessRate(0.5, 2.0)
    record.learn(("feed", "*"), right=True)
    record.learn(("trust", "*"), right=False)
    every = (1 + 1) / (2 + 2)
    assert record.share(("feed", "*")) == pytest.approx(
        0.5 * every + 0.25 * ((1 + 1) / (1 + 2) + every)
    )


def test_what_is_asked_in_other_words_counts_half():
    record = SuccessRate(0.5, 2.0)
    for _ in range(10):
        record.learn(FED, right=True)
    assert 0.5 < record.share(TRUST) < record.share(FED)


@given(st.lists(st.tuples(st.sampled_from([FED, TRUST]), st.booleans()), max_size=20))
def test_a_share_stays_between_none_and_all_and_rises_with_what_is_right(
    turns: list[tuple[tuple[str, ...], bool]],
):
    record, worse = SuccessRate(0.6, 4.0), SuccessRate(0.6, 4.0)
    for asked, right in turns:
        record.learn(asked, right=right)
        worse.learn(asked, right=False)
    for asked in (FED, TRUST):
        assert 0.0 <= worse.share(asked) <= record.share(asked) <= 1.0


FOODS = ("Offer fern", "Offer stew", "Offer seed")
FEED = "What do you feed Vroarnoa?"
LED = {"Offer fern": 0.4, "Offer seed": 0.05}
LAWS = ("Stay out of fishing", "Go on fishing as all may", "Buy a licence before fishing")


def read(action: str, sure: float = 0.6) -> Choice:
    return Choice(action=action, sure=sure, cited=(1,))


def law(place: str, word: str) -> tuple[str, str, frozenset[str]]:
    question = f"Is fishing all right in {place}?"
    return question, f"In {place} fishing is {word}.", matter(question, LAWS)


def taught(times: int, *, led: bool) -> Deciding:
    """The reader and the memory differ; the one of them that is followed was right."""
    deciding = Deciding()
    for _ in range(times):
        choice = read("Offer stew")
        deciding.between(choice, FEED, FOODS, LED)
        deciding.learn("Offer fern" if led else "Offer stew", won=True)
    return deciding


def shared(*shares: float) -> Choice:
    """What a reader chooses that tells how likely it takes each of the foods to be."""
    top = max(range(len(shares)), key=shares.__getitem__)
    return Choice(action=FOODS[top], sure=shares[top], cited=(1,), shares=shares)


def test_at_first_a_reader_that_tells_no_shares_is_followed():
    assert Deciding().between(read("Offer stew"), FEED, FOODS, LED) == read("Offer stew")


def test_at_first_a_reader_that_takes_what_is_led_to_for_wrong_is_followed():
    for choice in (shared(0.001, 0.998, 0.001), shared(0.001, 0.5, 0.499)):
        assert Deciding().between(choice, FEED, FOODS, LED) == choice


def test_at_first_a_reader_that_doubts_gives_way_to_what_leads_much_better():
    choice = shared(0.35, 0.6, 0.05)
    assert Deciding().between(choice, FEED, FOODS, LED).action == "Offer fern"
    near = {"Offer fern": 0.4, "Offer stew": 0.38}
    assert Deciding().between(choice, FEED, FOODS, near) == choice


@given(st.floats(0.0, 0.6), st.floats(0.0, 0.6))
def test_the_likelier_a_reader_takes_what_is_led_to_the_sooner_it_is_taken(one: float, two: float):
    less, more = sorted((one, two))
    taken = [
        Deciding().between(shared(share, 0.7, 0.3), FEED, FOODS, LED).action == "Offer fern"
        for share in (less, more)
    ]
    assert taken[0] <= taken[1]


@given(st.sampled_from([0.0, 1.0]), st.sampled_from(FOODS))
def test_a_reader_at_either_end_of_its_scale_still_chooses(sure: float, action: str):
    choice = Choice(action=action, sure=sure, shares=(sure,))
    assert Deciding().between(choice, FEED, (action,), {action: 0.2}).action == action


def test_where_the_memory_was_right_again_and_again_it_is_followed_for_other_names_too():
    found = taught(6, led=True).between(read("Offer stew"), "What do you feed Pell?", FOODS, LED)
    assert found.action == "Offer fern"
    assert found.cited == (1,)


def test_where_the_reader_was_right_it_stays_with_the_reader():
    found = taught(6, led=False).between(read("Offer stew"), FEED, FOODS, LED)
    assert found.action == "Offer stew"


def test_what_was_learned_of_one_question_hardly_moves_another():
    cook = "Which dish would the guest never touch at dinner tonight?"
    near = {"Offer fern": 0.4, "Offer stew": 0.2}
    led = taught(3, led=True)
    assert led.between(read("Offer stew"), cook, FOODS, near) == read("Offer stew")
    assert led.between(read("Offer stew"), FEED, FOODS, near).action == "Offer fern"


def test_an_action_that_is_not_open_is_never_taken():
    found = taught(6, led=True).between(read("Offer stew"), FEED, FOODS[1:], LED)
    assert found.action in FOODS[1:]


def test_without_a_lead_the_reader_decides():
    choice = read("Offer stew")
    assert taught(6, led=True).between(choice, FEED, FOODS, {}) == choice


def test_an_action_in_the_words_of_the_line_goes_before_the_readers():
    _, line, asked = law("Baryin", "allowed when you buy a licence before you go")
    found = Deciding().outright(read(LAWS[0]), LAWS, LAWS, [line], asked)
    assert found.action == "Buy a licence before fishing"


def test_what_a_word_of_a_line_means_is_learned_and_holds_elsewhere():
    deciding = Deciding()
    for place in ("Baryin", "Orgul", "Temsin"):
        _, line, asked = law(place, "banned")
        deciding.outright(read(LAWS[0]), LAWS, LAWS, [line], asked)
        deciding.learn(LAWS[0], won=True)
    _, line, asked = law("Yemnun", "banned")
    assert deciding.outright(read(LAWS[1]), LAWS, LAWS, [line], asked).action == LAWS[0]
    _, line, asked = law("Yemnun", "free")
    assert deciding.outright(read(LAWS[1]), LAWS, LAWS, [line], asked).action == LAWS[1]


def test_the_last_line_counts_most():
    deciding = Deciding()
    lines = ["In Baryin you may buy a licence.", "In Baryin you may go on as all may."]
    asked = matter("Is fishing all right in Baryin?", LAWS)
    assert deciding.outright(read(LAWS[0]), LAWS, LAWS, lines, asked).action == LAWS[1]


def test_another_question_leaves_nothing_to_learn_from():
    deciding = Deciding()
    for _ in range(6):
        deciding.between(read("Offer stew"), FEED, FOODS, LED)
        deciding.meet()
        deciding.learn("Offer fern", won=True)
    assert deciding.between(read("Offer stew"), FEED, FOODS, LED) == read("Offer stew")


def test_the_matter_is_what_all_actions_share_with_the_question_and_its_names():
    assert matter("Is fishing all right in Baryin?", LAWS) == frozenset({"fish", "baryin"})
    assert matter("Is fishing all right here?", LAWS) == frozenset()
    assert matter("What do you feed Vroarnoa?", FOODS) == frozenset()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(FOODS),
            st.dictionaries(st.sampled_from(FOODS), st.floats(0.0, 1.0)),
            st.sets(st.sampled_from(FOODS), min_size=1),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_the_choice_is_always_open_and_chances_stay_in_bounds(
    turns: list[tuple[str, dict[str, float], set[str], bool]],
):
    deciding = Deciding()
    for pick, led, some, won in turns:
        open_ = tuple(sorted({pick, *some}))
        found = deciding.between(read(pick), FEED, open_, led)
        assert found.action in open_
        assert 0.0 <= found.sure <= 1.0
        deciding.learn(found.action, won=won)


TOLD = shared(0.5, 0.3, 0.2)


def failed(deciding: Deciding, times: int) -> Deciding:
    """Reader and memory agree, and are wrong."""
    for _ in range(times):
        deciding.between(read("Offer fern"), FEED, FOODS, LED)
        deciding.learn("Offer fern", won=False)
    return deciding


def test_many_lines_are_not_asked_for_until_reader_and_memory_were_wrong():
    assert not Deciding().asks(TOLD, FEED)
    assert failed(Deciding(), 2).asks(TOLD, FEED)


def test_a_reader_that_tells_no_shares_is_never_asked_twice():
    assert not failed(Deciding(), 2).asks(read("Offer fern"), FEED)


def test_they_are_asked_for_where_others_failed_and_hardly_elsewhere():
    deciding = Deciding()
    for _ in range(10):
        deciding.between(read("Offer fern"), "Whom does Ana trust?", FOODS, LED)
        deciding.learn("Offer fern", won=True)
    failed(deciding, 4)
    assert deciding.asks(TOLD, "What do you feed Pell?")
    assert not deciding.asks(TOLD, "Whom does Bo trust?")


def test_where_many_lines_were_right_again_and_again_they_are_followed():
    deciding = failed(Deciding(), 2)
    many = read("Offer seed", sure=0.9)
    for _ in range(6):
        deciding.between(read("Offer stew"), FEED, FOODS, LED, many)
        deciding.learn("Offer seed", won=True)
    assert deciding.asks(TOLD, FEED)
    assert deciding.between(read("Offer stew"), FEED, FOODS, LED, many).action == "Offer seed"


def test_where_many_lines_were_wrong_they_are_not_asked_for_again():
    deciding = failed(Deciding(), 2)
    for _ in range(6):
        deciding.between(read("Offer stew"), FEED, FOODS, LED, read("Offer seed", sure=0.9))
        deciding.learn("Offer stew", won=True)
    assert not deciding.asks(TOLD, FEED)


def test_what_many_lines_say_of_no_open_action_is_passed_over():
    many = read("Offer seed", sure=0.9)
    found = Deciding().between(read("Offer stew"), FEED, FOODS[:2], LED, many)
    assert found.action in FOODS[:2]
