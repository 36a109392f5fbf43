"""Verbs that need more than the table: get, leave, lose, sell, stop, turn, die, call, have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.clause import Clause
from mags.models.policy.rules.lexicon import EMPTY_OBJECTS, EVALUATIVE, JOBS, KIN, PETS
from mags.models.policy.rules.names import name_end, surface
from mags.models.policy.rules.phrase import Rest, cut_aside, object_of, parted
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token
from mags.ports.inflection import lemma, third_person
from mags.ports.policy import Act, Operation
from mags.ports.relations import canonical, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A clause with everything that its reading needs."""

    clause: Clause
    rest: Rest
    scene: Scene
    manner: Manner
    names: tuple[str, ...]

    @property
    def words(self) -> tuple[Token, ...]:
        """The words after the verb."""
        return self.rest.tokens

    def low(self, i: int) -> str:
        """The word at a place, in lower case, or ""."""
        return self.words[i].low if i < len(self.words) else ""

    def each(self, said: Callable[[str], Said | None]) -> list[Operation]:
        """Make one operation for every subject."""
        made = [said(name) for name in self.names]
        return [claim(self.scene, self.manner, one) for one in made if one]


Special = Callable[[Case], list[Operation] | None]
"""Returns the operations, [] for nothing to keep, None to read the verb like any other."""


def _named_thing(case: Case, words: tuple[Token, ...]) -> tuple[str, str] | None:
    """Return (noun, name) of "a dog named Rex" or "a sister, Ana"."""
    for i, token in enumerate(words):
        if token.low in {"named", "called"} or (token.text == "," and i + 1 < len(words)):
            end = name_end(words, i + 1)
            if end > i + 1 and i >= 1:
                nouns = [t.low for t in words[:i] if t.low not in {"a", "an", "one", "my", "new"}]
                return " ".join(nouns), surface(words[i + 1 : end])
    return None


def _having(case: Case) -> list[Operation] | None:
    verb = case.clause.verb
    if case.low(0) == "to":
        return []
    named = _named_thing(case, case.words)
    if named and not verb.negated:
        noun, name = named
        if noun.split()[-1] in KIN | PETS:
            return _introduce(case, noun, name)
    if verb.base == "have" and verb.tense in {"past", "perfect", "progressive"}:
        return []
    body, sides = parted(case.words)
    last = body[-1].low if body else ""
    if last in EMPTY_OBJECTS or any(t.low in EVALUATIVE | EMPTY_OBJECTS for t in body):
        return []
    for phrase in ("allergy to", "job at", "job as", "passion for", "interest in"):
        if case.clause.verb.base == "have" and f" {phrase} " in " " + " ".join(t.low for t in body):
            return None
    owned = [object_of(body, case.scene, name) for name in case.names]
    if any(thing is None for thing in owned):
        return [] if not verb.negated else []
    gone = verb.gone or "gone" in case.manner.sides
    act = Act.RETRACT if verb.negated else Act.ADD
    relation = "has"
    told = replace(
        case.manner, sides={**{k: v for k, v in case.manner.sides.items() if k != "gone"}, **sides}
    )
    return [
        claim(
            case.scene,
            told,
            Said(
                subject=name,
                relation=relation,
                object=thing.text,
                act=act,
                object_is_name=thing.is_name,
                change=gone,
            ),
        )
        for name, thing in zip(case.names, owned, strict=True)
        if thing
    ]


def _introduce(case: Case, noun: str, name: str) -> list[Operation]:
    relation = canonical(noun) or canonical(noun.split()[-1]) or noun
    for owner in case.names:
        case.scene.named[f"{owner}'s {noun}".lower()] = name
    if noun.split()[-1] in KIN:
        case.scene.note(name, case.scene.gender(noun))
    verb = "got" if case.clause.verb.base in {"get", "adopt", "buy"} else "has"
    article = "an" if noun[0] in "aeiou" else "a"
    return case.each(
        lambda owner: Said(
            subject=owner,
            relation=relation,
            object=name,
            object_is_name=True,
            text="" if case.manner.time else f"{owner} {verb} {article} {noun} named {name}.",
            verb=f"{verb} {article} {noun} named",
            aliases={name: (f"{owner}'s {noun}",)},
        )
    )


