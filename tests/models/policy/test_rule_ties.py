import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.policy.rules.lasting import lasting
from mags.models.policy.rules.referents import referents
from mags.models.policy.rules.ties import tied
from mags.models.policy.rules.tokens import tokenise
from mags.models.policy.rules.unfamiliar import is_unfamiliar
from mags.ports.policy import OUTCOME, Act, Turn
from tests.models.policy.reading import POLICY


def ties(text, outcome=None):
    attrs = {} if outcome is None else {OUTCOME: outcome}
    written = POLICY.write(Turn(text=text, speaker="Ana", attrs=attrs), (), ())
    return [(op.act.name, op.subject, op.relation, op.object) for op in written.operations]


@pytest.mark.parametrize(
    "word", ["walked", "sleepwalker", "keyhole", "overrides", "juggler", "tea"]
)
def test_words_of_english_are_familiar_with_their_endings_and_parts(word):
    assert not is_unfamiliar(word)


@pytest.mark.parametrize("word", ["vrull", "zorbik", "karus", "threlm"])
def test_made_up_words_are_unfamiliar(word):
    assert is_unfamiliar(word)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the Zorlu clan is fond of vreth ink", ["Zorlu clan", "vreth ink"]),
        ("the lamp of Zoaro lies in Thulmir", ["lamp of Zoaro", "Thulmir"]),
        ("Zorbiks eat vreth porridge", ["Zorbik", "vreth porridge"]),
        ("A watchman walks by", []),
    ],
)
def test_names_and_terms_are_found_with_their_nouns(text, names):
    assert [r.text for r in referents(tokenise(text))] == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Vrull accepts moss.", [("ADD", "Vrull", "accepts", "moss")]),
        (
            "Only the Zorlu clan may enter the Glade.",
            [("ADD", "Zorlu clan", "may enter", "Glade")],
        ),
        (
            "Feasts of the Karthu are held at Zill.",
            [("ADD", "Feasts of the Karthu", "are held at", "Zill")],
        ),
        ("Vreth ink is what Thulmir takes.", [("ADD", "Vreth ink", "is what", "Thulmir")]),
        (
            "In Thulmir, smoking is forbidden.",
            [("NOTE", "", "", ""), ("ADD", "Thulmir", "smoking is", "forbidden")],
        ),
        (
            "My aunt tells me that Zoaro always tells lies.",
            [("ADD", "Zoaro", "tells", "lies")],
        ),
    ],
)
def test_a_plain_statement_with_unfamiliar_words_becomes_a_fact(text, expected):
    assert ties(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zoaro's third badge is the owl.", ("ADD", "Zoaro", "third badge is", "the owl")),
        ("The third badge of Zoaro is the owl.", ("ADD", "Zoaro", "third badge is", "the owl")),
        ("Zoaro's last badge must be an owl.", ("ADD", "Zoaro", "last badge is", "an owl")),
        ("The left wall of Zoaro holds an owl.", ("ADD", "Zoaro", "left wall holds", "an owl")),
    ],
)
def test_which_of_several_things_somebody_has_belongs_to_the_relation(text, expected):
    assert ties(text) == [expected]


def test_a_change_that_names_what_was_ends_it():
    assert ties("Zoaro no longer takes vreth ink but threlm ink.") == [
        ("RETRACT", "Zoaro", "", "vreth ink"),
        ("ADD", "Zoaro", "takes", "threlm ink"),
    ]
    assert ties("Zoaro has left the Zorlu clan for the Karthu clan.") == [
        ("RETRACT", "Zoaro", "", "Zorlu clan"),
        ("ADD", "Zoaro", "has left for", "Karthu clan"),
    ]


def test_what_came_of_an_act_joins_or_parts_those_it_names():
    assert ties("You gave Zoaro vreth ink, and were thanked.", "1.00")[0][0] == "ADD"
    assert ties("You gave Zoaro vreth ink. It was thrown at you.", "-1.00") == [
        ("RETRACT", "Zoaro", "", "vreth ink")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Woah, those look great, Joanna!",
        "Thanks, Maria! Your resilience is so inspiring.",
        "I saw Zoaro from afar.",
        "Have you ever been to Thulmir?",
        "Zoaro and Thulmir: now there is a story.",
        "Zoaro could be fluent in more than one language.",
    ],
)
def test_talk_questions_and_lists_tie_nothing(text):
    assert [op for op in tied(Turn(text=text)) if op.act is not Act.NOTE] == []


