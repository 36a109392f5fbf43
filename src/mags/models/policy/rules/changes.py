"""Verbs that tell of a change: start, stop, leave, turn, die, call, switch, break, become."""

from __future__ import annotations

from dataclasses import replace

from mags.models.policy.rules.case import Case, object_claims, when_of
from mags.models.policy.rules.claims import Said, claim
from mags.models.policy.rules.clause import OWNED, THING
from mags.models.policy.rules.habits import given_up, stopped, taken_up
from mags.models.policy.rules.lexicon import JOBS, TRAITS
from mags.models.policy.rules.names import name_end, surface
from mags.models.policy.rules.possessions import lost_pets, named, new_job
from mags.models.policy.rules.spans import COUNTED
from mags.models.policy.rules.values import WHEN, changing
from mags.ports.english import lemma, third_person
from mags.ports.policy import Act, Operation
from mags.ports.relations import read


def starting(case: Case) -> list[Operation] | None:
    """Read "started a new job", "started drinking coffee"."""
    if case.of_a_job:
        return new_job(case)
    first, verb = case.low(0), case.clause.verb
    if verb.tense not in {"past", "perfect", "present"} or verb.negated:
        return []
    if first in {"dating", "seeing"}:
        return object_claims(case, 1, relation="is dating", change=True, verb=f"started {first}")
    if first == "working":
        return None
    habit = taken_up(case)
    if habit is not None:
        return habit
    if first.endswith("ing") and len(case.words) > 1 and first != "something":
        return _gerund(case, start=1, change=True)
    named = name_end(case.words, 0) == len(case.words) > 0
    if (named or first in {"a", "an", "my", "our", "his", "her", "the"}) and verb.tense == "past":
        return object_claims(case, 0, relation="started")
    return []


def _gerund(case: Case, *, start: int, change: bool, act: Act = Act.ADD) -> list[Operation] | None:
    """Read "(started | stopped) drinking coffee" by what the verb in -ing says."""
    base = lemma(case.low(start - 1))
    words = case.words
    for k in range(min(3, len(words) - start), -1, -1):
        phrase = " ".join([base, *(t.low for t in words[start : start + k])])
        reading = read(phrase)
        if reading and not reading.relation.noun and len(words) > start + k:
            relation = reading.relation.name
            found = object_claims(case, start + k, relation=relation, change=change, act=act)
            lasting = act is Act.RETRACT and k == 0 and found
            return [*found, *_not_now(case, start, base)] if lasting and found else found
    if act is Act.RETRACT:
        over = object_claims(case, start, relation=third_person(base), change=change, act=act)
        return [*over, *_not_now(case, start, base)] if over else over
    return object_claims(case, 0, relation="started", change=False)


def _not_now(case: Case, start: int, base: str) -> list[Operation]:
    """Keep what is no longer done: who stopped eating meat is asked about it later."""
    told = f"no longer {third_person(base)}"
    return object_claims(case, start, relation=f"does not {base}", verb=told) or []


def stopping(case: Case) -> list[Operation] | None:
    """Read "stopped drinking coffee", "gave up smoking"."""
    first, verb = case.low(0), case.clause.verb
    if not case.happened or not case.words:
        return []
    if verb.base == "give":
        if first != "up" or len(case.words) < 2:
            return []
        if case.low(1).endswith("ing") and len(case.words) > 2:
            return _gerund(case, start=2, change=True, act=Act.RETRACT)
        return stopped_up(case)
    if first.endswith("ing") and len(case.words) > 1:
        return _gerund(case, start=1, change=True, act=Act.RETRACT)
    return stopped(case, 0, relation="stopped") or []


def stopped_up(case: Case) -> list[Operation] | None:
    """Read "gave up smoking", "gave up sugar"."""
    return stopped(case, 1, relation="gave up") or given_up(case, 1, relation="gave up")


