"""What goes on after "and" or a comma: a verb of the same subject, or words that tell nothing."""

from __future__ import annotations

from collections.abc import Sequence

from mags.models.policy.rules.lexicon import ADVERBS, BE, FEELINGS, PRONOUNS, word_set
from mags.models.policy.rules.tokens import Token
from mags.models.policy.rules.verbs import Verb
from mags.ports.english import BASE, forms

_BACK = word_set("it that this me us")
_AUXILIARIES = BE | word_set("have has had do does did will would can could been")


def is_tag(tokens: Sequence[Token], i: int) -> bool:
    """Say whether a clause is over where a comma stands before `i`: what follows tells nothing.

    An imperative about what was said (", keep that in mind") or what is left of a clause without
    its subject and its object (", always have been").
    """
    if i + 1 < len(tokens) and tokens[i + 1].low in _BACK:
        return BASE in {form for _, form in forms(tokens[i].low)}
    words = [t for t in tokens[i:] if t.is_word]
    rest = [t for t in words if t.low not in ADVERBS | {"always", "never", "ever", "still"}]
    return bool(rest) and len(words) > 1 and all(t.low in _AUXILIARIES for t in rest)


def shares(verb: Verb, opened: Verb, between: Sequence[Token]) -> bool:
    """Say whether a verb after "and" goes on with the subject before, not with "to ..."."""
    if verb.tense == "progressive" or verb.form in FEELINGS:
        return False
    if verb.base == opened.base and verb.tense != "used":
        return False
    if any(t.low in {"who", "that", "which"} for t in between) and between[-1].text != ",":
        return False
    if between and between[-1].low.endswith("s") and verb.form == f"{verb.base}s":
        return False  # "quotes and pictures": more likely two nouns
    over = {"past", "used"}
    if not {"perfect", "used"} & {verb.tense, opened.tense} and (verb.tense in over) != (
        opened.tense in over
    ):
        return False
    bare = verb.tense == "present" and verb.form == verb.base
    if bare and (
        opened.tense != "present"
        or any(t.low in PRONOUNS | {"to", "who", "that", "which"} for t in between)
    ):
        return False
    return opened.tense not in {"future", "modal"} or verb.tense not in {"present", "past"}
