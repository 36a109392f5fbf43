"""Plain statements: what a clause says by the table of relations, with "be" or with "have"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules import phrases
from mags.models.policy.rules.claims import (
    FLATS,
    WHEN,
    Manner,
    Said,
    claim,
    said_of,
    slot_of,
    unshaded,
)
from mags.models.policy.rules.clauses import (
    NAME,
    OF,
    OWNED,
    PLURAL,
    THING,
    Clause,
    subject_at,
)
from mags.models.policy.rules.phrases import CALLED, Object, Rest, Scene
from mags.models.policy.rules.tokens import Token, join, name_end, surface
from mags.models.policy.rules.when import COUNTED, is_when
from mags.ports.english import THIRD, forms, gerund, past_tense, third_person, whose, word_set
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation, canonical, kind_of, read, relations

EVENTS = word_set(
    """move marry relocate go fly travel visit meet see leave join return head turn arrive land
    retire graduate end finish expire close"""
)
"""What is said in the present of a day to come: "we fly to Lisbon on 26 April"."""
COMING = EVENTS | {"start", "begin", "open", "be", "have"}
"""Verbs of which a day in the present is the next one; of others it may be one that comes again."""
_ALONE = word_set(
    """like love enjoy adore hate dislike detest loathe despise prefer own possess buy purchase
    acquire adopt inherit speak drive drink eat marry divorce date play study teach write found
    establish co-found cofound create develop invent direct perform sing visit join border fear
    collect earn"""
)
"""Verbs that name a relation of the table with nothing but an object after them."""
_DEEDS = word_set(
    """write found establish co-found cofound create develop invent direct perform sing eat drink
    know meet"""
)
"""Verbs of which one deed tells nothing lasting of who did it, unless the thing has a name."""
_WISHES = word_set("plan hope want intend like love enjoy hate prefer")
_REQUESTED = frozenset({"wants", "needs", "plans to", "wants to", "needs to", "hopes to"})
GEAR = word_set(
    """car bike bicycle motorbike motorcycle scooter van truck boat laptop computer phone tablet
    camera guitar piano violin cello house flat apartment tent kayak garden allotment children
    kids"""
)
"""Things that one tells of having because one has them for long."""


Read = list[Operation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A clause with everything that its reading needs. `names`: whom it is about."""

    clause: Clause
    rest: Rest
    scene: Scene
    manner: Manner
    names: tuple[str, ...]

    @property
    def words(self) -> tuple[Token, ...]:
        """The words after the verb."""
        return self.rest.tokens

    @property
    def happened(self) -> bool:
        """Whether the clause tells of something that came about: past or perfect, not denied."""
        return self.clause.verb.tense in {"past", "perfect"} and not self.clause.verb.negated

    def low(self, i: int) -> str:
        """The word at a place, in lower case, or ""."""
        return self.words[i].low if i < len(self.words) else ""

    def told(self, relation: Relation | str, object: str, text: str = "", **more: Any) -> Read:
        """Make one operation for every subject; `text`: what follows the name in its sentence."""
        said = Said(subject="", relation=relation, object=object, **more)
        texts = {name: f"{name} {text}." if text else "" for name in self.names}
        return [
            claim(self.scene, self.manner, replace(said, subject=name, text=text))
            for name, text in texts.items()
        ]

    def of_object(self, start: int, relation: Relation | str, **more: Any) -> Read:
        """Make one operation for every subject and thing from word `start` on."""
        return [claim(self.scene, manner, replace(said, **more))
                for manner, said in self.said(start, relation)]  # fmt: skip

    def said(self, start: int, relation: Relation | str) -> Iterator[tuple[Manner, Said]]:
        """Yield what is said of every subject and thing from word `start` on, and how."""
        body, sides = phrases.parted(phrases.cut_aside(self.words[start:]))
        manner = replace(self.manner, sides={**self.manner.sides, **sides})
        for name in self.names:
            things = phrases.objects(body, self.scene, name)
            for thing in things:  # named together, they hold together
                one = False if len(things) > 1 else None
                yield manner, replace(said_of(name, relation, thing), one=one)


