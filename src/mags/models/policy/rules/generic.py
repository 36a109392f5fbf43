"""Verbs in general: by the relation table first, then under their own words."""

from __future__ import annotations

from dataclasses import replace

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.clause import NAME, THING, Clause
from mags.models.policy.rules.lexicon import (
    ADVERBS,
    EMPTY_OBJECTS,
    FEELINGS,
    LIGHT,
    PARTICLES,
    PREPOSITIONS,
    SILENT,
    word_set,
)
from mags.models.policy.rules.phrase import Object, Rest, cut_aside, object_of, parted
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token, join
from mags.models.policy.rules.verbs import Verb
from mags.ports.inflection import gerund, past_tense, third_person
from mags.ports.policy import Act, Operation
from mags.ports.relations import Reading, Relation, canonical, read

ALONE = word_set(
    """like love enjoy adore hate dislike detest loathe despise prefer want need own possess have
    buy purchase acquire adopt inherit speak drive drink eat marry divorce date play study write
    found establish co-found cofound create develop invent direct perform sing visit meet join
    border fear"""
)
"""Verbs that name a relation of the table with nothing but an object after them."""
_TO_VERB = word_set("like love enjoy want need plan intend hope prefer hate")
_OPEN_ENDED = word_set("want need plan intend hope like love enjoy hate prefer")


def read_generic(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, names: tuple[str, ...]
) -> list[Operation] | None:
    """Return the operations of a verb with its object; None where it cannot be read."""
    found: list[Operation] = []
    unread = False
    for name in names:
        operations = _known(clause, rest, scene, manner, name)
        if operations is None:
            operations = _own(clause, rest, scene, manner, name)
        if operations is None:
            unread = True
        else:
            found += operations
    return None if unread and not found else found


def _surface(verb: Verb) -> str:
    """Return the verb as the table reads it: past where it is over, else in base form."""
    if verb.tense == "used":
        return f"used to {verb.base}"
    if verb.passive:
        return f"{'was' if verb.tense == 'past' else 'is'} {verb.form}"
    if verb.tense == "past" and not verb.negated:
        return past_tense(verb.base)
    return verb.base


def _match(verb: Verb, words: tuple[Token, ...]) -> tuple[Reading, int] | None:
    """Return what the table knows for a verb with the words after it, the longest match."""
    if verb.base in {"find", "be", "have"}:
        return None
    surface = _surface(verb)
    for k in range(min(5, len(words)), -1, -1):
        if k and words[k - 1].low not in PREPOSITIONS:
            continue
        if k == 0 and (verb.base not in ALONE or _unlike(verb, words)):
            return None
        phrase = " ".join([surface, *(t.low for t in words[:k])])
        reading = None
        if verb.tense == "progressive":
            reading = read(f"is {gerund(verb.base)} {' '.join(t.low for t in words[:k])}".strip())
        reading = reading or read(phrase)
        if reading and not reading.relation.noun and (k or reading.relation.name != "is called"):
            return reading, k
    return None


_DEEDS = word_set("write found establish co-found cofound create develop invent direct perform sing")


def _unlike(verb: Verb, words: tuple[Token, ...]) -> bool:
    """Say whether a verb without its preposition is not what the table means."""
    ongoing = verb.tense in {"present", "progressive"} or verb.form.endswith("ing")
    placed = bool(words) and words[0].low in PREPOSITIONS
    return placed or (verb.base in _DEEDS and ongoing and not verb.passive)


def _known(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, name: str
) -> list[Operation] | None:
    verb = clause.verb
    if clause.subject.kind == THING and not verb.passive:
        return []
    if verb.base in _OPEN_ENDED and verb.tense == "past" and verb.base not in {"love", "like"}:
        return []
    if verb.base in _OPEN_ENDED and rest.tokens[:1] and rest.tokens[0].low == "to":
        return _wish(clause, rest, scene, manner, name)
    match = _match(verb, rest.tokens)
    if match is None:
        return None
    reading, k = match
    if reading.relation.name == "plans to":
        return None
    body, sides = parted(rest.tokens[k:])
    things = objects(body, scene, name)
    if not things or (_acquaintance(verb) and not all(t.is_name for t in things)):
        return [] if verb.base in SILENT or not body else None
    told = replace(manner, sides={**manner.sides, **sides})
    found = []
    for thing in things:
        found += _fact(clause, reading, thing, scene, told, name)
    return found + _job(sides, clause, scene, manner, name)


