"""Sentences taken apart: clauses, each with a subject, a verb group and the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.tokens import (
    Token,
    name_end,
    own_words,
    sentences,
    starts_with,
    surface,
    tokenise,
)
from mags.ports.english import BASE, GERUND, PARTICIPLE, PAST, THIRD, called, forms, guess, word_set
from mags.ports.pausing import pause
from mags.ports.policy import QUESTION_MARKS
from mags.ports.relations import canonical

FIRST, SINGULAR, PLURAL = "first", "singular", "plural"
PRONOUN, NAME, OWNED, OF, THING = "pronoun", "name", "owned", "of", "thing"
_HAVE, _DO = frozenset({"have", "has", "had", "'ve"}), frozenset({"do", "does", "did"})
NOT = frozenset({"not", "n't", "never", "hardly", "barely"})
_LINKS = word_set(
    """and but so while whereas because although though since when if unless before after until"""
)
_MARKS = word_set(". ! ? ; \u2014 \u2013 - : ( ...")
_NEARLY = word_set("nearly almost hardly barely")
_SHARED = frozenset({"and", "but", ",", "then"})
_OBJECTS = word_set("a an the my our your his her their me us you them him it two three some")
_NO_ADVERBS = word_set("family reply apply only ally nearly rarely")
_LONGEST_NOUN = 6
_MEANT_FOR = frozenset({"for", "to"})
"""What joins a thing to what it is for: "the keys to the van"."""
_AT_HOME = frozenset(w for one in ("mother", "father", "grandmother") for w in called(one))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Who or what a clause is about, as written.

    `kind`: pronoun (`word`), name (`names`), owned (`owner` and `noun`: "my sister", with
    `names` if named: "my sister Ana"), of ("the capital of France": `noun`, `names`) or thing.
    `owner`: a possessive pronoun or a name. `beside`: "my wife Jill" of "my wife Jill and I".
    """

    kind: str
    end: int
    word: str = ""
    names: tuple[str, ...] = ()
    owner: str = ""
    noun: str = ""
    person: str = SINGULAR
    beside: Subject | None = None

    @property
    def head(self) -> str:
        """The last word of the noun, "" where there is none."""
        return self.noun.split()[-1] if self.noun else ""


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


class _Following(NamedTuple):
    link: str
    subject: Subject
    verb: Verb


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
        (link, subject, verb), before = following, ()


def clause_at(tokens: Sequence[Token], i: int) -> tuple[Subject, Verb] | None:
    """Return the subject and verb of a clause that starts at `i`, or None."""
    subject = subject_at(tokens, i)
    verb = verb_group(tokens, subject.end, subject.person) if subject else None
    if subject is None or verb is None or (subject.kind == NAME and _is_noun(tokens, verb)):
        return None
    return subject, verb


def _is_noun(tokens: Sequence[Token], verb: Verb) -> bool:
    """Say whether a "verb" is a plural with its own verb after it ("Fantasy books are ...")."""
    plural = verb.tense == "present" and verb.form == verb.base + "s"
    return plural and _low(tokens, verb.end) in lex.BE | {"have", "can", "will"}


def _low(tokens: Sequence[Token], i: int) -> str:
    return tokens[i].low if i < len(tokens) else ""


def _first(tokens: Sequence[Token]) -> tuple[int, tuple[Subject, Verb] | None]:
    """Find the first clause: at the start, or after an adverbial ("In 2019, ...")."""
    opened = clause_at(tokens, 0)
    if opened or not tokens:
        return 0, opened
    if not (tokens[0].low in lex.PREPOSITIONS | _TIMES or tokens[0].text[0].isdigit()):
        return 0, None
    for k in range(1, min(len(tokens), 12)):
        if tokens[k - 1].text == "," or tokens[k].low in {"i", "we"} or tokens[k].is_capital:
            opened = clause_at(tokens, k)
            if opened and not (tokens[0].low == "when" and tokens[k - 1].text != ","):
                return k, opened
    return 0, None


_TIMES = word_set("last this next yesterday today tonight tomorrow every when two three now")


