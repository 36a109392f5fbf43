"""Values that change: "raised my rent to 900 pounds", "the meeting was moved to Friday".

What has a value is a slot of somebody ("my rent") or a thing ("the wifi password"). What it
changes to is a day, a place or what is told by a name or a number; the value before it is over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mags.models.policy.rules.case import Case, Special
from mags.models.policy.rules.claims import Said, claim
from mags.models.policy.rules.clause import OF, OWNED, THING, Subject
from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.phrase import cut_aside, object_of, trim
from mags.models.policy.rules.scene import Scene, living
from mags.models.policy.rules.slots import compound, slot_of, without_due
from mags.models.policy.rules.tokens import Token, join, tokenise
from mags.models.policy.rules.when import times
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation, canonical

WHEN = "is happening on"
"""The relation of what has a day: a meeting, a deadline."""
_TO = frozenset({"to", "until", "till", "for"})
_PLACING = word_set("move shift relocate transfer")
_PUTTING_OFF = _PLACING | word_set("push postpone bring reschedule extend delay set")
_HAVING = frozenset({"my", "our", "his", "her", "their"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What has a value: `relation` of `subject`; `noun` as it is called."""

    subject: str
    relation: Relation
    noun: str


def changing(case: Case) -> list[Operation] | None:
    """Read "raised my rent to 900", "the rent went up to 900", "was pushed to Friday"."""
    verb = case.clause.verb
    if verb.negated or verb.tense in {"future", "modal"}:
        return None
    at = next((i for i, t in enumerate(case.words) if t.low in _TO), -1)
    if at < 0 and not _is_put_off(case):
        return None
    if not verb.passive and at and case.low(0) not in {"up", "down", "back", "forward"}:
        held = _of_words(case.words[:at], case.scene)
    else:
        held = of_subject(case.clause.subject, case.scene)
    return None if held is None else changed(case, held, case.words[at + 1 :] or _said_to(case))


def _is_put_off(case: Case) -> bool:
    """Read "was moved from 3 May to 10 May": two days, and no stretch between them."""
    roles = [time.role for time in case.rest.times]
    return case.clause.verb.passive and roles == ["since", "until"]


def _said_to(case: Case) -> tuple[Token, ...]:
    """The words after "to" where they are a date ("postponed it to 19 September")."""
    words = trim(case.clause.rest)
    at = max((i for i, t in enumerate(words) if t.low in _TO), default=len(words))
    return words[at + 1 :]


def changed(case: Case, held: Held, words: tuple[Token, ...]) -> list[Operation] | None:
    """The operation that puts the value told by `words` in the place of the one before."""
    manner = replace(case.manner, time=None, times=())
    bare = len(words) == 1 and words[0].text.isdigit()
    put_off = case.clause.verb.base in _PUTTING_OFF
    day = day_of(words, case.scene.at) if put_off or not bare else ""  # "the rent to 1200"
    weekly = WEEKLY.fullmatch(join(words).strip(" .!"))
    if day or weekly:
        told = _update(_dated(held), WHEN, day or join(words).strip(" .!"))
        be = "are" if weekly and told.subject.endswith("s") else "is"
        text = f"{told.subject} {be} {'on' if _has_day(told.object) else 'in'} {told.object}."
        return [claim(case.scene, manner, replace(told, text=text[:1].upper() + text[1:]))]
    thing = object_of(cut_aside(words), case.scene, held.subject)
    if thing is None:
        return None
    placed = case.clause.verb.base in _PLACING
    place = "is on" if thing.noun == "floor" else "is at" if _is_clock(words) else "is in"
    relation = Relation(name=place, known=False) if placed else held.relation
    if not placed and not (thing.is_name or any(c.isdigit() for c in thing.text)):
        return None
    owned = placed and held.relation.name != "is"
    subject = f"{held.subject}'s {held.noun}" if owned else held.subject
    said = _update(subject, relation, thing.text)
    return [claim(case.scene, manner, replace(said, object_is_name=thing.is_name, told=thing.told))]


def _update(subject: str, relation: Relation | str, value: str) -> Said:
    return Said(
        subject=subject, relation=relation, object=value, act=Act.UPDATE, change=True, stated=False
    )


def _dated(held: Held) -> str:
    """What a day belongs to: the report, of "the deadline for the report"."""
    if held.relation.name == "is":
        return without_due(held.subject)
    return f"{held.subject}'s {held.noun}"


