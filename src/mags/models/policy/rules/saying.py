"""What is said of the things a stretch names: the words around them as a relation."""

from __future__ import annotations

from collections.abc import Sequence

from mags.models.policy.rules.clitics import is_verb_next
from mags.models.policy.rules.deeming import deemed
from mags.models.policy.rules.lasting import lasting
from mags.models.policy.rules.lexicon import (
    ADVERBS,
    ARTICLES,
    BE,
    EVALUATIVE,
    HEDGES,
    INTENSIFIERS,
    MODALS,
    word_set,
)
from mags.models.policy.rules.marks import past_when
from mags.models.policy.rules.referents import Referent
from mags.models.policy.rules.stretches import Stretch, low_at
from mags.models.policy.rules.tokens import Token, join
from mags.ports import relations
from mags.ports.english import BASE, PAST, THIRD, forms, is_verb
from mags.ports.policy import Act, Operation, Turn

SURE, SHOWN = 0.7, 0.6
"""Confidence in a relation under its own words, and in what an act has shown."""
PLACED = word_set("in at under throughout within inside across")
LISTS = word_set("and or nor & ,")
EMPTY = ARTICLES | ADVERBS | word_set("one it that who which you your they there so but and , \" '")
"""Words that tell nothing of how two things are tied."""
ORDINALS = relations.PLACES | word_set("middle front back inner outer")
"""Which of several it is."""
CUES = word_set("now no longer not but instead anymore become becomes became today lately")
"""Words that tell of a change, and belong to no relation."""
MOST = 6
"""Words of a relation."""
_DENYING = frozenset({"no", "not", "longer", "n't"})
_GUESSED = HEDGES | word_set("could might may would should")
_OTHERS = word_set("he she him her they them")
_EVERYBODY = word_set("one you everyone everybody people visitors guests strangers all they we")
_OFTEN = word_set("always never usually often rarely seldom mostly")
_NOUN = 4
"""Words of what is had, as in "third sign" or "spare front door key"."""
_USUAL = 2
"""Words of "never lies"."""
_CHANGED = frozenset({"changed", "change", "amended", "altered", "revised"})
_HAS = frozenset({"has", "have", "been"})
_IT_IS = 3
"""Words of ", it is"."""
_BEFORE_TOPIC = word_set(", that reads since because as")
_FINITE = frozenset({BASE, THIRD, PAST})


def relation_of(clause: Stretch, a: Referent, b: Referent) -> str:
    """The words between two things, and those around them where these say nothing."""
    inside = {i for r in clause.about for i in range(r.start, r.end)}
    words = [t.low if i not in inside else "" for i, t in enumerate(clause.tokens)]
    between = words[a.end : b.start]
    if all(w in EMPTY | PLACED | BE | {""} for w in between):
        between = [*words[: a.start][-MOST:], *between, *words[b.end :]]
    kept = [w for w in between if w not in EMPTY | CUES and (w.isalnum() or "'" in w)]
    return " ".join(kept[:MOST]) or "is tied to"


def said_of(clause: Stretch, subject: Referent) -> tuple[str, str] | None:
    """What is said of the one thing that is named: (relation, object), None if nothing."""
    tokens = clause.tokens
    before, after = tokens[: subject.start], tokens[subject.end :]
    found = placed(before, after) or deemed(before, after)
    if found is not None:
        return found
    part = _part(before, after)
    if any(t.low in _GUESSED and not _is_norm(tokens, i) for i, t in enumerate(tokens)):
        return None
    if any(t.low in _OTHERS for t in tokens) and low_at(after, len(after) - 1) != "say":
        return None
    after = _news_told(after)
    plain = part or _usual(after)
    if plain:
        return plain
    words = until_comma(_past_comma(after))
    while words and words[0].low in ADVERBS:
        words = words[1:]
    k = next((i + 1 for i, t in enumerate(words[:3]) if _is_verb(t.low)), 0)
    verb, rest = words[:k], words[k:]
    if k and (not rest or _is_news(rest)):
        rest = until_comma(_past_comma(after[after.index(words[-1]) + 1 :])) or rest
    while rest and rest[0].low in {"you", "that"}:
        rest = rest[1:]
    verb, rest = _corrected(verb, rest)
    if not any(t.is_word for t in rest) or rest[0].low in EVALUATIVE | INTENSIFIERS | LISTS:
        return None
    if not verb and len(rest) > 1 and not is_verb(low_at(before, len(before) - 1)):
        verb, rest = rest[:1], rest[1:]  # a verb that no list has: "keepers of Zoaro salute us"
    relation = " ".join(t.low for t in verb or before[-2:])
    return (relation, join(rest)) if relation else None