def _boundary(
    tokens: Sequence[Token], subject: Subject, opened: Verb
) -> tuple[int, _Following | None]:
    """Find where the rest of a clause ends, and the clause that follows it."""
    for k in range(opened.end, len(tokens)):
        token = tokens[k]
        if token.text in _MARKS:
            j = k + 1
            while _low(tokens, j) in {"and", "but", "so", "then", ","}:
                j += 1
            found = clause_at(tokens, j)
            return k, _Following(token.text, *found) if found else None
        if token.low in _LINKS or token.text == ",":
            following = _following(tokens, k, subject, opened)
            if following:
                return k, following
    return len(tokens), None


def _following(
    tokens: Sequence[Token], k: int, subject: Subject, opened: Verb
) -> _Following | None:
    j, link = k, tokens[k].low
    while _low(tokens, j) in _LINKS | {",", "then"}:
        link = tokens[j].low if tokens[j].low in _LINKS else link
        j += 1
    found = clause_at(tokens, j)
    if found:
        return _Following(link, *found)
    spliced = link == "," and subject.kind == PRONOUN and opened.tense == "past"
    if link in _SHARED and j < len(tokens) and (link != "," or spliced):
        verb = verb_group(tokens, j, subject.person)
        if verb and _shares(verb, opened, tokens[opened.end : k]):
            return _Following(link, replace(subject, end=j, beside=None), verb)
    return None


def _shares(verb: Verb, opened: Verb, between: Sequence[Token]) -> bool:
    """Say whether a verb after "and" goes on with the subject before, not with "to ..."."""
    if verb.tense == "progressive" or verb.base == opened.base or verb.form in lex.FEELINGS:
        return False
    if between and between[-1].low.endswith("s") and verb.form == f"{verb.base}s":
        return False  # "quotes and pictures": more likely two nouns
    led = any(t.low in lex.PRONOUNS | {"to", "who", "that", "which"} for t in between)
    past, before = (one.tense in {"past", "used"} for one in (verb, opened))
    bare = verb.tense == "present" and verb.form == verb.base
    if past != before or (bare and (led or opened.tense != "present")):
        return False
    return opened.tense not in {"future", "modal"} or verb.tense not in {"present", "past"}


# -- the subject -------------------------------------------------------------------------


def subject_at(tokens: Sequence[Token], i: int) -> Subject | None:
    """Return the subject that starts at `i`, or None."""
    if _low(tokens, i) == "both":
        i += 1
    if _low(tokens, i) == "all" and _low(tokens, i + 2) == ",":
        i += 3  # "all three, Ana, Bob and Cem, ..."
    low = _low(tokens, i)
    if low in lex.PRONOUNS:
        person = {"i": FIRST, "he": SINGULAR, "she": SINGULAR, "it": SINGULAR}.get(low, PLURAL)
        return Subject(kind=PRONOUN, word=low, end=i + 1, person=person)
    if low in lex.DEMONSTRATIVES or low == "there":
        return Subject(kind=PRONOUN, word=low, end=i + 1)
    if low in lex.POSSESSIVES:
        found = _owned(tokens, i + 1, low)
        if found and low in {"my", "our"} and starts_with(tokens, ("and", "i"), found.end):
            beside = found if found.names else None
            end = found.end + 2
            return Subject(kind=PRONOUN, word="we", end=end, person=PLURAL, beside=beside)
        return found
    if low in {"the", "a", "an"}:
        found = _thing(tokens, i + 1)
        return replace(found, word=low) if found else None
    return _named(tokens, i)


def _named(tokens: Sequence[Token], i: int) -> Subject | None:
    end = name_end(tokens, i)
    if i < len(tokens) and tokens[i].is_capital and tokens[i].low in _AT_HOME and end <= i + 1:
        return _owned(tokens, i, "my")  # "Mum has moved to Hull"
    if end == i:
        return None
    if _low(tokens, end) == "'s" and not is_verb_next(tokens, end):
        return _owned(tokens, end + 1, surface(tokens[i:end]))
    names = [surface(tokens[i:end])]
    while end + 1 < len(tokens) and tokens[end].low in {"and", "&", ","}:
        step = end + (2 if tokens[end].low == "," and tokens[end + 1].low == "and" else 1)
        after = step + 1 if _low(tokens, step) == "i" else name_end(tokens, step)
        if after == step:
            break
        names.append(surface(tokens[step:after]))
        end = after
    if end < len(tokens) and tokens[end].text == "," and len(names) > 2:
        end += 1
    if _low(tokens, end) in {"both", "all", "each"}:
        end += 1
    person = PLURAL if len(names) > 1 else SINGULAR
    return Subject(kind=NAME, names=tuple(names), end=end, person=person)


