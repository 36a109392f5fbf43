"""Having and getting: things, pets, jobs, spouses; and selling them."""

from __future__ import annotations

import re
from dataclasses import replace

from mags.models.policy.rules.case import Case, object_claims
from mags.models.policy.rules.claims import Said, claim, said_of
from mags.models.policy.rules.events import rising
from mags.models.policy.rules.lexicon import EMPTY_OBJECTS, EVALUATIVE, KIN, PETS
from mags.models.policy.rules.names import name_end, surface
from mags.models.policy.rules.phrase import object_of, parted
from mags.models.policy.rules.slots import slot_of, species
from mags.models.policy.rules.tokens import Token
from mags.ports.english import whose
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation, canonical


def _named_thing(case: Case, words: tuple[Token, ...]) -> tuple[str, str] | None:
    """Return (noun, name) of "a dog named Rex" or "a sister, Ana"."""
    for i, token in enumerate(words):
        if token.low in {"named", "called"} or (token.text == "," and i + 1 < len(words)):
            end = name_end(words, i + 1)
            if end > i + 1 and i >= 1:
                nouns = [t.low for t in words[:i] if t.low not in {"a", "an", "one", "my", "new"}]
                return " ".join(nouns), surface(words[i + 1 : end])
    return None


def having(case: Case) -> list[Operation] | None:
    """Read "has a dog named Rex", "have two kids"."""
    verb = case.clause.verb
    if case.low(0) == "to":
        return []
    named = _named_thing(case, case.words)
    if named and not verb.negated:
        noun, name = named
        if species(noun).split()[-1] in KIN | PETS:
            return _introduce(case, noun, name)
        family = _each_named(case, noun)
        if family:
            return family
    if verb.tense in {"past", "perfect", "progressive", "used"} and verb.base == "have":
        used = verb.tense == "used"
        return object_claims(case, 0, relation="had", verb="used to have") if used else []
    body, sides = parted(case.words)
    last = body[-1].low if body else ""
    if last in EMPTY_OBJECTS or any(t.low in EVALUATIVE | EMPTY_OBJECTS for t in body):
        return []
    for phrase in ("allergy to", "job at", "job as", "passion for", "interest in"):
        if case.clause.verb.base == "have" and f" {phrase} " in " " + " ".join(t.low for t in body):
            return None
    owned = [object_of(body, case.scene, name) for name in case.names]
    if any(thing is None for thing in owned):
        return []
    gone = verb.gone or "gone" in case.manner.sides
    act = Act.RETRACT if verb.negated else Act.ADD
    told = replace(
        case.manner, sides={**{k: v for k, v in case.manner.sides.items() if k != "gone"}, **sides}
    )
    had = [said_of(name, "has", x) for name, x in zip(case.names, owned, strict=True) if x]
    found = [claim(case.scene, told, replace(said, act=act, change=gone)) for said in had]
    return found + _lacking(replace(case, manner=told), had, gone)


def _each_named(case: Case, noun: str) -> list[Operation]:
    """Read "two brothers, Ben and Luke" and "two cats called Tom and Kit": one after another."""
    last = noun.split()[-1]
    single = {"kids": "child", "children": "child"}.get(last, last.removesuffix("s"))
    if single == last or single not in KIN | PETS:
        return []
    start = next(i for i, t in enumerate(case.words) if t.text == "," or t.low in _CALLED) + 1
    names: list[str] = []
    while start < len(case.words):
        end = name_end(case.words, start)
        if end > start:
            names.append(surface(case.words[start:end]))
        elif case.low(start) not in {"and", ","}:
            return []
        start = max(end, start + 1)
    # Named together, they hold together.
    return [replace(op, one=False) for name in names for op in _introduce(case, single, name)]


_CALLED = frozenset({"called", "named"})


def _lacking(case: Case, had: list[Said], gone: bool) -> list[Operation]:
    """Keep what somebody says to be without: "I don't have a car"."""
    verb = case.clause.verb
    if not verb.negated or verb.base != "have" or verb.tense != "present":
        return []
    without = Relation(name="does not have", known=False)
    told = [replace(s, relation=without, verb="no longer has" if gone else "") for s in had]
    return [claim(case.scene, case.manner, said) for said in told]


def _introduce(case: Case, noun: str, name: str) -> list[Operation]:
    if noun.split()[-1] in KIN:
        case.scene.note(name, case.scene.gender(noun))
        case.scene.introduced = name
    verb = "got" if case.clause.verb.base in {"get", "adopt", "buy"} else "has"
    article = "an" if noun[0] in "aeiou" else "a"
    words = f"{verb} {article} {noun} named"
    return case.each(
        lambda owner: replace(
            named(case, owner, noun, name),
            text="" if case.manner.time else f"{owner} {words} {name}.",
            verb=words,
        )
    )


