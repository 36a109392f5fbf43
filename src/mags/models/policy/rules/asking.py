"""The ask role: a question turned into queries, entities, hops and a time range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mags.models.policy.rules.clause import subject_at
from mags.models.policy.rules.hops import hops_of
from mags.models.policy.rules.lexicon import FUNCTION_WORDS, KIN, word_set
from mags.models.policy.rules.names import mentions
from mags.models.policy.rules.scene import Scene, scene_of
from mags.models.policy.rules.simple import simple_hop
from mags.models.policy.rules.spans import Time
from mags.models.policy.rules.tokens import Token, tokenise
from mags.models.policy.rules.when import times
from mags.models.words import plainer
from mags.ports.english import BASE, forms, past_tense
from mags.ports.policy import Hop, Plan, Turn
from mags.ports.relations import normalise, read

_PAST = re.compile(
    r"\b(before|used to|previous|previously|former|formerly|earlier|ex|in the past"
    r"|originally(?! (?:established|founded|created|developed|made|written|hail|come|from|born))"
    r"|back then|no longer|at first|initially|last time)\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(will|going to|next|upcoming|plan|plans|planning|tomorrow)\b", re.IGNORECASE
)
_EVENT = re.compile(
    r"\b(when|what time|how long ago|what day|what date|which day|which year|what year)\b", re.I
)
_PLACES = word_set(
    """city country town place continent capital state village street location restaurant"""
)
_PEOPLE = word_set("person people man woman friend author singer actor president")
_TIMES = word_set("year day date month time week season")
_FIRST = frozenset({"i", "me", "my", "we", "our", "us", "mine"})


@dataclass(frozen=True, slots=True)
class _Span:
    since: float | None = None
    until: float | None = None


def ask(question: Turn, recent: Sequence[Turn]) -> Plan:
    """Return how to look for the answer to a question, by rules."""
    scene = scene_of(question, recent, ())
    tokens = tokenise(question.text)
    found = times(question.text, question.at, future=bool(_FUTURE.search(question.text)))
    span = _span(found)
    plain = plainer(question.text)
    hops = _hops(plain, tokenise(plain), scene)
    past = bool(_PAST.search(question.text)) or _asks_a_change(tokens)
    past = past or (_held_then(hops) and span.until is not None and span.until <= question.at)
    dated = span.since is not None or _EVENT.search(question.text) is not None
    return Plan(
        queries=_queries(question.text, tokens, hops, scene, past=past),
        entities=_entities(question.text, tokens, hops, scene),
        hops=hops,
        since=span.since,
        until=span.until,
        episodic=0.83 if hops and not dated else 1.0,
        semantic=0.83 if dated and not hops else 1.0,
        past=past,
        answer_kind=answer_kind(tokens),
    )


def _span(found: Sequence[Time]) -> _Span:
    """Return the range that the times of a question leave open."""
    since: float | None = None
    until: float | None = None
    for time in found:
        if time.role in {"since", "after"}:
            since = time.since if time.role == "since" else time.until
        elif time.role in {"until", "before"}:
            until = time.since if time.role == "before" else time.until
        else:
            since, until = time.since, time.until
    return _Span(since, until)


def _held_then(hops: Sequence[Hop]) -> bool:
    """Say whether a state is asked for, which may be over by now ("lived in June 2023")."""
    known = normalise(hops[0].relation) if len(hops) == 1 and not hops[0].inverse else None
    return known is not None and (known.one or bool(known.past))


def _asks_a_change(tokens: Sequence[Token]) -> bool:
    """Say whether an act is asked for ("what did Bob buy?"), which stays done once it is undone."""
    words = [t for t in tokens if t.is_word]
    did = next((i for i, t in enumerate(words) if t.low == "did"), None)
    subject = subject_at(words, did + 1) if did is not None else None
    if subject is None:
        return False
    said = [t.low for t in words[subject.end : subject.end + 3]]
    readings = [read(" ".join(said[:k])) for k in range(len(said), 0, -1)]
    return any(reading is not None and reading.change for reading in readings)


def _hops(text: str, tokens: Sequence[Token], scene: Scene) -> tuple[Hop, ...]:
    """Return the chain of a nested question, or the one hop of a plain one."""
    chain = hops_of(text, scene.speaker)
    if len(chain) > 1:
        return chain
    one = simple_hop(tokens, scene)
    return (one,) if one else chain


def _entities(
    text: str, tokens: Sequence[Token], hops: Sequence[Hop], scene: Scene
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for hop in hops:
        if hop.subject:
            found.setdefault(hop.subject, None)
    for name in mentions(text):
        found.setdefault(name, None)
    if any(t.low in _FIRST for t in tokens):
        found.setdefault(scene.speaker, None)
    if not found:
        for token in tokens:
            if token.low in {"he", "she", "his", "her", "him"}:
                person = scene.person(token.low)
                if person:
                    found.setdefault(person, None)
    return tuple(found)


def _queries(
    text: str, tokens: Sequence[Token], hops: Sequence[Hop], scene: Scene, *, past: bool
) -> tuple[str, ...]:
    """Return the question, a statement that would answer it, and a step back."""
    found: dict[str, None] = {text.strip() or text: None}
    if len(hops) == 1:
        hop = hops[0]
        relation = normalise(hop.relation)
        name = hop.relation if relation.kinds else relation.name
        name = relation.past if past and relation.past else name
        if hop.inverse:
            found.setdefault(f"{name} {hop.subject}", None)
        elif relation.noun:
            found.setdefault(f"{hop.subject}'s {name} is", None)
        else:
            found.setdefault(f"{hop.subject} {name}", None)
    elif hops:
        found.setdefault(f"{hops[0].subject} {normalise(hops[0].relation).name}", None)
    else:
        found.setdefault(_statement(tokens, scene), None)
    telling = [t.text for t in tokens if t.is_word and t.low not in FUNCTION_WORDS]
    if len(telling) > 1:
        found.setdefault(" ".join(telling), None)
    return tuple(q for q in found if q)


def _statement(tokens: Sequence[Token], scene: Scene) -> str:
    """Return the question with its wh-word and auxiliary gone and "I" told by name."""
    words = _told_as_past([t for t in tokens if t.is_word])
    skip = {
        "who",
        "what",
        "when",
        "where",
        "why",
        "how",
        "which",
        "do",
        "does",
        "did",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "can",
        "could",
        "would",
        "will",
        "'s",
    }
    while words and words[0].low in skip:
        words = words[1:]
    said = []
    for token in words:
        if token.low == "i":
            said.append(scene.speaker)
        elif token.low == "my":
            said.append(f"{scene.speaker}'s")
        elif token.low.startswith("'") and said:
            said[-1] += token.low
        else:
            said.append(token.text)
    return " ".join(said)


def _told_as_past(words: list[Token]) -> list[Token]:
    """Put the verb of "when did Ana run ..." into the past, as a statement has it."""
    did = next((i for i, t in enumerate(words) if t.low == "did"), None)
    subject = subject_at(words, did + 1) if did is not None else None
    if subject is None or subject.end >= len(words):
        return words
    verb = words[subject.end]
    if not any(form == BASE for _, form in forms(verb.low)):
        return words
    told = replace(verb, text=past_tense(verb.low), low=past_tense(verb.low))
    return [*words[: subject.end], told, *words[subject.end + 1 :]]


def answer_kind(tokens: Sequence[Token]) -> str:
    """Return person, place, time, number, thing, reason or yesno, or "" if unknown."""
    words = [t.low for t in tokens if t.is_word]
    for i, word in enumerate(words):
        after = words[i + 1] if i + 1 < len(words) else ""
        if word in {"who", "whom", "whose"}:
            return "person"
        if word == "where":
            return "place"
        if word == "when":
            return "time"
        if word == "why":
            return "reason"
        if word == "how":
            return {
                "many": "number",
                "much": "number",
                "old": "number",
                "long": "time",
                "often": "time",
                "tall": "number",
                "far": "number",
            }.get(after, "")
        if word in {"what", "which"}:
            return _noun_kind(after)
    if words and words[0] in {
        "do",
        "does",
        "did",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "can",
        "will",
        "would",
        "could",
        "should",
    }:
        return "yesno"
    return ""


def _noun_kind(noun: str) -> str:
    if noun in _PLACES:
        return "place"
    if noun in _PEOPLE or noun in KIN:
        return "person"
    return "time" if noun in _TIMES else "thing"
