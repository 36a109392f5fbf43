"""What a model replies, read strictly: the grammar of memory tokens, and guardrails after it.

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
`^` is the answer of the hop before; a hop may end in `| inverse`. Of several turns that are read
at once, a line is marked with its turn's number: `2 | ADD | ...`. The guardrails refuse what is in
another language than the memory's, and what nobody said. Every failure is a ModelReplyError with
`reason` and `line`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from mags.caches import cached
from mags.errors import ModelReplyError
from mags.models.policy.rules.tokens import WORD, is_name, stems
from mags.models.rendering import MARKUP
from mags.ports.english import UNKNOWN, plain_kin, word_set
from mags.ports.english import language as told_language
from mags.ports.policy import Act, Hop, Operation, Plan, Route

QUALIFIERS = ("kind", "when", "where", "condition", "exception", "reason", "with")
ANSWER_KINDS = ("person", "place", "time", "number", "thing", "reason", "yesno")
ROUTES = {"recall": (True, False), "engram": (False, True), "both": (True, True)}
ROUTES["neither"] = (False, False)

BLOCK = "<{0}>(.*?)</{0}>"
THINKING = re.compile(r"<(think|thinking)>.*?</\1>\s*", re.DOTALL)
FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)
MOMENT = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?Z?)?)?)?", re.ASCII
)
CITED = re.compile(r"m(\d{1,18})", re.ASCII)
BAR = re.compile(r"(?<!\\)\|")
NUMBERED = re.compile(
    r"(?:[-*]\s*)?(?i:turn\s*)?\[?(\d{1,3})\]?[.:)]?\s*\|?\s*"
    r"(?=(?:ADD|UPDATE|RETRACT|NOTE|(?i:none))\b)",
    re.ASCII,
)
"""What marks a line with its turn: "2 | ADD | ..."."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrammarLimits:
    """The most a reply may hold: characters of it and of a field, lines, words of a relation."""

    reply: int = 16_000
    field: int = 200
    note: int = 600
    operations: int = 24
    queries: int = 8
    hops: int = 6
    relation_words: int = 8


LIMITS = GrammarLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class EngramBlock:
    """A read `<engram>`: what to store, and which cited memories belong together."""

    operations: tuple[Operation, ...] = ()
    links: tuple[tuple[int, int], ...] = ()
    places: tuple[int, ...] = ()
    """Of each operation, the number of the turn that its line is marked with; 0 for none."""


def refuse(reason: str, line: str = "") -> ModelReplyError:
    """The failure of a reply that the grammar or a guardrail turns down."""
    shown = f": {line[:120]!r}" if line else ""
    return ModelReplyError(f"The reply is refused: {reason}{shown}.", reason=reason, line=line)


def said_aloud(reply: str) -> str:
    """The reply without what the model thought before it, or a code fence around it."""
    if len(reply) > LIMITS.reply:
        raise refuse(f"longer than {LIMITS.reply} characters")
    words = THINKING.sub("", reply).strip()
    fenced = FENCE.match(words)
    return fenced.group(1).strip() if fenced else words


def read_engram(reply: str, refused: list[str] | None = None) -> EngramBlock:
    """Read a reply that is one `<engram>` block; raises ModelReplyError.

    With `refused` a line that cannot be used is left out and told there, with the reason; several
    blocks count as one, words around them as none, lines without a block as one, and a block that
    nobody closed goes on to the end. Where no line can be used the reply has no known form.
    """
    block = _only_block(reply, "engram") if refused is None else _found_block(reply, "engram")
    return engram_lines(block, refused)


def engram_lines(block: str, refused: list[str] | None = None) -> EngramBlock:
    """Read what stands inside an `<engram>` block; as `read_engram`."""
    lines = _lines(block)
    if [line.casefold() for line in lines] == ["none"]:
        return EngramBlock()
    before = len(refused or ())
    if not lines:
        raise refuse('an empty block (write "none" where there is nothing to store)')
    most = LIMITS.operations
    if len(lines) > most and refused is None:
        raise refuse(f"more than {most} operations")
    operations: list[Operation] = []
    places: list[int] = []
    links: list[tuple[int, int]] = []
    for line in lines:
        with _left_out(refused, line):
            marked = NUMBERED.match(line)
            said = line[marked.end() :] if marked else line
            if len(operations) + len(links) >= most:
                raise refuse(f"more than {most} operations")
            if said.startswith("LINK"):
                links.append(_link(said))
            elif said.casefold() != "none" or refused is None:
                operations.append(_operation(said))
                places.append(int(marked[1]) if marked else 0)
    if refused is not None and len(refused) - before == len(lines):
        raise refuse(f"no line of a known form ({refused[-1]})")
    return EngramBlock(
        operations=tuple(operations), links=tuple(dict.fromkeys(links)), places=tuple(places)
    )


