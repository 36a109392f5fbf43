"""New values of what was told before: "it's on Friday now", "they changed it to 8817"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules.corrections import corrected
from mags.models.policy.rules.earlier import is_planned, meant, over, told
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import tokenise
from mags.models.policy.rules.values import WEEKLY, WHEN, day_of
from mags.ports.policy import Act, Operation, Recalled
from mags.ports.relations import canonical

_REF = r"(?P<ref>it|that|(?:the |my |our )?[a-z][a-z' -]*?)"
_NEW = r"(?P<new>[\w£$€][\w'£$€.,: -]*?)"
_MOVED = (
    r"(?:moved|changed|pushed|shifted|rescheduled|postponed|brought|put|switched|raised|lowered"
    r"|increased|cut|reset|updated|delayed|swapped|set|dropped|upped)"
)
_WAY = r"(?: back| forward| up| down| on)?"
_TO = r"(?:to|until|till|for)"
_ADVERBS = r"(?:'ve| have|'s| has)?(?: just| now| finally)*"
_SHAPES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?:they|we|i|he|she|[a-z' ]*?\w+){_ADVERBS} {_MOVED}{_WAY} {_REF}{_WAY} {_TO} {_NEW}$",
        rf"^{_REF}(?:'s| has| was| is| got|'s been| has been|'s got)+(?: just| now)? {_MOVED}{_WAY}"
        rf" {_TO} {_NEW}$",
        rf"^{_REF}{_ADVERBS} (?:went|gone|risen|rose|dropped|fell)(?: up| down)? to {_NEW}$",
        rf"^(?:the |my |our )?new (?P<ref>[a-z]+(?: [a-z]+)?)(?: is|'s|:| =)? {_NEW}$",
        rf"^make (?:it|that) {_NEW}$",
        rf"^{_REF}(?:'s| is)(?: now| back)? (?:up|down) to {_NEW}$",
    )
)
_IS_NOW = re.compile(
    rf"^(?P<now>now,? |actually,? |turns out |no,? |so )*{_REF}(?:'s| is|'ll be| will be|'s going "
    rf"to be)(?P<now2> now| actually)? {_NEW}(?P<now3> now| instead| from now on| these days)?$",
    re.IGNORECASE,
)
_PLACED = re.compile(r"^(?:on|in|at|for) ")
_CLOCK = re.compile(r"(?:at )?\d{1,2}(?:[:.]\d\d)? ?(?:[ap]\.?m\.?|o'clock)?$", re.IGNORECASE)
_HOUR = re.compile(r"(?<=\bat )\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?| o'clock)?")
_WEEKDAYS = re.compile(
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: (?:morning|afternoon|evening)s?)?$",
    re.IGNORECASE,
)


def renewed(
    said: str, facts: Sequence[Recalled], scene: Scene, *, about: str = "", sure: bool = False
) -> tuple[Operation, ...]:
    """Return the operations of a clause that gives what was told before another value.

    `about`: the noun of which the sentence said that it changed; `sure`: it did say so.
    """
    said = said.strip(" .!")
    for shape in _SHAPES:
        match = shape.match(said)
        if match is not None:
            ref = _about(match.groupdict().get("ref") or "it", about)
            found = _weekly(facts, ref, match["new"])
            return found or _changed(facts, ref, match["new"].strip(" .!,"), scene)
    if not about and _GAUGED.match(said):
        return gauged(said, facts, scene.speaker)
    match = _IS_NOW.match(said)
    found = _weekly(facts, _about(match["ref"], about), match["new"]) if match else ()
    if found:
        return found
    if match is None or not (sure or match["now"] or match["now2"] or match["now3"]):
        return ()
    return _changed(facts, _about(match["ref"], about), match["new"].strip(" .!,"), scene)


_GAUGED = re.compile(
    r"^(?:(?:i'm|i am) (?:up|down|back) to )?(?P<new>\d+(?:\.\d+)?) (?:now|this morning|already)$",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>[a-z]+)", re.IGNORECASE)
_NEAR = 0.2
"""Share by which a bare number may differ from the one it takes the place of."""


def measured(fact: Recalled, new: str) -> str:
    """A new number in the unit of the old one, where it was told without."""
    held = _MEASURE.fullmatch(fact.object)
    return f"{new} {held['unit']}" if held and re.fullmatch(r"\d+(?:\.\d+)?", new) else new


def gauged(said: str, facts: Sequence[Recalled], speaker: str) -> tuple[Operation, ...]:
    """Read "82 now", "79.5 this morning": what the speaker measured before, if it is near that."""
    found = _GAUGED.match(said)
    if found is None:
        return ()
    new = float(found["new"])
    for fact in facts:
        held, known = _MEASURE.fullmatch(fact.object), canonical(fact.relation)
        if fact.subject != speaker or held is None or known is None or not known.one:
            continue  # of what is measured there is one value: a weight, no miles walked
        old = float(held["number"])
        if old != new and abs(old - new) <= _NEAR * old:
            return _with(fact, f"{found['new']} {held['unit']}")
    return ()


def _weekly(facts: Sequence[Recalled], ref: str, new: str) -> tuple[Operation, ...]:
    """Put "Tuesdays at half past three" in the place of the weekdays a thing had."""
    found = WEEKLY.fullmatch(new.strip(" .!,"))
    fact = meant(facts, ref, lambda f: f.relation == WHEN and _is_weekly(f)) if found else None
    if found is None or fact is None:
        return ()
    held = WEEKLY.fullmatch(fact.object)
    hour = found["hour"] or (held["hour"] if held else "")
    days = found["days"].capitalize()
    return _with(fact, f"{days} at {hour}" if hour else days)


def _is_weekly(fact: Recalled) -> bool:
    return WEEKLY.fullmatch(fact.object) is not None


def _about(ref: str, about: str) -> str:
    return about if about and ref.lower() in {"it", "that"} else ref


def _changed(facts: Sequence[Recalled], ref: str, new: str, scene: Scene) -> tuple[Operation, ...]:
    bare = _PLACED.sub("", new)
    day = day_of(tokenise(bare), scene.at)
    if _WEEKDAYS.match(new):
        found = _often(facts, ref, new)
        if found:
            return found
    if day:
        return _dated(facts, ref, day)
    if _CLOCK.match(new):
        found = _timed(facts, ref, bare)
        if found:
            return found
    if any(c.isdigit() for c in bare):
        fact = meant(facts, ref, _is_counted)
        return _with(fact, measured(fact, bare)) if fact else ()
    if new != bare:
        fact = meant(facts, ref, _is_placed)
        return _with(fact, _MINE.sub(f"{scene.speaker}'s ", bare)) if fact else ()
    return ()


_MINE = re.compile(r"^(?:my|our) ", re.IGNORECASE)


def _is_counted(fact: Recalled) -> bool:
    return fact.relation != WHEN and any(c.isdigit() for c in fact.object)


def _is_placed(fact: Recalled) -> bool:
    return fact.relation in {"is at", "is in", "is on"}


def _with(fact: Recalled, value: str) -> tuple[Operation, ...]:
    new = corrected([told(fact)], value, fact.object)
    if new is None:
        return ()
    # What is told to begin later is not ended by a value that holds from now on: it is taken back.
    return (over(fact), new) if "when" in fact.qualifiers and fact.relation != WHEN else (new,)


def _dated(facts: Sequence[Recalled], ref: str, day: str) -> tuple[Operation, ...]:
    """Put another day in the place of the one a thing had; its hour stays."""
    fact = meant(facts, ref, lambda f: f.relation == WHEN or _is_dated(f))
    if fact is None:
        return ()
    if fact.relation != WHEN:
        return _redated(fact, day)
    hour = re.search(r" at \d.*$", fact.object)
    return _with(fact, f"{day}{hour[0]}" if hour and " at " not in day else day)


def _is_dated(fact: Recalled) -> bool:
    return "when" in fact.qualifiers and is_planned(fact)


_DATED = re.compile(
    r"(?: (?:on|in|from|since|until|at the \w+ of) (?:\d|[A-Z][a-z]+ \d{4})[^.]*)?\.$"
)


def _redated(fact: Recalled, day: str) -> tuple[Operation, ...]:
    """Put "has a dentist appointment on 29 January" off to another day."""
    if fact.relation not in {"has", "is at", "is in"}:
        led = "on" if day[:1].isdigit() else "in"
        text = _DATED.sub(f" {led} {day}.", fact.text, count=1)
        kept = {k: v for k, v in fact.qualifiers.items() if k != "when"}
        return (over(fact), replace(told(fact), text=text, change=True, qualifiers=kept))
    subject = f"{fact.subject}'s {fact.object}" if fact.relation == "has" else fact.subject
    text = f"{subject} is on {day}."
    new = replace(
        told(fact),
        act=Act.UPDATE,
        subject=subject,
        relation=WHEN,
        object=day,
        text=text[:1].upper() + text[1:],
        change=True,
        one=True,
        qualifiers={},
        object_is_name=False,
    )
    return (over(fact), new) if fact.relation == "has" else (new,)


def _timed(facts: Sequence[Recalled], ref: str, hour: str) -> tuple[Operation, ...]:
    fact = meant(facts, ref, lambda f: _HOUR.search(f.object) is not None)
    if fact is None:
        return ()
    return _with(fact, _HOUR.sub(hour.removeprefix("at "), fact.object))


def _often(facts: Sequence[Recalled], ref: str, days: str) -> tuple[Operation, ...]:
    """Put other weekdays in the place of those on which somebody does a thing."""
    fact = meant(facts, ref, lambda f: "often" in f.qualifiers)
    if fact is None:
        return ()
    often = days if days.lower().startswith("on ") else f"on {days}"
    text = fact.text.replace(fact.qualifiers["often"], often)
    new = replace(told(fact), text=text, qualifiers={**fact.qualifiers, "often": often})
    return (over(fact), replace(new, change=True))


_NOW = re.compile(
    r"\b(?:now|nowadays|these days|instead|any ?more|switched|changed)\b", re.IGNORECASE
)


def displaced(
    sentence: str, read: Sequence[Operation], facts: Sequence[Recalled]
) -> tuple[Operation, ...]:
    """Return the ends of what a sentence with "now" tells anew of the same kind of thing.

    "He goes to Redhill school now" ends that he goes to Oakfield school, "I'm vegan now" that one
    is vegetarian.
    """
    if not _NOW.search(sentence):
        return ()
    return tuple(
        over(fact)
        for op in read
        if op.act is Act.ADD
        for fact in facts
        if (fact.subject, fact.relation) == (op.subject, op.relation)
        and fact.object != op.object
        and _is_of_kind(fact.object.lower(), op.object.lower())
    )


_DIETS = frozenset({"vegetarian", "vegan", "pescatarian", "omnivore", "flexitarian"})


def _is_of_kind(old: str, new: str) -> bool:
    """Say whether one takes the place of the other: two schools, two diets."""
    many = len(new.split()) > 1
    return {old, new} <= _DIETS or (many and old.split()[-1:] == new.split()[-1:])