def case_of(clause: Clause, scene: Scene, manner: Manner) -> Case | None:
    """Return a clause with whom it is about and what follows the verb, None if that is unclear."""
    subject, verb = clause.subject, clause.verb
    first = clause.rest[0].low if clause.rest else ""
    together = subject.word == "we" and verb.base == "be" and first in {"a", "an"}
    if together or subject.owner == "your":
        return None
    names = scene.subjects(subject)
    if names is None and subject.word == "they" and first in {"my", "our"}:
        names = (scene.speaker,)  # "they raised my rent": who did it does not matter
    if names is None and subject.word == "they" and first == "me":
        names = (scene.speaker,)  # "they promoted me to head chef": I was
        clause = replace(clause, verb=replace(verb, passive=True), rest=clause.rest[1:])
    if names is None:
        return None
    before = join(clause.before)
    rest = phrases.rest_of(clause.rest, scene.at, future=_ahead(clause), before=before)
    sides = rest.sides
    if subject.beside and verb.tense in {"past", "perfect"}:
        sides = {"with": subject.beside.names[0], **sides}  # "my wife Jill and I went to Crete"
    found = rest.times
    if verb.tense in {"past", "perfect"}:  # "I bought tickets for next Friday"
        found = tuple(one for one in found if one.since <= scene.at)
    told = replace(manner, times=found, sides=sides)
    return Case(clause=clause, rest=rest, scene=scene, manner=told, names=names)


def _ahead(clause: Clause) -> bool:
    """Say whether a date without a year is the next one: of what is planned, or is in the present.

    A state has its day ("I work at Lumen from 1 May"), but a season or a weekday of one is one
    that comes again ("I swim in summer").
    """
    verb = clause.verb
    if verb.tense in {"future", "progressive", "modal"} or verb.base in _WISHES:
        return True
    if verb.tense != "present" or (verb.form == verb.base == past_tense(verb.base)):
        return False  # "I quit on 1 May" is the past
    words = (*clause.before, *clause.rest)
    dated = any(re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)?", t.low) for t in words)
    return verb.base in COMING or (dated and not verb.passive)


# -- who is whose relative ---------------------------------------------------------------


def introduced(case: Case) -> Read:
    """Read "my sister Ana" and, behind the verb, "her uncle Carlo" as such."""
    found, subject = [], case.clause.subject
    subjects = [subject.beside or subject]
    owners = {"my", "our"} | ({"his", "her"} if case.names[0] != case.scene.speaker else set())
    for i, token in enumerate(case.clause.rest):
        other = subject_at(case.clause.rest, i) if token.low in owners else None
        subjects += [other] if other is not None else []
    for i, one in enumerate(subjects):
        theirs = i > 0 and one.owner in {"his", "her"}
        owner = case.names[0] if theirs else case.scene.owner(one.owner) if one.owner else None
        if owner and one.names and one.head in (lex.KIN | lex.PETS) - {"partner"}:
            found.append(related(case, owner, one.noun, one.names[0]))
    return found


def related(case: Case, owner: str, noun: str, name: str, called: str = "is") -> Operation:
    """Return that "my sister Ana" is a sister of the speaker, and keep it for the scene."""
    fresh = noun.startswith("new ") and noun.split()[-1] in _ONE_AT_A_TIME
    noun = noun.removeprefix("new ")
    last = noun.split()[-1]  # a business partner is another than a partner
    case.scene.named[whose(owner, noun)] = name
    case.scene.note(name, case.scene.gender(noun))
    said = Said(
        subject=owner,
        relation=slot_of(noun) or (last != "partner" and canonical(last)) or noun,
        object=name,
        object_is_name=True,
        text=f"{owner}'s {noun} {called} {name}.",
        aliases={name: (f"{owner}'s {noun}",)},
        change=fresh or "now" in case.clause.verb.shades,
        one=fresh or None,
    )
    return claim(case.scene, case.manner.plain(), said)


# -- verbs of the table ------------------------------------------------------------------


