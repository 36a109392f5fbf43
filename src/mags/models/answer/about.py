"""Questions about somebody as such: "What is my name?", "What do you know about me?"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mags.models.answer.shares import ROLE_NAMES
from mags.ports.answer import ContextItem
from mags.ports.english import topic_of
from mags.ports.policy import NO_LONGER, Turn

MOST_TOLD = 7
"""Facts of a profile."""
_LEAD = r"(?:(?:so|and|well|ok|okay|please),? )*"
_NAME = re.compile(
    rf"^{_LEAD}(?:(?:do you (?:know|remember)|can you tell me|tell me) (?:what )?)?"
    r"(?:what(?:'s| is) my name|my name(?: is)?|who am i|what am i called)(?: again)?\W*$",
    re.IGNORECASE,
)
_WHOM = re.compile(r"me|myself|[^\W\d_a-z][\w.'-]*(?: (?:[^\W\d_a-z][\w.'-]*|of|the|de|van))*")
_CALLED = ("is called", "is also called")
_SELF = re.compile(r"\b(?:I'm|I am|[Mm]y name is|[Mm]y name's|[Cc]all me) (?P<name>[^.,;!?]+)")


def asks_own_name(text: str) -> bool:
    """Say whether who asks wants to hear who they are."""
    return _NAME.match(_plain(text)) is not None


def about_whom(question: Turn) -> str:
    """Return of whom everything is asked ("What do you know about Ana?"), or ""."""
    topic = topic_of(question.text)
    whom = topic if _WHOM.fullmatch(topic) else ""
    return question.speaker if whom.casefold() in {"me", "myself"} else whom


def own_name(question: Turn, items: Sequence[ContextItem]) -> tuple[str, ContextItem] | None:
    """Return the name of who asks, and what shows it; None where nothing does.

    What they said they are called, else the name they go by where anything is held of them.
    """
    speaker = question.speaker
    own = [item for item in items if item.current and _is(item, speaker)]
    for item in own:
        if item.fact is not None and item.fact[1] == _CALLED[0] and item.fact[2][:1].isupper():
            return item.fact[2], item
    if speaker in ROLE_NAMES:
        return None
    said = [item for item in items if item.fact is None and item.speaker == speaker]
    named = (item for item in said if speaker in {m["name"] for m in _SELF.finditer(item.text)})
    shown = next(iter((*named, *own, *said)), None)
    return None if shown is None else (speaker, shown)


def profile(whom: str, items: Iterable[ContextItem]) -> list[ContextItem]:
    """Return the current facts of somebody, else those that end on them, in the order of recall."""
    held = [i for i in items if i.fact is not None and i.current and not _is_over(i.fact[1])]
    of_them = [i for i in held if _is(i, whom) and i.fact is not None and not _trivial(i.fact)]
    return _once(of_them or [i for i in held if i.fact and _same(i.fact[2], whom)])[:MOST_TOLD]


def _plain(text: str) -> str:
    return text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()


def _is(item: ContextItem, name: str) -> bool:
    return item.fact is not None and _same(item.fact[0], name)


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _is_over(relation: str) -> bool:
    return relation.startswith(NO_LONGER)


def _trivial(fact: tuple[str, str, str]) -> bool:
    """Say whether a fact only calls somebody by the name asked with."""
    return fact[1] in _CALLED and _same(fact[0], fact[2])


def _once(items: Sequence[ContextItem]) -> list[ContextItem]:
    """Drop what tells the same fact again."""
    return list({item.fact: item for item in reversed(items)}.values())[::-1]
