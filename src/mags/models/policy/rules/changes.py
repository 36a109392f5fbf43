"""Plain changes, ends and corrections: moved, quit, sold, married, died, "sorry, Tuesday"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mags.models.policy.rules.claims import WHEN, slot_of
from mags.models.policy.rules.clauses import OWNED, PLURAL, THING
from mags.models.policy.rules.lexicon import JOBS, PETS, POSSESSIVES
from mags.models.policy.rules.phrases import cut_aside, is_name, living, object_of
from mags.models.policy.rules.statements import Case, having, not_so, related, slot
from mags.models.policy.rules.tokens import Token, join, name_end, surface, tokenise
from mags.models.policy.rules.when import COUNTED, EACH_DAY, is_when, times
from mags.ports.english import lemma, word_set
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation, canonical, read

_JOB = r"(?: (?:my|his|her|the) job)?"
_ENDS: tuple[tuple[str, str, str], ...] = (
    (r"(?:break|split) up with", "is dating", ""),
    (r"get rid of|sell(?= (?:my|our|his|her|their|the) )", "has | drives", ""),
    (rf"quit{_JOB} at", "works at", "quit the job at"),
    (rf"leave{_JOB} at", "works at", "left the job at"),
    (rf"lose{_JOB} at", "works at", "lost the job at"),
    (r"(?:retire|resign) from", "works at", "quit the job at"),
    (r"quit(?= (?:my|our|his|her|the) (?!job))|quit(?= [A-Z])", "works at", "quit working at"),
)
"""What a verb ends of its object: what is said, the relations, and how the end of a job is told.

Who has sold the car drives it no more.
"""
_GAINS: tuple[tuple[str, str, str], ...] = (
    (r"be promoted to", "works as", "was promoted to"),
    (r"get promoted to", "works as", "got promoted to"),
    (r"start (?:seeing|dating)", "is dating", "started seeing"),
    (rf"become an?(?= (?:\S+ )?(?:{'|'.join(sorted(JOBS))})\.?$)", "works as", "became a"),
)
_JOBLESS = re.compile(
    r"quit|resign|(?:quit|leave|lose) (?:my|his|her|the) job|(?:be|get) (?:laid off|fired|sacked)"
)
_GROUPS = re.compile(r"quit (?:the|my) .*\b(?:band|team|club|choir|gym|group|party|course|class)")


def changed(case: Case) -> list[Operation] | None:
    """Read a clause that tells of a change or an end; None where it tells of none."""
    verb = case.clause.verb
    special = _SPECIAL.get(verb.base)
    found = special(case) if special else None
    return found if found is not None or not case.happened else _ended(case)


def _ended(case: Case) -> list[Operation] | None:
    """Read "quit the aquarium", "sold my car", "was laid off in January", "was promoted to"."""
    verb = case.clause.verb
    phrase = f"be {verb.form}" if verb.passive else verb.base
    phrase = " ".join([phrase, *(t.text if t.is_capital else t.low for t in case.words)])
    over: dict[str, Any] = {"act": Act.RETRACT, "change": True}
    if _JOBLESS.fullmatch(phrase):
        told = {"leave": "left", "quit": "quit"}.get(verb.base, "lost")
        return case.told("works at", "", text=f"{told} the job{_when(case)}", **over)
    if phrase in {"break up", "split up"}:
        return case.told("is dating", "", text=f"split up{_when(case)}", **over)
    if _GROUPS.fullmatch(phrase):
        return case.of_object(0, "is a member of", **over)
    stopped = re.match(r"(?:stop|quit|give up) (?P<doing>\w+ing) (?=\w)", phrase)
    if stopped:
        return _undone(case, lemma(stopped["doing"]), len(stopped[0].split()) - 1)
    for rows in (_GAINS, _ENDS):
        for pattern, relation, told in rows:
            row = re.match(rf"(?:{pattern})(?= )", phrase)
            start = len(row[0].split()) - 1 - verb.passive if row else 0
            if row and rows is _GAINS:
                return case.of_object(start, relation, change=True, verb=told)
            if row:
                each = (case.of_object(start, one, **over) for one in relation.split(" | "))
                return _left(case, [op for some in each for op in some], start, told)
    return None


def _when(case: Case) -> str:
    return f" {case.manner.time.text}" if case.manner.time else ""


def _left(case: Case, closed: list[Operation], start: int, told: str) -> list[Operation]:
    """Keep that a job was held that is over.

    "The aquarium" may be known by a longer name, so whatever work there is now is over.
    """
    if not told:
        return closed
    loose = [op if op.object_is_name or op.valid_to else replace(op, object="") for op in closed]
    held = case.of_object(start, "worked at", verb=told)
    return [*loose, *(replace(op, valid_from=None) for op in held)]


def _undone(case: Case, base: str, start: int) -> list[Operation]:
    """Read "(stopped) drinking coffee" by what the verb in -ing says."""
    reading = read(base)
    if reading is None or reading.relation.noun:
        return []
    found = case.of_object(start, reading.relation, change=True, act=Act.RETRACT)
    return found + (
        case.of_object(start, **not_so(base, gone=True)) if not case.manner.times else []
    )


def _started(case: Case) -> list[Operation] | None:
    """Read "started at Acme", "starts at Acme on 1 July"; a school is no job."""
    at = case.low(0) in {"at", "with"} and name_end(case.words, 1) == len(case.words)
    school = re.search(r"School|University|College|Academy|Institute|Nursery", join(case.words))
    ahead = case.manner.time is not None and case.manner.time.since > case.scene.at
    if not at or school or not (ahead or case.happened):
        return None
    verb = "starts a job at" if ahead else "started a job at"
    return case.of_object(1, "works at", change=True, verb=verb)


def _got(case: Case) -> list[Operation] | None:
    """Read "got married (to Bob)", "got engaged"; "got a dog"."""
    first = case.low(0)
    link = {"married": "to", "engaged": "to", "divorced": "from"}.get(first)
    if link is None:
        other = {"rid", "laid", "fired", "sacked", "promoted"}
        job = any(t.low in {"job", "position"} for t in case.words[:4])
        return None if job or first in other else having(case)
    if not case.happened:
        return []
    relation = f"is {first} {link}"
    how: dict[str, Any] = {"verb": f"got {first} {link}", "change": True}
    if len(case.names) == 2:
        one = replace(case, names=case.names[:1])
        return one.told(relation, case.names[1], object_is_name=True, **how)
    if case.low(1) == link:
        return case.of_object(2, relation, **how)
    return case.told("is", first, change=True, verb="got")


def _moved(case: Case) -> list[Operation] | None:
    """Read "was moved to Friday"; "moved from Bonn to Rome", but "to Rome" alone is the table's."""
    to = next((i for i, t in enumerate(case.words) if t.low == "to"), 0)
    if case.low(0) == "from" and to and case.happened:
        return case.of_object(to + 1, "lives in", change=True, verb="moved to")
    thing = case.clause.verb.passive or case.clause.subject.kind == THING
    return _valued(case) if thing or case.low(0) in POSSESSIVES | {"the"} else None


