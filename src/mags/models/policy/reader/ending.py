"""What a turn ends of what is held: which facts it is held against, and what speaks for an end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mags.models.policy.reader.reading import MEANT, Fact, logit
from mags.models.policy.rules.tokens import stems
from mags.models.policy.rules.when import COUNTED, DAYS, MONTHS
from mags.ports.english import BASE, PAST, forms, lemma
from mags.ports.policy import Recalled, Turn
from mags.ports.relations import normalise

HELD = 8
"""Facts that a turn is held against, those first that share most words with it."""
MAY_END = 0.1
"""How likely a turn ends anything, from which it is held against what is known."""
TOLD = 0.4
"""Probability from which a fact speaks for the end of another."""
SAME = 0.5
"""Share of the words of an object from which it is named."""
_CORRECTS = re.compile(
    r"\b(?:no|wait|actually|correct\w*|sorry|wrong\w*|mis\w+|retract|not|never|said|told|meant?"
    rf"|it was (?:in |on )?(?:\d+|{'|'.join([*DAYS, *MONTHS])})"
    r"|t(?:ake|ook|aken) (?:\w+ )*back)\b|n't\b",
    re.IGNORECASE,
)
"""What takes back words that were said before."""
_IDLE = re.compile(r"\b(?:the|a|an|of|in|on|at|to|for|and|with|my|his|her|their)\b", re.IGNORECASE)


def in_question(
    turn: Turn, recalled: Sequence[Recalled], facts: Sequence[Fact]
) -> Sequence[Recalled]:
    """What is held that a turn may end: what shares most words with what it says."""
    heard = stems(turn.text)
    for fact in facts:
        heard |= stems(f"{fact.relation} {fact.object}")
    corrects = _CORRECTS.search(turn.text) is not None
    held = [
        one
        for one in recalled
        if one.current and one.relation and (corrects or not _is_kept(one, turn.text))
    ]
    return sorted(held, key=lambda one: -_shared(one, heard, turn))[:HELD]


def _is_kept(held: Recalled, text: str) -> bool:
    """Whether a turn that takes no words back ends nothing of this: it is past, or things counted.

    What happened on a day did, whatever follows, and eight boards are had after they are painted.
    """
    verb, first = (words.partition(" ")[0].lower() for words in (held.relation, held.object))
    tags = {form for _, form in forms(verb)}
    if "when" in held.qualifiers and PAST in tags and BASE not in tags:
        return True
    told = {COUNTED.get(word, word) for word in stems(text)}
    others = {str(one) for one in told if str(one).isdigit()} - {str(COUNTED.get(first, first))}
    counts = lemma(verb) in {"have", "own"} and (first in COUNTED or first.isdigit())
    return counts and not others


def _shared(held: Recalled, heard: frozenset[str], turn: Turn) -> float:
    words = stems(f"{held.relation} {held.object} {held.subject}")
    return len(heard & words) + 0.5 * (held.subject == turn.speaker)


def sentence(held: Recalled, turn: Turn) -> str:
    """A held fact as the reader is shown it beside a turn."""
    subject = "I" if held.subject == turn.speaker else held.subject
    return f"{subject} {held.relation} {held.object}"


def features(
    turn: Turn, held: Recalled, facts: Sequence[Fact], likely: Mapping[str, float]
) -> Mapping[str, float]:
    """What speaks for and against an end.

    `likely`: by the reader, that the turn ends this ("pair"), the likeliest of the others ("best"),
    and anything ("turn").
    """
    own = _words(held.object)
    said = stems(turn.text)
    told = [one for one in facts if one.probability >= TOLD]
    mine = [one for one in told if one.subject.casefold() == held.subject.casefold()]
    name = normalise(held.relation).name
    near = [one for one in mine if _overlap(own, _words(one.object)) >= SAME]
    planned = lemma(held.relation.split()[0]) in MEANT
    return {
        "pair": logit(likely["pair"]),
        "turn": logit(likely["turn"]),
        "lead": logit(likely["pair"]) - logit(likely["best"]),
        "named": len(own & said) / max(1, len(own)),
        "own": float(held.subject == turn.speaker),
        "slot": float(any(normalise(one.relation).name == name for one in mine)),
        "done": float(planned and any(one.modality == "actual" for one in near)),
        "again": float(any(one.modality == "actual" for one in near) and not planned),
        "planned": float(planned),
        "denied": float(any(one.denied or one.act == "retract" for one in near)),
    }


def _words(text: str) -> frozenset[str]:
    return stems(_IDLE.sub(" ", text)) or stems(text)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))
