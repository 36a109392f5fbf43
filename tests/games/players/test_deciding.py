"""Whom to follow, and what words of actions mean, is learned from what acts brought."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mags.games.players.deciding import Deciding
from mags.games.players.evidence import matter
from mags.games.turns import Choice

FOODS = ("Offer fern", "Offer stew", "Offer seed")
FEED = "What do you feed Vroarnoa?"
LED = {"Offer fern": 0.4, "Offer seed": 0.05}
LAWS = ("Stay out of fishing", "Go on fishing as all may", "Buy a licence before fishing")


def read(action: str, sure: float = 0.995) -> Choice:
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


def test_at_first_a_reader_that_is_sure_is_followed():
    assert Deciding().between(read("Offer stew"), FEED, FOODS, LED) == read("Offer stew")


def test_at_first_a_reader_that_is_unsure_gives_way_to_what_leads_much_better():
    unsure = read("Offer stew", sure=0.6)
    assert Deciding().between(unsure, FEED, FOODS, LED).action == "Offer fern"
    near = {"Offer fern": 0.4, "Offer stew": 0.35}
    assert Deciding().between(unsure, FEED, FOODS, near) == unsure


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from(FOODS))
def test_the_surer_a_reader_the_longer_it_is_followed(one: float, other: float, action: str):
    less, more = sorted((one, other))
    followed = [Deciding().between(read(action, s), FEED, FOODS, LED).action for s in (less, more)]
    assert followed[0] != action or followed[1] == action


@given(st.sampled_from([0.0, 1.0]), st.sampled_from(FOODS))
def test_a_reader_at_either_end_of_its_scale_still_chooses(sure: float, action: str):
    choice = Deciding().between(read(action, sure), FEED, (action,), {action: 0.2})
    assert choice.action == action


def test_where_the_memory_was_right_again_and_again_it_is_followed_for_other_names_too():
    found = taught(6, led=True).between(read("Offer stew"), "What do you feed Pell?", FOODS, LED)
    assert found.action == "Offer fern"
    assert found.cited == (1,)


def test_where_the_reader_was_right_it_stays_with_the_reader():
    found = taught(6, led=False).between(read("Offer stew"), FEED, FOODS, LED)
    assert found.action == "Offer stew"


def test_what_was_learned_of_one_question_hardly_moves_another():
    cook = "Which dish would the guest never touch at dinner tonight?"
    better = {"Offer fern": 0.4, "Offer stew": 0.2}
    assert taught(3, led=True).between(read("Offer stew"), cook, FOODS, better) == read(
        "Offer stew"
    )
    assert taught(3, led=True).between(read("Offer stew"), FEED, FOODS, better) != read(
        "Offer stew"
    )


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
