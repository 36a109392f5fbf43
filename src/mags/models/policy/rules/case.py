"""A clause with all that its reading needs, and the claims most verbs make of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mags.models.policy.rules.claims import Manner, Said, claim
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

    def low(self, i: int) -> str:
        """The word at a place, in lower case, or ""."""
        return self.words[i].low if i < len(self.words) else ""

    def each(self, said: Callable[[str], Said | None]) -> list[Operation]:
        """Make one operation for every subject."""
        made = [said(name) for name in self.names]
        return [claim(self.scene, self.manner, one) for one in made if one]


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
        found.append(
            claim(
                case.scene,
                told,
                Said(
                    subject=name,
                    relation=relation,
                    object=thing.text,
                    told=thing.told,
                    act=act,
                    object_is_name=thing.is_name,
                    change=change,
                    verb=verb,
                ),
            )
        )
    return found


def when_of(case: Case) -> str:
    """Return the time of a clause as it ends a sentence (" in May 2023"), or ""."""
    return f" {case.manner.time.text}" if case.manner.time else ""
