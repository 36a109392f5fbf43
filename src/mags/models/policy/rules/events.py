"""What has its time: "my train leaves at 7:15", "the bakery opens at 7", "it's at noon"."""

from __future__ import annotations

import re
from dataclasses import replace

from mags.models.policy.rules.case import Case
from mags.models.policy.rules.claims import Said
from mags.models.policy.rules.clause import OWNED, PRONOUN, THING, Clause, Subject
from mags.models.policy.rules.lexicon import KIN, PETS
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token, join
from mags.models.policy.rules.values import is_hour
from mags.models.policy.rules.when import times
from mags.ports.english import third_person
from mags.ports.policy import Operation
from mags.ports.relations import Relation

_HOUR = re.compile(r"^(?:at|from|until|around|about|by)? ?\d", re.I)
_TIED = frozenset({"be", "cost", "start", "begin", "end", "open", "close", "leave", "expire"})


def timed(case: Case) -> list[Operation] | None:
    """Read "my train to Prague leaves at 7:15 tomorrow"; None where it tells no time of a thing."""
    clause, verb = case.clause, case.clause.verb
    present = verb.tense in {"present", "future"} and not verb.negated and not verb.passive
    if not present or not lifeless(clause.subject):
        return None
    hour = join([t for t in case.words if t.text != "|"])
    if not is_hour(hour) or not (case.manner.time or _HOUR.match(hour)):
        return None
    time = case.manner.time.text if case.manner.time else ""
    when = f"{hour} {time}".strip()
    lead = when.split()[0] if when.split()[0] in {"at", "on", "in"} else ""
    told = third_person(verb.base)
    relation = Relation(name=f"{told} {lead}".strip(), known=False)
    timeless = replace(case, manner=replace(case.manner, time=None, times=()))
    return timeless.each(
        lambda s: Said(
            subject=s,
            relation=relation,
            object=when.removeprefix(lead).strip(),
            one=True,
            text=f"{s[:1].upper()}{s[1:]} {told} {when}.",
        )
    )


def rising(case: Case) -> list[Operation] | None:
    """Read "get up at 6", "go to bed around 11": when somebody does so, of late or always."""
    words = [t for t in case.words if t.text != "|"]
    at = next((i for i, t in enumerate(words) if t.low in _AT), 0)
    hour = join(words[at + 1 :])
    doing = " ".join(t.low for t in words[:at])
    if doing not in {"up", "to bed"} or case.clause.verb.negated or not is_hour(hour):
        return None
    if not hour[:1].isdigit():
        return None
    told = f"{third_person(case.clause.verb.base)} {doing} at"
    relation = Relation(name=told, known=False)
    return case.each(
        lambda s: Said(subject=s, relation=relation, object=hour, one=True, change=True)
    )


_AT = frozenset({"at", "around", "about"})


def lifeless(subject: Subject) -> bool:
    """Say whether a subject is a thing that may have its time, no person and no pet."""
    last = subject.noun.split()[-1].lower() if subject.noun else ""
    return subject.kind in {OWNED, THING} and not subject.names and last not in KIN | PETS


def resolved(clause: Clause, scene: Scene) -> Clause:
    """Return a clause with "it" told as the thing that the sentence before was about.

    Only where it is then said when, where or for how much that is; the weather is left alone.
    """
    subject, verb = clause.subject, clause.verb
    if scene.thing is None or subject.kind != PRONOUN or subject.word != "it":
        return clause
    if verb.base not in _TIED or verb.negated or verb.tense not in {"present", "future"}:
        return clause
    if not _tells(clause.rest, scene.at):
        return clause
    told = replace(scene.thing, end=subject.end, noun=scene.thing.noun.removesuffix(" number"))
    return replace(clause, subject=told, verb=replace(verb, tense="present"))


def _tells(rest: tuple[Token, ...], at: float) -> bool:
    """Say whether words tell a time, a named place or an amount."""
    words = [t for t in rest if t.is_word]
    if not words:
        return False
    if words[0].low in {"in", "at", "on"} and len(words) > 1 and words[1].is_capital:
        return True
    return words[0].text[0] in "0123456789$€£" or bool(times(join(rest), at, future=True))