def _acquaintance(verb: Verb) -> bool:
    return verb.base in {"know", "meet"} and not verb.passive


def _fact(
    clause: Clause, reading: Reading, thing: Object, scene: Scene, manner: Manner, name: str
) -> list[Operation]:
    verb, relation = clause.verb, reading.relation
    gone = verb.gone or "gone" in manner.sides
    change = (
        reading.change or gone or bool({"now", "instead"} & verb.shades) or "now" in manner.sides
    )
    said = Said(
        subject=name,
        relation=relation,
        object=thing.text,
        object_is_name=thing.is_name,
        change=change,
    )
    manner = replace(
        manner, sides={k: v for k, v in manner.sides.items() if k not in {"now", "gone"}}
    )
    if verb.tense == "used":
        present = next((r for r in (canonical(verb.base),) if r), None)
        del present
        return [claim(scene, manner, said)]
    if verb.negated or gone:
        return _denied(clause, said, relation, scene, manner, gone)
    if reading.change and verb.tense == "past":
        said = replace(said, verb=_told(clause, thing))
    return [claim(scene, manner, said)]


def _told(clause: Clause, thing: Object) -> str:
    """Return the verb with its particles as said: "moved to"."""
    words = []
    for token in clause.rest:
        if token.low not in PREPOSITIONS | PARTICLES | {"working", "a", "new", "job", "hired"}:
            break
        words.append(token.low)
    return " ".join([past_tense(clause.verb.base), *words]).removesuffix(" a")


def _denied(
    clause: Clause, said: Said, relation: Relation, scene: Scene, manner: Manner, gone: bool
) -> list[Operation]:
    """Read a denial: a lasting dislike, or something that is no longer or never was so."""
    if relation.name == "likes" and not gone:
        return [claim(scene, manner, replace(said, relation="dislikes", change=False))]
    if relation.name == "dislikes" and not gone:
        return [claim(scene, manner, replace(said, relation="likes", change=False))]
    if relation.name in {"wants", "needs", "met", "knows"} and not gone:
        return []
    return [claim(scene, manner, replace(said, act=Act.RETRACT, change=gone))]


def _job(
    sides: dict[str, str], clause: Clause, scene: Scene, manner: Manner, name: str
) -> list[Operation]:
    """Read "as a nurse" after "works at Acme"."""
    if "as" not in sides or clause.verb.base not in {"work", "start", "get", "hire"}:
        return []
    from_words = sides["as"].split()
    job = " ".join(w for w in from_words if w.lower() not in {"a", "an", "the"})
    past = clause.verb.tense == "past" and clause.verb.base == "work"
    relation = "worked as" if past else "works as"
    return [
        claim(
            scene,
            manner,
            Said(
                subject=name,
                relation=relation,
                object=job,
                verb=f"{relation} {from_words[0]}" if from_words[0] in {"a", "an", "the"} else "",
            ),
        )
    ]


def _wish(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, name: str
) -> list[Operation] | None:
    """Read "wants to learn Spanish", "likes to swim": the thing is what is to be done."""
    deed = _deed(rest.tokens[1:], scene, name)
    if deed is None:
        return None
    if clause.verb.negated and clause.verb.base not in {"like", "love", "enjoy"}:
        return []
    past = clause.verb.tense == "past"
    reading = read(f"{past_tense(clause.verb.base) if past else clause.verb.base} to")
    if reading is None:
        return None
    relation: Relation | str = reading.relation
    if clause.verb.negated:
        relation = "dislikes"
    if clause.verb.gone:
        return [
            claim(
                scene,
                manner,
                Said(
                    subject=name,
                    relation=relation,
                    object=deed,
                    stated=False,
                    act=Act.RETRACT,
                    change=True,
                ),
            )
        ]
    verb = f"{reading.relation.name} to" if reading.relation.name in {"likes", "dislikes"} else ""
    return [
        claim(
            scene,
            manner,
            Said(
                subject=name,
                relation=relation,
                object=deed,
                stated=False,
                verb=verb if not clause.verb.negated else "does not like to",
            ),
        )
    ]