def _died(case: Case) -> list[Operation] | None:
    """Read "died in Oslo", "passed away last month"."""
    away = int(case.clause.verb.base == "pass")
    if away and case.low(0) != "away":
        return None
    if not case.happened or case.clause.subject.kind == THING or case.names[0].startswith("The "):
        return []
    if case.low(away) in {"in", "of", "from", "at"} and len(case.words) > away + 1:
        relation = "died of" if case.low(away) in {"of", "from"} else "died in"
        told = case.of_object(away + 1, relation)
        if told and (relation == "died of" or told[0].object_is_name):
            return told
    day = re.sub(r"^ (?:on|in) ", "", _when(case))
    said = ("died on", day) if day else ("is", "dead")
    told = case.told(*said, text=f"died{_when(case)}", change=True)
    return [*told, *(op for name in case.names for op in _no_longer_kept(case, name))]


def _no_longer_kept(case: Case, name: str) -> list[Operation]:
    """Return that nobody has a pet any more that died: a pet is had while it lives."""
    over: dict[str, Any] = {"act": Act.RETRACT, "object_is_name": True, "change": True}
    found: list[Operation] = []
    for whose, known in case.scene.named.items():
        owner, _, noun = whose.rpartition(" ")
        if known == name and noun in PETS:
            kept_by = re.sub(r"'s?$", "", owner)
            mine = kept_by == case.scene.speaker.lower()
            holder = replace(case, names=(case.scene.speaker if mine else kept_by,))
            found += holder.told(canonical(noun) or noun, name, **over)
    return found


def _born(case: Case) -> list[Operation] | None:
    """Read "was born in Oslo on 4 July 1990"."""
    if not case.clause.verb.passive or case.clause.verb.negated:
        return None
    time, still = case.manner.time, replace(case, manner=replace(case.manner, times=()))
    words = tuple(t for t in case.words if t.text != "|")
    found = []
    if time and time.precision in {"day", "year", "month"}:
        day = re.sub(r"^(?:on|in) ", "", time.text)
        found = still.told("was born on", day, text=f"was born {time.text}")
    if words and words[0].low in {"in", "at"}:
        found += replace(still, rest=replace(case.rest, tokens=words)).of_object(1, "was born in")
    return found


def _called(case: Case) -> list[Operation]:
    """Read "my dog is called Rex"."""
    subject, words, end = case.clause.subject, case.words, name_end(case.words, 0)
    owner = case.scene.owner(subject.owner) if subject.owner and not subject.names else None
    if not end or case.clause.verb.negated or not case.clause.verb.passive:
        return []
    if owner and subject.person == PLURAL and living(subject.head):
        return slot(case) or []  # "my cats are called Tom and Kit" are they
    if owner and subject.noun:
        return [related(case, owner, subject.noun, surface(words[:end]), "is called")]
    if subject.kind == THING and subject.word == "the" and is_name([t for t in words if t.is_word]):
        past, many = case.clause.verb.tense == "past", subject.person == PLURAL
        how = ("were" if many else "was") if past else ("are" if many else "is")
        return case.told("is called", join(words), text=f"{how} called {join(words)}")
    return []


