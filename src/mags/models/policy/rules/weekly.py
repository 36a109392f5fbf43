"""What somebody does on weekdays: "I work on Mondays", "we swim with Jo on Fridays"."""

from __future__ import annotations

import re
from dataclasses import replace

from mags.models.policy.rules.case import Case
from mags.models.policy.rules.claims import Said
from mags.models.policy.rules.events import lifeless
from mags.models.policy.rules.lexicon import KIN, SILENT, word_set
from mags.models.policy.rules.phrase import cut_aside, object_of
from mags.models.policy.rules.spans import EACH_DAY
from mags.models.policy.rules.tokens import join
from mags.ports.english import third_person
from mags.ports.policy import Operation
from mags.ports.relations import Relation

_DAYS = re.compile(rf"on (?P<days>{EACH_DAY}\b.*)", re.IGNORECASE)
_DAY = re.compile(rf"\b{EACH_DAY}\b", re.IGNORECASE)
_NO_DOING = word_set("go come be have do get love like hate prefer want need")


def weekly(case: Case) -> list[Operation] | None:
    """Read on which days somebody does what has no object; None for any other clause."""
    verb, words = case.clause.verb, [t for t in case.words if t.text != "|"]
    found = _DAYS.match(case.rest.sides.get("often", "") or join(case.clause.before))
    settled = verb.tense in {"present", "used"} and not (verb.passive or verb.gone or verb.never)
    if found is None or not settled or lifeless(case.clause.subject) or case.manner.time:
        return None
    personal = len(words) > 1 and (words[1].is_capital or any(t.low in KIN for t in words))
    if verb.base in SILENT | _NO_DOING or (words and not (words[0].low == "with" and personal)):
        return None
    days = _DAY.sub(lambda m: m[0].capitalize(), found["days"])
    whom = object_of(cut_aside(words[1:]), case.scene, case.scene.speaker) if words else None
    doing = f"does not {verb.base}" if verb.negated else third_person(verb.base)
    doing = f"used to {verb.base}" if verb.tense == "used" else doing
    relation = Relation(name=f"{doing} on", known=False)
    told = replace(case, manner=replace(case.manner, sides={"with": whom.text} if whom else {}))
    change = bool({"now", "instead"} & verb.shades)
    return told.each(
        lambda s: Said(subject=s, relation=relation, object=days, one=True, change=change)
    )
