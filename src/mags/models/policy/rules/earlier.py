"""What was told before a turn: the facts that a memory holds, and by what words they go.

A turn may speak of them without a name: "she", "it", "the car" (of whoever drives a Fiat), "they
moved it to Friday". Which is meant follows from what is said of it, and of those that fit the one
told last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from mags.models.policy.rules.lexicon import KIN, PETS, word_set
from mags.models.policy.rules.names import mentions
from mags.models.policy.rules.states import STATE
from mags.models.policy.rules.values import WHEN
from mags.ports.policy import NO_LONGER, Act, Operation, Recalled, Turn

_OPEN = re.compile(
    r"\b(?:he|she|him|her|his|hers|they|them|their|it|its|there|now|no longer|any ?more|instead"
    r"|actually|quit|resign\w*|broke|broken|split|sold|stolen|died|dead|called|cancel+ed|off|over"
    r"|moved|changed|switched|swapped|traded|replaced|postponed|pushed|rescheduled|raised"
    r"|went|new|fixed|found|back|again|gave|given|stopped|finished|retired|fired|laid|let|lost"
    r"|left|divorced|closed|put|passed|turned|dropped|dumped|together|recovered|failed|won|made"
    r"|handed|submitted|arrived|fell|paid|out|fine|better|well|home|after all|(?:up|down) to)"
    r"(?![a-z])|^\W*\d[\d.]* (?:this morning|already)\b",
    re.IGNORECASE,
)
"""Words with which a turn may speak of what was told before, or change it."""
_OWN = re.compile(
    r"\b(?:my|our|the) ([a-z]+(?: [a-z]+)?)"
    r"|(?:^|[.!?,;] ?|\band |\bso |\bbut )([a-z]+)(?='s| is| has| was| got| just| finally)",
    re.IGNORECASE,
)
_LONGEST = 600
"""Letters of a turn up to which it is one thing said; longer ones are documents."""
GOES_BY = {
    "drives": "car", "works at": "job work", "works as": "job work", "works for": "job work",
    "is marrying": "wedding marriage engagement", "is engaged to": "engagement wedding",
    "is married to": "marriage", "is dating": "relationship boyfriend girlfriend partner",
    "is reading": "book novel", "is watching": "show series film movie",
    "plans to": "trip plan plans holiday visit", "booked": "booking trip holiday",
    "lives in": "house flat place apartment home city town", "studies": "course degree studies",
    "is learning": "lessons course class", "is learning to": "lessons course class",
    "is applying for": "job position application", "rides": "bike", "is taking": "course class",
    "is a member of": "club group membership", "owns": "", "has": "",
}  # fmt: skip
"""By what nouns the things of a relation go besides those in their own words."""


def wants(turn: Turn) -> tuple[str, ...]:
    """Return the names whose facts could tell what a turn leaves open; () where it leaves none."""
    if len(turn.text) > _LONGEST or turn.text.rstrip().endswith("?") or not _OPEN.search(turn.text):
        return ()
    owned = [word for found in _OWN.findall(turn.text) for word in found if word]
    things = [noun for words in owned for noun in (words.lower(), words.split()[0].lower())]
    return tuple(
        dict.fromkeys(
            [
                turn.speaker,
                *(f"{turn.speaker}'s {noun}" for noun in things),
                *things,
                *mentions(turn.text),
            ]
        )
    )


def facts_of(recalled: Iterable[Recalled]) -> tuple[Recalled, ...]:
    """Return the facts among what was recalled that hold, the newest first."""
    held = [item for item in recalled if item.current and item.relation and item.object]
    return tuple(reversed(held))


Fits = Callable[[Recalled], bool]
_PLAIN_REFS = frozenset({"it", "that", "this", "them", "him", "her", "he", "she", "they", ""})


def meant(facts: Sequence[Recalled], ref: str, fits: Fits) -> Recalled | None:
    """Return the newest fact that fits, and that `ref` ("it", "the red car") can speak of."""
    return next((fact for fact in facts if goes_by(fact, ref) and fits(fact)), None)


def goes_by(fact: Recalled, ref: str) -> bool:
    """Say whether "it" or "the car" may be what a fact is of."""
    words = _bare(ref)
    return not words or words <= nouns(fact)


def _bare(ref: str) -> frozenset[str]:
    words = [w for w in re.findall(r"[^\W_]+", ref.lower()) if w not in _LEADS]
    if len(words) == 1 and words[0] in _PLAIN_REFS:
        return frozenset()
    return frozenset(map(_single, words))


_LEADS = word_set("the my our his her their this that a an old new whole s")


def _single(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def nouns(fact: Recalled) -> frozenset[str]:
    """The words that a fact goes by, of its own and of its kind."""
    words = f"{fact.subject} {fact.relation} {fact.object} {GOES_BY.get(fact.relation, '')}"
    return frozenset(map(_single, re.findall(r"[^\W_]+", words.lower())))


def head(text: str) -> str:
    """The last word before "of", "to", "at" ...: "trip" of "trip to Madeira"."""
    return re.split(r" (?:of|to|at|in|for|with|from|on)\b", text.lower())[0].split(" ")[-1]


# -- what a fact is of -----------------------------------------------------------------

_EVENTS = word_set(
    """trip holiday vacation appointment meeting wedding party interview exam test dinner lunch
    concert flight visit class lesson game match race course booking reservation ceremony funeral
    membership subscription contract order
    festival conference workshop move engagement date call session rehearsal delivery surgery
    operation viewing barbecue picnic tour show gig reunion deadline birthday checkup"""
)
_GEAR = word_set(
    """car bike bicycle motorbike motorcycle scooter van truck lorry laptop computer phone mobile
    tablet camera watch guitar piano boat house flat apartment sofa bed fridge oven washer dryer
    dishwasher boiler heater television tv printer kettle toaster bag ring caravan kayak drone
    violin cello headphones keyboard monitor console tent coat jacket vacuum mower"""
)
_LASTING = word_set(
    """has owns drives likes dislikes loves hates lives works knows wants needs is was prefers costs
    weighs speaks believes comes"""
)
"""Verbs in the third person that tell of no doing."""
_DOING = re.compile(r"^(?:'s [\w ]+)? is (?!dating|seeing|marrying|getting|renting)\w+ing\b")
_PARTNER = frozenset({"is dating", "is seeing", "is engaged to", "is marrying", "partner"})
_MARRIED = frozenset({"is married to", "husband", "wife", "spouse"})
_WORK = frozenset({"works at", "works for", "works as", "works in"})
_ILL = word_set(
    """pneumonia flu cold fever infection cough migraine covid pregnant depressed unemployed lost
    late grounded single"""
)


def is_planned(fact: Recalled) -> bool:
    """Say whether a fact is of what is to come about: a wedding, a trip, a meeting."""
    if fact.relation in {WHEN, "is marrying", "is engaged to", "plans to", "booked"}:
        return True
    return not _EVENTS.isdisjoint({head(fact.object), head(fact.subject)})


def is_owned(fact: Recalled) -> bool:
    """Say whether a fact is of a thing somebody has."""
    if fact.relation in {"has", "owns", "drives", "rides", "uses", "bought"}:
        return head(fact.object) not in _EVENTS | _ILL
    return fact.relation.split()[-1] in _GEAR


def is_work(fact: Recalled) -> bool:
    """Say whether a fact is of somebody's job."""
    return fact.relation in _WORK or (
        fact.relation in {"is a", "is"} and re.search(r" (?:at|for) ", fact.object) is not None
    )