def leaving(case: Case) -> list[Operation] | None:
    """Read "quit my job (at Acme)", "left Acme"."""
    verb = case.clause.verb
    if not case.happened or not case.words:
        return []
    lows = [t.low for t in case.words]
    if case.of_a_job:
        at = next((i for i, word in enumerate(lows) if word in {"at", "with"}), 0)
        if at:
            lost = {"leave": "left the job at", "lose": "lost the job at"}
            return _over(case, at + 1, lost.get(verb.base, "quit the job at"))
        verb_ = {"leave": "left", "quit": "quit", "lose": "lost"}.get(verb.base, verb.base)
        return _jobless(case, verb_)
    if verb.base == "quit" and lows[0].endswith("ing"):
        if len(lows) > 1:
            return _gerund(case, start=1, change=True, act=Act.RETRACT)
        return stopped(case, 0, relation="quit") or object_claims(case, 0, relation="quit")
    if verb.base == "lose":
        return (
            object_claims(case, 0, relation="lost")
            if lows[0] in {"my", "our", "his", "her", "their"}
            else []
        )
    if verb.base == "leave":
        return _left(case)
    return _quit(case) if verb.base == "quit" else []


def _quit(case: Case) -> list[Operation] | None:
    """Read "quit Acme", "quit the band", "quit sugar"."""
    lows = [t.low for t in case.words]
    if name_end(case.words, 0) == len(case.words):
        held = object_claims(case, 0, relation="works at", act=Act.RETRACT, change=True) or []
        return [*held, *(object_claims(case, 0, relation="quit") or ())]
    if lows[0] in {"the", "my", "our", "his", "her", "their"}:
        return _over(case, 0, "quit working at") if lows[-1] not in _GROUPS else _out(case)
    return object_claims(case, 0, relation="quit")


def _jobless(case: Case, verb: str) -> list[Operation]:
    """Take back whatever job there is: "I lost my job"."""
    return case.each(
        lambda s: Said(
            subject=s,
            relation="works at",
            object="",
            act=Act.RETRACT,
            change=True,
            text=f"{s} {verb} the job{when_of(case)}.",
        )
    )


def _left(case: Case) -> list[Operation] | None:
    """Read "left Acme": a job where one is known there, else only that a place was left."""
    if name_end(case.words, 0) != len(case.words):
        return []
    place = surface(case.words)
    jobs = {f"{name} works at {place}" for name in case.names}
    if any(text.startswith(job) for text in case.scene.known for job in jobs):
        return _over(case, 0, "left the job at")
    # Whatever was held there is over; where nothing was, this closes nothing.
    held = [
        op
        for relation in ("works at", "is a member of")
        for op in object_claims(case, 0, relation=relation, act=Act.RETRACT, change=True) or ()
    ]
    return [*held, *(object_claims(case, 0, relation="left") or ())]


_GROUPS = frozenset({"band", "team", "club", "choir", "gym", "group", "party", "course", "class"})


def _out(case: Case) -> list[Operation] | None:
    return object_claims(case, 0, relation="is a member of", act=Act.RETRACT, change=True)


def _over(case: Case, start: int, verb: str) -> list[Operation] | None:
    """Take back a job, and keep that it was held: "I quit the aquarium".

    "The aquarium" may be known by a longer name, so whatever work there is now is over.
    """
    closed = object_claims(case, start, relation="works at", act=Act.RETRACT, change=True)
    held = object_claims(case, start, relation="worked at", verb=verb)
    if not closed or not held:
        return closed
    loose = [
        op if op.object_is_name or op.valid_to is not None else replace(op, object="")
        for op in closed
    ]
    return [*loose, *(replace(op, valid_from=None) for op in held)]


def finding(case: Case) -> list[Operation] | None:
    """Read "found a new job at Acme"; what else is found is no lasting fact."""
    verb = case.clause.verb
    if verb.passive or verb.tense not in {"past", "perfect"}:
        return None
    if case.of_a_job:
        return new_job(case) or []
    return [] if verb.form == "found" and case.low(0) in {"a", "an", "my", "the", "out"} else None


