import pytest

from mags.ports.policy import Hop, Plan
from tests.models.policy.reading import POLICY, day, turn


def ask(text: str) -> Plan:
    return POLICY.ask(turn(text), ())


@pytest.mark.parametrize(
    ("text", "subject", "relation", "kind"),
    [
        ("Where does Bob live?", "Bob", "lives in", "place"),
        ("Where do I live?", "Alice", "lives in", "place"),
        ("What is my favourite food?", "Alice", "favourite food", "thing"),
        ("Who is Bob's sister?", "Bob", "sister", "person"),
        ("When is Ana's birthday?", "Ana", "birthday", "time"),
        ("Who does Ana work for?", "Ana", "works at", "person"),
        ("How old is Tom?", "Tom", "age", "number"),
        ("Who founded Acme?", "Acme", "was founded by", "person"),
        ("Where was Ana born?", "Ana", "was born in", "place"),
        ("When was Ana born?", "Ana", "was born on", "time"),
        ("What am I allergic to?", "Alice", "is allergic to", "thing"),
        ("What is my dog called?", "Alice", "dog", "thing"),
        ("Does Bob like tea?", "Bob", "likes", "yesno"),
        ("What is the capital of France?", "France", "capital", "thing"),
    ],
)
def test_a_plain_question_asks_for_one_slot(text, subject, relation, kind):
    plan = ask(text)
    assert plan.hops == (Hop(subject=subject, relation=relation),)
    assert plan.answer_kind == kind
    assert plan.queries[0] == text
    assert subject in plan.entities


def test_a_question_for_the_subject_follows_the_relation_backwards():
    assert ask("Who likes jazz?").hops == (Hop(subject="jazz", relation="likes", inverse=True),)


@pytest.mark.parametrize(
    ("text", "start", "relations"),
    [
        (
            "What is the official language of the country where the spouse of the founder of "
            "Alliance for Climate Protection has a citizenship?",
            "Alliance for Climate Protection",
            ["was founded by", "is married to", "is a citizen of", "official language"],
        ),
        (
            "Which language is the official language in the birthplace of the CEO of the creator "
            "of YouTube Original Channel Initiative?",
            "YouTube Original Channel Initiative",
            ["was created by", "chief executive officer", "was born in", "official language"],
        ),
        ("Where does Alice's sister work?", "Alice", ["sister", "works at"]),
        ("What is the name of my brother's dog?", "Alice", ["brother", "dog"]),
        (
            "Who is the CEO of the company that developed Excel?",
            "Excel",
            ["was developed by", "chief executive officer"],
        ),
        ("Where was the author of Dracula born?", "Dracula", ["author", "was born in"]),
        ("Who is the mayor of the city where Ana lives?", "Ana", ["lives in", "mayor"]),
    ],
)
def test_a_nested_question_is_taken_apart_from_inside_out(text, start, relations):
    hops = ask(text).hops
    assert hops[0].subject == start
    assert [hop.relation for hop in hops] == relations
    assert all(hop.subject == "" for hop in hops[1:])


def test_times_in_a_question_bound_the_search():
    week = ask("What did I do last week?")
    assert (day(week.since), day(week.until)) == ("2024-05-06", "2024-05-13")
    before = ask("Which books did Tim read before 2020?")
    assert (before.since, day(before.until), before.past) == (None, "2020-01-01", True)


def test_a_question_about_the_past_wants_what_was_superseded():
    assert ask("Where did Bob live before?").past
    assert not ask("Where does Bob live?").past


def test_a_statement_like_rewording_is_asked_too():
    assert ask("When did Melanie run a charity race?").queries == (
        "When did Melanie run a charity race?",
        "Melanie ran a charity race",
        "Melanie run charity race",
    )


@pytest.mark.parametrize(
    ("text", "recall", "write"),
    [
        ("Hi!", False, False),
        ("Thanks a lot!", False, False),
        ("Where do I live?", True, False),
        ("Tell me about Bob.", True, False),
        ("I moved to Oslo.", True, True),
        ("I moved to Oslo. Do you know a good gym?", True, True),
    ],
)
def test_the_router_tells_questions_statements_and_small_talk_apart(text, recall, write):
    route = POLICY.route(turn(text), ())
    assert (route.recall, route.write) == (recall, write)


def test_a_current_something_that_has_no_relation_is_no_failure():
    text = "Can you tell me Ana's current city?"
    assert POLICY.ask(turn(text), ()).queries[0] == text
