"""Answers without a model: what is quoted, what compare first, and when it does not know."""

from dataclasses import replace
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.answer.extractive import ExtractiveAnswerer, find_chain
from mags.models.answer.question import read_question
from mags.models.answer.support import ahead_of, kind_share, rare_share, rarity_of
from mags.models.answer.topics import NOT_SURE
from mags.ports.answer import Answer, ContextItem
from mags.ports.policy import Turn

LEFT_OPEN = ("I don't know.", "I am not sure.")

MAY_1, MAY_3 = 1714521600.0, 1714694400.0  # 2024, 00:00 UTC


def fact(id: int, subject: str, relation: str, obj: str, **more: object) -> ContextItem:
    words = {"text": f"{subject} {relation} {obj}.", "speaker": subject, "at": MAY_3, **more}
    return ContextItem(id=id, fact=(subject, relation, obj), **words)


OSLO = fact(42, "Alice", "lives in", "Oslo", text="I moved to Oslo in May.", valid_from=MAY_1)
BERGEN = fact(40, "Alice", "lives in", "Bergen", current=False, valid_to=MAY_1, at=1.0e9)
ACME = fact(35, "Alice", "works at", "Acme")
PAELLA = fact(39, "Alice", "favourite", "paella", text="Alice's favourite food is paella.")
CARL = fact(33, "Carl", "is married to", "Alice")
JAZZ, TEA = fact(38, "Bob", "likes", "jazz"), fact(37, "Bob", "likes", "tea")
LIKES_ALICE = fact(36, "Bob", "likes", "Alice")
REX = ContextItem(
    id=34,
    text="It rained. We adopted a dog named Rex. He chews!",
    speaker="Alice",
    at=MAY_3,
    score=1.0,
)
ALL = (OSLO, BERGEN, ACME, PAELLA, CARL, JAZZ, TEA, LIKES_ALICE, REX)


def ask(text: str, items=ALL, speaker: str = "user") -> Answer:
    question = Turn(text=text, speaker=speaker, at=MAY_3)
    return ExtractiveAnswerer().answer(question, items, recent=(), recall_again=lambda _: ())


def test_a_fact_answers_with_its_object_first_and_its_source_behind():
    answer = ask("Where does Alice live?")
    quoted = "“I moved to Oslo in May.” [m42]"
    assert answer.text == f"Oslo — {quoted} (Alice, 3 May 2024, since May 2024)"
    assert answer.citations == (42,)
    assert answer.support >= 0.9
    assert (answer.rounds, answer.fallback, answer.links) == (0, None, ())


@pytest.mark.parametrize(
    ("question", "head"),
    [
        ("Who lives in Oslo?", "Alice"),
        ("When did Alice move to Oslo?", "May 2024"),
        ("Does Alice live in Oslo?", "Yes"),
        ("Who does Alice work for?", "Acme"),
        ("Where does Alice work?", "Acme"),
        ("What is Alice's favourite food?", "paella"),
        ("Who is Alice's husband?", "Carl"),
        ("Who is Alice married to?", "Carl"),
        ("Who likes Alice?", "Bob"),
        ("Who does Bob like?", "Alice"),
    ],
)
def test_the_end_that_was_asked_for_stands_first(question: str, head: str):
    assert ask(question).text.split(" — ")[0] == head


def test_the_speaker_asks_about_themselves():
    assert ask("Where do I live?", speaker="Alice").citations == (42,)
    assert ask("Where do I live?", speaker="Bob").text.startswith(LEFT_OPEN)


def test_facts_of_one_slot_answer_together():
    answer = ask("What does Bob like?")
    assert answer.text.startswith("jazz, tea — “Bob likes jazz.” [m38] “Bob likes tea.” [m37]")
    assert answer.links == ((37, 38),)


def test_of_what_has_one_value_the_last_told_stands_and_the_other_is_shown():
    young = fact(1, "Alice", "age", "34", at=8.0)
    old = fact(2, "Alice", "age", "35", at=9.0)
    for items in ((young, old), (old, young)):
        answer = ask("How old is Alice?", items)
        assert answer.text.startswith("35 \N{EM DASH} ")
        assert answer.citations == (2, 1)


def test_what_was_before_is_told_only_when_asked_for():
    answer = ask("Where did Alice live before?")
    assert answer.text == (
        "Bergen (no longer true) — “Alice lives in Bergen.” [m40] "
        "(Alice, 9 September 2001, until 1 May 2024)"
    )
    assert 40 not in ask("Where does Alice live?").citations


