"""Who of a class is named, how many, and who is the most of something."""

from mags.models.answer.topics import lacks_class, members_told
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn

DAY = 86_400.0
NOW_S = 1_780_272_000.0  # June 2026
YEAR = 365.25 * DAY


def fact(id: int, subject: str, relation: str, obj: str, member: str, **given: object):
    text = f"{subject} {relation} {obj}."
    at = given.pop("at", NOW_S - DAY)
    triple = (subject, relation, obj)
    return ContextItem(
        id=id, text=text, kind="fact", at=at, fact=triple, members=(member,), **given
    )


def head(text: str, *items: ContextItem, speaker: str = "user") -> str | None:
    found = members_told(Turn(text=text, speaker=speaker, at=NOW_S), items)
    return None if found is None else found[0]


HOMES = (
    fact(1, "user", "is friends with", "Ana", "Ana"),
    fact(2, "Ana", "lives in", "Oslo", "Ana"),
    fact(3, "user", "is friends with", "Ben", "Ben"),
    fact(4, "Ben", "lives in", "Oslo", "Ben"),
)


def test_members_are_named_counted_or_said_to_be_some():
    assert head("Which of my friends live in Oslo?", *HOMES) == "Ana, Ben"
    assert head("How many of my friends live in Oslo?", *HOMES) == "2 (Ana, Ben)"
    assert head("Do any of my friends live in Oslo?", *HOMES) == "Yes: Ana, Ben"


def test_any_other_question_is_not_answered_so():
    assert head("Where do my friends live?", *HOMES) is None
    assert head("Which of my friends live in Oslo?") is None


def test_a_turn_that_tells_more_than_was_read_leaves_it_open():
    turn = ContextItem(
        id=9, text="My friend Carl may live in Oslo by now.", speaker="user", at=NOW_S
    )
    assert head("Which of my friends live in Oslo?", *HOMES, turn) is None
    over = ContextItem(
        id=9, text="My friend Carl lives in Oslo.", speaker="user", at=NOW_S, ended=True
    )
    assert head("Which of my friends live in Oslo?", *HOMES, over) == "Ana, Ben"
    told = ContextItem(id=8, text="My friends Ana and Ben live in Oslo.", speaker="user", at=NOW_S)
    beside = ContextItem(id=4, text="Ben lives in Oslo.", within=8, at=NOW_S,
                         fact=("Ben", "lives in", "Oslo"), members=("Ben",))  # fmt: skip
    assert head("Which of my friends live in Oslo?", *HOMES[:3], beside, told) == "Ana, Ben"


def test_ages_are_compared_by_when_somebody_was_born():
    older = "Who is older, Ana or Ben?"
    ana = fact(1, "Ana", "age", "34", "Ana")
    assert head(older, ana, fact(2, "Ben", "age", "29", "Ben")) == "Ana"
    assert head("Who is younger, Ana or Ben?", ana, fact(2, "Ben", "age", "29", "Ben")) == "Ben"
    # Ten years ago he was 33: he is 43 now.
    assert head(older, ana, fact(2, "Ben", "age", "33", "Ben", at=NOW_S - 10 * YEAR)) == "Ben"
    assert head(older, ana, fact(2, "Ben", "age", "34", "Ben")) is None
    assert head(older, ana, fact(2, "Ben", "was born on", "1985", "Ben")) == "Ben"
    assert (
        head(older, ana, fact(2, "Ben", "was born on", "1991", "Ben")) is None
    )  # he may be 34, too
    assert head(older, ana) is None


def test_sums_of_one_unit_only_are_compared():
    more = "Who pays more rent, Ana or Ben?"
    ana = fact(1, "Ana", "rents", "900 euros", "Ana")
    assert head(more, ana, fact(2, "Ben", "rents", "1,100 euros", "Ben")) == "Ben"
    assert head(more, ana, fact(2, "Ben", "rents", "1,100 dollars", "Ben")) is None
    assert head(more, ana, fact(2, "Ben", "rents", "900 euros", "Ben")) is None


def test_what_came_first_is_told_as_finely_as_it_has_to_be():
    first = "Which of my cars did I buy first?"
    red = fact(1, "user", "has", "red car", "red car", qualifiers=(("when", "2010"),))
    blue = fact(2, "user", "has", "blue car", "blue car", qualifiers=(("when", "2010-05"),))
    old = fact(3, "user", "has", "old car", "old car", qualifiers=(("when", "1999-03-02"),))
    assert head(first, red, old) == "old car"
    assert head(first, red, blue) is None
    assert head("Which of my cars did I buy last?", red, old) == "red car"
    assert head(first, old, fact(4, "user", "has", "new car", "new car")) is None


def test_a_memory_that_does_not_tell_of_the_class_does_not_answer():
    speaks = ContextItem(id=1, text="Rosa speaks German.", at=NOW_S)
    asked = Turn(text="Which of my cousins speak German?", speaker="user", at=NOW_S)
    assert lacks_class(asked, [speaks])
    tells = ContextItem(id=2, text="My cousin Rosa speaks German now.", at=NOW_S)
    assert not lacks_class(asked, [speaks, tells])
    assert not lacks_class(Turn(text="Who speaks German?", speaker="user", at=NOW_S), [speaks])
