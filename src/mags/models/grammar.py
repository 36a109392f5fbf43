"""The grammar of memory tokens, read strictly: what does not fit is refused, with the reason.

::

    <recall>                      <engram>                                  <route>
    a query                       ADD | subject | relation | object         both
    another query                 UPDATE | ... | kind=food; where=Oslo      episodic=1 semantic=0.5
    entities: Alice; Oslo         RETRACT | ... | 2024-05-03                </route>
    hop: Alice | married to       NOTE | words that stand alone
    hop: ^ | works at             LINK | m42 | m7
    since: 2024-05                none
    </recall>                     </engram>

A field takes any character but the bar, written `\\|`, and markup. Times are ISO dates, cut off
where precision ends (`2024`, `2024-05`), or a range of two (`2024-05..2024-08`, either end free).
`^` is the answer of the hop before; a hop may end in `| inverse`. Every failure is a
ModelReplyError with `reason` and `line`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from mags.errors import ModelReplyError
from mags.ports.policy import Act, Hop, Operation, Plan, Route

QUALIFIERS = ("kind", "when", "where", "condition", "exception", "reason", "with")
ANSWER_KINDS = ("person", "place", "time", "number", "thing", "reason", "yesno")
ROUTES = {"recall": (True, False), "engram": (False, True), "both": (True, True)}
ROUTES["neither"] = (False, False)

BLOCK = "<{0}>(.*?)</{0}>"
THINKING = re.compile(r"<(think|thinking)>.*?</\1>\s*", re.DOTALL)
FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)
MARKUP = re.compile(r"</?\s*(?:recall|engram|route|think|thinking|links?|tool_call)\b|<\|", re.I)
MOMENT = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?Z?)?)?)?", re.ASCII
)
CITED = re.compile(r"m(\d{1,18})", re.ASCII)
BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most a reply may hold: characters of it and of a field, lines, words of a relation."""

    reply: int = 16_000
    field: int = 200
    note: int = 600
    operations: int = 24
    queries: int = 8
    hops: int = 6
    relation_words: int = 8


LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Engram:
    """A read `<engram>`: what to store, and which cited memories belong together."""

    operations: tuple[Operation, ...] = ()
    links: tuple[tuple[int, int], ...] = ()


def refuse(reason: str, line: str = "") -> ModelReplyError:
    """The failure of a reply that the grammar or a guardrail turns down."""
    shown = f": {line[:120]!r}" if line else ""
    return ModelReplyError(f"The reply is refused: {reason}{shown}.", reason=reason, line=line)


def said_aloud(reply: str, *, limits: Limits = LIMITS) -> str:
    """The reply without what the model thought before it, or a code fence around it."""
    if len(reply) > limits.reply:
        raise refuse(f"longer than {limits.reply} characters")
    words = THINKING.sub("", reply).strip()
    fenced = FENCE.match(words)
    return fenced.group(1).strip() if fenced else words


def read_engram(reply: str, *, limits: Limits = LIMITS) -> Engram:
    """Read a reply that is one `<engram>` block; raises ModelReplyError."""
    return engram_lines(_only_block(reply, "engram", limits), limits=limits)


def engram_lines(block: str, *, limits: Limits = LIMITS) -> Engram:
    """Read what stands inside an `<engram>` block; raises ModelReplyError."""
    lines = _lines(block)
    if [line.casefold() for line in lines] == ["none"]:
        return Engram()
    if not lines:
        raise refuse('an empty block (write "none" where there is nothing to store)')
    if len(lines) > limits.operations:
        raise refuse(f"more than {limits.operations} operations")
    links = tuple(_link(line) for line in lines if line.startswith("LINK"))
    kept = [_operation(line, limits) for line in lines if not line.startswith("LINK")]
    return Engram(operations=tuple(kept), links=tuple(dict.fromkeys(links)))


