"""How well one memory carries an answer to one question: named features and their weights.

`python -m benchmarks.abstain --fit` fits the weights, and the threshold of the answerer, on the
development half of LongMemEval (MIT) and prints them; what it printed stands here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from mags.models.answer.question import Question, content, same_relation
from mags.models.guardrails import stems
from mags.ports.answer import ContextItem
from mags.ports.relations import canonical

TIME = re.compile(
    r"\b(?:\d{1,2}[:.]\d\d|\d{1,2} ?[ap]\.?m\.?|(?:1[5-9]|20)\d\d|\d{1,2}(?:st|nd|rd|th)|mon|tues|"
    r"wednes|thurs|fri|satur|sun)(?:day)?\b|\b(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december|today|yesterday|tomorrow|tonight|"
    r"(?:last|next|this|every) \w+|\w+ ago|morning|evening|weekend|noon|midnight)\b",
    re.I,
)
NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|"
    r"forty|fifty|hundred|thousand|million|once|twice|several|half)\b",
    re.I,
)
PLACE = re.compile(
    r"\b(?:in|at|to|from|near|on|into|around|outside|via|of) (?:the |my |our |a )?\w+", re.I
)
REASON = re.compile(r"\b(?:because|since|so that|as|due to|in order to|reason|to)\b", re.I)
NAMED = re.compile(r"(?<=[^\W_]\s)[^\W\d_a-z][\w'-]+")
ROLES = re.compile(
    r"\b(?:my|his|her|their|our|the) (?:\w+ )?(?:friend|sister|brother|mother|mom|mum|father|dad|"
    r"wife|husband|partner|boss|neighbou?r|colleague|aunt|uncle|cousin|son|daughter|teacher|doctor)",
    re.I,
)
ONLY_ASKS = re.compile(r"[^.!?\n]*\?+")
FEWEST_COMPARED = 12
HALF_LEAD = 2.0
MISFIT = 0.5
NOW_FOR_THEN = 0.8
FIRST_PERSON = re.compile(r"\b(?:i|we|my|our|me|us)\b", re.I)
ROLE_NAMES = ("", "user", "assistant", "system")
CUES = {"time": TIME, "number": NUMBER, "place": PLACE, "reason": REASON}


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportWeights:
    """Shares of the features in the support of a memory that is no matching fact; they sum to 1.

    `words`: share of the question's content words in it, the rarer the weightier. `names`: share
    of the names asked about. `kind`: it has something of the kind that is asked for. `ahead`: how
    far recall put it before the rest.
    """

    words: float = 0.4
    names: float = 0.1
    kind: float = 0.1
    ahead: float = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """How a memory stands among those recalled with it.

    `ahead`: in [0, 1], its lead over their mean score. `rarity`: weight of each content word of
    the question, by how few of them have it.
    """

    ahead: float
    rarity: Mapping[str, float]


def stands(question: Question, items: Sequence[ContextItem]) -> list[Stand]:
    """The stand of each item; a lead of `HALF_LEAD` over the rest counts half."""
    held = [_words(item) for item in items]
    count = max(len(items), FEWEST_COMPARED)
    rarity = {
        word: log((count + 2) / (sum(word in words for words in held) + 1))
        for word in question.words
    }
    total = sum(item.score for item in items)
    rest = max(1, len(items) - 1)
    leads = [max(0.0, item.score - (total - item.score) / rest) for item in items]
    if len(items) == 1:
        leads = [0.0]
    return [Stand(ahead=lead / (lead + HALF_LEAD), rarity=rarity) for lead in leads]


def _words(item: ContextItem) -> frozenset[str]:
    return content(" ".join((item.text, item.speaker, *(item.fact or ()))))


def rare_share(item: ContextItem, rarity: Mapping[str, float]) -> float:
    """Share of the question's content words that a memory has, weighed by rarity."""
    whole = sum(rarity.values())
    return sum(rarity[word] for word in rarity.keys() & _words(item)) / whole if whole else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """How a fact fits a question: which ends are named, and whether its relation is asked about.

    `turned`: it is, but the question asks for the end it names ("who does Alice like?" and Bob
    likes Alice).
    """

    subject: bool = False
    object: bool = False
    relation: bool = False
    turned: bool = False

    @property
    def answer(self) -> str:
        """The end that answers: "object", "subject", or "" where neither or both were named."""
        if self.subject == self.object or not self.relation or self.turned:
            return ""
        return "object" if self.subject else "subject"

    @property
    def whole(self) -> bool:
        """Everything in the fact was asked about, so it says yes."""
        return self.subject and self.object and self.relation