def _owned(tokens: Sequence[Token], i: int, owner: str) -> Subject | None:
    """Read "sister", "sister Ana", "favourite food" after "my" or "Bob's"."""
    k = i
    while k < len(tokens) and k - i < _LONGEST_NOUN:
        noun = " ".join(t.low for t in tokens[i:k] if t.text != ",")
        if tokens[k].low == "'s" and k > i and not is_verb_next(tokens, k):
            return _owned(tokens, k + 1, f"{owner}|{noun}")
        end = name_end(tokens, k) if k > i else k
        if end > k and tokens[k - 1].low in {"in", "at"}:  # "our hotel in Lisbon" is no Lisbon
            near = (
                [] if tokens[k - 2].low in lex.KIN else [tokens[k - 1].low, surface(tokens[k:end])]
            )
            noun = " ".join([*(t.low for t in tokens[i : k - 1]), *near])
            return Subject(kind=OWNED, owner=owner, noun=noun, end=end)
        if end > k:
            apart = tokens[k - 1].text == "," and end < len(tokens) and tokens[end].text == ","
            names = (surface(tokens[k:end]),)
            return Subject(kind=OWNED, owner=owner, noun=noun, names=names, end=end + apart)
        if not (tokens[k].is_word or (tokens[k].text == "," and k > i)):
            break
        if k > i and _finite(tokens, k, tokens[k - 1].low):
            break
        if tokens[k].low in (lex.PREPOSITIONS | lex.CONJUNCTIONS) - {"in", "at", "of"}:
            break
        if tokens[k].low in lex.PRONOUNS | lex.POSSESSIVES | _NEARLY:
            return (
                None  # "my dear, the last ...", "my two cousins, we walked", "my cat nearly died"
            )
        k += 1
    if k == i or tokens[k - 1].text == ",":
        return None
    person = PLURAL if is_plural(tokens[k - 1].low) else SINGULAR
    return Subject(kind=OWNED, owner=owner, noun=noun_of(tokens[i:k]), end=k, person=person)


def noun_of(tokens: Sequence[Token]) -> str:
    """Return words as a noun, in lower case and without commas."""
    return " ".join(t.low for t in tokens if t.text != ",")


def is_plural(word: str) -> bool:
    """Say whether a noun is one of several: "kids", "dogs"."""
    return word in lex.PLURALS or (word.endswith("s") and not word.endswith(("ss", "us", "is")))


def _finite(tokens: Sequence[Token], k: int, before: str) -> bool:
    verb = verb_group(tokens, k, PLURAL if is_plural(before) else SINGULAR)
    if verb is None:
        return False
    noun = verb.form == verb.base and verb.tense == "present" and verb.base != "be"
    return not (noun and _low(tokens, verb.end) in lex.BE | {"has", "have", "will"})


def _thing(tokens: Sequence[Token], i: int) -> Subject | None:
    """Read "capital of France", "wifi password" or "Steel Helmet" after "the"."""
    slot = i < len(tokens) and canonical(f"the {tokens[i].low} of {{}} is")
    end = i if slot else name_end(tokens, i)
    if end > i and not tokens[i].text.isdigit():
        plural = tokens[end - 1].low.endswith("s")
        for person in (SINGULAR, PLURAL) if plural else (SINGULAR,):
            if verb_group(tokens, end, person):
                name = surface(tokens[i - 1 : end])
                return Subject(kind=NAME, names=(name,), end=end, person=person)
    k, head = i, ""
    while k < len(tokens) and k - i < _LONGEST_NOUN and tokens[k].is_word:
        if tokens[k].low == "of" and k > i:
            end = name_end(tokens, k + 1 + (_low(tokens, k + 1) == "the"))
            if end <= k + 1:
                return None
            name, noun = surface(tokens[k + 1 : end]), noun_of(tokens[i:k])
            return Subject(kind=OF, noun=noun, names=(name,), end=end)
        last = head or tokens[k - 1].low
        if k > i and _finite(tokens, k, last):
            noun = " ".join(t.text for t in tokens[i:k])
            person = PLURAL if is_plural(last) else SINGULAR
            return Subject(kind=THING, noun=noun, end=k, person=person)
        if tokens[k].low in (lex.PREPOSITIONS - _MEANT_FOR) | lex.CONJUNCTIONS:
            return None
        if k > i and tokens[k].low in _MEANT_FOR:
            head = last  # "the keys to the van are", not "is"
        k += 1
    return None


