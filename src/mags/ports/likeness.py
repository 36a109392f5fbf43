"""What two sentences have in common, as numbers a person can check, and what one says outright.

The features of a logistic rule: does a new sentence contradict and replace an old one? Each is
in [0, 1]. Proper names and common words are counted apart, because "Ana met Bob in Oslo"
and "Ana met Carl in Rome" share a form but no fact.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from mags.caches import cached
from mags.index.tokens import STOP_WORDS, fold, stem
from mags.ports.conflict_weights import BIAS, WEIGHTS

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019.\-][^\W_]+)*", re.UNICODE)

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'])")
_TITLES = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Jr|Sr|St|vs|etc)\.$")
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively) (speak|drink|eat|play|like|wear|read)s?\b([^.;]*)", re.I
)
"""An "only" before a verb of what is so in general, and what follows it."""
_WHEN = re.compile(
    r"\b(?:in|on|at|with|when|while|if|during|before|after|for|because|to|as|from|sometimes"
    r"|until|since|around)\b",
    re.IGNORECASE,
)
_WISHED = re.compile(r"\W*(?:oh,? )?(?:if only|i wish)\b", re.IGNORECASE)
"""How a sentence begins that tells of what is not so."""
_UNSURE = re.compile(
    r"\b(?:perhaps|maybe|possibly|probably|apparently|supposedly|allegedly|presumably|might"
    r"|rumou?r has it|(?:i|we) (?:think|guess|suppose|believe|suspect|heard|hear)|not (?:so )?sure"
    r"|(?:he|she|they|someone|somebody|everybody|everyone|people) says?)\b",
    re.IGNORECASE,
)
"""What shows that a sentence tells what is only thought or heard."""


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


NEGATIONS = frozenset(
    {"not", "never", "no", "neither", "nor", "without", "none", "nobody", "cannot", "unable"}
    | {"dislikes", "dislike", "hates", "hate", "refuses", "stopped", "quit", "failed", "avoids"}
)
INSTEAD = frozenset(
    {"instead", "rather", "exclusively", "solely", "only", "longer", "now", "anymore", "unlike"}
    | {"contrary", "actually", "changed", "switched", "replaced", "different", "but"}
    | {"prefers", "prefer", "entirely", "primarily", "former", "formerly", "lost", "left"}
)
ALSO = frozenset({"also", "too", "another", "additionally", "moreover", "besides", "again", "well"})
MANY = _stems(
    "like love enjoy prefer adore hate visit own have has read watch play speak know buy bought "
    "eat ate cook meet met use see saw write wrote make made try tried learn collect want need "
    "teach taught give gave organise organised organize organized travel went go goes "
    "listen paint build built win won bake share friend hobby hobbies interested fan told tell "
    "said talk help join took take start finish"
)
"""Stems of verbs of which most people have several objects."""

ONCE = _stems(
    "co-founded cofounded founded co-author co-authored co-wrote met graduated graduate degree "
    "phd university college born died married profession professor debut title hometown "
    "headquarters co-host hosts hosted interviewed inspired discovered designed starring serves "
    "served specializes specializing known chaired chairs leads led captain capital currently"
)
"""Stems of what mostly happens once, or is so of one thing at a time."""
MEETING = _stems("met")
"""What two people do for the first time once, though each of them does it with many."""
NOUNS = frozenset(
    {"university", "college", "institute", "academy", "award", "prize", "medal", "society", "club"}
    | {"conference", "symposium", "festival", "association", "journal", "school", "championship"}
)
"""Words that are common even where a name holds them ("the University of Oslo")."""
_ADVERBS = frozenset({"often", "once", "currently", "recently", "frequent", "regular", "togeth"})

SPAN = 8
"""Tokens after a negation that it may deny."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence taken apart: stems in order, and sets of stems by what they are."""

    stems: tuple[str, ...]
    proper: frozenset[str]
    common: frozenset[str]
    numbers: frozenset[str]
    first: str
    head: str
    denied: frozenset[str]
    words: frozenset[str]
    names: frozenset[str]
    negates: bool
    """Whether it denies something."""
    is_cued: bool
    """Whether it denies something or says "instead", "only", "now"."""


