"""Clauses said in a roundabout way, put plainly: "had to sell", "got moved", "they fired me"."""

from __future__ import annotations

from dataclasses import replace

from mags.models.policy.rules.clause import PRONOUN, Clause, Subject
from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.values import CHANGING
from mags.models.policy.rules.verbs import FIRST
from mags.ports.inflection import BASE, PARTICIPLE, forms, past_tense

_DONE_TO = frozenset(CHANGING) | word_set("move fire lay promote hire diagnose transfer")
_TO_ME = frozenset({"me", "us"})


def plainly(clause: Clause, scene: Scene) -> Clause:
    """Return a clause with what somebody had to do as done, and what was done to one as passive."""
    return _done_to_me(_got(_had_to(clause)), scene)


def _had_to(clause: Clause) -> Clause:
    """Put "had to sell the car" as "sold the car"."""
    verb, words = clause.verb, clause.rest
    if verb.base != "have" or verb.tense not in {"past", "perfect"} or verb.negated:
        return clause
    if len(words) < 2 or words[0].low != "to" or (words[1].low, BASE) not in forms(words[1].low):
        return clause
    base = words[1].low
    told = replace(verb, base=base, form=past_tense(base), tense="past")
    return replace(clause, verb=told, rest=words[2:])


def _got(clause: Clause) -> Clause:
    """Put "got moved to Friday" as "was moved to Friday"."""
    verb, words = clause.verb, clause.rest
    if verb.base != "get" or not words:
        return clause
    base = next((b for b, form in forms(words[0].low) if form == PARTICIPLE), "")
    if base not in _DONE_TO:
        return clause
    told = replace(verb, base=base, form=words[0].low, passive=True)
    return replace(clause, verb=told, rest=words[1:])


def _done_to_me(clause: Clause, scene: Scene) -> Clause:
    """Put "they promoted me to head chef" as "I was promoted", where nobody knows who they are."""
    verb, words = clause.verb, clause.rest
    unknown = clause.subject.word == "they" and scene.subjects(clause.subject) is None
    if not unknown or verb.base not in _DONE_TO or verb.passive or not words:
        return clause
    if words[0].low not in _TO_ME:
        return clause
    me = Subject(kind=PRONOUN, word="i", person=FIRST, end=clause.subject.end)
    return replace(clause, subject=me, verb=replace(verb, passive=True), rest=words[1:])
