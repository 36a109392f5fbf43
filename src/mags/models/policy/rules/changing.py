"""Changes told of things that are named: what is over, and what has come in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from mags.models.policy.rules.lexicon import (
    ARTICLES,
    BE,
    POSSESSIVES,
    PREPOSITIONS,
    word_set,
)
from mags.models.policy.rules.marks import holds, is_change, was_so
from mags.models.policy.rules.referents import BEFORE_NAMES, Referent
from mags.models.policy.rules.saying import LISTS, SURE, relation_of, tie
from mags.models.policy.rules.stretches import Stretch
from mags.models.policy.rules.tokens import Token
from mags.models.policy.rules.unfamiliar import is_known
from mags.ports.english import PAST, THIRD, forms, is_verb
from mags.ports.policy import Act, Operation, Turn

_LEADS = word_set("thanks compared according unlike as like")
_OVER = (
    ("no", "longer"), ("instead", "of"), ("place", "of"), ("rather", "than"), ("no", "more"),
    ("not",), ("n't",), ("once",), ("than",), ("formerly",), ("succession", "to"),
)  # fmt: skip
"""What stands before the name of what is over, with a verb between."""
_LEFT = (
    ("from",), ("left",), ("given", "up"), ("gave", "up"), ("stopped",), ("tired", "of"),
    ("replaced",), ("replaces",), ("back",), ("abandoned",), ("dropped",), ("forgotten",),
    ("dismissed",), ("sacked",), ("fired",), ("deposed",), ("ousted",), ("relieved",),
    ("succeeded",), ("succeeds",), ("abolished",), ("discarded",), ("renounced",), ("quit",),
    ("deserted",), ("rejected",), ("rejects",), ("turns", "down"), ("exchanged",), ("swapped",),
    ("traded",), ("done", "away", "with"), ("did", "away", "with"), ("fed", "up", "with"),
    ("enough", "of"), ("weary", "of"), ("parted", "with"), ("taste", "for"), ("interest", "in"),
    ("out", "of"), ("cast", "out"), ("back", "on"), ("love", "for"), ("place", "of"),
    ("stead", "of"), ("sent",), ("broken", "with"), ("broke", "with"),
    ("out", "on"), ("struck", "out"), ("kicked", "out"), ("turned", "away"), ("scrapped",),
    ("done", "with"), ("sick", "of"), ("gone", "off"), ("went", "off"), ("goes", "off"),
    ("thrown",), ("threw",),
)  # fmt: skip
"""What stands before the name of what is over, and takes it for its object."""
_ENDED = (
    ("no", "longer"), ("has", "left"), ("have", "left"), ("given", "up"), ("gave", "up"),
    ("abandoned",), ("dropped",), ("renounced",), ("quit",), ("dismissed",), ("abolished",),
    ("done", "away", "with"), ("did", "away", "with"), ("parted", "with"), ("stopped",),
)  # fmt: skip
_RELIEVED = word_set("replaced replaces relieved relieves succeeded succeeds supplanted")
"""What somebody does to the one whose place he takes."""
_TOOK = (
    ("took", "over", "from"), ("taken", "over", "from"), ("takes", "over", "from"),
    ("took", "place", "of"), ("taken", "place", "of"), ("takes", "place", "of"),
)  # fmt: skip
_STEAD = (("place", "of"), ("stead", "of"))
_AT = word_set("at in as of over for on")
_OUT = (
    ("is", "out"), ("are", "out"), ("has", "stepped", "down"), ("is", "gone"), ("is", "over"),
)  # fmt: skip
"""What stands behind the name of what is over."""
_GONE = (
    *_OUT, ("has", "retired"), ("has", "resigned"), ("has", "left"), ("has", "died"),
    ("has", "stepped", "aside"), ("has", "been", "dismissed"), ("has", "been", "sacked"),
)  # fmt: skip
_IN = (("is", "in"), ("are", "in"), ("comes", "in"))
"""What stands behind the name of what has come in its place."""
_BUT = frozenset({"but", "only", "except", "unless", "nothing"})
_TURNED_ROUND = (("other", "way"), ("vice", "versa"), ("reversed",), ("the", "reverse"))
_ELLIPTIC = frozenset({"does", "do", "is", "has", "did"})
_NOT = frozenset({"not", "n't", "no"})
_HIM = frozenset({"it", "him", "her", "them"})
_LINKS = frozenset({",", ";", "and", "but", "so", "now", "today"})
_REACH = 4
"""Words between such a word and the name."""
_PERSONS = BEFORE_NAMES & word_set(
    """old young mother father brother sister captain master mistress king queen prince princess
    lord lady sir dame uncle aunt grandmother grandfather doctor professor widow widower judge
    colonel general major count countess duke duchess baron baroness abbot abbess bishop deacon
    friar squire earl madam madame granny grandma grandpa chief little great good big"""
)
"""What stands before a name and tells nothing of its kind but that it is no place."""
LANDS = word_set(
    """port mount fort lake river castle upper lower cape isle valley hill bridge gate tower wood
    forest town village harbour bay island mountain ford field grove marsh"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Swap:
    """What a change is about, what it was joined to, and what it is joined to now."""

    subject: Referent
    old: Referent
    new: Referent