def is_verb_next(tokens: Sequence[Token], i: int) -> bool:
    """Say whether "'s" at `i` is "is" or "has": "Mia's obsessed", not "Mia's obsession"."""
    low, after = _low(tokens, i + 1), _low(tokens, i + 2)
    if low in {"called", "named", "a", "an", "the", "not", "been", "my", "so"} or (
        low in lex.PREPOSITIONS - {"like", "past", "down", "off", "over"}
    ):
        return True
    if low in lex.ADVERBS - {"first", "best", "last", "only", "long"}:
        return bool(after) and (is_verb_next(tokens, i + 1) or _has(after, PARTICIPLE))
    ends = not after or after in lex.PREPOSITIONS | lex.CONJUNCTIONS or not after[0].isalnum()
    return (low in lex.TRAITS or _has(low, PARTICIPLE) or _has(low, GERUND)) and ends


# -- the verb group ----------------------------------------------------------------------


def verb_group(tokens: Sequence[Token], i: int, person: str) -> Verb | None:
    """Return the verb group that starts at `i` and agrees with its subject, or None.

    `person`: first (I), singular (she, Ana) or plural (we, they, Ana and Bob).
    """
    helpers: list[str] = []
    shades: set[str] = set()
    i = _pass(tokens, i, shades)
    if person != FIRST and _low(tokens, i) in {"am", "'m"}:
        return None  # "Hab am 14. Mai Geburtstag" is no English
    while _helps(tokens, i):
        helpers.append(tokens[i].low)
        i = _pass(tokens, i + 1, shades)
    word = _low(tokens, i)
    if helpers:
        found = _composed(tokens, i, helpers, shades)
    elif word == "used" and _low(tokens, i + 1) == "to" and _has(_low(tokens, i + 2), BASE):
        form = _low(tokens, i + 2)
        found = Verb(base=_base(form, {BASE}), tense="used", form=form, end=i + 3)
    else:
        found = _simple(tokens, i, person, shades)
    if found is None:
        return None
    return replace(
        found,
        negated=bool(shades & (NOT | {"no longer"})),
        never="never" in shades,
        gone="no longer" in shades,
        shades=frozenset(shades),
    )


def _pass(tokens: Sequence[Token], i: int, shades: set[str]) -> int:
    """Pass adverbs and negations, and keep them."""
    while i < len(tokens):
        low = tokens[i].low
        if low == "no" and _low(tokens, i + 1) == "longer":
            low, i = "no longer", i + 1
        elif low not in NOT and not _is_adverb(tokens[i]):
            break
        shades.add(low)
        i += 1
    return i


def _helps(tokens: Sequence[Token], i: int) -> bool:
    """Say whether the word at a place is an auxiliary of a verb that follows."""
    low, word = _low(tokens, i), _low(tokens, _pass(tokens, i + 1, set()))
    tags = {form for _, form in forms(word)}
    if not tags and word.endswith("ed") and len(word) > 4:
        tags = {PAST, PARTICIPLE}
    if low in lex.MODALS or low in _DO:
        return BASE in tags and not (low in _DO and word == "do")
    if low in _HAVE:
        return PARTICIPLE in tags
    if low == "'d":
        return bool(tags & {BASE, PARTICIPLE})
    trait = word == "being" or word in lex.TRAITS
    return low in lex.BE and bool(tags & {GERUND, PARTICIPLE}) and not trait


