from datetime import UTC, datetime

from mags.models.policy.heads.choices import Fact, Question, Vocabulary, operations_of, plan_of
from mags.models.policy.heads.layout import ADDRESSEE, SPEAKER, SPECIAL, Layout, laid_out
from mags.ports.policy import Act, Hop, Recalled, Turn

KNOWN = Vocabulary(
    relations=("favourite", "lives in", "sister"),
    one=frozenset({"lives in", "favourite"}),
    answers={"lives in": "place", "^lives in": "person"},
    kinds=("food", "book"),
)
NOW = datetime(2024, 5, 10, tzinfo=UTC).timestamp()


def turn(text: str) -> Turn:
    return Turn(text=text, speaker="Ana", at=NOW)


def row(layout: Layout, word: str) -> int:
    return [one.text for one in layout.words].index(word) + SPECIAL


def told(text: str, word: str, recalled: tuple[Recalled, ...] = (), **more: object):
    said = turn(text)
    layout = laid_out(said)
    place = row(layout, word)
    fact = Fact(**{"act": Act.ADD, "relation": "lives in", "first": place, "last": place, **more})
    return operations_of(layout, [fact], said, recalled, KNOWN)


def memory(text: str, *, current: bool = True) -> Recalled:
    return Recalled(id=1, text=text, current=current)


def test_a_fact_of_the_speaker_is_known_by_the_speakers_name():
    (made,) = told("I live in Oslo.", "Oslo")
    assert (made.subject, made.relation, made.object) == ("Ana", "lives in", "Oslo")
    assert made.one is None
    assert made.object_is_name


def test_a_relative_without_a_name_is_the_speakers():
    layout = laid_out(turn("My flatmate is in Oslo."))
    subject = row(layout, "My"), row(layout, "flatmate")
    (made,) = told("My flatmate is in Oslo.", "Oslo", subject=subject)
    assert made.subject == "Ana's flatmate"


def test_what_is_remembered_already_is_not_added():
    assert told("I live in Oslo.", "Oslo", (memory("Ana lives in Oslo."),)) == ()


def test_another_value_of_a_slot_that_holds_one_makes_an_addition_a_change():
    (made,) = told("I live in Oslo.", "Oslo", (memory("Ana lives in Bergen."),))
    assert (made.act, made.one, made.change) == (Act.UPDATE, True, True)


def test_what_is_over_or_of_somebody_else_changes_nothing():
    over = memory("Ana lives in Bergen.", current=False), memory("Bob lives in Bergen.")
    (made,) = told("I live in Oslo.", "Oslo", over)
    assert made.act is Act.ADD


def test_a_date_is_read_where_it_stands():
    text = "Since last month I live in Oslo."
    (made,) = told(text, "Oslo", moment=row(laid_out(turn(text)), "month"))
    assert made.valid_from == datetime(2024, 4, 1, tzinfo=UTC).timestamp()


def test_favourite_what_is_the_word_after_favourite():
    text = "That book says my favorite food is ramen."
    (made,) = told(text, "ramen", relation="favourite")
    assert made.qualifiers == {"kind": "food"}


def test_a_note_is_its_words():
    said = turn("Hm. Never feed the cat.")
    layout = laid_out(said)
    note = Fact(act=Act.NOTE, first=row(layout, "Never"), last=layout.rows - 1)
    (made,) = operations_of(layout, [note], said, (), KNOWN)
    assert (made.act, made.text) == (Act.NOTE, "Never feed the cat.")


def test_a_question_of_one_fact_is_the_plan_that_samples_have():
    said = turn("Where does Bob live?")
    layout = laid_out(said)
    bob = row(layout, "Bob")
    plan = plan_of(layout, Question(relations=("lives in",), about=(bob, bob)), said, KNOWN)
    assert plan.queries == ("Where does Bob live?", "Bob lives in")
    assert plan.entities == ("Bob",)
    assert plan.hops == (Hop(subject="Bob", relation="lives in"),)
    assert plan.answer_kind == "place"


def test_a_question_backwards_asks_for_who():
    said = turn("Who lives in Oslo?")
    layout = laid_out(said)
    oslo = row(layout, "Oslo")
    asked = Question(relations=("lives in",), about=(oslo, oslo), inverse=True)
    plan = plan_of(layout, asked, said, KNOWN)
    assert plan.queries[1] == "lives in Oslo"
    assert plan.hops == (Hop(subject="Oslo", relation="lives in", inverse=True),)
    assert plan.answer_kind == "person"


def test_a_chain_begins_with_whom_it_hangs_on():
    said = turn("Where does my sister live?")
    asked = Question(relations=("sister", "lives in"), about=(SPEAKER, SPEAKER))
    plan = plan_of(laid_out(said), asked, said, KNOWN)
    assert plan.queries[1] == "Ana's sister"
    assert [hop.subject for hop in plan.hops] == ["Ana", ""]


def test_you_are_whoever_spoke_last():
    said = turn("Where do you live?")
    layout = laid_out(said, (Turn(text="Hello!", speaker="Bob"),))
    asked = Question(relations=("lives in",), about=(ADDRESSEE, ADDRESSEE))
    assert plan_of(layout, asked, said, KNOWN).entities == ("Bob",)
