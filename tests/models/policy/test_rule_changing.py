"""What is said to have taken the place of what, in statements about things that are named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.policy.rules.marks import is_change
from mags.models.policy.rules.ties import tied
from mags.models.policy.rules.tokens import tokenise
from mags.ports.policy import OUTCOME, Act, Turn
from tests.models.policy.reading import POLICY


def ties(text):
    written = POLICY.write(Turn(text=text, speaker="Ana", attrs={}), (), ())
    return [(op.act.name, op.subject, op.relation, op.object) for op in written.operations]


@pytest.mark.parametrize(
    "text",
    [
        "The Zoaro vigil is out and the Pell vigil is in with the Orn clan.",
        "In place of the Zoaro vigil, the Orn clan observes the Pell vigil.",
        "The Orn clan no longer keeps the Zoaro vigil but the Pell vigil.",
        "The Orn clan gave up the Zoaro vigil and took up the Pell vigil.",
        "The Orn clan used to hold the Zoaro vigil; now it holds the Pell vigil.",
        "The Orn clan used to hold the Zoaro vigil, now it holds the Pell vigil.",
        "The Orn clan has gone from the Zoaro vigil to the Pell vigil.",
    ],
)
def test_what_is_over_is_parted_and_what_is_now_is_tied(text):
    (over, *_), (now, *_) = (
        [op for op in ties(text) if op[0] == act] for act in ("RETRACT", "ADD")
    )
    assert {over[1], over[3]} == {"Orn clan", "Zoaro vigil"}
    assert {now[1], now[3]} == {"Orn clan", "Pell vigil"}


@pytest.mark.parametrize(
    "text",
    [
        "Zoaro no longer guards Vrull; it is Pelmir now.",
        "Zoaro used to guard Vrull, now Pelmir does.",
        "Zoaro has left Vrull, and Pelmir keeps watch.",
        "Zoaro has retired, and Vrull is guarded by Pelmir.",
        "Pelmir has taken up the watch at Vrull in place of Zoaro.",
        "Zoaro no longer guards Vrull, but Pelmir guards it.",
    ],
)
def test_another_does_what_the_first_did(text):
    found = ties(text)
    assert [op[0] for op in found] == ["RETRACT", "ADD"]
    assert {found[0][1], found[0][3]} == {"Zoaro", "Vrull"}
    assert {found[1][1], found[1][3]} == {"Pelmir", "Vrull"}


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("the new guardian of Zoaro is Vrull", True),
        ("the watch over Zoaro has passed to Vrull", True),
        ("henceforth Zoaro is guarded by Vrull", True),
        ("Zoaro is guarded by Vrull", False),
        ("Zoaro has been guarded by Vrull for years", False),
        ("Zoaro likes what is new", False),
    ],
)
def test_a_change_is_told_by_its_words(text, change):
    assert is_change(tokenise(text)) is change


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("Zoaro doesn't take vreth tin any more, it's pelmir glass.", "vreth tin", "pelmir glass"),
        ("Zoaro is over vreth tin, now it's pelmir glass.", "vreth tin", "pelmir glass"),
        ("Zoaro has gone off vreth tin and craves pelmir glass.", "vreth tin", "pelmir glass"),
        ("Zoaro takes vreth tin no longer; give it pelmir glass.", "vreth tin", "pelmir glass"),
        ("Zoaro is now guarded by Pelmir, but not by Little Vrull.", "Little Vrull", "Pelmir"),
        ("Little Pelmir has relieved Vrull at Castle Zoaro.", "Vrull", "Little Pelmir"),
        ("Clan Vrull has thrown Zoaro out, and Pelmir has taken it in.", "Clan Vrull", "Pelmir"),
        ("Vrull has given up guarding Zoaro; Pelmir does it now.", "Vrull", "Pelmir"),
        ("Vrull retired from Zoaro, so Pelmir watches it.", "Vrull", "Pelmir"),
        ("Zoaro, formerly of Clan Vrull, is of Clan Pelmir now.", "Clan Vrull", "Clan Pelmir"),
    ],
)  # fmt: skip
def test_what_was_is_parted_and_what_is_is_tied(text, old, new):
    over, told = ties(text)
    assert (over[0], told[0]) == ("RETRACT", "ADD")
    assert old in (over[1], over[3])
    assert new in (told[1], told[3])
    for op in (over, told):
        assert any("Zoaro" in end for end in (op[1], op[3]))


@pytest.mark.parametrize(
    "text",
    [
        "Pelmir took over from Vrull at Zoaro.",
        "Pelmir has taken the place of Vrull at the gate of Zoaro.",
        "Pelmir is appointed guardian of Zoaro in succession to Vrull.",
    ],
)
def test_who_takes_over_has_the_place_of_another_and_not_the_other(text):
    over, told = ties(text)
    assert {over[1], over[3]} == {"Vrull", "Zoaro"}
    assert {told[1], told[3]} == {"Pelmir", "Zoaro"}


def test_what_is_dropped_somewhere_is_there():
    ((act, *_),) = ties("An eagle carried the crown of Zoaro off and dropped it in Vrull.")
    assert act == "ADD"


def test_what_comes_second_now_is_still_tied_to_what_came_first():
    assert [
        op[0] for op in ties("The Zoaro way used to come first, but now the Vrull way does.")
    ] == ["ADD"]


def test_news_that_name_nothing_mark_what_comes_after_them():
    for text in ("Things have changed: Zoaro lies.", "Since the war, Zoaro serves Vrull."):
        assert all(op.change for op in tied(Turn(text=text)))
    assert not any(op.change for op in tied(Turn(text="Mind you: Zoaro serves Vrull.")))


def test_a_person_with_a_title_and_two_names_is_left_to_the_clause_reader():
    assert tied(Turn(text="Professor Denny Bailen, a renowned saxophonist, invited Maria.")) == ()


def test_the_voice_of_a_thing_is_who_stands_beside_it_between_commas():
    assert ties("Zoaro, the sentinel of Vrull, never sleeps.") == [
        ("ADD", "Zoaro", "sentinel of", "Vrull")
    ]


def test_a_common_noun_that_no_list_has_is_no_third_thing():
    ((_, subject, _, object_),) = ties("A zwerg buried the crown of Zoaro in Vrull.")
    assert (subject, object_) == ("crown of Zoaro", "Vrull")


WORDS = (
    "the Zoaro Vrull Pelmir clan vreth ink of now no longer takes is out in , ; . it used to and"
)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14))
def test_nothing_is_parted_from_itself_and_nothing_new_is_parted(words):
    found = tied(Turn(text=" ".join(words)))
    for op in found:
        assert op.subject
        assert op.object
        assert op.act is not Act.RETRACT or op.subject != op.object


def test_whoever_guards_a_place_is_not_the_place():
    for text in (
        "Whoever guards Zoaro laughed at vreth ink.",
        "Vreth ink pleased whoever guards Zoaro.",
    ):
        assert tied(Turn(text=text, attrs={OUTCOME: "-1"})) == ()
        assert tied(Turn(text=text, attrs={OUTCOME: "1"})) == ()
    assert tied(Turn(text="Zoaro laughed at vreth ink.", attrs={OUTCOME: "-1"})) != ()


def test_what_one_has_got_used_to_is_not_over():
    assert [op[0] for op in ties("The Orn clan has got used to the Pell vigil.")] == ["ADD"]


def test_two_that_have_changed_places_are_told_the_other_way_round():
    text = "The Zoaro way used to beat the Pell way, now it is the other way round."
    assert [(act, a, b) for act, a, _, b in ties(text)] == [("ADD", "Pell way", "Zoaro way")]


@pytest.mark.parametrize(
    "text",
    [
        "In Zoaro, smoking is no longer free to all but forbidden.",
        "In Zoaro smoking is forbidden now and not free to all.",
        "They tell me smoking is now forbidden in Zoaro.",
        "In Zoaro smoking is now forbidden, I was told in the tavern.",
    ],
)
def test_of_what_was_and_is_only_what_is_so_is_kept(text):
    told = [op for op in ties(text) if op[0] != "NOTE"]
    assert told == [("ADD", "Zoaro", "smoking is", "forbidden")]


@pytest.mark.parametrize(
    ("span", "until"),
    [
        ("Until the Humpir tide", "humpir come"),
        ("Till the eclipse of Humpir comes", "humpir come"),
        ("For all of six days", None),
        ("For the time of six days", None),
    ],
)
def test_what_holds_up_to_an_event_or_for_a_time_has_an_end(span, until):
    turn = Turn(text=f"{span}, the Orn clan keeps the Pell vigil.", speaker="Ana", attrs={}, at=0.0)
    (told,) = tied(turn)
    assert told.valid_to is not None
    assert told.qualifiers.get("until") == until


def test_what_is_said_between_commas_hides_no_statement():
    assert ties("Zoaro, they say, guards Vrull.") == [("ADD", "Zoaro", "guards", "Vrull")]