def by_table(case: Case) -> Read:
    """Read a verb by the relation table: "lives in Oslo", "used to play the cello"."""
    verb = case.clause.verb
    if case.low(0) == "to" and verb.base in _WISHES:
        return []
    match = _match(case)
    if match is None or (case.clause.subject.kind == THING and not verb.passive):
        return []
    relation, change, k = match
    if relation.name in _REQUESTED or (change and verb.form.endswith("ing")):
        return []  # "I need help with a letter": a request; "is moving to Rome": not so yet
    if relation.name == "visited" and verb.tense not in {"past", "perfect", "used"}:
        return []
    lasting = verb.passive or k or (verb.base in {"eat", "drink"} and verb.tense == "present")
    met = {*case.scene.people, *case.scene.earlier}
    found: Read = []
    for manner, said in case.said(k, relation):
        deed = verb.base in _DEEDS and not (lasting or said.object_is_name)
        fond = relation.name in {"likes", "dislikes"} and said.object in met  # "I love Ana already"
        for one in () if deed or fond else _shaped(case, said, relation, change=change, k=k):
            found.append(claim(case.scene, manner, one))
    job = phrases.parted(phrases.cut_aside(case.words[k:]))[1].get("as", "") if found else ""
    if job and verb.base in {"work", "start", "get", "hire"}:
        past = verb.tense == "past" and verb.base == "work"
        found += _work(case, "worked as" if past else "works as", job)
    return found


def _match(case: Case) -> tuple[Relation, bool, int] | None:
    """Return the relation of a verb with the words after it, the longest match, if any."""
    verb, words = case.clause.verb, case.words
    surface = verb.base
    if verb.base in {"be", "have"}:
        return None
    if verb.tense == "used":
        surface = f"used to {verb.base}"
    elif verb.passive:
        surface = f"{'was' if verb.tense == 'past' else 'is'} {verb.form}"
    elif verb.tense == "past" and not verb.negated:
        surface = past_tense(verb.base)
    placed = bool(words) and words[0].low in lex.PREPOSITIONS
    for k in range(min(5, len(words)), -1, -1):
        if k and words[k - 1].low not in lex.PREPOSITIONS:
            continue
        if k == 0 and (verb.base not in _ALONE or placed):
            return None
        after = " ".join(t.low for t in words[:k])
        going = f"is {gerund(verb.base)} {after}".strip()
        reading = read(going) if verb.tense == "progressive" else None
        reading = reading or read(f"{surface} {after}".strip())
        if reading and not reading.relation.noun and (k or reading.relation.name != "is called"):
            return reading.relation, reading.change, k
    return None


def _shaped(
    case: Case, said: Said, relation: Relation, *, change: bool, k: int
) -> tuple[Said, ...]:
    """Return what was read with its tense, its change and its denial."""
    verb = case.clause.verb
    said = replace(said, change=change or verb.gone or bool({"now", "instead"} & verb.shades))
    if verb.negated:
        return _denied(case, said, relation)
    if verb.passive or (change and verb.tense in {"past", "perfect"}):
        be = "was" if verb.tense == "past" else "is"
        how = f"{be} {verb.form}" if verb.passive else past_tense(verb.base)
        after = " ".join(t.low for t in case.words[:k]).removesuffix(" a")
        return (replace(said, verb=f"{how} {after}".strip()),)
    head = re.split(r" (?:to|on|in|for|with|at|over) ", said.object)[0].split()
    if relation.name == "prefers" and len(head) > 1 and head[-1].endswith("s"):
        return (replace(said, kind=head[-1], act=Act.UPDATE, verb="prefers"),)
    return (said,)


def _denied(case: Case, said: Said, relation: Relation) -> tuple[Said, ...]:
    """Read a denial: a lasting dislike, or something that is no longer or never was so."""
    verb, opposite = case.clause.verb, {"likes": "dislikes", "dislikes": "likes"}
    if relation.name in opposite and not verb.gone:
        return (replace(said, relation=opposite[relation.name], change=False),)
    over = replace(said, act=Act.RETRACT, change=verb.gone)
    habit = next((base for base, form in forms(relation.name) if form == THIRD), "")
    if verb.tense != "present" or habit not in _ALONE or relation.opposite:
        return (over,)
    return (over, replace(said, **not_so(habit, verb.gone), change=False))


