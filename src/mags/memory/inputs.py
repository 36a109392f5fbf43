"""What callers give, checked and turned into the values of `mags.ports`.

What cannot be used raises InvalidInput. `readable` breaks sentences that are too long for a policy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from math import inf
from numbers import Integral, Real
from typing import Any, TypeVar

from mags.errors import InvalidInput
from mags.ports.policy import CLAIMED, LED_BY, OUTCOME, Act, Operation, Turn, led_by, outcome

LONGEST_TURN = 1_000_000
"""Characters of one turn; more is a mistake, or a document to be split first."""
LONGEST_NAME = 2_000
"""Characters of a name, a relation, a session or another label."""
LONGEST_KEY = 100_000
"""Characters of an idempotency key; only its hash is kept."""
LONGEST_SENTENCE = 2_000
"""Characters of the longest sentence that a policy reads: the rules take time in its square."""
SKEW_S = 300.0
"""How far ahead of this clock another may be: what is said to lie further ahead is not believed."""
EARLIEST_S = -62_135_596_800.0
"""The beginning of the year 1."""
LATEST_S = 253_402_300_799.0
"""The end of the year 9999: what lies beyond has no date."""

TurnLike = Turn | Mapping[str, Any] | tuple[str, str] | str
"""A `Turn`, a mapping with its fields, a (speaker, text) pair, or a text."""

Moment = datetime | date | str | float | int
"""A datetime (naive means UTC), a date (its midnight), an ISO 8601 text, or seconds."""
T = TypeVar("T")

_FIELDS = frozenset(field.name for field in fields(Turn))

_END = re.compile("(?<=[.!?…]\\s)|(?<=[\u3002\uff01\uff1f\\n])")
"""The place behind the end of a sentence, full-width signs included."""


def words(given: object, what: str, *, longest: int = LONGEST_NAME, empty: bool = False) -> str:
    """A text that can be stored; raises InvalidInput naming `what` and what is wrong with it."""
    if not isinstance(given, str):
        raise InvalidInput(f"{what} must be a text, not {type(given).__name__}", given=given)
    if not empty and not given.strip():
        raise InvalidInput(f"{what} needs a text with something in it", given=given)
    if len(given) > longest:
        raise InvalidInput(
            f"{what} of {len(given):,} characters is too long: at most {longest:,}",
            length=len(given),
        )
    if "\x00" in given:
        raise InvalidInput(f"{what} must not hold NUL characters")
    try:
        given.encode()
    except UnicodeEncodeError as failure:
        raise InvalidInput(
            f"{what} holds half a surrogate pair at {failure.start}, which is no character: "
            "decode it anew, or replace it",
            position=failure.start,
        ) from failure
    return given


def check(turn: Turn) -> None:
    """Raise InvalidInput for what cannot be a turn."""
    words(turn.text, "a turn", longest=LONGEST_TURN)
    words(turn.speaker, "a turn's speaker", empty=True)
    words(turn.session, "a turn's session", empty=True)
    check_key(turn.key)
    seconds(turn.at)
    if not isinstance(turn.attrs, Mapping):
        raise InvalidInput("a turn's attrs are a mapping of texts to texts", given=turn.attrs)
    for name, value in turn.attrs.items():
        words(name, "the name of an attribute")
        words(value, f"the attribute {name!r}", longest=LONGEST_TURN, empty=True)
    check_report(turn.attrs)


def check_report(attrs: Mapping[str, object]) -> None:
    """Raise InvalidInput where `outcome` or `led_by` cannot be read."""
    went = words(attrs.get(OUTCOME, "0"), f"the attribute {OUTCOME!r}", empty=True)
    size = outcome({OUTCOME: went})
    if size is None or not -1.0 <= size <= 1.0:
        raise InvalidInput(
            f"the attribute {OUTCOME!r} is a number from -1 to 1, not {went!r}",
            field=OUTCOME,
            given=went,
        )
    ids = attrs.get(LED_BY, "")
    ids = words(ids, f"the attribute {LED_BY!r}", longest=LONGEST_TURN, empty=True)
    if len(led_by(attrs)) < len(ids.split()):
        raise InvalidInput(
            f"the attribute {LED_BY!r} holds ids of episodes, parted by spaces, not {ids[:80]!r}",
            field=LED_BY,
        )


def check_key(key: object) -> None:
    """Raise InvalidInput for what cannot be an idempotency key; None means without one."""
    if key is not None:
        words(key, "an idempotency key", longest=LONGEST_KEY)


def turn_of(given: TurnLike, now_s: float) -> tuple[Turn, float | None]:
    """A turn said at its time or now, and the time that was given; raises InvalidInput."""
    if isinstance(given, Turn):
        turn, at = given, seconds(given.at) or None  # a Turn without a time has 0.0
    else:
        values = _values(given)
        at = seconds(values.pop("at", None))
        values["attrs"] = {} if values.get("attrs") is None else values["attrs"]
        try:
            turn = Turn(**{**values, "at": now_s})
        except TypeError as failure:
            raise InvalidInput(f"this is not a turn: {failure}", turn=given) from failure
    turn = replace(turn, at=now_s if at is None else at)
    check(turn)
    return replace(turn, attrs=dict(turn.attrs)), at


def said_by(turn: Turn, now_s: float) -> Turn:
    """A turn said now or before: of one that claims to lie ahead the claim is kept beside it."""
    latest = now_s + SKEW_S
    if turn.at <= latest:
        return turn
    return replace(turn, at=latest, attrs={**turn.attrs, CLAIMED: _iso(turn.at)})


def not_ahead(operation: Operation, now_s: float) -> Operation:
    """An operation that begins now or before: of one that does not the claim is a qualifier."""
    latest, begins = now_s + SKEW_S, operation.valid_from
    if begins is None or begins <= latest:
        return operation
    claimed = {**operation.qualifiers, CLAIMED: _iso(begins)}
    return replace(operation, valid_from=latest, qualifiers=claimed)


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def _values(given: object) -> dict[str, Any]:
    if isinstance(given, str):
        return {"text": given}
    if isinstance(given, tuple) and len(given) == 2:
        return {"speaker": given[0], "text": given[1]}
    if not isinstance(given, Mapping):
        raise InvalidInput(
            "a turn is a Turn, a mapping with its fields, a (speaker, text) pair or a text, not "
            f"{type(given).__name__}",
            turn=given,
        )
    unknown = sorted(str(name) for name in given if name not in _FIELDS)
    if unknown:
        raise InvalidInput(
            f"this is not a turn: it has no {', '.join(unknown)} (a turn has "
            f"{', '.join(sorted(_FIELDS))})",
            turn=given,
        )
    return dict(given)


def operation_of(
    act: Act,
    triple: tuple[str, str, str],
    *,
    qualifiers: Mapping[str, str],
    valid: tuple[Moment | None, Moment | None] = (None, None),
    one: bool | None = None,
    confidence: float = 1.0,
) -> Operation:
    """The operation of a triple, as a policy would propose it; raises InvalidInput."""
    subject, relation, object_ = triple
    words(subject, "a fact's subject")
    words(relation, "a fact's relation")
    words(object_, "a fact's object", longest=LONGEST_TURN, empty=act is Act.RETRACT)
    if not isinstance(qualifiers, Mapping):
        raise InvalidInput("qualifiers are a mapping of texts to texts", given=qualifiers)
    for name, value in qualifiers.items():
        words(name, "the name of a qualifier")
        words(value, f"the qualifier {name!r}")
    if not (real(confidence) and 0.0 < confidence <= 1.0):
        raise InvalidInput(f"confidence lies in (0, 1], not {confidence!r}", field="confidence")
    begins, ends = seconds(valid[0]), seconds(valid[1])
    if begins is not None and ends is not None and ends < begins:
        raise InvalidInput(
            "until lies before at, so it was never true", at=valid[0], until=valid[1]
        )
    return Operation(
        act=act,
        subject=subject,
        relation=relation,
        object=object_,
        qualifiers=dict(qualifiers),
        valid_from=begins,
        valid_to=ends,
        one=one,
        confidence=confidence,
        object_is_name=object_[:1].isupper(),
    )


def id_or_name(given: object, what: str = "this") -> int | str:
    """A node id as an int, or a name; raises InvalidInput for anything else."""
    if isinstance(given, str):
        return words(given, what, longest=LONGEST_TURN)
    return known_id(given, what)


def known_id(given: object, what: str = "a node id") -> int:
    """A node id; raises InvalidInput where it is no whole number of 1 or more."""
    if not isinstance(given, bool) and isinstance(given, Integral) and 1 <= int(given) < 2**63:
        return int(given)
    raise InvalidInput(f"{what} must be a node id (1 or more), not {given!r}", given=given)


def whole(given: object, what: str, least: int = 0) -> int:
    """A whole number of `least` or more that a store can count to; raises InvalidInput."""
    number = -1 if isinstance(given, bool) or not isinstance(given, Integral) else int(given)
    if not least <= number <= 2**62:
        raise InvalidInput(f"{what}, {least} or more, not {given!r}", given=given)
    return number


def real(given: object) -> bool:
    """Whether it is a number; True and False are none here."""
    return isinstance(given, Real) and not isinstance(given, bool)


def several(given: Iterable[T], what: str) -> Iterable[T]:
    """The list that was given; raises InvalidInput for a single text or mapping."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InvalidInput(f"{what} are a list, not one {type(given).__name__}", given=given)
    return given


