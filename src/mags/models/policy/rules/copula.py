"""Statements with "be": what somebody or something is, where from, how old, by what name."""

from __future__ import annotations

from dataclasses import replace

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.clause import OF, OWNED, PRONOUN, THING, Clause, Subject
from mags.models.policy.rules.complement import about
from mags.models.policy.rules.lexicon import (
    ARTICLES,
    EVALUATIVE,
    INTENSIFIERS,
    KIN,
    PETS,
    word_set,
)
from mags.models.policy.rules.pairs import read_pair
from mags.models.policy.rules.phrase import Object, Rest, cut_aside, object_of
from mags.models.policy.rules.scene import Scene, living
from mags.models.policy.rules.several import read_several
from mags.models.policy.rules.slots import replaces, slot_of, unshaded, without_due
from mags.models.policy.rules.tokens import Token, join
from mags.models.policy.rules.values import WEEKLY, WHEN, is_hour
from mags.models.policy.rules.verbs import PLURAL
from mags.ports.english import whose
from mags.ports.policy import Operation
from mags.ports.relations import Relation, canonical, kind_of


def read_copula(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, subjects: tuple[str, ...]
) -> list[Operation]:
    """Return what a clause with "be" says; [] where it says nothing to keep."""
    words = rest.tokens
    if clause.verb.tense == "used":  # "used to be a waiter": over, whenever what follows began
        clause = replace(clause, verb=replace(clause.verb, tense="past"))
        manner = replace(manner, time=None, times=())
    while words and words[0].low in INTENSIFIERS | {"also", "now", "actually", "still", "just"}:
        words = words[1:]
    held = _weekly(clause, rest, scene, manner) or _placed_and_dated(clause, rest, scene, manner)
    if held:
        return held
    if clause.subject.kind in {OWNED, OF}:
        said = _slot(clause, words, rest, scene, manner)
        if said is not None:
            return said
    timed = next((i for i, t in enumerate(words) if t.text == ","), len(words))
    hour = join([t for t in words[:timed] if t.text != "|"]).removeprefix("due").strip()
    if rest.time is not None and is_hour(hour):
        return _dated(clause, rest, scene, manner, hour)
    if not words:
        return []
    pair = read_pair(words, scene, manner, subjects)
    if pair is not None and not clause.verb.negated:
        return pair
    found: list[Operation] = []
    for subject in subjects:
        found += about(clause, words, scene, manner, subject)
    return found


def _dated(clause: Clause, rest: Rest, scene: Scene, manner: Manner, hour: str) -> list[Operation]:
    """Read "the meeting is on Tuesday (at 3 pm)": only a time follows."""
    if rest.time is None or clause.subject.kind == PRONOUN or clause.verb.negated:
        return []
    when, told_when = rest.time.text.removeprefix("on ").removeprefix("in "), rest.time.text
    roles = [time.role for time in rest.times[:2]]
    if roles in (["since", "until"], ["from", "until"]):  # "the trip is from 6 to 9 June"
        first, last = (time.text.split(" ", 1)[-1] for time in rest.times[:2])
        when, told_when = f"{first} to {last}", f"from {first} until {last}"
    be = "was" if clause.verb.tense == "past" else "is"
    found = []
    for name in scene.subjects(clause.subject) or ():
        told = f"{name} {be} {told_when} {hour}".strip()
        said = Said(subject=without_due(name), relation=WHEN, object=f"{when} {hour}".strip())
        dated = replace(said, stated=False, text=f"{told[:1].upper()}{told[1:]}.")
        found.append(claim(scene, manner, dated))
    return found