def _getting(case: Case) -> list[Operation] | None:
    first, second = case.low(0), case.low(1)
    verb = case.clause.verb
    if first == "married":
        return _wedding(case)
    if first in {"engaged", "divorced"}:
        return _pair(case, first)
    if first == "promoted" and second == "to":
        return _object(case, 2, relation="works as", change=True, verb="got promoted to")
    job = any(t.low in {"job", "position"} for t in case.words[:4])
    if job:
        return _new_job(case)
    if first in {"rid"} and second == "of":
        return _object(case, 2, relation="has", act=Act.RETRACT, change=True)
    if verb.tense not in {"past", "perfect"} or verb.negated or not case.words:
        return []
    if first in {"a", "an", "two", "three", "four", "some", "my", "our"}:
        found = _having(
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
        one, other = case.names
        return [
            claim(
                case.scene,
                case.manner,
                Said(
                    subject=one,
                    relation=relation,
                    object=other,
                    object_is_name=True,
                    change=not coming,
                    verb=told,
                    stated=not coming,
                ),
            )
        ]
    if case.low(1) == "to":
        return _object(case, 2, relation=relation, change=not coming, verb=told)
    when = "is getting married" if coming else "got married"
    return (
        case.each(
            lambda s: Said(
                subject=s,
                relation="is",
                object="married" if not coming else "getting married",
                verb=when.removesuffix(" married").removesuffix(" getting"),
                change=True,
            )
        )
        if not coming
        else case.each(  # noqa: E501
            lambda s: Said(subject=s, relation="plans to", object="get married", stated=False)
        )
    )


def _pair(case: Case, state: str) -> list[Operation] | None:
    link = "to" if state == "engaged" else "from"
    relation = f"is {state} {link}"
    if len(case.names) == 2:
        one, other = case.names
        return [
            claim(
                case.scene,
                case.manner,
                Said(
                    subject=one,
                    relation=relation,
                    object=other,
                    object_is_name=True,
                    change=True,
                    verb=f"got {state} {link}",
                ),
            )
        ]
    if case.low(1) == link:
        return _object(case, 2, relation=relation, change=True, verb=f"got {state} {link}")
    return case.each(
        lambda s: Said(subject=s, relation="is", object=state, change=True, verb="got")
    )


def _object(
    case: Case,
    start: int,
    *,
    relation: str,
    change: bool = False,
    verb: str = "",
    act: Act = Act.ADD,
) -> list[Operation] | None:
    body, sides = parted(case.words[start:])
    body = cut_aside(body)
    told = replace(case.manner, sides={**case.manner.sides, **sides})
    found = []
    for name in case.names:
        thing = object_of(body, case.scene, name)
        if thing is None:
            return None
        found.append(
            claim(
                case.scene,
                told,
                Said(
                    subject=name,
                    relation=relation,
                    object=thing.text,
                    act=act,
                    object_is_name=thing.is_name,
                    change=change,
                    verb=verb,
                ),
            )
        )
    return found


def _new_job(case: Case) -> list[Operation] | None:
    """Read "got a (new) job at Acme as a nurse", "started a new job at Acme"."""
    words = case.words
    if case.clause.verb.negated or not words:
        return []
    at = next((i for i, t in enumerate(words) if t.low in {"at", "with"}), 0)
    as_ = next((i for i, t in enumerate(words) if t.low == "as"), 0)
    found: list[Operation] = []
    verb = "started a job at" if case.clause.verb.base in {"start", "begin"} else "got a job at"
    if at:
        end = as_ if as_ > at else len(words)
        for name in case.names:
            thing = object_of(parted(words[at + 1 : end])[0], case.scene, name)
            if thing is None:
                return None
            found.append(
                claim(
                    case.scene,
                    case.manner,
                    Said(
                        subject=name,
                        relation="works at",
                        object=thing.text,
                        object_is_name=thing.is_name,
                        change=True,
                        verb=verb,
                    ),
                )
            )
    if as_:
        end = at if at > as_ else len(words)
        for name in case.names:
            thing = object_of(words[as_ + 1 : end], case.scene, name)
            if thing:
                found.append(
                    claim(
                        case.scene,
                        case.manner,
                        Said(subject=name, relation="works as", object=thing.text, change=True),
                    )
                )
    return found or None


def _starting(case: Case) -> list[Operation] | None:
    if any(t.low in {"job", "position"} for t in case.words[:4]):
        return _new_job(case)
    first, verb = case.low(0), case.clause.verb
    if verb.tense not in {"past", "perfect", "present"} or verb.negated:
        return []
    if first in {"working", "dating", "seeing"}:
        return None
    if first.endswith("ing") and len(case.words) > 1 and first != "something":
        return _gerund(case, start=1, change=True)
    if first in {"a", "an", "my", "our", "his", "her", "the"} and verb.tense == "past":
        return _object(case, 0, relation="started")
    return []


def _gerund(case: Case, *, start: int, change: bool, act: Act = Act.ADD) -> list[Operation] | None:
    """Read "(started | stopped) drinking coffee" by what the verb in -ing says."""
    base = lemma(case.low(start - 1))
    words = case.words
    for k in range(min(3, len(words) - start), -1, -1):
        phrase = " ".join([base, *(t.low for t in words[start : start + k])])
        reading = read(phrase)
        if reading and not reading.relation.noun and len(words) > start + k:
            relation = reading.relation.name
            return _object(case, start + k, relation=relation, change=change, act=act)
    if act is Act.RETRACT:
        return _object(case, start, relation=third_person(base), change=change, act=act)
    return _object(case, 0, relation="started", change=False)


def _stopping(case: Case) -> list[Operation] | None:
    first, verb = case.low(0), case.clause.verb
    if verb.tense not in {"past", "perfect"} or verb.negated or not case.words:
        return []
    if verb.base == "give":
        if first != "up" or len(case.words) < 2:
            return []
        if case.low(1).endswith("ing") and len(case.words) > 2:
            return _gerund(case, start=2, change=True, act=Act.RETRACT)
        return _object(case, 1, relation="gave up")
    if first.endswith("ing") and len(case.words) > 1:
        return _gerund(case, start=1, change=True, act=Act.RETRACT)
    return []


def _leaving(case: Case) -> list[Operation] | None:
    """Read "quit my job (at Acme)", "left Acme"."""
    verb = case.clause.verb
    if verb.negated or verb.tense not in {"past", "perfect"} or not case.words:
        return []
    lows = [t.low for t in case.words]
    if any(word in {"job", "position"} for word in lows[:4]):
        at = next((i for i, word in enumerate(lows) if word in {"at", "with"}), 0)
        if at:
            return _object(case, at + 1, relation="works at", act=Act.RETRACT, change=True)
        verb_ = {"leave": "left", "quit": "quit", "lose": "lost"}.get(verb.base, verb.base)
        return case.each(
            lambda s: Said(
                subject=s,
                relation="works at",
                object="",
                act=Act.RETRACT,
                change=True,
                text=f"{s} {verb_} the job{_when(case)}.",
            )
        )
    if verb.base == "quit" and lows[0].endswith("ing"):
        if len(lows) > 1:
            return _gerund(case, start=1, change=True, act=Act.RETRACT)
        return _object(case, 0, relation="quit")
    if verb.base == "lose":
        return (
            _object(case, 0, relation="lost")
            if lows[0] in {"my", "our", "his", "her", "their"}
            else []
        )
    if verb.base == "leave" and name_end(case.words, 0) == len(case.words):
        return _object(case, 0, relation="left")
    return _object(case, 0, relation="quit") if verb.base == "quit" else []


def _when(case: Case) -> str:
    return f" {case.manner.time.text}" if case.manner.time else ""


def _selling(case: Case) -> list[Operation] | None:
    if case.clause.verb.negated or case.clause.verb.tense not in {"past", "perfect"}:
        return []
    return _object(case, 0, relation="has", act=Act.RETRACT, change=True)


def _turning(case: Case) -> list[Operation] | None:
    """Read "turned 30 (yesterday)"."""
    if not case.low(0).isdigit() or case.clause.verb.tense not in {
        "past",
        "perfect",
        "progressive",
        "present",
    }:
        return []
    years = case.low(0)
    coming = case.clause.verb.tense in {"progressive", "present"}
    if coming:
        return []
    return case.each(
        lambda s: Said(
            subject=s,
            relation="age",
            object=years,
            change=True,
            text=f"{s} turned {years}{_when(case)}.",
        )
    )


def _dying(case: Case) -> list[Operation] | None:
    verb = case.clause.verb
    if verb.tense not in {"past", "perfect"} or verb.negated:
        return []
    if verb.base == "pass" and case.low(0) != "away":
        return None
    skip = 1 if verb.base == "pass" else 0
    if case.low(skip) in {"in", "of", "from", "at"} and len(case.words) > skip + 1:
        relation = "died of" if case.low(skip) in {"of", "from"} else "died in"
        return _object(case, skip + 1, relation=relation)
    if case.manner.time:
        when = case.manner.time.text.removeprefix("on ").removeprefix("in ")
        return case.each(
            lambda s: Said(
                subject=s,
                relation="died on",
                object=when,
                change=True,
                text=f"{s} died{_when(case)}.",
            )
        )
    return case.each(
        lambda s: Said(subject=s, relation="is", object="dead", change=True, text=f"{s} died.")
    )


def _bearing(case: Case) -> list[Operation] | None:
    """Read "was born in Oslo on 4 July 1990"."""
    if not case.clause.verb.passive:
        return None
    found: list[Operation] = []
    time = case.manner.time
    still = replace(case.manner, time=None, times=())
    if time and time.precision in {"day", "year", "month"}:
        when = time.text.removeprefix("on ").removeprefix("in ")
        found += [
            claim(
                case.scene,
                still,
                Said(
                    subject=s,
                    relation="was born on",
                    object=when,
                    text=f"{s} was born {time.text}.",
                ),
            )
            for s in case.names
        ]
    words = tuple(t for t in case.words if t.text != "|")
    if words and words[0].low in {"in", "at"}:
        inner = replace(case, manner=still, rest=replace(case.rest, tokens=words))
        found += _object(inner, 1, relation="was born in") or []
    return found


def _calling(case: Case) -> list[Operation] | None:
    """Read "my dog is called Rex", "they call me Al"."""
    verb = case.clause.verb
    if not verb.passive:
        if verb.base == "call" and case.low(0) == "me" and len(case.words) == 2:
            name = case.words[1].text
            return [
                claim(
                    case.scene,
                    case.manner,
                    Said(
                        subject=case.scene.speaker,
                        relation="is also called",
                        object=name,
                        object_is_name=True,
                        aliases={case.scene.speaker: (name,)},
                    ),
                )
            ]
        return []
    if case.low(0) in {"after", "as", "for"}:
        return None
    end = name_end(case.words, 0)
    if not end or verb.negated:
        return []
    name = surface(case.words[:end])
    subject = case.clause.subject
    owner = case.scene.owner(subject.owner) if subject.owner and not subject.names else None
    if owner:
        noun = subject.noun
        relation = canonical(noun) or canonical(noun.split()[-1]) or noun
        case.scene.named[f"{owner}'s {noun}".lower()] = name
        return [
            claim(
                case.scene,
                case.manner,
                Said(
                    subject=owner,
                    relation=relation,
                    object=name,
                    object_is_name=True,
                    text=f"{owner}'s {noun} is called {name}.",
                    aliases={name: (f"{owner}'s {noun}",)},
                ),
            )
        ]
    return case.each(
        lambda s: Said(subject=s, relation="is called", object=name, object_is_name=True)
    )


def _switching(case: Case) -> list[Operation] | None:
    """Read "switched from tea to coffee": what was is over; what is now so is kept as said."""
    lows = [t.low for t in case.words]
    if "to" not in lows or case.clause.verb.tense not in {"past", "perfect"}:
        return []
    return _object(
        case, lows.index("to") + 1, relation="switched to", change=True, verb="switched to"
    )


def _breaking(case: Case) -> list[Operation] | None:
    """Read "broke up with Ana", "split up with Ana"."""
    if case.low(0) != "up":
        return [] if case.low(0) in {"down", "in"} else None
    if case.clause.verb.negated or case.clause.verb.tense not in {"past", "perfect"}:
        return []
    if case.low(1) == "with":
        return _object(case, 2, relation="is dating", act=Act.RETRACT, change=True)
    if len(case.names) == 2:
        one, other = case.names
        return [
            claim(
                case.scene,
                case.manner,
                Said(
                    subject=one,
                    relation="is dating",
                    object=other,
                    object_is_name=True,
                    act=Act.RETRACT,
                    change=True,
                ),
            )
        ]
    return []


def _becoming(case: Case) -> list[Operation] | None:
    if case.low(0) not in {"a", "an"} or case.clause.verb.tense not in {"past", "perfect"}:
        return []
    job = case.words[-1].low in JOBS
    verb = f"became {case.low(0)}"
    return _object(case, 1, relation="works as" if job else "is a", change=job, verb=verb)


SPECIAL: Mapping[str, Special] = {
    "have": _having,
    "get": _getting,
    "start": _starting,
    "begin": _starting,
    "stop": _stopping,
    "give": _stopping,
    "quit": _leaving,
    "leave": _leaving,
    "lose": _leaving,
    "sell": _selling,
    "turn": _turning,
    "die": _dying,
    "pass": _dying,
    "bear": _bearing,
    "call": _calling,
    "name": _calling,
    "switch": _switching,
    "break": _breaking,
    "split": _breaking,
    "become": _becoming,
}
