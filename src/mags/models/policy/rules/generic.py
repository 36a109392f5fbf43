"""Verbs in general: by the relation table first, then under their own words."""

from __future__ import annotations

from dataclasses import replace

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.clause import THING, Clause
from mags.models.policy.rules.lexicon import (
    PARTICLES,
    PREPOSITIONS,
    SILENT,
    word_set,
)
from mags.models.policy.rules.lists import objects
from mags.models.policy.rules.own import own_words
from mags.models.policy.rules.phrase import Object, Rest, cut_aside, parted
from mags.models.policy.rules.plans import read_wish
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token
from mags.models.policy.rules.verbs import Verb
from mags.ports.english import THIRD, forms, gerund, past_tense
from mags.ports.policy import Act, Operation
from mags.ports.relations import Reading, Relation, canonical, read

ALONE = word_set(
    """like love enjoy adore hate dislike detest loathe despise prefer want need own possess have
    buy purchase acquire adopt inherit speak drive drink eat marry divorce date play study write
    found establish co-found cofound create develop invent direct perform sing visit meet join
    border fear"""
)
"""Verbs that name a relation of the table with nothing but an object after them."""
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
            operations = own_words(clause, rest, scene, manner, name)
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


_DEEDS = word_set(
    "write found establish co-found cofound create develop invent direct perform sing"
)


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
        return read_wish(clause, rest, scene, manner, name)
    match = _match(verb, rest.tokens)
    if match is None:
        return None
    reading, k = match
    if reading.relation.name == "plans to":
        return None
    body, sides = parted(cut_aside(rest.tokens[k:]))
    things = objects(body, scene, name)
    if not things or (_acquaintance(verb) and not all(t.is_name for t in things)):
        return [] if verb.base in SILENT or not body else None
    told = replace(manner, sides={**manner.sides, **sides})
    found = []
    for thing in things:
        made = _fact(clause, reading, thing, scene, told, name)
        # Named together, they hold together: "founded by Jobs and Wozniak".
        found += [replace(op, one=False) for op in made] if len(things) > 1 else made
    return found + _job(sides, clause, scene, manner, name)


def _acquaintance(verb: Verb) -> bool:
    return verb.base in {"know", "meet"} and not verb.passive


def _fact(
    clause: Clause, reading: Reading, thing: Object, scene: Scene, manner: Manner, name: str
) -> list[Operation]:
    verb, relation = clause.verb, reading.relation
    if verb.tense == "progressive" and reading.change:
        return []  # "is moving to Rome" is a plan: it is not so yet
    gone = verb.gone or "gone" in manner.sides
    change = (
        reading.change or gone or bool({"now", "instead"} & verb.shades) or "now" in manner.sides
    )
    kind = _preferred(relation, thing)
    said = Said(
        subject=name,
        relation=relation,
        object=thing.text,
        told=thing.told,
        object_is_name=thing.is_name,
        kind=kind,
        act=Act.UPDATE if kind else Act.ADD,
        verb="prefers" if kind else "",
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
    if (reading.change and verb.tense == "past") or verb.passive:
        said = replace(said, verb=_told(clause, thing))
    return [claim(scene, manner, said)]


def _preferred(relation: Relation, thing: Object) -> str:
    """What kind of thing is preferred: of "window seats on planes" it is seats, of tea none."""
    if relation.name != "prefers" or thing.is_name:
        return ""
    words = thing.text.lower().split()
    end = next((i for i, word in enumerate(words) if word in PREPOSITIONS), len(words))
    plural = end > 1 and words[end - 1].endswith("s") and not words[end - 1].endswith("ss")
    return words[end - 1] if plural else ""


def _told(clause: Clause, thing: Object) -> str:
    """Return the verb with its particles as said: "moved to"."""
    words = []
    for token in clause.rest:
        if token.low not in PREPOSITIONS | PARTICLES | {"working", "hired"}:
            break
        words.append(token.low)
    verb = clause.verb
    be = "was" if verb.tense == "past" else "is"
    told = f"{be} {verb.form}" if verb.passive else past_tense(verb.base)
    return " ".join([told, *words]).removesuffix(" a")


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
    over = claim(scene, manner, replace(said, act=Act.RETRACT, change=gone))
    return [over, *_not_so(clause, said, relation, scene, manner, gone)]


def _not_so(
    clause: Clause, said: Said, relation: Relation, scene: Scene, manner: Manner, gone: bool
) -> list[Operation]:
    """Keep a habit that is denied: who does not eat fish is asked about it later."""
    verb = clause.verb
    habit = next((base for base, form in forms(relation.name) if form == THIRD), "")
    if not habit or verb.tense != "present" or habit not in ALONE or relation.opposite:
        return []
    denied = Relation(name=f"does not {habit}", known=False)
    told = replace(said, relation=denied, change=False, verb=f"no longer {relation.name}")
    return [claim(scene, manner, told if gone else replace(told, verb=""))]


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