def is_partner(fact: Recalled) -> bool:
    """Say whether a fact is of whom somebody is with, unmarried."""
    return fact.relation in _PARTNER


def is_spouse(fact: Recalled) -> bool:
    """Say whether a fact is of whom somebody is with."""
    return fact.relation in _PARTNER | _MARRIED


def is_done(fact: Recalled) -> bool:
    """Say whether a fact is of what somebody does, learns or takes part in."""
    first = fact.relation.split()[0]
    if first.endswith("s") and first not in _LASTING and not is_kin(fact.relation):
        return True
    if fact.relation in {"is a member of", "is on"}:
        return True
    return _DOING.match(fact.text.removeprefix(fact.subject)) is not None


def is_home(fact: Recalled) -> bool:
    """Say whether a fact is of where somebody lives."""
    return fact.relation in {"lives in", "lives at", "lives with", "rents", "is renting"}


def is_shared(fact: Recalled) -> bool:
    """Say whether a fact is of whom somebody lives with."""
    return fact.relation in {"roommate", "flatmate", "housemate", "lodger", "lives with"}


def is_state(fact: Recalled) -> bool:
    """Say whether a fact is of a state that passes: ill, broken, lost."""
    if fact.relation in {"lost", "suffers from"}:
        return True
    if fact.relation == "is" and STATE.match(fact.object):
        return True
    said = re.findall(r"[a-z]+", fact.object.lower())
    return fact.relation in {"is", "has"} and not _ILL.isdisjoint(said)


