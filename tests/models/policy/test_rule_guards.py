"""Changes told in words that the clause reader would miss: each row reads its own examples."""

import pytest

from mags.models.policy.rules.guards import GUARDS, guarded
from tests.models.policy.reading import NOON, write

EXAMPLES = [(row, said, read) for row in GUARDS for said, read in row.examples]


def test_every_row_has_an_example_that_it_changes():
    for row in GUARDS:
        assert any(said != read for said, read in row.examples), row.pattern.pattern


@pytest.mark.parametrize(("row", "said", "read"), EXAMPLES, ids=[said for _, said, _ in EXAMPLES])
def test_a_row_reads_its_examples_as_it_says(row, said, read):
    assert row.pattern.sub(row.reading, said) == read


@pytest.mark.parametrize(("said", "read"), [(said, read) for _, said, read in EXAMPLES])
def test_no_other_row_changes_what_a_row_reads(said, read):
    assert guarded(said) == read
    assert guarded(read) == read


def test_what_is_said_plainly_is_left_as_it_is():
    for text in ("I moved to Oslo in May.", "Ana's parents met Bob's mum.", "I named her Pixel."):
        assert guarded(text) == text


def test_no_page_without_a_full_stop_is_taken_for_talk():
    page = "Ann " * 200 + "and I moved back to Oslo"
    assert guarded(page) == page


def test_what_is_so_for_the_next_weeks_is_over_after_them():
    (told,) = write("I work at Lumen for the next two weeks.").operations
    assert told.valid_to == NOON + 14 * 86_400.0
    (told,) = write("For the next 3 days I stay in Oslo.").operations
    assert told.valid_to == NOON + 3 * 86_400.0
    (told,) = write("I work at Lumen.").operations
    assert told.valid_to is None
