"""From scores to facts: spans, whose they are, and the words of their relation."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from mags.models.embed.onnx import TokenStates
from mags.models.policy.reader.network import (
    ADDRESSEE,
    SPEAKER,
    SPECIAL,
    TURN,
    Floats,
    Layout,
    SpanScores,
    Trained,
    TurnRows,
    marks,
    rows,
)
from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.clauses import NOT
from mags.models.policy.rules.fitting import ALLERGIC, fits
from mags.models.policy.rules.lexicon import CHAT, CONJUNCTIONS, HEDGES, KIN, PREPOSITIONS
from mags.models.policy.rules.phrases import living
from mags.models.policy.rules.statements import COMING
from mags.models.policy.rules.tokens import is_name, stems
from mags.models.policy.rules.when import COUNTED, Time, is_when, times
from mags.ports.english import (
    BASE,
    FIRST_PERSON,
    GERUND,
    PARTICIPLE,
    PAST,
    THIRD_PERSON,
    forms,
    lemma,
    third_person,
    word_set,
)
from mags.ports.policy import ASSISTANTS
from mags.ports.relations import canonical

LIKELY = 0.2
"""Probability from which a word may begin an object."""
CONTINUES = 0.3
"""Probability from which a word goes on an object."""
NAMED = 1
"""The first class of relations that is one."""
PLANS = 0.25
"""Probability from which what seems done may also be a plan."""
LONGEST, LONGEST_NAME = 12, 6
"""Words of an object, and of a subject."""
NOBODY = -10.0
"""The least log-probability that an object is told of somebody else than of the likeliest."""
PREFERRED = 0.05
"""What a known relation, or one in the words that were said, may be less likely than another."""
PLANNED = {"plan": "plans to", "wish": "wishes to", "maybe": "may"}
"""What stands before a verb that is not done."""
MEANT = word_set(
    "be plan want hope consider think may might look intend wish need dream aim try would"
)
"""Verbs that say themselves that something is not done yet."""
LIKED = frozenset({"mean", "love", "like"})
"""Verbs that add nothing to a plan: who would love to go wishes to go."""
DENYING = word_set("dislike hate detest avoid quit stop lack refuse lose give drop")
"""Verbs that deny by themselves: to deny them again would turn them round."""
PRONOUNS = THIRD_PERSON | {"this", "that", "who", "we", "us"}
_OWN = re.compile(r"(?:my|our)\s+(.+)", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"[^\W_][\w'\u2019.&-]*(?: [\w'\u2019.&-]+){0,5}")
"""A subject: a few words of one phrase, so without a comma."""
_TRAILING = re.compile(
    r"(?:[\s,.;:!?\"'(\u2013\u2014-]"
    r"|\b(?:and|or|but|to|of|with|for|from|in|on|at|by|as|than|the|a|an|my|his|her|our|their)\b)+$",
    re.IGNORECASE,
)
_CHAT = re.compile(rf"\s(?:{'|'.join(CHAT)})\b")
"""Words that end what is told before them."""
_TITLE = re.compile(r'"((?=[A-Z])((?:The |A |An )?([^"\n]{1,60}?)))[,.]?"')
_OF_THING = re.compile(r" from(?: the)?(?: early| mid| late)? ?", re.IGNORECASE)
"""What joins a time to the thing before it."""
_STOP = "|".join(PREPOSITIONS | CONJUNCTIONS | lex.PRONOUNS)
_ENDS = rf"(?=\s*[.,;:!?)\n]|$| (?:{_STOP})\b)"
_OF = re.compile(
    rf" of(?! (?:{_STOP}|us|them|my|our|your|course)\b)"
    rf"(?: (?:the |an? )?(?!(?:{_STOP})\b)[\w'-]+){{1,3}}{_ENDS}"
)
_ITEM = rf",? (?:and|&) (?:now |also )?(?P<item>(?:\d+|{'|'.join(COUNTED)}) [a-z]+|[A-Z][\w'-]*)"
_AND = re.compile(_ITEM + r"(?=[.,;:!?)\n]|$)")
_AND_FROM = re.compile(rf" from [A-Z][\w'-]*{_ITEM} from [A-Z][\w'-]*(?=[.,;:!?)\n]|$)")
"""What goes on a list: "Igbo, Ga" and now Twi, "Hiba" from Homs and Ola from Lund."""
_LEADING = re.compile(r"^(?:the|a|an)\s+(?=\w)", re.IGNORECASE)
_AUXILIARY = (
    FIRST_PERSON | THIRD_PERSON | lex.PRONOUNS | lex.BE
    | word_set("'ve 'd 'll have has had will would do does did not n't and also just really still"
               " now finally so that")
)  # fmt: skip


_BREAKS = re.compile(r"[.!?,;:()\n]|\b(?:and|but|so|because|n)\b", re.IGNORECASE)
_SAID = re.compile(r"[a-z]+(?=n't)|n't|'[a-z]+|[^\W_]+", re.IGNORECASE)
GOES_ON = 6
"""Words by which an object may be longer than was found, at most."""
_CLOSING = frozenset(".!?,;:()\u2013\u2014\n")
_CLAUSE_ENDS = CONJUNCTIONS | word_set("who which that if when while where n because so since as")
BETWEEN = 6
"""Words from a verb to its object, at most."""
_PAST_BE = frozenset({"was", "were", "got"})
_BE = _PAST_BE | {"am", "is", "are", "'m", "'re", "been", "being"}
_PRESENT_BE = frozenset({"am", "is", "are", "'m", "'re", "'s", "im", "hes", "shes"})
_HAVE = frozenset({"have", "has", "had", "'ve", "'d"})
_OWN_WORDS = FIRST_PERSON | {"we", "us", "our", "ours", "im", "ive"}
_POINTING = THIRD_PERSON | FIRST_PERSON | {"you", "we", "us", "this", "that"}
_SENTENCE_END = re.compile(r"[.!?]+(?:\s|$)|\n")
_GOING = {"to": "plans to go to", "in": "plans to be in", "at": "plans to be at"}
_CLASSES = (("class", "second class"), ("relation", "second"))
"""The two likeliest classes of a relation: as ways to word it, and their scores as features."""
_PLAIN = {"attribute": "is", "preference": "likes", "plan": "plans"}
_BEING = frozenset({"be", "go", "do", "have", "get", "plan"})
_WAGE = re.compile(r"\b(?:hour|hr|gross|net|salary|wages?)\b", re.IGNORECASE)
_MOVED = re.compile(r"\b(?:mov|relocat)(?:e[sd]?|ing)\b", re.IGNORECASE)
_GLUED = re.compile(r"(?:[.@/]\w+)+")
_AHEAD = frozenset({"will", "'ll", "shall", "going", "gonna"})
_BEFORE_BARE = (
    CONJUNCTIONS | PREPOSITIONS | lex.ADVERBS | PRONOUNS | lex.FIRST | lex.GREETINGS
) - lex.POSSESSIVES
_BARS = re.compile(r"(?:^| )(?:(?:ca|can|(?P<may>could|should|must)) (?:n't|not)|cannot)$")
_MY_OWN = re.compile(r"\b(?:my|our) ((?:\w+ )??\w+),? (?:called )?$", re.IGNORECASE)
_ARTICLES = lex.ARTICLES | lex.POSSESSIVES
_NO_VERB_AFTER = _ARTICLES | {"to", "of", "this", "that", "no", "for", "with", "in", "on", "at"}
_IDLE = frozenset({"just", "really", "also", "still", "now", "finally", "only", "already", "even"})
_STOPS = THIRD_PERSON | word_set(
    "you me us who which that if when while not n't never will would could can may might should "
    "must wo 'll 's no or than as like what how why where to gonna almost wish since until before "
    "after unless back"
)
"""Words that make a plain statement none, or one of somebody else."""


_Times: TypeAlias = Callable[[bool], Sequence[Time]]
"""The times of a turn, each day that is told the next one or the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What was read. `probability`: that all of it is right."""

    subject: str
    relation: str
    object: str
    kind: str
    act: str
    modality: str
    denied: bool
    probability: float = 0.0
    time: Time | None = None
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A laid-out text as the heads see it. `x` (n, h): its rows; `pooled` (2, h): as a whole."""

    layout: Layout
    marks: Floats
    x: Floats
    pooled: Floats


