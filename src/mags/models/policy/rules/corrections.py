"""Corrections: "no, the 14th", "Kwint, not Quint", of what their speaker has said just before.

The statement is read twice, as it was made and as it should have been made. What it told only as it
was made never was so, and what it tells only as it should have been takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from mags.models.policy.rules.clauses import clauses
from mags.models.policy.rules.lexicon import JOBS
from mags.models.policy.rules.phrases import is_of_somebody, living
from mags.models.policy.rules.tokens import is_name, mentions, tokenise
from mags.models.policy.rules.when import COUNTED, DAYS, MONTHS
from mags.ports.corrections import SOMEBODY_IS, bare, instead, is_cued
from mags.ports.policy import ASSISTANTS, Act, Operation, Recalled, Turn, Writing, asks

Write = Callable[[Turn, Sequence[Turn], Sequence[Recalled]], Writing]
"""How a turn is read, as `Policy.write`."""
_LONGEST, _LONGEST_STATEMENT = 200, 600
"""Letters of a correction, and of what it corrects; what is longer is a document."""
LOOKED_AT = 2
"""Statements of who speaks, the last ones, that a turn may correct."""
_BRIEF = 6
"""Words of what an assistant says in between and tells nothing of its own; of people half."""
_ALIKE = 0.7
"""How alike a word is to what was mistyped."""
_MONTH = rf"(?:{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in MONTHS)})\b"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)"
_TYPED = re.compile(
    r"\b(?P<hour>\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b|\d{1,2}:\d\d|noon|midnight|\w+ o'?clock"
    r"|(?:half|quarter) (?:past|to) \w+)"
    rf"|\b(?P<day>{_ORDINAL}(?: of)? {_MONTH}|\d{{1,2}} {_MONTH}|{_MONTH} (?:the )?{_ORDINAL}"
    rf"|{_MONTH} \d{{1,2}}\b(?!:)|{_ORDINAL}|(?:(?:next|last|this) )?(?:{'|'.join(DAYS)}"
    r"|tues?|weds?|thurs?|fri)|today|tonight|tomorrow|yesterday)\b"
    rf"|\b(?P<month>(?-i:(?=[A-Z])){_MONTH})"
    r"|\b(?P<year>(?:19|20)\d\d)\b"
    rf"|(?P<number>[$€£]?\d(?:[\d.,]*\d)?|\b(?:{'|'.join(COUNTED)})\b)",
    re.IGNORECASE,
)
_MOVED = re.compile(r"\b(?:now|instead)[\s.!]*$", re.IGNORECASE)
"""What tells that what was said was so until now."""
_IDLE = re.compile(
    r"\bno+ (?!wait|sorry|sry|actually|its?\b|i\b|that|he|she|they)[a-z]|\b\w{3,}ly\W*$",
    re.IGNORECASE,
)
"""What denies something of a noun ("no tofu"), or says how."""
_END = re.compile(r"(?<=[.!])\s+")
_NAMES = re.compile(r"\bname(?:'?s| is| was)\b", re.IGNORECASE)
_PLACED = re.compile(r" (?:in|at|from|for|near|to) (?=[A-Z])")
_LINKS = re.compile(r"\b(?:in|at|on|to|from|for|the|an?|of)\b|,", re.IGNORECASE)


_Old = dict[str, str]
"""Words of a statement to those which are right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Righted:
    """A turn as it should have been said, its place among the turns before, and what it told.

    `old`: which of its words were wrong.
    """

    turn: Turn
    place: int
    told: Sequence[Operation]
    old: _Old


def corrected(
    write: Write, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]
) -> Writing:
    """Read a turn, or what it surely corrects that its speaker said last.

    It may go on with sentences of its own.
    """
    ends = (m.start() for m in _END.finditer(turn.text[:_LONGEST]))
    first = next((end for end in ends if bare(turn.text[:end])), 0)
    for text, rest in ((turn.text, ""), (turn.text[:first], turn.text[first:].strip())):
        righted = _righted(write, replace(turn, text=text), recent, recalled)
        if righted is None:
            continue
        read = write(righted.turn, recent[: righted.place], _but_of(righted.turn, recalled))
        told = _exchanged(righted, read.operations, text)
        if not told:
            break
        after = write(replace(turn, text=rest), recent, recalled).operations if rest else ()
        return Writing(
            operations=(*told, *after),
            mentions=mentions(turn.text),
            why=f"It corrects what was said before: {righted.turn.text!r}",
            is_question=asks(turn.text),
        )
    return write(turn, recent, recalled)