def named(case: Case, owner: str, noun: str, name: str) -> Said:
    """Return what the name of somebody's thing says, and keep it for the scene: "my dog, Rex"."""
    noun = species(noun)
    called = f"{owner}'s {noun}"
    case.scene.named[whose(owner, noun)] = name
    if noun.split()[-1] in PETS:
        case.scene.pet = name
    return Said(
        subject=owner,
        relation=slot_of(noun) or canonical(noun.split()[-1]) or noun,
        object=name,
        object_is_name=True,
        aliases={name: (called,)},
    )


def getting(case: Case) -> list[Operation] | None:
    """Read "got a dog", "got married", "got a job", "got promoted"."""
    first, second = case.low(0), case.low(1)
    verb = case.clause.verb
    if verb.base != "get":
        return having(case) if _named_thing(case, case.words) else None
    if first == "married":
        return _wedding(case)
    if first in {"engaged", "divorced"}:
        return _pair(case, first)
    if first == "promoted" and second == "to":
        return object_claims(case, 2, relation="works as", change=True, verb="got promoted to")
    if case.of_a_job:
        return new_job(case)
    if first == "up" and verb.tense == "present":
        return rising(case) or []
    if first in {"rid"} and second == "of":
        return object_claims(case, 2, relation="has", act=Act.RETRACT, change=True)
    if not case.happened or not case.words:
        return []
    named = first == "the" and name_end(case.words, 1) > 1
    if named or first in {"a", "an", "two", "three", "four", "some", "my", "our"}:
        found = having(
            replace(case, clause=replace(case.clause, verb=replace(verb, tense="present")))
        )
        return [replace(op, change=True) for op in found] if found else found
    return []


def _wedding(case: Case) -> list[Operation] | None:
    """Read "got married (to Bob)", "are getting married on June 3"."""
    verb = case.clause.verb
    if verb.negated:
        return []
    coming = verb.tense in {"progressive", "future"}
    relation = "is marrying" if coming else "is married to"
    told = "is getting married to" if coming else "got married to"
    if len(case.names) == 2:
        return case.between(relation, change=not coming, verb=told, stated=not coming)
    if case.low(1) == "to":
        return object_claims(case, 2, relation=relation, change=not coming, verb=told)
    if coming:
        return case.each(
            lambda s: Said(subject=s, relation="plans to", object="get married", stated=False)
        )
    return _got(case, "married")


def _got(case: Case, state: str) -> list[Operation]:
    return case.each(
        lambda s: Said(subject=s, relation="is", object=state, change=True, verb="got")
    )


def _pair(case: Case, state: str) -> list[Operation] | None:
    link = "to" if state == "engaged" else "from"
    relation = f"is {state} {link}"
    told = f"got {state} {link}"
    if len(case.names) == 2:
        return case.between(relation, verb=told)
    if case.low(1) == link:
        return object_claims(case, 2, relation=relation, change=True, verb=told)
    return _got(case, state)


def new_job(case: Case) -> list[Operation] | None:
    """Read "got a (new) job at Acme as a nurse", "started a new job at Acme"."""
    words = case.words
    if case.clause.verb.negated or not words:
        return []
    at = next((i for i, t in enumerate(words) if t.low in {"at", "with"}), 0)
    as_ = next((i for i, t in enumerate(words) if t.low == "as"), 0)
    found: list[Operation] = []
    verb = "got a job at"
    if case.clause.verb.base in {"start", "begin"}:
        coming = case.manner.time is not None and case.manner.time.since > case.scene.at
        verb = "starts a job at" if coming else "started a job at"
    if at:
        end = as_ if as_ > at else len(words)
        for name in case.names:
            thing = object_of(parted(words[at + 1 : end])[0], case.scene, name)
            if thing is None:
                return None
            said = replace(said_of(name, "works at", thing), change=True, verb=verb)
            found.append(claim(case.scene, case.manner, said))
    if as_:
        end = at if at > as_ else len(words)
        for name in case.names:
            thing = object_of(words[as_ + 1 : end], case.scene, name)
            if thing:
                trade = Said(subject=name, relation="works as", object=thing.text, change=True)
                found.append(claim(case.scene, case.manner, trade))
    return found or None


def lost_pets(case: Case) -> list[Operation]:
    """Take back that somebody has the pets that a clause is about, by what is known of them."""
    over = []
    for name in case.names:
        had = re.compile(
            rf"^(?P<owner>.+?)(?:'s| has an?| got an?) (?P<pet>[a-z]+) "
            rf"(?:named|called|is|is called) {re.escape(name)}\.?$"
        )
        for match in filter(None, map(had.match, case.scene.known)):
            if match["pet"] not in PETS:
                continue
            said = named(case, match["owner"], match["pet"], name)
            over.append(replace(said, act=Act.RETRACT, change=True, aliases={}))
    plain = replace(case.manner, sides={})
    return [claim(case.scene, plain, said) for said in over]


def selling(case: Case) -> list[Operation] | None:
    """Read "sold the car": it is had no more."""
    if not case.happened:
        return []
    sold = object_claims(case, 0, relation="has", act=Act.RETRACT, change=True)
    definite = case.low(0) in {"the", "my", "our", "his", "her", "their"}
    if not sold or not definite:
        return sold
    return [replace(op, object=case.scene.fuller(op.subject, op.object)) for op in sold]