def read_plan(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, names: tuple[str, ...]
) -> list[Operation] | None:
    """Read "I'm going to visit Rome next week": a plan, told with its date."""
    verb = clause.verb
    if verb.negated or (verb.base in SILENT and verb.base not in {"go", "start", "get", "have"}):
        return []
    found = []
    for name in names:
        deed = _deed(rest.tokens, scene, name, verb.base)
        if deed is None:
            return []
        found.append(
            claim(scene, manner, Said(subject=name, relation="plans to", object=deed, stated=False))
        )
    return found


def _deed(words: tuple[Token, ...], scene: Scene, name: str, base: str = "") -> str | None:
    """Return what is to be done as words that stand alone, or None where they do not."""
    words = tuple(t for t in words if t.text != "|")
    if not base:
        if not words or words[0].low in SILENT - LIGHT - {
            "go",
            "start",
            "get",
            "have",
            "become",
            "make",
            "take",
        }:
            return None
        base, words = words[0].low, words[1:]
    if not words and base in SILENT | {"go", "come", "be"}:
        return None
    cut = next((i for i, t in enumerate(words) if t.text in {",", "(", ":"}), len(words))
    words = words[:cut]
    if len(words) > 10:
        return None
    said = []
    for token in words:
        if token.low in _UNCLEAR:
            return None
        if token.low in {"my", "our"}:
            said.append("their own" if name != scene.speaker else f"{scene.speaker}'s")
        else:
            said.append(token.text)
    return " ".join([base, *said])


_UNCLEAR = word_set(
    "it this that these those you your here there he she they him her them his their i we something"
)


def objects(words: tuple[Token, ...], scene: Scene, name: str) -> list[Object]:
    """Return the noun phrases of "tea and coffee"; one where "and" is inside a name or phrase."""
    colon = next((i for i, t in enumerate(words) if t.text == ":"), 0)
    words = cut_aside(words[colon + 1 :] if colon else words)
    whole = object_of(words, scene, name)
    marks = [i for i, t in enumerate(words) if t.low in {"and", ",", "&"}]
    if marks and not any(words[i].low in {"and", "&"} for i in marks):
        return []
    if not marks or (whole is None and not marks):
        return [whole] if whole else []
    parts, start = [], 0
    for i in [*marks, len(words)]:
        if i > start:
            parts.append(words[start:i])
        start = i + 1
    if any(len(p) > 3 for p in parts):
        return [whole] if whole else []
    found = [object_of(part, scene, name) for part in parts]
    sure = [thing for thing in found if thing]
    return sure if len(sure) == len(found) else ([whole] if whole else [])


def _own(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, name: str
) -> list[Operation] | None:
    """Read a verb the table does not know under its own words."""
    verb, words = clause.verb, rest.tokens
    while len(words) > 1 and (words[0].low in ADVERBS or _adverb(words[0].low)):
        words = words[1:]
    if _silent(clause, words):
        return _outing(clause, words, scene, manner, name)
    if verb.base in {"have", "do"} or (verb.tense == "used" and not words):
        return []
    if verb.base == "be":
        return _been(clause, words, scene, manner, name)
    if verb.passive and not _led(verb, words):
        return []
    if clause.subject.kind == THING:
        return []
    k = 0
    while (
        k < len(words)
        and k < 2
        and words[k].low in PARTICLES | PREPOSITIONS - {"than", "of", "per"}
    ):
        k += 1
    body, sides = parted(words[k:])
    body = cut_aside(body)
    if not body:
        return []
    if body[0].low in {"how", "that", "if", "what", "why", "when", "whether", "so"}:
        return []
    thing = object_of(body, scene, name)
    if thing is None:
        return None if name != scene.speaker or verb.tense == "past" else []
    if thing.noun in EMPTY_OBJECTS:
        return []
    relation = Relation(name=" ".join([_named(verb), *(t.low for t in words[:k])]), known=False)
    known = canonical(relation.name) if verb.passive else None
    told = replace(manner, sides={**manner.sides, **sides})
    if verb.gone:
        return [
            claim(
                scene,
                told,
                Said(
                    subject=name,
                    relation=relation,
                    object=thing.text,
                    object_is_name=thing.is_name,
                    act=Act.RETRACT,
                    change=True,
                ),
            )
        ]
    return [
        claim(
            scene,
            told,
            Said(
                subject=name,
                relation=known or relation,
                object=thing.text,
                object_is_name=thing.is_name,
            ),
        )
    ]


