"""A sentence read by what was told before it, clause by clause; what it does not read goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mags.models.policy.rules.endings import broken, ended, replaced, traded
from mags.models.policy.rules.newer import renewed
from mags.models.policy.rules.scene import Scene
from mags.ports.policy import Operation, Recalled

_CUT = re.compile(
    r"(?<=[^\s,;]), (?:and |so |but )?|; | (?:and|so|but) (?=(?:I|we|he|she|it|now)\b)"
)
_LEAD = re.compile(
    r"^(?:(?:so|and|but|well|oh|ok|okay|yeah|hey|argh|ugh|update|sadly|unfortunately|luckily"
    r"|finally|anyway|btw|by the way|good news|bad news|guess what|in the end|apparently|also|sorry"
    r"|turns out|last \w+|yesterday|today|this \w+)\b[,:!]? ?)+",
    re.IGNORECASE,
)
_TOLD_OF = re.compile(
    r"\b(?:changed|moved|rescheduled|postponed|rebooked|raised|reset|pushed|updated|put (?:back|up)"
    r"|cancelled)(?: back| forward| up)?(?: the| my| our| me)? ?(?P<noun>[a-z]+(?: [a-z]+)?)?"
    r"|^(?:the|my|our) (?P<slot>[a-z ]+?) (?:has |was |is |'s )?(?:been )?(?:changed|moved)$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Past:
    """What was told before a turn, and what the turn has said of it so far.

    `about`: the noun of what it says was changed ("they changed the gate code"); `sure`: it said
    that something was; `gone`: the fact of what it says broke.
    """

    facts: tuple[Recalled, ...]
    about: str = ""
    sure: bool = False
    gone: Recalled | None = None


def read_back(sentence: str, scene: Scene, past: Past) -> tuple[tuple[Operation, ...], str]:
    """Return what a sentence says of what was told before, and what is left of it to be read."""
    if not past.facts:
        return (), sentence
    found: list[Operation] = []
    left: list[str] = []
    for part in _CUT.split(sentence):
        said = _LEAD.sub("", part.strip()).strip()
        read, tells = _read(said, scene, past)
        found += read
        if not read or tells:
            left.append(part)
    return tuple(found), ", ".join(left) if found else sentence


def _read(said: str, scene: Scene, past: Past) -> tuple[tuple[Operation, ...], bool]:
    read, tells = ended(said, scene, past.facts)
    if not read:
        read = traded(said, past.facts)
    if not read and past.gone is not None:
        read = replaced(said, past.gone)
    if not read:
        read = renewed(said, past.facts, scene, about=past.about, sure=past.sure)
    if read:
        return read, tells
    past.gone = broken(said, past.facts) or past.gone
    change = _TOLD_OF.search(said)
    if change is not None:
        noun = change["slot"] or change["noun"] or ""
        past.about, past.sure = (noun if noun not in {"me", "it", "us"} else ""), True
    return (), False
