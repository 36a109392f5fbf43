"""Habits without an object, and habits given up: "I don't smoke", "stopped smoking"."""

from __future__ import annotations

from dataclasses import replace

from mags.models.policy.rules.case import Case, object_claims, when_of
from mags.models.policy.rules.claims import Said
from mags.models.policy.rules.lexicon import EVALUATIVE, FUNCTION_WORDS, word_set
from mags.ports.english import gerund, lemma, third_person
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation

HABITS = word_set("smoke vape drink drive snore swim cook commute meditate gamble jog")
"""Verbs that tell a lasting thing of somebody with nothing behind them."""
DOES, DOES_NOT = Relation(name="does", known=False), Relation(name="does not", known=False)
_DONE = HABITS | word_set(
    "run paint sing dance ski climb hike knit surf exercise box row golf sail garden blog stream"
)
"""Verbs in -ing that name a habit when they are stopped; "stopped talking" tells none."""
_PURSUED = ("is learning", "is learning to", "plays", "eats", "drinks")
"""By what relations somebody has what can be given up."""


def habit(case: Case) -> list[Operation] | None:
    """Read "I smoke", "she doesn't drive any more"; with an object the verb is read like any."""
    verb = case.clause.verb
    if case.words or verb.tense != "present" or verb.passive or verb.never:
        return None
    now, before = (DOES_NOT, DOES) if verb.negated else (DOES, DOES_NOT)
    words = f"does not {verb.base}" if verb.negated else third_person(verb.base)
    words = f"no longer {third_person(verb.base)}" if verb.gone else words
    ended = case.each(
        lambda s: Said(subject=s, relation=before, object=verb.base, act=Act.RETRACT, change=True)
    )
    kept = case.each(
        lambda s: Said(
            subject=s, relation=now, object=verb.base, change=verb.gone, text=f"{s} {words}."
        )
    )
    return [*ended, *kept]


def doing(case: Case) -> list[Operation] | None:
    """Read "Mike does frontend", "I do yoga on Mondays": what somebody does for good."""
    verb, words = case.clause.verb, case.words
    if verb.tense != "present" or verb.negated or verb.passive or not words:
        return None
    bare = words[0].low not in FUNCTION_WORDS | EVALUATIVE and words[0].is_word
    if not bare or len(words) > _FEW or any(not t.is_word for t in words):
        return None
    return object_claims(case, 0, relation="does")


_FEW = 3


def stopped(case: Case, start: int, *, relation: str) -> list[Operation] | None:
    """Read the verb in -ing at a place as what is over: "(stopped) smoking", "(quit) running"."""
    doing = case.low(start)
    base = lemma(doing)
    if base not in _DONE or gerund(base) != doing or len(case.words) != start + 1:
        return None
    over = case.each(
        lambda s: Said(subject=s, relation=DOES, object=base, act=Act.RETRACT, change=True)
    )
    return [*over, *(object_claims(case, start, relation=relation) or ())]


def taken_up(case: Case) -> list[Operation] | None:
    """Read "started smoking (again)": it is done, and no longer stopped."""
    doing = case.low(0)
    base = lemma(doing)
    told = next((i for i, t in enumerate(case.words) if t.text == ","), len(case.words))
    if base not in HABITS or gerund(base) != doing or told != 1:
        return None
    case = replace(case, rest=replace(case.rest, tokens=case.words[:1]))
    over = case.each(
        lambda s: Said(subject=s, relation=DOES_NOT, object=base, act=Act.RETRACT, change=True)
    )
    for ended in ENDED:
        over += object_claims(case, 0, relation=ended, act=Act.RETRACT, change=True) or []
    kept = case.each(
        lambda s: Said(
            subject=s, relation=DOES, object=base, text=f"{s} started {doing}{when_of(case)}."
        )
    )
    return [*over, *kept]


ENDED = ("stopped", "quit", "gave up")
"""By what relations a habit is over."""


def given_up(case: Case, start: int, *, relation: str) -> list[Operation] | None:
    """Read "gave up (sugar)", "quit (the choir)": it is kept, and what was done with it is over."""
    kept = object_claims(case, start, relation=relation)
    if not kept:
        return kept
    over = [
        replace(op, text="")
        for pursued in _PURSUED
        for op in object_claims(case, start, relation=pursued, act=Act.RETRACT, change=True) or ()
    ]
    return [*over, *kept]


def finishing(case: Case) -> list[Operation] | None:
    """Read "finished Dune": it is no longer being read, watched or played."""
    done = object_claims(case, 0, relation="finished") if case.happened else None
    if not done or not all(op.object_is_name for op in done):
        return None
    over = [
        op
        for doing in ("is reading", "is watching")
        for op in object_claims(case, 0, relation=doing, act=Act.RETRACT, change=True) or ()
    ]
    return [*over, *done]
