"""A clause with all that its reading needs, and the claims most verbs make of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mags.models.policy.rules.claims import Manner, Said, claim, said_of
from mags.models.policy.rules.clause import Clause
from mags.models.policy.rules.phrase import Rest, cut_aside, object_of, parted
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token
from mags.ports.policy import Act, Operation


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

    @property
    def happened(self) -> bool:
        """Whether the clause tells of something that came about: past or perfect, not denied."""
        verb = self.clause.verb
        return verb.tense in {"past", "perfect"} and not verb.negated

    @property
    def of_a_job(self) -> bool:
        """Whether the object is a job: "a new job at Acme"."""
        return any(t.low in {"job", "position"} for t in self.words[:4])

    def low(self, i: int) -> str:
        """The word at a place, in lower case, or ""."""
        return self.words[i].low if i < len(self.words) else ""

    def each(self, said: Callable[[str], Said | None]) -> list[Operation]:
        """Make one operation for every subject."""
        made = [said(name) for name in self.names]
        return [claim(self.scene, self.manner, one) for one in made if one]

    def between(
        self,
        relation: str,
        *,
        change: bool = True,
        verb: str = "",
        act: Act = Act.ADD,
        stated: bool = True,
    ) -> list[Operation]:
        """Make the operation for two subjects of each other: "Ana and Bob got married"."""
        one, other = self.names
        said = Said(subject=one, relation=relation, object=other, object_is_name=True)
        told = replace(said, change=change, verb=verb, act=act, stated=stated)
        return [claim(self.scene, self.manner, told)]


Special = Callable[[Case], list[Operation] | None]
"""Returns the operations, [] for nothing to keep, None to read the verb like any other."""


def object_claims(
    case: Case,
    start: int,
    *,
    relation: str,
    change: bool = False,
    verb: str = "",
    act: Act = Act.ADD,
) -> list[Operation] | None:
    """Return one operation for every subject, about the object from word `start` on.

    None where the object names nothing certain.
    """
    body, sides = parted(cut_aside(case.words[start:]))
    told = replace(case.manner, sides={**case.manner.sides, **sides})
    found = []
    for name in case.names:
        thing = object_of(body, case.scene, name)
        if thing is None:
            return None
        said = replace(said_of(name, relation, thing), act=act, change=change, verb=verb)
        found.append(claim(case.scene, told, said))
    return found


def when_of(case: Case) -> str:
    """Return the time of a clause as it ends a sentence (" in May 2023"), or ""."""
    return f" {case.manner.time.text}" if case.manner.time else ""
