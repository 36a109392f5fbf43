"""What is said around a statement and is no part of it: "if you ask me", "or so I hear"."""

from __future__ import annotations

from collections.abc import Sequence

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


_TOLD = frozenset({"say", "hear"})


def without_asides(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Take what is said around a statement off its front and its end."""
    kept = tuple(tokens)
    for phrase in _ASIDES:
        count = len(phrase)
        if len(kept) > count + 1 and starts_with(kept, phrase):
            if _parts(kept[count]):
                kept = kept[count + 1 :]
            elif phrase[-1] in _TOLD:
                kept = kept[count:]  # "they say smoking is forbidden"
        cut = len(kept) - count
        if cut > 1 and starts_with(kept, phrase, cut) and kept[cut - 1].text == ",":
            kept = kept[: cut - 1]
    return kept


def _parts(token: Token) -> bool:
    return token.text == "," or token.low == "that"
