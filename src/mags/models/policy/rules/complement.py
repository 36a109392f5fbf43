"""What somebody or something is: an age, a trade, a trait, a kind, a place."""

from __future__ import annotations

import re
from dataclasses import replace

from mags.models.policy.rules.claims import Manner, Said, claim, said_of
from mags.models.policy.rules.clause import NAME, OWNED, PRONOUN, THING, Clause
from mags.models.policy.rules.lexicon import (
    EVALUATIVE,
    FEELINGS,
    JOBS,
    KIN,
    PETS,
    TRAITS,
    word_set,
)
from mags.models.policy.rules.lists import objects
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.passage import makers
from mags.models.policy.rules.phrase import cut_aside, object_of, parted
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.slots import slot_of
from mags.models.policy.rules.spans import COUNTED
from mags.models.policy.rules.tokens import Token, join
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation, canonical, read, relations

_AGE = re.compile(r"^(\d{1,3})(?: years? old| yrs? old|-years?-old)?$", re.IGNORECASE)
_NATION = re.compile(r"^[A-Z][a-z]+(?:ian|ean|ese|ish|an|ch|ic|i)$")
_PLACES = ("in", "at", "on")


def act_of(clause: Clause) -> Act:
    """Return RETRACT for what is denied or over, else ADD."""
    return Act.RETRACT if clause.verb.negated or clause.verb.gone else Act.ADD


def about(
    clause: Clause, words: tuple[Token, ...], scene: Scene, manner: Manner, subject: str
) -> list[Operation]:
    """Read the complement of one subject."""
    low = words[0].low
    act = act_of(clause)
    past = clause.verb.tense == "past"
    age = _AGE.match(_in_digits(join(words)))
    if age and clause.subject.kind != THING:
        if past or act is Act.RETRACT:
            return []
        told = f"{subject} is {age[1]} years old."
        said = Said(subject=subject, relation="age", object=age[1], text=told)
        return [claim(scene, manner, said)]
    if clause.subject.kind == THING:
        return _quality(clause, words, scene, manner, subject)
    known = _table(clause, words, scene, manner, subject)
    if known is not None:
        return known
    if low in {"my", "our"} and act is Act.ADD:
        return _mine(words, scene, manner, subject)
    if low in {"a", "an"}:
        return _kind_of_thing(clause, words, scene, manner, subject)
    if low in TRAITS or (len(words) == 1 and _NATION.match(words[0].text)):
        trait = join(parted(cut_aside(words))[0])
        said = Said(subject=subject, relation=_be(past), object=trait, act=act)
        return [claim(scene, manner, said)]
    if act is Act.ADD and _is_somewhere(words, past):
        return _place(words, scene, manner, subject, past)
    if low == "the":
        return _post(clause, words, scene, manner, subject) or (
            _the(words, scene, manner, subject, past) if clause.subject.kind != PRONOUN else []
        )
    return _quality(clause, words, scene, manner, subject)


def _in_digits(text: str) -> str:
    """The text with a number word at its start in digits: "six years old"."""
    first, blank, rest = text.partition(" ")
    number = COUNTED.get(first.lower(), 0)
    return f"{number}{blank}{rest}" if number else text


def _be(past: bool) -> str:
    return "was" if past else "is"


def _table(
    clause: Clause, words: tuple[Token, ...], scene: Scene, manner: Manner, subject: str
) -> list[Operation] | None:
    """Read what the table knows: "from", "allergic to", "a fan of", "married to"."""
    be = _be(clause.verb.tense == "past")
    if be == "is" and act_of(clause) is Act.ADD:
        lacking = _lacking(words, scene, manner, subject)
        if lacking is not None:
            return lacking
    for k in range(min(5, len(words) - 1), 0, -1):
        if words[k - 1].low not in _LEADS:
            continue
        reading = read(f"{be} {' '.join(t.low for t in words[:k])}")
        if reading is None or reading.relation.name in {"is", "was"}:
            continue
        body, sides = parted(cut_aside(words[k:]))
        things = objects(body, scene, subject)
        told = replace(manner, sides={**manner.sides, **sides})
        relation, act = reading.relation, act_of(clause)
        if act is Act.RETRACT and relation.opposite and not clause.verb.gone:
            relation, act = relations()[relation.opposite], Act.ADD
        one = False if len(things) > 1 else None
        change = reading.change or clause.verb.gone
        said = [said_of(subject, relation, thing) for thing in things]
        return [claim(scene, told, replace(s, act=act, one=one, change=change)) for s in said]
    return None


_LEADS = word_set("from to of with in on at for into by about after through as")