def _part(before: Sequence[Token], after: Sequence[Token]) -> tuple[str, str] | None:
    """Read "Zoaro's third sign is the owl", "the third place of Zoaro holds the owl".

    The noun, and which one of several it is, belongs to the relation: what is said of the first
    sign says nothing of the third.
    """
    noun: Sequence[Token] = ()
    if low_at(after, 0) == "'s" and not is_verb_next(after, 0):
        k = next((i for i, t in enumerate(after) if i and t.low in BE | MODALS), len(after))
        noun, after = after[1:k], after[k:]
    elif low_at(before, len(before) - 1) == "of":
        counted = [i for i, t in enumerate(before) if t.low in ORDINALS]
        noun = before[counted[-1] : -1] if counted else ()
    k = next((i for i, t in enumerate(after) if t.low not in BE | MODALS | ADVERBS), 0)
    does = [t.low for t in after[:k] if t.low in BE]
    if not k and low_at(after, 0) and _is_verb(after[0].low):
        k, does = 1, [after[0].low]
    rest = until_comma(after[k:])
    named = 0 < len(noun) <= _NOUN and all(t.is_word for t in noun)
    if not named or not does or not any(t.is_word for t in rest) or rest[0].low in _DENYING:
        return None
    verb = "is" if does[-1] == "be" else does[-1]
    return " ".join((*(t.low for t in noun), verb)), join(rest)


def _is_news(words: Sequence[Token]) -> bool:
    """Say whether words only announce what comes next: "has a new rule", "has changed"."""
    lows = {t.low for t in words}
    return "new" in lows or (not lows.isdisjoint(_CHANGED) and not lows.isdisjoint(_HAS))


def _news_told(words: Sequence[Token]) -> tuple[Token, ...]:
    """What "has had a change of heart and never lies" tells, and "lies now": the last of it."""
    cut = next((i for i, t in enumerate(words) if t.low == "and"), 0)
    told = tuple(words[cut + 1 :]) if cut and _is_news(words[:cut]) else tuple(words)
    while low_at(told, len(told) - 1) in CUES:
        told = told[:-1]
    return told


def _is_norm(tokens: Sequence[Token], i: int) -> bool:
    """Say whether "should" tells what is due of everybody: "one should", "guests should"."""
    return tokens[i].low == "should" and low_at(tokens, i - 1) in _EVERYBODY


def _usual(after: Sequence[Token]) -> tuple[str, str] | None:
    """Read "never lies", "always sleeps": a verb alone that tells what somebody does."""
    words = until_comma(after)
    if len(words) != _USUAL or words[0].low not in _OFTEN:
        return None
    does = any(form == THIRD for _, form in forms(words[1].low))
    return ("by habit", join(words)) if does else None


def _corrected(
    verb: Sequence[Token], rest: Sequence[Token]
) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """Leave what is so of "no longer asks to sit but to stand", "to stand now and not to sit"."""
    lows = [t.low for t in rest]
    verb, denied = tuple(verb), not _DENYING.isdisjoint(t.low for t in (*verb, *rest))
    cut = lows.index("but") if denied and "but" in lows else 0
    if cut and cut + 1 < len(rest):
        verb = tuple(t for t in verb if t.low not in _DENYING)
        return verb, tuple(rest[cut + 1 :])
    other = next((i for i in range(1, len(lows)) if lows[i : i + 2] == ["and", "not"]), len(lows))
    kept = list(rest[:other])
    while other < len(lows) and kept and kept[-1].low in CUES:
        kept.pop()
    return verb, tuple(kept or rest)


