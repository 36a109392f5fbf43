import pytest

from tests.models.policy.reading import day, facts, write


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Oslo in May.", [("ADD", "Alice", "lives in", "Oslo")]),
        (
            "My sister Ana works at Acme as a nurse",
            [
                ("ADD", "Alice", "sister", "Ana"),
                ("ADD", "Ana", "works at", "Acme"),
                ("ADD", "Ana", "works as", "nurse"),
            ],
        ),
        (
            "Bob no longer likes tea, he prefers coffee now",
            [("RETRACT", "Bob", "likes", "tea"), ("ADD", "Bob", "prefers", "coffee")],
        ),
        ("We got a dog named Rex", [("ADD", "Alice", "dog", "Rex")]),
        (
            "Alice and Bob got married on June 3",
            [("ADD", "Alice", "is married to", "Bob")],
        ),
        ("I'm allergic to peanuts", [("ADD", "Alice", "is allergic to", "peanuts")]),
        ("My birthday is 4 July", [("ADD", "Alice", "birthday", "4 July")]),
        ("I used to live in Bergen", [("ADD", "Alice", "lived in", "Bergen")]),
        ("I don't live in Oslo any more", [("RETRACT", "Alice", "lives in", "Oslo")]),
        ("That's not true, I never lived in Rome.", [("RETRACT", "Alice", "lives in", "Rome")]),
        (
            "Jonn Coal is known for his expertise in environmental science.",
            [("ADD", "Jonn Coal", "is known for", "expertise in environmental science")],
        ),
        ("I have two kids", [("ADD", "Alice", "has", "two kids")]),
        ("I'm 30 years old", [("ADD", "Alice", "age", "30")]),
        ("My mom's name is Carla", [("ADD", "Alice", "mother", "Carla")]),
        (
            "I sold my car last week",
            [("RETRACT", "Alice", "has", "car"), ("RETRACT", "Alice", "drives", "car")],
        ),
        ("Dora is my best friend.", [("ADD", "Alice", "best friend", "Dora")]),
        ("I'm not a fan of horror movies.", [("ADD", "Alice", "dislikes", "horror movies")]),
        ("The capital of France is Paris.", [("ADD", "France", "capital", "Paris")]),
        ("Paris is the capital of France.", [("ADD", "Paris", "is capital of", "France")]),
        (
            "You must never feed a Zorbik after dusk",
            [("NOTE", "You must never feed a Zorbik after dusk")],
        ),
    ],
)
def test_a_plain_statement_becomes_operations(text, expected):
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Hey Caroline! Good to see you!",
        "Thanks, Mel! That's really sweet.",
        "Where does Bob live?",
        "I'm so tired today.",
        "You should try the new place downtown.",
        "I totally agree with you.",
        "It was amazing!",
        "Wow, that's great.",
        "I hate it when people are late",
        "",
        "   \n ",
        "?!",
    ],
)
def test_small_talk_and_questions_store_nothing(text):
    written = write(text)
    assert written.operations == ()
    assert written.understood


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("She loves tea", "cannot tell who 'she' is"),
    ],
)
def test_what_cannot_be_read_is_said_and_never_guessed(text, why):
    written = write(text)
    assert written.operations == ()
    assert not written.understood
    assert written.why == why


def test_a_kind_names_the_slot_of_a_favourite():
    (favourite,) = write("My favourite food is sushi").operations
    assert (favourite.relation, favourite.object) == ("favourite", "sushi")
    assert favourite.qualifiers == {"kind": "food"}


def test_a_move_carries_its_date_and_a_change_cue():
    (moved,) = write("I moved to Oslo in March.").operations
    assert moved.change
    assert day(moved.valid_from) == "2024-03-01"
    assert moved.valid_to is None
    assert moved.text == "Alice moved to Oslo in March 2024."
    assert moved.qualifiers == {"when": "2024-03"}


def test_a_stretch_of_time_closes_what_was_so_then():
    (lived,) = write("I lived in Paris from 2010 until 2014.").operations
    assert (lived.relation, day(lived.valid_from), day(lived.valid_to)) == (
        "lived in",
        "2010-01-01",
        "2014-01-01",
    )


def test_gossip_names_its_source_and_is_believed_less():
    lost, held = write("Carol told me that Dan lost his job at Acme").operations
    assert (lost.act.value, lost.subject, lost.relation, lost.object) == (
        "RETRACT",
        "Dan",
        "works at",
        "Acme",
    )
    assert (held.act.value, held.subject, held.relation, held.object) == (
        "ADD",
        "Dan",
        "worked at",
        "Acme",
    )
    assert [op.qualifiers["source"] for op in (lost, held)] == ["Carol", "Carol"]
    assert [op.confidence for op in (lost, held)] == [0.5, 0.5]
    assert held.text == "Carol said that Dan lost the job at Acme."


def test_a_hedge_lowers_confidence():
    (sure,) = write("Bob is allergic to cats").operations
    (hedged,) = write("I think Bob is allergic to cats").operations
    assert (sure.confidence, hedged.confidence) == (0.8, 0.48)


def test_a_pronoun_means_the_only_person_it_can():
    assert facts("She works at Acme now.", ("Alice", "My sister Ana moved to Rome.")) == [
        ("ADD", "Ana", "works at", "Acme")
    ]


