"""Who of a class it is: all of whom it is told, how many they are, or who is the most of something.

"Which of my friends live in Norway?" names each; "Who is older, Ana or Ben?" compares what is told
of both, ages by when somebody was born, sums of one unit only, and days no finer than was told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from mags.models.answer.question import content
from mags.models.policy.rules.sets import SetQuestion, set_question
from mags.models.policy.rules.when import times
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn, asks

YEAR_S = 365.25 * 86_400
_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")
_WHEN = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_ASKING = content("many name list show anyone anybody someone somebody people")
"""What only asks, and is told in no answer."""

Range = tuple[float, float, str]
"""The least and the greatest that a value may be, and of what unit."""


def members_told(
    question: Turn, items: Sequence[ContextItem]
) -> tuple[str, Sequence[ContextItem]] | None:
    """The answer to a question over a class, and what shows it, oldest first; None for any other.

    Of what is compared None where it is not told of all, or told too roughly.
    """
    shown = sorted((item for item in items if item.members), key=lambda item: (item.at, item.id))
    asked = set_question(question) if shown else None
    if asked is None or _tells_more(question, items):
        return None
    names = list(dict.fromkeys(name for item in shown for name in item.members))
    if asked.order:
        most = _most(asked, names, shown)
        return None if most is None else (most, shown)
    all_of_them = ", ".join(names)
    if asked.asks == "count":
        return f"{len(names)} ({all_of_them})", shown
    return (f"Yes: {all_of_them}" if asked.asks == "any" else all_of_them), shown


def lacks_class(question: Turn, items: Sequence[ContextItem]) -> bool:
    """Whether a class of somebody is asked about, and no memory speaks of it and of what is asked.

    "Rosa speaks German" does not say that she is a cousin.
    """
    asked = set_question(question)
    return asked is not None and bool(asked.members.owner) and not any(_whole(question, items))


def _whole(question: Turn, items: Sequence[ContextItem]) -> Iterator[ContextItem]:
    """The memories that have all the words of what is asked."""
    words = content(question.text) - _ASKING
    return (item for item in items if words <= content(item.text) and not asks(item.text))


def _tells_more(question: Turn, items: Sequence[ContextItem]) -> bool:
    """Whether a turn speaks of all that is asked, and gave none of the facts."""

    def lead(item: ContextItem) -> int:
        return item.id if item.within is None else item.within

    covered = {lead(item) for item in items if item.members}
    told = [item for item in items if item.fact is None and item.current and not item.ended]
    return any(lead(item) not in covered for item in _whole(question, told))


def _most(asked: SetQuestion, names: Sequence[str], shown: Sequence[ContextItem]) -> str | None:
    """Who is the most of something; None where two may be."""
    values: dict[str, Range] = {}
    for name in names:
        told = [_value(asked, item) for item in shown if name in item.members]
        known = {value for value in told if value is not None}
        if len(known) != 1:
            return None
        values[name] = known.pop()
    if len(values) < 2 or len({unit for _, _, unit in values.values()}) > 1:
        return None
    sign = 1.0 if asked.more else -1.0
    ends = {name: sorted((sign * low, sign * high)) for name, (low, high, _) in values.items()}
    best = max(ends, key=lambda name: ends[name])
    others = [end for name, end in ends.items() if name != best]
    apart = all(high <= ends[best][0] and [low, high] != ends[best] for low, high in others)
    return best if apart else None


def _value(asked: SetQuestion, item: ContextItem) -> Range | None:
    """What a fact tells of that by which members are compared; None where it tells nothing."""
    told = {name for link in asked.members.told for name in link.relations | link.inverse}
    if item.fact is None or item.fact[1] not in told:
        return None
    _, relation, thing = item.fact
    if asked.order == "when":
        return _span(dict(item.qualifiers).get("when", ""), item)
    amount = _AMOUNT.search(thing)
    if asked.order == "age" and relation != "age":
        birth = _span(thing, item)
        return None if birth is None else (-birth[1], -birth[0], "")
    if amount is None:
        return None
    value = float(amount[0].replace(",", ""))
    if asked.order == "age":  # born between so many years and one more before it was told
        return value * YEAR_S - item.at, (value + 1) * YEAR_S - item.at, ""
    return value, value, " ".join(_AMOUNT.sub(" ", thing).casefold().split())


def _span(text: str, item: ContextItem) -> Range | None:
    """When something was, from its beginning to its end, in seconds."""
    plain = _WHEN.fullmatch(text.strip())
    if plain is None:
        found = times(text, item.at)
        return (found[0].since, found[0].until, "") if len(found) == 1 else None
    year, month, day = (int(part) if part else 0 for part in plain.groups())
    start = datetime(year, month or 1, day or 1, tzinfo=UTC).timestamp()
    if day:
        return start, start + 86_400, ""
    after = datetime(year + (month in (0, 12)), month % 12 + 1 if month else 1, 1, tzinfo=UTC)
    return start, after.timestamp(), ""
