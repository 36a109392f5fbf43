"""Policy: the three decisions a memory needs, made by rules, a prompted or a trained model.

Besides, the router of a conversation: what a turn wants, and what it names by that. A question may
come without its mark ("whats my wifi password"), a command as a plain sentence ("forget the thing
about the dentist"). What is not surely anything else tells something, or may.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mags.index.tokens import QUESTION_MARKS as QUESTION_MARKS
from mags.index.tokens import STOP_WORDS, stem, words
from mags.index.tokens import asks as asks
from mags.ports.english import word_set


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
    of a model's reply was not taken, and why. `says_ends`: it names all that is over itself, so
    that its sentences are not compared with earlier ones for what they contradict.
    """

    operations: tuple[Operation, ...] = ()
    mentions: tuple[str, ...] = ()
    understood: bool = True
    why: str = ""
    importance: float = 0.0
    is_question: bool = False
    warnings: tuple[str, ...] = ()
    says_ends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One sub-question: follow `relation` from `subject`, or `inverse`: to it as an object.

    An empty subject means the answer of the hop before.
    """

    subject: str
    relation: str
    inverse: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A way in which facts tie one thing to others.

    `relations`: of the facts whose subject it is; `inverse`: of those whose object it is.
    `objects`: names and nouns of which the other end is one; () for anything.
    """

    relations: frozenset[str]
    inverse: frozenset[str] = frozenset()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """A class of things, and what is asked of each: "which of my friends live in Norway".

    `owner`: to whom they are tied by one of `links`; without an owner they are the things of
    `names`, or where there are none, those who speak, or `anybody` who is like another. `told`:
    each member has a fact by one of these. `like`: with the same other end as a fact of this one
    ("the same town as Tom"). `every`: every member has to have one, as where they are compared.
    """

    told: tuple[Link, ...]
    owner: str = ""
    links: tuple[Link, ...] = ()
    names: tuple[str, ...] = ()
    anybody: bool = False
    like: str = ""
    every: bool = False


Tier = Literal["fast", "careful", "thorough"]
"""How carefully recall ranks: by its features, by words once more, by reading the first turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The ask model's answer: how to look.

    `queries`: texts to search for, the question first. `entities`: names in the question.
    `hops`: successive sub-queries when it can be taken apart. `members`: of which class who or
    what is asked for. `since`, `until`: event-time
    range in seconds. `episodic`, `semantic`: block weights in [0, 1].
    `past`: superseded facts are wanted ("where did she live before").
    `answer_kind`: person, place, time, number, thing, reason, yesno or "" if unknown.
    `tier`: how carefully to rank; None: as the settings say.
    `warnings`: why another than the configured policy made it.
    """

    queries: tuple[str, ...]
    entities: tuple[str, ...] = ()
    hops: tuple[Hop, ...] = ()
    members: Members | None = None
    since: float | None = None
    until: float | None = None
    episodic: float = 1.0
    semantic: float = 1.0
    past: bool = False
    answer_kind: str = ""
    tier: Tier | None = None
    warnings: tuple[str, ...] = ()


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


# -- the router ----------------------------------------------------------------