def changed(clause: Stretch, turn: Turn) -> tuple[Operation, ...]:
    """Read a change that names what it was: the tie to it is over.

    Of three things two are of one form ("the Orn clan", "the Vel clan"): what was and what is.
    """
    swap = (
        _instead(clause)
        or _taken_over(clause)
        or _out_and_in(clause)
        or _spliced(clause)
        or _swapped(clause)
    )
    if swap is None or is_list(clause.tokens, *sorted((swap.old, swap.new), key=_start)):
        return ()
    first, second = sorted((swap.subject, swap.new), key=_start)
    told = tie(turn, clause, first.text, relation_of(clause, first, second), second.text)
    return (parted(swap.subject, swap.old), replace(told, change=True))


def _start(referent: Referent) -> int:
    return referent.start


def _swapped(clause: Stretch) -> _Swap | None:
    """Read a change by what stands before the name of what is over, or by the forms of names."""
    over = [r for r in clause.about if _is_over(clause.tokens, r)]
    alike = _alike(clause.about)
    if over and over[0] not in alike:
        alike = ()
    if not over and not alike and not is_change(clause.tokens):
        return None
    rivals = alike or (over[0], _heir(clause, over[0])) if over or alike else clause.about[1:]
    old = next((r for r in rivals if r in over), rivals[0])
    new = next(r for r in rivals if r is not old)
    return _Swap(subject=next(r for r in clause.about if r not in rivals), old=old, new=new)


def _heir(clause: Stretch, old: Referent) -> Referent:
    """What has come in the place of one of three: the last, but where the words tell another.

    "Guarded by Zoaro, not Vrull": the one before; "Zoaro has relieved Vrull at the gate": the
    first.
    """
    place = clause.about.index(old)
    words = [t.low for t in clause.tokens[: old.start] if t.low not in ARTICLES]
    if place == len(clause.about) - 1 and words[-1:] == ["not"]:
        return clause.about[place - 1]
    after = clause.tokens[old.end].low if old.end < len(clause.tokens) else ""
    took = any(words[-len(one) :] == list(one) for one in _TOOK)
    if place == 1 and (took or words[-1] in _RELIEVED) and after in _AT:
        return clause.about[0]
    if place == len(clause.about) - 1 and words[-2:] == ["succession", "to"]:
        return clause.about[0]
    if place == len(clause.about) - 1 and tuple(words[-2:]) in _STEAD:
        middle = clause.about[place - 1]
        led = [t.low for t in clause.tokens[: middle.start] if t.low not in ARTICLES]
        return clause.about[0] if led[-1:] and led[-1] in _AT else middle
    return next(r for r in reversed(clause.about) if r is not old)


def _instead(clause: Stretch) -> _Swap | None:
    """Read "Vrull no longer guards Zoaro, Pell does"."""
    first, it, last = clause.about
    after = clause.tokens[last.end :]
    led = clause.tokens[last.start - 1].low in _LINKS
    elliptic = led and len(after) == 1 and after[0].low in _ELLIPTIC
    return _Swap(subject=it, old=first, new=last) if elliptic else None


def _taken_over(clause: Stretch) -> _Swap | None:
    """Read "Vrull has left Zoaro, and Pell keeps watch": another does what the first did."""
    first, it, last = clause.about
    words = [t.low for t in clause.tokens]
    ended = any(holds(words[first.end : it.start], one) for one in (*_ENDED, ("cast", "out")))
    linked = words[it.end : last.start]
    after = words[last.end : last.end + 1]
    does = any(form in {THIRD, PAST} for word in after for _, form in forms(word))
    out = words[it.end : it.end + 1] == ["out"] and words[it.start - 1] in {"thrown", "threw"}
    linked = linked[out:]
    again = not _HIM.isdisjoint(words[last.end :])  # "and Pell has taken it in"
    led = bool(linked) and all(word in _LINKS | ARTICLES for word in linked)
    led = led and ("but" not in linked or again)
    left = again and _is_over(clause.tokens, it)  # "retired from Vrull, so Pell watches it"
    if _is_gone(words[first.end : it.start]) and form_of(first) == form_of(last):
        return _Swap(subject=it, old=first, new=last)
    if not ((ended or out or left) and led and does) or not (
        again or form_of(first) == form_of(last)
    ):
        return None
    return _Swap(subject=it, old=first, new=last)


def _is_gone(words: Sequence[str]) -> bool:
    """Read "has retired, and" between two names: "Vrull has retired, and Zoaro obeys Pell"."""
    ends = (len(one) for one in _GONE if tuple(words[: len(one)]) == one)
    rest = words[next(ends, len(words)) :]
    return bool(rest) and all(word in _LINKS | ARTICLES for word in rest)