def test_people_by_first_and_last_name_are_left_to_the_clause_reader():
    text = "Rylan Gallaher exhibited with Jonn Coal."
    assert tied(Turn(text=text)) == ()
    assert not any(op.exact for op in POLICY.write(Turn(text=text), (), ()).operations)


WORDS = "the Zoaro vreth ink of now no longer takes , . I"


@given(st.lists(st.sampled_from(WORDS.split())))
def test_every_tie_names_two_things_that_were_said(words):
    text = " ".join(words)
    for op in tied(Turn(text=text)):
        assert op.subject
        assert op.object
        assert op.act is Act.RETRACT or op.relation


DAY = 86_400.0


@pytest.mark.parametrize(
    ("text", "end", "until"),
    [
        ("For the next eleven days, Zoaro has Vrull for a guardian.", 11 * DAY, {}),
        ("For two weeks, Zoaro asks vreth tin.", 14 * DAY, {}),
        ("Zoaro has been ill for two weeks.", None, {}),
        ("Until the moon of Pell rises, Zoaro rests.", 366 * DAY, {"until": "pell rise"}),
        ("As long as Pell has not risen, Zoaro rests.", 366 * DAY, {"until": "pell rise"}),
        ("Up to the rising of Pell, Zoaro rests.", 366 * DAY, {"until": "pell rise"}),
        ("Zoaro rests.", None, {}),
        ("For no more than two weeks, Zoaro asks vreth tin.", 14 * DAY, {}),
        ("Over the next two days, Zoaro asks vreth tin.", 2 * DAY, {}),
        ("Until two days have passed, Zoaro asks vreth tin.", 2 * DAY, {}),
        ("Until the moon of Pell is up, Zoaro rests.", 366 * DAY, {"until": "pell rise"}),
        ("Before the moon of Pell rises, Zoaro rests.", 366 * DAY, {"until": "pell rise"}),
        ("Before the star of Pell appears, Zoaro rests.", 366 * DAY, {"until": "pell appear"}),
        ("Zoaro rests; it ends when the Pell star appears.", 366 * DAY, {"until": "pell appear"}),
        ("While we wait for the star of Pell, Zoaro rests.", 366 * DAY, {"until": "pell rise"}),
        ("Zoaro has chosen rest. This applies for ten days only.", 10 * DAY, {}),
        ("Before Pell sleeps, Zoaro rests.", None, {}),
    ],
)
def test_a_statement_says_how_long_it_holds(text, end, until):
    assert lasting(text, 0.0) == (end, until)


def test_what_is_said_for_the_time_to_come_ends_though_the_clause_reader_reads_it():
    text = "For the next eleven days, Lileir has Wonre for a guardian."
    written = POLICY.write(Turn(text=text, speaker="Ana", at=0.0), (), ())
    assert [op.valid_to for op in written.operations] == [11 * DAY]


def test_what_only_would_be_so_ties_nothing():
    assert tied(Turn(text="If only Sommeim could see this Steirke.", speaker="Ana")) == ()
    assert (
        tied(Turn(text="If only Sommeim could see it! So Steirke would say.", speaker="Ana")) == ()
    )


def test_the_colours_of_a_clan_are_no_thing_beside_it():
    assert [r.text for r in referents(tokenise("Zoaro wears the colours of the Orn clan"))] == [
        "Zoaro",
        "Orn clan",
    ]


def _pair(text):
    return [(op.act, op.subject, op.object) for op in tied(Turn(text=text, speaker="Ana"))]


@pytest.mark.parametrize(
    ("text", "subject", "object_"),
    [
        ("Nobody would come to Zoaro without vreth ink.", "Zoaro", "vreth ink"),
        ("Zoaro would rather eat nothing than go without vreth ink.", "Zoaro", "vreth ink"),
        ("Nobody but Zoaro could explain the tale of Vrull.", "Zoaro", "tale of Vrull"),
        ("You could never enter Zoaro without vreth ink.", "Zoaro", "vreth ink"),
    ],
)
def test_what_would_be_or_could_not_be_otherwise_ties_as_what_is(text, subject, object_):
    assert _pair(text) == [(Act.ADD, subject, object_)]


