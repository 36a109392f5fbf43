"""Corrections: "no, the 14th", "Kwint, not Quint", of what their speaker has said just before.

The statement is read twice, as it was made and as it should have been made. What it told only as it
was made never was so, and what it tells only as it should have been takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from mags.models.policy.rules.lexicon import JOBS
from mags.models.policy.rules.phrases import living
from mags.models.policy.rules.tokens import is_name, mentions
from mags.models.policy.rules.when import COUNTED, DAYS, MONTHS
from mags.ports.corrections import bare, instead, is_cued, names_somebody
from mags.ports.policy import ASSISTANTS, Act, Operation, Recalled, Turn, Writing, asks
from mags.ports.relations import canonical

Write = Callable[[Turn, Sequence[Turn], Sequence[Recalled]], Writing]
"""How a turn is read, as `Policy.write`."""
LOOKED_AT = 2
"""Statements of who speaks, the last ones, that a turn may correct."""
_BRIEF = 6
"""Words of what another says in between that answers a statement and asks nothing of its own."""
_ALIKE = 0.7
"""How alike a word is to what was mistyped."""
_MONTH = rf"(?:{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in MONTHS)})\b"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)"
_TYPED = re.compile(
    r"\b(?P<clock>\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b|\d{1,2}:\d\d|noon|midnight|\w+ o'?clock"
    r"|(?:half|quarter) (?:past|to) \w+)"
    rf"|\b(?P<date>{_ORDINAL}(?: of)? {_MONTH}|\d{{1,2}} {_MONTH}|{_MONTH} (?:the )?{_ORDINAL}"
    rf"|{_MONTH} \d{{1,2}}\b(?!:))"
    rf"|\b(?P<weekday>(?:(?:next|last|this) )?(?:{'|'.join(DAYS)}|tues?|weds?|thurs?|fri)"
    r"|today|tonight|tomorrow|yesterday)\b"
    rf"|\b(?P<ordinal>{_ORDINAL})\b"
    rf"|\b(?P<month>(?-i:(?=[A-Z])){_MONTH})"
    r"|\b(?P<year>(?:19|20)\d\d)\b"
    rf"|(?P<number>[$€£]?\d[\d.,]*\d|[$€£]?\d|\b(?:{'|'.join(COUNTED)})\b)",
    re.IGNORECASE,
)
_MOVED = re.compile(r"\b(?:now|instead)[\s.!]*$", re.IGNORECASE)
"""What tells that what was said was so until now."""
_END = re.compile(r"(?<=[.!])\s+")
_WHO = re.compile(r"(i|we|he|she|they)(?:'?(?:m|s|re)| is| are| am| was| were) ", re.IGNORECASE)
"""Of whom a correction says that it tells: of who speaks, or of another."""
_LINKS = re.compile(r"\b(?:in|at|on|to|from|for|the|an?|of)\b|,", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Righted:
    """A turn as it should have been said, its place among the turns before, and what it told."""

    turn: Turn
    place: int
    told: Sequence[Operation]


def corrected(
    write: Write, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]
) -> Writing | None:
    """Read a turn that surely corrects what its speaker said last; None where it does not.

    It may go on with sentences of its own.
    """
    first = next(
        (end for m in _END.finditer(turn.text) if bare(turn.text[: (end := m.start())])), 0
    )
    for text, rest in ((turn.text, ""), (turn.text[:first], turn.text[first:].strip())):
        righted = _righted(write, replace(turn, text=text), recent, recalled)
        if righted is None:
            continue
        read = write(righted.turn, recent[: righted.place], _but_of(righted.turn, recalled))
        moved = _MOVED.search(text) is not None
        pairs = _exchanged(righted.told, read.operations, change=moved)
        who = _WHO.match(bare(text))
        own = None if who is None else who[1].lower() in ("i", "we")
        told = [op for one in pairs if own in (None, one[0].subject == turn.speaker) for op in one]
        if not told:
            return None
        after = write(replace(turn, text=rest), recent, recalled).operations if rest else ()
        return Writing(
            operations=(*told, *after),
            mentions=mentions(turn.text),
            why=f"It corrects what was said before: {righted.turn.text!r}",
            is_question=asks(turn.text),
        )
    return None


def _but_of(said: Turn, recalled: Sequence[Recalled]) -> list[Recalled]:
    """What was held before a turn told it."""
    return [one for one in recalled if (one.speaker, one.at) != (said.speaker, said.at)]


def _exchanged(
    told: Sequence[Operation], right: Sequence[Operation], *, change: bool
) -> Iterator[tuple[Operation, Operation]]:
    """What takes back each thing that was told and is not so, with what is so in its place.

    It is as sure as what it corrects: of that the reading was no other.
    """
    before, after = {_key(op) for op in told}, {_key(op) for op in right}
    gone = [op for op in told if op.act is not Act.RETRACT and _key(op) not in after]
    for new in right:
        if new.act is Act.NOTE or _key(new) in before:
            continue
        for old in gone:
            same = (new.act, new.relation) == (old.act, old.relation)
            if same and (new.subject == old.subject or new.object == old.object):
                gone.remove(old)
                over = Operation(
                    act=Act.RETRACT,
                    subject=old.subject,
                    relation=old.relation,
                    object=old.object,
                    qualifiers=old.qualifiers,
                    change=change,
                    subject_is_name=old.subject_is_name,
                    object_is_name=old.object_is_name,
                    exact=True,
                )
                yield over, replace(new, tentative=old.tentative, confidence=old.confidence)
                break


def _key(op: Operation) -> tuple[object, ...]:
    return op.act, op.subject, op.relation, op.object, op.valid_from, op.valid_to


def _righted(
    write: Write, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]
) -> _Righted | None:
    """The statement that a turn corrects, as it should have been made."""
    wrong, right = instead(turn.text)
    speaks = turn.speaker.casefold() not in ASSISTANTS
    if not right or not speaks or asks(turn.text) or not (wrong or is_cued(turn.text)):
        return None
    between: list[Turn] = []
    looked = 0
    for place in reversed(range(len(recent))):
        said = recent[place]
        if said.speaker != turn.speaker:
            between.append(said)
            continue
        looked += 1
        if looked > LOOKED_AT:
            break
        # What corrects a correction corrects the statement.
        earlier = _righted(write, said, recent[:place], recalled)
        said, at = (earlier.turn, earlier.place) if earlier else (said, place)
        told = write(said, recent[:at], _but_of(said, recalled)).operations
        old = _named(wrong, right, said.text) if wrong else _meant(turn, right, said.text, told)
        if old and _goes_on(between, old, right, named=bool(wrong)):
            return _Righted(turn=replace(said, text=_put(old, said.text)), place=at, told=told)
        if old or (told and not wrong):
            return None
    return None


_Old = dict[str, str]
"""Words of a statement to those which are right."""


def _put(old: _Old, text: str) -> str:
    for wrong, right in old.items():
        text = _as_words(wrong).sub(lambda _, right=right: right, text)
    return text


def _as_words(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE)


def _goes_on(between: Sequence[Turn], old: _Old, right: str, *, named: bool) -> bool:
    """Whether what others said since leaves it the statement that is corrected, not theirs.

    A question is answered unless it asks of the very words, and does not offer what is right.
    """
    for turn in between:
        if _as_words(right).search(turn.text):
            return False
        if any(_as_words(wrong).search(turn.text) for wrong in old):
            continue
        brief = turn.speaker.casefold() in ASSISTANTS and len(turn.text.split()) <= _BRIEF
        if asks(turn.text) or not (named or brief):
            return False
    return True


# -- which words are wrong -------------------------------------------------------------------


def _named(wrong: str, right: str, text: str) -> _Old:
    """The words that a turn says are wrong, where a statement has them and not what is right."""
    if _as_words(right).search(text) or _kinds(wrong) != _kinds(right):
        return {}
    typed = _typed(right)
    if len(typed) == 1 and _TYPED.fullmatch(wrong):
        right = typed[0][1]  # "no mum 13, not 12"
    if _as_words(wrong).search(text):
        return {wrong: right}
    same = [old for kind, _ in typed for old in _of_kind(kind, text)]
    same = [old for old in same if _value(old) == _value(wrong)]
    return {same[0]: right} if len(same) == 1 else {}


def _meant(turn: Turn, right: str, text: str, told: Sequence[Operation]) -> _Old:
    """The only words of a statement that are of the kind of what is right."""
    if _as_words(right).search(text):
        return {}
    parts = _typed(right)
    unit = _LINKS.sub("", _TYPED.sub("", right)).strip()
    if parts and (not unit or re.search(rf"\b{re.escape(unit.rstrip('s'))}", text, re.I)):
        found = [(_of_kind(kind, text), part) for kind, part in parts]
        return {old[0]: part for old, part in found} if all(len(o) == 1 for o, _ in found) else {}
    if parts:
        return {}
    things = [op for op in told if op.act is not Act.NOTE and op.object in text]
    objects = {op.object for op in things if not _typed(op.object)}
    if right[:1].isupper():
        names = ({one for one in objects if is_name(one)} | set(mentions(text))) - {turn.speaker}
        alike = _only(one for one in names if _is_alike(one, right))
        if names_somebody(turn.text):
            things = [op for op in things if _is_somebody(op.relation)]
            objects = {op.object for op in things}
        subjects = {op.subject for op in told}
        last = {
            one for one in objects if is_name(one) and (len(objects) == 1 or one not in subjects)
        }
        before = re.search(rf"\b(in|at|to|from|for|by) {re.escape(right)}", bare(turn.text))
        led = {
            one for one in last if before and re.search(rf"\b{before[1]} {re.escape(one)}", text)
        }
        old = alike or _only(led) or _only(last)
        return {old: right} if old else {}
    small = text == text.lower()
    objects = {one for one in objects if small or not is_name(one)}
    alike = _only(one for one in objects if _is_alike(one, right))
    trades = {one for one in objects if _is_trade(one)}
    old = alike or _only(trades if _is_trade(right) else objects)
    idle = re.search(rf"\bno {re.escape(right)}|\b\w{{3,}}ly$", turn.text, re.IGNORECASE)
    return {old: right} if old and not idle else {}


def _only(words: Iterator[str] | set[str]) -> str:
    found = set(words)
    return found.pop() if len(found) == 1 else ""


def _is_alike(old: str, new: str) -> bool:
    return SequenceMatcher(None, old.casefold(), new.casefold()).ratio() >= _ALIKE


def _is_trade(words: str) -> bool:
    return words.split()[-1].lower() in JOBS


def _is_somebody(relation: str) -> bool:
    known = canonical(relation)
    return living(relation.split()[-1]) or (known is not None and known.answers == "person")


def _typed(text: str) -> list[tuple[str, str]]:
    """The days, hours and numbers of a text, each with its kind."""
    return [(str(m.lastgroup), m[0]) for m in _TYPED.finditer(text)]


def _kinds(text: str) -> set[str]:
    days = ("date", "weekday", "ordinal")
    return {"day" if kind in days else kind for kind, _ in _typed(text)}


def _of_kind(kind: str, text: str) -> list[str]:
    """What a value of a kind may take the place of: a day of a day, its number of the number."""
    found = _typed(text)
    if kind in ("date", "weekday"):
        return [one for other, one in found if other in ("date", "weekday", "ordinal")]
    if kind == "ordinal":
        numbers = [re.search(rf"{_ORDINAL}|\d+", one) for other, one in found if other == "date"]
        days = [one for other, one in found if other in ("weekday", "ordinal")]
        return [one[0] for one in numbers if one] or days
    if kind == "month":
        months = [re.search(_MONTH, one, re.I) for other, one in found if other == "date"]
        return [one[0] for one in months if one] or [one for other, one in found if other == kind]
    if kind == "number":
        hours = [re.match(r"\d+", one) for other, one in found if other == "clock"]
        return [one for other, one in found if other == kind] or [one[0] for one in hours if one]
    return [one for other, one in found if other == kind]


def _value(words: str) -> str:
    number = re.search(r"\d[\d.,]*", words)
    return number[0] if number else str(COUNTED.get(words.lower(), words.lower()))