@contextmanager
def _left_out(refused: list[str] | None, line: str) -> Iterator[None]:
    """Tell what fails in here where it may be left out."""
    try:
        yield
    except ModelReplyError as failure:
        if refused is None:
            raise
        refused.append(f"{line[:120]!r}: {failure.facts['reason']}")


def kept(
    block: EngramBlock, check: Callable[[Operation], None], refused: list[str]
) -> tuple[tuple[int, Operation], ...]:
    """The operations that pass a check, each with its turn's number; the others are told."""
    good: list[tuple[int, Operation]] = []
    for place, operation in zip(block.places, block.operations, strict=True):
        said = operation.text or f"{operation.subject} {operation.relation} {operation.object}"
        with _left_out(refused, f"{place} | {said}" if place else said):
            check(operation)
            good.append((place, operation))
    return tuple(good)


def read_plan(reply: str, question: str) -> Plan:
    """Read a reply that is one `<recall>` block; the question itself becomes the first query."""
    queries, settings = recall_lines(_only_block(reply, "recall"))
    spans = [_moments(_one(settings, name), name) for name in ("since", "until")]
    kind = _one(settings, "kind")
    if kind not in ("", *ANSWER_KINDS):
        raise refuse(f"kind is one of {', '.join(ANSWER_KINDS)}", kind)
    hops = tuple(_hop(line) for line in settings.get("hop", ()))
    if len(hops) > LIMITS.hops or len(queries) > LIMITS.queries:
        raise refuse(f"more than {LIMITS.queries} queries or {LIMITS.hops} hops")
    if hops and not hops[0].subject:
        raise refuse("the first hop needs a subject", settings["hop"][0])
    names = (_field(n, LIMITS.field) for n in _one(settings, "entities").split(";") if n.strip())
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


def recall_lines(block: str) -> tuple[tuple[str, ...], Mapping[str, Sequence[str]]]:
    """Split what stands inside a `<recall>` block into queries and settings (name -> values)."""
    queries: list[str] = []
    settings: dict[str, list[str]] = {}
    for line in _lines(block):
        name, colon, value = line.partition(":")
        if colon and name in ("entities", "hop", "since", "until", "kind", "past", "blocks"):
            settings.setdefault(name, []).append(value.strip())
        elif line.casefold() != "none":
            queries.append(_field(line, LIMITS.field))
    return tuple(dict.fromkeys(queries)), settings


def read_route(reply: str) -> Route:
    """Read a reply that is one `<route>` block: a word, and block weights; ModelReplyError."""
    words = _only_block(reply, "route").split(maxsplit=1)
    if not words or words[0] not in ROUTES:
        raise refuse(f"a route is one of {', '.join(ROUTES)}", " ".join(words))
    recall, write = ROUTES[words[0]]
    episodic, semantic = _weights(words[1] if len(words) > 1 else "")
    return Route(recall=recall, write=write, episodic=episodic, semantic=semantic)


def blocks(text: str, name: str) -> list[str]:
    """What stands inside each `<name>` block of a text, in order."""
    return re.findall(BLOCK.format(name), text, re.DOTALL)


def _found_block(reply: str, name: str) -> str:
    """What stands in the blocks of a name, the last of them perhaps not closed; else all of it."""
    words = said_aloud(reply)
    _, *opened = words.split(f"<{name}>")
    return "\n".join(one.partition(f"</{name}>")[0] for one in opened) if opened else words


def _only_block(reply: str, name: str) -> str:
    words = said_aloud(reply)
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