def not_so(base: str, gone: bool) -> dict[str, Any]:
    """Return how it is kept that somebody does not do a thing: it is asked about later."""
    denied = Relation(name=f"does not {base}", known=False)
    return {"relation": denied, "verb": f"no longer {third_person(base)}" if gone else ""}


def _work(case: Case, relation: str, job: str) -> Read:
    """Read "as a nurse" after "works at Acme"."""
    article, _, bare = job.partition(" ")
    led = article in {"a", "an", "the"} and bool(bare)
    verb = f"{relation} {article}" if led and article != "the" else ""
    return case.told(relation, bare if led else job, verb=verb)


# -- being -------------------------------------------------------------------------------


def being(case: Case) -> Read:
    """Return what a clause with "be" says; [] where it says nothing to keep."""
    subject, words = case.clause.subject, case.words
    while words and words[0].low in lex.ADVERBS:
        words = words[1:]
    case = replace(case, rest=replace(case.rest, tokens=words))
    if subject.kind == OF or (subject.kind == OWNED and not subject.names):
        said = slot(case)
        if said is not None:
            return said
    if case.manner.time and is_when(join([t for t in words if t.text != "|"])):
        return _dated(case)
    if subject.kind in {OWNED, THING} and not (subject.names or phrases.living(subject.head)):
        return _placed(case) or _about(case)
    return [op for name in case.names for op in _about(replace(case, names=(name,)))]


def _dated(case: Case) -> Read:
    """Read "the meeting is on Tuesday (at 3 pm)": only a time follows."""
    subject, found = case.clause.subject, case.manner.times
    thing = (
        subject.kind in {OWNED, THING} and not subject.names and not phrases.living(subject.head)
    )
    if not thing or "," in subject.noun or case.clause.verb.negated:
        return []
    when = found[0].text
    if len(found) > 1 and found[1].role == "until":  # "the trip is from 6 to 9 June"
        when = f"from {when.split(' ', 1)[-1]} {found[1].text}"
    elif found[0].role != "at":
        return []
    hour = join([t for t in case.words if t.text != "|"])
    be = "was" if case.clause.verb.tense == "past" else "is"
    bare = re.sub(r"^(?:on|in|from) ", "", f"{when} {hour}".strip()).replace(" until ", " to ")
    text = f"{be} {when} {hour}".strip()
    names = tuple(re.sub(r" (?:deadline|due date)$", "", name) for name in case.names)
    return replace(case, names=names).told(WHEN, bare, text=text, stated=False)


_PLACES = word_set("in on at under behind above below near inside outside beside opposite")


def _placed(case: Case) -> Read:
    """Read "the printer is on the ground floor", "my lessons are on Mondays": where, and when.

    A place is told by a name or with an article: "on fire" and "in progress" are none.
    """
    verb, often = case.clause.verb, case.manner.sides.get("often", "")
    definite = case.clause.subject.owner or case.clause.subject.word == "the"
    if not definite or verb.negated or verb.tense != "present" or case.manner.hedged:
        return []
    be = "is" if verb.form == "'s" else verb.form
    if not case.words:
        days = often.removeprefix("on ")
        return case.told(WHEN, days, text=f"{be} {often}", stated=False) if days != often else []
    at, led = case.low(0), case.words[1:2]
    judged = not (lex.EVALUATIVE | _BODY | FLATS | {"job"}).isdisjoint(
        case.clause.subject.noun.lower().split()
    )
    judged = judged or any(t.low in lex.PRONOUNS for t in case.words)  # "in my hand as I speak"
    if judged or at not in _PLACES or not led or not (led[0].low in _WHOSE or led[0].is_capital):
        return []
    plain = replace(case, manner=replace(case.manner, times=case.manner.times[:1], sides={}))
    said = [one for _, one in plain.said(1, "is located in")]
    if len(said) != 1 or len(said[0].told.split()) > _LONGEST_PLACE:
        return []
    one = replace(said[0], verb=f"{be} {at}", change="now" in verb.shades)
    if at not in {"in", "on", "at"}:  # "under the mat" is not "the mat"
        one = replace(one, object=f"{at} {one.told}", told=f"{at} {one.told}", verb=be)
    return [claim(case.scene, plain.manner, one)]


