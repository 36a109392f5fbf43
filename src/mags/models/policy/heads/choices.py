"""What the heads choose, by rows and names of relations, and what it says in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mags.models.policy.heads.layout import ADDRESSEE, SPEAKER, SPECIAL, Layout
from mags.models.policy.heads.moments import Moment, moments, tells_ahead
from mags.models.policy.heads.wording import backwards, stem
from mags.models.words import is_name
from mags.ports.policy import Act, Hop, Operation, Plan, Recalled, Turn
from mags.ports.relations import kind_of, normalise

NONE = ""
"""The relation of a hop that is not there."""
ACTS = (Act.ADD, Act.UPDATE, Act.RETRACT, Act.NOTE)
FAVOURITE = "favourite"
_OWN = re.compile(r"my\s+(.+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One operation. Rows: `first` to `last` the object, `subject` (first, last), `moment` of a
    word of its date (0 for none). `confidence`: in [0, 1].
    """

    act: Act
    first: int
    last: int
    relation: str = ""
    subject: tuple[int, int] = (SPEAKER, SPEAKER)
    moment: int = 0
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A plan: relations from what the question hangs on (rows `about`) to the answer.

    `whether`: it asks whether something is so.
    """

    relations: tuple[str, ...]
    about: tuple[int, int]
    inverse: bool = False
    past: bool = False
    whether: bool = False
    moment: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What the heads know by name: relations, those of one value, and what each one answers.

    `answers`: the kind of answer by relation, and by "^relation" for what it is the object of.
    `kinds`: words that say favourite what.
    """

    relations: tuple[str, ...]
    one: frozenset[str] = frozenset()
    answers: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()

    def follows(self, inner: str, outer: str) -> bool:
        """Whether `outer` can be asked of what `inner` answers (or nobody knows)."""
        answer, asked = self.answers.get(inner, ""), self.answers.get("^" + outer, "")
        return not answer or not asked or answer == asked


def named(layout: Layout, rows: tuple[int, int]) -> str:
    """Whom rows stand for: somebody present, a span as written, or "Ana's sister" for "my sister".

    The object of a fact or the name in a question are spans as well.
    """
    first, last = rows
    if first == SPEAKER:
        return layout.speaker
    if first == ADDRESSEE:
        return layout.addressee or layout.speaker
    words = " ".join(layout.span(first, last).split())
    own = _OWN.fullmatch(words)
    if own is None:
        return words
    return f"{layout.speaker}'{'' if layout.speaker.endswith('s') else 's'} {own[1]}"


def moment_at(layout: Layout, row: int, found: Sequence[Moment]) -> Moment | None:
    """The date that a row stands in; `found` counts characters of the turn."""
    if row < SPECIAL:
        return None
    at = layout.words[row - SPECIAL].start - layout.offset
    return next((one for one in found if one.start <= at < one.end), None)


def operations_of(
    layout: Layout,
    facts: Sequence[Fact],
    turn: Turn,
    recalled: Sequence[Recalled],
    vocabulary: Vocabulary,
) -> tuple[Operation, ...]:
    """The operations of the facts in the order of the text, without what is known already."""
    dated = any(fact.moment for fact in facts)
    ahead = dated and tells_ahead(turn.text)
    dates = moments(turn.text, turn.at, future=ahead) if dated else ()
    known = tuple(memory.text.casefold() for memory in recalled if memory.current)
    operations = []
    for fact in facts:
        made = _operation(layout, fact, dates, vocabulary)
        kept = _against(made, known, vocabulary)
        if kept is not None and kept not in operations:
            operations.append(kept)
    return tuple(operations)


def _operation(
    layout: Layout, fact: Fact, dates: Sequence[Moment], vocabulary: Vocabulary
) -> Operation:
    words = " ".join(layout.span(fact.first, fact.last).split())
    if fact.act is Act.NOTE:
        return Operation(act=Act.NOTE, text=words, confidence=fact.confidence)
    date = moment_at(layout, fact.moment, dates)
    subject = named(layout, fact.subject)
    kind = kind_near(layout, fact.first, vocabulary) if fact.relation == FAVOURITE else ""
    return Operation(
        act=fact.act,
        subject=subject,
        relation=fact.relation,
        object=words,
        qualifiers={"kind": kind} if kind else {},
        valid_from=date.since if date else None,
        one=True if fact.act is Act.UPDATE else None,
        change=fact.act is not Act.ADD,
        confidence=fact.confidence,
        subject_is_name=is_name(subject),
        object_is_name=is_name(words),
    )


def _against(made: Operation, known: Sequence[str], vocabulary: Vocabulary) -> Operation | None:
    """What is told held against what is remembered: None for the same, a change for another."""
    if made.act not in (Act.ADD, Act.UPDATE) or not known:
        return made
    kind = made.qualifiers.get("kind", "")
    relation = normalise(f"{made.relation} {kind}".strip())
    before, after = relation.sentence(made.subject, "\0", kind).casefold().split("\0")
    values = [
        text[len(before) : len(text) - len(after)]
        for text in known
        if text.startswith(before) and text.endswith(after)
    ]
    if made.object.casefold() in values:
        return None
    if made.act is Act.ADD and values and made.relation in vocabulary.one:
        return replace(made, act=Act.UPDATE, one=True, change=True)
    return made


def plan_of(layout: Layout, question: Question, turn: Turn, vocabulary: Vocabulary) -> Plan:
    """The plan of a question, as the samples are written."""
    about = named(layout, question.about)
    names = tuple(_full(layout, name, question.about[0], vocabulary) for name in question.relations)
    date = moment_at(layout, question.moment, moments(turn.text, turn.at))
    hops = tuple(
        Hop(
            subject="" if place else about,
            relation=name,
            inverse=question.inverse and place == 0,
        )
        for place, name in enumerate(names)
    )
    queries = [turn.text]
    if names:
        queries.append(backwards(names[0], about) if question.inverse else stem(about, names[0]))
    key = ("^" if question.inverse else "") + question.relations[-1] if names else ""
    return Plan(
        queries=tuple(dict.fromkeys(queries)),
        entities=(about,),
        hops=hops,
        since=date.since if date else None,
        until=date.until if date else None,
        past=question.past,
        answer_kind="yesno" if question.whether else vocabulary.answers.get(key, "thing"),
    )


def _full(layout: Layout, relation: str, row: int, vocabulary: Vocabulary) -> str:
    kind = kind_near(layout, row, vocabulary) if relation == FAVOURITE else ""
    return f"{relation} {kind}".strip()


def kind_near(layout: Layout, row: int, vocabulary: Vocabulary) -> str:
    """Favourite what: the nearest word that names a kind, one after "favourite" before others."""
    words = [word.text.casefold() for word in layout.words]
    here = row - SPECIAL

    def far(place: int) -> int:
        named = place > 0 and words[place - 1] in ("favourite", "favorite")
        return abs(place - here) + (0 if named else 5)

    places = [place for place, word in enumerate(words) if word in vocabulary.kinds]
    return words[min(places, key=far)] if places else ""


def bare(relation: str) -> str:
    """A relation without its kind: "favourite food" is favourite."""
    return FAVOURITE if kind_of(relation) else relation
