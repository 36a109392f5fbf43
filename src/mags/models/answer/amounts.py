"""What amounts that turns tell come to: which of several is more, a sum, a difference.

"Which is dearer, the blue cloth or the yellow one?": "I paid 120 cedis for the blue cloth and 95
for the yellow." An amount is compared with one of its kind and unit, a day with a day. Of what is
told twice the newest counts; where it is not told of all, or not alike, nothing is said. "How many
lessons are left?" is the difference of two amounts, and "in all" their sum, where turns that likely
tell of it have just two.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mags.models.answer import cues
from mags.models.answer.dates import nearest_times, plainly
from mags.models.answer.question import OFFER, PAST_TENSE, content
from mags.models.policy.rules.lexicon import FIRST
from mags.models.policy.rules.tokens import WORD, stems
from mags.ports.answer import ContextItem
from mags.ports.english import TENS, TO_TWELVE, is_verb, lemma, word_set
from mags.ports.policy import Turn


def _rows(table: str) -> Iterator[tuple[list[str], list[str]]]:
    """The words before and behind the colon of each row."""
    for row in table.strip().splitlines():
        before, _, behind = row.partition(":")
        yield before.split(), behind.split()


MORE_BY = {
    word: (kind, amount, time)
    for (kind, amount, time), words in _rows("""
age + -: older oldest elder eldest
age - +: younger youngest newer newest
money + 0: dearer dearest pricier priciest
money - 0: cheaper cheapest
weight + 0: heavier heaviest
weight - 0: lighter lightest
length + 0: taller tallest wider widest deeper deepest
length - 0: narrower narrowest
any + 0: bigger biggest larger largest greater greatest higher highest
any - 0: smaller smallest lower lowest
degree + 0: warmer warmest hotter hottest
degree - 0: colder coldest cooler coolest
lasting + -: longer longest
lasting - +: shorter shortest
time + 0: slower slowest
time - 0: faster fastest quicker quickest
far + 0: further furthest farther farthest
far - 0: nearer nearest closer closest
day 0 +: later latest last
day 0 -: earlier earliest sooner soonest first
named + 0: more most
named - 0: less least fewer fewest
""")
    for word in words
}
"""From a word that compares to what it does, and whether a greater amount and a later time are more
of it (+), less (-) or neither (0). "named": the next word or the verb says what."""
NAMED_BY = {
    word: kind
    for (kind,), words in _rows("""
money: cost costs costing expensive pay pays paid earn earns spend spends spent
weight: weigh weighs weighed
""")
    for word in words
}
AT_FIRST = word_set("first last most least")
"""What need not compare where nothing is offered."""
MEASURED = {"age": ("time",), "lasting": ("length", "time"), "far": ("length", "time"), "day": ()}
"""The kinds of amounts that are compared, where it is not the one of that name."""
DATED = ("age", "day", "lasting")
"""What days are compared for."""
BARE = ("age", "any", "money", "named")
"""Of what all numbers may be told without a unit."""

UNITS = {
    word: (kind, system, float(factor))
    for (kind, system), words in _rows("""