def _operation(line: str) -> Operation:
    act, *fields = (part.strip() for part in BAR.split(line))
    if act == "NOTE":
        text = _field(line.partition("|")[2], LIMITS.note)
        if not text:
            raise refuse("a note without words", line)
        return Operation(act=Act.NOTE, text=text)
    if act not in ("ADD", "UPDATE", "RETRACT"):
        raise refuse("a line begins with ADD, UPDATE, RETRACT, NOTE, LINK or is none", line)
    if not 3 <= len(fields) <= 5:
        raise refuse("an operation is ACT | subject | relation | object and two more at most", line)
    subject, relation, obj = (_field(part, LIMITS.field) for part in fields[:3])
    if not subject or not relation or (not obj and act != "RETRACT"):
        raise refuse("subject, relation and object may not be empty", line)
    if len(relation.split()) > LIMITS.relation_words:
        raise refuse(f"a relation of more than {LIMITS.relation_words} words", line)
    qualifiers, (valid_from, valid_to) = _last_fields(fields[3:], line)
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
    fields: Sequence[str], line: str
) -> tuple[dict[str, str], tuple[float | None, float | None]]:
    qualifiers: dict[str, str] = {}
    when: tuple[float | None, float | None] = (None, None)
    for place, part in enumerate(fields):
        if "=" in part and place == 0:
            qualifiers = dict(_qualifiers(part))
        elif part and place == len(fields) - 1:
            when = _moments(part, "when")
        elif part:
            raise refuse("qualifiers are name=words; name=words", line)
    return qualifiers, when


def _qualifiers(written: str) -> Iterator[tuple[str, str]]:
    for pair in written.split(";"):
        name, _, value = pair.partition("=")
        if name.strip() not in QUALIFIERS or not value.strip():
            raise refuse(f"qualifiers are {', '.join(QUALIFIERS)}", pair)
        yield name.strip(), _field(value, LIMITS.field)


def _link(line: str) -> tuple[int, int]:
    ends = [CITED.fullmatch(part.strip().strip("[]")) for part in BAR.split(line)[1:]]
    ids = sorted({int(end.group(1)) for end in ends if end is not None})
    if len(ends) != 2 or len(ids) != 2:
        raise refuse("a link is LINK | m1 | m2", line)
    return ids[0], ids[1]


def _hop(line: str) -> Hop:
    fields = [_field(part, LIMITS.field) for part in BAR.split(line)]
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


# Guardrails after the grammar: the memory's language, and nothing invented. No model is asked.


LANGUAGE_NAMES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
}
SCRIPTS = dict.fromkeys(LANGUAGE_NAMES, frozenset({"LATIN"}))
SCRIPTS |= {
    "ru": frozenset({"CYRILLIC"}),
    "uk": frozenset({"CYRILLIC"}),
    "el": frozenset({"GREEK"}),
    "ar": frozenset({"ARABIC"}),
    "he": frozenset({"HEBREW"}),
    "hi": frozenset({"DEVANAGARI"}),
    "zh": frozenset({"CJK"}),
    "ja": frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    "ko": frozenset({"HANGUL", "CJK"}),
}
FEWEST_WORDS = 5
NOTE_SHARE = 0.6
FREE_WORDS = word_set(
    """user assistant me i you someone something nothing yes no true false new old first
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow
    year years month months week weeks day days
    my mine myself me you your yours yourself yourselves he him his himself she her hers herself
    it its itself we us our ours ourselves they them their theirs themselves this that these those
    who whom whose somebody everybody everyone everything anybody anyone anything nobody
    before after during around about over under above below into out up down off through between
    without within against because while until since than if when where how why which as
    am being been do does did done can could should shall may might must"""
)
CLITIC = re.compile(r"'(?:s|m|re|ve|ll|d)$")
DIGITS = re.compile(r"\d{1,15}", re.ASCII)
THOUSANDS = re.compile(r"(?<=\d)[,.](?=\d{3}(?!\d))", re.ASCII)
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_UNITS += " fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
UNITS = {word: number for number, word in enumerate(_UNITS.split())}
UNITS |= dict.fromkeys(["couple", "pair", "both", "twice", "twin", "twins"], 2) | {"dozen": 12}
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
SPELLED = re.compile(rf"\b(?:(?P<ten>{'|'.join(TENS)})\b[- ]?)?(?:\b(?P<one>{'|'.join(UNITS)})\b)?")
DATED = re.compile(
    r"\d:\d\d|\b(?:1[89]|20)\d\d\b|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)",
    re.ASCII | re.IGNORECASE,
)
"""What holds a date or a time, whose numbers may be worded in many ways."""
STOP_WORDS = word_set(
    """the of and to in is was that for with as his her on at by from are this it an be not has have
    had they she he who which or but their were been when will would does did
    a s t my your our its there here than then so"""
)


