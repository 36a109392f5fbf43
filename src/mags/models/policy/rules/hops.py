"""Nested questions taken apart: from the name inside outwards, one relation at a time.

"The capital of the country where the CEO of the developer of X holds citizenship": nouns stand
before the name, nearest first; a relative clause opened before it closes with a verb after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mags.models.policy.rules.lexicon import FUNCTION_WORDS, TABLES, parts, word_set
from mags.models.policy.rules.tokens import Token, join, tokenise
from mags.ports.english import is_verb
from mags.ports.policy import Hop
from mags.ports.relations import canonical


def _inverted(table: str) -> Mapping[str, str]:
    """Return the rows of a table by each of the words they hold."""
    return {word: row for row, words in TABLES[table].items() for word in parts(words)}


_NOUNS, _ACTIVE = _inverted("nouns"), _inverted("active")
_BY_KIND = {word: row.split(", ") for word, row in _inverted("by_kind").items()}
_CLOSING = tuple(
    (re.compile(rf"(?:{entry['says']})(?=$|\s)"), entry) for entry in TABLES["closing"]["verbs"]
)
_HEADS = {
    word: head
    for head, words in (
        ("country", "country nation"),
        ("city", "city town place location"),
        ("continent", "continent"),
        ("sport", "sport sports"),
        ("language", "language"),
        ("person", "person individual man woman artist musician people citizen"),
        ("company", "company organization organisation group team"),
        ("university", "university"),
    )
    for word in words.split()
}
_OPENERS = word_set("where which that who whom whose in to from of whence")
_ADJECTIVES = word_set("current original famous specific associated related linked")
_AGENTS = word_set(
    """who that which whose the person individual man woman company organization organisation
    group artist musician people citizen team band"""
)
_NO_SLOT = word_set("name one some kind type part half member number most any title")
_SPORT = "is associated with the sport of"
_OF_COUNTRIES = frozenset({"capital", "official language", "is located in the continent of"})
_LOOSE = re.compile(
    r"\b(director|manager|coach|ceo|founder|creator)s? (?:who )?(?:is )?"
    r"(?:associated|worked|linked) with\b"
)
_ORIGIN = "was created in the country of"
_LINKS = word_set(
    "van von der den del di du le the of a an and to on in as for with is & de la at by from"
)
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d]+?)(?:['\u2019]s)?[,.]?[\"\u201d](['\u2019]s)?")
_WORKS = word_set("film movie song album show series book novel game band group performer single")


@dataclass(slots=True)
class _Chain:
    """What was found so far: words left and right of it, and its relations from inside out."""

    left: list[str]
    right: list[str]
    relations: list[str]
    played: bool = False
    work: bool = False
    own: bool = False

    @property
    def person(self) -> bool:
        """Say whether the last answer is a person."""
        if not self.relations:
            return not self.work
        known = canonical(self.relations[-1])
        return bool(known and known.answers == "person")

    @property
    def inner(self) -> int:
        """Where the words before the name end, without its article."""
        end = len(self.left)
        while end and self.left[end - 1] in {"the", "a", "an"}:
            end -= 1
        return end

    def add(self, relation: str, played: bool = True) -> None:
        """Go one relation outwards; the same one twice in a row is one.

        Capitals, continents and official languages are those of countries: of a person that is
        the country of citizenship, of a sport the one it comes from.
        """
        self.played |= played and relation == _SPORT and not self.relations
        if self.relations and relation in _OF_COUNTRIES:
            if self.person:
                self.relations.append("is a citizen of")
            elif self.relations[-1] == _SPORT:
                self.relations.append(_ORIGIN)
        if not self.relations or self.relations[-1] != relation:
            self.relations.append(relation)


def hops_of(text: str, speaker: str) -> tuple[Hop, ...]:
    """Return the hops of a question, innermost first; () where it cannot be taken apart."""
    found = _split(text, speaker)
    if found is None:
        return ()
    name, chain = found
    while _step(chain):
        pass
    _finish(chain)
    relations = chain.relations
    if len(relations) > 1 and relations[0] == _SPORT and chain.played:
        relations = ["plays the position of", *relations]
    return tuple(
        Hop(subject="" if i else name, relation=relation) for i, relation in enumerate(relations)
    )


def _split(text: str, speaker: str) -> tuple[str, _Chain] | None:
    """Part a question at its innermost name: the words before it and after it, in lower case."""
    quoted = _QUOTED.search(text)
    if quoted:
        name = quoted[1].strip()
        owned = bool(quoted[2]) or quoted[0].rstrip('"\u201d.,').endswith(("'s", "\u2019s"))
        left, right = tokenise(text[: quoted.start()]), tokenise(text[quoted.end() :])
        words = _words(right)
        owned = owned or bool(words and words[0] in _NOUNS)
        return name, _Chain(_words(left), ["'s", *words] if owned else words, [], work=True)
    tokens = tokenise(text)
    start, end = _name(tokens)
    if end == start:
        mine = next((i for i, t in enumerate(tokens) if t.low in {"my", "our"}), None)
        if mine is None:
            return None
        return speaker, _Chain(
            _words(tokens[:mine]), ["'s", *_words(tokens[mine + 1 :])], [], own=True
        )
    name = join(tokens[start:end])
    return name, _Chain(_words(tokens[:start]), _words(tokens[end:]), [])


def _words(tokens: Sequence[Token]) -> list[str]:
    """Return words in lower case; "director/manager" as two."""
    found: list[str] = []
    for token in tokens:
        if token.is_word or token.text == "'":
            found += token.low.replace("/", " ").split()
    while found and found[-1] in _WORKS and len(found) > 2 and found[-2] in {"the", "of", "song"}:
        found.pop()
    text = " ".join("'s" if w == "'" else w for w in found)
    text = _LOOSE.sub(r"\1 of", text)
    return f"{text} ".replace("one of ", "").replace(" or associated with", "").split()


def _name(tokens: Sequence[Token]) -> tuple[int, int]:
    """Return the span of the name a question turns on: the longest run of capitals inside it."""
    best, i = (0, 0), 1
    while i < len(tokens):
        end = i
        if _capital(tokens[i]) and tokens[i].low not in _NOUNS and len(tokens[i].text) > 1:
            end = _run_end(tokens, i + 1)
        if end > i and end - i >= best[1] - best[0]:
            best = (i, end)
        i = max(end, i + 1)
    return best


def _run_end(tokens: Sequence[Token], end: int) -> int:
    """Return where a run of capitals ends, over "of the" and numerals."""
    while end < len(tokens):
        step = end
        while step < min(len(tokens), end + 2) and tokens[step].low in _LINKS:
            step += 1
        numeral = step == end and tokens[end].text[0].isdigit()
        if step >= len(tokens) or not (_capital(tokens[step]) or numeral):
            break
        end = step + 1
    point = end + 1 < len(tokens) and tokens[end].text == "." and _capital(tokens[end - 1])
    return end + point


def _capital(token: Token) -> bool:
    inner = token.text[:1].islower() and any(c.isupper() for c in token.text)
    return token.text[0].isupper() or inner


def _step(chain: _Chain) -> bool:
    """Take the next relation outwards; False where nothing more can be read."""
    return (
        _possessed(chain)
        or _noun_before(chain)
        or _active_before(chain)
        or _passive_before(chain)
        or _relative(chain)
    )


def _titled(chain: _Chain) -> bool:
    """Read "head coach" straight after the name: "the Dodgers head coach"."""
    for k in (3, 2, 1):
        relation = _NOUNS.get(" ".join(chain.right[:k])) if not chain.relations else None
        known = canonical(relation) if relation else None
        if relation and known is not None and known.answers == "person" and not chain.work:
            chain.add(relation)
            chain.right = chain.right[k:]
            return True
    return False


def _possessed(chain: _Chain) -> bool:
    """Read "'s head coach" after the name."""
    if not chain.right or chain.right[0] != "'s":
        return _titled(chain)
    words = chain.right[1:]
    for k in range(min(4, len(words)), 0, -1):
        phrase = [w for w in words[:k] if w not in {"current"}]
        if phrase == ["manager"] and chain.person:
            phrase = ["boss"]  # of a person; what is made or run has a director
        relation = _relation(" ".join(phrase), chain.person)
        if chain.own and not chain.relations and phrase in (["son"], ["daughter"]):
            relation = phrase[0]  # as speakers tell of their own; of others it is a child
        if relation:
            chain.add(relation)
            chain.right = words[k:]
            return True
    chain.right = words
    return bool(words)


def _relation(phrase: str, person: bool) -> str | None:
    if phrase in _BY_KIND:
        return _BY_KIND[phrase][0 if person else 1]
    if phrase in _NOUNS:
        return _NOUNS[phrase]
    if not phrase or phrase.split()[-1] in FUNCTION_WORDS or is_verb(phrase.split()[-1]):
        return None
    known = canonical(phrase)
    return known.name if known and (known.noun or known.answers == "person") else None


def _noun_before(chain: _Chain) -> bool:
    """Read "the head coach of (the)" before the name."""
    left, end = chain.left, chain.inner
    if not end or left[end - 1] not in {"of", "for", "behind", "to", "in"}:
        return False
    end -= 1
    for k in range(min(4, end), 0, -1):
        phrase = " ".join(w for w in left[end - k : end] if w not in _ADJECTIVES or w == "original")
        if phrase.startswith(("the ", "what ", "which ")):
            continue
        relation = _relation(phrase, chain.person)
        if relation:
            chain.add(relation)
            chain.left = left[: end - k]
            return True
    last = left[end - 1] if end else ""
    if left[end] != "of" or last in _NO_SLOT | FUNCTION_WORDS | set(_HEADS) or is_verb(last):
        return False
    chain.add(last)
    chain.left = left[: end - 1]
    return True


def _active_before(chain: _Chain) -> bool:
    """Read "the person who founded (the)" before the name."""
    left, end = chain.left, chain.inner
    for k in range(min(3, end), 0, -1):
        verb = " ".join(left[end - k : end])
        if verb not in _ACTIVE or end == k or left[end - k - 1] not in _WHOS:
            continue
        end -= k
        relation = _ACTIVE[verb]
        while end and left[end - 1] in _AGENTS:
            end -= 1
            relation = _NOUNS.get(left[end], relation)
        chain.add(relation)
        chain.left = left[:end]
        return True
    return False


_WHOS = word_set("who that which individual person whose citizen")
_PASSIVE = re.compile(
    r"(?:^| )(?P<head>sports?|country|language|position)(?: that is| which is| is| was)? "
    r"(?:originally )?(?P<verb>played|coached|associated|related|linked|affiliated|managed)"
    r" (?:by|with|to)(?: the)?$"
)


def _passive_before(chain: _Chain) -> bool:
    """Read "the sport played by" before the name."""
    match = _PASSIVE.search(" ".join(chain.left))
    if match is None:
        return False
    if match["head"].startswith("sport"):
        chain.add(_SPORT, match["verb"] == "played")
    elif match["head"] == "country":
        chain.add("is a citizen of" if chain.person else _ORIGIN)
    else:
        return False
    chain.left = " ".join(chain.left)[: match.start()].split()
    return True


def _relative(chain: _Chain) -> bool:
    """Read "the country where ... holds citizenship", "the sport ... plays" around the name."""
    left, right, end = chain.left, chain.right, chain.inner
    start = end
    while start and left[start - 1] in _OPENERS:
        start -= 1
    head = _HEADS.get(left[start - 1], "") if start else ""
    closed = _closing(" ".join(right), head, chain.person)
    if closed is None or (start == end and head not in {"sport", "country", "continent", "city"}):
        return False
    relation, length = closed
    chain.add(relation)
    chain.right = " ".join(right)[length:].split()
    if head == "continent" and relation != "is located in the continent of":
        return True
    chain.left = left[: start - 1] if head and head != "continent" else left[:start]
    if head == "continent":
        chain.left = []
    return True


def _closing(text: str, head: str, person: bool) -> tuple[str, int] | None:
    """Return the relation of a verb at the start of a text, and how long it is."""
    for pattern, entry in _CLOSING:
        match = pattern.match(text)
        if match is None or entry.get("head", head) != head:
            continue
        kind = "person" if person else "other"
        relation = entry.get(head) or entry.get("relation") or entry[kind]
        return relation, match.end()
    return None


def _finish(chain: _Chain) -> None:
    """Add what the question itself asks: "which continent ...", "what language ..."."""
    rest, left = " ".join(chain.right), " ".join(chain.left)
    closed = _closing(rest, "", chain.person) if rest else None
    if closed and closed[0] in _LAST and chain.person and chain.relations:
        chain.add(closed[0])
    if rest == "do" and chain.relations and chain.person:
        chain.add("works as")
    asked = next((relation for pattern, relation in _ASKED if pattern.search(left)), "")
    if asked and chain.relations:
        chain.add(asked)
    elif not asked and "official language" in rest:
        chain.add("official language")
    elif not asked and re.search(r"\bcapital\b", rest):
        chain.add("capital")


_LAST = frozenset(
    {"was born in", "is a citizen of", "works at", "lives in", "died in", "was educated at"}
)
_ASKED = (
    (re.compile(r"^how old\b"), "age"),
    (re.compile(r"\bcontinent\b"), "is located in the continent of"),
    (re.compile(r"\bcapital\b|seat of government"), "capital"),
    (re.compile(r"\blanguage\b"), "official language"),
    (re.compile(r"\bheadquarters\b"), "headquarters is located in the city of"),
)