def is_taken(fact: Recalled) -> bool:
    """Say whether a fact is of a medicine somebody takes."""
    return fact.relation == "takes"


def is_pet(fact: Recalled) -> bool:
    """Say whether a fact is of a pet somebody has."""
    return fact.relation.split()[-1] in PETS


def is_kin(relation: str) -> bool:
    """Say whether a relation names a person or pet: "sister", "landlord", "hamster"."""
    return relation.split()[-1] in KIN | PETS if relation else False


# -- what is said of a fact ------------------------------------------------------------


def told(fact: Recalled) -> Operation:
    """Return a fact as the operation that would tell it."""
    return Operation(
        act=Act.ADD,
        subject=fact.subject,
        relation=fact.relation,
        object=fact.object,
        qualifiers=dict(fact.qualifiers),
        text=fact.text,
        object_is_name=fact.object[:1].isupper(),
        subject_is_name=fact.subject[:1].isupper(),
    )


def over(fact: Recalled) -> Operation:
    """Return the operation that ends a fact."""
    kept = {role: words for role, words in fact.qualifiers.items() if role == "kind"}
    return replace(told(fact), act=Act.RETRACT, change=True, text="", qualifiers=kept)


def denied(fact: Recalled, how: str) -> Operation:
    """Return the operation that keeps that a fact is no longer so; `how` it ended."""
    text = _no_longer(fact)
    return replace(
        told(fact),
        relation=f"{NO_LONGER}{fact.relation}",
        text=f"{text} ({how})." if how else f"{text}.",
        qualifiers={},
        change=True,
        one=False,
    )


def _no_longer(fact: Recalled) -> str:
    """The sentence that denies a fact."""
    first = fact.relation.split()[0]
    said = fact.text.rstrip(".")
    if fact.relation == "lost":
        return f"{fact.subject} found the {fact.object} again"
    if re.search(r" (?:is|are) ", said) and not is_kin(fact.relation):
        return re.sub(r" (is|are) ", r" \1 no longer ", said, count=1)
    if fact.relation == "booked":
        return f"{fact.subject}'s {fact.object} is off"
    if fact.relation in {"has", "owns"} or is_kin(fact.relation):
        thing = fact.object if fact.relation in {"has", "owns"} else _called(fact)
        return f"{fact.subject} no longer has the {thing}"
    denied_ = said.replace(f" {first} ", f" no longer {first} ", 1)
    return denied_ if denied_ != said else f"{fact.subject} no longer {fact.relation} {fact.object}"


def _called(fact: Recalled) -> str:
    return f"{fact.relation} {fact.object}"