def moving(case: Case) -> list[Operation] | None:
    """Read "moved from Hamburg to Turin" and "moved to Turin from Hamburg": both homes."""
    lows = [t.low for t in case.words]
    put = case.low(0) in {"my", "our", "his", "her", "their", "the"}
    if put or case.clause.verb.passive or case.clause.subject.kind in {THING, OWNED}:
        shifted = changing(case)
        if shifted:
            return shifted
    if "from" not in lows or "to" not in lows:
        return None
    if not case.happened or lows[0] not in {"from", "to"}:
        return None
    second = max(lows.index("from"), lows.index("to"))
    parts = {lows[0]: case.words[1:second], lows[second]: case.words[second + 1 :]}
    homes = []
    for word, relation, told in (("to", "lives in", "moved to"), ("from", "lived in", "")):
        inner = replace(case, rest=replace(case.rest, tokens=parts[word]))
        if word == "from":
            inner = replace(inner, manner=replace(case.manner, time=None, times=()))
        found = object_claims(inner, 0, relation=relation, change=word == "to", verb=told)
        if not found or not all(op.object_is_name for op in found):
            return None
        homes += found
    return homes


def dismissed(case: Case) -> list[Operation] | None:
    """Read "was laid off in January", "got fired"."""
    verb = case.clause.verb
    off = verb.base == "fire" or case.low(0) == "off"
    if not verb.passive or verb.negated or not off:
        return None
    return _jobless(case, "lost")


def promoted(case: Case) -> list[Operation] | None:
    """Read "was promoted to team lead"."""
    if not case.clause.verb.passive or case.clause.verb.negated or case.low(0) != "to":
        return None
    return object_claims(case, 1, relation="works as", change=True, verb="was promoted to")


def going(case: Case) -> list[Operation] | None:
    """Read "went vegan (in March)"; any other going is read by its words, or as a change."""
    if case.happened and case.low(0) in TRAITS and len(case.words) == 1:
        trait = case.low(0)
        return case.each(lambda s: Said(subject=s, relation="is", object=trait, verb="went"))
    return changing(case)


def turning(case: Case) -> list[Operation] | None:
    """Read "turned 30 (yesterday)", "turned four"."""
    years = str(COUNTED.get(case.low(0), case.low(0)))
    if not years.isdigit() or case.clause.verb.tense not in {"past", "perfect"}:
        return []
    return case.each(
        lambda s: Said(
            subject=s,
            relation="age",
            object=years,
            change=True,
            text=f"{s} turned {years}{when_of(case)}.",
        )
    )


def dying(case: Case) -> list[Operation] | None:
    """Read "died in Oslo", "passed away last month"; a pet that died is had no more."""
    told = _dead(case)
    return [*lost_pets(case), *told] if told else told


def _dead(case: Case) -> list[Operation] | None:
    verb = case.clause.verb
    if not case.happened:
        return []
    if verb.base == "pass" and case.low(0) != "away":
        return None
    skip = 1 if verb.base == "pass" else 0
    if case.low(skip) in {"in", "of", "from", "at"} and len(case.words) > skip + 1:
        relation = "died of" if case.low(skip) in {"of", "from"} else "died in"
        return object_claims(case, skip + 1, relation=relation)
    if case.manner.time:
        when = case.manner.time.text.removeprefix("on ").removeprefix("in ")
        return case.each(
            lambda s: Said(
                subject=s,
                relation="died on",
                object=when,
                change=True,
                text=f"{s} died{when_of(case)}.",
            )
        )
    return case.each(
        lambda s: Said(subject=s, relation="is", object="dead", change=True, text=f"{s} died.")
    )


