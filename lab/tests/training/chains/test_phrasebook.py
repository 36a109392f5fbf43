import pytest

from mags.errors import InvalidInput
from mags_lab.training.chains.phrasebook import fill, folded, read_entries, with_article

HEAD = '[relation."lives in"]\nsubject = "person"\nobject = "city"\n'


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('first = ["I live there."]', "should have: o"),
        ('first = ["{o} is {o}."]', "each once"),
        ('third = ["She lives in {o}."]', "should have: o, s"),
        ('ask_first = ["Do I live in {o}?"]', "should have: none"),
        ('swap_first = ["From {q} to {o}."]', "has the slots ['q', 'o']"),
        ('frist = ["I live in {o}."]', "no list 'frist'"),
        ('first = ["I live in {o}.", "i live in {o}"]', "stands there twice"),
        ('first = ["I live  in {o}."]', "spaces that nobody typed"),
        ('change_first = ["Now {o}."]', "only a relation with one = true"),
        ('one = "yes"', "one is true or false"),
        ("first = 3", "should be a list of phrases"),
        ("first = [", "is no TOML"),
    ],
)
def test_a_wrong_table_says_what_is_wrong(table: str, told: str):
    with pytest.raises(InvalidInput) as caught:
        list(read_entries(HEAD + table, where="people.toml"))
    assert told in str(caught.value)
    assert "people.toml" in str(caught.value)


def test_a_relation_with_kinds_needs_the_kind_in_every_phrase():
    head = '[relation."favourite"]\nsubject = "person"\nobject = "by-kind"\none = true\n'
    (entry,) = read_entries(head + 'first = ["My favourite {k} is {o}."]', where="x")
    assert entry.kind == "kind"
    with pytest.raises(InvalidInput, match="should have: k, o"):
        list(read_entries(head + 'first = ["{o}!"]', where="x"))


def test_slots_are_filled_and_articles_written_out():
    assert fill("I work as {a o}.", {"o": "engineer"}) == "I work as an engineer."
    assert fill("{s}, {a o}", {"s": "{o}", "o": "nurse"}) == "{o}, a nurse"
    assert [with_article(n) for n in ("ukulele", "hour", "oboe")] == [
        "a ukulele",
        "an hour",
        "an oboe",
    ]


def test_case_and_punctuation_make_no_other_phrase():
    assert folded("My flat's in {o}!") == folded("my flat s in {o}")
    assert folded("in {o}") != folded("in {p}")
