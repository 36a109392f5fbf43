"""Router: what a turn of a conversation wants of the memory, and what it names by that.

A question may come without its mark ("whats my wifi password"), a command as a plain sentence
("forget the thing about the dentist"). What is not surely anything else tells something, or may.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from mags.index.tokens import QUESTION_MARKS as QUESTION_MARKS
from mags.index.tokens import asks as asks
from mags.index.tokens import stem, words

IntentKind = Literal["tell", "ask", "tell and ask", "correct", "forget", "overview", "small talk"]


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


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_SMALL = _set(
    # of the command
    "forget erase delete remove wipe purge clear scrub strike drop lose unlearn discard bin "
    "trash kill throw get rid unsave unremember take make clean ditch cross undo stop "
    "remembering never remember keep kept store stored storing save saved know hold held "
    "retain want wants wanted need like rather prefer ask asked see go gone forgot forgotten "
    "deleted erased removed reset "
    # how it is put
    "please pls plz plss kindly just now then also again ok okay yes hey can could would will "
    "should shall might may must do did does dont don't didn't shouldn't have has had having "
    "been being be is am are was were im let lets let's so really completely entirely asap "
    "thanks thank time mags too sorry sure kind better grateful happier longer anymore any "
    "more no nothing "
    # who, where to, how it hangs together
    "i you u me my mine we us our ours your yours yourself it its that this those these he "
    "she they him his her their them there here i'd i'm i've id ive you've that's thats "
    "there's shouldnt a an the of to in on at for with about bout from out off up away by as "
    "into and or but not regarding concerning if what which who where when how why because "
    "whatever s "
    # what a memory is made of
    "thing things bit bits part parts stuff fact facts note notes entry entries record "
    "records memory memories mention mentions mentioned reference matter passage info "
    "information detail details data message file one ones said say told tell telling talked "
    "wrote written confided previous ever anything something everything all every both two "
    "three "
    # why, and when it was said
    "private personal secret none business regret last latest ago minute moment today "
    "yesterday earlier before recently week weeks night evening morning yesterday's today's "
)
"""Words that do not say what of a command to forget."""
_ALL = _set("everything all any every whole me data myself clear reset slate")
"""Words by which a command, or an overview, means all that is held of who speaks."""
_CLAUSE = re.compile(r"[,;:!?]|\.(?:\s|$)| - |\N{EM DASH}")
_SENTENCE = re.compile(r".+?(?:[.!?]+(?=\s|$)|$)", re.S)
_ID = re.compile(r"\bm(\d+)\b")
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
    return tuple(dict.fromkeys(int(found) for found in _ID.findall(text)))


def to_forget(text: str) -> str:
    """The words of a command to forget that say what, in order; "" where it names nothing."""
    for clause in _CLAUSE.split(text):
        found = [word for word in words(clause) if word not in _SMALL]
        if found:
            return " ".join(found)
    return ""


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