weight metric: g=1 gram=1 kg=1000 kilo=1000 kilogram=1000 ton=1000000 tonne=1000000
weight imperial: lb=1 stone=14
length metric: mm=1 cm=10 centimetre=10 metre=1000 meter=1000 km=1000000 kilometre=1000000
length imperial: inch=1 inche=1 foot=12 feet=12 ft=12 mile=63360
length size: wide=1 long=1 high=1 tall=1 deep=1
time second: sec=1 second=1 min=60 minute=60 hr=3600 hour=3600 day=86400 night=86400
time second: week=604800 month=2629800 yr=31557600 year=31557600
degree degree: degree=1
""")
    for word, _, factor in (one.partition("=") for one in words)
}
"""From the word of a unit to what it measures, its system, and how many of the least it is."""
MONEY = word_set(
    """euro dollar buck quid pound cent penny rupee crown krone krona franc cedi naira yen yuan
    zloty lira peso real rand shilling dirham baht won kuna forint ruble"""
)
SIGNS = {"\N{POUND SIGN}": "pound", "$": "dollar", "\N{EURO SIGN}": "euro"}
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
COUNTED = {word: n for n, word in enumerate((*TO_TWELVE.split("|"), *_TEENS), 1)}
COUNTED |= {word: 10 * n for n, word in enumerate(TENS.split("|"), 2)}
COUNTED |= {"": 1, "hundred": 100, "thousand": 1000}

AMOUNT = re.compile(
    rf"(?P<sign>[{''.join(SIGNS)}])?"
    r"(?:(?<![\w.,:/-])(?P<figure>\d[\d,]{0,14}(?:\.\d\d?)?)(?![:/.,]?\d)(?P<k>k\b)?"
    rf"|\b(?P<word>(?:{TENS})(?:-(?:{TO_TWELVE}))?|\w+teen|{TO_TWELVE})\b"
    r"(?: (?P<times>hundred|thousand)\b)?)(?P<half>(?: and)? a half\b)?"
    r"(?: (?:more|other|new|further|extra)\b)?"
    rf"(?:[- ]?(?P<unit>[{''.join(SIGNS)}]|(?!(?:an?|per|each|every)\b)[^\W\d_]+))?"
    r"(?P<each>,? (?:an?|per|each|every|for the) (?:hour|day|night|week|month|year)\b)?"
    r"(?=(?P<than> \w+)?)",
    re.I,
)
CLAUSE = re.compile(r"[.;!?]+\s+|,\s+(?!\d)|\b(?:and|but|while|whereas|though)\b", re.I)
WHICH = re.compile(
    r"^(?:which|who|whose)(?: one)? (?:of (?:the|my|our|his|her|their|these|those|\w+'s) )?"
    r"(?:(?:two|three|four|\w+est) )?(?P<noun>[^\W\d_]+)",
    re.I,
)
THING = (
    r"\b(?i:the|my|our|his|her|their|an?|this|that|\w+'s) "
    r"(?P<which>(?:[a-z'-]+ |[A-Z]\w+ ){{0,2}}?)"
    r"(?i:{noun}s?|ones?)\b(?P<name>(?: [A-Z]\w+)*)"
    r"(?P<behind> (?:in|on|at|with|from) (?:the )?[^\W\d_]+)?"
)
_DIFFERENCE = re.compile(r"\b(?:how (?:much|many|far|long)|by what|than)\b", re.I)
_AGED = re.compile(r"\b(?:i'm|i am|i was|i turn(?:ed)?) \w", re.I)
_LEAD = re.compile(r"^\W*(?:(?:and|but|while)\s+)?", re.I)
HOW_MANY = re.compile(
    r"\bhow (?P<many>many|much)(?: of)?(?: (?:the|my|our|his|her|their))?(?: (?P<noun>[^\W\d_]+))?",
    re.I,
)
LEFT = re.compile(
    r"\b(?:short of|still (?:to|have to|needs?|lacks?))\b"
    r"|\b(?:left|remain\w*|to go)(?:\W*$| (?:in|to|of|at|for|over|after|with|once)\b)",
    re.I,
)
LESS = re.compile(
    rf"{LEFT.pattern}|\bby (?:how (?:much|many)|what)\b"
    r"|\bhow much (?!more|less)[^?]*\b(?:up|rise|risen|rose|fall|fallen|drop(?:ped)?|gain(?:ed)?)\b"
    rf"|\bhow (?:much|many)(?: \w+)? (?:{'|'.join(MORE_BY)})\b(?!\W*$)",
    re.I,
)
TOGETHER = re.compile(
    r"\b(?:altogether|(?:all )?together|in all|total|combined|all told|between us|both)\b", re.I
)
"""What asks for what is left, for any difference, and for a sum."""
ADDED = re.compile(r"\b(?:more|another|also|too|as well|on top|further|extra)\b", re.I)
BOTH = re.compile(r"\b(?:both|the two|between us)\b", re.I)
BALANCE = re.compile(r"\b(?:now|so far|by now|owes?|still)\b", re.I)
"""What may tell how much it is now, and not how much of it went."""
TOLD = re.compile(rf"\b(?:left|remain\w*|to go)\b|{TOGETHER.pattern}", re.I)
AGED = re.compile(r"(?:\b(?:is|was|am|are|at|turn(?:s|ed)?)|'(?:s|m))\W*$", re.I)
"""What stands before a bare number that is an age, or a time of the day."""
UNSURE = re.compile(
    r"\b(?:used to|no longer|half|halved|between|minus|than|reduced|discount\w*|off|instead"
    r"|postponed|delayed|(?:was|were|been|got) moved"
    r"|(?:was|were) (?:\d+|\w+teen|\w+ty(?:-\w+)?) (?:in|when|at))\b"
    rf"|{cues.NOT.pattern}|{cues.HEDGED.pattern}",
    re.I,
)
"""What shows that an amount may not be, or not any more."""
MINE = word_set("i me mine my")
PRONOUNS = word_set("because if when i i'm i've he she it they we you this that there")
MOST_SAID = 40
"""Words of a turn that tells of an amount: longer ones tell of more than is read."""
MOST_WORDS = 5
"""Words of what a clause begins with, to be the name of a thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a question compares: of whom, by what, and what else it says.

    `parties`: what it offers. `what`: stems of what there is more of. `rest`: other stems.
    """

    speaker: str
    parties: tuple[str, ...]
    noun: str
    kind: str
    what: frozenset[str]
    rest: frozenset[str]
    signs: tuple[str, str]
    future: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Amount:
    """An amount, or a time (of the kind "moment", in seconds), and where it stands.

    `kind`: "" for a bare number, which may be of any. `what`: stems of what is counted. `each`: the
    time that it is told for.
    """

    kind: str
    unit: str
    value: float
    start: int
    factor: float = 1.0
    each: str = ""
    what: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A thing as it is called, its amount, and the turn that tells it."""

    thing: str
    amount: _Amount
    item: ContextItem


