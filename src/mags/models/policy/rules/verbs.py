"""The verb group of a clause: its main verb, tense, negation and the words that shade it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mags.models.policy.rules.lexicon import ADVERBS, BE, MODALS, PREPOSITIONS, word_set
from mags.models.policy.rules.tokens import Token, starts_with
from mags.ports.english import BASE, GERUND, PARTICIPLE, PAST, THIRD, forms, guess

_HAVE = frozenset({"have", "has", "had", "'ve"})
_DO = frozenset({"do", "does", "did"})
_NOT = frozenset({"not", "n't", "never", "hardly", "barely"})
_CONTRACTED = {"'m": "be", "'re": "be", "'s": "be", "'ve": "have", "'d": "would", "'ll": "will"}
FIRST, SINGULAR, PLURAL = "first", "singular", "plural"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """A verb group.

    `base`: the main verb. `tense`: present, past, perfect, progressive, future, used ("used to
    live") or modal. `form`: the main verb as written. `end`: the first place after the group.
    `gone`: "no longer". `modal`: would, could, ... for the tense modal.
    """

    base: str
    tense: str
    form: str
    end: int
    negated: bool = False
    never: bool = False
    passive: bool = False
    gone: bool = False
    modal: str = ""
    shades: frozenset[str] = frozenset()


class _Reader:
    """Walks over the group from left to right."""

    def __init__(self, tokens: Sequence[Token], i: int, person: str) -> None:
        self.tokens, self.i, self.person = tokens, i, person
        self.shades: set[str] = set()
        self.negated = self.never = self.gone = False
        self.auxiliaries: list[str] = []

    def low(self, ahead: int = 0) -> str:
        k = self.i + ahead
        return self.tokens[k].low if k < len(self.tokens) else ""

    def skip(self) -> None:
        """Pass adverbs and negations."""
        while True:
            low = self.low()
            if starts_with(self.tokens, ("no", "longer"), self.i):
                self.gone, self.negated = True, True
                self.i += 2
            elif low in _NOT:
                self.negated = True
                self.never |= low == "never"
                self.i += 1
            elif (low in ADVERBS and not (low in {"well", "back"} and self.i == 0)) or _adverb(
                self.tokens[self.i : self.i + 1]
            ):
                self.shades.add(low)
                self.i += 1
            else:
                return

    def following(self) -> tuple[str, frozenset[str]]:
        """Return the next word that is no adverb or negation, and the verb forms it can be."""
        k = self.i + 1
        while k < len(self.tokens) and (
            self.tokens[k].low in ADVERBS
            or self.tokens[k].low in _NOT
            or _adverb(self.tokens[k : k + 1])
        ):
            k += 1
        if starts_with(self.tokens, ("no", "longer"), k):
            k += 2
        if k >= len(self.tokens):
            return "", frozenset()
        word = self.tokens[k].low
        tags = {form for _, form in forms(word)}
        if not tags and word.endswith("ed") and len(word) > 4:
            tags = {PAST, PARTICIPLE}
        return word, frozenset(tags)

    def helps(self) -> bool:
        """Say whether the word here is an auxiliary of a verb that follows."""
        low = self.low()
        word, tags = self.following()
        if low in MODALS:
            return BASE in tags
        if low in _HAVE:
            return PARTICIPLE in tags
        if low == "'d":
            return bool(tags & {BASE, PARTICIPLE})
        if low in _DO:
            return BASE in tags and word not in {"do"}
        if low in BE:
            return bool(tags & {GERUND, PARTICIPLE}) and not (GERUND in tags and word == "being")
        return False


def verb_group(tokens: Sequence[Token], i: int, person: str) -> Verb | None:
    """Return the verb group that starts at `i` and agrees with its subject, or None.

    `person`: first (I), singular (she, Ana) or plural (we, they, Ana and Bob).
    """
    reader = _Reader(tokens, i, person)
    reader.skip()
    while reader.helps():
        reader.auxiliaries.append(reader.low())
        reader.i += 1
        reader.skip()
    word = reader.low()
    if not word:
        return None
    if reader.auxiliaries:
        return _composed(reader, word)
    if word == "used" and reader.low(1) == "to" and _has(reader.low(2), BASE):
        base = _base(reader.low(2), {BASE})
        return _made(reader, base=base, tense="used", form=reader.low(2), step=3)
    return _simple(reader, word)


def _simple(reader: _Reader, word: str) -> Verb | None:
    if word in _CONTRACTED and word not in {"'d", "'ll"}:
        if word == "'s" and reader.person == FIRST:
            return None
        if _CONTRACTED[word] == "be":
            return _being(reader, "present", word)
        return _made(reader, base=_CONTRACTED[word], tense="present", form=word)
    agreeing = {PAST, THIRD} if reader.person == SINGULAR else {PAST, BASE}
    if word == "found":
        return _made(reader, base="find", tense="past", form=word)
    tags = {form for _, form in forms(word)}
    if word in {"are", "were"} and reader.person == SINGULAR:
        return None
    if word in {"am", "are", "is", "was", "were"}:
        tense = "past" if word in {"was", "were"} else "present"
        return _being(reader, tense, word)
    if word == "has" and reader.person != SINGULAR:
        return None
    hit = tags & agreeing
    if not hit:
        return _unlisted(reader, word) if not tags else None
    base = _base(word, hit)
    past = PAST in hit  # "I hit", "we put": more often told than habitual
    return _made(reader, base=base, tense="past" if past else "present", form=word)


def _being(reader: _Reader, tense: str, word: str) -> Verb:
    """Return "be" with the adverbs and the "not" after it ("is no longer", "was never")."""
    reader.i += 1
    reader.skip()
    return _made(reader, base="be", tense=tense, form=word, step=0)


def _unlisted(reader: _Reader, word: str) -> Verb | None:
    """Read a verb that is on no list, by its ending and by what follows."""
    after = reader.low(1)
    placed = after in PREPOSITIONS or after in {"the", "a", "an", "her", "his", "their", "my"}
    if word.endswith("ed") and len(word) > 4 and word.isalpha():
        return _made(reader, base=guess(word), tense="past", form=word)
    if placed and word.endswith("s") and not word.endswith("ss") and reader.person == SINGULAR:
        return _made(reader, base=guess(word), tense="present", form=word)
    return None


def _composed(reader: _Reader, word: str) -> Verb | None:
    first, last = reader.auxiliaries[0], reader.auxiliaries[-1]
    tags = {form for _, form in forms(word)}
    modal = _modal(first, reader)
    if first in BE and word == "going" and reader.low(1) == "to" and _has(reader.low(2), BASE):
        base = _base(reader.low(2), {BASE})
        return _made(reader, base=base, tense="future", form=reader.low(2), step=3)
    passive = last in BE and GERUND not in tags
    if last == "'s" and passive and _has_done(reader, word, tags):
        passive, first, last = False, "has", "has"
    wanted = {GERUND} if last in BE and not passive else {PARTICIPLE, PAST, BASE}
    if last in MODALS or last in _DO:
        wanted = {BASE}
    base = _base(word, wanted) if tags else guess(word)
    if modal in {"will", "shall"} or modal == "gonna":
        tense = "future"
    elif modal:
        tense = "modal"
    elif first in _HAVE or first == "'d":
        tense = "perfect"
    elif first in _DO:
        tense = "past" if first == "did" else "present"
    elif last in BE and not passive:
        tense = "progressive"
    else:
        tense = "past" if first in {"was", "were"} else "present"
    verb = _made(reader, base=base, tense=tense, form=word)
    return replace(verb, modal=modal, passive=passive)


def _has_done(reader: _Reader, word: str, tags: set[str]) -> bool:
    """Say whether "'s" is "has": "he's moved", "she's just opened a restaurant"."""
    after = reader.low(1)
    if PARTICIPLE not in tags or word in {"called", "named", "given"}:
        return False
    return _base(word, {PARTICIPLE}) in _INTRANSITIVE or after in _OBJECTS


_INTRANSITIVE = word_set(
    "move go come leave quit become start begin join return arrive fall grow stop happen"
)
"""Verbs of which "he's moved" tells what he has done: nobody is moved or gone otherwise."""
_OBJECTS = word_set("a an the my our his her their me us him them two three some")


def _modal(first: str, reader: _Reader) -> str:
    if first == "'ll":
        return "will"
    if first == "'d":
        word = reader.low()
        tags = {form for _, form in forms(word)}
        return "would" if BASE in tags else ""
    return first if first in MODALS else ""


def _made(reader: _Reader, *, base: str, tense: str, form: str, step: int = 1) -> Verb:
    return Verb(
        base=base,
        tense=tense,
        form=form,
        end=reader.i + step,
        negated=reader.negated,
        never=reader.never,
        gone=reader.gone,
        shades=frozenset(reader.shades),
    )


def _adverb(tokens: Sequence[Token]) -> bool:
    """Say whether a word is an adverb by its ending; "Molly" is none."""
    return any(
        t.low.endswith("ly")
        and len(t.low) > 4
        and not t.is_capital
        and t.low not in {"family", "reply", "apply"}
        for t in tokens
    )


def _has(word: str, form: str) -> bool:
    return any(tag == form for _, tag in forms(word))


def _base(word: str, wanted: set[str] | frozenset[str]) -> str:
    pairs = forms(word)
    return next((base for base, form in pairs if form in wanted), pairs[0][0] if pairs else word)
