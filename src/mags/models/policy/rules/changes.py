"""Plain changes that the table of relations does not tell: a job left, a wedding, a name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from mags.models.policy.rules.clauses import OWNED, THING
from mags.models.policy.rules.names import name_end, surface
from mags.models.policy.rules.phrases import owner_of
from mags.models.policy.rules.statements import Case, having, related
from mags.models.policy.rules.when import COUNTED
from mags.ports.english import past_tense
from mags.ports.policy import Act, Operation

_JOB = re.compile(
    r"(?:quit|leave|lose)(?: (?:my|his|her|the) job)? at(?= )|(?:retire|resign) from(?= )"
    r"|quit(?= (?:my|our|his|her|the) (?!job)| [A-Z])"
)
"""What is said of a job that is over, before its place."""
_JOBLESS = re.compile(
    r"quit|resign|(?:quit|leave|lose) (?:my|his|her|the) job|(?:be|get) (?:laid off|fired|sacked)"
)
_GROUPS = re.compile(r"quit (?:the|my) .*\b(?:band|team|club|choir|gym|group|party|course|class)")


def changed(case: Case) -> list[Operation]:
    """Read a clause that tells of a change or an end; [] where it tells of none."""
    verb = case.clause.verb
    if verb.base in {"call", "name"} and verb.passive:
        return _called(case)
    if verb.base == "get" and case.low(0) in {"married", "engaged"} and len(case.names) == 2:
        return _wed(case)
    if verb.base == "turn" and case.happened and len(case.words) == 1:
        return _turned(case)
    found = having(case) if verb.base in {"adopt", "rescue", "have", "get"} else []
    return found or (_left(case) if case.happened else [])


def _left(case: Case) -> list[Operation]:
    """Read "quit the aquarium", "lost my job", "was laid off in January".

    "The aquarium" may be known by a longer name, so whatever work there is now is over; that it
    was held is kept.
    """
    verb, when = case.clause.verb, case.manner.time
    phrase = f"be {verb.form}" if verb.passive else verb.base
    phrase = " ".join([phrase, *(t.text if t.is_capital else t.low for t in case.words)])
    over: dict[str, Any] = {"act": Act.RETRACT, "change": True}
    if _JOBLESS.fullmatch(phrase):
        told = "left" if verb.base in {"quit", "leave", "resign"} else "lost"
        text = f"{told} the job {when.text}" if when else f"{told} the job"
        return case.told("works at", "", text=text, **over)
    if _GROUPS.fullmatch(phrase):
        return case.of_object(0, "is a member of", **over)
    job = _JOB.match(phrase)
    if job is None:
        return []
    start = job[0].count(" ")
    lead = f"the job {job[0].split()[-1]}" if start else "working at"
    told = f"{past_tense(verb.base)} {lead}"
    ended = case.of_object(start, "works at", **over)
    held = case.of_object(start, "worked at", verb=told)
    return [
        *(op if op.object_is_name or op.valid_to else replace(op, object="") for op in ended),
        *(replace(op, valid_from=None) for op in held),
    ]


def _wed(case: Case) -> list[Operation]:
    """Read "Ana and Bob got married", "are getting engaged"."""
    first, coming = case.low(0), case.clause.verb.tense in {"progressive", "future"}
    if case.clause.verb.negated or not (coming or case.happened):
        return []
    one, other = case.names
    relation = "is marrying" if coming else f"is {first} to"
    verb = f"{'is getting' if coming else 'got'} {first} to"
    return replace(case, names=(one,)).told(
        relation, other, object_is_name=True, stated=not coming, verb=verb, change=not coming
    )


def _turned(case: Case) -> list[Operation]:
    """Read "turned 30 (yesterday)", "turned four"."""
    years, when = str(COUNTED.get(case.low(0), case.low(0))), case.manner.time
    text = f"turned {years} {when.text}" if when else f"turned {years}"
    return case.told("age", years, text=text, change=True) if years.isdigit() else []


def _called(case: Case) -> list[Operation]:
    """Read "my dog is called Rex"."""
    subject, words, end = case.clause.subject, case.words, name_end(case.words, 0)
    owner = owner_of(subject.owner, case.speaker) if subject.owner and not subject.names else None
    if not end or case.clause.verb.negated:
        return []
    if owner and subject.noun:
        return [related(case, owner, subject.noun, surface(words[:end]), "is called")]
    if subject.kind in {THING, OWNED}:
        return []
    return case.told("is called", surface(words[:end]), object_is_name=True)