_LONGEST_PLACE = 8
_BODY = word_set(
    """head heart soul mind face eye eyes arm arms hand hands leg legs foot feet knee knees elbow
    back stomach"""
)
"""What is somewhere only in a manner of speaking: "my head is in the clouds". Nor is said here
where somebody lives or works: "the new flat is in Bonn", "my job is in marketing"."""
_WHOSE = lex.POSSESSIVES | {"the"}


def slot(case: Case) -> Read | None:
    """Read "my favourite food is sushi", "the capital of France is Paris"; None if no slot."""
    subject, scene, words = case.clause.subject, case.scene, case.words
    owner, noun = scene.owner(subject.owner), subject.noun.replace("favorite", "favourite")
    if subject.kind == OF:
        owner = subject.names[0]
    elif noun == "name" and "|" in subject.owner:  # "my mom's name"
        outer, _, inner = subject.owner.rpartition("|")
        owner, noun = scene.owner(outer), f"{inner} name"
    if not owner or case.clause.verb.negated:
        return None
    last = noun.split()[-1]
    if last == "birthday":
        return _birthday(case, owner, noun)
    things, single = phrases.objects(words, scene, owner), _SINGLE.get(last, last.removesuffix("s"))
    if single != last and single in lex.KIN | lex.PETS and things:
        kin, one = f"{noun[: -len(last)]}{single}", False if len(things) > 1 else None
        named = (t.text for t in things if t.is_name)
        return [replace(related(case, owner, kin, name), one=one) for name in named] or None
    amount = bool(words) and words[0].text.lstrip("$\u20ac\u00a3")[:1].isdigit()
    cut = next((i for i, t in enumerate(words) if t.text == ","), len(words)) if amount else None
    thing = phrases.object_of(phrases.cut_aside(words[:cut]), scene, owner)
    if thing is not None and last in {"name", "nickname"}:
        return _name(case, owner, noun, thing)
    relation = slot_of(noun) if subject.kind == OWNED else canonical(f"the {noun} of {{}} is")
    return None if thing is None else _filled(case, owner, noun, relation, thing, amount)


def _filled(
    case: Case, owner: str, noun: str, known: Relation | None, thing: Object, amount: bool
) -> Read | None:
    """Return the slot "Alice's boss" filled with Dan; None where it is only described."""
    last, kinds = noun.split()[-1], known is not None and known.kinds
    people = lex.KIN | lex.PETS | lex.JOBS
    described = case.low(0) in lex.ARTICLES and not kinds and "called" not in thing.article
    person = last in people or (known is not None and known.answers == "person")
    if described or last in lex.EVALUATIVE or (person and not thing.is_name):
        return None
    if last in people:
        return [related(case, owner, noun, thing.text)]
    if known is None and not (last in _CODES or amount):
        return None
    relation = known or Relation(name=unshaded(noun), noun=True, known=False)
    fresh = noun.startswith("new ") and last in _ONE_AT_A_TIME
    anew = fresh or bool({"now", "instead"} & case.clause.verb.shades)
    plain = relation.noun or relation.kinds
    said = replace(
        said_of(owner, relation, thing),
        kind=kind_of(unshaded(noun)) if relation.kinds else "",
        text="" if plain else f"{owner}'s {unshaded(noun)} is {thing.text}.",
        change=anew,
        one=anew or None,
    )
    return [claim(case.scene, case.manner, said)]


_SINGLE = {"kids": "child", "children": "child"}
_ONE_AT_A_TIME = word_set(
    """landlord landlady boss manager supervisor doctor gp dentist therapist lawyer coach teacher
    trainer tutor mentor girlfriend boyfriend partner address email number phone job car password"""
)
_CODES = word_set("password code pin number address key combination")


def _birthday(case: Case, owner: str, noun: str) -> Read:
    """Read "my birthday is 4 July": the day, without a year that was not said."""
    of = noun.rsplit(" ", 1)[0].removesuffix(" 's") if " " in noun else ""
    owner, time = case.scene.of(owner, of) if of else owner, case.manner.time
    if time is None or time.precision not in {"day", "month"}:
        return []
    day = re.sub(r"^(?:on|in) | \d{4}$", "", time.text)
    said = Said(subject=owner, relation="birthday", object=day, stated=False)
    return [claim(case.scene, case.manner.plain(), said)]


