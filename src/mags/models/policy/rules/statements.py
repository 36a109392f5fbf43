"""Plain statements: what a clause says by the table of relations, with "be" or with "have"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.claims import Manner, Said, claim, said_of, slot_of, unshaded
from mags.models.policy.rules.clauses import OF, OWNED, PRONOUN, THING, Clause, subject_at
from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.names import name_end, surface
from mags.models.policy.rules.phrases import (
    CALLED,
    Object,
    cut_aside,
    living,
    object_of,
    objects,
    owner_of,
    parted,
    rest_of,
    subjects_of,
)
from mags.models.policy.rules.tokens import Token, join
from mags.models.policy.rules.when import COUNTED, MONTHS
from mags.ports.english import THIRD, forms, gerund, past_tense, third_person
from mags.ports.policy import Act, Operation, Turn
from mags.ports.relations import Relation, canonical, kind_of, read, relations

_IDLE = word_set("it this that these those there you")
_ALONE = word_set(
    """like love enjoy adore hate dislike detest loathe despise prefer own possess buy purchase
    acquire adopt inherit speak drive drink eat marry divorce date play study teach visit join
    fear collect earn"""
)
"""Verbs that name a relation of the table with nothing but an object after them."""
_WISHES = word_set("hope want need intend like love enjoy hate prefer")
_WISHED = frozenset({"plans to", "wants to", "needs to", "wants", "needs"})
_GEAR = word_set(
    """car bike bicycle motorbike motorcycle scooter van truck boat laptop computer phone tablet
    camera guitar piano violin cello house flat apartment tent kayak garden allotment children
    kids"""
)
"""Things that one tells of having because one has them for long."""
_HOURS = re.compile(
    r"(?:(?:at|in the|around|about|am|pm|o'clock|noon|morning|afternoon|evening|night"
    r"|\d[\d.:]*(?: ?[ap]\.?m\.?)?)(?: |$))*",
    re.IGNORECASE,
)
"""What adds no more than an hour to a day: "at 3 pm", "morning", nothing."""
Read = list[Operation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A clause with everything that its reading needs.

    `words`: those after the verb, without times. `names`: whom it is about.
    """

    clause: Clause
    words: tuple[Token, ...]
    speaker: str
    manner: Manner
    names: tuple[str, ...]

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
            claim(self.speaker, self.manner, replace(said, subject=name, text=text))
            for name, text in texts.items()
        ]

    def of_object(self, start: int, relation: Relation | str, **more: Any) -> Read:
        """Make one operation for every subject and thing from word `start` on."""
        said = self.said(start, relation)
        return [claim(self.speaker, self.manner, replace(one, **more)) for one in said]

    def said(self, start: int, relation: Relation | str) -> Iterator[Said]:
        """Yield what is said of every subject and thing from word `start` on."""
        body = parted(cut_aside(self.words[start:]))
        for name in self.names:
            things = objects(body, self.speaker, name)
            for thing in things:  # named together, they hold together
                one = False if len(things) > 1 else None
                yield replace(said_of(name, relation, thing), one=one)


def case_of(clause: Clause, turn: Turn, manner: Manner) -> Case | None:
    """Return a clause with whom it is about and what follows the verb, None if that is unclear."""
    subject, verb = clause.subject, clause.verb
    first = clause.rest[0].low if clause.rest else ""
    together = subject.word == "we" and verb.base == "be" and first in {"a", "an"}
    if (subject.kind == PRONOUN and subject.word in _IDLE) or together or subject.owner == "your":
        return None
    names = subjects_of(subject, turn.speaker)
    if names is None:
        return None
    before = join(clause.before)
    words, times, habit = rest_of(clause.rest, turn.at, future=_ahead(clause), before=before)
    told = replace(manner, times=times, habit=habit)
    return Case(clause=clause, words=words, speaker=turn.speaker, manner=told, names=names)


def _ahead(clause: Clause) -> bool:
    """Say whether a date without a year is the next one: of what is in the present.

    A state has its day ("I work at Lumen from 1 May"), but a season or a weekday of one is one
    that comes again ("I swim in summer").
    """
    verb = clause.verb
    if verb.tense != "present" or (verb.form == verb.base == past_tense(verb.base)):
        return verb.tense == "progressive"  # "I quit on 1 May" is the past
    return not verb.passive and any(
        t.low in MONTHS or re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)?", t.low)
        for t in (*clause.before, *clause.rest)
    )


# -- who is whose relative ---------------------------------------------------------------