def part_of(trained: Trained, layout: Layout, states: TokenStates) -> Part:
    """A layout with what the encoder makes of its text."""
    seen = np.ascontiguousarray(marks(layout))
    x = trained.network.trunk(rows(layout, states), seen)
    return Part(layout=layout, marks=seen, x=x, pooled=trained.network.pooled(x))


def readings(trained: Trained, part: Part, at: float) -> Iterator[list[Fact]]:
    """What each object in a part of a turn, said then, may tell, each with how likely it is right.

    The likeliest first; nothing for an object of nobody.
    """
    network, x = trained.network, part.x
    worth, _, lasting = network.worth(part.pooled)
    tags = network.tags(x)
    objects = spans(tags, part.marks)
    if not objects:
        return
    told: dict[bool, Sequence[Time]] = {}

    def times_told(future: bool) -> Sequence[Time]:
        if future not in told:
            told[future] = times(part.layout.text[part.layout.offset :], at, future=future)
        return told[future]

    which = [(first, last) for first, last, _ in objects]
    scored = network.spans(x, part.pooled, part.marks, which)
    for span, (_, _, begun), scores in zip(which, objects, scored, strict=True):
        seen = {"begun": logit(begun), "worth": logit(worth), "lasting": logit(lasting)}
        one = _found(trained, part.layout, scores, span, seen)
        may = _readings(trained, one, scores, tags, times_told, at) if one.subject else ()
        if some := sorted(may, key=_preferred, reverse=True):
            yield some


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSpan:
    """The likeliest words of a remembered turn for an answer, by their characters in it.

    `sure`: that they are right. `shown`: that the turn has what is asked, in whatever words.
    `says`: that it says yes, where yes or no is asked.
    """

    start: int
    end: int
    sure: float
    shown: float
    says: float = 0.5
    features: Mapping[str, float] = field(default_factory=dict)