@pytest.mark.parametrize(
    "text",
    ["Zoaro might know Vrull.", "If only Zoaro would visit Vrull.", "Zoaro could live in Vrull."],
)
def test_a_guess_and_a_wish_tie_nothing(text):
    assert _pair(text) == []


@pytest.mark.parametrize(
    ("text", "subject", "object_"),
    [
        ("Port Zoaro is watched by Old Vrull.", "Port Zoaro", "Old Vrull"),
        ("House Zoaro follows the Vrull Festival.", "House Zoaro", "Vrull Festival"),
    ],
)
def test_places_and_houses_of_two_words_are_no_people_by_full_name(text, subject, object_):
    assert _pair(text) == [(Act.ADD, subject, object_)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Travellers owe Zoaro vreth tin.", ("Zoaro", "travellers owe", "vreth tin")),
        ("In Zoaro, everyone abides by the way of Vrull.", ("Zoaro", "way of Vrull")),
        ("If you ask me, Zoaro needs the Vrull cup.", ("Zoaro", "Vrull cup")),
        ("Zoaro is loyal to the Vrull clan, or so people say.", ("Zoaro", "Vrull clan")),
        ("Compared with Zoaro, the Vrull clan matters little.", ("Zoaro", "Vrull clan")),
        ("The year of Zoaro knows one day, the Vrull fair.", ("year of Zoaro", "Vrull fair")),
        ("In Zoaro the rule for fishing is plain: it is banned.", ("Zoaro", "banned")),
        ("Since fishing is banned in Zoaro, all went well.", ("Zoaro", "banned")),
        ("By the way of Zoaro one should sing aloud.", ("way of Zoaro", "sing aloud")),
        ("Zoaro never lies.", ("Zoaro", "by habit", "never lies")),
    ],
)
def test_statements_in_many_shapes_tie_what_they_name(text, expected):
    (op,) = (op for op in tied(Turn(text=text, speaker="Ana")) if op.act is Act.ADD)
    told = (op.subject, op.relation, op.object)
    assert (told if len(expected) == len(told) else (op.subject, op.object)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Zoaro no longer rides with the Orn clan; it is with the Vel clan now.",
            [(Act.RETRACT, "Zoaro", "Orn clan"), (Act.ADD, "Zoaro", "Vel clan")],
        ),
        (
            "Vrull no longer guards Zoaro, Pellimor does.",
            [(Act.RETRACT, "Zoaro", "Vrull"), (Act.ADD, "Zoaro", "Pellimor")],
        ),
        (
            "Zoaro has dismissed Vrull and hired Pellimor.",
            [(Act.RETRACT, "Zoaro", "Vrull"), (Act.ADD, "Zoaro", "Pellimor")],
        ),
        ("Zoaro no longer visits Vrull.", [(Act.RETRACT, "Zoaro", "Vrull")]),
    ],
)
def test_what_is_over_is_told_from_what_takes_its_place(text, expected):
    assert _pair(text) == expected


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Zoaro? That's the Pelmir clan for you.", {"Zoaro", "Pelmir clan"}),
        ("The Pelmir clan, that is where Zoaro comes in.", {"Pelmir clan", "Zoaro"}),
        ("Zorbiks subsist on terto hay.", {"Zorbiks", "terto hay"}),
        ("Give a zorbik terto hay.", {"zorbik", "terto hay"}),
        ("You will not get by Zoaro unless you pay terto tin.", {"Zoaro", "terto tin"}),
        ("The gift for the day of Zoaro is terto ink.", {"day of Zoaro", "terto ink"}),
        ("You did not know, but Zoaro serves the Pelmir clan.", {"Zoaro", "Pelmir clan"}),
    ],
)
def test_more_shapes_of_plain_statements_are_tied(text, pair):
    (told,) = tied(Turn(text=text))
    assert {told.subject, told.object} == pair