def test_only_a_superseded_fact_is_no_answer_about_now():
    assert ask("Where does Alice live?", (BERGEN,)).text.startswith(LEFT_OPEN)


@pytest.mark.parametrize(
    "question",
    [
        "What is Alice's favourite colour?",
        "Who does Alice like?",
        "What car does Bob drive?",
        "Where does Dora live?",
    ],
)
def test_weak_support_is_said_and_the_closest_are_shown(question: str):
    answer = ask(question)
    assert answer.outcome == "closest"
    assert answer.text.startswith(NOT_SURE)
    assert len(answer.citations) == 2
    assert answer.support < ExtractiveAnswerer().sure


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which ankle did Ann sprain?", fact(1, "Ann", "sprained", "ankle")),
        ("What does Ann take pills for?", fact(1, "Ann", "takes", "pills")),
        ("Which school does Ann start at?", fact(1, "Ann", "plans to start at", "school")),
        ("Where does Ann fish?", fact(1, "Ann", "fishes for", "pike")),
    ],
)
def test_what_says_no_more_than_the_question_answers_nothing(question: str, told: ContextItem):
    turn = ContextItem(id=9, text=told.text, speaker="Ann", at=MAY_3, score=1.0)
    assert ask(question, (told, turn)).outcome != "answered"


def test_the_first_of_a_month_is_that_day_where_a_day_was_told():
    broke = fact(1, "Ann", "broke", "arm", valid_from=MAY_1)
    told = replace(broke, qualifiers=(("when", "2024-05-01"),))
    assert ask("When did Ann break her arm?", (broke,)).text.startswith("May 2024 ")
    assert ask("When did Ann break her arm?", (told,)).text.startswith("1 May 2024 ")
    week = replace(told, text="Ann broke arm in the week of 1 May 2024.")
    assert ask("When did Ann break her arm?", (week,)).text.startswith("the week of 1 May 2024 ")


def test_two_values_of_one_slot_are_no_chain():
    answer = ask("Where did Alice live before?", (replace(BERGEN, step=0), replace(OSLO, step=1)))
    assert answer.text.startswith("Bergen (no longer true)")


def test_without_memories_it_does_not_know():
    assert ask("Where does Alice live?", ()) == Answer(text="I don't know.", outcome="unknown")


HUSBAND = read_question(Turn(text="Who employs Alice's husband?"))
CHAIN = (
    fact(1, "Carl", "is married to", "Alice", step=0),
    fact(2, "Carl", "works at", "Acme", step=1),
    fact(3, "Acme", "is located in", "Norway", step=2),
)


def test_a_chain_of_hops_answers_with_its_end_and_cites_every_step():
    answer = ask("In which country does Alice's husband work?", (*reversed(CHAIN), OSLO))
    assert answer.text == (
        "Norway — “Carl is married to Alice.” [m1] “Carl works at Acme.” [m2] "
        "“Acme is located in Norway.” [m3] (Acme, 3 May 2024)"
    )
    assert answer.citations == (1, 2, 3)
    assert answer.links == ((1, 2), (1, 3), (2, 3))


def test_a_chain_may_lead_to_a_subject():
    chain = find_chain(HUSBAND, (CHAIN[0], fact(2, "Dora", "employs", "Carl", step=1)))
    assert chain is not None
    assert chain[1] == "Dora"


@pytest.mark.parametrize(
    "items",
    [CHAIN[:1], CHAIN[::2], (CHAIN[0], fact(9, "Dora", "likes", "tea", step=1)), (OSLO, REX)],
)
def test_facts_that_do_not_join_up_are_no_chain(items: tuple[ContextItem, ...]):
    assert find_chain(HUSBAND, items) is None


@pytest.mark.parametrize(
    ("text", "kind", "end"),
    [
        ("Where does Alice live?", "place", "object"),
        ("When did it rain?", "time", ""),
        ("What day is it?", "time", ""),
        ("How many cats are there?", "number", ""),
        ("Who lives in Oslo?", "person", "subject"),
        ("Whose dog is it?", "person", ""),
        ("Why?", "reason", ""),
        ("Which book did I read?", "thing", "object"),
        ("Is Bob at home?", "yesno", "object"),
        ("Who's at home?", "person", ""),
        ("Tell me more.", "", ""),
    ],
)
def test_the_kind_and_the_end_asked_for_are_read(text: str, kind: str, end: str):
    question = read_question(Turn(text=text))
    assert (question.kind, question.end) == (kind, end)