def bearing(case: Case) -> list[Operation] | None:
    """Read "was born in Oslo on 4 July 1990"."""
    if not case.clause.verb.passive:
        return None
    found: list[Operation] = []
    time = case.manner.time
    still = replace(case.manner, time=None, times=())
    if time and time.precision in {"day", "year", "month"}:
        when = time.text.removeprefix("on ").removeprefix("in ")
        found += [
            claim(
                case.scene,
                still,
                Said(
                    subject=s,
                    relation="was born on",
                    object=when,
                    text=f"{s} was born {time.text}.",
                ),
            )
            for s in case.names
        ]
    words = tuple(t for t in case.words if t.text != "|")
    if words and words[0].low in {"in", "at"}:
        inner = replace(case, manner=still, rest=replace(case.rest, tokens=words))
        found += object_claims(inner, 1, relation="was born in") or []
    return found


def calling(case: Case) -> list[Operation] | None:
    """Read "my dog is called Rex", "they call me Al", "we called off the engagement"."""
    verb = case.clause.verb
    if case.low(0) == "off" and case.words[-1].low == "engagement" and len(case.names) == 2:
        return case.between("is engaged to", act=Act.RETRACT)
    if not verb.passive:
        if verb.base == "call" and case.low(0) == "me" and len(case.words) == 2:
            name = case.words[1].text
            speaker = case.scene.speaker
            said = Said(subject=speaker, relation="is also called", object=name)
            told = replace(said, object_is_name=True, aliases={speaker: (name,)})
            return [claim(case.scene, case.manner, told)]
        return []
    if case.low(0) in {"after", "as", "for"}:
        return None
    subject = case.clause.subject
    end = name_end(case.words, 0) or (subject.kind == THING and len(case.words) == 1)
    if not end or verb.negated:
        return []
    name = surface(case.words[:end])
    if subject.kind == THING and len(subject.noun.split()) < 2:
        return []  # "the game": which one?
    owner = case.scene.owner(subject.owner) if subject.owner and not subject.names else None
    if owner:
        text = f"{owner}'s {subject.noun} is called {name}."
        told = replace(named(case, owner, subject.noun, name), text=text)
        return [claim(case.scene, case.manner, told)]
    one = subject.kind == THING or None
    return case.each(
        lambda s: Said(subject=s, relation="is called", object=name, object_is_name=True, one=one)
    )


def switching(case: Case) -> list[Operation] | None:
    """Read "switched from tea to coffee": what was is over; what is now so is kept as said."""
    lows = [t.low for t in case.words]
    if "to" not in lows or case.clause.verb.tense not in {"past", "perfect"}:
        return []
    moved = changing(case) if case.low(0) in {"my", "our", "the"} else None
    if moved and all(op.relation == WHEN for op in moved):
        return moved  # "switched my lessons to Tuesdays"
    return object_claims(
        case, lows.index("to") + 1, relation="switched to", change=True, verb="switched to"
    )


def breaking(case: Case) -> list[Operation] | None:
    """Read "broke up with Ana", "split up with Ana"."""
    if case.low(0) != "up":
        return [] if case.low(0) in {"down", "in"} else None
    if not case.happened:
        return []
    if case.low(1) == "with":
        return object_claims(case, 2, relation="is dating", act=Act.RETRACT, change=True)
    if len(case.names) == 2:
        return case.between("is dating", act=Act.RETRACT)
    if case.clause.subject.word == "we" and not case.words[1:]:
        return _alone(case)
    return []


def _alone(case: Case) -> list[Operation]:
    """Take back whomever somebody was with: "we split up"."""
    over = Said(subject="", relation="is dating", object="", act=Act.RETRACT, change=True)
    return case.each(lambda s: replace(over, subject=s, text=f"{s} split up{when_of(case)}."))


def becoming(case: Case) -> list[Operation] | None:
    """Read "became a nurse"."""
    if case.low(0) not in {"a", "an"} or case.clause.verb.tense not in {"past", "perfect"}:
        return []
    job = case.words[-1].low in JOBS
    verb = f"became {case.low(0)}"
    return object_claims(case, 1, relation="works as" if job else "is a", change=job, verb=verb)