def _but_of(said: Turn, recalled: Sequence[Recalled]) -> list[Recalled]:
    """What was held before a turn told it."""
    return [one for one in recalled if (one.speaker, one.at) != (said.speaker, said.at)]


def _exchanged(was: _Righted, read: Sequence[Operation], said: str) -> list[Operation]:
    """What takes back each thing that was told and is not so, with what is so in its place.

    That is as sure as what it corrects. Nothing where nothing is read in the place of anything;
    else what has the wrong words and is read no more is taken back as well.
    """
    who = SOMEBODY_IS.match(bare(said))
    before, after = {_key(op) for op in was.told}, {_key(op) for op in read}
    gone = [op for op in was.told if op.act is not Act.RETRACT and _key(op) not in after]
    if who is not None:
        gone = [op for op in gone if (op.subject == was.turn.speaker) == bool(who["own"])]
    over: dict[str, Any] = {
        "act": Act.RETRACT,
        "text": "",
        "valid_from": None,
        "valid_to": None,
        "one": None,
    }
    over |= {"change": _MOVED.search(said) is not None, "exact": True, "tentative": False}
    timed = any(map(_typed, was.old.values()))  # a time is not written as it was said
    found: list[Operation] = []
    for new in read:
        fits = timed or _has(was.old.values(), new)
        if new.act is Act.NOTE or _key(new) in before or not fits:
            continue
        for old in gone:
            same = (new.act, new.relation) == (old.act, old.relation)
            if same and (new.subject == old.subject or new.object == old.object):
                gone.remove(old)
                right = replace(new, tentative=old.tentative, confidence=old.confidence)
                found += [replace(old, **over), right]
                break
    wrong = [op for op in gone if op.act is not Act.NOTE and _has(was.old, op)]
    return [*found, *(replace(op, **over) for op in wrong)] if found else []


def _has(some: Iterable[str], op: Operation) -> bool:
    """Whether an operation has some of these words."""
    return any(_as_words(one).search(f"{op.subject} {op.object}") for one in some)


def _key(op: Operation) -> tuple[object, ...]:
    return op.act, op.subject, op.relation, op.object, op.valid_from, op.valid_to


def _righted(
    write: Write, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]
) -> _Righted | None:
    """The statement that a turn corrects, as it should have been made."""
    if len(turn.text) > _LONGEST:
        return None
    wrong, right = instead(turn.text)
    speaks = turn.speaker.casefold() not in ASSISTANTS
    if not right or not speaks or asks(turn.text) or not (wrong or is_cued(turn.text)):
        return None
    if right.casefold() in {said.speaker.casefold() for said in recent}:
        return None  # "Sorry, Anna!" is said to her
    between: list[Turn] = []
    looked = 0
    for place in reversed(range(len(recent))):
        said = recent[place]
        if said.speaker != turn.speaker:
            between.append(said)
            continue
        looked += 1
        if looked > LOOKED_AT or len(said.text) > _LONGEST_STATEMENT:
            break
        # What corrects a correction corrects the statement.
        earlier = _righted(write, said, recent[:place], recalled)
        said, at = (earlier.turn, earlier.place) if earlier else (said, place)
        told = write(said, recent[:at], _but_of(said, recalled)).operations
        old = (
            _named(wrong, right, said.text) if wrong else _meant(turn.text, right, said.text, told)
        )
        if old and _goes_on(between, old, right, named=bool(wrong)):
            now = replace(said, text=_put(old, said.text))
            return _Righted(turn=now, place=at, told=told, old=old)
        if old or (told and not wrong):
            return None
    return None


def _put(old: _Old, text: str) -> str:
    for wrong, right in old.items():
        text = right.join(_as_words(wrong).split(text))
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
        most = _BRIEF if turn.speaker.casefold() in ASSISTANTS else _BRIEF // 2
        brief = len(turn.text.split()) <= most and not _typed(turn.text)
        idle = brief and not clauses(tokenise(turn.text))
        if asks(turn.text) or not (named or idle):
            return False
    return True


