"""Sentences taken apart: clauses, each with a subject, a verb group and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mags.models.policy.rules.bounds import bound_end, past_time
from mags.models.policy.rules.clitics import is_verb_next
from mags.models.policy.rules.joins import is_tag, shares
from mags.models.policy.rules.lexicon import (
    ADVERBS,
    BE,
    CONJUNCTIONS,
    DEMONSTRATIVES,
    FUNCTION_WORDS,
    KIN,
    PLURALS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    word_set,
)
from mags.models.policy.rules.names import aside, name_end, surface
from mags.models.policy.rules.tokens import Token, starts_with
from mags.models.policy.rules.verbs import FIRST, PLURAL, SINGULAR, Verb, verb_group
from mags.ports.english import forms
from mags.ports.relations import canonical

PRONOUN, NAME, OWNED, OF, THING = "pronoun", "name", "owned", "of", "thing"
_LINKS = word_set(
    """and but so while whereas because although though since when if unless before after until"""
)
_SHARED = frozenset({"and", "but", ",", "then"})
_AFTER_VERB = word_set("the a an my our your his her their me us you them him it")
_LONGEST_NOUN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Who or what a clause is about, as written.

    `kind`: pronoun (`word`), name (`names`), owned (`owner` and `noun`: "my sister", with
    `names` if named: "my sister Ana"), of ("the capital of France": `noun`, `names`) or thing.
    `owner`: a possessive pronoun or a name. `apposed`: words between commas after a name.
    `relative`: "his wife Salma" of "Karim and his wife Salma".
    """

    kind: str
    end: int
    word: str = ""
    names: tuple[str, ...] = ()
    owner: str = ""
    noun: str = ""
    person: str = SINGULAR
    apposed: tuple[Token, ...] = ()
    relative: Subject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause: `before` (words ahead of the subject), subject, verb, `rest`.

    `link`: the word that ties it to the clause before ("and", "because", "" for the first).
    """

    subject: Subject
    verb: Verb
    rest: tuple[Token, ...]
    before: tuple[Token, ...] = ()
    link: str = ""


class Following(NamedTuple):
    """A clause that goes on after another: its link, subject, verb and the time before it."""

    link: str
    subject: Subject
    verb: Verb
    before: tuple[Token, ...] = ()


def subject_at(tokens: Sequence[Token], i: int) -> Subject | None:
    """Return the subject that starts at `i`, or None."""
    if i < len(tokens) and tokens[i].low == "both":
        i += 1
    if i + 2 < len(tokens) and tokens[i].low == "all" and tokens[i + 2].text == ",":
        i += 3
    if i >= len(tokens):
        return None
    low = tokens[i].low
    if low in PRONOUNS:
        person = {"i": FIRST, "he": SINGULAR, "she": SINGULAR, "it": SINGULAR}.get(low, PLURAL)
        return Subject(kind=PRONOUN, word=low, end=i + 1, person=person)
    if low in DEMONSTRATIVES or low == "there":
        return Subject(kind=PRONOUN, word=low, end=i + 1)
    if low in POSSESSIVES:
        found = _owned(tokens, i + 1, low)
        if found and low in {"my", "our"} and starts_with(tokens, ("and", "i"), found.end):
            named = found if found.names else None
            we = Subject(kind=PRONOUN, word="we", end=found.end + 2, person=PLURAL)
            return replace(we, relative=named)
        return found
    if low in {"the", "a", "an"}:
        return _thing(tokens, i + 1)
    return _named(tokens, i)


def _named(tokens: Sequence[Token], i: int) -> Subject | None:
    end = name_end(tokens, i)
    if end == i:
        return None
    if end < len(tokens) and tokens[end].low == "'s" and not is_verb_next(tokens, end):
        return _owned(tokens, end + 1, surface(tokens[i:end]))
    names = [surface(tokens[i:end])]
    end, apposed = aside(tokens, end)
    relative = None
    if starts_with(tokens, ("and",), end) and end + 1 < len(tokens):
        relative = _relative(tokens, end + 1)
    if relative is not None:
        names.append(relative.names[0])
        end = relative.end
    while end + 1 < len(tokens) and tokens[end].low in {"and", "&", ","}:
        step = end + (2 if tokens[end].low == "," and tokens[end + 1].low == "and" else 1)
        if step < len(tokens) and tokens[step].low == "i":
            names.append("I")
            end = step + 1
            break
        after = name_end(tokens, step)
        if after == step:
            break
        names.append(surface(tokens[step:after]))
        end = after
    if end < len(tokens) and tokens[end].text == "," and len(names) > 2:
        end += 1
    if end < len(tokens) and tokens[end].low in {"both", "all", "each"}:
        end += 1
    return Subject(
        kind=NAME,
        names=tuple(names),
        end=end,
        person=PLURAL if len(names) > 1 else SINGULAR,
        apposed=apposed,
        relative=relative,
    )


def _relative(tokens: Sequence[Token], i: int) -> Subject | None:
    """Read "his wife Salma" after "Karim and"."""
    if tokens[i].low not in {"his", "her"}:
        return None
    found = _owned(tokens, i + 1, tokens[i].low)
    return found if found and found.names and found.noun.split()[-1] in KIN else None


def _owned(tokens: Sequence[Token], i: int, owner: str) -> Subject | None:
    """Read "sister", "sister Ana", "favourite food" after "my" or "Bob's"."""
    k = i
    while k < len(tokens) and k - i < _LONGEST_NOUN:
        if tokens[k].low == "'s" and k > i and not is_verb_next(tokens, k):
            inner = " ".join(t.low for t in tokens[i:k])
            return _owned(tokens, k + 1, f"{owner}|{inner}")
        end = name_end(tokens, k) if k > i else k
        if end > k and tokens[k - 1].low == "in":  # "our hotel in Lisbon" is no Lisbon
            near = [] if tokens[k - 2].low in KIN else ["in", surface(tokens[k:end])]
            noun = " ".join([*(t.low for t in tokens[i : k - 1]), *near])
            return Subject(kind=OWNED, owner=owner, noun=noun, end=end)
        if end > k:
            noun = " ".join(t.low for t in tokens[i:k] if t.text != ",")
            after = end + (
                end < len(tokens) and tokens[end].text == "," and tokens[k - 1].text == ","
            )
            return Subject(
                kind=OWNED, owner=owner, noun=noun, names=(surface(tokens[k:end]),), end=after
            )
        if not (tokens[k].is_word or (tokens[k].text == "," and k > i)):
            break
        if k > i and _finite(tokens, k, tokens[k - 1].low):
            break
        if tokens[k].low in PREPOSITIONS | CONJUNCTIONS and tokens[k].low not in {"in", "of"}:
            end = bound_end(tokens, k) if k > i else k
            if end > k:
                noun = " ".join([*(t.low for t in tokens[i:k]), *(t.text for t in tokens[k:end])])
                return Subject(kind=OWNED, owner=owner, noun=noun, end=end)
            break
        k += 1
    if k == i:
        return None
    noun = " ".join(t.low for t in tokens[i:k])
    plural = _is_plural(tokens[k - 1].low)
    return Subject(kind=OWNED, owner=owner, noun=noun, end=k, person=PLURAL if plural else SINGULAR)


def _is_plural(word: str) -> bool:
    return word in PLURALS or (word.endswith("s") and not word.endswith(("ss", "us", "is")))


def _finite(tokens: Sequence[Token], k: int, before: str) -> bool:
    person = PLURAL if _is_plural(before) else SINGULAR
    verb = verb_group(tokens, k, person)
    if verb is None:
        return False
    after = tokens[verb.end].low if verb.end < len(tokens) else ""
    noun = verb.form == verb.base and verb.tense == "present" and verb.base != "be"
    return not (noun and (after in BE or after in {"has", "have", "will"}))


def _thing(tokens: Sequence[Token], i: int) -> Subject | None:
    """Read "capital of France", "wifi password" or "Steel Helmet" after "the"."""
    slot = i < len(tokens) and canonical(f"the {tokens[i].low} of {{}} is")
    end = i if slot else name_end(tokens, i)
    if end > i and (tokens[i - 1].low != "the" or not tokens[i].text.isdigit()):
        after, apposed = aside(tokens, end)
        if verb_group(tokens, after, SINGULAR):
            name = surface(tokens[i - 1 : end])
            return Subject(kind=NAME, names=(name,), end=after, apposed=apposed)
        if tokens[end - 1].low.endswith("s") and verb_group(tokens, end, PLURAL):
            name = surface(tokens[i - 1 : end])
            return Subject(kind=NAME, names=(name,), end=end, person=PLURAL)
    k = i
    while k < len(tokens) and k - i < _LONGEST_NOUN and tokens[k].is_word:
        if tokens[k].low == "of" and k > i:
            end = name_end(tokens, k + 1 + (k + 1 < len(tokens) and tokens[k + 1].low == "the"))
            if end > k + 1:
                name = surface(tokens[k + 1 : end])
                noun = " ".join(t.low for t in tokens[i:k])
                return Subject(kind=OF, noun=noun, names=(name,), end=end)
            return None
        if k > i and _finite(tokens, k, tokens[k - 1].low):
            noun = " ".join(t.text for t in tokens[i:k])
            plural = _is_plural(tokens[k - 1].low)
            return Subject(kind=THING, noun=noun, end=k, person=PLURAL if plural else SINGULAR)
        if tokens[k].low in (PREPOSITIONS - {"for"}) | CONJUNCTIONS:
            end = bound_end(tokens, k) if k > i else k
            noun = " ".join(t.text for t in tokens[i:end])
            return Subject(kind=THING, noun=noun, end=end) if end > k else None
        k += 1
    return None


def clause_at(tokens: Sequence[Token], i: int) -> tuple[Subject, Verb] | None:
    """Return the subject and verb of a clause that starts at `i`, or None."""
    subject = subject_at(tokens, i)
    if subject is None:
        return None
    verb = verb_group(tokens, subject.end, subject.person)
    if verb is None or (subject.kind == NAME and _noun_instead(tokens, verb)):
        return None
    return subject, verb


def _noun_instead(tokens: Sequence[Token], verb: Verb) -> bool:
    """Say whether a "verb" is a plural with its own verb after it ("Fantasy books fuel ...")."""
    if verb.tense != "present" or verb.form != verb.base + "s":
        return False
    k = verb.end
    while k < len(tokens) and tokens[k].low in ADVERBS:
        k += 1
    low = tokens[k].low if k < len(tokens) else ""
    plain = low not in PREPOSITIONS and not low.endswith("ing")
    return plain and (
        low in BE
        or low in {"have", "can", "will"}
        or (
            any(form == "base" for _, form in forms(low))
            and (k + 1 < len(tokens) and tokens[k + 1].low in _AFTER_VERB)
        )
    )


def clauses(tokens: Sequence[Token]) -> tuple[Clause, ...]:
    """Take a sentence apart; () where it has no subject with a verb."""
    start, opened = _first(tokens)
    if opened is None:
        return ()
    found: list[Clause] = []
    subject, verb = opened
    before, link = tuple(tokens[:start]), ""
    while True:
        stop, following = _boundary(tokens, subject, verb)
        rest = tuple(tokens[verb.end : stop])
        found.append(Clause(subject=subject, verb=verb, rest=rest, before=before, link=link))
        if following is None:
            return tuple(found)
        link, subject, verb, before = following


def _first(tokens: Sequence[Token]) -> tuple[int, tuple[Subject, Verb] | None]:
    """Find the first clause: at the start, or after an adverbial ("In 2019, ...")."""
    opened = clause_at(tokens, 0)
    if opened:
        return 0, opened
    led = bool(tokens) and (
        tokens[0].low in PREPOSITIONS | {"last", "this", "next", "yesterday", "today", "tonight",
                                         "tomorrow", "every", "when", "two", "three", "now"}
        or tokens[0].text[0].isdigit()
    )  # fmt: skip
    if not led:
        return 0, None
    for k in range(1, min(len(tokens), 12)):
        if tokens[k - 1].text == "," or tokens[k].low in {"i", "we"} or tokens[k].is_capital:
            opened = clause_at(tokens, k)
            if opened and not (tokens[0].low in {"when", "if"} and tokens[k - 1].text != ","):
                return k, opened
    return 0, None


def _boundary(
    tokens: Sequence[Token], subject: Subject, opened: Verb
) -> tuple[int, Following | None]:
    """Find where the rest of a clause ends, and the clause that follows it."""
    k = opened.end
    while k < len(tokens):
        token = tokens[k]
        if token.text in {".", "!", "?", ";", "\u2014", "\u2013", "-", ":", "(", "..."}:
            found = clause_at(tokens, _past_links(tokens, k + 1))
            return k, Following(token.text, *found) if found else None
        if token.low == "who" and opened.base == "be" and k > opened.end:
            verb = verb_group(tokens, k + 1, subject.person)
            if verb:
                return k, Following("who", replace(subject, end=k + 1), verb)
        if token.text == "," and is_tag(tokens, k + 1):
            return k, None
        if token.low in _LINKS or token.text == ",":
            following = _following(tokens, k, subject, opened) or _spliced(tokens, k)
            if following:
                return k, following
        k += 1
    return k, None


def _past_links(tokens: Sequence[Token], k: int) -> int:
    while k < len(tokens) and (
        tokens[k].low in {"and", "but", "so", "then"} or tokens[k].text == ","
    ):
        k += 1
    return k


def _following(tokens: Sequence[Token], k: int, subject: Subject, opened: Verb) -> Following | None:
    j, link = k, tokens[k].low
    while j < len(tokens) and (
        tokens[j].low in _LINKS or tokens[j].text == "," or tokens[j].low == "then"
    ):
        if tokens[j].low in _LINKS:
            link = tokens[j].low
        j += 1
    found = clause_at(tokens, j)
    if found:
        return Following(link, *found)
    led = past_time(tokens, k, j)
    found = clause_at(tokens, led.end) if led else None
    if led and found:
        return Following(led.link, *found, tuple(tokens[led.start : led.end]))
    spliced = link == "," and subject.kind == PRONOUN and opened.tense == "past"
    if link in _SHARED and j < len(tokens) and (link != "," or spliced):
        verb = verb_group(tokens, j, subject.person)
        if verb and shares(verb, opened, tokens[opened.end : k]):
            return Following(link, replace(subject, end=j), verb)
    return None


def _spliced(tokens: Sequence[Token], k: int) -> Following | None:
    """Read ", coffee makes me nervous": a bare noun with a verb that can be nothing else."""
    i = k + 1
    if tokens[k].text != "," or i + 1 >= len(tokens) or not tokens[i].is_word:
        return None
    noun = tokens[i].low
    if noun in FUNCTION_WORDS or tokens[i].is_capital or forms(noun):
        return None
    person = PLURAL if _is_plural(noun) else SINGULAR
    verb = verb_group(tokens, i + 1, person)
    after = tokens[verb.end].low if verb and verb.end < len(tokens) else ""
    if verb is None or not (tokens[i + 1].low in BE or after in _AFTER_VERB):
        return None
    return Following(",", Subject(kind=THING, noun=noun, end=i + 1, person=person), verb)
