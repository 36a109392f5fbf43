"""An answer says whether it is one: answered, the closest memories, or nothing known."""

from mags.models.answer.closest import NOT_SURE, UNKNOWN
from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.answer.llm import outcome_of
from mags.models.answer.told import AnswerSpan
from mags.ports.answer import Answer, ContextItem
from mags.ports.policy import Turn

DAY = 86_400.0
AUGUST_10 = 1723280400.0  # 2024, 09:00 UTC


def turn(id: int, text: str, speaker: str = "Ana", at: float = AUGUST_10, score: float = 1.0):
    return ContextItem(id=id, text=text, speaker=speaker, at=at, score=score)


def ask(text: str, *items: ContextItem, speaker: str = "Ben", recent: tuple[Turn, ...] = ()):
    question = Turn(text=text, speaker=speaker, at=AUGUST_10 + DAY)
    return ExtractiveAnswerer().answer(question, items, recent=recent, recall_again=lambda _: items)


def test_what_is_not_sure_quotes_two_with_who_and_when_and_no_value_first():
    answer = ask(
        "What is Ana's dentist called?",
        turn(1, "the dentist has a new chair", score=3.0),
        turn(2, "my dentist is moving", score=2.0),
        turn(3, "that dentist again", score=1.0),
    )
    assert answer.outcome == "closest"
    assert answer.text == (
        f"{NOT_SURE} “the dentist has a new chair” [m1] (Ana, 10 August 2024); "
        "“my dentist is moving” [m2] (Ana, 10 August 2024)"
    )
    assert answer.citations == (1, 2)


def test_where_nothing_shares_what_is_asked_nothing_is_known():
    answer = ask("What is the capital of Peru?", turn(1, "I like tea."))
    assert (answer.outcome, answer.text, answer.citations) == ("unknown", UNKNOWN, ())


def test_a_day_is_computed_before_the_quote():
    answer = ask("When did Ana's boiler break?", turn(1, "my boiler broke yesterday", score=3.0))
    assert (answer.outcome, answer.citations) == ("answered", (1,))
    assert answer.text.startswith("9 August 2024 — “my boiler broke yesterday” [m1]")


def test_a_later_word_on_the_matter_leaves_it_open_and_both_are_shown():
    before = turn(1, "I swim on Wednesdays", at=AUGUST_10 - 9 * DAY, score=3.0)
    after = turn(2, "they moved the swim, some other day now", score=2.0)
    assert ask("When does Ana swim?", before).text.startswith("on Wednesdays — ")
    answer = ask("When does Ana swim now?", before, after)
    assert (answer.outcome, set(answer.citations)) == ("closest", {1, 2})


def test_a_name_is_told_only_where_it_stands_beside_what_has_it():
    ferret = turn(1, "we have a ferret called Biscuit", score=3.0)
    grandad = turn(2, "my grandad was a docker in Lisbon", score=3.0)
    assert ask("What is Ana's ferret called?", ferret).text.startswith("Biscuit — ")
    assert ask("What is the name of Ana's grandad?", grandad).outcome == "closest"


def test_who_did_it_is_told_only_where_somebody_is_named():
    paid = turn(1, "paid 140 for the broken window", score=3.0)
    assert ask("Who broke the window?", paid).outcome == "closest"
    answer = ask("Who broke the window?", turn(1, "Tom broke the window", score=3.0))
    assert answer.outcome == "answered"


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
    assert ask("Did Ana buy the van?", van).text.startswith("Yes \N{EM DASH} ")
    sold = turn(1, "we never bought the van, it has a radio", score=3.0)
    assert ask("Did Ana buy the van?", sold).text.startswith("No \N{EM DASH} ")


def test_what_takes_something_back_is_only_shown():
    quilt = turn(1, "I wrote the quilt has thirty squares, a typo, they are eighty", score=3.0)
    assert ask("How many squares does Ana's quilt have?", quilt).outcome == "closest"


def test_what_is_told_in_few_words_of_ones_own_is_answered():
    club = turn(1, "chess club tuesdays 19.00 so no", score=3.0)
    other = turn(2, "in the flat with my brother", score=1.0)
    assert ask("When is Ana's chess club?", club, other).text.startswith("tuesdays 19.00 ")


def test_a_reader_of_spans_answers_where_it_is_sure():
    items = (turn(1, "we ended up at the Albinoni place", score=3.0), turn(2, "nice", score=1.0))
    question = Turn(text="Where did Ana eat?", speaker="Ben", at=AUGUST_10 + DAY)

    def asked(probability: float) -> Answer:
        def read(_: str, speaker: str, text: str) -> list[AnswerSpan]:
            at = text.find("the Albinoni place")
            return [] if at < 0 else [AnswerSpan(start=at, end=at + 18, probability=probability)]

        answerer = ExtractiveAnswerer(reader=read)
        return answerer.answer(question, items, recent=(), recall_again=lambda _: items)

    sure, unsure = asked(0.8), asked(0.3)
    assert sure.text.startswith("the Albinoni place \N{EM DASH} ")
    assert (sure.outcome, sure.support, sure.citations) == ("answered", 0.8, (1,))
    assert unsure.outcome == "closest"