def _placed_and_dated(clause: Clause, rest: Rest, scene: Scene, manner: Manner) -> list[Operation]:
    """Read "the lunch is on 24 April at Luigi's": what is held has a day and a place."""
    words = tuple(t for t in rest.tokens if t.text != "|")
    led = len(words) > 1 and words[0].low in {"at", "in"} and clause.subject.kind in {OWNED, THING}
    if rest.time is None or not led or living(clause.subject.noun.split()[-1]):
        return []
    place = object_of(cut_aside(words[1:]), scene, scene.speaker)
    dated = _dated(clause, rest, scene, manner, "") if place is not None and place.is_name else []
    if place is None or not dated:
        return []
    where = Relation(name=f"is {words[0].low}", known=False)
    plain = replace(manner, time=None, times=(), sides={})
    return [
        *dated,
        *(
            claim(
                scene,
                plain,
                Said(subject=op.subject, relation=where, object=place.text, object_is_name=True),
            )
            for op in dated
        ),
    ]


def _weekly(clause: Clause, rest: Rest, scene: Scene, manner: Manner) -> list[Operation]:
    """Read "my yoga class is on Mondays at six": what is held on weekdays again and again."""
    hour = join([t for t in rest.tokens if t.text != "|"])
    found = WEEKLY.fullmatch(f"{rest.sides.get('often', '')} {hour}".strip())
    subject, verb = clause.subject, clause.verb
    thing = (
        subject.kind in {OWNED, THING}
        and not subject.names
        and not living(subject.noun.split()[-1])
    )
    if found is None or rest.time or not thing or verb.tense != "present" or verb.negated:
        return []
    days = f"{found['days'].capitalize()} at {found['hour']}" if found["hour"] else found["days"]
    plain = replace(manner, sides={})
    be = "are" if verb.form in {"are", "'re"} else "is"
    return [
        claim(
            scene,
            plain,
            Said(
                subject=name,
                relation=WHEN,
                object=days,
                one=True,
                text=f"{name[:1].upper()}{name[1:]} {be} on {days}.",
            ),
        )
        for name in scene.subjects(subject) or ()
    ]


def _slot(
    clause: Clause, words: tuple[Token, ...], rest: Rest, scene: Scene, manner: Manner
) -> list[Operation] | None:
    """Read "my favourite food is sushi", "the capital of France is Paris"; None if no slot."""
    subject = clause.subject
    owner, noun = _owner_and_noun(subject, scene)
    if not owner or clause.verb.negated:
        return None
    last = noun.split()[-1]
    if last == "birthday":
        return _birthday(owner, noun, rest, scene, manner)
    several = read_several(owner, noun, words, scene, manner)
    if several:
        return several
    valued_first = bool(words) and words[0].text.lstrip("$\u20ac\u00a3")[:1].isdigit()
    one = noun.split()[-1] in _HAD_ONE or (valued_first and subject.person != PLURAL)
    if one and not any(t.low == "and" for t in words):
        words = words[: next((i for i, t in enumerate(words) if t.text == ","), len(words))]
    thing = object_of(cut_aside(words), scene, owner)
    if thing is None:
        return None
    if last in {"name", "nickname"}:
        return _name(owner, noun, thing, scene, manner, subject.owner)
    relation = slot_of(noun) if subject.kind == OWNED else canonical(f"the {noun} of {{}} is")
    if relation and relation.kinds:
        said = Said(
            subject=owner,
            relation=relation,
            object=thing.text,
            told=thing.told,
            object_is_name=thing.is_name,
            kind=kind_of(unshaded(noun)),
        )
        return [claim(scene, manner, said)]
    if _only_described(words, thing, noun) or last in EVALUATIVE:
        return None
    valued = thing.is_name or any(c.isdigit() for c in thing.text) or _is_make(words, noun)
    found = _filled(owner, noun, relation, thing, scene, manner) if relation or valued else None
    if found and {"now", "instead"} & clause.verb.shades:
        return [replace(op, change=True, one=True) for op in found]
    return found


_HAD_ONE = word_set("car bike bicycle motorbike phone laptop computer van")
"""Things one has one of, as a rule: "my car is a red Fiat" tells which."""


def _only_described(words: tuple[Token, ...], thing: Object, noun: str) -> bool:
    """Say whether "a dream", "a woman" only describes: a name or a make tells which it is."""
    if words[0].low not in ARTICLES:
        return False
    named = thing.is_name and any(t.low in {"called", "named"} for t in words)
    return not (named or _is_make(words, noun))