def test_a_question_names_relations_in_other_words():
    question = read_question(Turn(text="Where did Alice move to?"))
    assert "lives in" in question.relations
    assert question.names == (frozenset({"alice", "alic"}),)


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("When did it rain?", "It rained on Monday.", 1.0),
        ("When did it rain?", "It rained.", 0.0),
        ("Who helped Alice?", "I was helped by Ana.", 1.0),
        ("Who helped Alice?", "Somebody helped Alice.", 0.0),
        ("How many cats?", "I have three cats.", 1.0),
        ("What is it?", "It rained.", 0.5),
    ],
)
def test_the_kind_of_answer_is_looked_for(question: str, text: str, share: float):
    assert kind_share(read_question(Turn(text=question)), ContextItem(id=1, text=text)) == share


def test_the_stand_of_a_memory_is_its_lead_and_the_rarity_of_words():
    asked = read_question(Turn(text="Who keeps bees?"))
    items = [
        ContextItem(id=1, text="We keep bees.", score=3.0),
        ContextItem(id=2, text="We keep cats.", score=1.0),
    ]
    first, second = items
    assert (ahead_of(first, items), ahead_of(second, items)) == (0.5, 0.0)
    rarity = rarity_of(asked, items)
    assert rarity == {"keep": log(14 / 3), "bee": log(14 / 2)}
    assert rare_share(first, rarity) == 1.0
    assert rare_share(second, rarity) == pytest.approx(log(14 / 3) / log(14 * 7 / 3))


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=4))
def test_any_question_of_any_memories_is_answered_by_citing_them_or_not_at_all(
    question: str, texts: list[str]
):
    items = [ContextItem(id=n, text=text, score=-n) for n, text in enumerate(texts)]
    answer = ask(question, items)
    assert answer.text == "I don't know." or set(answer.citations) <= set(range(len(texts)))


def test_a_long_memory_is_quoted_in_part():
    long = ContextItem(id=1, text="We keep bees " + "and geese " * 60, speaker="Bob", at=MAY_3)
    answer = ask("Who keeps bees?", (long,))
    assert len(answer.text) < 320
    assert " ...\N{RIGHT DOUBLE QUOTATION MARK} [m1] (Bob, 3 May 2024)" in answer.text


@pytest.mark.parametrize(
    ("question", "item", "head"),
    [
        (
            "Where does Ann work?",
            fact(1, "Ann", "works at", "aquarium", text="Ann works at the aquarium."),
            "the aquarium \N{EM DASH} ",
        ),
        (
            "Who has the key to the van?",
            fact(1, "Ann", "has", "key to the van", text="Ann has the key to the van."),
            "Ann \N{EM DASH} ",
        ),
        (
            "Does Ann like tea?",
            fact(1, "Ann", "dislikes", "tea", text="Ann dislikes tea."),
            "No \N{EM DASH} ",
        ),
    ],
)
def test_an_end_stands_first_where_it_answers_and_with_its_article(question, item, head):
    assert ask(question, (item,)).text.startswith(head)


def test_what_somebody_is_nowhere_does_not_tell_where_they_work():
    nurse = fact(1, "Ann", "works as", "nurse")
    assert ask("Where does Ann work?", (nurse,)).outcome == "closest"


def test_an_episode_whose_facts_are_all_over_is_not_quoted_as_the_present():
    gone = ContextItem(id=1, text="My boss is Priya.", speaker="Alice", current=False, score=9.0)
    assert ask("Who is Alice's boss?", (gone,)).text.startswith(LEFT_OPEN)
    assert ask("Who was Alice's boss before?", (gone,)).text.startswith("Priya ")


def test_a_fact_nobody_said_is_dated_by_when_it_began():
    asserted = fact(1, "Dora", "lives in", "Rome", speaker="", at=MAY_1, valid_from=MAY_1)
    answer = ask("Where does Dora live?", (asserted,))
    assert answer.text == "Rome — “Dora lives in Rome.” [m1] (since May 2024)"


def test_who_somebody_is_is_quoted_from_whose_they_are():
    sister = fact(1, "Alice", "sister", "Ana", text="Alice's sister is Ana.", speaker="Alice")
    tea = ContextItem(id=2, text="Bob likes tea.", speaker="Ana", at=MAY_3, score=5.0)
    answer = ask("Who is Ana?", (tea, sister))
    assert answer.text == "Alice's sister is Ana. [m1] (Alice, 3 May 2024)"
