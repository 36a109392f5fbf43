"""Gold facts as rows of the reader's layout: spans of objects, subjects and verbs.

What cannot be pointed at (an object that is worked out, a subject named elsewhere) is left out of
training and stays in measuring.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mags.models import rendering
from mags.models.policy.reader.network import ADDRESSEE, SPEAKER, SPECIAL, Layout, TurnRows, parts
from mags.models.policy.reader.reading import DENYING
from mags.models.policy.rules.tokens import stems
from mags.models.policy.rules.when import COUNTED, times
from mags.ports.english import is_verb, lemma, third_person
from mags.ports.policy import Turn
from mags.ports.relations import canonical, normalise
from mags_lab.talk.corpus import AnnotatedDialogue, AnnotatedFact, AnnotatedTurn

KINDS = ("event", "state", "attribute", "preference", "plan", "relation")
POLARITY = ("yes", "no")
MODALITY = ("actual", "plan", "wish", "maybe")
ACTS = ("add", "update", "retract", "none")
IGNORED = -100
"""A class that nothing is learned from."""
OPEN = "?"
"""The class of a relation that is no class of its own: its verb is pointed at."""
ALIKE = 0.6
"""How alike words of a turn are to an answer (F1 of their stems), from which they say it."""
_DAY = re.compile(rf"\b\d{{1,2}} (?:{'|'.join(rendering.MONTHS)})\b")
COMMON = 5
"""How often a relation is told in training to be a class."""
_NARROWS = frozenset(
    [
        "at",
        "in",
        "on",
        "for",
        "with",
        "from",
        "during",
        "after",
        "before",
        "since",
        "by",
        "to",
        "about",
    ]
)
_PLAN = re.compile(
    r"^(?:plans?|wants?|hopes?|considers?|aims?|intends?|would like|wishes|is thinking of|may|might"
    r"|is going|will|dreams of|needs|looks forward|is considering|thinks of)(?: to)? (?=\w)"
)
_NO = re.compile(r"^(?:does not|did not|do not|has not|is not|was not|never|cannot|can't|doesn't) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """A fact in rows. Spans are (first, last); `verb` is (0, 0) where none could be found."""

    told: AnnotatedFact
    object: tuple[int, int]
    subject: tuple[int, int]
    verb: tuple[int, int]
    relation: str


def core(relation: str) -> str:
    """A relation without its planning word and negation, third person: "plans to visit" visits."""
    low = relation.casefold().strip()
    bare = _NO.sub("", _PLAN.sub("", low))
    if bare == low:
        return low
    first, _, rest = bare.partition(" ")
    return f"{first if first.endswith('ing') else third_person(lemma(first))} {rest}".strip()


def named_relation(relation: str) -> str:
    """The name of a relation among the classes: that of the table, where it knows it.

    Of others what narrows them is cut: "bought at the sale in May" is a buying.
    """
    told = core(relation)
    known = canonical(told)
    if known is not None:
        return known.name
    words = told.split()
    cut = next((i for i, w in enumerate(words[1:-1], start=1) if w in _NARROWS), len(words))
    return normalise(" ".join(words[:cut])).name


def polarity_of(told: AnnotatedFact) -> int:
    """The class of a fact's polarity; IGNORED where its verb denies by itself ("gave up")."""
    denies = lemma(told.relation.split()[0]) in DENYING
    return IGNORED if denies or told.polarity not in POLARITY else POLARITY.index(told.polarity)


def classes(dialogues: Iterable[AnnotatedDialogue]) -> tuple[str, ...]:
    """The relations that are classes, the commonest first; `OPEN` is the first of all."""
    count = Counter(
        named_relation(fact.relation)
        for one in dialogues
        for turn in one.turns
        for fact in turn.facts
    )
    return (OPEN, *(name for name, times in count.most_common() if times >= COMMON))


Example = tuple[Layout, tuple[Gold, ...], tuple[bool, bool]]
"""A part of a turn, what it tells as far as it can be pointed at, whether it tells and whether it
ends anything."""


def examples(dialogue: AnnotatedDialogue) -> list[Example]:
    """All parts of all turns of a dialogue."""
    made: list[Example] = []
    before: list[Turn] = []
    session = ""
    for said in dialogue.turns:
        if said.session != session:
            before, session = [], said.session
        turn = Turn(text=said.text, speaker=said.speaker, at=said.at.timestamp())
        made += _of(said, parts(turn, before), dialogue.people)
        before.append(turn)
    return made


def _of(
    said: AnnotatedTurn, layouts: Sequence[Layout], people: Mapping[str, tuple[str, ...]]
) -> list[Example]:
    gold: list[list[Gold]] = [[] for _ in layouts]
    for told in said.facts:
        for place, layout in enumerate(layouts):
            one = _pointed(told, layout, people)
            if one is not None and not any(_meet(one.object, g.object) for g in gold[place]):
                gold[place].append(one)
                break
    found = []
    for layout, some in zip(layouts, gold, strict=True):
        text = layout.text[layout.offset :].casefold()
        here = [f for f in said.facts if any(o.casefold() in text for o in f.objects)]
        worth = bool(some) or (bool(said.facts) if len(layouts) == 1 else bool(here))
        found.append((layout, tuple(some), (worth, bool(said.ends))))
    return found


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _pointed(
    told: AnnotatedFact, layout: Layout, people: Mapping[str, tuple[str, ...]]
) -> Gold | None:
    subject = _subject(told, layout, people)
    if subject is None:
        return None
    best: Gold | None = None
    for wording in told.objects:
        for span in spans_of(wording, layout):
            if _meet(span, subject):
                continue
            verb = _verb(told.relation, layout, span)
            made = Gold(
                told=told,
                object=span,
                subject=subject,
                verb=verb,
                relation=named_relation(told.relation),
            )
            if best is None or _far(made) < _far(best):
                best = made
        if best is not None:
            return best
    return best