def _adverb(word: str) -> bool:
    return word.endswith("ly") and len(word) > 4 and word not in {"family", "early", "only"}


def _silent(clause: Clause, words: tuple[Token, ...]) -> bool:
    """Say whether a verb tells nothing to keep: "I think", "we had"; names may give and lead."""
    base = clause.verb.base
    if base not in SILENT or clause.verb.passive or (base == "go" and words and words[0].low == "to"):
        return False
    told = clause.subject.kind == NAME and base in LIGHT and base != "go"
    return not (told and len(words) > 1)


def _led(verb: Verb, words: tuple[Token, ...]) -> bool:
    """Say whether a passive goes on with a preposition and tells more than a mood."""
    if verb.form in FEELINGS or not words:
        return False
    if verb.form in {"awarded", "given", "offered", "elected", "appointed"}:
        return words[0].low in {"the", "a", "an"} or words[0].is_capital
    return words[0].low in PREPOSITIONS - {"of", "to", "than", "as"}


def _been(
    clause: Clause, words: tuple[Token, ...], scene: Scene, manner: Manner, name: str
) -> list[Operation]:
    """Read "has been to Paris", "has never been to Paris"."""
    if clause.verb.tense != "perfect" or not words or words[0].low != "to":
        return []
    body, sides = parted(words[1:])
    thing = object_of(body, scene, name)
    if thing is None or not thing.is_name:
        return []
    relation = "has never been to" if clause.verb.negated else "visited"
    told = replace(manner, sides={**manner.sides, **sides})
    return [
        claim(
            scene,
            told,
            Said(subject=name, relation=relation, object=thing.text, object_is_name=True),
        )
    ]


def _outing(
    clause: Clause, words: tuple[Token, ...], scene: Scene, manner: Manner, name: str
) -> list[Operation]:
    """Read "went camping (with the kids)"."""
    if clause.verb.base != "go" or clause.verb.negated or not words:
        return []
    low = words[0].low
    if not low.endswith("ing") or len(low) < 6 or clause.verb.tense not in {"past", "perfect"}:
        return []
    body, sides = parted(words)
    told = replace(manner, sides={**manner.sides, **sides})
    thing = object_of(body, scene, name)
    if thing is None:
        return []
    return [
        claim(
            scene,
            told,
            Said(subject=name, relation=Relation(name="went", known=False), object=thing.text),
        )
    ]


def _named(verb: Verb) -> str:
    """Return the verb as an own relation reads it: tense and polarity kept."""
    if verb.passive:
        return (
            f"{'was' if verb.tense == 'past' else 'is'} {'not ' if verb.negated else ''}{verb.form}"
        )
    if verb.never:
        return (
            f"never {past_tense(verb.base) if verb.tense != 'present' else third_person(verb.base)}"
        )
    if verb.negated:
        return f"{'did' if verb.tense in {'past', 'perfect'} else 'does'} not {verb.base}"
    if verb.tense == "used":
        return f"used to {verb.base}"
    if verb.tense == "past":
        return past_tense(verb.base)
    if verb.tense == "perfect":
        return f"has been {verb.form}" if verb.form.endswith("ing") else f"has {verb.form}"
    if verb.tense == "progressive":
        return f"is {gerund(verb.base)}"
    return third_person(verb.base)


__all__ = ["ALONE", "join", "objects", "read_generic", "read_plan"]
