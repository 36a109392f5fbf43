"""The ask role: a question turned into queries, entities, hops and a time range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.claims import slot_of
from mags.models.policy.rules.clauses import OF, OWNED, Subject, subject_at
from mags.models.policy.rules.hops import hops_of
from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.names import mentions, name_end, surface
from mags.models.policy.rules.phrases import Scene, scene_of
from mags.models.policy.rules.tokens import Token, tokenise
from mags.models.policy.rules.when import Time, times
from mags.models.words import plainer
from mags.ports.english import (
    BASE,
    GERUND,
    PARTICIPLE,
    forms,
    is_verb,
    lemma,
    past_tense,
    third_person,
)
from mags.ports.policy import Hop, Plan, Turn
from mags.ports.relations import canonical, normalise, read

_PAST = re.compile(
    r"\b(before|used to|previous|previously|former|formerly|earlier|ex|in the past"
    r"|originally(?! (?:established|founded|created|developed|made|written|hail|come|from|born))"
    r"|back then|no longer|at first|initially|last time)\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(r"\b(will|going to|next|upcoming|plan|plans|planning|tomorrow)\b", re.I)
_EVENT = re.compile(
    r"\b(when|what time|how long ago|what day|what date|which day|which year|what year)\b", re.I
)
_FIRST = frozenset({"i", "me", "my", "we", "our", "us", "mine"})
_AUXILIARIES = word_set("do does did is are was were have has had will would can could 's 're am")
_SKIPPED = _AUXILIARIES | word_set("who what when where why how which")
_WH = word_set("who whom what when where which how whose")
_IDLE = word_set("now currently again today before previously formerly earlier originally still")


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
    dated = since is not None or _EVENT.search(question.text) is not None
    return Plan(
        queries=_queries(question.text, tokens, hops, scene, past=past),
        entities=_entities(question.text, tokens, hops, scene),
        hops=hops,
        since=since,
        until=until,
        episodic=0.83 if hops and not dated else 1.0,
        semantic=0.83 if dated and not hops else 1.0,
        past=past,
        answer_kind=answer_kind(tokens),
    )


def _span(found: Sequence[Time]) -> tuple[float | None, float | None]:
    """Return the range that the times of a question leave open."""
    since: float | None = None
    until: float | None = None
    for time in found:
        if time.role in {"since", "after"}:
            since = time.since if time.role == "since" else time.until
        elif time.role in {"until", "before"}:
            until = time.since if time.role == "before" else time.until
        else:
            since, until = time.since, time.until
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
    if any(t.low in _FIRST for t in tokens):
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
    while words and words[0].low in _SKIPPED - {"had", "'re", "am"}:
        words = words[1:]
    said: list[str] = []
    for token in words:
        if token.low.startswith("'") and said:
            said[-1] += token.low
        else:
            names = {"i": scene.speaker, "my": f"{scene.speaker}'s"}
            said.append(names.get(token.low, token.text))
    return " ".join(said)


_KINDS = {"who": "person", "whom": "person", "whose": "person", "where": "place", "when": "time",
          "why": "reason"}  # fmt: skip
_HOW = {"long": "time", "often": "time"} | dict.fromkeys(("many", "much", "old", "tall", "far"),
                                                         "number")  # fmt: skip
_NOUN_KINDS = {
    "place": word_set("city country town place continent capital state village street location"
                      " restaurant"),
    "person": word_set("person people man woman friend author singer actor president") | lex.KIN,
    "time": word_set("year day date month time week season"),
}  # fmt: skip


def answer_kind(tokens: Sequence[Token]) -> str:
    """Return person, place, time, number, thing, reason or yesno, or "" if unknown."""
    words = [t.low for t in tokens if t.is_word]
    for word, after in zip(words, [*words[1:], ""], strict=False):
        if word in _KINDS:
            return _KINDS[word]
        if word == "how":
            return _HOW.get(after, "")
        if word in {"what", "which"}:
            return next((kind for kind, nouns in _NOUN_KINDS.items() if after in nouns), "thing")
    yes_or_no = _AUXILIARIES - {"had", "am", "'s", "'re"} | {"should"}
    return "yesno" if words and words[0] in yes_or_no else ""


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
    rest = [t.low for t in words[subject.end :] if t.low not in _IDLE]
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
    tags = {form for _, form in forms(rest[0])}
    if aux in {"is", "are", "was", "were", "'s"}:
        if not tags:
            return f"is {' '.join(rest)}"
        if PARTICIPLE in tags and GERUND not in tags:
            return f"{aux} {' '.join(rest)}"
    return f"{lemma(rest[0])} {' '.join(rest[1:])}".strip()


def _kinded(noun: Sequence[str], base: str) -> str | None:
    """Read "what sister does Bob have", "what languages does Ana speak"."""
    noun = noun[2:] if noun[:1] == ["kind"] and len(noun) > 2 else noun
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
