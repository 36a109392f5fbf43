"""What came of an act, as a turn reports it (`OUTCOME`): do those it names go together?"""

from __future__ import annotations

from collections.abc import Sequence

from mags.models.policy.rules.changing import is_list, parted
from mags.models.policy.rules.lexicon import ARTICLES, BE, FUNCTION_WORDS, PREPOSITIONS, word_set
from mags.models.policy.rules.referents import Referent
from mags.models.policy.rules.saying import (
    LISTS,
    PLACED,
    SHOWN,
    placed,
    relation_of,
    tie,
    until_comma,
)
from mags.models.policy.rules.stretches import Stretch, low_at
from mags.models.policy.rules.tokens import Token, join
from mags.ports.english import is_verb
from mags.ports.policy import OUTCOME, Operation, Turn

_WHOEVER = frozenset({"whoever", "whomever"})
_EVERYBODY = word_set("everyone everybody anyone anybody all")


def shown(clauses: Sequence[Stretch], turn: Turn) -> tuple[Operation, ...]:
    """Read what came of an act: those it names go together, or no longer do."""
    unique = {r.core.lower(): r for c in clauses for r in c.about}
    about = list(unique.values())
    well = float(turn.attrs[OUTCOME]) > 0.0
    if any(_is_described(c, r) for c in clauses for r in c.about):
        return ()  # it came of somebody who has no name here
    if len(about) == 1 and well:
        return _done(clauses, about[0], turn)
    if len(about) != 2:
        return ()
    a, b = about
    both = [c for c in clauses if a in c.about and b in c.about]
    if any(low_at(c.tokens, a.end) in LISTS and is_list(c.tokens, a, b) for c in both):
        return ()  # "both hold here": it is not these two that go together
    if not well:
        return (parted(a, b),)
    whole = both[0] if both else None
    relation = "goes with" if whole is None else relation_of(whole, a, b)
    return (tie(turn, clauses[0], a.text, relation, b.text, confidence=SHOWN),)


def _is_described(clause: Stretch, referent: Referent) -> bool:
    """Say whether a name only tells who is meant: "whoever guards Zoaro" is not Zoaro."""
    before = [t.low for t in clause.tokens[: referent.start] if t.low not in ARTICLES]
    return any(word in _WHOEVER for word in before[-3:-1]) and is_verb(before[-1])


def _done(clauses: Sequence[Stretch], subject: Referent, turn: Turn) -> tuple[Operation, ...]:
    """Read "under Zoaro you chose to hop on one leg, and it was right"."""
    clause = next(c for c in clauses if subject in c.about)
    before, after = clause.tokens[: subject.start], clause.tokens[subject.end :]
    said = _infinitive(clause) or placed(before, after)
    if said is None:
        return ()
    return (tie(turn, clause, subject.text, *said, confidence=SHOWN),)


def _infinitive(clause: Stretch) -> tuple[str, str] | None:
    """Read "to hop on one leg", whoever does it."""
    tokens = clause.tokens
    for i, token in enumerate(tokens):
        following = low_at(tokens, i + 1)
        led = low_at(tokens, i - 1) in BE or token.low != "to"
        if led or following in FUNCTION_WORDS | _EVERYBODY or not following.isalpha():
            continue
        if following in {"see", "watch"}:
            following, i = low_at(tokens, i + 2), i + 1
        rest = until_comma(tokens[i + 1 :])
        stop = min((r.start for r in clause.about if r.start > i), default=len(tokens))
        if stop > i + 2 and not _is_part(tokens[i:stop], tokens[stop:]):
            return "to do is", join(_until_placed(rest[: stop - i - 1]))
    return None


def _is_part(words: Sequence[Token], after: Sequence[Token]) -> bool:
    """Say whether what is named belongs to what was done: "it was wise to listen to Zoaro"."""
    led = bool(after) and words[-1].low in PREPOSITIONS - PLACED
    return led and not any(t.text == "," for t in words)


def _until_placed(words: Sequence[Token]) -> tuple[Token, ...]:
    """Cut "was just the thing in" and "in" off the end of what was done."""
    k = next((i for i, t in enumerate(words) if t.low in BE and i), len(words))
    while k and words[k - 1].low in PLACED:
        k -= 1
    return tuple(words[:k])