def compared(
    question: Turn, items: Sequence[ContextItem], likely: Collection[int]
) -> tuple[str, Sequence[ContextItem]] | None:
    """Which of what a question compares it asks for, and the turns that tell; None where untold.

    `likely`: ids of the items that likely tell what is asked.
    """
    asked = _asked(question)
    told = _told(asked, items, likely) if asked is not None else None
    if asked is None or told is None or len(told) < max(2, len(asked.parties)):
        return None
    values = _values(asked, [one.amount for one in told.values()])
    best = max(values, default=0.0)
    if values.count(best) != 1:
        return None
    found = list(told.values())
    shown = {one.item.id: one.item for one in found}
    return found[values.index(best)].thing, list(shown.values())


def worked_out(
    question: Turn, items: Sequence[ContextItem], likely: Collection[int]
) -> tuple[str, Sequence[ContextItem]] | None:
    """The sum or the difference that is asked for, and the turns that tell what of; else None.

    `likely`: as in `compared`. None where they tell it themselves, or not of two amounts; for a sum
    also where there may be more than these two.
    """
    asks = HOW_MANY.search(question.text)
    less, together = LESS.search(question.text), TOGETHER.search(question.text)
    if asks is None or bool(less) == bool(together):
        return None
    noun = asks["noun"] or ""
    noun = "" if TOGETHER.fullmatch(noun) or noun in MORE_BY or not content(noun) else noun
    much = asks["many"].casefold() == "much"
    kind = _unit(noun.casefold())[0] or ("money" if much else "")
    turns = sorted((item for item in items if item.id in likely), key=lambda item: item.at)
    if any(_may_mislead(question.text, one) for one in turns):
        return None
    of_it = LEFT.search(question.text) or together
    found = [
        (one, item)
        for item in turns
        for clause in _clauses(item, future=False)
        for one in _amounts(clause, item.at, future=False)
        if (of_it or content(question.text) & content(clause))
        and (
            one.what & content(noun)
            or (one.kind and one.kind == kind)
            or not (one.kind or one.what or AGED.search(clause[: one.start]))
        )
    ]
    amounts = [one for one, _ in found]
    units = {(one.kind, one.unit, one.each) for one in amounts if one.kind}
    named = much or any(one.kind or one.what for one in amounts)
    if len(amounts) != 2 or len(units) > 1 or not named:
        return None
    two = [item for _, item in found]
    if together and not _are_all(question.text, two):
        return None
    same = _verbs(two[0]) & _verbs(two[1]) - content(noun) if two[0] is not two[1] else None
    if LEFT.search(question.text) and same:
        return None  # "I have saved 300", "I have saved 450 now": the same told anew
    full = all(one.kind for one in amounts)
    scale = _unit(noun.casefold())[2] if kind and noun else amounts[0].factor
    first, second = (one.value * (one.factor / scale if full else 1.0) for one in amounts)
    result = abs(first - second) if less else first + second
    unit = noun if kind else ""
    unit = unit or next((f"{one.unit}s" for one in amounts if one.kind == "money"), "")
    number = f"{result:,.2f}".rstrip("0").rstrip(".")
    shown = {item.id: item for item in two}
    return (f"{number} {unit}".strip(), list(shown.values())) if result else None


def _verbs(item: ContextItem) -> frozenset[str]:
    """The base forms of the verbs of a turn, but for those that help: "have", "be"."""
    words = {word.casefold() for word in WORD.findall(item.text)}
    return content(" ".join(lemma(word) for word in words if is_verb(word)))


def _may_mislead(asked: str, item: ContextItem) -> bool:
    """Whether a turn tells the result itself, more than is read, what may not be, or of others."""
    text = item.text
    long = len(text.split()) > MOST_SAID
    others = cues.kin_of(text) - cues.kin_of(asked)
    balance = LEFT.search(asked) and BALANCE.search(text)
    return bool(long or others or balance or TOLD.search(text) or UNSURE.search(text))


