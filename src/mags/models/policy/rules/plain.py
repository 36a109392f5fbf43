"""Clauses said in a roundabout way, put plainly: "had to sell", "got moved", "they fired me"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules.clause import PRONOUN, Clause, Subject, clause_at
from mags.models.policy.rules.lexicon import KIN, TRAITS, word_set
from mags.models.policy.rules.phrase import rest_of
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token, join, tokenise
from mags.models.policy.rules.values import CHANGING
from mags.models.policy.rules.verbs import FIRST
from mags.ports.english import BASE, PARTICIPLE, forms, past_tense

_DONE_TO = frozenset(CHANGING) | word_set("move fire lay promote hire diagnose transfer")
_TO_ME = frozenset({"me", "us"})


def plainly(clause: Clause, scene: Scene) -> Clause:
    """Return a clause with what somebody had to do as done, and what was done to one as passive."""
    return _done_to_me(_got(_had_to(_being(clause, scene))), scene)


def _being(clause: Clause, scene: Scene) -> Clause:
    """Put "is retired" as what somebody is, not as what was done to them."""
    verb = clause.verb
    words = rest_of(clause.rest, scene.at, future=False).tokens
    if not verb.passive or verb.tense != "present" or words or verb.form not in TRAITS:
        return clause
    state = Token(verb.form, verb.form, 0, len(verb.form))
    return replace(
        clause, verb=replace(verb, base="be", form="is", passive=False), rest=(state, *clause.rest)
    )


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
    me = Subject(kind=PRONOUN, word="i", person=FIRST, end=clause.subject.end)
    if words[0].low in _TO_ME:
        return replace(clause, subject=me, verb=replace(verb, passive=True), rest=words[1:])
    # "They raised my salary": who did it does not matter to what it is now.
    return replace(clause, subject=me) if words[0].low in {"my", "our"} else clause


_BE_MINE = re.compile(r" (?:is|are) (?:now )?(my|our|[A-Z][\w-]+'s) ([^.!?,;]+?)([.!]*)$")
_GOT_NEW = re.compile(
    r"^(?:i|we)(?: just| have|'ve)* (?:got|have|changed to) an? new (?P<noun>[a-z]+(?: [a-z]+)?)"
    r" ?[:,] (?:it is |it's |now )?(?P<value>[^,;:!?]+)$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:i think|i guess|i'd say|these days|nowadays|now|so|and|but|actually|well|oh)\b,? ?)*",
    re.IGNORECASE,
)


def turned(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return "ramen is my new favourite food" as "my new favourite food is ramen".

    And "I got a new number: 555-0199" as a change of the number.

    A name may be a subject, a bare noun is none; any other sentence comes back as it is.
    """
    text = join(tokens)
    got = _GOT_NEW.match(text)
    if got is not None:
        noun = "phone number" if got["noun"] == "number" else got["noun"]
        if noun.split()[-1] in KIN:
            return tokenise(f"My new {noun} is {got['value']}")
        return tokenise(f"I changed my {noun} to {got['value']}")
    found = _BE_MINE.search(text)
    if found is None or "avo" not in found[2]:
        return tokens
    lead = _LEAD.match(text)
    told = text[lead.end() if lead else 0 : found.start()].strip()
    if not told or len(told.split()) > _MOST_TOLD or clause_at(tokenise(told), 0) is not None:
        return tokens
    slot = found[2].removesuffix(" now")
    return tokenise(f"{found[1]} {slot} is {told}{found[3] or '.'}")


_MOST_TOLD = 4
