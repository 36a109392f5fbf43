"""The player's diary: what came of what was done, and what lines told with acts mean."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mags_lab.games.players.diary import BREATH_S, TRIES, Lessons, RecordedAct, RewardDiary, Tried
from mags_lab.games.players.notes import Note
from mags_lab.games.turns import GameLine, GameScene

LEFT, RIGHT = frozenset({"ana", "left"}), frozenset({"ana", "right"})
NOWHERE = "No {} is in any drawer of Ana."
ELSEWHERE = "The {} is in another drawer of Ana."


def act(about: frozenset[str], thing: str) -> RecordedAct:
    return RecordedAct(frozenset({"ana"}), about, frozenset({thing}))


def taught(line: str, *won: bool) -> Lessons:
    """Looked for in vain on the left, then on the right, so many things."""
    lessons = Lessons()
    for number, well in enumerate(won):
        thing = f"key{number}"
        lessons.learn(act(LEFT, thing), [line.format(thing)], won=False)
        lessons.learn(act(RIGHT, thing), [], won=well)
    return lessons


def test_a_line_after_which_an_act_never_went_well_elsewhere_speaks_against_it_there():
    lessons = taught(NOWHERE, *[False] * TRIES)
    lessons.learn(act(LEFT, "ring"), [NOWHERE.format("ring")], won=False)
    assert lessons.against(act(RIGHT, "ring"))
    assert not lessons.against(act(RIGHT, "coin"))
    assert not lessons.against(
        RecordedAct(frozenset({"ben"}), frozenset({"ben"}), frozenset({"ring"}))
    )


def test_a_line_after_which_it_went_well_at_times_speaks_against_nothing():
    lessons = taught(ELSEWHERE, *[False] * TRIES, True)
    lessons.learn(act(LEFT, "ring"), [ELSEWHERE.format("ring")], won=False)
    assert not lessons.against(act(RIGHT, "ring"))


def test_a_line_of_another_or_without_the_act_says_nothing():
    lessons = taught(NOWHERE, *[False] * TRIES)
    lessons.learn(act(LEFT, "ring"), ["No ring is in any drawer of Ben.", "Ana sighs."], won=False)
    assert not lessons.against(act(RIGHT, "ring"))


@given(st.lists(st.booleans(), max_size=TRIES - 1))
def test_nothing_is_learned_from_few_acts(won: list[bool]):
    lessons = taught(NOWHERE, *won)
    lessons.learn(act(LEFT, "ring"), [NOWHERE.format("ring")], won=False)
    assert not lessons.against(act(RIGHT, "ring"))


ACTIONS = ("Offer oat bread", "Offer rye bread", "Offer plum jam")


def scene(question: str = "What do you feed Gurken?") -> GameScene:
    return GameScene(turn=3, at=10.0, said=(), question=question, actions=ACTIONS)


def note(text: str, at: float = 20.0) -> Note:
    return Note(said=(4, 0), line=GameLine(speaker="narrator", text=text, at=at))


def test_the_first_line_that_says_what_was_done_reports_it():
    diary = RewardDiary()
    diary.did(scene(), "Offer rye bread", 0.0)
    line = note("Gurken spat the rye out.")
    assert diary.report([line]) == (line, 0.0)
    assert diary.report([line]) is None


def test_a_line_about_something_else_reports_nothing():
    diary = RewardDiary()
    diary.did(scene(), "Offer rye bread", 0.0)
    assert diary.report([note("A light rain falls.")]) is None


def test_a_bare_no_speaks_where_all_words_of_the_question_are_asked_again():
    diary = RewardDiary()
    diary.did(scene(), "Offer rye bread", 0.0)
    diary.report([note("That is wrong.")])
    assert diary.tried("What do you feed Gurken?", ACTIONS).failed == (1,)
    assert diary.tried("What does Gurken want?", ACTIONS) == Tried()
    assert diary.after("What does Gurken want?", ACTIONS) == {}
    diary.did(scene(), "Offer oat bread", 1.0)
    diary.report([note("That was it.")])
    assert diary.tried("What do you feed Gurken?", ACTIONS).won is None


def test_what_went_wrong_counts_for_nothing_until_something_newer_is_said():
    diary = RewardDiary()
    diary.did(scene(), "Offer rye bread", 0.0)
    diary.report([note("Gurken spat the rye out.")])
    assert diary.after("It is time to feed Gurken. With what?", ACTIONS) == {1: 20.0 + BREATH_S}


def test_what_went_well_speaks_against_the_others():
    diary = RewardDiary()
    diary.did(scene(), "Offer rye bread", 0.0)
    diary.report([note("Gurken spat the rye out.")])
    diary.did(scene(), "Offer rye bread", 1.0)
    diary.report([note("Gurken loved the rye.", 30.0)])
    assert diary.after("What do you feed Gurken?", ACTIONS) == {0: 30.0, 2: 30.0}


def test_where_there_is_nothing_to_do_nothing_was_tried():
    diary = RewardDiary()
    done(diary, "Offer rye bread", 0.0)
    assert diary.tried("What do you feed Gurken?", ()) == Tried()


def test_another_one_and_a_question_without_names_are_other_matters():
    diary = RewardDiary()
    diary.did(scene(), "Offer rye bread", 0.0)
    diary.report([note("Gurken spat the rye out.")])
    assert diary.after("What do you feed Snumbar?", ACTIONS) == {}
    assert diary.after("what do you pick?", ACTIONS) == {}


def done(
    diary: RewardDiary, action: str, reward: float, question: str = "What do you feed Gurken?"
):
    diary.did(scene(question), action, reward)
    diary.report([note(f"Gurken saw it: {action.split()[1]}.")])


def test_what_failed_in_this_very_situation_is_known():
    diary = RewardDiary()
    done(diary, "Offer rye bread", 0.0)
    done(diary, "Offer plum jam", 0.0)
    assert diary.tried("It is time to feed Gurken. With what?", ACTIONS) == Tried(failed=(1, 2))
    assert diary.tried("What do you feed Snumbar?", ACTIONS) == Tried()


def test_what_won_stays_won_until_it_fails_and_then_nothing_before_counts():
    diary = RewardDiary()
    done(diary, "Offer oat bread", 0.0)
    done(diary, "Offer rye bread", 1.0)
    assert diary.tried("What do you feed Gurken?", ACTIONS) == Tried(failed=(0,), won=1)
    done(diary, "Offer rye bread", 0.0)
    assert diary.tried("What do you feed Gurken?", ACTIONS) == Tried(failed=(1,))


def test_where_what_won_goes_wrong_what_won_before_it_is_the_first_to_try():
    diary = RewardDiary()
    done(diary, "Offer oat bread", 1.0)
    done(diary, "Offer oat bread", 0.0)
    done(diary, "Offer rye bread", 1.0)
    assert diary.tried("What do you feed Gurken?", ACTIONS) == Tried(failed=(0,), won=1)
    done(diary, "Offer rye bread", 0.0)
    assert diary.tried("What do you feed Gurken?", ACTIONS) == Tried(failed=(1,), won=0)
    done(diary, "Offer oat bread", 0.0)
    assert diary.tried("What do you feed Gurken?", ACTIONS) == Tried(failed=(1, 0))
    done(diary, "Offer plum jam", 1.0)
    done(diary, "Offer plum jam", 0.0)
    assert diary.tried("What do you feed Gurken?", ACTIONS) == Tried(failed=(2,), won=1)


def test_what_won_before_is_known_however_often_it_failed_in_between():
    diary = RewardDiary()
    for action, reward in (("oat", 1.0), ("rye", 1.0), ("rye", 0.0), ("rye", 1.0), ("rye", 0.0)):
        done(diary, f"Offer {action} bread", reward)
    assert diary.tried("What do you feed Gurken?", ACTIONS) == Tried(failed=(1,), won=0)


def test_what_was_told_of_an_act_counts_where_less_shows_that_the_same_is_asked():
    diary = RewardDiary()
    giving = tuple(f"Give the guardian {thing}" for thing in ("honey", "nuts", "wool"))
    question = "What do you give the guardian of Gilpe?"
    diary.did(GameScene(turn=1, at=1.0, said=(), question=question, actions=giving), giving[0], 0.0)
    diary.report([note("It threw the honey away.")])
    assert diary.tried("The guardian of Gilpe waits. What now?", giving) == Tried(failed=(0,))


def test_what_was_done_about_something_else_there_leaves_what_won():
    diary = RewardDiary()
    done(diary, "Offer rye bread", 1.0)
    greeting = ("Bow to it", "Wave to it")
    diary.did(
        GameScene(turn=4, at=11.0, said=(), question="How do you greet Gurken?", actions=greeting),
        "Wave to it",
        1.0,
    )
    diary.report([note("Gurken liked the wave.", 25.0)])
    assert diary.tried("What do you feed Gurken?", ACTIONS).won == 1


SWIMMING = ("Give up swimming for now", "Do swimming before noon", "Do swimming at any hour")
SHOUTING = ("Give up shouting for now", "Do shouting before noon", "Do shouting at any hour")


def test_a_bare_yes_or_no_speaks_where_the_same_is_asked_in_other_words():
    diary = RewardDiary()
    asked = GameScene(
        turn=1, at=1.0, said=(), question="Is swimming well in Gilpe?", actions=SWIMMING
    )
    other, third = "Your friends in Gilpe start swimming. And you?", "In Gilpe they dare you: shout"
    diary.did(asked, SWIMMING[0], 0.0)
    diary.report([note("The watch of Gilpe took you in.")])
    assert diary.tried(other, SWIMMING) == Tried(failed=(0,))
    diary.did(asked, SWIMMING[2], 1.0)
    diary.report([note("Nothing happened.", 30.0)])
    assert diary.tried(other, SWIMMING) == Tried(failed=(0,), won=2)
    assert diary.tried("Your friends in Zuwom start swimming. And you?", SWIMMING) == Tried()
    assert diary.tried(third.replace("shout", "shouting"), SHOUTING) == Tried()


def test_a_word_in_which_questions_differ_that_are_else_alike_makes_another_situation():
    diary = RewardDiary()
    done(diary, "Offer rye bread", 0.0, "What is the left wish of Gurken?")
    assert diary.tried("What is the right wish of Gurken?", ACTIONS) == Tried()
    assert diary.about("Say the left wish of Gurken!") == {"left", "gurken"}
    assert diary.tried("Say the left wish of Gurken!", ACTIONS).failed == (1,)
    assert diary.tried("What is the left wish of Snumbar?", ACTIONS) == Tried()


def test_what_was_said_in_the_same_breath_does_not_speak_for_what_failed():
    diary = RewardDiary()
    diary.did(scene(), "Offer rye bread", 0.0)
    diary.report([note("Gurken spat the rye out."), note("Rye is for others.", 25.0)])
    assert diary.after("What do you feed Gurken?", ACTIONS)[1] > 25.0


def test_what_came_with_an_act_elsewhere_may_speak_against_it():
    diary = RewardDiary()
    signs = tuple(f"Say {sign}" for sign in ("owl", "lamp", "pear", "drum", "key", "star", "boat"))
    for turn, action in enumerate([*signs, "Say owl"]):
        for place in ("left", "right"):
            at = 100.0 * turn + 50.0 * (place == "right")
            question = f"Which sign is the {place} one of Gurken?"
            asked = GameScene(turn=turn, at=at, said=(), question=question, actions=signs)
            diary.did(asked, action, 0.0)
            sign = action.removeprefix("Say ")
            diary.report([note(f"No {sign} is in the row of Gurken.", at=at + 1.0)])
    tried = diary.tried("Which sign is the middle one of Gurken?", signs)
    assert tried.against == frozenset(range(len(signs)))
    assert diary.tried("Which sign is the middle one of Berta?", signs).against == frozenset()


def test_what_was_done_while_something_held_for_a_while_says_nothing_once_it_is_over():
    diary = RewardDiary()
    question = "What do you feed Gurken?"
    diary.did(scene(), "Offer rye bread", 1.0, frozenset({7}))
    diary.report([note("Gurken ate the rye.", at=20.0)])
    diary.did(scene(), "Offer oat bread", 0.0)
    diary.report([note("Gurken spat the oat out.", at=30.0)])
    assert diary.tried(question, ACTIONS) == Tried(failed=(0,), won=1)
    diary.end(8, 0.0, 90.0)
    assert diary.tried(question, ACTIONS) == Tried(failed=(0,), won=1)
    diary.end(7, 0.0, 90.0)
    assert diary.tried(question, ACTIONS) == Tried()
    assert diary.after(question, ACTIONS) == {}
    diary.did(scene(), "Offer plum jam", 1.0)
    diary.report([note("Gurken ate the jam.", at=100.0)])
    assert diary.tried(question, ACTIONS) == Tried(won=2)