def _are_all(asked: str, two: Sequence[ContextItem]) -> bool:
    """Whether a sum is of two amounts alone: one adds to the other, or both are asked for."""
    if ADDED.search(two[1].text) or BOTH.search(asked):
        return True
    words, (first, second) = content(asked), [content(item.text) for item in two]
    return bool(words & first - second and words & second - first)


def _asked(question: Turn) -> _Asked | None:
    """What a question compares; None where it does not, or asks by how much."""
    words = [word.casefold() for word in WORD.findall(question.text)]
    place = next((n for n, word in enumerate(words) if word in MORE_BY), None)
    if place is None or _DIFFERENCE.search(question.text):
        return None
    order, behind = words[place], words[place + 1 : place + 2]
    parties = _parties(question.text)
    which = WHICH.search(question.text)
    noun = which["noun"] if which is not None and content(which["noun"]) else ""
    if not parties and (not noun or order in AT_FIRST or content(" ".join(behind))):
        return None
    kind, *signs = MORE_BY[order]
    if kind == "named":
        near = (*behind, *words[max(place - 1, 0) : place], *words)
        kind = next((NAMED_BY[word] for word in near if word in NAMED_BY), kind)
    return _Asked(
        speaker=question.speaker,
        parties=parties,
        noun=noun,
        kind=kind,
        what=content(" ".join(behind)),
        rest=content(question.text) - content(order) - content(" ".join(parties)),
        signs=(signs[0], signs[1]),
        future=PAST_TENSE.search(question.text) is None,
    )


def _parties(text: str) -> tuple[str, ...]:
    """The two that a question offers, as it says them."""
    found = OFFER.search(text)
    if found is None:
        return ()
    first, second = found["first"], found["second"].strip(" ?.!")
    if found.start() == 0:  # "Is it quicker by bus or by train": as many words as the second's
        first = " ".join(first.split()[-len(second.split()) :])
    return first.strip(), second


def _told(
    asked: _Asked, items: Sequence[ContextItem], likely: Collection[int]
) -> Mapping[str, _Told] | None:
    """By name what turns tell of each; None where an amount may be another's, or not hold.

    Where the question names nothing: what two clauses of a likely turn begin with.
    """
    told: dict[str, _Told] = {}
    both: dict[str, _Told] = {}
    for item in sorted(items, key=lambda item: item.at):
        heads: dict[str, _Told] = {}
        count, others, about = 0, 0, False
        for clause in _clauses(item, future=asked.future):
            every = list(_amounts(clause, item.at, future=asked.future))
            found = [one for one in every if _fits(asked, one)]
            found = [one for one in found if one.kind != "moment"] or found
            count += len(found)
            others += sum(bool(one.kind) and one.kind != "moment" for one in every) > 1
            names = list(_named(asked, clause, item))
            about = about or bool(names)
            for name, thing in names if len(found) == 1 else ():
                if name in told:
                    return None
                told[name] = _Told(thing=thing, amount=found[0], item=item)
            head = _head(clause[: found[0].start]) if len(found) == 1 else ""
            if head and item.id in likely:
                heads[head] = _Told(thing=head, amount=found[0], item=item)
        used = sum(one.item is item for one in told.values())
        doubtful = others or UNSURE.search(item.text)
        if about and (doubtful or (used and count != used) or cues.CORRECTED.search(item.text)):
            return None
        if len(heads) == count > 1 and not doubtful:
            both = heads
    return both if not asked.parties and len(told) < 2 else told


def _values(asked: _Asked, amounts: Sequence[_Amount]) -> list[float]:
    """What makes each the more; nothing where they are not alike.

    Bare numbers are of the unit that others have: "the blue one is 80 pounds, the red one 95".
    """
    units = {(one.kind, one.unit) for one in amounts if one.kind}
    bare = any(not one.kind for one in amounts)
    sign = asked.signs[("moment", "second") in units]
    factors = {one.factor for one in amounts if one.kind}
    each = {one.each for one in amounts if one.each}
    apart = max(len(units), len(each)) > 1 or (
        bare and (len(factors) > 1 or ("moment", "second") in units)
    )
    if apart or sign == "0" or (not units and asked.kind not in BARE):
        return []
    if bare and asked.kind == "age" and factors - {UNITS["year"][2]}:
        return []
    if bare:
        amounts = [replace(one, factor=1.0) for one in amounts]
    return [(1.0 if sign == "+" else -1.0) * one.value * one.factor for one in amounts]


