"""Policy: the three decisions a memory needs, made by rules, a prompted or a trained model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, runtime_checkable


class Act(Enum):
    """What a write operation asks for."""

    ADD = "ADD"
    """Something is so (the arbiter decides what it replaces)."""
    UPDATE = "UPDATE"
    """Something is now so instead of what was: the slot holds one value."""
    RETRACT = "RETRACT"
    """Something is no longer so, or never was; an empty object means the whole slot, an empty
    relation whatever joins subject and object."""
    NOTE = "NOTE"
    """Knowledge that is no triple; its words are in `text`."""


OUTCOME = "outcome"
"""Attribute of a turn that reports what came of an act: how well that went, from -1 to 1."""
LED_BY = "led_by"
"""Attribute of such a turn: ids of the episodes that led to the act, separated by spaces; where one
of them reports an act, also those that led to that. Where a fact of one of them is over, the good
outcome is no advice any more."""
CLAIMED = "claimed_at"
"""Attribute of a turn, or qualifier of a fact, that was given a time which was not believed."""
ASSISTANTS = ("assistant", "mags", "tool", "system", "function", "ai", "bot", "chatbot")
"""Speakers that are programs, by name: what they say of others is worth least."""
GUESS = "(a guess)"
"""What a fact that was not surely read is marked with, wherever it is shown."""
DISPUTED = "(disputed)"
"""What is marked so says otherwise than what somebody said of themself."""
NO_LONGER = "no longer "
"""What begins a relation that tells that something is over: "no longer works at"."""
_ID = re.compile(r"(?<!\S)[0-9]{1,18}(?!\S)")


def outcome(attrs: Mapping[str, object]) -> float | None:
    """`OUTCOME` as a number; None where it is no number, as in some older memories."""
    try:
        return float(str(attrs.get(OUTCOME)))
    except ValueError:
        return None


def led_by(attrs: Mapping[str, object]) -> tuple[int, ...]:
    """`LED_BY` as ids; words that are no ids are passed over, as older memories may have some."""
    return tuple(map(int, _ID.findall(str(attrs.get(LED_BY, "")))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said or observed. `at`: event time, seconds since the epoch (UTC)."""

    text: str
    speaker: str = "user"
    at: float = 0.0
    session: str = ""
    key: str | None = None
    attrs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One proposed change of the semantic block.

    `subject`, `object`: names as they should be known (pronouns resolved).
    `relation`: a short verb phrase in the present ("lives in"), canonical where the table
    knows it. `qualifiers`: roles to words (`kind` names the slot further, as in favourite
    *food*; `topic` tells one from others of its kind, as in *grocery* budget; `when`, `where`,
    `condition`, `exception`, `reason`, `with`; `source`: who is said to have said so).
    `text`: a sentence that stands alone (made from the triple when empty).
    `valid_from`, `valid_to`: event time in seconds, None where nothing was stated.
    `one`: the slot holds one value - True or False when known, None to ask the table.
    `change`: the turn carried a change cue (now, moved, no longer, instead, sold, left).
    `confidence`: in [0, 1]. `subject_is_name`, `object_is_name`: proper names.
    `tentative`: a guess, which closes nothing and stands in the way of nothing. `exact`: what it
    closes follows from its names alone; its sentence is not compared with others.
    """

    act: Act
    subject: str = ""
    relation: str = ""
    object: str = ""
    qualifiers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    valid_from: float | None = None
    valid_to: float | None = None
    one: bool | None = None
    change: bool = False
    confidence: float = 0.8
    subject_is_name: bool = True
    object_is_name: bool = False
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names learned in passing: entity -> other names ("my sister Ana": {"Ana": [...]})."""
    tentative: bool = False
    exact: bool = False
    rests_on: tuple[int, ...] = ()
    """Ids of the recalled facts it follows from: it is worth no more than the least of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """The write model's answer for one turn.

    `operations`: what to store. `mentions`: names of entities in the turn, best form first.
    `understood`: False when there was something that looked like a statement but could not
    be read: the turn is kept as an episode and the reason shown.
    `importance`: in [0, 1], emphasis or strong feeling. `is_question`: it asks. `warnings`: what
    of a model's reply was not taken, and why.
    """

    operations: tuple[Operation, ...] = ()
    mentions: tuple[str, ...] = ()
    understood: bool = True
    why: str = ""
    importance: float = 0.0
    is_question: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One sub-question: follow `relation` from `subject`, or `inverse`: to it as an object.

    An empty subject means the answer of the hop before.
    """

    subject: str
    relation: str
    inverse: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The ask model's answer: how to look.

    `queries`: texts to search for, the question first. `entities`: names in the question.
    `hops`: successive sub-queries when it can be taken apart. `since`, `until`: event-time
    range in seconds. `episodic`, `semantic`: block weights in [0, 1].
    `past`: superseded facts are wanted ("where did she live before").
    `answer_kind`: person, place, time, number, thing, reason, yesno or "" if unknown.
    """

    queries: tuple[str, ...]
    entities: tuple[str, ...] = ()
    hops: tuple[Hop, ...] = ()
    since: float | None = None
    until: float | None = None
    episodic: float = 1.0
    semantic: float = 1.0
    past: bool = False
    answer_kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The router's answer for one turn: recall, write, both or neither, and block weights."""

    recall: bool = True
    write: bool = True
    episodic: float = 1.0
    semantic: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One recalled item as a policy sees it; `current` is False for superseded facts.

    `subject`, `relation`, `object`, `qualifiers`: of a fact, as it is held; empty otherwise.
    `tentative`: it is a guess.
    """

    id: int
    text: str
    speaker: str = ""
    at: float = 0.0
    current: bool = True
    subject: str = ""
    relation: str = ""
    object: str = ""
    qualifiers: Mapping[str, str] = field(default_factory=dict)
    tentative: bool = False


class Policy(Protocol):
    """Three decisions. Raises ModelError; never invents on failure."""

    @property
    def name(self) -> str:
        """What to show the user: "rules", "prompted (qwen3-8b)", "rules and reader"."""

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what this turn needs."""

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall; `question.at` is now, for "last week"."""

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn; `recent` (oldest first) resolves pronouns."""


@runtime_checkable
class Reminded(Protocol):
    """A policy that can use earlier facts where a turn leaves something open."""

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """Names whose open facts `write` should see; () where the turn needs none.

        In bulk `write` reads such a turn while nobody else can write: it is to be quick then.
        """


@runtime_checkable
class Together(Protocol):
    """A policy that reads several turns of a session at once, since each reading costs."""

    @property
    def together(self) -> int:
        """Turns that it reads at once, at most."""

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """Names whose open facts it should see, as of `Reminded`."""

    def write_many(
        self, turns: Sequence[Turn], recent: Sequence[Turn], recalled: Sequence[Recalled]
    ) -> list[Writing]:
        """What `write` would give, for each turn; `recent`: the turns before the first."""
