"""An answer says whether it is one: answered, the closest memories, or nothing known."""

from collections.abc import Sequence

import pytest

from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.answer.llm import outcome_of
from mags.models.answer.topics import NOT_SURE, UNKNOWN
from mags.models.policy.reader.reading import AnswerSpan
from mags.ports.answer import Answer, ContextItem
from mags.ports.policy import Turn

DAY = 86_400.0
AUGUST_10 = 1723280400.0  # 2024, 09:00 UTC


def turn(id: int, text: str, speaker: str = "Ana", at: float = AUGUST_10, score: float = 1.0):
    return ContextItem(id=id, text=text, speaker=speaker, at=at, score=score)


def ask(text: str, *items: ContextItem, speaker: str = "Ben", recent: tuple[Turn, ...] = ()):
    question = Turn(text=text, speaker=speaker, at=AUGUST_10 + DAY)
    quoting = ExtractiveAnswerer(sure=0.5)
    return quoting.answer(question, items, recent=recent, recall_again=lambda _: items)


def test_what_is_not_sure_quotes_two_with_who_and_when_and_no_value_first():
    told = turn(1, "the dentist has a new chair", score=3.0), turn(2, "my dentist is moving")
    answer = ask("Which dentist is Ana going to?", *told)
    assert answer.outcome == "closest"
    assert answer.text == (
        f"{NOT_SURE} “the dentist has a new chair” [m1] (Ana, 10 August 2024); "
        "“my dentist is moving” [m2] (Ana, 10 August 2024)"
    )
    assert answer.citations == (1, 2)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is the capital of Peru?", "I like tea."),
        ("What is Ana's dentist called?", "my dentist is moving"),
        ("How old is Ana's cousin?", "we live in Ghent since May"),
    ],
)
def test_what_no_turn_is_likely_to_answer_is_not_known(question: str, told: str):
    answer = ask(question, turn(1, told))
    assert (answer.outcome, answer.text, answer.citations) == ("unknown", UNKNOWN, ())


def test_a_day_that_was_worked_out_stands_behind_what_comes_closest():
    told = turn(1, "mama lands the day after tomorrow, somebody be awake", score=3.0)
    answer = ask("When is Ana at the airport?", told)
    assert answer.outcome == "closest"
    assert answer.text.endswith("(Ana, 10 August 2024, tells of 12 August 2024)")


def test_a_day_is_computed_before_the_quote():
    answer = ask("When did Ana's boiler break?", turn(1, "my boiler broke yesterday", score=3.0))
    assert (answer.outcome, answer.citations) == ("answered", (1,))
    assert answer.text.startswith("9 August 2024 — “my boiler broke yesterday” [m1]")


def test_a_later_word_on_the_matter_leaves_it_open_and_both_are_shown():
    before = turn(1, "the choir meets on Tuesdays", at=AUGUST_10 - 9 * DAY, score=3.0)
    after = turn(2, "they moved the choir, some other day now", score=2.0)
    assert ask("When does the choir meet?", before).text.startswith("on Tuesdays — ")
    answer = ask("When does the choir meet now?", before, after)
    assert (answer.outcome, set(answer.citations)) == ("closest", {1, 2})


@pytest.mark.parametrize(
    ("told", "day"),
    [("the report is due the 12th", "12 August"), ("the report was due on the 12th", "12 July")],
)
def test_a_day_of_the_month_is_the_nearest_unless_it_is_told_as_past(told: str, day: str):
    assert f"{day} 2024" in ask("When was Ana's report due?", turn(1, told, score=3.0)).text


def test_a_name_is_told_only_where_it_stands_beside_what_has_it():
    ferret = turn(1, "we have a ferret called Biscuit", score=3.0)
    grandad = turn(2, "my grandad was a docker in Lisbon", score=3.0)
    assert "Biscuit" in ask("What is Ana's ferret called?", ferret).text
    assert ask("What is the name of Ana's grandad?", grandad).outcome == "unknown"