def read_plan(reply: str, question: str, *, limits: Limits = LIMITS) -> Plan:
    """Read a reply that is one `<recall>` block; the question itself becomes the first query."""
    queries, settings = recall_lines(_only_block(reply, "recall", limits), limits=limits)
    spans = [_moments(_one(settings, name), name) for name in ("since", "until")]
    kind = _one(settings, "kind")
    if kind not in ("", *ANSWER_KINDS):
        raise refuse(f"kind is one of {', '.join(ANSWER_KINDS)}", kind)
    hops = tuple(_hop(line, limits) for line in settings.get("hop", ()))
    if len(hops) > limits.hops or len(queries) > limits.queries:
        raise refuse(f"more than {limits.queries} queries or {limits.hops} hops")
    if hops and not hops[0].subject:
        raise refuse("the first hop needs a subject", settings["hop"][0])
    names = (_field(n, limits.field) for n in _one(settings, "entities").split(";") if n.strip())
    episodic, semantic = _weights(_one(settings, "blocks"))
    return Plan(
        queries=tuple(dict.fromkeys((question, *queries))),
        entities=tuple(dict.fromkeys(names)),
        hops=hops,
        since=spans[0][0],
        until=spans[1][1],
        episodic=episodic,
        semantic=semantic,
        past=_yes(_one(settings, "past")),
        answer_kind=kind,
    )


def recall_lines(
    block: str, *, limits: Limits = LIMITS
) -> tuple[tuple[str, ...], Mapping[str, Sequence[str]]]:
    """Split what stands inside a `<recall>` block into queries and settings (name -> values)."""
    queries: list[str] = []
    settings: dict[str, list[str]] = {}
    for line in _lines(block):
        name, colon, value = line.partition(":")
        if colon and name in ("entities", "hop", "since", "until", "kind", "past", "blocks"):
            settings.setdefault(name, []).append(value.strip())
        elif line.casefold() != "none":
            queries.append(_field(line, limits.field))
    return tuple(dict.fromkeys(queries)), settings


def read_route(reply: str, *, limits: Limits = LIMITS) -> Route:
    """Read a reply that is one `<route>` block: a word, and block weights; ModelReplyError."""
    words = _only_block(reply, "route", limits).split(maxsplit=1)
    if not words or words[0] not in ROUTES:
        raise refuse(f"a route is one of {', '.join(ROUTES)}", " ".join(words))
    recall, write = ROUTES[words[0]]
    episodic, semantic = _weights(words[1] if len(words) > 1 else "")
    return Route(recall=recall, write=write, episodic=episodic, semantic=semantic)


def blocks(text: str, name: str) -> list[str]:
    """What stands inside each `<name>` block of a text, in order."""
    return re.findall(BLOCK.format(name), text, re.DOTALL)


def is_name(words: str) -> bool:
    """Whether it is written as a proper name: a capital in it (or a script without any)."""
    letters = [c for c in words if c.isalpha()]
    return any(c.isupper() or c.lower() == c.upper() for c in letters)


def _only_block(reply: str, name: str, limits: Limits) -> str:
    words = said_aloud(reply, limits=limits)
    found = blocks(words, name)
    if len(found) != 1:
        raise refuse(f"{len(found)} <{name}> blocks instead of one", words)
    rest = re.sub(BLOCK.format(name), "", words, flags=re.DOTALL).strip()
    if rest:
        raise refuse(f"words outside the <{name}> block", rest)
    return found[0]


def _lines(block: str) -> list[str]:
    return [line.strip() for line in block.splitlines() if line.strip()]