def introduced(case: Case) -> Read:
    """Read "my sister Ana" and, behind the verb, "her uncle Carlo" as such."""
    found, subject = [], case.clause.subject
    subjects = [subject.beside or subject]
    owners = {"my", "our"} | ({"his", "her"} if case.names[0] != case.speaker else set())
    for i, token in enumerate(case.clause.rest):
        other = subject_at(case.clause.rest, i) if token.low in owners else None
        subjects += [other] if other is not None else []
    for i, one in enumerate(subjects):
        theirs = i > 0 and one.owner in {"his", "her"}
        owner = case.names[0] if theirs else owner_of(one.owner, case.speaker)
        if owner and one.names and one.head in (lex.KIN | lex.PETS) - {"partner"}:
            found.append(related(case, owner, one.noun, one.names[0]))
    return found


def related(case: Case, owner: str, noun: str, name: str, called: str = "is") -> Operation:
    """Return that "my sister Ana" is a sister of the speaker."""
    fresh, noun = _is_fresh(case, noun), noun.removeprefix("new ")
    said = Said(
        subject=owner,
        relation=slot_of(noun) or canonical(noun.split()[-1]) or noun,
        object=name,
        object_is_name=True,
        text=f"{owner}'s {noun} {called} {name}.",
        aliases={name: (f"{owner}'s {noun}",)},
        change=fresh,
        one=fresh or None,
    )
    return claim(case.speaker, case.manner.plain(), said)


def _is_fresh(case: Case, noun: str) -> bool:
    """Say whether a slot is filled anew: "my new boss is", "my address is now"."""
    new = noun.startswith("new ") and noun.split()[-1] in _ONE_AT_A_TIME
    return new or bool({"now", "instead"} & case.clause.verb.shades)


_ONE_AT_A_TIME = word_set(
    """landlord landlady boss manager supervisor doctor gp dentist therapist lawyer coach teacher
    trainer tutor mentor girlfriend boyfriend partner address email number phone job car password"""
)


# -- verbs of the table ------------------------------------------------------------------


def by_table(case: Case) -> Read:
    """Read a verb by the relation table: "lives in Oslo", "used to play the cello"."""
    verb, match = case.clause.verb, _match(case)
    if match is None or (case.clause.subject.kind == THING and not verb.passive):
        return []
    relation, change, k = match
    if change and verb.form.endswith("ing"):
        return []  # "is moving to Rome": not so yet
    if relation.name == "visited" and verb.tense not in {"past", "perfect", "used"}:
        return []
    found: Read = []
    for said in case.said(k, relation):
        shaped = _shaped(case, said, relation, change=change, k=k)
        found += [claim(case.speaker, case.manner, one) for one in shaped]
    job = next((i for i, t in enumerate(case.words) if i > k and t.low == "as"), 0)
    if found and job and verb.base in {"work", "start", "get", "hire"}:
        past = verb.tense == "past" and verb.base == "work"
        found += case.of_object(job + 1, "worked as" if past else "works as")
    return found


def _match(case: Case) -> tuple[Relation, bool, int] | None:
    """Return the relation of a verb with the words after it, the longest match, if any."""
    verb, words = case.clause.verb, case.words
    surface, first = verb.base, case.low(0)
    if verb.base in {"be", "have"} or (first == "to" and verb.base in _WISHES):
        return None  # "to learn Spanish" is wanted or liked, and not so yet
    if verb.tense == "used":
        surface = f"used to {verb.base}"
    elif verb.passive:
        surface = f"{'was' if verb.tense == 'past' else 'is'} {verb.form}"
    elif verb.tense == "past" and not verb.negated:
        surface = past_tense(verb.base)
    alone = verb.base in _ALONE and first not in lex.PREPOSITIONS
    once = verb.base in {"eat", "drink"} and verb.tense != "present"  # "ate a cake" tells no habit
    for k in range(min(5, len(words)), -1, -1):
        if (k and words[k - 1].low not in lex.PREPOSITIONS) or (not k and (once or not alone)):
            continue
        after = " ".join(t.low for t in words[:k])
        going = f"is {gerund(verb.base)} {after}".strip()
        reading = read(going) if verb.tense == "progressive" else None
        reading = reading or read(f"{surface} {after}".strip())
        if reading and not reading.relation.noun:
            return reading.relation, reading.change, k
    return None


