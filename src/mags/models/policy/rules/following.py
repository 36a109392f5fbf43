"""A second clause that goes on about the first: "Zoaro used to eat bark; now it eats moss"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from mags.models.policy.rules.changing import form_of, is_ended
from mags.models.policy.rules.lexicon import BE, word_set
from mags.models.policy.rules.marks import is_change
from mags.models.policy.rules.referents import Referent
from mags.models.policy.rules.saying import EMPTY, MOST, relation_of, tie
from mags.models.policy.rules.stretches import Stretch
from mags.ports.policy import Operation, Turn

_IT = frozenset({"it", "he", "she", "they"})
_NOW = word_set("now today nowadays instead lately these days so but and , there then")
_HIM = frozenset({"it", "him", "her", "them"})
_SO = frozenset({"it", "that", "this"})
_DUE = frozenset({"has", "to", "must", "should", "shall", "needs"})
_DOES = frozenset({"does", "do", "is", "has", "did"})


def goes_on(clauses: Sequence[Stretch], turn: Turn) -> Iterator[Operation]:
    """Read a clause with one thing of its own after one that names two."""
    for before, clause in pairwise(clauses):
        if len(clause.about) != 1 or len(before.about) != 2:
            continue
        yield from _after(before, clause, turn)


def _after(before: Stretch, clause: Stretch, turn: Turn) -> Iterator[Operation]:
    it, told = before.about
    new = clause.about[0]
    ended = is_ended(before.tokens, it, told)
    lead = [t.low for t in clause.tokens[: new.start]]
    rest = [t.low for t in clause.tokens[new.end :]]
    start = next((i for i, word in enumerate(lead) if word not in _NOW), len(lead))
    words = lead[start:]
    does = [word for word in rest if word not in _NOW | _SO]
    stands_in = ended and words == [] and rest[:1] and rest[0] in _DOES and len(does) == 1
    is_it = words[:1] == ["it"] and words[1:] and all(word in BE | _DUE for word in words[1:])
    if stands_in or (is_it and all(word in _NOW for word in rest)):
        if ended:
            yield from _replaced(before, clause, turn, new)
        return
    if words[:1] and words[0] in _IT:
        kept = [w for w in words[1:] if w not in EMPTY and w.isalnum()]
        told_of = tie(turn, clause, it.text, " ".join(kept[:MOST]) or "is tied to", new.text)
        yield replace(told_of, change=ended or is_change(clause.tokens))
    elif ended and (words[-1:] and words[-1] in _HIM):  # "; give it terto ink"
        told_of = tie(turn, clause, it.text, " ".join(words[:-1][:MOST]) or "is tied to", new.text)
        yield replace(told_of, change=True)
    elif ended and "there" in [*lead, *rest]:
        kept = [w for w in rest if w not in EMPTY and w not in _NOW and w.isalnum()]
        told_of = tie(turn, clause, new.text, " ".join(kept[:MOST]) or "is tied to", it.text)
        yield replace(told_of, change=True)


def _replaced(before: Stretch, clause: Stretch, turn: Turn, new: Referent) -> Iterator[Operation]:
    """Read "Vrull no longer guards Zoaro; it is Pell now": Pell does what one of the two did.

    That is the one of its form; where both are, or none, the first, which the clause is about.
    """
    first, second = before.about
    of_second = form_of(new) == form_of(second) and form_of(new) != form_of(first)
    kept = first if of_second else second
    relation = relation_of(before, first, second)
    ends = (kept.text, new.text) if of_second else (new.text, kept.text)
    yield replace(tie(turn, clause, ends[0], relation, ends[1]), change=True)