def _far(gold: Gold) -> int:
    if gold.verb == (0, 0):
        return 1000
    return min(abs(gold.object[0] - gold.verb[1]), abs(gold.verb[0] - gold.object[1]))


def spans_of(wording: str, layout: Layout, *, everywhere: bool = False) -> list[tuple[int, int]]:
    """Where a wording stands in the turn, in rows."""
    want = [w.casefold() for w in _WORD.findall(wording)]
    words = [w.text.casefold() for w in layout.words]
    found = []
    for at in range(len(words) - len(want) + 1) if want else ():
        if words[at : at + len(want)] == want and (everywhere or layout.words[at].turn):
            found.append((at + SPECIAL, at + len(want) - 1 + SPECIAL))
    return found


_WORD = re.compile(r"[^\W_]+|[^\w\s]|_", re.UNICODE)


def days(
    answers: Iterable[str], said: Turn, layout: Layout, line: TurnRows
) -> Iterator[tuple[int, int]]:
    """Rows of a line whose words tell one of some days: "tomorrow" of "3 May 2024"."""
    wanted = [found for one in answers for found in _DAY.findall(one)]
    places = [
        (time.start, time.end)
        for future in (False, True)
        for time in times(said.text, said.at, future=future)
        if any(rendering.date(time.since).startswith(f"{day} ") for day in wanted)
    ]
    places += [
        found.span()
        for day in wanted
        for found in re.finditer(rf"\b(?:the )?{day.split()[0]}(?:st|nd|rd|th)\b", said.text)
    ]
    for start, end in places:
        rows = [
            row
            for row in range(line.first, line.end)
            if start <= layout.words[row - SPECIAL].start - line.shift < end
        ]
        if rows:
            yield rows[0], rows[-1]


def nearly(answers: Iterable[str], layout: Layout, line: TurnRows) -> Iterator[tuple[int, int]]:
    """The rows of a line whose words are most like an answer's, where they are like enough."""
    said = [_plain(layout.words[row - SPECIAL].text) for row in range(line.first, line.end)]
    best, likest = None, ALIKE
    for one in answers:
        wanted = frozenset[str]().union(*map(_plain, _WORD.findall(one)))
        for first in (place for place, words in enumerate(said) if words & wanted):
            held = frozenset[str]()
            for last in range(first, min(len(said), first + len(wanted) + 5)):
                held |= said[last]
                like = 2 * len(held & wanted) / (len(held) + len(wanted))
                if said[last] & wanted and like > likest:
                    best, likest = (line.first + first, line.first + last), like
    if best is not None:
        yield best


def _plain(word: str) -> frozenset[str]:
    """The stems of a word, a number in figures; none of a word that tells nothing."""
    low = word.casefold()
    if low in _IDLE | _OWNER or not low[:1].isalnum():
        return frozenset()
    return frozenset({str(COUNTED[low])}) if low in COUNTED else stems(low)


_OWNER = {"my", "our", "his", "her", "their", "the", "your"}


def _subject(
    told: AnnotatedFact, layout: Layout, people: Mapping[str, tuple[str, ...]]
) -> tuple[int, int] | None:
    for name in told.subjects:
        if name == layout.speaker:
            return SPEAKER, SPEAKER
        if name == layout.addressee:
            return ADDRESSEE, ADDRESSEE
        whose, _, what = name.partition("'s ")
        wordings = [name, *people.get(name, ())]
        if what:
            wordings = [f"my {what}", f"our {what}", f"{whose}'s {what}", *wordings]
            wordings += [f"{own} {what}" for own in ("her", "his", "their", "the")]
            wordings.append(what)
        for wording in wordings:
            spans = spans_of(wording, layout) or spans_of(wording, layout, everywhere=True)[-1:]
            if spans:
                return spans[0]
    return None


_IDLE = {"a", "an", "the", "is", "as", "to", "of", "has", "does", "did", "not", "be", "plans"}


def _verb(relation: str, layout: Layout, object: tuple[int, int]) -> tuple[int, int]:
    """The words of the turn that the relation was made of, nearest to the object."""
    want = [lemma(w) for w in relation.casefold().split()]
    strong = {w for w in want if w not in _IDLE} or set(want)
    rows = [
        row
        for row, word in enumerate(layout.words, start=SPECIAL)
        if word.turn
        and not object[0] <= row <= object[1]
        and lemma(word.text.casefold()) in strong
        and is_verb(word.text.casefold())
    ]
    if not rows:
        return 0, 0
    near = min(rows, key=lambda row: abs(row - object[0]) + (4 if row > object[1] else 0))
    if abs(near - object[0]) > 12:
        return 0, 0
    first = last = near
    weak = strong | set(want) - {"a", "an", "the"}
    taken = set(range(object[0], object[1] + 1))

    def fits(row: int) -> bool:
        at = row - SPECIAL
        if not 0 <= at < len(layout.words) or row in taken:
            return False
        word = layout.words[at]
        return word.turn and lemma(word.text.casefold()) in weak

    while fits(first - 1):
        first -= 1
    while fits(last + 1):
        last += 1
    return first, last
