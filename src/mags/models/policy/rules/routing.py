"""The router: what a turn needs - recall, write, both or neither."""

from __future__ import annotations

from collections.abc import Sequence

from mags.models.policy.rules.asking import answer_kind
from mags.models.policy.rules.clause import clauses
from mags.models.policy.rules.lexicon import GREETINGS
from mags.models.policy.rules.tokens import sentences, tokenise
from mags.models.policy.rules.writing import is_question
from mags.ports.policy import Route, Turn


def route(turn: Turn, recent: Sequence[Turn]) -> Route:
    """Return a route: questions recall, statements write (and recall), small talk does neither."""
    asks = states = False
    kind = ""
    for sentence in sentences(turn.text):
        tokens = tokenise(sentence)
        if is_question(tokens):
            asks = True
            kind = kind or answer_kind(tokens)
            continue
        words = [t for t in tokens if t.is_word]
        if words and not (len(words) < 4 and words[0].low in GREETINGS):
            states = states or len(words) > 4 or bool(clauses(tokens))
    if asks:
        episodic, semantic = _weights(kind)
        return Route(recall=True, write=states, episodic=episodic, semantic=semantic)
    return Route(recall=states, write=states)


def _weights(kind: str) -> tuple[float, float]:
    """Return the weights of the episodic and the semantic block for a kind of answer."""
    if kind in {"person", "place", "number"}:
        return 0.83, 1.0
    return (1.0, 0.83) if kind in {"time", "reason"} else (1.0, 1.0)
