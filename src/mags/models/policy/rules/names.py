"""Names in a text: capitalised spans, told from words that only start a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mags.caches import cached
from mags.models.policy.rules.lexicon import (
    ADVERBS,
    FUNCTION_WORDS,
    GREETINGS,
    NAME_LINKS,
    TITLES,
    word_set,
)
from mags.models.policy.rules.spans import DAYS, MONTHS
from mags.models.policy.rules.tokens import Token, sentences, tokenise
from mags.ports.english import forms, is_verb

_CLOSED = FUNCTION_WORDS - GREETINGS - ADVERBS
_CALENDAR = frozenset(DAYS) | frozenset(MONTHS)
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d]{2,60})[\"\u201d]")
_ORDINARY = word_set(
    """my our your his her their its the a an this that these those there here it he she they we
    who what which when where why how as at in on for from with by after before during since while
    although though however also then thus many most some several all both each every one two
    three four five six seven eight nine ten other another such no not but and or so if because
    recently currently originally today yesterday tomorrow maybe perhaps people everyone someone
    nothing something everything according despite unlike like under over between among
    great good nice cool awesome wow thanks thank hey hi hello yeah yes ok okay sure well oh
    congrats congratulations please sorry glad happy sounds looks love can could would should
    will may might must let do does did is are was were have has had be been being ps btw lol
    haha absolutely definitely totally exactly just really very too only even still yet again
    once never always often sometimes usually actually finally last next more less much
    ah aww hmm um uh oops ugh yay wish hope appreciate amazing wonderful fantastic lovely sweet
    good-bye bye welcome happy merry happy best new old big little first second early late
    speaking remember imagine guess plus anyway besides instead meanwhile gonna gotta
    whoever whatever whichever wherever whenever throughout
    kids family friends mom dad mum i i'd i'm"""
)


_NOUN_ENDINGS = (
    "ing", "ings", "tion", "tions", "ness", "ment", "ments", "ity", "ities", "ism", "ship", "ance",
    "ence", "hood", "ery", "ics", "ology", "ies",
)  # fmt: skip
_NOUNS = word_set(
    """music art dance fashion nature love life work school food yoga travel clay health money time
    sports books movies games kids dogs cats pets friends veggies vegetables fruit coffee tea water
    summer winter spring autumn weekends mornings evenings days years things stuff folks guys men
    women children students teachers doctors colors colours dancers artists photos pictures pics
    memories moments dreams goals plans news update reminder note question answer today tonight
    half part members team most none everybody anybody nobody anyone anything"""
)


def _common(word: str) -> bool:
    """Say whether a word that starts a sentence is a plain noun by its looks."""
    return word in _NOUNS or (len(word) > 5 and word.endswith(_NOUN_ENDINGS))


def _weak(token: Token) -> bool:
    """Say whether a capitalised first word tells nothing of a name."""
    return (
        token.low in _ORDINARY
        or _common(token.low)
        or token.low in FUNCTION_WORDS
        or (
            is_verb(token.low)
            and any(base == token.low or form == "gerund" for base, form in forms(token.low))
        )
    )


def _can_start(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    if not token.is_capital or token.low in _CALENDAR or token.low == "i":
        return False
    if token.text[0].isdigit() or token.low.startswith("'"):
        return False
    first = i == 0 or tokens[i - 1].text in {'"', "(", ":", "-", "\u2013", "\u2014"}
    return not _weak(token) if first else token.low not in _CLOSED


def name_end(tokens: Sequence[Token], i: int) -> int:
    """Return where the name that starts at `i` ends (not in it); `i` where none starts."""
    if i >= len(tokens) or not _can_start(tokens, i):
        return i
    end = i + 1
    while end < len(tokens):
        token = tokens[end]
        if _continues(token):
            end += 1
            continue
        linked = _link_end(tokens, end)
        if linked == end:
            break
        end = linked
    return end


def _continues(token: Token) -> bool:
    if token.low in _CALENDAR or token.low == "i" or token.low.startswith("'"):
        return False
    number = token.text.isdigit() and len(token.text) < 4
    return token.is_capital or number or token.low.rstrip(".") in {"jr", "sr"}


def _link_end(tokens: Sequence[Token], i: int) -> int:
    """Return the end of "of", "of the", "de la" before another capital; `i` if there is none."""
    end = i
    while end < len(tokens) and end < i + 2 and tokens[end].low in NAME_LINKS:
        end += 1
    if end == i or end >= len(tokens) or not tokens[end].is_capital:
        return i
    if tokens[i].low in {"and", "&", "for", "in"} and not _glued(tokens, i):
        return i
    return end if _continues(tokens[end]) else i


def _glued(tokens: Sequence[Token], i: int) -> bool:
    """Say whether "and", "for" or "in" belongs to a name: only "&" does, without a parse."""
    return tokens[i].low == "&"


def spans(tokens: Sequence[Token]) -> tuple[tuple[int, int], ...]:
    """Return (start, end) of every name among tokens of one sentence."""
    found = []
    i = 0
    while i < len(tokens):
        end = name_end(tokens, i)
        if end > i:
            found.append((i, end))
            i = end
        else:
            i += 1
    return tuple(found)


def surface(tokens: Iterable[Token]) -> str:
    """Return a name as written, its words joined by single blanks."""
    return " ".join(t.text for t in tokens).replace(" .", ".")


def _unquoted(match: re.Match[str]) -> str:
    """Blank out a quoted title, which is a name as a whole; keep other quoted words."""
    return " | " if match[1][:1].isupper() and len(match[1].split()) < 8 else match[0]


@cached(4096)
def mentions(text: str) -> tuple[str, ...]:
    """Return the names in a text, longest form first met, each once."""
    found: dict[str, None] = {}
    for title in _QUOTED.findall(text):
        if title[:1].isupper() and len(title.split()) < 8:
            found.setdefault(title.strip(" ,.!?"), None)
    for sentence in sentences(_QUOTED.sub(_unquoted, text)):
        tokens = tokenise(sentence)
        for start, end in spans(tokens):
            name = surface(tokens[start:end])
            if len(name) > 1 and name.lower().rstrip(".") not in TITLES:
                found.setdefault(name, None)
    return tuple(found)


_ASIDES = word_set(
    "a an the not inspired known who also along together based formerly born then aged alongside"
)


def aside(tokens: Sequence[Token], i: int) -> tuple[int, tuple[Token, ...]]:
    """Pass "(...)" and ", a nurse," after a name; return the place after it and its words."""
    if i < len(tokens) and tokens[i].text == "(":
        close = next((k for k in range(i, len(tokens)) if tokens[k].text == ")"), 0)
        after = close + 1 + (close + 1 < len(tokens) and tokens[close + 1].text == ",")
        return (after, tuple(tokens[i + 1 : close])) if close else (i, ())
    if i + 1 < len(tokens) and tokens[i].text == "," and tokens[i + 1].low in _ASIDES:
        close = next(
            (k for k in range(i + 2, min(i + 12, len(tokens))) if tokens[k].text == ","), 0
        )
        if close:
            return close + 1, tuple(tokens[i + 1 : close])
    return i, ()