def language_name(code: str) -> str:
    """The English name of a language by its ISO 639-1 code; the code where it is not known."""
    return LANGUAGE_NAMES.get(code, code)


def scripts_of(text: str) -> frozenset[str]:
    """Scripts of the letters of a text, by the first word of each letter's Unicode name."""
    return frozenset(_script(c) for c in text if c.isalpha())


@cached(4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "UNKNOWN").split()[0].partition("-")[0]


def foreign(text: str, language: str, source: str = "") -> str:
    """Why a text is not in the memory's language, or "" where nothing speaks against it.

    Scripts must be the language's own or occur in `source` (a name may be written in another).
    A text of five words or more may not surely be in another language.
    """
    own = SCRIPTS.get(language)
    strange = scripts_of(text) - own - scripts_of(source) if own else frozenset()
    if strange:
        return f"{min(strange).title()} letters in a memory kept in {language!r}"
    if len(WORD.findall(text)) < FEWEST_WORDS or language not in LANGUAGE_NAMES:
        return ""
    told = told_language(text, language)
    if told in (language, UNKNOWN):
        return ""
    return f"it reads as {told!r} in a memory kept in {language!r}"


def heard(source: str) -> frozenset[str]:
    """What counts as said: the words of a text and their stems, relatives by their plain names."""
    said = stems(source.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return said | frozenset(map(plain_kin, said)) | {word.replace("'", "") for word in said}


def invented(words: str, source: frozenset[str]) -> list[str]:
    """Content words of a text whose stems are not among `source`; dates and the like are free."""
    return [
        word
        for word in WORD.findall(words.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
        if not word.isdigit()
        and CLITIC.sub("", word.casefold()) not in STOP_WORDS | FREE_WORDS
        and not word.casefold().endswith("n't")
        and not {*stems(word), plain_kin(word.casefold()), word.casefold().replace("'", "")}
        & source
    ]


def numbers(text: str) -> frozenset[int]:
    """The whole numbers of a text, in digits or in English words up to a hundred."""
    plain = THOUSANDS.sub("", text.casefold())
    counted = (
        TENS.get(found["ten"], 0) + UNITS.get(found["one"], 0)
        for found in SPELLED.finditer(plain)
        if found[0]
    )
    return frozenset((*map(int, DIGITS.findall(plain)), *counted))


def miscounted(words: str, said: frozenset[int]) -> list[str]:
    """Numbers in digits that nobody said; one is free, and so are those of a date or a time."""
    if DATED.search(words):
        return []
    plain = THOUSANDS.sub("", words)
    return [one for one in DIGITS.findall(plain) if int(one) not in said | {1}]


def check_language(operations: Iterable[Operation], language: str, source: str) -> None:
    """Raise ModelReplyError at the first operation in another language."""
    for operation in operations:
        for words in (
            f"{operation.subject} {operation.relation} {operation.object}",
            operation.text,
        ):
            why = foreign(words, language, source)
            if why:
                raise refuse(why, words)


def check_invented(operations: Sequence[Operation], source: str, language: str = "en") -> None:
    """Raise ModelReplyError when a name, object or qualifier has words the source has not.

    `source`: the turn, what was said before, what was recalled, and the speakers. Relations are
    free (they are canonical), so are dates; a note may word things anew, but 60% of its content
    words must be the source's, and so must its numbers. Up to twelve they are mostly said in
    words, which are read in English alone.
    """
    known, said = heard(source), numbers(source)
    said = said if language == "en" else said | frozenset(range(13))
    for operation in operations:
        if operation.act is Act.NOTE:
            content = [w for w in WORD.findall(operation.text) if w.casefold() not in STOP_WORDS]
            strange = invented(operation.text, known)
            strange = strange if len(strange) > (1 - NOTE_SHARE) * len(content) else []
            strange += miscounted(operation.text, said)
            if strange:
                raise refuse(f"invented: {', '.join(strange[:5])}", operation.text)
            continue
        for words in (operation.subject, operation.object, *operation.qualifiers.values()):
            strange = invented(words, known) + miscounted(words, said)
            if strange:
                raise refuse(f"invented: {', '.join(strange[:5])}", words)
