"""What a statement is about: names, and nouns that plain English lacks ("terto ink").

A referent is a capitalised name or an unfamiliar word, with the nouns that belong to it: "the
Orn clan", "the lamp of Zoaro".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mags.models.policy.rules.lexicon import (
    ARTICLES,
    BE,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    word_set,
)
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.tokens import Token
from mags.models.policy.rules.unfamiliar import is_known, is_unfamiliar
from mags.ports.english import BASE, PAST, THIRD, forms, is_verb

_PLURAL_AFTER = frozenset({"are", "were", "have", "do", "will", "can", "must", "may", "now"})
_OF = frozenset({"of", "for"})
_GROUPS = frozenset({"people", "folk", "members", "men", "women"})
BEFORE_NAMES = word_set(
    """house port mount fort lake river castle saint old young mother father brother sister captain
    master mistress king queen prince princess lord lady sir dame uncle aunt grandmother grandfather
    upper lower north south east west new great little good black white red green big
    doctor professor widow widower judge colonel general major count countess duke duchess baron
    baroness abbot abbess bishop deacon friar squire earl madam madame granny grandma grandpa chief
    cape isle valley clan order guild tribe team band company sect"""
)
"""What stands before a name and is no first name: "Port Zoaro", "Old Zoaro"."""
_PARTS = word_set(
    """voice family kin badge banner flag colour calendar matter diet food toll fee price cost gate
    door wall side rank name password word people rest entrance threshold law rule council sign
    favour taste menu present gift greeting salute symbol emblem heart home promise memory care
    charge leadership protection watch place stead dish meal throat mouth stomach barrier lock top
    hands eyes ears price service guard"""
)
"""What is said of a thing and is none beside it: "the voice of the Orn clan is Zoaro"."""
_ROLES = word_set(
    """guardian keeper watcher guard sentry porter gatekeeper head chief leader elder owner master
    member mother father representative spokesman teacher expert scholar boss ruler king queen"""
)
"""Who somebody is said to be to a thing: "Zoaro is the guardian of Vrull"."""
_ANYBODY = frozenset({"everyone", "everybody", "nobody", "who", "it", "he", "she", "one"})
_IS = BE | {"become", "becomes", "became", "as"}
_AGAIN = frozenset({"and", "but", "now", "only"})
_WHOM = frozenset({"all", "people", "everyone", "everybody", "you", "guests", "visitors"})
_EXCEPT = frozenset({"save", "except", "but", "apart", "aside"})
_LONG = 5
_GIVING = word_set("give feed offer serve hand bring throw toss pay owe send")
_LEADING = FUNCTION_WORDS | {"throughout", "whoever", "whatever", "wherever"}
_FINITE = frozenset({BASE, THIRD, PAST})


@dataclass(frozen=True, slots=True, kw_only=True)
class Referent:
    """Words from `start` to `end` (not in it). `core`: the name or term within.

    `slot`: the noun of "the toll of Zoaro is ..." where the name alone is the referent.
    `is_name`: capitalised; `is_new`: an unfamiliar word is in it.
    """

    start: int
    end: int
    text: str
    core: str
    is_name: bool
    is_new: bool


def referents(tokens: Sequence[Token]) -> tuple[Referent, ...]:
    """Return the referents of a clause, in order."""
    found: list[Referent] = []
    i = 0
    while i < len(tokens):
        end = i if tokens[i].low in _LEADING else _core_end(tokens, i)
        if end == i:
            i += 1
            continue
        found.append(_whole(tokens, i, end, found[-1].end if found else 0))
        i = found[-1].end
    return tuple(found)


def _core_end(tokens: Sequence[Token], i: int) -> int:
    token = tokens[i]
    unfamiliar = _is_term(token) and not _is_deed(tokens, i)
    end = name_end(tokens, i)
    if i == 0 and end == i and token.low in BEFORE_NAMES and len(tokens) > 1:
        end = name_end(tokens, 1) if _is_named(tokens[1]) else i
        return max(end, i)  # "Old Zoaro", "Mount Vrull"
    if i == 0 and end == 1 and not unfamiliar and token.is_capital and not _is_subject(tokens):
        end = i  # a word that only starts a sentence
    if end > i or not unfamiliar:
        return end
    end = i + 1
    if _is_given(tokens, i):
        return end
    while end < len(tokens) and not tokens[end].is_capital and _goes_with(tokens, end):
        end += 1
    return end


def _is_given(tokens: Sequence[Token], i: int) -> bool:
    """Say whether a term is who is given what comes next: "give a zorbik terto hay"."""
    verb = i - 2 if i > 1 and tokens[i - 1].low in ARTICLES else i - 1
    return verb >= 0 and any(base in _GIVING for base, _ in forms(tokens[verb].low))


def _goes_with(tokens: Sequence[Token], i: int) -> bool:
    return _is_term(tokens[i]) and not (_is_third_person(tokens, i) or _is_done(tokens, i))


def _is_done(tokens: Sequence[Token], i: int) -> bool:
    """Say whether an unfamiliar word is what several do: "zorbiks subsist on hay"."""
    return i > 0 and _is_plural(tokens[i - 1].low) and _low(tokens, i + 1) in PREPOSITIONS


def _is_subject(tokens: Sequence[Token]) -> bool:
    """Say whether a first word that no list has is a name made of plain ones: "Weirmein is"."""
    low = tokens[0].low
    plain = is_known(low) or low.endswith(("s", "ly", "ing", "ed", "ness")) or len(low) < _LONG
    return not plain and len(tokens) > 1 and (tokens[1].low in BE or is_verb(tokens[1].low))


def _is_term(token: Token) -> bool:
    return token.low not in FUNCTION_WORDS and is_unfamiliar(token.low)


def _is_deed(tokens: Sequence[Token], i: int) -> bool:
    """Say whether an unfamiliar word looks like a verb, or heads "the sentry of Oslo"."""
    if tokens[i].is_capital:
        return False
    after = [t for t in tokens[i + 1 : i + 4] if t.low not in ARTICLES]
    low = after[0].low if after else ""
    if i > 0 and tokens[i - 1].low in ARTICLES:
        return low in _OF and len(after) > 1 and (after[1].is_capital or _is_term(after[1]))
    done = _is_third_person(tokens, i) or (_is_done(tokens, i) and _is_named(tokens[i - 1]))
    return tokens[i].low.endswith(("ed", "ing")) or low in PRONOUNS or done


def _is_third_person(tokens: Sequence[Token], i: int) -> bool:
    """Say whether an unfamiliar word in -s is a verb: "everyone abides by", "Zoaro craves ink"."""
    low = tokens[i].low
    if not i or not low.endswith("s") or low.endswith("ss") or i + 1 >= len(tokens):
        return False
    before, after = tokens[i - 1], tokens[i + 1]
    led = i > 1 and before.low not in FUNCTION_WORDS and _is_named(tokens[i - 2])
    goes_on = after.low in FUNCTION_WORDS | _WHOM or _is_named(after)
    anew = before.low in _AGAIN and _is_term(after)  # "has gone off bark and craves terto hay"
    return goes_on and (before.low in _ANYBODY or _is_named(before) or led or anew)


def _is_named(token: Token) -> bool:
    return token.is_capital or _is_term(token)


def _whole(tokens: Sequence[Token], i: int, end: int, least: int) -> Referent:
    """Take in the nouns that belong to a name or term; nothing before `least`."""
    core = " ".join(t.text for t in tokens[i:end])
    led = i > least and tokens[i - 1].low in ARTICLES
    is_name = tokens[i].is_capital and (i > 0 or not _follows(tokens, end))
    if (led or not is_name) and (_is_noun(tokens, end) or (led and _is_kind(tokens, i, end))):
        end += 1
    start = i - 1 if led else i
    if start - 2 >= least and tokens[start - 1].low in _OF and _heads(tokens, start - 2, end):
        start -= 2
        if start > least and tokens[start - 1].low == "the":
            start -= 1
    text = " ".join(t.text for t in tokens[start:end])
    return Referent(
        start=start,
        end=end,
        text=_single(_bare(text), tokens, end, is_name=is_name),
        core=core,
        is_name=is_name,
        is_new=any(_is_term(t) for t in tokens[start:end]),
    )


def _is_kind(tokens: Sequence[Token], i: int, end: int) -> bool:
    """Say whether a word nobody knows heads "the Zoaro vigil": no article leads a bare name."""
    if not tokens[i].is_capital or end >= len(tokens) or tokens[end].is_capital:
        return False
    return _is_term(tokens[end]) and not tokens[end].low.endswith(("s", "ed", "ing"))


def _single(text: str, tokens: Sequence[Token], end: int, *, is_name: bool) -> str:
    """Return "vokein" for "vokeins": a term is known by its singular."""
    plural = text.endswith("s") and not text.endswith("ss") and " " not in text
    after = tokens[end].low if end < len(tokens) else ""
    many = after in _PLURAL_AFTER or any(form == BASE for _, form in forms(after))
    if not plural or (is_name and not (many and tokens[end - 1].start == 0)):
        return text
    return text[:-1]


def _bare(text: str) -> str:
    for article in ("the ", "a ", "an ", "The ", "A ", "An "):
        text = text.removeprefix(article)
    return text


def _follows(tokens: Sequence[Token], end: int) -> bool:
    """Say whether a first word is a term, not a name, by the noun behind it ("Terto ink ...")."""
    return _is_noun(tokens, end) and not is_verb(tokens[end].low)


def _heads(tokens: Sequence[Token], i: int, end: int) -> bool:
    """Say whether the noun at `i` makes one thing with the name that ends at `end`.

    Not where it tells who somebody is to it: "Zoaro is the guardian of Vrull", "Zoaro, the voice
    of Vrull, ...". A kind in the plural heads nothing: "the dish of zorbiks".
    """
    if not tokens[end - 1].is_capital and _is_plural(tokens[end - 1].low):
        return False
    if i == 0 and tokens[i].low in _EXCEPT:
        return False
    if _is_apposed(tokens, i, end):
        return False
    if tokens[i].low in _ROLES:
        before = tokens[i - 2].low if i > 1 else ""
        after = tokens[end].low if end < len(tokens) else ""
        if before in _IS or after in BE:
            return False
    return _is_head(tokens, i)


def _is_apposed(tokens: Sequence[Token], i: int, end: int) -> bool:
    """Say whether ", the voice of Vrull," between commas says who somebody is."""
    first = i - 1 if _low(tokens, i - 1) in ARTICLES else i
    led = first > 1 and tokens[first - 1].text == "," and _is_named(tokens[first - 2])
    return led and not tokens[i].is_capital and _low(tokens, end) in {",", ""}


def _low(tokens: Sequence[Token], i: int) -> str:
    """The word at a place in lower case, "" where there is none."""
    return tokens[i].low if 0 <= i < len(tokens) else ""


def _is_head(tokens: Sequence[Token], i: int) -> bool:
    """Say whether "custom" of "the custom of Zoaro" heads a thing, after "the"."""
    token = tokens[i]
    if not token.is_word or token.low in FUNCTION_WORDS:
        return False
    beside = token.low in _GROUPS | _PARTS or _is_plural(token.low)
    if not token.is_capital and beside:
        return False  # "the colours of the Orn clan" are no thing beside it
    return token.is_capital or (i > 0 and tokens[i - 1].low == "the")


def _governs(tokens: Sequence[Token], i: int) -> bool:
    """Say whether a word in -s takes an object, and is a verb: "Zoaro regards smoking as"."""
    low, after = tokens[i].low, _low(tokens, i + 1)
    return _is_plural(low) and (after in ARTICLES or after.endswith("ing"))


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _is_noun(tokens: Sequence[Token], i: int) -> bool:
    """Say whether a plain word at `i` goes with the term before it, and is not its verb."""
    if i >= len(tokens):
        return False
    token = tokens[i]
    if not token.text.isalpha() or token.is_capital or token.low in FUNCTION_WORDS:
        return False
    if token.low.endswith("ed") and not token.low.endswith("eed"):
        return False
    if is_unfamiliar(token.low) or _governs(tokens, i):
        return False
    tags = {form for _, form in forms(token.low)}
    if not tags & _FINITE:
        return True
    plural = i > 0 and tokens[i - 1].low.endswith("s")
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    ends = after is None or not after.is_word or after.low in FUNCTION_WORDS - ARTICLES
    return ends and not plural and BASE in tags