def word_share(question: Question, text: str, said: frozenset[str] = frozenset()) -> float:
    """Share of the question's content words in a text; 1 where it has none.

    Names are left out; `said`: words that the memory says in another way.
    """
    asked = question.words - frozenset().union(*question.names)
    return len(asked & (content(text) | said)) / len(asked) if asked else 1.0


def name_share(question: Question, item: ContextItem) -> float:
    """Share of the names asked about that the memory has; 1 where the question has none."""
    if not question.names:
        return 1.0
    held = stems(" ".join((item.text, item.speaker, *(item.fact or ()))))
    return sum(name <= held for name in question.names) / len(question.names)


def kind_share(question: Question, item: ContextItem) -> float:
    """1 where the memory has something of the kind asked for, 0 where not, 0.5 unknown."""
    if question.kind in CUES:
        return float(CUES[question.kind].search(item.text) is not None)
    if question.kind == "person":
        asked = frozenset().union(*question.names)
        others = [name for name in NAMED.findall(item.text) if not stems(name) <= asked]
        if item.speaker not in ROLE_NAMES and FIRST_PERSON.search(item.text):
            others.append(item.speaker)
        return float(bool(others) or ROLES.search(item.text) is not None)
    return 0.5


def slot(question: Question, item: ContextItem) -> Slot:
    """How the fact of an item fits the question; all False without a fact."""
    if item.fact is None:
        return Slot()
    subject, relation, obj = item.fact
    known = canonical(relation)
    fit = Slot(
        subject=named(question, subject),
        object=named(question, obj),
        relation=_asked_relation(question, relation),
    )
    turned = fit.answer and question.end and fit.answer != question.end
    if turned and not (known is not None and known.symmetric):
        return replace(fit, turned=True)
    return fit


def named(question: Question, end: str) -> bool:
    """Whether a question names this end of a fact."""
    words = content(end) or stems(end)
    known = frozenset().union(question.words, *question.names)
    if words and words <= known:
        return True
    return any(name and name <= stems(end) for name in question.names)


def _asked_relation(question: Question, relation: str) -> bool:
    """The question names it, shares a word with it, or asks for nothing but what it answers."""
    if relation in question.relations or same_relation(relation) & question.relations.keys():
        return True
    if content(relation) & question.words:
        return True
    known = canonical(relation)
    rest = question.words - frozenset().union(*question.names)
    return known is not None and not rest and known.answers == question.kind


def support(question: Question, item: ContextItem, stand: Stand, weights: SupportWeights) -> float:
    """In [0, 1].

    A fact that is asked for with every word and name carries 0.9 and more, one with some left
    over less by that share, one turned round half; any other memory by its features. What is
    nothing but a question carries half. So does a superseded fact, unless the past is asked
    for: then one that still holds carries a little less.
    """
    fit = slot(question, item)
    fits = bool(fit.answer or fit.whole)
    said = question.relations.get(item.fact[1], frozenset()) if item.fact and fits else frozenset()
    words, names = word_share(question, item.text, said), name_share(question, item)
    features = (
        weights.words * rare_share(item, stand.rarity)
        + weights.names * names
        + weights.kind * kind_share(question, item)
        + weights.ahead * stand.ahead
    )
    if fits:
        covered = words * names
        features = 0.9 + 0.1 * features if covered == 1.0 else features * covered
    elif fit.turned:
        features *= MISFIT
    if ONLY_ASKS.fullmatch(item.text.strip()):
        features *= MISFIT
    if item.current == question.past and item.fact is not None:
        features *= NOW_FOR_THEN if item.current else MISFIT
    return min(1.0, features)
