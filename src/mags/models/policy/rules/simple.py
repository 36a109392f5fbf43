"""Questions of one hop: "Where does Alice live?", "What is my favourite food?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules.clause import OF, OWNED, PRONOUN, Subject, subject_at
from mags.models.policy.rules.lexicon import PREPOSITIONS, SILENT, word_set
from mags.models.policy.rules.names import name_end, surface
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.slots import slot_of
from mags.models.policy.rules.tokens import Token
from mags.ports.english import (
    GERUND,
    PARTICIPLE,
    forms,
    is_verb,
    lemma,
    past_tense,
    third_person,
)
from mags.ports.policy import Hop
from mags.ports.relations import canonical, normalise, read

_AUXILIARIES = word_set("do does did is are was were has have had will would can could 's 're am")
_WH = frozenset({"who", "whom", "what", "when", "where", "which", "how", "whose"})
_WHEN = word_set("now currently again today before previously formerly earlier originally still")
_DEFAULTS = {
    ("where", "live"): "lives in",
    ("where", "work"): "works at",
    ("where", "bear"): "was born in",
    ("when", "bear"): "was born on",
    ("where", "from"): "is from",
    ("where", "study"): "studied at",
    ("where", "die"): "died in",
    ("when", "die"): "died on",
    ("where", "move"): "lives in",
    ("where", "come"): "is from",
    ("where", "grow"): "is from",
    ("where", "stay"): "lives in",
    ("who", "marry"): "is married to",
    ("who", "date"): "is dating",
    ("how", "old"): "age",
    ("what", "weigh"): "weight",
    ("how", "weigh"): "weight",
    ("where", "graduate"): "studied at",
    ("where", "employ"): "works at",
    ("where", "locate"): "is located in",
    ("where", "reside"): "lives in",
    ("what", "do"): "works as",
    ("how", "tall"): "height",
    ("where", "raise"): "is from",
    ("where", "base"): "lives in",
}


def simple_hop(tokens: Sequence[Token], scene: Scene) -> Hop | None:
    """Return the one hop a plain question asks for, or None."""
    words = [t for t in tokens if t.is_word]
    if not words:
        return None
    start = next((i for i, t in enumerate(words[:6]) if t.low in _WH), None)
    if start is None:
        return _yes_or_no(words, scene)
    wh = words[start].low
    k = start + 1
    noun: list[str] = []
    while k < len(words) and words[k].low not in _AUXILIARIES and k < start + 4:
        if is_verb(words[k].low) and wh in {"who", "what"} and not noun:
            return _of_object(words, k, scene)
        noun.append(words[k].low)
        k += 1
    if k >= len(words) or words[k].low not in _AUXILIARIES:
        return None
    return _of_subject(words, k, wh, noun, scene)


def _name(subject: Subject, scene: Scene) -> str | None:
    if subject.kind == PRONOUN:
        names = scene.subjects(subject)
        return names[0] if names else None
    names = scene.subjects(subject)
    return names[0] if names else None


def _of_subject(
    words: Sequence[Token], k: int, wh: str, noun: Sequence[str], scene: Scene
) -> Hop | None:
    """Read what follows the auxiliary: a slot ("my favourite food"), or subject and verb."""
    aux = words[k].low
    subject = subject_at(words, k + 1)
    if subject is None:
        return None
    rest = [t.low for t in words[subject.end :] if t.low not in _WHEN]
    if rest[-3:] == ["for", "a", "living"]:
        rest = rest[:-3]
    if (
        aux in {"is", "are", "was", "'s", "were", "'re"}
        and subject.kind in {OWNED, OF}
        and not rest
    ):
        return _slot(subject, scene)
    named = _called(subject, rest, scene)
    if named:
        return named
    name = _name(subject, scene)
    if name is None:
        return None
    relation = _relation(wh, aux, rest, noun)
    return Hop(subject=name, relation=relation) if relation else None


def _called(subject: Subject, rest: Sequence[str], scene: Scene) -> Hop | None:
    """Read "what is my dog called": the slot that holds its name."""
    if subject.kind != OWNED or subject.names or rest not in (["called"], ["named"]):
        return None
    owner = scene.owner(subject.owner)
    known = slot_of(subject.noun)
    return Hop(subject=owner, relation=known.name if known else subject.noun) if owner else None


def _slot(subject: Subject, scene: Scene) -> Hop | None:
    if subject.kind == OWNED and subject.noun == "name" and "|" in subject.owner:
        outer, _, inner = subject.owner.rpartition("|")
        return _called(replace(subject, owner=outer, noun=inner), ["called"], scene)
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
    return reading.relation.name if reading else _own(aux, base, rest[1:])


def _own(aux: str, base: str, rest: Sequence[str]) -> str | None:
    """Return a verb the table does not know as facts have it: "break" in "did ... break"."""
    if not is_verb(base) or any(word not in PREPOSITIONS for word in rest) or base in SILENT:
        return None
    told = {"did": past_tense, "does": third_person, "do": third_person}.get(aux)
    return normalise(" ".join([told(base), *rest])).name if told else None


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
    """Read "what sport does Bob play", "what languages does Ana speak"."""
    if not noun:
        return None
    if noun[0] == "kind" and len(noun) > 2:
        noun = noun[2:]
    word = noun[-1].rstrip("s")
    if base == "have":
        known = canonical(noun[-1])
        return known.name if known else None
    if word == "language" and base == "speak":
        return "speaks"
    if word == "instrument" and base == "play":
        return "plays"
    return None


def _of_object(words: Sequence[Token], k: int, scene: Scene) -> Hop | None:
    """Read "who founded Acme", "who likes tea", "who lives in Oslo": follow the inverse."""
    for end in range(min(k + 4, len(words)), k, -1):
        reading = read(" ".join(t.low for t in words[k:end]))
        if reading is None:
            continue
        rest = words[end:]
        skip = 1 if rest and rest[0].low in {"the", "a", "an"} else 0
        stop = name_end(rest, skip)
        if stop == 0 or stop == skip:
            if not rest[skip:] or len(rest) > 5:
                return None
            name = " ".join(t.text for t in rest[skip:])
        else:
            name = surface(rest[skip:stop])
        relation = reading.relation
        if relation.inverse and canonical(relation.inverse) and relation.inverse.startswith("was "):
            return Hop(subject=name, relation=relation.inverse)
        return Hop(subject=name, relation=relation.name, inverse=True)
    return None


def _yes_or_no(words: Sequence[Token], scene: Scene) -> Hop | None:
    """Read "Does Bob like tea?": the slot to look at."""
    if words[0].low not in _AUXILIARIES:
        return None
    subject = subject_at(words, 1)
    if subject is None:
        return None
    name = _name(subject, scene)
    rest = [t.low for t in words[subject.end :]]
    if name is None or not rest:
        return None
    aux = words[0].low
    lead = [lemma(rest[0])] if aux in {"do", "does", "did"} else [aux, rest[0]]
    for k in range(min(4, len(rest)), 0, -1):
        reading = read(" ".join([*lead, *rest[1:k]]))
        if reading and reading.relation.name not in {"is", "was"}:
            return Hop(subject=name, relation=reading.relation.name)
    return None