def _simple(tokens: Sequence[Token], i: int, person: str, shades: set[str]) -> Verb | None:
    word = _low(tokens, i)
    if (word == "'s" and person == FIRST) or (word in {"are", "were"} and person == SINGULAR):
        return None
    if word in {"am", "are", "is", "was", "were", "'m", "'re", "'s"}:
        tense = "past" if word in {"was", "were"} else "present"
        end = _pass(tokens, i + 1, shades)  # "is no longer", "was never"
        return Verb(base="be", tense=tense, form=word, end=end)
    if word in {"found", "'ve"}:
        base, tense = ("find", "past") if word == "found" else ("have", "present")
        return Verb(base=base, tense=tense, form=word, end=i + 1)
    tags = {form for _, form in forms(word)}
    hit = tags & ({PAST, THIRD} if person == SINGULAR else {PAST, BASE})
    if word == "has" and person != SINGULAR:
        return None
    if hit:  # "I hit", "we put": more often told than habitual
        tense = "past" if PAST in hit else "present"
        return Verb(base=_base(word, hit), tense=tense, form=word, end=i + 1)
    if not tags and word.endswith("ed") and len(word) > 4 and word.isalpha():
        return Verb(base=guess(word), tense="past", form=word, end=i + 1)
    return None


def _composed(
    tokens: Sequence[Token], i: int, helpers: Sequence[str], shades: set[str]
) -> Verb | None:
    word, first, last = _low(tokens, i), helpers[0], helpers[-1]
    tags = {form for _, form in forms(word)}
    ahead = _low(tokens, i + 2)
    if first in lex.BE and word == "going" and _low(tokens, i + 1) == "to" and _has(ahead, BASE):
        return Verb(base=_base(ahead, {BASE}), tense="future", form=ahead, end=i + 3)
    modal = first if first in lex.MODALS else ""
    if first == "'d":
        modal = "would" if BASE in tags or "have" in helpers else ""
    passive = last in lex.BE and GERUND not in tags
    if last == "'s" and passive and _has_done(tokens, i):
        passive, first, last = False, "has", "has"
    wanted = {GERUND} if last in lex.BE and not passive else {PARTICIPLE, PAST, BASE}
    wanted = {BASE} if last in lex.MODALS or last in _DO else wanted
    tense = "past" if first in {"was", "were", "did"} else "present"
    if modal:
        tense = "future" if modal in {"will", "shall", "gonna", "'ll"} else "modal"
    elif first in _HAVE or first == "'d":
        tense = "perfect"
    elif last in lex.BE and not passive:
        tense = "progressive"
    base = _base(word, wanted) if tags else guess(word)
    return Verb(base=base, tense=tense, form=word, end=i + 1, passive=passive, modal=modal)


_INTRANSITIVE = word_set(
    "move go come leave quit become start begin join return arrive fall grow stop happen"
)
"""Verbs of which "he's moved" tells what he has done: nobody is moved or gone otherwise."""


def _has_done(tokens: Sequence[Token], i: int) -> bool:
    """Say whether "'s" is "has": "he's moved", "she's just opened a restaurant"."""
    word = tokens[i].low
    if not _has(word, PARTICIPLE) or word in {"called", "named", "given"}:
        return False
    return _base(word, {PARTICIPLE}) in _INTRANSITIVE or _low(tokens, i + 1) in _OBJECTS


def _is_adverb(token: Token) -> bool:
    """Say whether a word is an adverb, by the list or its ending; "Molly" is none."""
    low = token.low
    if low in lex.ADVERBS:
        return True
    return low.endswith("ly") and len(low) > 4 and not token.is_capital and low not in _NO_ADVERBS


def _has(word: str, form: str) -> bool:
    return any(tag == form for _, tag in forms(word))


def _base(word: str, wanted: set[str] | frozenset[str]) -> str:
    pairs = forms(word)
    return next((base for base, form in pairs if form in wanted), pairs[0][0] if pairs else word)


# -- what of a turn its speaker tells ------------------------------------------