def _kind_of_thing(
    clause: Clause, words: tuple[Token, ...], scene: Scene, manner: Manner, subject: str
) -> list[Operation]:
    """Read "a nurse at Acme", "a film directed by Ana Sol", "a Finnish swimmer"."""
    act, past = act_of(clause), clause.verb.tense == "past"
    body, sides = parted(cut_aside(words))
    stop = next((i for i, t in enumerate(body) if t.low in _RELATIVE), len(body))
    timeless = replace(manner, time=None, times=(), sides={})
    made, makes = makers(body[:stop], scene, timeless, subject)
    core = body[: min(stop, made)]
    while core and not core[-1].is_word:
        core = core[:-1]
    at = next((i for i, t in enumerate(core) if t.low in _WHERE and i > 1), len(core))
    head = core[at - 1].low if at else ""
    if head in EVALUATIVE | _VAGUE_HEADS or (
        len(core) > 1 and core[1].low in EVALUATIVE | FEELINGS
    ):
        return []
    found: list[Operation] = list(makes) if act is Act.ADD else []
    told = replace(timeless if makes else manner, sides={**manner.sides, **sides})
    job = head in JOBS
    if job:
        placed, core = _workplace(core, at, scene, subject, past)
        found += [claim(scene, told, replace(said, act=act)) for said in placed]
    thing = object_of(core, scene, subject)
    if thing is None:
        return found
    trade = job and len(core) <= (2 if clause.subject.kind == NAME else 4)
    relation = ("worked as" if past else "works as") if trade else ("was a" if past else "is a")
    said = Said(
        subject=subject,
        relation=relation,
        object=thing.text,
        act=act,
        object_is_name=thing.is_name,
        verb=f"{relation.removesuffix(' a')} {core[0].low}",
    )
    return [*found, claim(scene, told, said)]


def _workplace(
    core: tuple[Token, ...], at: int, scene: Scene, subject: str, past: bool
) -> tuple[list[Said], tuple[Token, ...]]:
    """Where a trade is worked in: "at Acme", "on the stroke ward at St. Luke's", "on a ship".

    Returns it with the words left of the trade.
    """
    named = [
        k
        for k in range(at, len(core) - 1)
        if core[k].low in {"at", "for"} and core[k + 1].is_capital
    ]
    start = named[0] if named else at
    behind = core[start + 1].low if start + 1 < len(core) else ""
    ward = behind == "the" and len(core) > start + 3  # "on the stroke ward", not "on the side"
    led = named or ((ward or behind in {"a", "an"}) and core[start].low == "on")
    place = object_of(core[start + 1 :], scene, subject) if led else None
    if place is None:
        return [], core
    by = "at" if named else core[start].low
    name = f"worked {by}" if past else f"works {by}"
    relation = canonical(name) or Relation(name=name, known=False)
    told = Said(subject=subject, relation=relation, object=place.text, told=place.told)
    return [replace(told, object_is_name=place.is_name)], core[:at]


_RELATIVE = frozenset({"who", "that", "which", "whose"})
_WHERE = frozenset({"at", "for", "in", "from", "with", "on"})
_VAGUE_HEADS = frozenset(
    {
        "mix",
        "part",
        "fan",
        "kid",
        "child",
        "start",
        "step",
        "reminder",
        "time",
        "one",
        "thing",
        "way",
        "bit",
        "lot",
        "mess",
        "pleasure",
        "shame",
        "pity",
        "joke",
    }
)


_SCARCE = frozenset({("low", "on"), ("short", "of"), ("short", "on")})


def _lacking(
    words: tuple[Token, ...], scene: Scene, manner: Manner, subject: str
) -> list[Operation] | None:
    """Read "low on iron", "short of vases": of what somebody has too little."""
    if len(words) < _FEWEST_LACKING or (words[0].low, words[1].low) not in _SCARCE:
        return None
    if words[2].low == "the":
        return None  # "low on the list"
    thing = object_of(cut_aside(words[2:]), scene, subject)
    if thing is None or thing.text.lower() in {"breath", "time", "energy"}:
        return []
    relation = Relation(name=f"is {words[0].low} {words[1].low}", known=False)
    return [claim(scene, manner, said_of(subject, relation, thing))]


_FEWEST_LACKING = 3


def _mine(words: tuple[Token, ...], scene: Scene, manner: Manner, subject: str) -> list[Operation]:
    """Read "Dora is my best friend"."""
    noun = " ".join(t.low for t in cut_aside(words[1:]) if t.text != "|")
    relation = slot_of(noun) if noun else None
    if relation is None and noun.endswith("s") and noun[:-1] in KIN:
        noun = noun[:-1]
        relation = slot_of(noun)
    if relation is None and (not noun or noun.split()[-1] not in KIN | PETS):
        return []
    said = Said(
        subject=scene.speaker,
        relation=relation or noun,
        object=subject,
        object_is_name=True,
        text=f"{scene.speaker}'s {noun} is {subject}.",
    )
    return [claim(scene, manner, said)]