# -- which words are wrong -------------------------------------------------------------------


def _named(wrong: str, right: str, text: str) -> _Old:
    """The words that a turn says are wrong, where a statement has them and not what is right."""
    typed = _typed(right)
    if _as_words(right).search(text) or len(typed) != len(_typed(wrong)):
        return {}
    if len(typed) == 1 and _TYPED.fullmatch(wrong):
        right = typed[0][1]  # "no mum 13, not 12"
    if _as_words(wrong).search(text):
        return {wrong: right}
    same = [old for kind, part in typed for old in _of_kind(kind, part, text)]
    same = [old for old in same if _value(old) == _value(wrong)]
    return {same[0]: right} if len(same) == 1 else {}


def _meant(said: str, right: str, text: str, told: Sequence[Operation]) -> _Old:
    """The only words of a statement that are of the kind of what is right."""
    if _as_words(right).search(text):
        return {}
    parts = _typed(right)
    if not parts:
        old = _only_word(said, right, text, told)
        return {old: right} if old else {}
    unit = _LINKS.sub("", _TYPED.sub("", right)).strip()
    if unit and not re.search(rf"\b{re.escape(unit.removesuffix('s'))}", text, re.IGNORECASE):
        return {}
    found = [(_of_kind(kind, part, text), part) for kind, part in parts]
    return {old[0]: part for old, part in found} if all(len(old) == 1 for old, _ in found) else {}


def _only_word(said: str, right: str, text: str, told: Sequence[Operation]) -> str:
    """What a name or a noun may take the place of among the things that a statement told, or "".

    Of several it is the one that is spelled alike, then the one behind the same preposition.
    """
    things = [op for op in told if op.act is not Act.NOTE and op.object in text]
    parts = (part for op in things for part in _PLACED.split(op.object))  # "law in Leiden"
    fitting = {part for part in parts if not _typed(part)}
    if right[:1].isupper():
        subjects = {op.subject for op in told}
        names = {one for one in fitting if is_name(one)}
        people = {op.object for op in things if is_of_somebody(op.relation)}
        fitting = people & names if _NAMES.search(said) else names
        fitting = fitting - subjects or fitting
    elif _IDLE.search(said) or right != right.lower() or living(right.split()[-1]):
        return ""
    elif SOMEBODY_IS.search(said) and not _is_trade(right):
        return ""  # "he's a fool" need not be what he works as
    else:
        small, trade = text == text.lower(), _is_trade(right)
        names = {one for one in fitting if small or not is_name(one)}
        fitting = {one for one in names if _is_trade(one) or not trade}
    led = re.search(rf"\b(in|at|to|from|for|by) {re.escape(right)}", said)
    behind = {one for one in fitting if led and f"{led[1]} {one}" in text}
    alike = {one for one in names if SequenceMatcher(None, one, right).ratio() >= _ALIKE}
    return next((min(some) for some in (alike, behind, fitting) if len(some) == 1), "")


def _is_trade(words: str) -> bool:
    return words.split()[-1].lower() in JOBS


def _typed(text: str) -> list[tuple[str, str]]:
    """The days, hours and numbers of a text, each with its kind."""
    return [(str(m.lastgroup), m[0]) for m in _TYPED.finditer(text)]


def _of_kind(kind: str, right: str, text: str) -> list[str]:
    """What a value may take the place of: a day of a day, the number of a day of its number."""
    found = [one for other, one in _typed(text) if other == kind]
    if kind == "number" and not found:
        found = [one for other, one in _typed(text) if other == "hour"]
    if kind == "number" or re.fullmatch(_ORDINAL, right):
        numbers = [re.search(r"[$€£]?\d+(?:[.,\d]*\d)?(?:st|nd|rd|th)?", one) for one in found]
        return [number[0] if number else one for number, one in zip(numbers, found, strict=True)]
    return found


def _value(words: str) -> str:
    number = re.search(r"\d[\d.,]*", words)
    return number[0] if number else str(COUNTED.get(words.lower(), words.lower()))
