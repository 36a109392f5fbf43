"""Trust: what somebody says of whom it is said that he lies is kept as said, not as so.

The newest open fact about a speaker that others told and that speaks of honesty decides. What
he said stays an episode, to be recalled and quoted; it gives no fact and closes none.
"""

from __future__ import annotations

import re

from mags.engram.view import View
from mags.graph.records import NEVER, NOBODY
from mags.index.tokens import words

MOST = 64
"""Facts about a speaker beyond which nobody looks: he speaks of himself."""
_LYING = frozenset(
    {"lie", "lies", "lied", "lying", "liar", "liars", "fib", "fibs", "fibbing", "deceive"}
    | {"deceives", "deceived", "deceitful", "deceiver", "dishonest", "insincere", "untruthful"}
    | {"untruth", "untruths", "untrustworthy", "falsehood", "falsehoods", "mislead", "misleads"}
    | {"misleading", "fabricates", "swindles", "swindler"}
)
_HONEST = frozenset(
    {"truth", "truths", "truthful", "truthfully", "honest", "honestly", "sincere", "reliable"}
    | {"trustworthy"}
)
_NOT = frozenset(
    {"not", "no", "never", "nothing", "hardly", "rarely", "seldom", "nor", "without", "nobody"}
    | {"cannot", "neither"}
)
_UNDENIED = re.compile(
    r"\b(?:no matter|no doubt|nothing but|nothing else|never fails?|never failed"
    r"|without (?:fail|exception|doubt|question)|not only|not once but)\b"
)
"""What has a word of denial and denies nothing: "speaks nothing but the truth"."""
_PLACED = re.compile(
    r"\b(?:lies?|lying|lied) (?:in|on|at|near|under|behind|beside|down|along|within|between|hidden"
    r"|buried|asleep|still|there|to (?!you|me|us|all|every|any|people|strangers))"
)
"""What lies somewhere, and a single lie: "lies to the tax collector"."""
_DENIED = re.compile(r"\b(?:anything but|far from|would rather|the opposite of)\b")


def doubt(view: View, speaker: int) -> int | None:
    """The fact that says of a speaker that he lies; None where nothing does."""
    if speaker == NOBODY:
        return None
    facts = list(dict.fromkeys(view.about(speaker)))
    if len(facts) > MOST:
        return None
    found: list[tuple[float, int, bool]] = []
    for fact in facts:
        node = view.node(fact)
        if int(node["subject"]) != speaker or node["valid_to"] != NEVER:
            continue
        lies = lying(_said(view, fact))
        others = any(view.origin(one)[1] != speaker for one in view.sources(fact))
        if lies is not None and others:
            found.append((float(node["valid_from"]), fact, lies))
    newest = max(found, default=None)
    return newest[1] if newest is not None and newest[2] else None


def _said(view: View, fact: int) -> str:
    meta = view.words(fact).meta
    return f"{meta.get('relation', '')} {meta.get('object', '')}"


def lying(text: str) -> bool | None:
    """Whether words say of somebody that he lies, or (False) is honest; None: neither."""
    said = words(_DENIED.sub("not", _PLACED.sub("", _UNDENIED.sub("", text.casefold()))))
    told = [i for i, word in enumerate(said) if word in _LYING | _HONEST]
    liar, honest = not _LYING.isdisjoint(said), not _HONEST.isdisjoint(said)
    if liar == honest:
        return None
    denials = sum(word in _NOT for word in said[: told[0]])
    return liar != bool(denials % 2)