def answered(
    trained: Trained, layout: Layout, lines: Sequence[TurnRows], x: Floats
) -> list[AnswerSpan]:
    """The likeliest words of each line of a passage; `x` (n, h): its rows."""
    may = np.zeros(layout.rows, dtype=np.bool_)
    may[0] = True  # none of them answers
    for line in lines:
        may[line.first : line.end] = True
    starts, ends = trained.network.answers(x, may)
    none = logit(float(np.exp(starts[0] + ends[0])))
    heads = x[[line.opens for line in lines]]
    shown, says = trained.network.shown(heads), trained.network.says(heads)
    found = []
    for line, likely, yes in zip(lines, shown, says, strict=True):
        best, total = (line.first, line.first), -np.inf
        for first in (line.first + np.argsort(-starts[line.first : line.end])[:4]).tolist():
            last = first + int(ends[first : min(first + LONGEST, line.end)].argmax())
            if starts[first] + ends[last] > total:
                best, total = (first, last), float(starts[first] + ends[last])
        told = {"span": logit(float(np.exp(total))), "none": none, "shown": logit(likely)}
        first, last = (layout.words[min(row, layout.rows - 1) - SPECIAL] for row in best)
        found.append(
            AnswerSpan(
                start=first.start - line.shift,
                end=_whole(layout.text, last.end) - line.shift,
                sure=trained.answer.probability(told),
                shown=likely,
                says=yes,
                features=told,
            )
        )
    return found


