"""What is said around a statement and is no part of it: "if you ask me", "or so I hear".

A topic put before it is part of it: "as for fishing, it is forbidden" says that fishing is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules.lexicon import (
    ADVERBS,
    BE,
    FUNCTION_WORDS,
    KIN,
    MODALS,
    PETS,
    PREPOSITIONS,
)
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.tokens import Token, starts_with

_ASIDES = tuple(
    tuple(phrase.split())
    for phrase in (
        "if you ask me", "let me tell you", "believe me", "trust me", "mark my words",
        "between you and me", "i tell you", "you may rely on it", "you can rely on it",
        "to my mind", "in my opinion", "in my view", "as far as i know", "for all i know",
        "if i am not mistaken", "if i remember rightly", "as you know", "as everyone knows",
        "they say", "people say", "or so they say", "or so people say", "so they say",
        "so i hear", "or so i hear", "so i was told", "or so i was told", "so i am told",
        "or so i am told", "i hear", "i am told", "i was told", "my friend", "my friends",
        "good people", "it is said", "they all agree", "take my word for it", "i swear",
        "for your information", "for the record", "surely you know", "to be clear",
    )
)  # fmt: skip


_WHERE = 4
"""Words of where something was heard, at most."""
_HEARD = 3
_FOLK = frozenset(
    {"they", "people", "folk", "folks", "somebody", "someone", "everybody", "everyone"}
)
_TOLD = frozenset({"say", "hear"})
_TOPICS = tuple(
    tuple(phrase.split())
    for phrase in (
        "as for", "as to", "as regards", "regarding", "concerning", "when it comes to",
        "with regard to", "with respect to", "in the matter of", "on the matter of",
        "on the subject of", "speaking of", "about",
    )
)  # fmt: skip
_LONGEST = 6
"""Words of a topic, at most."""
_FIRST = frozenset({"it", "that", "this", "he", "she", "they"})
_IS = BE | MODALS | {"'s", "has", "had"}
_LATER = frozenset({"it", "them", "him"})
"""What takes a topic up behind other words: "in Orn it is forbidden", "Orn forbids it"."""
_NO_VERB = FUNCTION_WORDS - ADVERBS - _IS
_ROLE = 3
"""Words of who somebody is, at most: "best friend"."""


def without_asides(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Take what is said around a statement off its front and its end."""
    kept = tuple(tokens)
    if len(kept) > _HEARD and _is_heard(kept):
        kept = kept[_HEARD:]  # "they tell me smoking is forbidden"
    for phrase in _ASIDES:
        count = len(phrase)
        if len(kept) > count + 1 and starts_with(kept, phrase):
            if _parts(kept[count]):
                kept = kept[count + 1 :]
            elif phrase[-1] in _TOLD:
                kept = kept[count:]  # "they say smoking is forbidden"
        cut = next(
            (
                i
                for i in range(len(kept) - count, 1, -1)
                if kept[i - 1].text == "," and starts_with(kept, phrase, i)
            ),
            0,
        )
        if cut and _is_where(kept[cut + count :]):
            kept = kept[: cut - 1]
        elif cut and kept[cut + count].text == ",":
            kept = (*kept[: cut - 1], *kept[cut + count + 1 :])  # "Ana, they say, sings"
    return kept


def _is_heard(tokens: Sequence[Token]) -> bool:
    """Say whether somebody is first said to have told it: "they tell me"."""
    who, verb, whom = (t.low for t in tokens[:_HEARD])
    return who in _FOLK and verb in {"tell", "tells", "told"} and whom in {"me", "us"}


def _is_where(tokens: Sequence[Token]) -> bool:
    """Say whether words only tell where or by whom: "I was told *in the tavern*", or are none."""
    if not tokens:
        return True
    short = len(tokens) <= _WHERE and tokens[0].low in PREPOSITIONS
    return short and not any(t.is_capital or t.text == "," for t in tokens)


def _parts(token: Token) -> bool:
    return token.text == "," or token.low == "that"


def with_topic(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Put the topic in the place of the pronoun that takes it up: "as for Ana, she sings".

    A topic that nothing takes up stays where it is. The left dislocation of Ross 1967,
    "Constraints on variables in syntax", chapter 6.
    """
    words = tuple(tokens)
    start = next((len(p) for p in _TOPICS if starts_with(words, p)), 0)
    comma = next((i for i, t in enumerate(words) if t.text == ","), 0)
    if not start or not start < comma <= start + _LONGEST:
        return words
    topic, rest = words[start:comma], words[comma + 1 :]
    if topic[-1].low in {"ago", "earlier", "later"}:
        return words  # "about an hour ago, she called"
    at = _taken_up(rest)
    if at is None:
        return words
    after = rest[at + 1 :]
    if after and after[0].low == "'s":
        after = (replace(after[0], text="is", low="is"), *after[1:])
    return (*rest[:at], *topic, *after)


def _taken_up(words: Sequence[Token]) -> int | None:
    """The place of the pronoun that stands for a topic."""
    if words and words[0].low in _FIRST:
        points = words[0].low in {"this", "that"}  # "that is", but "this week I cook"
        return None if points and not {t.low for t in words[1:2]} & _IS else 0
    return next((i for i, t in enumerate(words) if t.low in _LATER), None)


def with_role_first(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Put who somebody is before the name: "Tom, my best friend, sings" has "my best friend Tom".

    Left as it is where what follows is no verb: "Tom, my friend, I miss you" calls him.
    """
    words = tuple(tokens)
    name = name_end(words, 0)
    comma = next((i for i in range(name + 1, len(words)) if words[i].text == ","), 0)
    if not name or not 2 < comma - name <= _ROLE + 2 or len(words) <= comma + 1:
        return words
    role, after = words[name + 1 : comma], words[comma + 1]
    told = role[0].low in {"my", "our"} and role[-1].low in KIN | PETS
    if words[name].text != "," or not told or after.low in _NO_VERB:
        return words
    return (*role, *words[:name], *words[comma + 1 :])