def _is_somewhere(words: tuple[Token, ...], past: bool) -> bool:
    """Say whether words are "in Rome" or, of a return that is told of now, "back in Rome"."""
    if words[0].low == "back" and len(words) > 2 and words[1].low == "in":
        return not past and name_end(words, 2) == len(words)
    return words[0].low in _PLACES and len(words) > 1 and words[1].is_capital


def _place(
    words: tuple[Token, ...], scene: Scene, manner: Manner, subject: str, past: bool
) -> list[Operation]:
    if words[0].low == "back":
        home = Said(subject=subject, relation="lives in", object=join(words[2:]), change=True)
        return [claim(scene, manner, replace(home, object_is_name=True, verb="is back in"))]
    thing = object_of(words[1:], scene, subject)
    if thing is None or not thing.is_name:
        return []
    relation = Relation(name=f"{_be(past)} {words[0].low}", known=False)
    return [claim(scene, manner, said_of(subject, relation, thing))]


def _post(
    clause: Clause, words: tuple[Token, ...], scene: Scene, manner: Manner, subject: str
) -> list[Operation]:
    """Read "Anja is the CEO", "I'm the backend lead at Parcelly": somebody's post, and where."""
    body = cut_aside(words)
    at = next((i for i, t in enumerate(body) if t.low == "at" and i > 1), len(body))
    head = body[at - 1]
    plain = all(t.is_word and not t.is_capital for t in body[1 : at - 1])
    known = head.low in JOBS or (head.text.isupper() and len(head.text) > 1)
    place = object_of(body[at + 1 :], scene, subject) if at < len(body) else None
    named = place is not None and place.is_name
    if words[0].low != "the" or not plain or not (known or named) or at > _LONGEST_POST:
        return []
    if words[1].low == "only" or (head.low.endswith("est") and head.low not in JOBS):
        return []  # "the youngest at Google"
    if head.low in KIN | PETS or (at < len(body) and not named):
        return []
    past, act = clause.verb.tense == "past", act_of(clause)
    post = Said(
        subject=subject,
        relation="worked as" if past else "works as",
        object=join(body[1:at]),
        act=act,
        text=f"{subject} {_be(past)} {join(body)}." if act is Act.ADD else "",
    )
    if place is None:
        return [claim(scene, manner, post)]
    work = Said(subject=subject, relation="worked at" if past else "works at", act=act, object="")
    where = replace(work, object=place.text, object_is_name=True)
    return [claim(scene, manner, where), claim(scene, manner, post)]


_LONGEST_POST = 5


def _the(
    words: tuple[Token, ...], scene: Scene, manner: Manner, subject: str, past: bool
) -> list[Operation]:
    """Read "Paris is the capital of France"."""
    of = next((i for i, t in enumerate(words) if t.low == "of" and i > 1), 0)
    thing = object_of(words[of + 1 :], scene, subject) if of else None
    if thing is None or not thing.is_name:
        return []
    noun = " ".join(t.low for t in words[1:of])
    verb = f"{_be(past)} the {noun} of"
    relation = canonical(f"is {noun} of") or Relation(name=verb, known=False)
    return [claim(scene, manner, replace(said_of(subject, relation, thing), verb=verb))]


def _quality(
    clause: Clause, words: tuple[Token, ...], scene: Scene, manner: Manner, subject: str
) -> list[Operation]:
    """Read "my car is red", "the wifi password is hunter2": things, not moods of people."""
    if clause.subject.kind not in {OWNED, THING} or len(words) > 4 or clause.verb.negated:
        return []
    head = clause.subject.noun.split()[-1].lower()
    if head in KIN or clause.subject.names or any(t.low in EVALUATIVE | FEELINGS for t in words):
        return []
    placed = words[0].low in _PLACES and len(words) > 1
    thing = object_of(words[1:] if placed else words, scene, subject)
    if thing is None:
        return []
    if placed:
        where = Relation(name=f"{_be(clause.verb.tense == 'past')} {words[0].low}", known=False)
        said = replace(said_of(subject, where, thing), one=True)
        return [claim(scene, manner, said)] if clause.verb.tense != "past" else []
    if clause.subject.kind == THING and not (thing.is_name or any(c.isdigit() for c in thing.text)):
        return []
    relation = _be(clause.verb.tense == "past")
    return [claim(scene, manner, said_of(subject, relation, thing))]
