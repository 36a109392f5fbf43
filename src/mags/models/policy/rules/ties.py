"""Statements that join two things in words nobody listed: "the Orn clan is greeted with a hop".

What the clause reader leaves unread is read here as a tie: the two things that are named, and the
words around them as the relation. Where one thing is named, what is said of it is the object. Read
are plain statements only, about something that has an unfamiliar word in its name: not talk
("I", "we"), questions and lists.

A statement that tells of a change ("no longer", "now") and names a third thing says what is over.
A turn that reports what came of an act (`OUTCOME`) says whether those it names go together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules.changing import (
    LANDS,
    changed,
    does_now,
    is_ended,
    is_list,
    narrowed,
    parted,
)
from mags.models.policy.rules.deeds import shown
from mags.models.policy.rules.following import goes_on
from mags.models.policy.rules.lasting import coming, lasting
from mags.models.policy.rules.lexicon import PREPOSITIONS
from mags.models.policy.rules.marks import is_change
from mags.models.policy.rules.referents import BEFORE_NAMES, Referent
from mags.models.policy.rules.saying import EMPTY, MOST, is_placed, relation_of, said_of, tie
from mags.models.policy.rules.stretches import Stretch, is_talk, stretches
from mags.models.policy.rules.unfamiliar import is_unfamiliar
from mags.models.policy.rules.values import WHEN
from mags.ports.policy import OUTCOME, Act, Operation, Turn
from mags.ports.relations import canonical

_TWO = 2
_IT = frozenset({"it", "he", "she", "they"})
_HEARD = ("was told", "am told")
_KEPT = frozenset({"rule", "how-to"})
"""Notes that stay beside a tie: it has not their force."""


_WISHED = frozenset({"could", "would", "might"})
_SUPPOSED = frozenset({"if", "wish", "wishes", "wished", "unless", "whether"})
_ALL_OR_NONE = frozenset(
    {"no", "not", "nobody", "none", "never", "nothing", "without", "only", "anyone", "anything"}
)
"""With these "could" tells how it is: "nobody could pass without tin", "anyone could tell"."""


def tied(turn: Turn, *, least: int = 1) -> tuple[Operation, ...]:
    """Return what a turn says of the things it names; () where it is no plain statement.

    `least`: things that a stretch must name, where it tells not what is so in a place.
    """
    every = list(stretches(turn.text))
    clauses = [c for c in every if c.about and not is_talk(c)]
    about = [r for c in clauses for r in c.about]
    if not _is_told(about):
        return ()
    if OUTCOME in turn.attrs:
        return shown(clauses, turn)
    clauses = [c for c in clauses if not _is_wished(c)]
    if all(_is_full_name(r) for r in about if r.is_new):
        return ()
    full = [c for c in clauses if len(c.about) > 1]
    if not full and len(clauses) > 1:
        return _joined(clauses, turn)
    told = [c for c in full or clauses if len(c.about) >= least or is_placed(c)]
    found = [op for c in told for op in _read(c, turn)]
    found += goes_on(clauses, turn) if full else ()
    news = any(is_change(c.tokens) for c in every if not c.about)  # "Things have changed: ..."
    return tuple(replace(op, change=op.change or news) for op in found)


def preferred(
    turn: Turn, read: Sequence[Operation], people: frozenset[str] = frozenset()
) -> Sequence[Operation]:
    """Return what was read of a turn, or what is tied in it where that tells more.

    What the clause reader says in words of the relation table stands; what it says in words of
    its own gives way, so that a thing goes by one name whichever verb it is told with. What is
    told of `people` stands too, however unusual their names are.
    """
    stands = any(_is_plain(op) or _is_own(op, turn) or _is_of(op, people) for op in read)
    if OUTCOME not in turn.attrs and stands:
        more = () if any(_is_own(op, turn) for op in read) else tied(turn, least=2)
        return more if _tells_more(more, read) else _bounded(read, turn)
    notes = [op for op in read if op.qualifiers.get("kind") in _KEPT]
    ties = tied(turn, least=2 if notes else 1)
    if read and ties and all(_is_had(op, turn) for op in ties):
        return read  # "Joost's flight is at six": of the flight, not of Joost
    return (*notes, *ties) or read


def _tells_more(more: Sequence[Operation], read: Sequence[Operation]) -> bool:
    """Say whether two unfamiliar things are tied of which what was read names one at most."""
    if any(_is_titled(name) for op in read for name in (op.subject, op.object)):
        return False  # a person's full name
    if _is_swap(more):
        return not _is_swap(read)
    told = {name.casefold() for op in read for name in (op.subject, op.object)}
    return any(
        all(any(map(is_unfamiliar, name.casefold().split())) for name in (op.subject, op.object))
        and not all(
            any(_is_in(name.casefold(), one) for one in told) for name in (op.subject, op.object)
        )
        for op in more
    )


def _is_in(name: str, told: str) -> bool:
    """Say whether a name was told as the thing it is; in "a word in the Orn clan" it was not."""
    before, found, _ = f" {told} ".partition(f" {name} ")
    words = before.split()
    within = len(words) > 1 and (words[-1] in PREPOSITIONS or words[-2] in PREPOSITIONS)
    return (bool(found) and not within) or (bool(told) and told in name)


def _is_had(op: Operation, turn: Turn) -> bool:
    """Say whether it is told of what somebody has: "Joost's flight is ..."."""
    if op.relation == "'s":
        return True
    apart = turn.text.replace("\u2019", "'").casefold()
    return f"{op.subject}'s {op.relation}".casefold() in apart


def _is_swap(said: Sequence[Operation]) -> bool:
    """Say whether it is told what was and what is now."""
    acts = {op.act for op in said if op.exact}
    return acts >= {Act.ADD, Act.RETRACT}


def _is_titled(name: str) -> bool:
    words = name.split()
    return len(words) > 1 and name.istitle() and words[0].lower() not in BEFORE_NAMES


def _bounded(read: Sequence[Operation], turn: Turn) -> Sequence[Operation]:
    """Give what is said "for the next ten days", "until the moon of Tra rises" its end."""
    end, held = lasting(turn.text, turn.at)
    end = end if held else coming(turn.text, turn.at)
    if end is None:
        return read
    return [
        replace(op, valid_to=end, qualifiers={**op.qualifiers, **held})
        if op.act is not Act.RETRACT and op.valid_to is None
        else op
        for op in read
    ]


def _is_own(op: Operation, turn: Turn) -> bool:
    """Say whether speakers tell of themselves, in whatever words; not who told them."""
    own = op.subject == turn.speaker and op.act is not Act.NOTE and op.relation != "plans to"
    return own and not op.relation.startswith(_HEARD)


def _is_of(op: Operation, people: frozenset[str]) -> bool:
    """Say whether an operation is of one of them or of what they have."""
    return op.act is not Act.NOTE and op.subject.partition("'s ")[0] in people


def _is_plain(op: Operation) -> bool:
    """Say whether an operation is in words of the table, about what goes by that name always."""
    if op.act is Act.NOTE or op.relation == "plans to":
        return False
    owner, _, noun = op.subject.partition("'s ")
    shared = bool(noun) and is_unfamiliar(owner.lower()) and op.relation != WHEN
    return canonical(op.relation) is not None and not shared


def _is_full_name(referent: Referent) -> bool:
    """Say whether it is called by a first and a last name, as a person is: "Rylan Gallaher".

    Of people the clause reader tells more, and their sentences are compared with one another.
    """
    words = referent.text.split()
    led = referent.end - referent.start > len(words)  # "the Vrull Festival"
    while words and words[0].lower() in BEFORE_NAMES:
        words = words[1:]  # "Professor Rylan Gallaher"
    if len(words) < _TWO or not referent.is_name or words[-1].lower() in LANDS:
        return False
    return not (led and len(words) == _TWO) and all(w[:1].isupper() for w in words)


def _is_told(about: Sequence[Referent]) -> bool:
    """Say whether what is named is worth telling of: a name that nobody knows, or two terms."""
    kind = any(r.is_name and " " in r.text and r.text.split()[-1].islower() for r in about)
    named = any(r.is_new and (r.is_name or kind) for r in about)  # "the Moanner tribe"
    return named or len({r.core.lower() for r in about if r.is_new}) > 1


def _read(clause: Stretch, turn: Turn) -> tuple[Operation, ...]:
    clause = narrowed(clause)
    about = clause.about
    change = is_change(clause.tokens)
    if len(about) == 1:
        said = said_of(clause, about[0])
        if said is None:
            return ()
        return (replace(tie(turn, clause, about[0].text, *said), change=change),)
    if len(about) == 2:
        first, second = about
        if is_list(clause.tokens, first, second):
            return ()
        if does_now(clause.tokens, first, second):
            told = tie(turn, clause, second.text, relation_of(clause, first, second), first.text)
            return (replace(told, change=True),)
        if is_ended(clause.tokens, first, second):
            return (parted(first, second),)
        told = tie(turn, clause, first.text, relation_of(clause, first, second), second.text)
        return (replace(told, change=change),)
    if len(about) == 3:
        return _never_but(clause, turn) or changed(clause, turn)
    return ()


def _never_but(clause: Stretch, turn: Turn) -> tuple[Operation, ...]:
    """Read "has never climbed Zoaro, but has climbed Vrull": two ties, and that none was before."""
    subject, denied, told = clause.about
    lows = [t.low for t in clause.tokens]
    if (
        "never" not in lows[subject.end : denied.start]
        or "but" not in lows[denied.end : told.start]
    ):
        return ()
    cut = lows.index("but", denied.end)
    words = [w for w in lows[cut + 1 : told.start] if w not in EMPTY | _IT and w.isalnum()]
    return (
        parted(subject, denied),
        tie(turn, clause, subject.text, relation_of(clause, subject, denied), denied.text),
        tie(turn, clause, subject.text, " ".join(words[:MOST]) or "is tied to", told.text),
    )


def _is_wished(clause: Stretch) -> bool:
    """Say whether it tells what would be so, not what is: "if only Tolvin could see this".

    "Nobody would come to the feast of Zoaro without terto ink" tells what is.
    """
    lows = {t.low for t in clause.tokens}
    if _WISHED.isdisjoint(lows):
        return False
    if not _SUPPOSED.isdisjoint(lows):
        return True
    told = "would" in lows and len(clause.about) > 1
    return not told and _ALL_OR_NONE.isdisjoint(lows)


def _joined(clauses: Sequence[Stretch], turn: Turn) -> tuple[Operation, ...]:
    """Read "Zoaro makes an exception: the only gift is terto ink": one thing in each part."""
    first, second = clauses[0], clauses[1]
    a, b = first.about[0], second.about[0]
    if len(clauses) > 2 or a.core == b.core:
        return ()
    words = [t.low for t in (*second.tokens[: b.start], *second.tokens[b.end :])]
    kept = [w for w in words if w not in EMPTY and w.isalnum()]
    told = tie(turn, second, a.text, " ".join(kept[:MOST]) or "is tied to", b.text)
    return (replace(told, change=is_change(first.tokens) or is_change(second.tokens)),)
