"""States that pass: "my mum is in hospital", "the boiler is broken", "Ferris is on leave"."""

from __future__ import annotations

import re

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.clause import PRONOUN, Clause
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import join
from mags.ports.policy import Operation
from mags.ports.relations import Relation, canonical

STATE = re.compile(
    r"(?:still |now |currently |back |really |quite |very )?"
    r"(?P<state>ill|sick|unwell|poorly|injured|bedridden|jobless|broken|out of order|out of work"
    r"|off work|off sick|missing|in (?:the )?hospital|in (?:the )?intensive care|in a coma|in rehab"
    r"|in therapy|in prison|in jail|in quarantine|at the vet|on (?:a )?(?:parental |maternity "
    r"|paternity |sick |medical |unpaid )?leave|on crutches|on a diet|on antibiotics|on holiday"
    r"|on vacation|on strike|on a sabbatical|under repair|being repaired|closed for \w+"
    r"|getting (?:a )?divorced?)(?= |,|[.!]|$)",
    re.IGNORECASE,
)
"""States somebody or something is in for a while; each ends some day."""
_IS = canonical("is") or Relation(name="is")


def state_of(clause: Clause, scene: Scene, manner: Manner) -> list[Operation]:
    """Return what a clause with "be" says of a state that passes; [] where it tells of none."""
    verb = clause.verb
    if verb.negated or verb.tense not in {"present", "progressive"}:
        return []
    if clause.subject.kind == PRONOUN and clause.subject.word in {"it", "this", "that", "there"}:
        return []
    said = join(clause.rest).strip()
    words = f"{verb.form} {said}".strip() if verb.passive or verb.base == "get" else said
    match = STATE.match(words)
    names = scene.subjects(clause.subject)
    if match is None or not names or not (verb.passive or verb.base in {"be", "get"}):
        return []
    state = match["state"].lower()
    told = (Said(subject=name, relation=_IS, object=state) for name in names)
    return [claim(scene, manner, said) for said in told]
