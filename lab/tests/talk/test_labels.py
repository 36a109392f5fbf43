"""Gold facts as rows of a layout, and whether what was made says them."""

from datetime import UTC, datetime

import pytest

from mags.models.policy.reader.network import SPEAKER, SPECIAL, passage
from mags.ports.policy import Turn
from mags_lab.talk.corpus import AnnotatedDialogue, AnnotatedFact, Ended, parse
from mags_lab.talk.labels import core, days, examples, named_relation, nearly
from mags_lab.talk.matching import Made, ends, says

TALK = """== one | friends | ana
people: Ana; Ben
-- 2024-03-02
Ben: Where are you these days?
Ana: I teach chemistry in Graz, my brother Ole moved to Oslo. Sue paints.
+ s | me | teaches | chemistry | topic: work
+ e | my brother / Ole | moved to | Oslo | topic: home
+ s | Nobody | paints | =walls
"""


@pytest.fixture
def talk() -> AnnotatedDialogue:
    return parse(TALK)[0]


def words(layout, span: tuple[int, int]) -> str:
    return " ".join(one.text for one in layout.words[span[0] - SPECIAL : span[1] - SPECIAL + 1])


def test_objects_subjects_and_verbs_are_pointed_at_and_what_cannot_be_is_left_out(
    talk: AnnotatedDialogue,
):
    (_, asked, _), (layout, gold, (tells, over)) = examples(talk)
    assert asked == ()
    assert (tells, over) == (True, False)
    first, second = gold
    assert words(layout, first.object) == "chemistry"
    assert first.subject == (SPEAKER, SPEAKER)
    assert words(layout, first.verb) == "teach"
    assert words(layout, second.object) == "Oslo"
    assert words(layout, second.subject) == "my brother"
    assert words(layout, second.verb) == "moved to"


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["2 March 2024"], "today"),
        (["her new green bike"], "green bike"),
        (["three bikes"], ""),
    ],
)
def test_an_answer_is_pointed_at_as_a_day_or_by_the_words_most_like_it(
    answers: list[str], said: str
):
    turn = Turn(
        text="I got a green bike and a bicycle today.",
        speaker="Ana",
        at=datetime(2024, 3, 2, tzinfo=UTC).timestamp(),
    )
    layout, (line,) = passage(Turn(text="What?", speaker="Ana"), [turn])
    found = [*days(answers, turn, layout, line), *nearly(answers, layout, line)]
    assert {words(layout, one) for one in found} == ({said} if said else set())


@pytest.mark.parametrize(
    ("relation", "plain"),
    [
        ("plans to visit", "visits"),
        ("does not like", "likes"),
        ("is thinking of buying", "buying"),
        ("lives in", "lives in"),
    ],
)
def test_the_core_of_a_relation_is_without_plan_and_denial(relation: str, plain: str):
    assert core(relation) == plain


def test_a_relation_is_called_as_the_table_calls_it_and_what_narrows_it_is_cut():
    assert named_relation("resides in") == "lives in"
    assert named_relation("bought at the sale in May") == named_relation("bought")


def told(**changes: object) -> AnnotatedFact:
    given = {
        "must": True,
        "kind": "state",
        "subjects": ("Ana",),
        "relation": "plays",
        "objects": ("old violin", "violin"),
    }
    return AnnotatedFact(**{**given, **changes})  # type: ignore[arg-type]


def test_a_fact_says_a_gold_one_by_subject_sign_and_words():
    assert says(told(), Made(subject="ana", relation="plays", object="the violin"))
    assert not says(told(), Made(subject="Ben", relation="plays", object="violin"))
    assert not says(told(), Made(subject="Ana", relation="does not play", object="violin"))
    assert not says(told(), Made(subject="Ana", relation="plays", object="chess"))
    assert says(told(polarity="no"), Made(subject="Ana", relation="never played", object="violin"))


def test_a_plan_is_no_deed_and_a_deed_no_plan():
    deed = told(kind="event", relation="visited", objects=("Oslo",))
    plan = told(kind="plan", relation="plans to visit", objects=("Oslo",), modality="plan")
    done = Made(subject="Ana", relation="visited", object="Oslo")
    meant = Made(subject="Ana", relation="plans to visit", object="Oslo")
    assert (says(deed, done), says(deed, meant)) == (True, False)
    assert (says(plan, done), says(plan, meant)) == (False, True)


def test_an_end_names_the_fact_that_it_ends_by_subject_and_words():
    gone = Ended(subject="Ana", objects=("Oslo", "flat in Oslo"), why="replaced")
    assert ends(gone, Made(subject="Ana", relation="lives in", object="Oslo"))
    assert not ends(gone, Made(subject="Ben", relation="lives in", object="Oslo"))
    assert not ends(gone, Made(subject="Ana", relation="lives in", object="Rome"))
