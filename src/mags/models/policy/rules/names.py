"""Names in a text: capitalised spans, told from words that only start a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mags.caches import cached
from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.tokens import Token, sentences, tokenise
from mags.models.policy.rules.when import DAYS, MONTHS
from mags.ports.english import forms, is_verb

_CLOSED = lex.FUNCTION_WORDS - lex.GREETINGS - lex.ADVERBS
_CALENDAR = frozenset(DAYS) | frozenset(MONTHS)
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d]{2,60})[\"\u201d]")
_ORDINARY = word_set(
    """before after during since while although though however also then thus many most some several
    all both each every one two three four five six seven eight nine ten other another such recently
    currently originally today yesterday tomorrow maybe perhaps people everyone someone nothing
    something everything according despite unlike like under over between among thanks congrats
    congratulations please sorry glad happy sounds looks love let ps btw lol haha absolutely
    definitely totally exactly just really very too only even still yet again once never always
    often sometimes usually actually finally last next more less much aww hmm um uh oops ugh yay
    wish hope appreciate amazing wonderful fantastic lovely sweet bye welcome merry best new old
    big little first second early late speaking remember imagine guess plus anyway besides instead
    meanwhile gonna gotta whoever whatever whichever wherever whenever throughout kids family
    friends mom dad music art dance fashion nature life work school food yoga travel clay health
    money time sports books movies games dogs cats pets fruit coffee tea water summer winter spring
    autumn weekends mornings evenings days years things stuff folks guys men women children
    students teachers doctors photos pictures memories dreams goals plans news update reminder note
    question answer tonight half part members team none everybody anybody nobody anyone anything
    same home flying no landlord wife husband instagram"""
)
_NOUN_ENDINGS = (
    "ing", "ings", "tion", "tions", "ness", "ment", "ments", "ity", "ities", "ism", "ship", "ance",
    "ence", "hood", "ery", "ics", "ology", "ies",
)  # fmt: skip


def _weak(token: Token) -> bool:
    """Say whether a capitalised first word tells nothing of a name."""
    low = token.low
    if (
        low in _ORDINARY
        or low in lex.FUNCTION_WORDS
        or (len(low) > 5 and low.endswith(_NOUN_ENDINGS))
    ):
        return True
    return is_verb(low) and any(base == low or form == "gerund" for base, form in forms(low))


def _can_start(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    if not token.is_capital or token.low in _CALENDAR or token.low == "i":
        return False
    first = i == 0 or tokens[i - 1].text in {'"', "(", ":", "-", "\u2013", "\u2014"}
    return not _weak(token) if first else token.low not in _CLOSED


def name_end(tokens: Sequence[Token], i: int) -> int:
    """Return where the name that starts at `i` ends (not in it); `i` where none starts."""
    if i >= len(tokens) or not _can_start(tokens, i):
        return i
    end = i + 1
    while end < len(tokens):
        if _continues(tokens[end]):
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
    while end < len(tokens) and end < i + 2 and tokens[end].low in lex.NAME_LINKS:
        end += 1
    if end == i or end >= len(tokens) or not tokens[end].is_capital:
        return i
    if tokens[i].low in {"and", "for", "in"}:
        return i
    return end if _continues(tokens[end]) else i


def surface(tokens: Iterable[Token]) -> str:
    """Return a name as written, its words joined by single blanks."""
    return " ".join(t.text for t in tokens).replace(" .", ".")


def _is_title(text: str) -> bool:
    return text[:1].isupper() and len(text.split()) < 8


@cached(4096)
def mentions(text: str) -> tuple[str, ...]:
    """Return the names in a text, longest form first met, each once."""
    found = {title.strip(" ,.!?"): None for title in _QUOTED.findall(text) if _is_title(title)}
    for sentence in sentences(_QUOTED.sub(lambda m: " | " if _is_title(m[1]) else m[0], text)):
        tokens, i = tokenise(sentence), 0
        while i < len(tokens):
            end = name_end(tokens, i)
            name = surface(tokens[i:end])
            if len(name) > 1 and name.lower().rstrip(".") not in _TITLES:
                found.setdefault(name, None)
            i = max(end, i + 1)
    return tuple(found)


_TITLES = word_set("mr mrs ms miss dr prof professor sir lady lord saint st captain president king")