@cached(8192)
def take_apart(text: str) -> Sentence:
    """Tokens, names, numbers and what is denied."""
    raw = _TOKEN.findall(text)
    folded = [fold(word) for word in raw]
    stems = [stem(word) for word in folded]
    is_name = [_is_proper(raw, folded, i) for i in range(len(raw))]
    proper = [s for s, named in zip(stems, is_name, strict=True) if named]
    plain = [
        s
        for s, word, named in zip(stems, folded, is_name, strict=True)
        if not named and word not in STOP_WORDS and word not in INSTEAD and s
    ]
    numbers = {s for s in stems if any(c.isdigit() for c in s)}
    denied: set[str] = set()
    said_no = [i for i, word in enumerate(folded) if word in NEGATIONS or word.endswith("n't")]
    for i in said_no:
        denied.update(_until_turn(folded, stems, i + 1))
    return Sentence(
        tuple(stems),
        frozenset(proper),
        frozenset(plain),
        frozenset(numbers),
        proper[0] if proper else "",
        next((s for s in plain if s not in _ADVERBS and not s.endswith("ly")), ""),
        frozenset(denied) & (frozenset(proper) | frozenset(plain)),
        frozenset(folded),
        frozenset(_runs(stems, is_name)),
        bool(said_no),
        bool(said_no) or not INSTEAD.isdisjoint(folded),
    )


def _runs(stems: list[str], is_name: list[bool]) -> list[str]:
    """Names of one or more words, as said."""
    out: list[str] = []
    before = False
    for token, named in zip(stems, is_name, strict=True):
        if named:
            out.append(f"{out.pop()} {token}" if before else token)
        before = named
    return out


def _until_turn(folded: list[str], stems: list[str], start: int) -> list[str]:
    reach = zip(folded[start : start + SPAN], stems[start : start + SPAN], strict=True)
    kept = takewhile(lambda one: one[0] not in ("but", "instead", "while"), reach)
    return [token for _, token in kept]


def _is_proper(raw: list[str], folded: list[str], i: int) -> bool:
    word = folded[i]
    if not raw[i][0].isupper() or word in STOP_WORDS or word in NOUNS or word == "i":
        return False
    if i:
        return True
    follows = len(raw) > 1 and (raw[1][0].isupper() or folded[1] in _AFTER_NAME)
    return follows or folded[0] not in _OPENERS


_AFTER_NAME = frozenset({"is", "was", "has", "and", "does", "did"})
_OPENERS = frozenset(
    {"currently", "recently", "today", "yesterday", "although", "despite", "since", "according"}
    | {"instead", "now", "never", "sadly", "later", "one", "two", "three", "four", "everyone"}
)

FEATURES = tuple(WEIGHTS)
"""Names of the features, in the order in which `features` gives them."""

_W = np.array(list(WEIGHTS.values()))


