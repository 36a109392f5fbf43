"""Changes told of things that are named: what is over, and what has come in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from mags.models.policy.rules.lexicon import ARTICLES, BE, PREPOSITIONS, word_set
from mags.models.policy.rules.referents import Referent
from mags.models.policy.rules.saying import LISTS, SURE, relation_of, tie
from mags.models.policy.rules.stretches import Stretch
from mags.models.policy.rules.tokens import Token
from mags.models.policy.rules.unfamiliar import is_known
from mags.ports.inflection import PAST, THIRD, forms, is_verb
from mags.ports.policy import Act, Operation, Turn

_LEADS = word_set("thanks compared according unlike as like")
_CHANGED = word_set("now become becomes became instead anymore today lately")
_CHANGES = (
    ("no", "longer"), ("from", "now", "on"), ("from", "today"), ("from", "this", "day"),
    ("these", "days"), ("in", "the", "place", "of"), ("the", "place", "of"), ("any", "more"),
    ("has", "left"), ("has", "been", "taken"), ("changed", "sides"), ("given", "up"),
)  # fmt: skip
_OVER = (
    ("no", "longer"), ("instead", "of"), ("place", "of"), ("rather", "than"), ("no", "more"),
    ("not",), ("from",), ("left",), ("given", "up"), ("gave", "up"), ("stopped",), ("tired",),
    ("replaced",), ("replaces",), ("back",), ("abandoned",), ("dropped",), ("forgotten",),
    ("dismissed",), ("sacked",), ("fired",), ("deposed",), ("ousted",), ("relieved",),
    ("succeeded",), ("succeeds",), ("abolished",), ("discarded",), ("renounced",), ("quit",),
    ("deserted",), ("rejected",), ("rejects",), ("turns", "down"), ("exchanged",), ("swapped",),
    ("traded",), ("done", "away", "with"), ("did", "away", "with"), ("fed", "up", "with"),
    ("enough", "of"), ("weary", "of"), ("parted", "with"), ("taste", "for"), ("interest", "in"),
    ("once",), ("used", "to"), ("than",),
)  # fmt: skip
"""What stands before the name of what is over."""
_ENDED = (
    ("no", "longer"), ("has", "left"), ("have", "left"), ("given", "up"), ("gave", "up"),
    ("abandoned",), ("dropped",), ("renounced",), ("quit",), ("dismissed",), ("abolished",),
    ("done", "away", "with"), ("did", "away", "with"), ("parted", "with"), ("stopped",),
)  # fmt: skip
_BUT = frozenset({"but", "only", "except", "unless", "nothing"})
_ELLIPTIC = frozenset({"does", "do", "is", "has", "did"})
_REACH = 4
"""Words between such a word and the name."""


def changed(clause: Stretch, turn: Turn) -> tuple[Operation, ...]:
    """Read a change that names what it was: the tie to it is over.

    Of three things two are of one form ("the Orn clan", "the Vel clan"): what was and what is.
    """
    over = [r for r in clause.about if _is_over(clause.tokens, r)]
    alike = _instead(clause) or _alike(clause.about)
    if _instead(clause):
        over = [clause.about[0]]
    if not over and not is_change(clause.tokens) and not alike:
        return ()
    rivals = (
        alike or (over[0], next(r for r in reversed(clause.about) if r is not over[0]))
        if over or alike
        else clause.about[1:]
    )
    old = next((r for r in rivals if r in over), rivals[0])
    new = next(r for r in rivals if r is not old)
    subject = next(r for r in clause.about if r not in rivals)
    first, second = sorted((subject, new), key=lambda r: r.start)
    if is_list(clause.tokens, *rivals):
        return ()
    told = tie(turn, clause, first.text, relation_of(clause, first, second), second.text)
    return (parted(subject, old), replace(told, change=True))


def _instead(clause: Stretch) -> tuple[Referent, ...]:
    """The first and last of "Vrull no longer guards Zoaro, Pell does"."""
    first, _, last = clause.about
    after = clause.tokens[last.end :]
    led = clause.tokens[last.start - 1].text in {",", ";"}
    return (first, last) if led and len(after) == 1 and after[0].low in _ELLIPTIC else ()


def parted(subject: Referent, old: Referent) -> Operation:
    """That two things no longer go together, whatever joined them."""
    return Operation(
        act=Act.RETRACT,
        subject=subject.text,
        object=old.text,
        change=True,
        confidence=SURE,
        subject_is_name=subject.is_name,
        object_is_name=old.is_name,
        exact=True,
    )


def _alike(about: Sequence[Referent]) -> tuple[Referent, ...]:
    """The two of three that have one form, () where all have or none."""
    pairs = [(a, b) for a, b in combinations(about, 2) if _form(a) == _form(b)]
    return pairs[0] if len(pairs) == 1 else ()


def _form(referent: Referent) -> tuple[bool, str]:
    words = referent.text.split()
    if len(words) > 1 and referent.is_name and is_known(words[0].lower()):
        return True, words[0]  # "House Zoaro", "Port Vrull"
    if " of " in referent.text:
        return referent.is_name, words[0]
    return referent.is_name, words[-1] if referent.is_name and len(words) > 1 else ""


def _is_over(tokens: Sequence[Token], referent: Referent) -> bool:
    before = [t.low for t in tokens[max(0, referent.start - _REACH) : referent.start]]
    return any(_holds(before, phrase) for phrase in _OVER)


def is_ended(tokens: Sequence[Token], first: Referent, second: Referent) -> bool:
    """Say whether two things are said to go together no more, and nothing takes their place."""
    lows = [t.low for t in tokens]
    if not _BUT.isdisjoint(lows):
        return False
    between = lows[first.end : second.start]
    after = lows[second.end :]
    no_more = ("not" in between or "n't" in between) and (
        _holds(after, ("any", "more")) or "anymore" in after
    )
    return no_more or any(_holds(between, phrase) for phrase in _ENDED)


def is_change(tokens: Sequence[Token]) -> bool:
    """Say whether words tell that something has become another: "now", "no longer"."""
    lows = [t.low for t in tokens]
    return not _CHANGED.isdisjoint(lows) or any(_holds(lows, phrase) for phrase in _CHANGES)


def _holds(words: Sequence[str], phrase: Sequence[str]) -> bool:
    last = len(words) - len(phrase) + 1
    return any(tuple(words[i : i + len(phrase)]) == tuple(phrase) for i in range(last))


def _leads_in(tokens: Sequence[Token], a: Referent) -> bool:
    """Say whether what stands before a comma only leads in: "in the matter of Zoaro, Vrull ..."."""
    return bool(a.start) and tokens[0].low in PREPOSITIONS | _LEADS


def _is_new_clause(
    tokens: Sequence[Token], a: Referent, b: Referent, between: Sequence[str]
) -> bool:
    """Say whether ", and" begins a clause: "you held out vreth ink, and Zoaro came running"."""
    opened = any(is_verb(t.low) for t in tokens[: a.start])
    after = tokens[b.end].low if b.end < len(tokens) else ""
    goes_on = after in BE or any(form in {PAST, THIRD} for _, form in forms(after))
    return opened and "and" in between and goes_on


def is_list(tokens: Sequence[Token], a: Referent, b: Referent) -> bool:
    """Say whether two things are only named together: "Ana and Bo"."""
    between = [t.low for t in tokens[a.end : b.start]]
    if not between and is_verb(tokens[a.start - 1].low if a.start else ""):
        return False  # "travellers owe Zoaro vreth tin"
    if "," in between and (_leads_in(tokens, a) or _is_new_clause(tokens, a, b, between)):
        return False
    return not [w for w in between if w not in ARTICLES] or all(w in LISTS for w in between)
