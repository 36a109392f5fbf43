"""Whom the words of a turn can mean: its speaker, and people named before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mags.caches import cached
from mags.models.policy.rules.clause import NAME, OF, OWNED, PRONOUN, Subject, clauses
from mags.models.policy.rules.guards import guarded
from mags.models.policy.rules.lexicon import FEMALE, KIN, MALE, PETS
from mags.models.policy.rules.openings import opened
from mags.models.policy.rules.slots import compound
from mags.models.policy.rules.tokens import sentences, tokenise
from mags.models.policy.rules.verbs import PLURAL
from mags.ports.english import whose
from mags.ports.policy import Recalled, Turn

_KNOWN = re.compile(r"^(.+?)['\u2019]s? ([a-z][a-z -]+?) is ([A-Z][\w'-]*(?: [A-Z][\w'-]*)*)\.?$")
_GENDERS = {
    "he": "m",
    "him": "m",
    "his": "m",
    "himself": "m",
    "she": "f",
    "her": "f",
    "hers": "f",
    "herself": "f",
}
_STRANGERS = re.compile(
    r"\b(?:a|an|some|this|that|the|two)\s+(?:[a-z]+\s+){0,2}"
    r"(?:(?:girl|boy|man|woman|guy|lady|person|stranger|friend|actor|actress|author)s?"
    r"|kid|child)\b"
)
_OPENS = re.compile(r"(?:(?:oh|so|well|and|btw|hey)\b,? )*(?:s?he)\b", re.IGNORECASE)
"""A turn that begins with whom it is about brings in nobody before that."""
_NEAREST_TURNS = 2


@dataclass(slots=True)
class Scene:
    """Who speaks and when, who was named, and by what name "Alice's sister" goes.

    `people`: names in the order they came up, with "m", "f" or "". `owners`: those of them of whom
    only a thing was told; they give way to whom more is told of. `group`: who "they" are.
    `named`: "Alice's sister" -> "Ana". `fresh`: a noun just acquired ("dog"), waiting for a name.
    `strangers`: the turn brings in somebody without a name ("a little girl"), whom a pronoun may
    mean. `genders`: of people known from before. `known`: texts recalled that hold now.
    `thing`: what the last clause of this turn was about, where that was no person ("it").
    `known_people`: people and pets told of before the talk, the newest first, each with "m", "f" or
    ""; `known_group`: who "they" may be of these.
    `meant`: whom "he" and "she" meant before, with "m" or "f".
    `introduced`: whom this turn brought in by name, nearer than who was there before.
    `pet`: one named in this turn, whom "he" and "she" may mean where no person fits.
    """

    speaker: str
    at: float
    people: dict[str, str] = field(default_factory=dict)
    owners: set[str] = field(default_factory=set)
    earlier: dict[str, str] = field(default_factory=dict)
    group: tuple[str, ...] = ()
    named: dict[str, str] = field(default_factory=dict)
    fresh: str = ""
    strangers: bool = False
    genders: dict[str, str] = field(default_factory=dict)
    known: tuple[str, ...] = ()
    thing: Subject | None = None
    pet: str = ""
    known_people: dict[str, str] = field(default_factory=dict)
    known_group: tuple[str, ...] = ()
    meant: dict[str, str] = field(default_factory=dict)
    introduced: str = ""

    def note(self, name: str, gender: str = "") -> None:
        """Remember that a person was just spoken of."""
        if name and name != self.speaker:
            known = self.people.pop(name, "") or self.earlier.get(name, "")
            known = known or self.genders.get(name, "")
            self.people[name] = gender or known

    def person(self, pronoun: str) -> str | None:
        """Return whom "he", "her", ... means where only one person fits, else None."""
        wanted = _GENDERS.get(pronoun, "")
        for people in (self.people,) if self.strangers else (self.people, self.earlier):
            if people is self.earlier and self.pet:
                return self.pet  # named in this turn, so nearer than whoever came before it
            known = {name: gender or self.meant.get(name, "") for name, gender in people.items()}
            fitting = [name for name, gender in known.items() if gender in {wanted, ""}]
            certain = [name for name in fitting if known[name] == wanted and wanted]
            if len(certain) == 1 or self.introduced in certain:
                return self.introduced if self.introduced in certain else certain[0]
            if len(fitting) == 1:
                return fitting[0]
            if fitting:
                return None
        return self.pet or (None if self.strangers else self._known_person(wanted))

    def _known_person(self, wanted: str) -> str | None:
        """Whom a pronoun means that nobody of this talk fits: the one told of last."""
        fitting = (name for name, gender in self.known_people.items() if gender in {wanted, ""})
        return next(fitting, None)

    def they(self) -> tuple[str, ...] | None:
        """Who "they" are where nobody of this talk is: a family or couple told of before."""
        return self.known_group or None

    def owner(self, word: str) -> str | None:
        """Return who "my", "his", "Bob" or "my|sister" (of "my sister's") is."""
        head, _, inner = word.partition("|")
        low = head.lower()
        if low in {"my", "our", "mine"}:
            found: str | None = self.speaker
        elif low in _GENDERS:
            found = self.person(low)
        elif low == "their":
            found = self.group[0] if len(self.group) == 1 else None
        elif low in {"your", "its"}:
            found = None
        else:
            found = head
        if found is None or not inner:
            return found
        return self.of(found, inner)

    def of(self, owner: str, noun: str) -> str:
        """Return the name of "Alice's sister", or that description where it has none."""
        return self.named.get(whose(owner, noun), f"{owner}'s {noun}")

    def subjects(self, subject: Subject) -> tuple[str, ...] | None:
        """Return the names a subject stands for, or None where that is not certain."""
        if subject.kind == PRONOUN:
            return self._pronoun(subject.word)
        if subject.kind == NAME:
            return tuple(self.speaker if n == "I" else n for n in subject.names)
        if subject.kind == OWNED:
            owner = self.owner(subject.owner)
            if subject.names:
                return subject.names
            return (self.of(owner, subject.noun),) if owner else None
        return (
            (compound(subject.noun),)
            if subject.kind != OF
            else (f"{subject.names[0]}'s {subject.noun}",)
        )

    def _pronoun(self, word: str) -> tuple[str, ...] | None:
        if word in {"i", "we"}:
            return (self.speaker,)
        if word in {"he", "she"}:
            found = self.person(word)
            return (found,) if found else None
        return self.group or None if word == "they" else None

    def fuller(self, owner: str, thing: str) -> str:
        """Return by what longer name "the Vespa" is known to be had ("blue Vespa")."""
        longer = re.compile(
            rf"^{re.escape(owner)} .*?\b(?:an?|the|his|her|their) "
            rf"((?:[\w-]+ ){{1,2}}{re.escape(thing)})\b"
        )
        hits = {match[1] for match in map(longer.match, self.known) if match}
        return hits.pop() if len(hits) == 1 else thing

    def holder(self, noun: str) -> str:
        """Return whose "the wedding" is known to be ("Ana's wedding is ..."), "" of nobody or two.

        Who speaks comes first.
        """
        owned = f"'s {noun} ".lower()
        found = {text[:at] for text in self.known if (at := text.lower().find(owned)) > 0}
        return self.speaker if self.speaker in found else min(found) if len(found) == 1 else ""

    def pronoun_gender(self, word: str) -> str:
        """Return "f", "m" or "" for a pronoun such as "her"."""
        return _GENDERS.get(word, "")

    def gender(self, noun: str) -> str:
        """Return "f", "m" or "" for a noun such as "sister"."""
        word = noun.split()[-1] if noun else ""
        return "f" if word in FEMALE else "m" if word in MALE else ""

    def see(self, subject: Subject) -> None:
        """Remember the people a subject names."""
        names = self.subjects(subject)
        if subject.kind == PRONOUN and names and subject.word in _GENDERS:
            self.meant[names[0]] = _GENDERS[subject.word]  # "my manager is Denise. She ..."
        if not names or subject.kind in {PRONOUN, OF}:
            return
        word = subject.noun.split()[-1] if subject.noun else ""
        nameless = subject.kind == OWNED and not subject.names
        if (subject.kind == OWNED and not living(word)) or (
            nameless and subject.noun.startswith("new ")
        ):
            if subject.owner[:1].isupper() and "|" not in subject.owner:
                self.owners |= {subject.owner} - self.people.keys()
                self.note(subject.owner)  # "Tom's birthday is on 22 March. He ..."
            return  # "my new boss is Ann": nobody beside Ann
        if subject.kind not in {NAME, OWNED}:
            return
        for other in self.owners - set(names):
            self.people.pop(other, None)  # "Ana's car is red. Bob lives in Rome. He ..."
        self.owners.clear()
        for name in names:
            self.note(name, self.gender(subject.noun) if subject.kind == OWNED else "")
        if subject.kind == OWNED and subject.names:
            owner = self.owner(subject.owner)
            if owner:
                self.named[whose(owner, subject.noun)] = subject.names[0]
        family = names[0].startswith("The ") and names[0].endswith("s")
        many = len(names) > 1 or subject.person == PLURAL or family
        self.group = names if many else self.group


def living(word: str) -> bool:
    """Say whether a noun is one of people or pets, or of several ("parents", "dogs")."""
    known = KIN | PETS
    return word in known | _MANY or (word.endswith("s") and word[:-1] in known)


_MANY = frozenset({"parents", "grandparents", "kids", "children", "family", "in-laws"})


_MET = re.compile(
    r"\b(?:my|our|his|her|their|an?|the|this) (?:[a-z-]+ ){0,2}?(?P<noun>[a-z-]+),? "
    r"(?:is |'s |was )?(?P<called>called |named )?(?P<name>[A-Z][\w'-]+)(?! \w+'s)"
)


@cached(256)
def met_in(text: str) -> tuple[tuple[str, str], ...]:
    """Return (noun, name) of people a text tells of: "my niece Sophie", "a girl called Chloe"."""
    found = []
    for match in _MET.finditer(text):
        noun = match["noun"]
        if noun in _PEOPLE if match["called"] else noun in KIN:
            found.append((noun, match["name"].removesuffix("'s")))
    return tuple(found)


_PEOPLE = KIN | FEMALE | MALE | {"person", "kid", "student", "patient", "client", "couple"}


@cached(256)
def _subjects(text: str) -> tuple[Subject, ...]:
    """Return the subjects of a text; kept, since a turn is recent to several others."""
    return tuple(
        c.subject for s in sentences(text) for c in clauses(opened(tokenise(guarded(s)))[0])
    )


def scene_of(turn: Turn, recent: Iterable[Turn], recalled: Iterable[Recalled]) -> Scene:
    """Return the scene a turn is said in: the people of the turns before, the names recalled."""
    strangers = bool(_STRANGERS.search(turn.text)) and not _OPENS.match(turn.text)
    scene = Scene(speaker=turn.speaker, at=turn.at, strangers=strangers)
    recalled = tuple(recalled)
    scene.known = tuple(item.text for item in recalled if item.current)
    for item in recalled:
        known = _KNOWN.match(item.text) if item.current else None
        if known:
            scene.named[whose(known[1], known[2])] = known[3]
            scene.genders[known[3]] = scene.gender(known[2])
    _recollect(scene, [item for item in recalled if item.current and item.relation])
    for earlier in list(recent)[-_NEAREST_TURNS:]:
        scene.speaker = earlier.speaker
        for subject in _subjects(earlier.text[:600]):
            scene.see(subject)
        for noun, name in met_in(earlier.text[:600]):
            scene.note(name, scene.gender(noun))
    scene.speaker = turn.speaker
    scene.people.pop(turn.speaker, None)
    scene.earlier, scene.people = scene.people, {}
    return scene


_PERSONAL = frozenset(
    {"is friends with", "is dating", "is engaged to", "is marrying", "is married to"}
    | {"is parent of", "is child of", "is sibling of"}
)
_PERSONAL_OWN = frozenset(
    {"lives in", "works at", "works as", "works for", "age", "is a", "is", "studies", "studied at"}
    | {"likes", "dislikes", "is married to", "is dating", "was born in", "goes to", "plays"}
    | {"is applying for", "is learning", "speaks", "is allergic to", "visited", "has", "drives"}
)


def _recollect(scene: Scene, facts: Sequence[Recalled]) -> None:
    """Remember the people and pets that facts told before are of, the newest first."""
    people: dict[str, str] = {}
    for fact in facts:
        last = fact.relation.split()[-1]
        name, named = fact.object, fact.object[:1].isupper()
        if named and (last in KIN | PETS or fact.relation in _PERSONAL):
            gender = scene.genders.get(name, "") or scene.gender(last)
            if last in KIN | PETS:
                scene.named.setdefault(whose(fact.subject, fact.relation), name)
            people[name] = scene.genders[name] = people.pop(name, "") or gender
        _recollect_subject(scene, fact, people)
    people.pop(scene.speaker, None)
    scene.known_people = dict(reversed(people.items()))


def _recollect_subject(scene: Scene, fact: Recalled, people: dict[str, str]) -> None:
    owner, owned, noun = fact.subject.partition("'s ")
    last = noun.split()[-1] if noun else ""
    if owned and last in _MANY:
        scene.known_group = (fact.subject,)
    elif owned and last in KIN | PETS:
        known = scene.named.get(whose(owner, noun), fact.subject)
        people[known] = people.pop(known, "") or scene.gender(last)
    elif not owned and owner[:1].isupper() and fact.relation in _PERSONAL_OWN:
        people[owner] = people.pop(owner, "") or scene.genders.get(owner, "")