_MOST = 60
"""Sentences of a turn that are read; what comes after is kept with the turn."""
_LONG, _LINES = 1_500, 12
"""Letters and lines up to which a turn is talk; of a longer one only what is told in the first
person is read."""
_LONGEST = 600
"""Letters of the longest sentence that is taken for talk."""
_FIRST = re.compile(r"\b(?:i|i'm|im|my|we|our|me)\b", re.IGNORECASE)
_CODE = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*(?:>|[-*\u2022] |\d+[.)] ).*$", re.DOTALL | re.MULTILINE
)
"""Code, quoted lines and the points of a list."""
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d]*)[\"\u201d]?")
_MOST_QUOTED = 6
"""Words of a title in quotation marks; more are a quotation."""
_JOKES = re.compile(
    r"(?:^|\s)/s\b|\U0001f644|\b(?:yeah,? right|just kidding|only joking|jk|as if|lmao|not!"
    r"|in (?:my|the|this|our|a) (?:video ?)?(?:game|dream|story|novel|campaign|book|film|movie))"
    r"(?!\w)",
    re.IGNORECASE,
)
"""What marks a sentence as a joke, as sarcasm or as fiction."""
_ASKING = word_set("do does did is are was were am can could will would should shall may has")
_ASKED = word_set("you i we he she they it there that this these those the my your our anyone")
_WISHES = re.compile(
    r"(?:please|pls|plz|(?:help|tell|give|show|remind) me|let me know|recommend|suggest"
    r"|any (?:ideas?|tips?|advice|suggestions?|recommendations?|thoughts)|make me|draft"
    r"|(?:re)?write (?:me|a|an|it)|summari[sz]e|explain|translate|calculate|thoughts\b|what about"
    r"|how about|how to|can u|could u|how do|how can|how should|what should|which one|what would)"
    r"\b",
    re.IGNORECASE,
)
_KEEP = re.compile(
    r"^(?:so |hey |ok |also )*(?:(?:can|could|will|would) you(?: please)?|please)"
    r" (?:remember|note|save|keep in mind|write down|make a note)(?: for me)?(?: that)?:? "
    r"(?P<told>.+?)\s*(?:,? please)?[?.!]*$",
    re.IGNORECASE,
)
"""A request to keep something is no question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarative:
    """A sentence as far as it tells something, and whether the turn asks, too."""

    words: tuple[Token, ...]
    asks: bool = False


def declaratives(text: str) -> tuple[Declarative, ...]:
    """Return the sentences of a turn, each without the request or question that ends it."""
    if len(text) > _LONG or text.count("\n") > _LINES:
        kept = _CODE.sub("", text[:_MOST_READ]).split("\n")
        text = "\n".join(line for line in kept if _FIRST.search(line))
    found = []
    for sentence in sentences(_unquoted(own_words(text)))[:_MOST]:
        asked = _KEEP.match(sentence) if len(sentence) <= _LONGEST else None
        sentence = f"{asked['told']}." if asked else sentence
        if len(sentence) > _LONGEST:
            continue
        tokens = tokenise(sentence)
        cut = len(tokens) if asked else _request_at(tokens)
        words = () if _JOKES.search(sentence) else tokens[:cut]
        found.append(Declarative(words=words, asks=cut < len(tokens) or is_question(tokens)))
        pause()
    return tuple(found)


_MOST_READ = 20_000
"""Letters of a pasted text in which something told in the first person is looked for."""


def _unquoted(text: str) -> str:
    """Take quotations out; a title of a few words stays."""

    def left(match: re.Match[str]) -> str:
        speaks = _FIRST.search(match[1]) or match[1].rstrip().endswith((".", "!", "?"))
        return " " if speaks or len(match[1].split()) > _MOST_QUOTED else match[0]

    return _QUOTED.sub(left, text)


def _request_at(tokens: Sequence[Token]) -> int:
    """Return where a request or question begins that a sentence ends in; its end if nowhere.

    "I'm 42 and earn 65k, can you help me make a budget?": before the comma. A few beginnings need
    no mark before them: "i have mono how do i tell him".
    """
    for i in range(len(tokens)):
        loose = " ".join(t.low for t in tokens[i : i + 2]) in _LOOSE
        if (i == 0 or loose or _ties(tokens[i - 1])) and _asks(tokens[i:]):
            while i and _ties(tokens[i - 1]):
                i -= 1
            return i
    return 0 if any(t.text in QUESTION_MARKS for t in tokens[-2:]) else len(tokens)


def _ties(token: Token) -> bool:
    return token.text in _APART or token.low in {"and", "so", "but"}


_APART = word_set(", ; - \u2013 \u2014 : ( ... \u2026 . !")
_LOOSE = lex.parts(
    "can you|could you|would you|can i|should i|do you|how do|how can|how should|what do"
    "|what should|what would|what is|what 's|which one|is it|is that|are there|is there|any tips"
    "|any ideas|any advice|help me|tell me|can u|could u|pls help|please help|how much|how many"
)


def is_question(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence asks, or asks for something."""
    return any(t.text in QUESTION_MARKS for t in tokens[-2:]) or _asks(opened(tokens)[0])


