"""What the heads should choose for a sample: its target, found again in its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache

from mags.models.grammar import EngramBlock
from mags.models.policy.heads.choices import Fact, Question, Vocabulary, bare
from mags.models.policy.heads.layout import SPEAKER, SPECIAL, Layout
from mags.models.policy.heads.memories import Rows, places_of, remembered, subjects_of
from mags.models.policy.heads.moments import moments
from mags.ports.policy import Act, Operation, Plan, Route
from mags_lab.training.chains.dialogues import EVENTS
from mags_lab.training.chains.phrasebook import phrasebook, words
from mags_lab.training.chains.schema import Sample, Split
from mags_lab.training.chains.splits import split_material
from mags_lab.training.generate.questions import KINDS
from mags_lab.training.reward import read

OTHER = "other value known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A fact to find; `subjects`: every place that names its subject."""

    fact: Fact
    subjects: Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """The labels of one sample, of its role. `abouts`: every place of what a question hangs on;
    `remembered`: what of its words memories tell of too, as (row, column).
    """

    told: tuple[Told, ...] = ()
    question: Question | None = None
    abouts: Rows = ()
    route: Route | None = None
    remembered: Rows = ()


@cache
def taught() -> Vocabulary:
    """All relations that training may name, of the phrasebook and of conversation."""
    return _of_names({entry.name for entry in split_material(Split.TRAIN).entries} | EVENTS.keys())


def vocabulary(samples: Iterable[Sample]) -> Vocabulary:
    """The relations of phrasebook and conversation that samples name, and what is said of them."""
    seen: set[str] = set()
    for sample in samples:
        reading = read(sample, sample.target)
        if isinstance(reading, EngramBlock):
            seen.update(o.relation for o in reading.operations if o.act is not Act.NOTE)
        elif isinstance(reading, Plan):
            seen.update(bare(hop.relation) for hop in reading.hops)
    return _of_names(seen)


def _of_names(seen: Set[str]) -> Vocabulary:
    book = {entry.name: entry for entry in phrasebook() if entry.name in seen}
    answers = {name: KINDS.get(entry.object, "thing") for name, entry in book.items()}
    answers |= {"^" + name: KINDS.get(entry.subject, "thing") for name, entry in book.items()}
    events = seen & EVENTS.keys() - book.keys()
    answers |= {name: EVENTS[name] for name in events} | {"^" + name: "person" for name in events}
    return Vocabulary(
        relations=tuple(sorted({*book, *events})),
        one=frozenset(entry.name for entry in book.values() if entry.one),
        answers=answers,
        kinds=tuple(words()["kind"]),
    )


def gold(sample: Sample, layout: Layout, known: Vocabulary) -> Gold | None:
    """The labels of a sample; None where its target is not in its words."""
    reading = read(sample, sample.target)
    if isinstance(reading, Route):
        return Gold(route=reading)
    if isinstance(reading, Plan):
        return _question(sample, layout, reading, known)
    if not isinstance(reading, EngramBlock):
        return None
    told = [_told(sample, layout, one, known) for one in reading.operations]
    found = tuple(one for one in told if one is not None)
    if len(found) < len(told):
        return None
    return Gold(
        told=tuple(sorted(found, key=lambda one: one.fact.first)),
        remembered=remembered(layout, sample.recalled, known),
    )


def _told(sample: Sample, layout: Layout, made: Operation, known: Vocabulary) -> Told | None:
    note = made.act is Act.NOTE
    places = places_of(layout, made.text if note else made.object, turn=True)
    subjects = () if note else subjects_of(layout, made.subject)
    strange = not note and (made.relation not in known.relations or not subjects)
    if not places or strange:
        return None
    moment = 0
    if made.valid_from is not None:
        moment = _moment(sample, layout, made.valid_from, None)
        if not moment:
            return None
    fact = Fact(
        act=Act.ADD if OTHER in sample.tags else made.act,
        first=places[0][0],
        last=places[0][1],
        relation=made.relation,
        subject=subjects[0] if subjects else (SPEAKER, SPEAKER),
        moment=moment,
    )
    return Told(fact=fact, subjects=subjects)


def _question(sample: Sample, layout: Layout, plan: Plan, known: Vocabulary) -> Gold | None:
    about = plan.hops[0].subject if plan.hops else next(iter(plan.entities), "")
    abouts = subjects_of(layout, about)
    relations = tuple(bare(hop.relation) for hop in plan.hops)
    if not abouts or len(relations) > 3 or any(name not in known.relations for name in relations):
        return None
    moment = 0
    if plan.since is not None or plan.until is not None:
        moment = _moment(sample, layout, plan.since, plan.until)
        if not moment:
            return None
    question = Question(
        relations=relations,
        about=abouts[0],
        inverse=bool(plan.hops) and plan.hops[0].inverse,
        past=plan.past,
        whether=plan.answer_kind == "yesno",
        moment=moment,
    )
    return Gold(question=question, abouts=abouts)


def _moment(sample: Sample, layout: Layout, since: float | None, until: float | None) -> int:
    """The row where the date begins that means just that, or 0. `until` None: any end."""
    for one in moments(sample.turn.text, sample.turn.at):
        if one.since == since and until in (None, one.until):
            starts: Sequence[int] = [
                row
                for row, word in enumerate(layout.words, SPECIAL)
                if word.turn and one.start <= word.start - layout.offset < one.end
            ]
            # The last word names it, where a lead ("back in") might be another date's.
            return starts[-1] if starts else 0
    return 0