def _field(written: str, longest: int) -> str:
    words = " ".join(written.replace("\\|", "|").split())
    if len(words) > longest:
        raise refuse(f"a field of more than {longest} characters", words)
    if MARKUP.search(words):
        raise refuse("memory tokens inside a field", words)
    if any(unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs") for c in words):
        raise refuse("characters that cannot be seen", words)
    return words


def _operation(line: str, limits: Limits) -> Operation:
    act, *fields = (part.strip() for part in BAR.split(line))
    if act == "NOTE":
        text = _field(line.partition("|")[2], limits.note)
        if not text:
            raise refuse("a note without words", line)
        return Operation(act=Act.NOTE, text=text)
    if act not in ("ADD", "UPDATE", "RETRACT"):
        raise refuse("a line begins with ADD, UPDATE, RETRACT, NOTE, LINK or is none", line)
    if not 3 <= len(fields) <= 5:
        raise refuse("an operation is ACT | subject | relation | object and two more at most", line)
    subject, relation, obj = (_field(part, limits.field) for part in fields[:3])
    if not subject or not relation or (not obj and act != "RETRACT"):
        raise refuse("subject, relation and object may not be empty", line)
    if len(relation.split()) > limits.relation_words:
        raise refuse(f"a relation of more than {limits.relation_words} words", line)
    qualifiers, (valid_from, valid_to) = _last_fields(fields[3:], line, limits)
    return Operation(
        act=Act[act],
        subject=subject,
        relation=relation,
        object=obj,
        qualifiers=qualifiers,
        valid_from=valid_from,
        valid_to=valid_to,
        one=True if act == "UPDATE" else None,
        change=act != "ADD",
        subject_is_name=is_name(subject),
        object_is_name=is_name(obj),
    )


def _last_fields(
    fields: Sequence[str], line: str, limits: Limits
) -> tuple[dict[str, str], tuple[float | None, float | None]]:
    qualifiers: dict[str, str] = {}
    when: tuple[float | None, float | None] = (None, None)
    for place, part in enumerate(fields):
        if "=" in part and place == 0:
            qualifiers = dict(_qualifiers(part, limits))
        elif part and place == len(fields) - 1:
            when = _moments(part, "when")
        elif part:
            raise refuse("qualifiers are name=words; name=words", line)
    return qualifiers, when


def _qualifiers(written: str, limits: Limits) -> Iterator[tuple[str, str]]:
    for pair in written.split(";"):
        name, _, value = pair.partition("=")
        if name.strip() not in QUALIFIERS or not value.strip():
            raise refuse(f"qualifiers are {', '.join(QUALIFIERS)}", pair)
        yield name.strip(), _field(value, limits.field)


def _link(line: str) -> tuple[int, int]:
    ends = [CITED.fullmatch(part.strip().strip("[]")) for part in BAR.split(line)[1:]]
    ids = sorted({int(end.group(1)) for end in ends if end is not None})
    if len(ends) != 2 or len(ids) != 2:
        raise refuse("a link is LINK | m1 | m2", line)
    return ids[0], ids[1]


def _hop(line: str, limits: Limits) -> Hop:
    fields = [_field(part, limits.field) for part in BAR.split(line)]
    inverse = len(fields) == 3 and fields[2] == "inverse"
    if len(fields) != 2 + inverse or not fields[0] or not fields[1]:
        raise refuse("a hop is subject | relation, with | inverse at most", line)
    return Hop(subject="" if fields[0] == "^" else fields[0], relation=fields[1], inverse=inverse)


def _one(settings: Mapping[str, Sequence[str]], name: str) -> str:
    values = settings.get(name, ())
    if len(values) > 1:
        raise refuse(f"{name}: stands twice", values[1])
    return values[0] if values else ""


def _yes(written: str) -> bool:
    if written not in ("", "yes", "no"):
        raise refuse("past is yes or no", written)
    return written == "yes"


def _weights(written: str) -> tuple[float, float]:
    weights = {"episodic": 1.0, "semantic": 1.0}
    for part in written.split():
        name, _, value = part.partition("=")
        if name not in weights or not re.fullmatch(r"[01](\.\d{1,6})?", value):
            raise refuse("weights are episodic=w semantic=w, from 0 to 1", part)
        weights[name] = min(1.0, float(value))
    return weights["episodic"], weights["semantic"]


def _moments(written: str, name: str) -> tuple[float | None, float | None]:
    """First and last second of a date or a range; (None, None) for nothing.

    A single date of `when` says when it began to be so: it has no end.
    """
    if not written:
        return None, None
    first, dots, last = written.partition("..")
    if not dots:
        whole = _period(first, written)
        return whole[0], None if name == "when" else whole[1]
    begin = _period(first, written)[0] if first.strip() else None
    finish = _period(last, written)[1] if last.strip() else None
    if begin is not None and finish is not None and finish <= begin:
        raise refuse(f"{name} ends before it begins", written)
    return begin, finish


def _period(written: str, whole: str) -> tuple[float, float]:
    """First second of a date and the first after it."""
    match = MOMENT.fullmatch(written.strip())
    if match is None:
        raise refuse("a time is an ISO date such as 2024-05-03", whole)
    given = [int(part) for part in match.groups() if part is not None]
    try:
        begin = _instant(given)
        if len(given) < 3:
            return begin, _instant(_next(given))
    except ValueError:
        raise refuse("no such date", whole) from None
    return begin, begin + (86_400.0 if len(given) == 3 else 60.0)


def _instant(parts: Sequence[int]) -> float:
    year, month, day, hour, minute, second = (*parts, *(1, 1, 1, 0, 0, 0)[len(parts) :])
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()


def _next(parts: Sequence[int]) -> Sequence[int]:
    """The year or month after."""
    if len(parts) == 2 and parts[1] < 12:
        return parts[0], parts[1] + 1
    return (parts[0] + 1,)