def test_who_did_it_is_not_told_where_nobody_is_named():
    paid = turn(1, "paid 140 for the broken window", score=3.0)
    assert ask("Who broke the window?", paid).outcome == "closest"


def test_what_was_just_said_is_quoted():
    said = turn(7, "my train leaves at nine", speaker="Ben")
    recent = (
        Turn(text="my train leaves at nine", speaker="Ben", at=AUGUST_10),
        Turn(text="good luck", speaker="Ana", at=AUGUST_10),
    )
    answer = ask("what did I just say?", said, recent=recent)
    assert answer == Answer(
        text="“my train leaves at nine” [m7] (Ben, 10 August 2024)", citations=(7,), support=1.0
    )


def test_turns_tell_of_whom_no_facts_are_held():
    told = turn(1, "my father is 81 and grinds his own beans", score=2.0)
    other = turn(2, "my mother sings", score=3.0)
    answer = ask("What do you know about Ana's father?", other, told)
    assert answer.citations == (1,)
    assert "81" in answer.text


def test_a_model_that_does_not_know_has_not_answered():
    assert outcome_of("Oslo. [m4]", (4,)) == "answered"
    assert outcome_of("I don't know. The closest is a note on Oslo. [m4]", (4,)) == "closest"
    assert outcome_of("I do not know.", ()) == "unknown"
    assert outcome_of("Lima.", ()) == "answered"


def test_what_is_denied_beside_the_matter_denies_nothing():
    van = turn(1, "we bought the van in May, it has no radio", score=3.0)
    assert not ask("Did Ana buy the van?", van).text.startswith("No")
    sold = turn(1, "we never bought the van, it has a radio", score=3.0)
    assert ask("Did Ana buy the van?", sold).text.startswith("No \N{EM DASH} ")


STATES = (
    ("Am I allergic to eggs?", "I'm {}allergic to eggs"),
    ("Am I a vegetarian?", "I am {}a vegetarian"),
    ("Is my sister married?", "my sister is {}married"),
    ("Do I sail in winter?", "I do {}sail in winter"),
    ("Did Kim sell the van?", "Kim did {}sell the van"),
    ("Can I swim?", "I can {}swim"),
    ("Has Kim read the letter?", "Kim has {}read the letter"),
)
BESIDE = (
    "{}",
    "{}, I can't find the book",
    "no rain today. {}",
    "I never run and {}",
    "{}, you see",
)


@pytest.mark.parametrize("says", [0.001, 0.999])
@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize(("question", "told"), STATES)
def test_a_statement_says_no_nor_its_denial_yes_whatever_the_reader_makes_of_it(
    question: str, told: str, beside: str, says: float
):
    def reader(asked: Turn, turns: Sequence[Turn]) -> list[AnswerSpan | None]:
        return [AnswerSpan(start=0, end=1, sure=0.9, shown=0.99, says=says) for _ in turns]

    for polarity, opposite in (("", "No"), ("not ", "Yes")):
        item = turn(1, beside.format(told.format(polarity)), score=3.0)
        asked = Turn(text=question, speaker="Ana", at=AUGUST_10 + DAY)
        answerer = ExtractiveAnswerer(sure=0.0, reader=reader)
        answer = answerer.answer(asked, [item], recent=(), recall_again=lambda _: ())
        assert not answer.text.startswith(f"{opposite} "), answer.text


@pytest.mark.parametrize(("shown", "outcome"), [(0.4, "closest"), (0.6, "answered")])
def test_yes_or_no_is_said_by_a_turn_that_likely_shows_it(shown: float, outcome: str):
    def reader(asked: Turn, turns: Sequence[Turn]) -> list[AnswerSpan | None]:
        return [AnswerSpan(start=0, end=1, sure=0.9, shown=shown, says=0.001) for _ in turns]

    asked = Turn(text="Do I still own a car?", speaker="Ana", at=AUGUST_10 + DAY)
    answerer = ExtractiveAnswerer(sure=0.0, reader=reader)
    items = [turn(1, "I sold the Volvo last week")]
    answer = answerer.answer(asked, items, recent=(), recall_again=lambda _: ())
    assert (answer.outcome, answer.text.startswith("No ")) == (outcome, outcome == "answered")