def day_of(words: tuple[Token, ...], at: float) -> str:
    """The day that words tell, absolute, with its hour as said ("10 May 2024 at 3 pm"), or ""."""
    text = join(words)
    led = next((f"{by} {text}" for by in ("on", "in") if _is_time(f"{by} {text}", at)), "")
    if not led:
        return ""
    found = times(led, at, future=True)
    rest = tokenise(led[found[0].end :])
    hour = join([t for t in rest if t.text not in {".", "!", "|", ","}])
    return f"{_bare(found[0].text)} {hour}".strip() if is_hour(hour) else ""


def _is_clock(words: Sequence[Token]) -> bool:
    """Say whether words are an hour of the day and no more: "10", "half past nine", "4 pm"."""
    return HOUR.fullmatch(join(words).strip(" .!")) is not None


def _is_time(text: str, at: float) -> bool:
    found = times(text, at, future=True)
    return bool(found) and found[0].start == 0 and found[0].role == "at"


def _has_day(when: str) -> bool:
    """Say whether a time tells a day: "3 May 2024", "Tuesdays"; not "May 2024", "spring 2024"."""
    return when[:1].isdigit() or WEEKLY.match(when) is not None


def is_hour(text: str) -> bool:
    """Whether words add no more than an hour to a day: "at 3 pm", "morning", nothing."""
    words = text.lower().split()
    return all(w.replace(".", "").isdigit() or ":" in w or w in _HOURS for w in words)


_HOURS = word_set(
    "at in the am pm a.m p.m a.m. p.m. o'clock noon midnight morning afternoon evening night from"
    " around about sharp instead now half quarter past one two three four five six seven eight nine"
    " ten eleven twelve"
)


def _bare(text: str) -> str:
    return text.removeprefix("on ").removeprefix("in ")


def of_subject(subject: Subject, scene: Scene) -> Held | None:
    """What a subject names that can have a value; None for people and pets."""
    if subject.kind == THING:
        holder = scene.holder(subject.noun)
        if holder:
            return _slot(holder, subject.noun)
        return Held(subject=compound(subject.noun), relation=_BE, noun=subject.noun)
    if subject.kind == OF:
        return _slot(subject.names[0], subject.noun)
    if subject.kind != OWNED or subject.names:
        return None
    owner = scene.owner(subject.owner)
    return _slot(owner, subject.noun) if owner else None


def _of_words(words: tuple[Token, ...], scene: Scene) -> Held | None:
    """Read "my rent", "the kitchen budget", "Ana's salary"."""
    if len(words) < 2 or len(words) > 6 or not all(t.is_word for t in words):
        return None
    if words[0].low in _HAVING:
        owner = scene.owner(words[0].low)
        return _slot(owner, join(words[1:]).lower()) if owner else None
    if words[1].low == "'s" and len(words) > 2 and words[0].is_capital:
        return _slot(words[0].text, join(words[2:]).lower())
    if words[0].low == "the":
        noun = compound(join(words[1:]))
        owner = scene.holder(noun)
        if owner:
            return _slot(owner, noun)
        return Held(subject=noun, relation=_BE, noun=noun)
    return None


_BE = canonical("is") or Relation(name="is")


def _slot(owner: str, noun: str) -> Held | None:
    last = noun.split()[-1] if noun else ""
    known = slot_of(noun) if noun else None
    if not noun or living(last):
        return None
    if known is not None and known.answers == "person":
        if known.noun:
            return None
        known = None  # "the wedding" is an event here, whoever is married
    relation = known if known is not None else Relation(name=noun, noun=True, known=False)
    return Held(subject=owner, relation=relation, noun=noun)


CHANGING: dict[str, Special] = dict.fromkeys(
    word_set(
        "raise increase lower reduce cut change push postpone bring bump double triple halve"
        " upgrade shift reschedule update reset extend set delay rise drop fall climb grow go"
    ),
    changing,
)
"""The verbs that tell of a change of value, each with its reading."""


_CLOCK = (
    r"(?:(?:half|(?:a )?quarter|five|ten|twenty) (?:past|to) )?"
    r"(?:\d{1,2}(?:[:.]\d\d)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon)"
    r"(?: ?[ap]\.?m\.?| o'clock)?"
)
HOUR = re.compile(_CLOCK, re.IGNORECASE)
"""An hour of the day as it is said: "10", "9:30 am", "half past nine"."""
WEEKLY = re.compile(
    r"(?:on )?(?P<days>(?:mon|tues|wednes|thurs|fri|satur|sun)days)"
    rf"(?: at (?P<hour>{_CLOCK}))?",
    re.IGNORECASE,
)
"""Weekdays on which something is held again and again, with their hour: "Mondays at six"."""