def is_placed(clause: Stretch) -> bool:
    """Say whether a stretch tells what is so in the one place it names."""
    if len(clause.about) != 1:
        return False
    place = clause.about[0]
    return placed(clause.tokens[: place.start], clause.tokens[place.end :]) is not None


def placed(before: Sequence[Token], after: Sequence[Token]) -> tuple[str, str] | None:
    """Read "in Oslo, smoking is forbidden" and "smoking is forbidden in Oslo"."""
    led = bool(before) and before[-1].low in PLACED | {"of"}
    near = _last_part(before[:-1])
    was = next((i for i, t in enumerate(near) if t.low in BE | {"used"}), 0)
    is_ = next((i + 1 for i in range(len(after)) if _is_now(after, i)), 0)
    if led and was and is_:  # "smoking used to be free in Oslo but is now banned"
        return f"{' '.join(t.low for t in near[:was])} is", join(_state(after[is_:]))
    words = near if _is_state(near) or not any(t.low in BE for t in after) else tuple(after)
    if words is not near and _is_state(_last_part(after)):
        words = _last_part(after)  # "the guards of Oslo let you be: smoking is allowed"
    k = next((i for i, t in enumerate(words) if t.low in BE or t.low == "become"), 0)
    if not led or not k:
        return None
    start = max((i + 1 for i in range(k) if words[i].low in _BEFORE_TOPIC), default=0)
    again = next((i for i in range(k, len(words)) if _says_it(words, i)), 0)
    if again:  # "the rule is plain, it is forbidden"
        return f"{' '.join(t.low for t in words[start:k])} is", join(until_comma(words[again:]))
    topic = [t.low for t in past_when(words[start:k]) if t.low not in {"has", ","}]
    rest = _state(words[k + 1 :])
    if not topic or not rest:
        return None
    return f"{' '.join(topic)} is", join(rest)


def _state(words: Sequence[Token]) -> tuple[Token, ...]:
    """What something is said to be, without "now" and the like before it."""
    rest = _corrected((), words)[1]
    while rest and rest[0].low in ADVERBS:
        rest = rest[1:]
    return until_comma(rest)


def _is_now(words: Sequence[Token], i: int) -> bool:
    """Say whether "is now" or "now is" ends at a place."""
    return i > 0 and {words[i].low, words[i - 1].low} in ({"is", "now"}, {"are", "now"})


def _last_part(words: Sequence[Token]) -> tuple[Token, ...]:
    """The words after the last comma."""
    k = max((i + 1 for i, t in enumerate(words) if t.text == ","), default=0)
    return tuple(words[k:])


def _is_state(words: Sequence[Token]) -> bool:
    """Say whether words tell what something is: "smoking is forbidden"."""
    k = next((i for i, t in enumerate(words) if t.low in BE), 0)
    return 0 < k < len(words) - 1


def _says_it(words: Sequence[Token], i: int) -> bool:
    """Say whether ", it is" ends before a place."""
    ends = i >= _IT_IS and words[i - _IT_IS].text == "," and words[i - 2].low == "it"
    return ends and words[i - 1].low in BE


def _is_verb(word: str) -> bool:
    return word in MODALS | BE or any(form in _FINITE for _, form in forms(word))


def _past_comma(words: Sequence[Token]) -> tuple[Token, ...]:
    return tuple(words[1:] if words and words[0].text == "," else words)


def until_comma(words: Sequence[Token]) -> tuple[Token, ...]:
    """Return the words before the first comma."""
    k = next((i for i, t in enumerate(words) if t.text == ","), len(words))
    return tuple(words[:k])


def tie(
    turn: Turn, clause: Stretch, subject: str, relation: str, object_: str, confidence: float = SURE
) -> Operation:
    """Return the operation that says how two things are tied, in the words of the stretch."""
    text = join(clause.whole)
    end, held = lasting(turn.text, turn.at)
    return Operation(
        act=Act.ADD,
        subject=subject,
        relation=relation,
        object=object_,
        text=f"{text[:1].upper()}{text[1:]}.",
        valid_to=end,
        qualifiers=held,
        confidence=confidence,
        subject_is_name=subject[:1].isupper(),
        object_is_name=object_[:1].isupper(),
        exact=True,
    )
