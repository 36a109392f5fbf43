"""English that more than one package reads: verb forms, kin, and questions for an overview.

Verbs go from "moved" to "move" and back by a list and the rules of spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import resources
from types import MappingProxyType

from mags.caches import cached
from mags.index.tokens import ENGLISH as ENGLISH
from mags.index.tokens import UNKNOWN as UNKNOWN
from mags.index.tokens import at_home as at_home
from mags.index.tokens import called as called
from mags.index.tokens import foreign as foreign
from mags.index.tokens import language as language
from mags.index.tokens import plain_kin as plain_kin
from mags.index.tokens import whose as whose

BASE, THIRD, PAST, PARTICIPLE, GERUND = "base", "third", "past", "participle", "gerund"
"""Forms of a verb: move, moves, moved, moved, moving."""


def word_set(words: str) -> frozenset[str]:
    """The words between the spaces of a text."""
    return frozenset(words.split())


FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself"})
THIRD_PERSON = frozenset(
    {"he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself"}
    | {"they", "them", "their", "theirs"}
)
"""Pronouns, folded."""
PAST_WORDS = (
    "before|used to|previous(?:ly)?|former(?:ly)?|earlier|at first|in the past|back then|no longer"
)
"""A pattern of what names what is over."""
REFLEXIVE = frozenset({"himself", "herself", "itself"})
TO_TWELVE = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
"""Patterns of numbers in words."""
_HOUR = rf"(?:\d{{1,2}}(?:[:.]\d\d)?|{TO_TWELVE})"
_TIME = re.compile(
    rf"(?:(?:around|about|at|from) )*{_HOUR}"
    r"(?: ?[ap]\.?m\b.*| o'clock.*|-\d.*| (?:in|to|until|at) .*)?"
    r"|.*\b(?:mornings?|afternoons?|evenings?|nights?|noon|midnight|weekends?|weekdays?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)",
    re.IGNORECASE,
)


def is_time(words: str) -> bool:
    """Whether words tell a time of the day or of the week: "seven", "5:45", "9am-5pm", "nights"."""
    return _TIME.fullmatch(words.strip(" .")) is not None


SLOT_WORDS = word_set(
    "home place residence address move house flat work job position role employer employment "
    "age years birthday budget money amount limit sum income salary pay wage wages earnings "
    "name number own new current present main usual"
)
"""What the topic of a statement calls its slot by ("home", "work"), or that tells none apart."""
_VOWELS = frozenset("aeiou")
_DOUBLED = word_set(
    "admit ban bet bat beg chat control commit cut dig drag drop enrol excel fit fulfil get grab "
    "hit hug jog knit let map nod pat permit pet plan plot prefer put quit refer regret rob rub "
    "run set shop shut sit skip slip snap sob spin split star stir stop submit swim tap tip "
    "transfer travel trek trim trip wed win wrap zip begin forget patrol label level program "
    "cancel model occur rebel"
)
_BE = {
    **dict.fromkeys(("am", "'m", "are", "'re"), ("be", BASE)),
    **dict.fromkeys(("is", "'s"), ("be", THIRD)),
    "were": ("be", PAST),
    "has": ("have", THIRD),
    "'ve": ("have", BASE),
}

LEAD = r"(?:(?:so|and|well|ok|okay|please|now),? )*(?:(?:can|could|would|will) you (?:please )?)?"
_ABOUT = re.compile(
    rf"^{LEAD}(?:(?:"
    r"(?:what(?: all)?|everything|all) (?:(?:do|can|did|have) )?(?:you|we|i) (?:know|remember"
    r"|have|tell me|tell you|told you)"
    r"|tell me(?: (?:what|everything|all|more|something|anything)(?: (?:you|we|i) (?:know"
    r"|remember|have))?)?|what(?:'s| is) known"
    r"|(?:give me )?(?:an? )?(?:overview|summary|recap|picture)) (?:about|of)"
    r"|(?:describe|sum up|summari[sz]e)(?: (?:what you know|everything|all you know) (?:about|of))?"
    r") (?P<topic>\S.*?)[\s?.!]*$",
    re.IGNORECASE,
)
_ONE_THING = re.compile(
    r"'s\b|s' |^(?:my|your|his|her|its|our|their|where|when|who|whose|whom|how|why|what|which|"
    r"whether)\b(?!-)|^the [\w-]+ of [A-Z]",
)

_CONNECTION = re.compile(
    r"\b(?:related|relations?|relationship|relatives?|connect(?:s|ed|ions?)?|link(?:s|ed)?"
    r"|kin|ties?|in common|know each other|have to do with)\b",
    re.IGNORECASE,
)


def _third(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    return base + "s"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return base + (base[-1] if base in _DOUBLED else "") + "ed"


def _listed() -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Yield (base, pasts, participles)."""
    text = resources.files("mags.ports").joinpath("verbs.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) == 3:
            yield words[0], tuple(words[1].split("|")), tuple(words[2].split("|"))
            continue
        for word in words:
            yield word, (_past(word),), (_past(word),)


def _table() -> tuple[Mapping[str, tuple[tuple[str, str], ...]], Mapping[str, tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    parts: dict[str, tuple[str, str]] = {}
    for base, pasts, participles in _listed():
        parts[base] = (pasts[0], participles[0])
        pairs = [(base, BASE), (_third(base), THIRD), (gerund(base), GERUND)]
        pairs += [(past, PAST) for past in pasts]
        pairs += [(participle, PARTICIPLE) for participle in participles]
        for word, form in pairs:
            if word not in _BE and (base, form) not in found.setdefault(word, []):
                found[word].append((base, form))
            if form == GERUND and base in _DOUBLED and base.endswith("l"):  # traveling
                found.setdefault(base + "ing", []).append((base, GERUND))
                found.setdefault(base + "ed", []).extend([(base, PAST), (base, PARTICIPLE)])
    # In place of what was found: forms of "be" and their like are read in one way alone.
    for word, pair in _BE.items():
        found[word] = [pair]
    frozen = {word: tuple(pairs) for word, pairs in found.items()}
    return MappingProxyType(frozen), MappingProxyType(parts)


def forms(word: str) -> tuple[tuple[str, str], ...]:
    """Return every (base, form) a lower-case word can be as a listed verb; () if it is none."""
    return _FORMS.get(word, ())


def is_verb(word: str) -> bool:
    """Say whether a lower-case word can be a form of a listed verb."""
    return word in _FORMS


@cached(8192)
def lemma(word: str) -> str:
    """Return the base form of a lower-case verb form, or the word itself where none is listed.

    Where two verbs share a form, the one whose base it is not wins ("found" is of "find",
    "founded" of "found").
    """
    pairs = _FORMS.get(word)
    if not pairs:
        return word
    return next((base for base, form in pairs if form != BASE and base != word), pairs[0][0])


@cached(8192)
def guess(word: str) -> str:
    """Return the base form of a lower-case verb form that need not be listed ("zorbed": "zorb")."""
    if word in _FORMS or len(word) < 4:
        return lemma(word)
    for ending, cut in (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", "e")):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)] + cut
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def third_person(base: str) -> str:
    """Return the form after "she" in the present: move, moves; be, is."""
    return {"be": "is", "have": "has"}.get(base) or _third(base)


def past_tense(base: str) -> str:
    """Return the simple past: move, moved; go, went."""
    return _PARTS[base][0] if base in _PARTS else _past(base)


def gerund(base: str) -> str:
    """Return the form in -ing: move, moving."""
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "ye", "oe")) and base != "be":
        return base[:-1] + "ing"
    return base + (base[-1] if base in _DOUBLED else "") + "ing"


def asks_connection(question: str) -> bool:
    """Whether it is asked how things hang together ("How are Ana and Ben related?")."""
    return _CONNECTION.search(question) is not None


def topic_of(question: str) -> str:
    """Of whom or what a question asks for everything; "" where it asks for something else.

    A question about one thing of somebody ("Tell me about Ana's job") is none: a fact answers it.
    """
    topic = all_about(question)
    return "" if _ONE_THING.search(topic) else topic


def all_about(question: str) -> str:
    """What stands behind "what do you know about" and the like, "Ana's job" too; "" elsewhere."""
    text = question.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    found = _ABOUT.match(text)
    return found["topic"].rstrip(".") if found is not None else ""


_FORMS, _PARTS = _table()