def _asks(tokens: Sequence[Token]) -> bool:
    words = [t.low for t in tokens if t.is_word][:4]
    if len(words) < 2:
        return False
    if _WISHES.match(" ".join(words)):
        return True
    first, second = words[:2]
    if first in _ASKING:
        after = words[2] if second == "n't" and len(words) > 2 else second
        return after in _ASKED
    ends = any(t.text in QUESTION_MARKS for t in tokens[-2:])
    asks = second in _ASKING | {"'s", "'re"} and first not in _LINKING
    return first in lex.QUESTION_WORDS - {"that"} and (asks or ends)


_LINKING = word_set("when where which who whom while")
"""Question words that tie a clause to the one before, where no question mark ends the sentence."""


_EMPHASIS = re.compile(
    r"\b(?:important|never forget|always remember|remember this|urgent|must)\b", re.IGNORECASE
)
_FEELING = re.compile(
    r"\b(?:love|hate|thrilled|devastated|heartbroken|terrified|ecstatic|died|passed away|engaged"
    r"|married|pregnant|proud|miss|afraid|cried|dream|amazing|best day|worst)\b",
    re.IGNORECASE,
)


def importance(text: str) -> float:
    """Return emphasis or strong feeling in [0, 1]."""
    value = 0.4 * bool(_EMPHASIS.search(text)) + 0.3 * bool(_FEELING.search(text))
    value += min(0.2, 0.1 * text.count("!"))
    return round(min(1.0, value + 0.1 * bool(re.search(r"\b[A-Z]{4,}\b", text))), 3)


# -- what stands before a statement and adds nothing -------------------------------------


def opened(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], bool]:
    """Take off "Well," "Hey Mel!" "I think" and the like; say whether one was a hedge."""
    words, hedged = tuple(tokens), False
    while True:
        while words and not words[0].is_word and words[0].text not in {'"', "$"}:
            words = words[1:]
        first = words[0].low if words else ""
        frames = (len(p) for p in lex.HEDGED_FRAMES.get(first, ()) if starts_with(words, p))
        frame = next(frames, 0)
        hedges = 0 < frame < len(words) and _goes_on(words, frame)
        cut = frame if hedges else _opener(words, first)
        if cut == 0:
            return words, hedged
        words, hedged = words[cut:], hedged or hedges


def _goes_on(words: Sequence[Token], at: int) -> bool:
    while at < len(words) and words[at].text == ",":
        at += 1
    return clause_at(words, at) is not None


def _opener(words: Sequence[Token], first: str) -> int:
    """Return how many words to take off the front: an opener, or a name called out ("Mel, ...")."""
    for phrase in lex.OPENERS.get(first, ()):
        after = len(phrase)
        if not starts_with(words, phrase) or after >= len(words):
            continue
        if words[after].text in {",", "!", ":", "-", "\u2014", "."} or _goes_on(words, after):
            return after
        end = name_end(words, after) if first in lex.GREETINGS else after
        if after < end < len(words) and words[end].text in {",", "!", "."}:
            return end
    end = name_end(words, 0)
    called = 0 < end < len(words) - 1 and words[end].text in {",", "!"}
    speaks = called and words[end + 1].low in {"i", "we", "my", "you", "it", "that", "this"}
    return end + 1 if speaks and clause_at(words, end + 1) else 0
