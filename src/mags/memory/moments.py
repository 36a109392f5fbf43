"""Moments as people give them, to seconds since the epoch (UTC)."""

from __future__ import annotations

from datetime import UTC, date, datetime

from mags.errors import InvalidInput

Moment = datetime | date | str | float | int
"""A datetime (naive means UTC), a date (its midnight), an ISO 8601 text, or seconds."""

EARLIEST_S = -62_135_596_800.0
"""The beginning of the year 1."""

LATEST_S = 253_402_300_799.0
"""The end of the year 9999: what lies beyond has no date."""


def seconds(moment: Moment | None) -> float | None:
    """Seconds since the epoch, or None for None; raises InvalidInput."""
    if moment is None:
        return None
    if isinstance(moment, str):
        moment = _parse(moment)
    if isinstance(moment, bool) or not isinstance(moment, int | float | date):
        raise InvalidInput(
            f"a moment is a datetime, a date, an ISO 8601 text or seconds, not {moment!r}",
            moment=moment,
        )
    if isinstance(moment, int | float):
        if moment != moment or abs(moment) == float("inf"):
            raise InvalidInput("a moment must be a finite number of seconds", moment=moment)
        found = moment
    else:
        found = _of_date(moment)
    if not EARLIEST_S <= found <= LATEST_S:
        raise InvalidInput(
            f"a moment lies between the years 1 and 9999 (UTC), not at {moment!r}", moment=moment
        )
    return float(found)


def _of_date(moment: date) -> float:
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()


def _parse(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError as failure:
        raise InvalidInput(
            f"cannot read the moment {text[:80]!r}: give ISO 8601, as in 2024-05-03 or "
            "2024-05-03T14:00+02:00",
            moment=text,
        ) from failure