def _belonging(case: Case) -> list[Operation] | None:
    """Read "the blue van belongs to Priscilla": whose a thing is."""
    verb, subject = case.clause.verb, case.clause.subject
    thing = subject.kind == THING and subject.word == "the" and not living(subject.head)
    if not thing or verb.negated or verb.tense != "present" or case.low(0) != "to":
        return None
    whose = object_of(cut_aside(case.words[1:]), case.scene, case.scene.speaker)
    if whose is None or not (whose.is_name or "'s " in whose.text):
        return []
    return replace(case, names=(whose.text,)).told("owns", subject.noun, told=f"the {subject.noun}")


def _turned(case: Case) -> list[Operation]:
    """Read "turned 30 (yesterday)", "turned four"."""
    years = str(COUNTED.get(case.low(0), case.low(0)))
    if not case.happened or len(case.words) != 1 or not years.isdigit():
        return []
    return case.told("age", years, text=f"turned {years}{_when(case)}", change=True)


# -- values ------------------------------------------------------------------------------


def _valued(case: Case) -> list[Operation] | None:
    """Read "raised my rent to 900", "the rent went up to 900", "was moved to Friday".

    What has a value is a slot of somebody ("my rent") or a thing ("the meeting"). What it changes
    to is a day, or what is told by a name or a number; the value before it is over.
    """
    verb, words, subject = case.clause.verb, case.words, case.clause.subject
    said, mine = case.clause.rest, case.low(0) in POSSESSIVES
    at = next((i for i, t in enumerate(words) if t.low in _TO), len(words))
    to = max((i for i, t in enumerate(said) if t.low in _TO), default=-1)
    if verb.negated or verb.tense in {"future", "modal"} or to < 0:
        return None
    owner, noun = case.scene.owner(subject.owner) if subject.owner else "", subject.noun
    if mine or case.low(0) == "the":
        owner = case.scene.owner(case.low(0)) if mine else ""
        noun = join(words[1:at]).lower()
    elif subject.kind not in {OWNED, THING} or subject.names:
        return None
    if not noun or "," in noun or owner is None or living(noun.split()[-1]):
        return None
    value, holder, relation = day_of(said[to + 1 :], case.scene.at), noun, Relation(name=WHEN)
    text = f"is on {value}" if value else ""
    if value and owner:
        holder = f"{owner}'s {noun}"
    elif not value and verb.base == "move":
        return None
    elif not value:
        thing = object_of(cut_aside(words[at + 1 :]), case.scene, owner)
        told = r"\d" if verb.base == "go" else r"\d|^[A-Z]"  # what goes to Ana is not Ana
        value = thing.text if thing and re.search(told, thing.text) else ""
        known = slot_of(noun) if owner else canonical("is")
        relation, holder = known or Relation(name=noun, noun=True, known=False), owner or noun
    anew = replace(case, names=(holder,), manner=replace(case.manner, times=()))
    how: dict[str, Any] = {"act": Act.UPDATE, "change": True, "stated": False}
    return anew.told(relation, value, text=text, **how) if value else None


_TO = frozenset({"to", "until", "till"})
_WEEKLY = re.compile(rf"(?:on )?(?P<days>{EACH_DAY})(?: at \S+(?: \S+)?)?", re.IGNORECASE)


def day_of(words: Sequence[Token], at: float) -> str:
    """The day that words tell, absolute, with its hour as said ("10 May 2024 at 3 pm"), or ""."""
    text = join(words).strip(" .!")
    if _WEEKLY.fullmatch(text):
        return text.removeprefix("on ")
    for by in ("on", "in"):
        found = times(f"{by} {text}", at, future=True)
        if found and found[0].start == 0 and found[0].role == "at":
            rest = tokenise(f"{by} {text}"[found[0].end :])
            hour = join([t for t in rest if t.text not in ".!|,"])
            day = re.sub(r"^(?:on|in) ", "", found[0].text)
            return f"{day} {hour}".strip() if is_when(hour) else ""
    return ""


_SPECIAL: Mapping[str, Callable[[Case], list[Operation] | None]] = {
    **dict.fromkeys(
        word_set("raise increase lower reduce cut change push postpone bring bump reschedule"
                 " update reset extend rise drop fall go"), _valued),
    **dict.fromkeys(("start", "begin"), _started),
    **dict.fromkeys(("die", "pass"), _died),
    **dict.fromkeys(("call", "name"), _called),
    "belong": _belonging,
    **dict.fromkeys(("adopt", "rescue", "have"), having),
    "turn": _turned, "get": _got, "move": _moved, "bear": _born,
}  # fmt: skip
"""The verbs that are read by rules of their own, each with its reading."""