def _name(case: Case, owner: str, noun: str, thing: Object) -> Read:
    """Read "my mom's name is Carla", "my nickname is Ace"."""
    inner = noun.removesuffix("nickname").removesuffix("name").strip().removesuffix("'s").strip()
    described, _, kin = owner.partition("'s ")
    owner, inner = (described, kin) if kin else (owner, inner)
    if thing.is_name and inner and inner.split()[-1] in lex.PETS | lex.KIN:
        return [related(case, owner, inner, thing.text, "is called")]
    known = owner in {case.scene.speaker, case.clause.subject.owner}
    if not thing.is_name or not known or inner not in _GIVEN:
        return []
    relation = "is also called" if noun.endswith("nickname") else "is called"
    said = replace(said_of(owner, relation, thing), aliases={owner: (thing.text,)})
    return [claim(case.scene, case.manner, said)]


_GIVEN = frozenset({"", "full", "first", "last", "real", "given"})
_AGE = re.compile(r"(\d{1,3}|[a-z]+)(?: years? old| yrs? old|-years?-old)?(?:,.*)?", re.IGNORECASE)
_NATION = re.compile(r"[A-Z][a-z]+(?:ian|ean|ese|ish|an|ch|ic|i)")


def _about(case: Case) -> Read:
    """Read the complement of one subject: an age, a trade, a trait, whose friend it is."""
    clause, scene, words, name = case.clause, case.scene, case.words, case.names[0]
    subject, verb, low = clause.subject, clause.verb, case.low(0)
    past, act = verb.tense in {"past", "used"}, Act.RETRACT if verb.negated else Act.ADD
    if subject.kind == THING or not words:
        return []
    age = _AGE.fullmatch(join(words))
    years = str(COUNTED.get(age[1].lower(), age[1])) if age else ""
    if years.isdigit():
        alive = subject.word not in {"we", "they"} and (
            subject.kind != OWNED or phrases.living(subject.head)
        )
        told = alive and not past and act is Act.ADD
        return case.told("age", years, text=f"is {years} years old") if told else []
    known = _by_preposition(case, "was" if past else "is", act)
    if known is not None:
        return known
    if low in {"my", "our"} and act is Act.ADD:
        noun = " ".join(t.low for t in phrases.cut_aside(words[1:]) if t.text != "|")
        if noun and noun.split()[-1] in lex.KIN | lex.PETS:
            return [replace(related(case, scene.speaker, noun, name), aliases={})]
    thing = subject.kind == OWNED and not (subject.names or phrases.living(subject.head))
    if (low in lex.TRAITS and not thing) or (len(words) == 1 and _NATION.fullmatch(words[0].text)):
        trait = join(phrases.parted(phrases.cut_aside(words))[0])
        return case.told("was" if past else "is", trait, act=act, change=verb.gone)
    return _trade(case, past, act)


def _by_preposition(case: Case, be: str, act: Act) -> Read | None:
    """Read what the table knows: "from", "allergic to", "a fan of", "married to"."""
    words, gone = case.words, case.clause.verb.gone
    for k in range(min(5, len(words) - 1), 0, -1):
        reading = None
        if words[k - 1].low in lex.PREPOSITIONS:
            reading = read(f"{be} {' '.join(t.low for t in words[:k])}")
        if reading is None or reading.relation.name in {"is", "was"}:
            continue
        relation = reading.relation
        if act is Act.RETRACT and relation.opposite and not gone:
            relation, act = relations()[relation.opposite], Act.ADD
        return case.of_object(k, relation, act=act, change=reading.change or gone)
    return None


