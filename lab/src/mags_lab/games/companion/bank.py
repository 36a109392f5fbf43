"""Sentence banks: all the words of a game, in one file each.

`mags_lab.games.sentences.BANKS` says what each is for. All have the same keys, which is checked
when they are read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from mags.errors import InvalidInput, NotFound
from mags_lab.games.sentences import BANKS, Lists, lists_of

TASTES = ("drink", "sweet", "craft")
SECRETS = ("debt", "crush", "leaving", "hoard")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


_OWN = frozenset({"work", "home", *TASTES, "avoid", "spot", "role"})
_DATED = frozenset({"work_since", "home_since", "work_before", "home_before"})
_KEYS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "kinds": frozenset({"person", "work", "home", *TASTES, "spot", "food", "event"}),
        "mine": _OWN | {*SECRETS, "mood"},
        "theirs": _OWN | {"day", "outcome"},
        "mine_change": _OWN - {"avoid"},
        "theirs_change": _OWN - {"avoid", "spot"} | {"day"},
        "shown": frozenset(TASTES),
        "frames": frozenset(
            {"plain", "hearsay", "dated", "corrected", "rumour", "denied", "secret", "lifted"}
        ),
        "question": frozenset({"work", "home", *TASTES, "meal", "place", "role", "day", "outcome"})
        | {"role_work", "role_home", "secret", "own"}
        | _DATED,
        "action": frozenset({"work", "home", *TASTES, "meal", "place", "role", "month", "day"})
        | {"outcome", "secret", "never", "keep"},
        "unknown": frozenset({"work", "home", "role"}),
        "reply": frozenset({"right", "wrong", "leak", "remind"}),
        "chatter": frozenset({"lines"}),
    }
)
SLOT = re.compile(r"\{(\w+)\}")
_SLOTS = frozenset({"s", "o", "old", "t", "m", "c", "a", "b", "n", "N"})
CHANGES = ("mine_change", "theirs_change")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanionBank:
    """The words of a game. `side`: whose syllables its names have; `lists`: by section and key.

    `moods`, `roles`: kinds of mood and kinship, of which `changing` may pass to another; `topics`:
    what each secret is called; `outcomes`: what may become of an event; `words`: every word.
    """

    name: str
    side: int
    narrator: str
    moods: tuple[str, ...]
    roles: tuple[str, ...]
    changing: frozenset[str]
    topics: Mapping[str, str]
    outcomes: tuple[str, ...]
    lists: Mapping[str, Lists]
    words: frozenset[str]


@cache
def bank(name: str) -> CompanionBank:
    """The bank of that name; raises NotFound, and InvalidInput where its file has a flaw."""
    if name not in BANKS:
        raise NotFound(f"there is no bank {name!r}: choose among {', '.join(BANKS)}", bank=name)
    text = (
        files("mags_lab.games.companion").joinpath(f"data/{name}.toml").read_text(encoding="utf-8")
    )
    raw = tomllib.loads(text)
    words = raw["words"]
    made = CompanionBank(
        name=name,
        side=raw["side"],
        narrator=raw["narrator"],
        moods=tuple(words["moods"]),
        roles=tuple(words["roles"]),
        changing=frozenset(words["changing"]),
        topics=MappingProxyType({key: words[key] for key in SECRETS}),
        outcomes=tuple(words["outcomes"]),
        lists=MappingProxyType({section: lists_of(raw.get(section, {})) for section in _KEYS}),
        words=frozenset(re.findall(r"[a-z]+", text.casefold())),
    )
    _check(made)
    return made


def _check(made: CompanionBank) -> None:
    """Raise InvalidInput for a key too many or too few, and for a line with the wrong slots."""
    for section, wanted in _KEYS.items():
        found = made.lists[section]
        if found.keys() != wanted:
            odd = ", ".join(sorted(found.keys() ^ wanted))
            raise _flaw(made, f"[{section}] should have each key once and no other: {odd}", section)
        for key, lines in found.items():
            if not lines:
                raise _flaw(made, f"{section}.{key} is empty", key)
            for line in lines:
                _check_slots(made, section, key, frozenset(SLOT.findall(line)))
    if not made.changing <= set(made.roles):
        raise _flaw(made, "only a kinship that there is may change", "changing")
    if len(made.moods) != 4 or len(made.roles) != 8 or len(made.outcomes) != 3:
        raise _flaw(made, "four moods, eight kinships and three outcomes are needed", "words")


def _check_slots(made: CompanionBank, section: str, key: str, found: frozenset[str]) -> None:
    must: frozenset[str] = frozenset()
    if section in ("mine", "theirs", "shown", *CHANGES):
        must = frozenset({"o"}) | (frozenset() if section.startswith("mine") else {"s"})
    if key in ("spot", "role") and section in ("mine", "theirs", *CHANGES):
        must |= {"t"}
    if section in CHANGES:
        must |= {"old"}
    if not must <= found <= _SLOTS:
        raise _flaw(made, f"{section}.{key}: a line has the wrong slots", key)


def _flaw(made: CompanionBank, what: str, key: str) -> InvalidInput:
    return InvalidInput(f"bank {made.name}: {what}", bank=made.name, key=key)
