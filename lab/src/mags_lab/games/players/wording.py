"""What names a text has, and what tells each action from the others."""

from __future__ import annotations

from collections.abc import Sequence

from mags.index.tokens import terms
from mags.models.policy.rules.names import mentions


def named(text: str) -> frozenset[str]:
    """Stems of the names in a text."""
    return frozenset(term for name in mentions(text) for term in terms(name))


def telling(actions: Sequence[str]) -> list[frozenset[str]]:
    """The words of each action that not all of them have."""
    every = [frozenset(terms(action)) for action in actions]
    common = frozenset.intersection(*every) if len(every) > 1 else frozenset[str]()
    return [words - common for words in every]


def matter(question: str, actions: Sequence[str]) -> frozenset[str]:
    """What is asked of what: the names of a question, and its words that all actions share.

    Empty where one of the two is.
    """
    names = named(question)
    if not names or not actions:
        return frozenset()
    common = frozenset.intersection(*(frozenset(terms(one)) for one in actions))
    shared = (common & frozenset(terms(question))) - names
    return names | shared if shared else frozenset()
