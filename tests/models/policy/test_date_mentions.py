from datetime import UTC, datetime

import pytest

from mags.models.policy.rules.when import date_mentions

NOW = datetime(2024, 5, 10, tzinfo=UTC).timestamp()


def day(year: int, month: int, day: int = 1) -> float:
    return datetime(year, month, day, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "words", "since", "until"),
    [
        ("What did I say last week?", "last week", day(2024, 4, 29), day(2024, 5, 6)),
        ("Who was it back in March?", "in March", day(2024, 3), day(2024, 4)),
        ("That goes back to June.", "June", day(2023, 6), day(2023, 7)),
        ("It goes back to 2019.", "2019", day(2019, 1), day(2020, 1)),
        ("Where was I since May 2020?", "since May 2020", day(2020, 5), None),
        (
            "What happened between March and June 2023?",
            "between March and June 2023",
            day(2023, 3),
            day(2023, 7),
        ),
    ],
)
def test_a_date_has_its_place_and_its_reach(text, words, since, until):
    (found,) = date_mentions(text, NOW)
    assert (found.since, found.until) == (since, until)
    assert text[found.start : found.end].endswith(words)


def test_a_text_without_a_date_has_none():
    assert date_mentions("Ana lives in Oslo.", NOW) == ()
