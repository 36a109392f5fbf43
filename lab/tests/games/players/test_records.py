"""How often a way to decide was right is kept by the words of the question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags_lab.games.players.ranking import words_of
from mags_lab.games.players.records import Record

FEED, TRUST = words_of("What do you feed Pell?"), words_of("Whom do you trust?")


def test_nothing_known_is_the_share_at_first():
    assert Record(0.6, 4.0).share(FEED) == pytest.approx(0.6)


def test_a_share_is_half_of_all_turns_and_half_of_those_in_these_words():
    record = Record(0.5, 2.0)
    record.learn(("feed", "*"), right=True)
    record.learn(("trust", "*"), right=False)
    every = (1 + 1) / (2 + 2)
    assert record.share(("feed", "*")) == pytest.approx(
        0.5 * every + 0.25 * ((1 + 1) / (1 + 2) + every)
    )


def test_what_is_asked_in_other_words_counts_half():
    record = Record(0.5, 2.0)
    for _ in range(10):
        record.learn(FEED, right=True)
    assert 0.5 < record.share(TRUST) < record.share(FEED)


@given(st.lists(st.tuples(st.sampled_from([FEED, TRUST]), st.booleans()), max_size=20))
def test_a_share_stays_between_none_and_all_and_rises_with_what_is_right(
    turns: list[tuple[tuple[str, ...], bool]],
):
    record, worse = Record(0.6, 4.0), Record(0.6, 4.0)
    for asked, right in turns:
        record.learn(asked, right=right)
        worse.learn(asked, right=False)
    for asked in (FEED, TRUST):
        assert 0.0 <= worse.share(asked) <= record.share(asked) <= 1.0