def _shaped(
    case: Case, said: Said, relation: Relation, *, change: bool, k: int
) -> tuple[Said, ...]:
    """Return what was read with its tense, its change and its denial."""
    verb = case.clause.verb
    said = replace(said, change=change or verb.gone or bool({"now", "instead"} & verb.shades))
    if relation.name in _WISHED:
        planned = verb.base == "plan" and not (verb.negated or verb.tense == "past")
        return (replace(said, stated=False),) if planned else ()
    if verb.negated:
        return _denied(case, said, relation)
    if verb.passive or (change and verb.tense in {"past", "perfect"}):
        be = "was" if verb.tense == "past" else "is"
        how = f"{be} {verb.form}" if verb.passive else past_tense(verb.base)
        after = " ".join(t.low for t in case.words[:k] if t.is_word).removesuffix(" a")
        return (replace(said, verb=f"{how} {after}".strip()),)
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


# -- being -------------------------------------------------------------------------------


def being(case: Case) -> Read:
    """Return what a clause with "be" says; [] where it says nothing to keep."""
    subject, words = case.clause.subject, case.words
    while words and words[0].low in lex.ADVERBS:
        words = words[1:]
    case = replace(case, words=words)
    if subject.kind == OF or (subject.kind == OWNED and not subject.names):
        said = _slot(case)
        if said is not None:
            return said
    hour = join([t for t in words if t.text != "|"])
    if case.manner.time and _HOURS.fullmatch(hour):
        return _dated(case, hour)
    return [op for name in case.names for op in _about(replace(case, names=(name,)))]


def _dated(case: Case, hour: str) -> Read:
    """Read "the meeting is on Tuesday (at 3 pm)": only a time follows."""
    subject, (first, *others) = case.clause.subject, case.manner.times
    thing = subject.kind in {OWNED, THING} and not subject.names and not living(subject.head)
    ends = bool(others) and others[0].role == "until"  # "the trip is from 6 to 9 June"
    dated = first.precision == "day" and (ends or first.role == "at")
    if not thing or not dated or case.clause.verb.negated:
        return []
    day = first.text.split(" ", 1)[-1]
    when = f"{day} to {others[0].text.split(' ', 1)[-1]}" if ends else f"{day} {hour}".strip()
    be = "was" if case.clause.verb.tense == "past" else "is"
    return case.told("is happening on", when, text=f"{be} on {when}", stated=False)


def _slot(case: Case) -> Read | None:
    """Read "my favourite food is sushi", "the capital of France is Paris"; None if no slot."""
    subject, speaker, words = case.clause.subject, case.speaker, case.words
    owner, noun = owner_of(subject.owner, speaker), subject.noun.replace("favorite", "favourite")
    if subject.kind == OF:
        owner = subject.names[0]
    elif noun == "name" and "|" in subject.owner:  # "my mom's name"
        outer, _, noun = subject.owner.rpartition("|")
        owner = owner_of(outer, speaker)
    if not owner or case.clause.verb.negated:
        return None
    last = noun.split()[-1]
    if last == "birthday":
        return _birthday(case, owner)
    things, single = objects(words, speaker, owner), _SINGLE.get(last, last.removesuffix("s"))
    if single != last and single in lex.KIN | lex.PETS and things:
        kin, one = f"{noun[: -len(last)]}{single}", False if len(things) > 1 else None
        named = (t.text for t in things if t.is_name)
        return [replace(related(case, owner, kin, name), one=one) for name in named]
    amount = bool(words) and words[0].text.lstrip("$\u20ac\u00a3")[:1].isdigit()
    cut = next((i for i, t in enumerate(words) if t.text == ","), len(words)) if amount else None
    thing = object_of(cut_aside(words[:cut]), speaker, owner)
    if thing is None:
        return None
    if noun == "name":
        own = thing.is_name and owner == speaker
        mine = replace(case, names=(owner,))
        return mine.of_object(0, "is called", aliases={owner: (thing.text,)}) if own else []
    relation = slot_of(noun) if subject.kind == OWNED else canonical(f"the {noun} of {{}} is")
    return _filled(case, owner, noun, relation, thing, amount)


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
    anew = _is_fresh(case, noun)
    plain = relation.noun or relation.kinds
    said = replace(
        said_of(owner, relation, thing),
        kind=kind_of(unshaded(noun)) if relation.kinds else "",
        text="" if plain else f"{owner}'s {unshaded(noun)} is {thing.text}.",
        change=anew,
        one=anew or None,
    )
    return [claim(case.speaker, case.manner, said)]


_SINGLE = {"kids": "child", "children": "child"}
_CODES = word_set("password code pin number address key combination")