def _clauses(item: ContextItem, *, future: bool) -> Iterator[str]:
    """The clauses of a turn, with its days as dates; "four and a half" is not parted."""
    text = item.text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    text = plainly(text, item.at, future=future)
    whole = [one.span() for one in AMOUNT.finditer(text) if one["half"]]
    start = 0
    for cut in CLAUSE.finditer(text):
        if not any(first < cut.end() and cut.start() < last for first, last in whole):
            yield text[start : cut.start()]
            start = cut.end()
    yield text[start:]


def _amounts(clause: str, at: float, *, future: bool) -> Iterator[_Amount]:
    """The times and amounts of a clause; not by how much something is more."""
    days = list(nearest_times(clause, at, future=future))
    for day in days:
        yield _Amount(kind="moment", unit="second", value=day.since, start=day.start)
    for m in AMOUNT.finditer(clause):
        end = m.start("unit") if m["unit"] else m.end()
        if any(day.start < end and m.start() < day.end for day in days):
            continue
        timed = any(day.start < m.end("unit") and m.start() < day.end for day in days)
        unit = "" if timed else (m["unit"] or "").casefold()
        kind, system, factor = _unit(SIGNS.get(m["sign"] or unit, unit))
        by = clause[: m.start()].rstrip().endswith(" by") or (unit, m["than"]) == ("of", " us")
        if (
            by
            or (m["than"] or unit).strip().casefold() in MORE_BY
            or (m["word"] == "one" and not kind)
        ):
            continue
        yield _Amount(
            kind=kind,
            unit=system,
            each=(m["each"] or "").rpartition(" ")[2],
            value=_number(m),
            factor=factor,
            start=m.start(),
            what=frozenset() if kind else content(unit),
        )


def _number(m: re.Match[str]) -> float:
    """The number of an amount: in figures, or in words up to thousands."""
    if m["figure"]:
        value = float(m["figure"].replace(",", "")) * (1000 if m["k"] else 1)
    else:
        value = sum(COUNTED.get(part, 0) for part in m["word"].casefold().split("-"))
        value *= COUNTED[(m["times"] or "").casefold()]
    return value + (0.5 if m["half"] else 0.0)


def _unit(word: str) -> tuple[str, str, float]:
    """What a unit measures, its system, and how many of the least it is; "" for no unit."""
    one = word.removesuffix("s")
    if one in MONEY:
        return "money", one, 1.0
    return UNITS.get(word) or UNITS.get(one) or ("", "", 1.0)


def _fits(asked: _Asked, one: _Amount) -> bool:
    """Whether an amount is of what is compared."""
    if one.kind == "moment":
        return asked.kind in DATED
    if asked.kind == "any":
        return True
    if one.what:
        return asked.kind == "named" and bool(one.what & asked.what)
    return not one.kind or one.kind in MEASURED.get(asked.kind, (asked.kind,))


def _named(asked: _Asked, clause: str, item: ContextItem) -> Iterator[tuple[str, str]]:
    """What a clause tells of, by its name among what is compared, and as it is answered."""
    held = content(clause) | stems(clause)
    own = not FIRST.isdisjoint(word.casefold() for word in WORD.findall(clause))
    own = own and bool(asked.rest & held or _AGED.search(clause))
    asking = {party for party in asked.parties if {*party.casefold().split()} <= MINE}
    heard = {p for p in asked.parties if p not in asking and (content(p) or stems(p)) <= held}
    for party in asked.parties:
        mine = party in asking
        theirs = asked.speaker if mine else party
        if party in heard:
            yield party, party
        elif own and not heard and stems(theirs) == stems(item.speaker):
            yield party, "yours" if party.casefold() == "mine" else "you" if mine else party
    if asked.parties:
        return
    for m in re.finditer(THING.format(noun=re.escape(asked.noun.removesuffix("s"))), clause):
        label = f"{m['which']}{m['name']}{m['behind'] or ''}".strip().casefold()
        if label and all(content(word) for word in m["which"].split()):
            yield label, m[0].strip()


def _head(said: str) -> str:
    """What a clause begins with, before its verb; "" for a pronoun, or too much."""
    said = _LEAD.sub("", said)
    verb = next((m.start() for m in WORD.finditer(said) if is_verb(m[0].casefold())), len(said))
    words = re.sub(r"'s$", "", said[:verb].strip()).split()
    while words and not content(words[-1]):
        words.pop()
    sole = words and words[0].casefold() not in PRONOUNS
    return " ".join(words) if sole and len(words) <= MOST_WORDS else ""