def features(new: str, old: str, cosine: float) -> NDArray[np.float64]:
    """Features of a pair of sentences, shape (26,); `cosine`: of their embeddings."""
    n, o = take_apart(new), take_apart(old)
    shared, proper = n.common & o.common, n.proper & o.proper
    old_common = len(shared) / max(len(o.common), 1)
    new_common = len(shared) / max(len(n.common), 1)
    old_proper = len(proper) / max(len(o.proper), 1)
    count = min(len(shared), 5) / 5
    # autojunk would pass over frequent words in sentences of 200 words and more.
    matcher = SequenceMatcher(None, o.stems, n.stems, autojunk=False)
    ratio = matcher.ratio()
    swapped = _swapped_alike(matcher, o, n)
    negated = n.negates and not o.negates
    denied = len(n.denied & (o.proper | o.common)) / max(len(o.proper) + len(o.common), 1)
    said_again = o.common <= n.common and o.proper <= n.proper and not negated
    first_named = bool(o.first) and o.first in n.proper
    vague = len(o.common) <= 2
    joint = len(proper) >= 3 and len(n.names & o.names) >= 2
    many = o.head in MANY and n.head in MANY and not negated and not (joint and shared & MEETING)
    values = (
        old_common,
        new_common,
        count,
        old_proper,
        ratio,
        _prefix(o.stems, n.stems),
        bool(o.first) and o.first == n.first,
        first_named,
        min(4 * denied, 1.0),
        negated,
        bool(n.words & INSTEAD) and not o.words & INSTEAD,
        bool(n.words & ALSO) and not o.words & ALSO,
        said_again,
        swapped,
        bool(o.numbers - n.numbers) and bool(n.numbers - o.numbers),
        vague,
        many,
        bool(o.proper - n.proper) and old_common >= 0.75,
        max(cosine, 0.0),
        ratio * count,
        first_named * swapped * old_common,
        negated * count,
        bool(shared & ONCE) and not many,
        joint,
        (bool(n.words & INSTEAD) or negated) * old_common * first_named,
        bool(o.proper - n.proper) and bool(n.proper - o.proper) and not o.common - n.common,
    )
    return np.array([float(value) for value in values])


def probability(new: str, old: str, cosine: float) -> float:
    """How likely a new sentence contradicts and replaces an old one, in [0, 1]."""
    return 1.0 / (1.0 + math.exp(-float(features(new, old, cosine) @ _W) - BIAS))


def sentences(text: str) -> list[str]:
    """The sentences of a text; "Dr." does not end one."""
    out: list[str] = []
    for piece in _SENTENCE.split(text.strip()):
        if out and _TITLES.search(out[-1]):
            out[-1] = f"{out[-1]} {piece}"
        elif piece:
            out.append(piece)
    return out


def only(text: str) -> frozenset[str]:
    """The verbs, in the third person, of which a text says "only" ("she only speaks French").

    An "only" that holds at times or on a condition ("only drinks tea at night") excludes nothing.
    """
    found = (m for said in sentences(text) for m in _ONLY.finditer(said))
    return frozenset(f"{m[1].lower()}s" for m in found if not _WHEN.search(m[2]))


def is_sure(sentence: str) -> bool:
    """Whether what a sentence tells is neither wished ("if only") nor only thought or heard."""
    return _WISHED.match(sentence) is None and _UNSURE.search(sentence) is None


def is_specific(new: Sentence, old: Sentence, least: int) -> bool:
    """Whether two sentences share enough for the new one to replace the old one at all.

    A cue ("not", "instead") with a shared word is enough. Without one they must share
    `least` common words, one fewer where they tell of what happens once or join the same
    two names, two fewer where both. "Ana paints lakes" never replaces "Ana paints trees".
    """
    shared = new.common & old.common
    if new.is_cued and not old.is_cued:
        return bool(shared)
    if len(shared) >= least or len(shared) < least - 2:
        return len(shared) >= least
    once = not shared.isdisjoint(ONCE)
    joint = len(new.names & old.names) >= 2
    many = old.head in MANY and new.head in MANY and not (joint and shared & MEETING)
    return len(shared) >= least - (0 if many else once + joint)


def _prefix(old: tuple[str, ...], new: tuple[str, ...]) -> float:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    return len(list(same)) / max(len(old), 1)


def _swapped_alike(matcher: SequenceMatcher[str], old: Sentence, new: Sentence) -> bool:
    """Whether some span of the old stands replaced by one of the same kind."""
    kinds = (old.proper, new.proper), (old.common, new.common), (old.numbers, new.numbers)
    return any(
        not before.isdisjoint(old.stems[a:b]) and not after.isdisjoint(new.stems[c:d])
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag == "replace"
        for before, after in kinds
    )
