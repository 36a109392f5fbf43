"""Moments as people give them, to seconds since the epoch (UTC)."""

from __future__ import annotations

from datetime import UTC, date, datetime

from mags.errors import InvalidInput

Moment = datetime | date | str | float | int
"""A datetime (naive means UTC), a date (its midnight), an ISO 8601 text, or seconds."""


def seconds(moment: Moment | None) -> float | None:
    """Seconds since the epoch, or None for None; raises InvalidInput."""
    if moment is None:
        return None
    if isinstance(moment, bool):
        raise InvalidInput(f"a moment cannot be {moment}", moment=moment)
    if isinstance(moment, int | float):
        if moment != moment or abs(moment) == float("inf"):
            raise InvalidInput("a moment must be a finite number of seconds", moment=moment)
        return float(moment)
    if isinstance(moment, str):
        moment = _parse(moment)
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
            f"cannot read the moment {text!r}: give ISO 8601, as in 2024-05-03 or "
            "2024-05-03T14:00+02:00",
            moment=text,
        ) from failure