def check_meta(meta: object) -> None:
    """Raise InvalidInput for what cannot be stored beside a text."""
    if not isinstance(meta, Mapping):
        raise InvalidInput("meta is a mapping by name", given=meta)
    try:
        plain = json.dumps(meta, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as failure:
        raise InvalidInput(
            f"meta holds texts, numbers and lists of them: {failure}", given=meta
        ) from failure
    if not all(isinstance(name, str) for name in meta):
        raise InvalidInput("the names in meta are texts", given=meta)
    words(plain, "meta", longest=LONGEST_TURN)


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
    found = moment if isinstance(moment, int | float) else _of_date(moment)
    if found != found or abs(found) == inf:
        raise InvalidInput("a moment must be a finite number of seconds", moment=moment)
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


_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_NO_PROSE = re.compile(
    r"""
    \|.*\| | \t.*\t                                                # a row of a table
    | ^\W*\d{4}-\d\d-\d\d[ T]\d\d:\d\d | ^\W*(?:\w{3}\s+\d+\s+)?\d\d:\d\d:\d\d\b     # a log's time
    | \b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b\s*[\]:|-]      # and its level
    | ^\s*(?:Traceback\ \(most | File\ ".+",\ line | at\ [\w.$]+\()   # where a program failed
    | [;{]\s*$ | ^\s*[}\])]+[;,)]*\s*$                               # ends as code does
    | ^\s*(?:\#include|import\ [\w.{]+|from\ [\w.]+\ import|def\ \w+\(|class\ \w+[:({]
        |(?:const|let|var)\ \w+\ *=|function\b.*\(|return\b.*[;()]|SELECT\ .+\ FROM\ |\$\ \w)
    | ^\s*[\w.\[\]"']+\s*(?:[-+*/|&:]?=)\s*\S                         # gives something a value
    | \w\.\w+\( | \w\(\) | => | [!=]= | :: | </\w | \w->\w
    """,
    re.VERBOSE,
)
"""Lines of code, logs and tables, of which nobody says that they are so."""


def prose(turn: Turn) -> Turn:
    """The turn without its lines of code, logs and tables: they are kept, but no facts."""
    plain = _FENCED.sub("", turn.text)
    lines = ("" if _NO_PROSE.search(line) else line for line in plain.splitlines())
    kept = "\n".join(lines)
    return turn if kept == turn.text else replace(turn, text=kept.strip())


def readable(turn: Turn) -> Turn:
    """The turn, its long sentences broken at a space where there is one."""
    if len(turn.text) <= LONGEST_SENTENCE:
        return turn
    return replace(turn, text="".join(_lines(turn.text)))


def _lines(text: str) -> Iterable[str]:
    for sentence in _END.split(text):
        rest = sentence
        while len(rest) > LONGEST_SENTENCE:
            cut = rest.rfind(" ", 0, LONGEST_SENTENCE) + 1 or LONGEST_SENTENCE
            yield f"{rest[:cut]}\n"
            rest = rest[cut:]
        yield rest
