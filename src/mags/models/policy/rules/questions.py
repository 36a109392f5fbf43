"""The ask role: a question turned into queries, entities, hops and a time range.

Nested questions are taken apart from the name inside outwards, one relation at a time: "The capital
of the country where the CEO of the developer of X holds citizenship". Nouns stand before the name,
nearest first; a relative clause opened before it closes with a verb after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.claims import slot_of
from mags.models.policy.rules.clauses import OF, OWNED, Subject, subject_at
from mags.models.policy.rules.lexicon import FUNCTION_WORDS, TABLES, parts
from mags.models.policy.rules.phrases import Scene, scene_of
from mags.models.policy.rules.sets import set_question
from mags.models.policy.rules.tokens import Token, join, mentions, name_end, surface, tokenise
from mags.models.policy.rules.when import Time, times
from mags.ports.english import (
    BASE,
    PARTICIPLE,
    PAST_WORDS,
    forms,
    is_verb,
    lemma,
    past_tense,
    third_person,
    word_set,
)
from mags.ports.policy import Hop, Plan, Turn
from mags.ports.relations import canonical, normalise, read

_PAST = re.compile(
    rf"\b(?:{PAST_WORDS}|ex|initially|last time|originally"
    r"(?! (?:established|founded|created|developed|made|written|hail|come|from|born)))\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(r"\b(will|going to|next|upcoming|plan|plans|planning|tomorrow)\b", re.I)
_AUXILIARIES = word_set("do does did is are was were have has had will would can could 's 're am")
_WH = lex.QUESTION_WORDS - {"why"}


def ask(question: Turn, recent: Sequence[Turn]) -> Plan:
    """Return how to look for the answer to a question, by rules."""
    scene = scene_of(question, recent, ())
    tokens = tokenise(question.text)
    found = times(question.text, question.at, future=bool(_FUTURE.search(question.text)))
    since, until = _span(found)
    plain = plainer(question.text)
    hops = _hops(plain, tokenise(plain), scene)
    past = bool(_PAST.search(question.text)) or _asks_a_change(tokens)
    past = past or (_held_then(hops) and until is not None and until <= question.at)
    members = set_question(question)
    dated = since is not None or re.search(_WHEN, question.text, re.I) is not None
    return Plan(
        queries=_queries(question.text, tokens, hops, scene, past=past),
        entities=_entities(question.text, tokens, hops, scene),
        hops=hops,
        members=members.members if members else None,
        since=since,
        until=until,
        episodic=0.83 if hops and not dated else 1.0,
        semantic=0.83 if dated and not hops else 1.0,
        past=past,
        answer_kind=answer_kind(question.text),
    )


def _span(found: Sequence[Time]) -> tuple[float | None, float | None]:
    """Return the range that the times of a question leave open."""
    since: float | None = None
    until: float | None = None
    for time in found:
        first, last = time.bounds
        since, until = since if first is None else first, until if last is None else last
    return since, until


def _held_then(hops: Sequence[Hop]) -> bool:
    """Say whether a state is asked for, which may be over by now ("lived in June 2023")."""
    known = normalise(hops[0].relation) if len(hops) == 1 and not hops[0].inverse else None
    return known is not None and (known.one or bool(known.past))


def _after_did(words: Sequence[Token]) -> int | None:
    """Return where the verb of "did Ana move" stands, None where there is none."""
    did = next((i for i, t in enumerate(words) if t.low == "did"), None)
    subject = subject_at(words, did + 1) if did is not None else None
    return subject.end if subject and subject.end < len(words) else None


def _asks_a_change(tokens: Sequence[Token]) -> bool:
    """Say whether an act is asked for ("what did Bob buy?"), which stays done once it is undone."""
    words = [t for t in tokens if t.is_word]
    at = _after_did(words)
    said = [t.low for t in words[at : at + 3]] if at is not None else []
    readings = (read(" ".join(said[:k])) for k in range(len(said), 0, -1))
    return any(reading is not None and reading.change for reading in readings)


def _hops(text: str, tokens: Sequence[Token], scene: Scene) -> tuple[Hop, ...]:
    """Return the chain of a nested question, or the one hop of a plain one."""
    chain = hops_of(text, scene.speaker)
    one = simple_hop(tokens, scene) if len(chain) < 2 else None
    return (one,) if one else chain


def _entities(
    text: str, tokens: Sequence[Token], hops: Sequence[Hop], scene: Scene
) -> tuple[str, ...]:
    found = dict.fromkeys([hop.subject for hop in hops if hop.subject])
    found |= dict.fromkeys(mentions(text))
    if any(t.low in lex.FIRST for t in tokens):
        found.setdefault(scene.speaker, None)
    if not found:
        meant = (scene.person(t.low) for t in tokens if t.low in {"he", "she", "his", "her", "him"})
        found |= dict.fromkeys(person for person in meant if person)
    return tuple(found)


def _queries(
    text: str, tokens: Sequence[Token], hops: Sequence[Hop], scene: Scene, *, past: bool
) -> tuple[str, ...]:
    """Return the question, a statement that would answer it, and a step back."""
    found: dict[str, None] = {text.strip() or text: None}
    if len(hops) == 1:
        hop, relation = hops[0], normalise(hops[0].relation)
        name = hop.relation if relation.kinds else relation.name
        name = relation.past if past and relation.past else name
        said = f"{hop.subject}'s {name} is" if relation.noun else f"{hop.subject} {name}"
        found.setdefault(f"{name} {hop.subject}" if hop.inverse else said, None)
    elif hops:
        found.setdefault(f"{hops[0].subject} {normalise(hops[0].relation).name}", None)
    else:
        found.setdefault(_statement(tokens, scene), None)
    telling = [t.text for t in tokens if t.is_word and t.low not in lex.FUNCTION_WORDS]
    if len(telling) > 1:
        found.setdefault(" ".join(telling), None)
    return tuple(q for q in found if q)


def _statement(tokens: Sequence[Token], scene: Scene) -> str:
    """Return the question with its wh-word and auxiliary gone and "I" told by name."""
    words = [t for t in tokens if t.is_word]
    at = _after_did(words)
    if at is not None and any(form == BASE for _, form in forms(words[at].low)):
        past = past_tense(words[at].low)  # "when did Ana run": a statement has "ran"
        words[at] = replace(words[at], text=past, low=past)
    while words and words[0].low in lex.QUESTION_WORDS | _AUXILIARIES - {"had", "'re", "am"}:
        words = words[1:]
    said: list[str] = []
    for token in words:
        if token.low.startswith("'") and said:
            said[-1] += token.low
        else:
            names = {"i": scene.speaker, "my": f"{scene.speaker}'s"}
            said.append(names.get(token.low, token.text))
    return " ".join(said)


_WHEN = (
    r"\b(?:how (?:long ago|recently)|when|(?:what|which) (?:day|date|year|month|time)s?"
    r"|what(?:'s| is| was| are| were) (?:the|my|our|his|her|their) (?:dates?|(?:first|last) day))\b"
)
KINDS = (
    (_WHEN, "time"),
    (
        r"\b(?:how (?:many|much|old|long|often|far|tall|big))\b|\bwhat (?:number|age)\b",
        "number",
    ),
    (r"\b(?:who|whom|whose|(?:what|which) (?:person|friend|man|woman))\b", "person"),
    (r"\b(?:where|(?:what|which) (?:place|city|town|country|street|state))\b", "place"),
    (r"\b(?:why|what(?:'s| is| was) the reason|how come)\b", "reason"),
    (r"\b(?:what|which|how)\b", "thing"),
)
YES_NO = re.compile(
    r"^(?:so |and |but |well,? )?(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|"
    r"would|should)(?:n't)?\b",
    re.I,
)


def answer_kind(question: str) -> str:
    """Return person, place, time, number, thing, reason or yesno, or "" if unknown."""
    found = [(m.start(), kind) for by, kind in KINDS if (m := re.search(by, question, re.I))]
    return min(found, key=itemgetter(0), default=(0, "yesno" if YES_NO.match(question) else ""))[1]


# -- one hop: "Where does Alice live?", "What is my favourite food?" ---------------------

_DEFAULTS = {
    ("where", "live"): "lives in", ("where", "work"): "works at", ("where", "bear"): "was born in",
    ("when", "bear"): "was born on", ("where", "from"): "is from", ("where", "study"): "studied at",
    ("where", "die"): "died in", ("when", "die"): "died on", ("where", "move"): "lives in",
    ("where", "come"): "is from", ("where", "grow"): "is from", ("where", "stay"): "lives in",
    ("who", "marry"): "is married to", ("who", "date"): "is dating", ("how", "old"): "age",
    ("what", "weigh"): "weight", ("how", "weigh"): "weight", ("where", "graduate"): "studied at",
    ("where", "employ"): "works at", ("where", "locate"): "is located in",
    ("where", "reside"): "lives in", ("what", "do"): "works as", ("how", "tall"): "height",
    ("where", "raise"): "is from", ("where", "base"): "lives in",
}  # fmt: skip


def simple_hop(tokens: Sequence[Token], scene: Scene) -> Hop | None:
    """Return the one hop a plain question asks for, or None."""
    words = [t for t in tokens if t.is_word]
    start = next((i for i, t in enumerate(words[:6]) if t.low in _WH), None)
    if start is None:
        return _yes_or_no(words, scene)
    wh, k = words[start].low, start + 1
    noun: list[str] = []
    while k < len(words) and words[k].low not in _AUXILIARIES and k < start + 4:
        if is_verb(words[k].low) and wh in {"who", "what"} and not noun:
            return _of_object(words, k)
        noun.append(words[k].low)
        k += 1
    if k >= len(words) or words[k].low not in _AUXILIARIES:
        return None
    return _of_subject(words, k, wh, noun, scene)


def _of_subject(
    words: Sequence[Token], k: int, wh: str, noun: Sequence[str], scene: Scene
) -> Hop | None:
    """Read what follows the auxiliary: a slot ("my favourite food"), or subject and verb."""
    aux, subject = words[k].low, subject_at(words, k + 1)
    if subject is None:
        return None
    rest = [t.low for t in words[subject.end :] if t.low not in lex.ADVERBS | {"before", "earlier"}]
    rest = rest[:-3] if rest[-3:] == ["for", "a", "living"] else rest
    be = aux in {"is", "are", "was", "'s", "were", "'re"}
    if be and subject.kind in {OWNED, OF} and not rest:
        return _slot(subject, scene)
    if subject.kind == OWNED and not subject.names and rest in (["called"], ["named"]):
        return _called(subject, scene)  # "what is my dog called"
    names = scene.subjects(subject)
    relation = _relation(wh, aux, rest, noun) if names else None
    return Hop(subject=names[0], relation=relation) if names and relation else None


def _called(subject: Subject, scene: Scene) -> Hop | None:
    owner, known = scene.owner(subject.owner), slot_of(subject.noun)
    return Hop(subject=owner, relation=known.name if known else subject.noun) if owner else None


def _slot(subject: Subject, scene: Scene) -> Hop | None:
    if subject.kind == OWNED and subject.noun == "name" and "|" in subject.owner:
        outer, _, inner = subject.owner.rpartition("|")
        return _called(replace(subject, owner=outer, noun=inner), scene)
    owner = subject.names[0] if subject.kind == OF else scene.owner(subject.owner)
    if not owner:
        return None
    noun = subject.noun.replace("favorite", "favourite")
    known = canonical(f"the {noun} of {{}} is") if subject.kind == OF else slot_of(noun)
    return Hop(subject=owner, relation=noun if known is None or known.kinds else known.name)


def _relation(wh: str, aux: str, rest: Sequence[str], noun: Sequence[str]) -> str | None:
    """Return the relation of "where does ... live", "what is ... known for"."""
    if wh == "how" and noun:
        return _DEFAULTS.get(("how", noun[0]))
    if not rest:
        return "lives in" if wh == "where" and aux in {"is", "'s", "are", "am"} else None
    base = lemma(rest[0])
    if base == "move" and "from" in rest:
        return "lived in"
    slot = _kinded(noun, base)
    if slot:
        return slot
    default = _DEFAULTS.get((wh, base)) or _DEFAULTS.get((wh, rest[-1]))
    if wh == "when":
        return default
    placed = rest[-1] in {"in", "at", "from", "to", "for"}
    if default and (len(rest) == 1 or placed or wh == "where"):
        return default
    phrase = _phrase(aux, rest)
    past = read(f"used to {phrase}") if aux == "did" and base not in {"die", "marry"} else None
    reading = past or read(phrase)
    if reading:
        return reading.relation.name
    # A verb the table does not know goes as facts have it: "broke" for "did ... break".
    if (
        not is_verb(base)
        or any(word not in lex.PREPOSITIONS for word in rest[1:])
        or base in lex.SILENT
    ):
        return None
    told = {"did": past_tense, "does": third_person, "do": third_person}.get(aux)
    return normalise(" ".join([told(base), *rest[1:]])).name if told else None


def _phrase(aux: str, rest: Sequence[str]) -> str:
    """Return verb and what follows as the table reads it: "is known for", "work for"."""
    suffers = any(form == PARTICIPLE for _, form in forms(rest[0]))
    if suffers and aux in {"is", "are", "was", "were", "'s"}:
        return f"{aux} {' '.join(rest)}"
    return f"{lemma(rest[0])} {' '.join(rest[1:])}".strip()


def _kinded(noun: Sequence[str], base: str) -> str | None:
    """Read "what sister does Bob have", "what languages does Ana speak"."""
    word = noun[-1].rstrip("s") if noun else ""
    if word and base == "have":
        known = canonical(noun[-1])
        return known.name if known else None
    return {("language", "speak"): "speaks", ("instrument", "play"): "plays"}.get((word, base))


def _of_object(words: Sequence[Token], k: int) -> Hop | None:
    """Read "who founded Acme", "who likes tea", "who lives in Oslo": follow the inverse."""
    for end in range(min(k + 4, len(words)), k, -1):
        reading = read(" ".join(t.low for t in words[k:end]))
        if reading is None:
            continue
        rest = words[end:]
        skip = 1 if rest and rest[0].low in {"the", "a", "an"} else 0
        stop = name_end(rest, skip)
        if stop <= skip and (not rest[skip:] or len(rest) > 5):
            return None
        name = surface(rest[skip:stop] if stop > skip else rest[skip:])
        inverse = reading.relation.inverse
        if inverse.startswith("was ") and canonical(inverse):
            return Hop(subject=name, relation=inverse)
        return Hop(subject=name, relation=reading.relation.name, inverse=True)
    return None


def _yes_or_no(words: Sequence[Token], scene: Scene) -> Hop | None:
    """Read "Does Bob like tea?": the slot to look at."""
    asks = bool(words) and words[0].low in _AUXILIARIES
    subject = subject_at(words, 1) if asks else None
    names = scene.subjects(subject) if subject else None
    rest = [t.low for t in words[subject.end :]] if subject else []
    if not names or not rest:
        return None
    lead = [lemma(rest[0])] if words[0].low in {"do", "does", "did"} else [words[0].low, rest[0]]
    for k in range(min(4, len(rest)), 0, -1):
        reading = read(" ".join([*lead, *rest[1:k]]))
        if reading and reading.relation.name not in {"is", "was"}:
            return Hop(subject=names[0], relation=reading.relation.name)
    return None


# -- nested questions ----------------------------------------------------------


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
    if len(relations) > 1 and chain.played:
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
        if relation and known and known.answers == "person" and not chain.work:
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
        relation = _relation_of(" ".join(phrase), chain.person)
        if chain.own and not chain.relations and phrase in (["son"], ["daughter"]):
            relation = phrase[0]  # as speakers tell of their own; of others it is a child
        if relation:
            chain.add(relation)
            chain.right = words[k:]
            return True
    chain.right = words
    return bool(words)


def _relation_of(phrase: str, person: bool) -> str | None:
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
        relation = _relation_of(phrase, chain.person)
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
    chain.left = [] if head == "continent" else left[: start - bool(head)]
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


# -- questions put plainly ------------------------------------------------------------

_WHO = r"(?P<who>I|we|[A-Z]\w*|my \w+)"
_PLAIN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.I), plain)
    for pattern, plain in (
        (
            rf"\b(?:what|which) (?P<noun>[a-z]+) (?:do|does|did) {_WHO} (?:like|love|enjoy)"
            r" (?:the )?(?:best|most)\b",
            r"what is \g<who>'s favourite \g<noun>",
        ),
        (r"(?<=\w), [\w' -]+ or [\w' -]+(?=\?*$)", ""),
        (
            rf"^what(?:'s| is| are| am| 's) {_WHO} into(?: (?:now|these days))?(?=\?*$)",
            r"what does \g<who> like",
        ),
        (r"\bmy (?:closest|oldest) friend\b", "my best friend"),
        (r"\bmy (?:boy|lad)(?='s|\b)(?! ?friend)", "my son"),
        (r"\bmy (?:little |baby )?girl(?='s|\b)", "my daughter"),
        (r"\bmy (?:other half|significant other|spouse)\b", "my partner"),
        (r"\bwhat(?:'s| is) my number\b", "what is my phone number"),
        (
            r"\b(?P<do>do|does) (?P<who>I|we|[A-Z]\w*) have any (?P<noun>[a-z]+)s\b",
            r"what \g<noun>s \g<do> \g<who> have",
        ),
    )
)


def plainer(question: str) -> str:
    """A question in the words that facts are told in; as it is where it has others."""
    for pattern, plain in _PLAIN:
        question = pattern.sub(plain, question)
    return re.sub(r"\b[Ii]'s favourite\b", "my favourite", question)