def _spliced(clause: Stretch) -> _Swap | None:
    """Read "Zoaro is over terto hay, now it's vreth bark": what comes after ", it" is new."""
    first, second, last = clause.about
    words = [t.low for t in clause.tokens[second.end : last.start]]
    cut = words.index(",") if "," in words else len(words)
    rest = [word for word in words[cut + 1 :] if word not in _LINKS]
    if rest[:1] != ["it"] and rest[:1] != ["they"]:
        return None
    is_it = rest[1:2] in (["'s"], ["is"])
    denied = not _NOT.isdisjoint(t.low for t in clause.tokens[: last.start])
    over = _is_over(clause.tokens, second)
    if not (is_it or denied or over or is_change(clause.tokens)):
        return None
    alike = _alike(clause.about)
    old = first if first in alike and last in alike else second
    it = second if old is first else first
    return _Swap(subject=it, old=old, new=last)


def _out_and_in(clause: Stretch) -> _Swap | None:
    """Read "Vrull is out and Pell is in with Zoaro"."""
    old = next((r for r in clause.about if _stands(clause.tokens, r, _OUT)), None)
    new = next((r for r in clause.about if r is not old and _stands(clause.tokens, r, _IN)), None)
    if old is None or new is None:
        return None
    it = next(r for r in clause.about if r not in (old, new))
    return _Swap(subject=it, old=old, new=new)


def _stands(
    tokens: Sequence[Token], referent: Referent, phrases: Sequence[tuple[str, ...]]
) -> bool:
    after = [t.low for t in tokens[referent.end : referent.end + _REACH]]
    return any(tuple(after[: len(phrase)]) == phrase for phrase in phrases)


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
    pairs = [(a, b) for a, b in combinations(about, 2) if form_of(a) == form_of(b)]
    return pairs[0] if len(pairs) == 1 else ()


def form_of(referent: Referent) -> tuple[bool, str]:
    """What kind of name a thing has, by its title or its noun."""
    words = referent.text.split()
    if len(words) > 1 and referent.is_name:
        lows = {words[0].lower(), words[-1].lower()}
        if not lows.isdisjoint(_PERSONS):
            return True, ""
        if not lows.isdisjoint(LANDS):
            return True, "port"
        if is_known(words[0].lower()):
            return True, words[0]  # "House Zoaro"
    if " of " in referent.text:
        return referent.is_name, words[0]
    if not referent.is_name:
        return False, "" if len(words) > 1 else "term"  # "terto hay", "a zorbik"
    return True, words[-1] if len(words) > 1 else ""


def _is_over(tokens: Sequence[Token], referent: Referent) -> bool:
    before = [t.low for t in tokens[max(0, referent.start - _REACH) : referent.start]]
    if any(holds(before, phrase) for phrase in _OVER) or _stands(tokens, referent, _OUT):
        return True
    if was_so(before):
        return True
    passed = ARTICLES | POSSESSIVES
    direct = [word for word in before if word not in passed and not word.endswith("ing")]
    return any(tuple(direct[-len(phrase) :]) == phrase for phrase in _LEFT)


def is_ended(tokens: Sequence[Token], first: Referent, second: Referent) -> bool:
    """Say whether two things are said to go together no more, and nothing takes their place."""
    lows = [t.low for t in tokens]
    between = lows[first.end : second.start]
    if was_so(between):
        return True
    if not _BUT.isdisjoint(lows):
        return False
    if holds(lows[: first.start], ("no", "longer")) and "," not in between:
        return True  # "you can no longer pay Zoaro with tin"
    after = lows[second.end :]
    if after[-2:] == ["no", "longer"]:
        return True
    no_more = ("not" in between or "n't" in between) and (
        holds(after, ("any", "more")) or holds(after, ("any", "longer")) or "anymore" in after
    )
    held = [word if word not in _HIM else "" for word in between]
    left = any(holds(held, phrase) and not holds(held, (*phrase, "")) for phrase in _ENDED)
    return no_more or left  # not "dropped it in Vrull": that is where it is


def does_now(tokens: Sequence[Token], first: Referent, second: Referent) -> bool:
    """Read "the Zoaro way used to come first, but now the code of Vrull does".

    And "used to beat the code of Vrull, now it is the other way round".
    """
    between = [t.low for t in tokens[first.end : second.start]]
    after = [t.low for t in tokens[second.end :]]
    if was_so(between) and any(holds(after, phrase) for phrase in _TURNED_ROUND):
        return True
    return was_so(between) and "but" in between and after[-1:] != [] and after[0] in _ELLIPTIC


def narrowed(clause: Stretch) -> Stretch:
    """Leave out common nouns that nobody knows where names are told of: "a magpie hid it".

    Of three things they stay where a change is told, since two things of a kind are swapped.
    """
    strong = tuple(r for r in clause.about if " " in r.text or (r.is_name and not _is_many(r)))
    least = len(strong) >= _SWAPPED and len(clause.about) > _SWAPPED
    plain = len(strong) == _SWAPPED - 1 < len(clause.about) and not is_change(clause.tokens)
    over = any(_is_over(clause.tokens, r) for r in clause.about)
    return replace(clause, about=strong) if least or (plain and not over) else clause


def _is_many(referent: Referent) -> bool:
    """Say whether a first word is a plural, and no name: "Smugglers took it"."""
    return referent.start == 0 and referent.core.endswith("s") and not referent.core.endswith("ss")


_SWAPPED = 3
"""Things that are named in a change: what it is about, what was, and what is."""


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
