"""Questions as of a time: "Where did I live in June 2023?" asks for what held then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from mags.models.guardrails import stems
from mags.models.policy.rules.when import times
from mags.ports.answer import ContextItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """The time that a question names: from `since` until `until`, seconds, and its `words`.

    `words`: the stems it is said by, which no fact has to repeat.
    """

    since: float
    until: float
    words: frozenset[str]


def then_of(text: str, at: float) -> tuple[str, Then | None]:
    """A question without the past time it names, and that time; as it is where it names none."""
    found = times(text, at, future=False)
    if len(found) != 1 or found[0].role != "at" or found[0].since > at:
        return text, None
    time = found[0]
    said = text[time.start : time.end]
    told = Then(since=time.since, until=time.until, words=stems(said))
    return f"{text[: time.start]} {text[time.end :]}", told


def held_then(item: ContextItem, then: Then) -> bool:
    """Whether a fact held at some moment of a time, as far as is known.

    What was said without a beginning counts from when it was said.
    """
    begun = item.at if item.valid_from is None else item.valid_from
    ended = item.valid_to if item.valid_to is not None else inf if item.current else begun
    return begun < then.until and ended > then.since


def begun(items: Sequence[ContextItem], at: float) -> list[ContextItem]:
    """Leave out what is to come where it stands beside what holds until then.

    Who works at Lumen and will at Brightwater works at Lumen. `at`: now, seconds.
    """
    holds = {item.fact[:2] for item in items if item.fact and item.current and not _ahead(item, at)}
    return [i for i in items if i.fact is None or not _ahead(i, at) or i.fact[:2] not in holds]


def _ahead(item: ContextItem, at: float) -> bool:
    return item.valid_from is not None and item.valid_from > at > 0.0


_DAY_S = 86_400


def spans_days(item: ContextItem) -> bool:
    """Whether something was told from one day to another: "on holiday from 7 to 11 April"."""
    since, until = item.valid_from, item.valid_to
    if item.fact is None:
        roles = [time.role for time in times(item.text, item.at, future=True)]
        return roles[:2] == ["since", "until"]
    if since is None or until is None or since >= until:
        return False
    return since % _DAY_S == 0 and until % _DAY_S == 0