def test_a_pronoun_that_could_be_two_people_is_left_alone():
    written = write("He likes tea.", ("Bob", "Tom and Jerry are brothers."))
    assert written.operations == ()
    assert not written.understood


def test_my_sister_goes_by_the_name_that_was_recalled():
    assert facts("My sister lives in Rome.", recalled=["Alice's sister is Ana."]) == [
        ("ADD", "Ana", "lives in", "Rome")
    ]
    assert facts("My sister lives in Rome.") == [("ADD", "Alice's sister", "lives in", "Rome")]


@pytest.mark.parametrize(
    ("said", "correction", "subject", "relation", "wrong", "right"),
    [
        ("I live in Bergen.", "Sorry, I meant Oslo, not Bergen.", "Alice", "lives in", "Bergen",
         "Oslo"),
        ("The exam is on Monday.", "Actually, it's Tuesday, not Monday.", "exam",
         "is happening on", "20 May 2024", "21 May 2024"),
        ("My exam is on the 4th of June.", "not the 4th, the 14th", "Alice's exam",
         "is happening on", "4 June 2024", "14 June 2024"),
        ("Bo studies architecture.", "actually no, its industrial design", "Bo", "studies",
         "architecture", "industrial design"),
        ("Sven works as a plumber.", "no wait, he's an electrician", "Sven", "works as", "plumber",
         "electrician"),
        ("I'm 24 years old", "wait, 42 not 24", "Alice", "age", "24", "42"),
        ("We got a dog called Quint", "no its name is Kwint", "Alice", "dog", "Quint", "Kwint"),
        ("I live in Bergen. I am 42.", "no, 43. I turned 43 in May.", "Alice", "age", "42", "43"),
    ],
)  # fmt: skip
def test_a_correction_takes_back_what_was_said_and_tells_what_is_right_in_its_place(
    said, correction, subject, relation, wrong, right
):
    assert facts(correction, ("Alice", said))[:2] == [
        ("RETRACT", subject, relation, wrong),
        ("ADD", subject, relation, right),
    ]


def test_a_correction_of_a_correction_is_one_of_the_statement():
    said = (("Alice", "I live in Bergen."), ("Alice", "no, in Oslo"))
    assert facts("sorry, Trondheim", *said) == [
        ("RETRACT", "Alice", "lives in", "Oslo"),
        ("ADD", "Alice", "lives in", "Trondheim"),
    ]


def test_a_corrected_name_is_that_of_all_that_was_told_of_its_bearer():
    assert facts("Emile, not Emil", ("Alice", "My son Emil lives in Bergen.")) == [
        ("RETRACT", "Alice", "son", "Emil"),
        ("ADD", "Alice", "son", "Emile"),
        ("RETRACT", "Emil", "lives in", "Bergen"),
        ("ADD", "Emile", "lives in", "Bergen"),
    ]


@pytest.mark.parametrize(
    ("said", "others", "reply"),
    [
        ("I study history.", ("assistant", "Do you want to teach later?"), "no, journalism"),
        ("We have two kids.", ("assistant", "How many tickets?"), "three, not two"),
        ("I live in Oslo.", ("assistant", "The weather in Oslo or Bergen?"), "no, Bergen"),
        ("I live in Oslo.", ("Bob", "I like tea."), "no, Bergen"),
        ("I live in Oslo.", ("Anna", "It is cold there."), "Sorry, Anna!"),
        ("I work at Acme and live in Oslo.", None, "no, Bergen"),
        ("My boyfriend eats meat.", None, "no tofu"),
        ("My sister lives in Rome.", None, "oh no, poor Anna"),
        ("I love tea.", None, "not coffee, though"),
        ("Bob is 12.", None, "no, I'm 13"),
    ],
)
def test_what_need_not_be_a_correction_takes_nothing_back(said, others, reply):
    recent = [("Alice", said), *([others] if others else [])]
    assert [one for one in facts(reply, *recent) if one[0] == "RETRACT"] == []


def test_every_sentence_stands_alone():
    texts = [op.text for op in write("My brother Tom is a pilot. He lives in Bath.").operations]
    assert texts == ["Alice's brother is Tom.", "Tom works as a pilot.", "Tom lives in Bath."]


def test_a_name_learned_in_passing_is_an_alias():
    sister = write("My sister Ana works at Acme").operations[0]
    assert sister.aliases == {"Ana": ("Alice's sister",)}


def test_emphasis_and_feeling_make_a_turn_important():
    assert write("I bought milk.").importance == 0.0
    assert write("Never forget this: my father died yesterday!!").importance > 0.5


def test_the_other_speaker_is_not_the_subject_of_i():
    assert facts("I live in Kyiv.", speaker="Bob") == [("ADD", "Bob", "lives in", "Kyiv")]


def test_what_is_named_together_holds_together():
    founders = write("Apple was founded by Steve Jobs and Steve Wozniak.").operations
    assert [op.object for op in founders] == ["Steve Jobs", "Steve Wozniak"]
    assert [op.one for op in founders] == [False, False]


def test_a_pronoun_never_means_somebody_named_before_when_a_stranger_is_about():
    written = write(
        "I noticed a little girl sitting alone. I sat with her.", ("Alice", "My aunt Rosa is ill.")
    )
    assert all(op.object != "Rosa" for op in written.operations)