def _birthday(case: Case, owner: str) -> Read:
    """Read "my birthday is 4 July": the day, without a year that was not said."""
    time = case.manner.time
    if time is None or time.precision not in {"day", "month"}:
        return []
    day = re.sub(r"^(?:on|in) | \d{4}$", "", time.text)
    said = Said(subject=owner, relation="birthday", object=day, stated=False)
    return [claim(case.speaker, case.manner.plain(), said)]


_AGE = re.compile(r"(\d{1,3}|[a-z]+)(?: years? old| yrs? old|-years?-old)?(?:,.*)?", re.IGNORECASE)
_NATION = re.compile(r"[A-Z][a-z]+(?:ian|ean|ese|ish|an|ch|ic|i)")


def _about(case: Case) -> Read:
    """Read the complement of one subject: an age, a trade, a trait, whose friend it is."""
    clause, words, name = case.clause, case.words, case.names[0]
    subject, verb, low = clause.subject, clause.verb, case.low(0)
    past, act = verb.tense in {"past", "used"}, Act.RETRACT if verb.negated else Act.ADD
    if subject.kind == THING or not words:
        return []
    age = _AGE.fullmatch(join(words))
    years = str(COUNTED.get(age[1].lower(), age[1])) if age else ""
    if years.isdigit():
        alive = subject.word != "we" and (subject.kind != OWNED or living(subject.head))
        told = alive and not past and act is Act.ADD
        return case.told("age", years, text=f"is {years} years old") if told else []
    known = _by_preposition(case, "was" if past else "is", act)
    if known is not None:
        return known
    if low in {"my", "our"} and act is Act.ADD:
        noun = " ".join(t.low for t in cut_aside(words[1:]) if t.text != "|")
        if noun and noun.split()[-1] in lex.KIN | lex.PETS:
            return [replace(related(case, case.speaker, noun, name), aliases={})]
    if low in lex.TRAITS or (len(words) == 1 and _NATION.fullmatch(words[0].text)):
        trait = join(parted(cut_aside(words)))
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
    body = cut_aside(case.words)
    at = next((i for i, t in enumerate(body) if i > 1 and t.low in _AT), len(body))
    trade = body[1:at]
    if case.low(0) not in {"a", "an", "the"} or not 0 < len(trade) <= _LONGEST_TRADE:
        return []
    judged = any(t.low in lex.EVALUATIVE | lex.FEELINGS for t in trade)
    if trade[-1].low not in lex.JOBS or judged:
        return []
    work, relation = ("worked at", "worked as") if past else ("works at", "works as")
    there = at < len(body) and body[at].low in {"at", "for"}
    found = case.of_object(at + 1, work, act=act) if there else []
    verb = f"{relation} {case.low(0)}" if case.low(0) != "the" else ""
    return [*found, *case.told(relation, join(trade), act=act, verb=verb)]


_AT = frozenset({"at", "for", "in", "on", "|"})
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
    body = parted(words)
    heads = {t.low if t.low in _GEAR else t.low.removesuffix("s") for t in body[-3:]}
    judged = any(t.low in lex.EVALUATIVE | lex.POSSESSIVES | {"no", "zero"} for t in body)
    if met or judged or heads.isdisjoint(lex.KIN | lex.PETS | _GEAR):
        return met
    act = Act.RETRACT if verb.negated else Act.ADD
    found = case.of_object(0, "has", act=act, change=verb.gone or fresh)
    return found + (case.of_object(0, **not_so("have", verb.gone)) if verb.negated else [])


def _named(case: Case) -> Read:
    """Read "a dog named Rex", "a new landlord, Mrs. Hill"; "a puppy, Osvaldo!" calls somebody."""
    words = case.words
    cut = next((i for i, t in enumerate(words) if i and (t.text == "," or t.low in CALLED)), 0)
    noun = " ".join(t.low for t in words[:cut] if t.low not in _COUNTS)
    last, end = (noun.split() or [""])[-1], name_end(words, cut + 1)
    calls = bool(words) and words[cut].text == "," and last in lex.PETS and end == len(words)
    if not cut or end == cut + 1 or last not in lex.KIN | lex.PETS or calls:
        return []
    name, got = surface(words[cut + 1 : end]), "has" if case.clause.verb.base == "have" else "got"
    told = f"{got} {'an' if noun[0] in 'aeiou' else 'a'} {noun} named {name}."
    new = "new " if any(t.low == "new" for t in words[:cut]) else ""
    return [
        replace(related(case, owner, new + noun, name), text=f"{owner} {told}")
        for owner in case.names
    ]


_COUNTS = lex.ARTICLES | frozenset(COUNTED) | word_set("my new")
