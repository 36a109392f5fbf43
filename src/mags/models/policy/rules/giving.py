"""What is given to whom: "Ben gave me a watch", "we sent my aunt flowers", "Bea owes me 15"."""

from __future__ import annotations

from dataclasses import replace

from mags.models.policy.rules.case import Case
from mags.models.policy.rules.claims import Said, claim
from mags.models.policy.rules.lexicon import ARTICLES, KIN, POSSESSIVES, word_set
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.phrase import cut_aside, object_of, parted
from mags.ports.english import past_tense, third_person
from mags.ports.policy import Operation
from mags.ports.relations import Relation

GIVING = word_set("give get buy bring send lend make leave owe knit bake cook teach pay show")
_LASTING = word_set("owe lend teach")
"""Verbs that tell as much of now as of a day that is gone."""
_PRONOUNS = frozenset({"me", "us", "him", "them"})
_COUNTS = word_set("two three four five six seven eight nine ten tickets")
_DETERMINERS = ARTICLES | POSSESSIVES | {"the"} | _COUNTS


def giving(case: Case) -> list[Operation] | None:
    """Read a verb with two objects, the first of them a person; None where there are not two."""
    verb = case.clause.verb
    told = case.happened or (verb.base in _LASTING and verb.tense == "present")
    end = _recipient(case)
    if not told or verb.passive or verb.negated or not 0 < end < len(case.words):
        return None
    found = []
    for name in case.names:
        whom = object_of(case.words[:end], case.scene, name)
        body, sides = parted(cut_aside(case.words[end:]))
        thing = object_of(body, case.scene, name)
        if whom is None or thing is None or whom.text == name:
            return None
        said = past_tense(verb.base) if case.happened else third_person(verb.base)
        known_by = "gave" if verb.base == "get" else said
        relation = Relation(name=f"{known_by} {whom.text}", known=False)
        given = Said(subject=name, relation=relation, object=thing.text, told=thing.told)
        given = replace(given, verb=f"{said} {whom.text}")
        manner = replace(case.manner, sides={**case.manner.sides, **sides})
        found.append(claim(case.scene, manner, replace(given, object_is_name=thing.is_name)))
    return found


def _recipient(case: Case) -> int:
    """Where the words end that name who is given something; 0 where none does."""
    low = case.low(0)
    if low in _PRONOUNS:
        return 1 if case.low(1) not in {"up", "out", "to", "that", "how", "what"} else 0
    end = 1 if low == "her" else name_end(case.words, 0)
    if low in POSSESSIVES and case.low(1) in KIN:
        end = max(2, name_end(case.words, 2))
    return end if case.low(end) in _DETERMINERS or case.low(end)[:1].isdigit() else 0