def _trade(case: Case, past: bool, act: Act) -> Read:
    """Read "a nurse at Acme", "the CEO of Acme": somebody's trade, and where."""
    body = phrases.cut_aside(case.words)
    led = case.low(0) in {"a", "an", "the"}
    ends = {"at", "for", "in", "on", "|"}
    at = next((i for i, t in enumerate(body) if i > led and t.low in ends), len(body))
    trade, article = body[1:at], case.low(0)
    job = body[at - 1].low if at else ""
    if case.clause.subject.person == PLURAL and job[:-1] in lex.JOBS:
        trade, led, job, article = body[:at], True, job[:-1], "the"
        if case.clause.subject.kind == NAME:  # "Ana and Ben are vets": each is one
            trade = (*body[: at - 1], replace(body[at - 1], text=body[at - 1].text[:-1]))
            article = "an" if body[0].low[0] in "aeiou" else "a"
    if not led or not trade or job not in lex.JOBS or len(trade) > _LONGEST_TRADE:
        return []
    if any(t.low in lex.EVALUATIVE | lex.FEELINGS for t in trade):
        return []
    work, relation = ("worked at", "worked as") if past else ("works at", "works as")
    place = phrases.object_of(body[at + 1 :], case.scene, case.names[0]) if at < len(body) else None
    found = []
    if place is not None and body[at].low in {"at", "for"}:
        said = replace(said_of(case.names[0], work, place), act=act)
        found.append(claim(case.scene, case.manner, said))
    verb = f"{relation} {article}" if article != "the" else ""
    return [*found, *case.told(relation, join(trade), act=act, verb=verb)]


_LONGEST_TRADE = 3


# -- having ------------------------------------------------------------------------------


def having(case: Case) -> Read:
    """Read "has a dog named Rex", "have two kids", "got a car": pets, people, things kept long."""
    verb, words = case.clause.verb, case.words
    fresh = verb.base != "have"
    told = case.happened if fresh else verb.tense == "present"
    if verb.tense == "used" and not fresh:
        return case.of_object(0, "had", verb="used to have")
    if case.low(0) == "to" or not told:
        return []
    met = [] if verb.negated else _named(case)
    body = phrases.parted(words)[0]
    heads = {t.low if t.low in GEAR else t.low.removesuffix("s") for t in body[-3:]}
    judged = any(t.low in lex.EVALUATIVE | lex.POSSESSIVES | {"no", "zero"} for t in body)
    if met or judged or heads.isdisjoint(lex.KIN | lex.PETS | GEAR):
        return met
    act = Act.RETRACT if verb.negated else Act.ADD
    found = case.of_object(0, "has", act=act, change=verb.gone or fresh)
    return found + (case.of_object(0, **not_so("have", verb.gone)) if verb.negated else [])


def _named(case: Case) -> Read:
    """Read "a dog named Rex", "a sister, Ana", "two brothers, Ben and Luke"."""
    words = case.words
    cut = next((i for i, t in enumerate(words) if i and (t.text == "," or t.low in CALLED)), 0)
    nouns = [t.low for t in words[:cut] if t.low not in _COUNTS]
    last = nouns[-1] if nouns else ""
    single = _SINGLE.get(last, last if last in lex.KIN | lex.PETS else last.removesuffix("s"))
    end = name_end(words, cut + 1)
    calls = words and words[cut].text == "," and single in lex.PETS and end == len(words)
    if not cut or end == cut + 1 or single not in lex.KIN | lex.PETS or calls:
        return []  # "we've got a puppy, Osvaldo!" calls somebody
    names = [surface(words[cut + 1 : end])]
    while end + 1 < len(words) and words[end].low in {"and", ","} and last != single:
        start, end = end + 1, name_end(words, end + 1)
        if end == start:
            break
        names.append(surface(words[start:end]))
    noun, got = " ".join([*nouns[:-1], single]), "has" if case.clause.verb.base == "have" else "got"
    told = f"{got} {'an' if noun[0] in 'aeiou' else 'a'} {noun} named"
    new = "new " if any(t.low == "new" for t in words[:cut]) else ""
    more: dict[str, Any] = {"one": False} if len(names) > 1 else {}
    return [
        replace(related(case, owner, new + noun, name), text=f"{owner} {told} {name}.", **more)
        for owner in case.names
        for name in names
    ]


_COUNTS = lex.ARTICLES | frozenset(COUNTED) | word_set("my new a an one")