IntentKind = Literal["tell", "ask", "tell and ask", "correct", "forget", "overview", "small talk"]
ASKING: tuple[IntentKind, ...] = ("ask", "tell and ask", "overview")


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What a turn wants. `sure`: likely enough to act on; else it tells, and may ask as well."""

    kind: IntentKind = "tell"
    sure: bool = False


class Router(Protocol):
    """A turn to what it wants."""

    @property
    def reads(self) -> str:
        """Name of the embedder whose vectors it knows."""

    def intent(self, text: str, vector: NDArray[np.float32] | None) -> Intent:
        """What a turn wants, by its words and by its vector, where there is one of `reads`."""


_SMALL = STOP_WORDS | word_set(
    # of the command
    "forget erase delete remove wipe purge clear scrub strike drop lose unlearn discard bin trash "
    "kill throw rid unsave unremember take make clean ditch cross undo stop remembering never "
    "remember keep kept store stored storing save saved know hold held retain want wants wanted "
    "need rather prefer ask asked see go gone forgot forgotten deleted erased removed reset "
    # how it is put
    "please pls plz plss kindly ok okay yes hey shall might may must dont im let lets completely "
    "entirely asap thanks thank time mags sorry sure kind better grateful happier longer anymore "
    "nothing "
    # who, where to, how it hangs together
    "u mine us id ive thats shouldnt bout away regarding concerning whatever "
    # what a memory is made of
    "thing things bit bits part parts stuff fact facts note notes entry entries record records "
    "memory memories mention mentions mentioned reference matter passage info information detail "
    "details data message file one ones said say told tell telling talked wrote written confided "
    "previous ever anything something everything every two three "
    # why, and when it was said
    "private personal secret none business regret last latest ago minute moment today yesterday "
    "earlier recently week weeks night evening morning yesterday's today's"
)
"""Words that do not say what of a command to forget."""
_ALL = word_set("everything all any every whole me data myself clear reset slate")
"""Words by which a command, or an overview, means all that is held of who speaks."""
_CLAUSE = re.compile(r"[,;:!?]|\.(?:\s|$)| - |\N{EM DASH}")
_SENTENCE = re.compile(r".+?(?:[.!?]+(?=\s|$)|$)", re.S)
_MEMORY = re.compile(r"\bm(\d+)\b")
_FORMS = tuple(
    re.compile(form, re.I | re.S)
    for form in (
        r".*?\b(?:about|bout|abt|regarding|concerning)\s+(?P<topic>\S.*)",
        r".*\b(?:on|of|for|with)\s+(?!(?:file|record|me)\b)(?P<topic>\S.*)",
        r".*?\b(?:describe|summari[sz]e|sum up|recap|profile|who(?:'?s| is| was)|know)\s+"
        r"(?P<topic>\S.*)",
    )
)
"""Where an overview names its topic; the first form that fits has it."""
_BEHIND = re.compile(r"[,;.!?].*", re.S)
_TAIL = re.compile(
    r"(?:^|\s+)(?:(?:please|pls|thanks|again|then|so far|by now|for me|to me|in there|lol|too|now)"
    r"(?:\s+|$))+$",
    re.I,
)
_NO_TOPIC = re.compile(r"(?:what|who|how|it|all|everything|anything)\b", re.I)
_FULL_STOPS = frozenset(".!\u2026\u3002\uff01\u0964\u06d4")
_SELF = re.compile(r"\b(?:i|i'm|i've|i'd|we|we're|we've)\b", re.IGNORECASE)
_ASKING = re.compile(
    r"(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|am|do|does|did|has|have|had"
    r"|can|could|will|would|should|tell|show|list|give|remind|describe|name|find)\b",
    re.IGNORECASE,
)
MYSELF = "me"
"""The topic of an overview of who speaks."""


def tells(text: str) -> bool:
    """Whether a text asks and orders nothing, and is no bare list of words either."""
    plain = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    sentence = plain[-1:] in _FULL_STOPS or _SELF.search(plain) is not None
    return sentence and not asks(plain) and _ASKING.match(plain) is None


def named(text: str) -> tuple[int, ...]:
    """The ids that a text names: m12."""
    return tuple(dict.fromkeys(int(found) for found in _MEMORY.findall(text)))


def to_forget(text: str) -> str:
    """The words of a command to forget that say what, in order; "" where it names nothing."""
    said = ([word for word in words(one) if word not in _SMALL] for one in _CLAUSE.split(text))
    return " ".join(next(filter(None, said), []))


def wants_all(text: str) -> bool:
    """Whether a command to forget that names nothing means everything."""
    return not _ALL.isdisjoint(words(text))


def overview_of(text: str) -> str:
    """Of what everything is asked; `MYSELF` where that is who asks, or is not said."""
    said = " ".join(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
    for form in _FORMS:
        found = form.match(said)
        topic = "" if found is None else _TAIL.sub("", _BEHIND.sub("", found["topic"]))
        topic = re.sub(r"^(?:this|that)\s+", "", topic.strip(), flags=re.I)
        if topic and not _NO_TOPIC.match(topic):
            return MYSELF if topic.casefold() in _ALL else topic
    return MYSELF


def asked_in(text: str) -> str:
    """What is asked in a turn that also tells: its questions, else its last clause."""
    sentences = [one.strip() for one in _SENTENCE.findall(text) if one.strip()]
    asked = [one for one in sentences if one.endswith("?")]
    if asked:
        return " ".join(asked)
    clauses = [one.strip() for one in _CLAUSE.split(text) if one.strip()]
    return clauses[-1] if clauses else text


def names_all(topic: str, text: str) -> bool:
    """Say whether a text has every word of a topic that says anything, in some form of it."""
    wanted = {stem(word) for word in words(topic) if word not in _SMALL}
    return bool(wanted) and wanted <= {stem(word) for word in words(text)}