@pytest.mark.parametrize("relation", ["is not allergic to", "does not like", "can not eat"])
def test_a_fact_that_denies_says_no(relation: str):
    verb, _, rest = relation.partition(" not ")
    item = ContextItem(id=1, text=f"Ana {relation} eggs.", fact=("Ana", relation, "eggs"))
    assert ask(f"{verb.title()} Ana {rest} eggs?", item).text.startswith("No ")


@pytest.mark.parametrize(
    "told",
    [
        "I can't eat eggs, they make me ill",
        "what can I cook? I can't have eggs, allergic",
        "no eggs for me, I'm allergic",
        "I don't eat eggs and I'm allergic to nuts",
    ],
)
def test_that_something_else_is_denied_is_no_ground_for_a_no(told: str):
    answer = ask("Am I allergic to eggs?", turn(1, told, score=3.0), speaker="Ana")
    assert not answer.text.startswith("No ")


def test_what_takes_something_back_is_only_shown():
    quilt = turn(1, "I wrote the quilt has thirty squares, a typo, they are eighty", score=3.0)
    assert ask("How many squares does Ana's quilt have?", quilt).outcome == "closest"


def test_what_is_told_in_few_words_of_ones_own_is_answered():
    club = turn(1, "chess club tuesdays 19.00 so no", score=3.0)
    other = turn(2, "in the flat with my brother", score=1.0)
    assert ask("When is Ana's chess club?", club, other).text.startswith("tuesdays 19.00 ")


def read(text: str, *items: ContextItem, recent: tuple[Turn, ...] = ()) -> Answer:
    question = Turn(text=text, speaker="Ben", at=AUGUST_10 + DAY)
    return ExtractiveAnswerer(sure=0.5).answer(
        question, items, recent=recent, recall_again=lambda _: items
    )


def test_the_reader_answers_with_the_words_of_a_turn_or_its_quote_and_cites_it():
    items = (turn(1, "I live in Ghent.", score=3.0), turn(2, "nice", score=1.0))
    answer = read("Where does Ana live?", *items)
    assert answer.outcome == "answered"
    assert answer.citations == (1,)
    assert "Ghent" in answer.text
    assert 0.5 <= answer.support <= 1.0


def test_the_reader_says_what_is_closest_where_nobody_has_told_it():
    items = (turn(1, "we live in Ghent since May", score=3.0), turn(2, "nice", score=1.0))
    assert read("Where does Ana's cousin live?", *items).outcome == "closest"


def test_that_something_else_is_not_so_denies_nothing():
    items = (turn(1, "oh no! no dogs at your place then", score=3.0),)
    assert read("Does Giulia have a boat?", *items).outcome != "answered"


def test_all_that_was_told_of_a_matter_is_quoted_oldest_first():
    new = turn(2, "the rent is 1350 now, they put it up", score=4.0, at=AUGUST_10 + 60)
    old = turn(1, "our rent is 1200 a month", score=3.0)
    answer = read("What changed about Ana's rent?", new, old)
    assert answer.citations == (1, 2)


def test_when_something_was_told_is_the_day_of_the_turn():
    boiler = turn(1, "the boiler is leaking again", score=3.0)
    assert read("When did Ana mention the boiler?", boiler).text.startswith("10 August 2024 ")


@pytest.mark.parametrize(
    ("question", "told", "value"),
    [
        (
            "Who did Mossie's dog belong to before?",
            "he's got a new dog, it was Father Pat's before he went into the home",
            "Father Pat",
        ),
        (
            "What does Jaylen want me to do for him?",
            "he's 13. now he wants me to coach his team",
            "coach his team",
        ),
    ],
)
def test_what_likely_answers_need_not_name_all_that_is_asked_for(
    question: str, told: str, value: str
):
    assert ask(question, turn(1, told, score=3.0)).text.startswith(f"{value} \N{EM DASH} ")