def spans(tags: Floats, marks: Floats) -> list[tuple[int, int, float]]:
    """Likely objects, none overlapping: first and last row, and how likely one begins there."""
    turn = marks[:, TURN] > 0
    found: list[tuple[int, int, float]] = []
    taken = np.zeros(len(tags), dtype=bool)
    for first in np.argsort(-tags[:, 1]).tolist():
        if tags[first, 1] < LIKELY:
            break
        if taken[first] or not turn[first]:
            continue
        last = first
        while last + 1 < len(tags) and last - first < LONGEST and turn[last + 1]:
            if taken[last + 1] or tags[last + 1, 2] < CONTINUES:
                break
            last += 1
        taken[first : last + 1] = True
        found.append((first, last, float(tags[first, 1])))
    return sorted(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """An object that was found, and what is read beside it. `kind`, `act`: the likeliest."""

    layout: Layout
    first: int
    last: int
    subject: str
    led: _Led
    said: str
    kind: str
    act: str
    denied: bool
    features: Mapping[str, float]


def _preferred(fact: Fact) -> float:
    """How likely a fact is, with a little for a relation that is known or as it was said."""
    said = "way: said" in fact.features or "way: pointed" in fact.features
    return fact.probability + PREFERRED * (said or canonical(fact.relation) is not None)


def _found(
    trained: Trained,
    layout: Layout,
    scores: SpanScores,
    span: tuple[int, int],
    seen: Mapping[str, float],
) -> _Found:
    """What is read beside an object, `seen` of its turn; with "" for a subject, nothing."""
    (named, likely), *others = _pointed(scores.points[0], scores.points[1])
    subject = _named(layout, *named)
    rivals = (less for rows, less in others if _named(layout, *rows) != subject)
    kind = trained.kinds[int(scores.kind.argmax())]
    act = trained.acts[int(scores.act.argmax())]
    denied = bool(scores.polarity.argmax())
    led = led_to(layout, span)
    features = {
        **seen,
        "subject": likely,
        "rival": max(next(rivals, NOBODY), NOBODY),
        "open": float(scores.relation[0]),
        "must": logit(scores.must),
        "polarity": float(scores.polarity.max()),
        "denied": float(denied),
        "other": float(named[0] > ADDRESSEE),
        "hearer": float(named[0] == ADDRESSEE),
        f"kind: {kind}": 1.0,
        f"act: {act}": 1.0,
        **_stands(layout, named, span[0]),
    }
    return _Found(
        layout=layout,
        first=span[0],
        last=span[1],
        subject="" if subject.casefold() in PRONOUNS else subject,
        led=led,
        said=said_relation(led, own=named[0] == SPEAKER),
        kind=kind,
        act=act,
        denied=denied,
        features=features,
    )


def _stands(layout: Layout, named: tuple[int, int], row: int) -> dict[str, float]:
    """Where the name of whom an object at a row is told stands; nothing of who is present."""
    if named[0] <= ADDRESSEE:
        return {}
    first, last = layout.words[named[0] - SPECIAL], layout.words[named[1] - SPECIAL]
    start = layout.words[row - SPECIAL].start
    left, right = _sentence(layout.text, start, start)
    return {
        "subject: before": float(not first.turn),
        "subject: here": float(left <= first.start < right),
        "subject: behind": float(first.turn and first.start > start),
        "subject: far": min(20.0, abs(row - named[1])) / 5,
        "subject: opens": float(first.opens),
        "subject: written large": float(first.text[:1].isupper() and not first.opens),
        "subject: relative": float(last.text.casefold() in KIN),
        "subject: words": float(named[1] - named[0]),
    }


def _readings(
    trained: Trained, one: _Found, scores: SpanScores, tags: Floats, times_told: _Times, at: float
) -> Iterator[Fact]:
    """All that an object may tell.

    By each name that its relation may have, as a deed and as a plan, and with the words after it.
    """
    (verb, last), pointed = _best(scores.points[2], scores.points[3])
    likely = np.argsort(-scores.relation[NAMED:])[:2] + NAMED
    names, classes = dict[str, str](), {"verb": pointed}
    for n, way, score in zip(likely, *_CLASSES, strict=False):
        names[way], classes[score] = trained.relations[n], float(scores.relation[n])
    names |= {
        "pointed": _phrase(one.layout, verb, last),
        "said": " ".join(bare(one.said.split())),
        "plain": _PLAIN.get(one.kind, ""),
    }
    manners = {
        trained.modalities[n]: float(scores.modality[n])
        for n in np.argsort(-scores.modality)[:2].tolist()
        if not n or scores.modality[n] > np.log(PLANS)
    }
    for place in sorted({one.last, _clause_end(one.layout, one.last, times_told(False))}):
        lies = {**one.features, **classes, **_extent(one, place, tags)}
        ways: dict[tuple[str, str], tuple[Fact, dict[str, float]]] = {}
        for (way, name), manner in itertools.product(names.items(), manners):
            fact = _fact(one, place, name, manner, times_told, at) if name else None
            if fact is not None:
                told = {"modality": manners[manner], **lies, **fact.features}
                known = ways.setdefault((fact.relation, fact.object), (fact, told))
                known[1][f"way: {way}"] = 1.0
        for fact, told in ways.values():
            yield replace(fact, probability=trained.right.probability(told), features=told)


def _extent(one: _Found, last: int, tags: Floats) -> dict[str, float]:
    """How likely an object goes to a row, and what stands behind: a mark, a word that joins ..."""
    inside = tags[one.first + 1 : last + 1, 2].clip(1e-4)
    word = one.layout.words[last + 1 - SPECIAL].text.casefold() if last + 1 < len(tags) else ""
    then = (
        "mark" if not word[:1].isalnum()
        else "conjunction" if word in CONJUNCTIONS
        else "preposition" if word in PREPOSITIONS
        else "verb" if forms(word)
        else "word"
    )  # fmt: skip
    return {
        "extent": float(sum(map(logit, inside.tolist()))),
        "inside": float(np.log(inside).sum()),
        "goes on": logit(float(tags[last + 1, 2])) if word else logit(0.0),
        "longer": float(last - one.last),
        "length": float(last - one.first),
        f"then: {then}": 1.0,
    }


def _clause_end(layout: Layout, last: int, told: Sequence[Time]) -> int:
    """The row, some words on, of the last word before the clause ends that a row stands in.

    Or before a time that is told in it.
    """
    end = min(last + GOES_ON, layout.rows - 1)
    said = layout.words[last - SPECIAL].end - layout.offset
    starts = min((one.start for one in told if one.start >= said), default=len(layout.text))
    for row in range(last, end + 1):
        word = layout.words[row - SPECIAL]
        over = word.text in _CLOSING or word.text.casefold() in _CLAUSE_ENDS
        if over or not word.turn or word.start - layout.offset >= starts:
            return max(last, row - 1)
    return end


def _fact(
    one: _Found, last: int, name: str, modality: str, times_told: _Times, at: float
) -> Fact | None:
    """What an object up to a row tells by a name for its relation; None where that is nothing."""
    layout, span, led, said = one.layout, (one.first, last), one.led, one.said
    own, planned = one.subject == layout.speaker, modality != "actual"
    words = _LEADING.sub("", " ".join(_object_said(layout, span).split()), count=1)
    words = _TRAILING.sub("", _CHAT.split(words)[0])
    words += '"' if words.count('"') % 2 else ""
    done = _done(led, name, said) if planned else ""
    name = _meant(done or name, words, led, layout, span, one.subject)
    actual = bool(done) or not planned
    if not words or (not one.denied and actual and _is_denied(led, name)):
        return None
    time = None if done else _told_time(layout, span, led, times_told, at, actual=actual)
    to_come = time is not None and time.since > at and _is_over(name.split(" ")[0])
    relation = _barred(led, name) if actual and one.denied else ""
    manner = "actual" if done else "plan" if to_come and actual else modality
    relation = relation or _worded(name, manner, denied=one.denied)
    if relation == "plans":
        relation = _planned(led, words, said, own=own)
    role = _role(layout, span, relation)
    if not relation:
        return None
    time = None if role or relation == "is called" else time
    return Fact(
        subject=one.subject,
        relation=role or relation,
        object=words,
        kind=one.kind,
        act=one.act,
        modality=modality,
        denied=one.denied,
        time=time,
        features={
            "planned": float(planned),
            "timed": float(time is not None),
            **_written(layout, span, led, said, (one.subject, role or relation, words)),
            f"modality: {modality}": 1.0,
            f"relation: {role or relation}": 1.0,
        },
    )


def _written(
    layout: Layout, span: tuple[int, int], led: _Led, said: str, told: tuple[str, str, str]
) -> dict[str, float]:
    """How a fact (subject, relation, object) lies in its sentence; `said`: its plain relation."""
    subject, relation, words = told
    start = layout.words[span[0] - SPECIAL].start - layout.offset
    end = layout.words[span[1] - SPECIAL].end - layout.offset
    text = layout.text[layout.offset :]
    left, right = _sentence(text, start, end)
    own = subject == layout.speaker
    heard = stems(text[left:right])
    first = not _OWN_WORDS.isdisjoint(_SAID.findall(text[left:right].casefold()))
    return {
        "digits": float(any(sign.isdigit() for sign in words)),
        "day": float(is_when(words)),
        "pronoun": float(not _POINTING.isdisjoint(words.casefold().split())),
        "words": float(len(words.split())),
        "brief": float(len(words) <= 3),
        "relation words": float(len(relation.split())),
        "turn": min(6.0, len(text.split()) / 20),
        "before": len(text[left:start].split()) / 10,
        "relation said": float(not stems(relation).isdisjoint(heard)),
        "said": float(bool(said)),
        "verb said": float(lemma(led.verb) in [lemma(word) for word in relation.split()[:3]]),
        "far": min(8, len(led.words) - 1 - led.at) / 4 if led.verb else 2.0,
        "own clause": float(own == (not _OWN_WORDS.isdisjoint(led.words))),
        "whose said": float((own and first) or not stems(subject).isdisjoint(heard)),
    }


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence begins and ends that a part of a text stands in."""
    left = max(text.rfind(mark, 0, start) for mark in ".!?\n") + 1
    right = min((i for mark in ".!?\n" if (i := text.find(mark, end)) >= 0), default=len(text))
    return left, right


def _best(starts: Floats, ends: Floats) -> tuple[tuple[int, int], float]:
    """The likeliest (first, last) rows, and their log-probability."""
    return _pointed(starts, ends)[0]


def _pointed(starts: Floats, ends: Floats) -> list[tuple[tuple[int, int], float]]:
    """Rows (first, last) that may be pointed at with their log-probabilities, likeliest first."""
    found = []
    for first in np.argsort(starts)[::-1][:4].tolist():
        last = first + 1 if first <= ADDRESSEE else min(first + LONGEST_NAME, len(ends))
        for end in (first + np.argsort(ends[first:last])[::-1][:2]).tolist():
            found.append(((first, end), float(starts[first] + ends[end])))
    return sorted(found, key=lambda one: -one[1])


def _named(layout: Layout, first: int, last: int) -> str:
    """Whom rows stand for: somebody present, a span as written, or "Ana's sister"."""
    if first == SPEAKER:
        return layout.speaker
    if first == ADDRESSEE:
        return layout.addressee
    words = " ".join(layout.span(first, last).split())
    if not _NAME.fullmatch(words):
        return ""
    own = _OWN.fullmatch(words)
    owner = layout.speaker if layout.words[first - SPECIAL].own else layout.addressee
    if own is not None:
        return f"{owner}'s {own[1]}" if owner else ""
    name = words.removesuffix("'s")
    if owner and _bare_relative(layout, first, name):
        return f"{owner}'s {name}"
    return _LEADING.sub("", name, count=1)


def _bare_relative(layout: Layout, first: int, words: str) -> bool:
    """Whether a name is a relative's word alone, as in "mum moved": the one who says it means hers.

    Not where a word stands before it that says whose, or which: "his older brother".
    """
    if words.casefold() not in KIN or words.casefold() in ASSISTANTS:
        return False
    word = layout.words[first - SPECIAL]
    before = layout.words[first - SPECIAL - 1].text.casefold() if first > SPECIAL else ""
    if word.opens or before in _BEFORE_BARE or forms(before):
        return True
    return not before[:1].isalnum() and before not in "-'\N{RIGHT SINGLE QUOTATION MARK}"


def _phrase(layout: Layout, first: int, last: int) -> str:
    """The verb that rows point at, third person; "" where they point at none."""
    if first < SPECIAL:
        return ""
    words = [w.text.casefold() for w in layout.words[first - SPECIAL : last + 1 - SPECIAL]]
    while words and (words[0] in _AUXILIARY or not words[0][0].isalnum()):
        words = words[1:]
    if not words or not all(word[0].isalnum() for word in words):
        return ""
    tags = {form for _, form in forms(words[0])}
    if not tags:
        return ""
    if PAST not in tags:
        words[0] = third_person(lemma(words[0]))
    return " ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Led:
    """The words of a clause before an object, "did" and "n't" apart; `words`: folded.

    The verb nearest to the object is at `at`, "" at -1 for none.
    """

    written: Sequence[str]
    words: Sequence[str]
    at: int
    verb: str

    def near(self, before: int, after: int = 0) -> Sequence[str]:
        """That verb with words before and after it."""
        return self.words[max(0, self.at - before) : self.at + after + 1] if self.verb else ()


def led_to(layout: Layout, span: tuple[int, int]) -> _Led:
    """The words of a clause before an object in it."""
    return _led(layout.text[layout.offset : layout.words[span[0] - SPECIAL].start])


def _led(text: str) -> _Led:
    written = _clause_words(text)
    words = [word.casefold() for word in written]
    nearest = reversed(range(max(0, len(words) - BETWEEN), len(words)))
    verbs = (
        n for n in nearest if forms(words[n]) and (not n or words[n - 1] not in _NO_VERB_AFTER)
    )
    at = next(verbs, -1)
    return _Led(written=written, words=words, at=at, verb=words[at] if at >= 0 else "")


def _clause_words(text: str) -> list[str]:
    """The words of the clause that a text ends in."""
    left = _BREAKS.split(text)[-1]
    return _SAID.findall(left.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def said_relation(led: _Led, *, own: bool) -> str:
    """The words from the verb to an object, third person; "" where they say nothing plainly.

    `own`: it is told of the speaker, whose verb stands after "I", "we" or nothing.
    """
    verb, tags = led.verb, {form for _, form in forms(led.verb)}
    if not verb or not _STOPS.isdisjoint(led.words[led.at :]):
        return ""
    before = [word for word in led.words[: led.at] if word not in _IDLE]
    helps = before.pop() if before and before[-1] in _BE | _HAVE else ""
    if not _STOPS.isdisjoint(before[-2:]):
        return ""
    if before and own != (before[-1] in FIRST_PERSON | {"we"}):
        return ""
    if helps in _BE and PARTICIPLE in tags and GERUND not in tags:
        verb = f"{'was' if helps in _PAST_BE else 'is'} {verb}"
    elif PAST not in tags or (helps and helps not in _HAVE):
        verb = third_person(lemma(verb))
    after = led.written[led.at + 1 :]
    while after and after[-1].casefold() in _ARTICLES:
        after = after[:-1]
    return " ".join((verb, *after))


def _is_coming(led: _Led) -> bool:
    """Say whether a day beside an object is the next one: "is turning 66", "ends" on Sunday."""
    tags = {form for _, form in forms(led.verb)}
    if GERUND in tags:
        return not _PRESENT_BE.isdisjoint(led.near(2))
    present = PAST not in tags and not {"did", "used"} & {*led.near(2)}
    return present and lemma(led.verb) in COMING


def _is_over(verb: str) -> bool:
    """Say whether a verb stands in the past and is no other form: "had", but not "put"."""
    tags = {form for _, form in forms(verb)}
    return PAST in tags and BASE not in tags


def _done(led: _Led, name: str, said: str) -> str:
    """What was done though it was taken for a plan, "" where it is one: "booked a flat for May"."""
    return said if _is_over(led.verb) and lemma(led.verb) == lemma(name.split(" ")[0]) else ""


def _is_denied(led: _Led, relation: str) -> bool:
    """Say whether the verb that a relation is told by is denied: "didn't go to" the market."""
    return lemma(led.verb) == lemma(relation.partition(" ")[0]) and not NOT.isdisjoint(
        led.near(2, 1)
    )


def _barred(led: _Led, relation: str) -> str:
    """What one cannot have or do, by the verb that is denied, "" where nothing is barred.

    "I can't have dairy" denies no allergy, and not that there is dairy in the house.
    """
    own, base = lemma(relation.partition(" ")[0]), lemma(led.verb)
    before = " ".join(word for word in led.near(3)[:-1] if word not in lex.ADVERBS)
    bar = _BARS.search(before)
    if bar is None or own in DENYING or own == base in {"eat", "drink"}:
        return ""
    after = bare(led.words[led.at + 1 :])
    return " ".join((f"{bar['may']} not" if bar["may"] else "cannot", base, *after))


def bare(words: Sequence[str]) -> list[str]:
    """Words without articles and possessives."""
    return [word for word in words if word not in _ARTICLES]


def _planned(led: _Led, words: str, said: str, *, own: bool) -> str:
    """What is planned without a verb, by the words said: "off to Rome", "I'm off 23rd to 27th"."""
    if not is_when(words):
        after = bare(led.words[led.at + 1 :])
        if led.verb and lemma(led.verb) not in _BEING and len(after) <= 1:
            how = "may" if not HEDGES.isdisjoint(led.words) else "plans to"
            return " ".join((how, lemma(led.verb), *after))
        before = "".join(bare(led.words)[-1:])
        return _GOING.get(before, "plans") if words[0].isupper() else "plans"
    verb, _, rest = said.partition(" ")
    if verb == "is" and own and rest:
        return f"plans to be {rest}"
    return said if verb in {"is", "plans"} else ""


def _role(layout: Layout, span: tuple[int, int], relation: str) -> str:
    """The relation that "my partner" before a name tells, at no time; "" where nobody is had so."""
    start = layout.words[span[0] - SPECIAL].start
    said = _MY_OWN.search(layout.text, layout.offset, start)
    noun = said[1].lower() if said and relation.startswith("has as ") else ""
    head = noun.split(" ")[-1]
    if head not in KIN:
        return ""
    known = canonical(head) or head
    return relation if canonical(relation.removeprefix("has as ")) == known else f"has as {noun}"


def _told_time(
    layout: Layout,
    span: tuple[int, int],
    led: _Led,
    times_told: _Times,
    at: float,
    *,
    actual: bool,
) -> Time | None:
    """The time beside an object, the next such day where it is planned or coming.

    One of another clause is by its own verb, "I left in June, and now I'm a cook", and what is so
    has no time of what only will be: "my boss is Ek, he will retire in summer", nor one to come of
    another clause: "a visitor next week: Ana, she works on sleep".
    """
    coming = _is_coming(led)
    time = told_at(layout, span, times_told(not actual or coming))
    if time is None or not actual:
        return time
    text = layout.text[layout.offset :]
    its = _led(text[: time.start])
    if not _AHEAD.isdisjoint(its.near(2)[:-1]):
        return told_at(layout, span, times_told(True)) if its.verb == led.verb else None
    if PAST in {form for _, form in forms(its.verb)}:
        last = told_at(layout, span, times_told(False))
        ahead = last is not None and last.since > at and _is_over(its.verb)
        # What is booked for a day is not done on it.
        return None if ahead or text.startswith("for ", time.start) else last
    start = layout.words[span[0] - SPECIAL].start - layout.offset
    apart = _BREAKS.search(text[min(time.end, start) : max(time.start, start)])
    return None if apart and time.since > at and not coming else time


def _meant(
    name: str, words: str, led: _Led, layout: Layout, span: tuple[int, int], subject: str
) -> str:
    """The relation that words mean: who "turns" 90 is not 90 yet, a thing costs what it "pays",
    nobody lives where they moved from, or is allergic to "intolerant"."""
    if lemma(led.verb) == "turn" and fits("age", words):
        return "age" if led.verb == "turned" else "turns"
    if name == "had" and led.verb == "got":
        return "got"
    if name == "costs" and subject == layout.speaker:
        after = layout.text[layout.words[span[0] - SPECIAL].start :]
        return "earns" if _WAGE.search(_SENTENCE_END.split(after)[0]) else name
    moved = _MOVED.search(layout.text, layout.offset)  # who visits from Rome does live there
    if name == "lives in" and moved and bare(led.words)[-1:] == ["from"]:
        return "moved from"
    if name == "is allergic to" and ALLERGIC.search(words):
        return "is"
    costs = name == "pays" and lemma(led.verb) != "pay" and _is_thing(subject, layout)
    return "costs" if costs else name


def _is_thing(subject: str, layout: Layout) -> bool:
    """Say whether a subject is a thing, by no name and nobody's relative: it pays nothing."""
    named = subject == layout.speaker or is_name(subject)
    return not named and not living(subject.split()[-1].lower())


def _object_said(layout: Layout, span: tuple[int, int]) -> str:
    """The words of an object, with the "of" that belongs to it and the last of what it lists."""
    words, text = with_titles(layout, span), layout.text
    end = layout.words[span[1] - SPECIAL].end
    if not words or not text.startswith(words[-1], end - 1):
        return words
    tail = words.rpartition(" ")[2] if words.endswith((" of", " and")) else ""
    if tail:
        words, end = words[: -len(tail) - 1], end - len(tail) - 1
    last = words.split(" ")[-1]
    more = _OF.match(text, end) if last.islower() and not living(last) else None
    if more is None:
        more = _AND_FROM.match(text, end) or (_AND.match(text, end) if ", " in words else None)
        if more and words[:1].isupper() != more["item"][:1].isupper():
            more = None  # "three sons from Paul and Ana from Rome" is no list
    return words + more[0] if more else words


def with_titles(layout: Layout, span: tuple[int, int]) -> str:
    """The words of an object, with the whole of a title in marks that it has a part of."""
    start = layout.words[span[0] - SPECIAL].start
    end = _whole(layout.text, layout.words[span[1] - SPECIAL].end)
    for title in _TITLE.finditer(layout.text, layout.offset):
        first, last = title.span()
        begins = start in (first, title.start(2), title.start(3))
        if first < end and start < last and (begins or start < first or last < end):
            start, end = min(start, first), max(end, last)
            if (start, end) == (first, last):
                return title[1]
    return layout.text[start:end]


def _whole(text: str, end: int) -> int:
    """The end of an address that a span ends in: "docs" of "docs.firm.example"."""
    more = _GLUED.match(text, end)
    return more.end() if more else end


def _worded(name: str, modality: str, *, denied: bool) -> str:
    """A relation with what makes it a plan, a wish or a denial."""
    first, _, rest = name.partition(" ")
    verb = lemma(first)
    base = rest[3:] if verb in LIKED and rest.startswith("to ") else f"{verb} {rest}".strip()
    if modality != "actual" and verb not in MEANT:
        return f"{'does not plan to' if denied else PLANNED[modality]} {base}"
    if not denied or verb in DENYING or not {"no", "not"}.isdisjoint(name.split()):
        return name
    known = canonical(name)
    if known is not None and known.opposite:
        return known.opposite
    return f"is not {rest}".strip() if verb == "be" else f"does not {base}"


def told_at(layout: Layout, span: tuple[int, int], told: Sequence[Time]) -> Time | None:
    """Of the times of a turn, the one nearest to an object, in its sentence.

    A year within the object, or with "from" right after it, is when the thing is of: "a bottle
    from the 1990s".
    """
    text = layout.text[layout.offset :]
    start = layout.words[span[0] - SPECIAL].start - layout.offset
    end = layout.words[span[1] - SPECIAL].end - layout.offset
    left, right = _sentence(text, start, end)
    here = [
        one
        for one in told
        if left <= one.start < right
        and not (
            one.precision in {"year", "decade"}
            and (start <= one.start < end or _OF_THING.fullmatch(text[end : one.start]))
        )
    ]
    return min(here, key=lambda one: max(one.start - end, start - one.end, 0), default=None)


def logit(p: float) -> float:
    """The logarithm of the odds of a probability, which is kept from 0 and 1."""
    p = min(max(p, 1e-4), 1.0 - 1e-4)
    return float(np.log(p / (1.0 - p)))