def _is_make(words: tuple[Token, ...], noun: str) -> bool:
    """Say whether words tell the make of a thing: "a red Fiat Panda" of a car."""
    return unshaded(noun) in _HAD_ONE and any(t.is_capital for t in words)


def _owner_and_noun(subject: Subject, scene: Scene) -> tuple[str | None, str]:
    noun = subject.noun.replace("favorite", "favourite")
    if subject.kind == OF:
        return subject.names[0], noun
    if subject.names:
        return None, noun
    if noun == "name" and "|" in subject.owner:
        outer, _, inner = subject.owner.rpartition("|")
        return scene.owner(outer), f"{inner} name"
    return scene.owner(subject.owner), noun


def _filled(
    owner: str, noun: str, known: Relation | None, thing: Object, scene: Scene, manner: Manner
) -> list[Operation] | None:
    """Return the slot "Alice's boss" filled with Dan; None where the noun names no slot."""
    person = noun.split()[-1] in KIN | PETS
    people = person or bool(known and known.answers == "person")
    if people and not thing.is_name:
        return None
    relation = known or Relation(name=unshaded(noun), noun=True, known=False)
    if person:
        scene.named[whose(owner, unshaded(noun))] = thing.text
        scene.note(thing.text, scene.gender(noun))
    said = Said(
        subject=owner,
        relation=relation,
        object=thing.text,
        told=thing.told,
        object_is_name=thing.is_name,
        text="" if relation.noun else f"{owner}'s {unshaded(noun)} is {thing.text}.",
        aliases={thing.text: (f"{owner}'s {unshaded(noun)}",)} if person else {},
    )
    if replaces(noun):
        said = replace(said, change=True, one=True)
    return [claim(scene, manner, said)]


def _birthday(owner: str, noun: str, rest: Rest, scene: Scene, manner: Manner) -> list[Operation]:
    """Read "my birthday is 4 July": the day, without a year that was not said."""
    of = noun.rsplit(" ", 1)[0].removesuffix(" 's") if " " in noun else ""
    owner = scene.of(owner, of) if of else owner
    if rest.time is None or rest.time.precision not in {"day", "month"}:
        return []
    day = rest.time.text.removeprefix("on ").removeprefix("in ").rsplit(" ", 1)[0]
    return [
        claim(
            scene,
            Manner(hedged=manner.hedged, source=manner.source),
            Said(subject=owner, relation="birthday", object=day, stated=False),
        )
    ]


def _name(
    owner: str, noun: str, thing: Object, scene: Scene, manner: Manner, clause_owner: str
) -> list[Operation]:
    """Read "my mom's name is Carla", "my nickname is Ace"."""
    if not thing.is_name:
        return []
    inner = noun.removesuffix("name").strip().removesuffix("'s").strip()
    word = inner.split()[-1] if inner else ""
    if word in PETS | KIN:
        scene.named[whose(owner, inner)] = thing.text
        scene.note(thing.text, scene.gender(inner))
        said = Said(
            subject=owner,
            relation=slot_of(inner) or inner,
            object=thing.text,
            object_is_name=True,
            text=f"{owner}'s {inner} is called {thing.text}.",
            aliases={thing.text: (f"{owner}'s {inner}",)},
        )
        return [claim(scene, manner, said)]
    if inner and inner not in {"nick", "full", "first", "last", "real", "given"}:
        return []
    described, _, kin = owner.partition("'s ")
    if kin and kin.split()[-1] in KIN | PETS:
        return _name(described, f"{kin} name", thing, scene, manner, "")
    if scene.pronoun_gender(clause_owner):
        return []  # somebody known by a name is not called otherwise: a stranger is meant
    relation = "is also called" if noun.endswith("nickname") else "is called"
    said = Said(
        subject=owner,
        relation=relation,
        object=thing.text,
        object_is_name=True,
        aliases={owner: (thing.text,)},
    )
    return [claim(scene, manner, said)]
