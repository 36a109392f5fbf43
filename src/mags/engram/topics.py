"""Topics: what narrows a slot beyond its relation, and when two statements have none in common.

A budget for groceries is none for gifts, a second job is not the first. A reader says so by the
qualifier `topic`, a noun phrase ("grocery budget", "second work", "mother's age"); `for` narrows as
well where the table says that a relation has `topics`. Of a topic that alone counts which the slot
does not say anyway: neither the slot's own word ("budget", "work", "age") nor whose it is, where
that is the subject ("mother's"). What narrows one side only has nothing in common with the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from mags.index.tokens import terms
from mags.ports.english import SLOT_WORDS
from mags.ports.relations import Relation

TOPIC, FOR = "topic", "for"
_OWNER = re.compile("^(?P<owner>.+?)(?:'s|\u2019s|'|\u2019) (?P<rest>.+)$")
_OWN = frozenset(terms(" ".join(SLOT_WORDS)))
"""What tells no topic apart, stemmed."""


def apart(
    ours: Mapping[str, object],
    theirs: Mapping[str, object],
    relation: Relation,
    subject: str,
    *,
    own: bool,
) -> bool:
    """Whether two statements of one slot, by their qualifiers, have no topic in common.

    `subject`: the name of the one they are about; `own`: it is who speaks, so that a topic that is
    said to be another's ("dog's age") is not of the speaker. Where the relation has topics and
    neither side tells one, nothing shows that they are of the same.
    """
    one, other = (narrowing(given, relation, subject, own=own) for given in (ours, theirs))
    return one.isdisjoint(other) if one or other else relation.topics


def narrowing(
    qualifiers: Mapping[str, object], relation: Relation, subject: str, *, own: bool
) -> frozenset[str]:
    """The stems by which qualifiers narrow a slot; none where they say no more than it does."""
    words = str(qualifiers.get(TOPIC, ""))
    owned = _OWNER.match(words)
    if owned and (not own or set(terms(owned["owner"])) <= set(terms(subject))):
        words = owned["rest"]
    told = set(terms(words))
    if relation.topics:
        told |= set(terms(str(qualifiers.get(FOR, ""))))
    return frozenset(told - _OWN - set(terms(relation.name)) - set(terms(subject)))


def unlike(ours: Mapping[str, object], theirs: Mapping[str, object]) -> bool:
    """Whether the topics of two statements of any slots are both told, and share no word."""
    one, other = (set(terms(str(given.get(TOPIC, "")))) for given in (ours, theirs))
    if not one or not other:
        return False
    narrow = one - _OWN, other - _OWN
    return one.isdisjoint(other) if not any(narrow) else narrow[0].isdisjoint(narrow[1])
