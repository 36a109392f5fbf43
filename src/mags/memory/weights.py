"""What was taught to a model's weights: which version answers, what of it still holds, what goes.

A model proposes, the memory disposes: what an adapter recites is an answer only where every line
of it was taught and holds now. Things that hold taught facts (sets, adapters, checkpoints, exports)
are listed in the memory itself, with the history of trainings and rollbacks, so that nothing
depends on entries of the journal that may be folded away.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mags import errors
from mags.graph.delta import Delta, Draft
from mags.graph.records import NodeFlag, NodeKind
from mags.index.state import State, names_of
from mags.index.tokens import words
from mags.memory import views
from mags.memory.live import Live
from mags.memory.reading import ReadOptions
from mags.memory.settings import Parts
from mags.ports.answer import Answer
from mags.ports.chat import Usage
from mags.ports.english import FIRST_PERSON
from mags.ports.pausing import span
from mags.ports.policy import Turn
from mags.ports.relations import normalise
from mags.ports.store import Mark, Store
from mags.ports.weights import (
    MISSING,
    ArtifactStore,
    Card,
    RecitedHop,
    TaughtFact,
    asks_past,
    folded,
    recital_of,
    recited,
    same_objects,
    sayable,
)
from mags.recall.found import TaughtFrom

if TYPE_CHECKING:
    from mags.memory.memory import Memory

REGISTRY = "weights"
"""The fact of a memory that lists what was made from it."""
RECITALS = "recitals"
"""The fact of a memory that counts how paths that stand were answered."""
ASKS = {"who": "person", "whom": "person", "where": "place", "when": "time"}
"""What question words ask for, as the table of relations says what those lead to."""
COUNTED = frozenset({"many", "much", "old", "tall"})
"""What asks for a number, behind "how"."""
LEADS = frozenset({*ASKS.values(), "number"})
NEVER_TAUGHT = int(NodeFlag.GUESS | NodeFlag.RETRACTED)


# -- what of it holds ----------------------------------------------------------------


def is_good(state: State, fact: TaughtFact, moment: float) -> bool:
    """Whether a taught slot holds at `moment` (event time) just as it was taught.

    Each of its facts is there in the same words, open, sure, and undisputed from either side, and
    nothing else is open in the slot.
    """
    for i, content in zip(fact.ids, fact.contents, strict=True):
        if i not in state.graph or state.kind(i) != NodeKind.FACT:
            return False
        node = state.graph.view(i)[0]
        open_ = node["valid_from"] <= moment < node["valid_to"]
        if not open_ or int(node["content"]) != content or int(node["flags"]) & NEVER_TAUGHT:
            return False
        if state.slots.outranked(i, moment) or state.slots.disputing(i, moment):
            return False
    return not _beside(state, fact.ids, moment)


def _beside(state: State, ids: Sequence[int], moment: float) -> set[int]:
    """What else is, or will be, open in the slot of some facts."""
    nodes = [state.graph.view(i)[0] for i in ids]
    slots = {(int(node["subject"]), int(node["slot"])) for node in nodes}
    found = {i for subject, slot in slots for i in state.slots.all(subject, slot)}
    return {i for i in found if state.graph.view(i)[0]["valid_to"] > moment} - set(ids)


def as_taught(state: State, ids: Sequence[int]) -> TaughtFact:
    """The facts of a slot as they are taught now, by id."""
    told = state.words(sorted(ids))
    meta = told[0].meta
    kind = dict(meta.get("qualifiers", {})).get("kind", "")
    return TaughtFact(
        ids=tuple(one.node for one in told),
        contents=tuple(one.id for one in told),
        subject=str(meta["subject"]),
        relation=f"{meta['relation']} {kind}".strip(),
        objects=tuple(str(one.meta["object"]) for one in told),
    )


def teachable(memory: Memory) -> list[TaughtFact]:
    """Every slot that is good and can be recited: what training may choose from, by id."""
    slots: dict[tuple[int, int], list[int]] = {}
    with memory._live.reading() as state:
        moment = memory._live.present()
        for i in state.graph.ids(NodeKind.FACT).tolist():
            node = state.graph.view(i)[0]
            if node["valid_to"] > moment:
                slots.setdefault((int(node["subject"]), int(node["slot"])), []).append(i)
        return [
            one
            for one in (as_taught(state, ids) for ids in slots.values())
            if is_good(state, one, moment)
            and all(sayable(name) for name in (one.subject, one.relation, *one.objects))
        ]


def stale(state: State, card: Card, moment: float) -> tuple[TaughtFact, ...]:
    """What an adapter was taught and does not hold now: it is never answered from weights."""
    return tuple(fact for fact in card.facts if not is_good(state, fact, moment))


def verified(
    state: State, card: Card, lines: Sequence[RecitedHop], question: Turn, moment: float
) -> tuple[TaughtFact, ...]:
    """The taught facts that a recitation consists of; none where it must not be an answer.

    Each line was taught and is good, each begins with what the one before ends in, the question
    names what the first is about, and asks for no other kind of thing than the last leads to.
    """
    found: list[TaughtFact] = []
    for line in lines:
        held = card.slots.get(folded(line.subject, line.relation), ())
        # Of two things of one name it is not known which is meant.
        if len(held) != 1 or not same_objects(line.objects, held[0].objects):
            return ()
        if not is_good(state, held[0], moment):
            return ()
        found.append(held[0])
    ends = [{int(state.graph.view(i)[0]["object"]) for i in fact.ids} for fact in found]
    begins = [int(state.graph.view(fact.ids[0])[0]["subject"]) for fact in found]
    joined = all(end == {begin} for end, begin in zip(ends, begins[1:], strict=False))
    fits = found and _fits(question.text, found[-1].relation)
    return tuple(found) if fits and joined and _named(state, begins[0], question) else ()


def _fits(question: str, relation: str) -> bool:
    """Whether a relation leads to what a question asks for: a person, place, time or number.

    A model that stops a hop short recites what is true and was not asked: who the sister is for
    where she lives.
    """
    said = words(question)
    asked = {ASKS[word] for word in said if word in ASKS}
    asked |= {"number" for how, many in pairwise(said) if how == "how" and many in COUNTED}
    leads = normalise(relation).answers
    return len(asked) != 1 or leads not in LEADS or leads in asked


def _named(state: State, subject: int, question: Turn) -> bool:
    """Whether a question names somebody or something, by "I" where it is who asks."""
    said = {one.removesuffix("'s") for one in words(question.text)}
    if not FIRST_PERSON.isdisjoint(said) and subject in state.names.find(question.speaker):
        return True
    whole = any(said.issuperset(words(name)) for name in names_of(state.content(subject)))
    return whole or subject in state.names.scan(question.text)


# -- which version answers -----------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A training (of a `version`) or a rollback (`to` a sequence) of a branch, at a sequence."""

    seq: int
    branch: str
    kind: Literal["train", "rollback"]
    version: str = ""
    to: int = 0


def sight(marks: Iterable[Mark], branch: str) -> dict[str, float]:
    """The branches that a branch sees: itself and its ancestors, each up to which sequence."""
    forks = {mark.name: mark for mark in marks}
    seen: dict[str, float] = {}
    upto = inf
    while branch:
        seen[branch] = upto
        upto, branch = forks[branch].seq, forks[branch].branch
    return seen


def version_at(events: Iterable[Event], seen: Mapping[str, float], seq: int) -> str:
    """The version that answers at a sequence; "" where none was trained, or all is rolled back.

    `seen`: see `sight`.
    """
    for one in sorted(events, key=lambda event: -event.seq):
        if one.seq > min(seq, seen.get(one.branch, -1)):
            continue
        if one.kind == "train":
            return one.version
        seq = one.to  # all between is taken back
    return ""


# -- what was made -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file or folder that holds taught facts.

    `facts`: the FACT nodes whose words are in it; `version`, `branch`, `seq`: what it belongs to.
    """

    kind: Literal["set", "adapter", "checkpoint", "export"]
    path: Path
    facts: tuple[int, ...]
    version: str = ""
    branch: str = "main"
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """What was made from a memory, and its trainings and rollbacks, oldest first."""

    things: tuple[Artifact, ...] = ()
    events: tuple[Event, ...] = ()

    def holding(self, gone: Collection[int]) -> list[Artifact]:
        """The things that hold one of some facts."""
        return [one for one in self.things if not set(one.facts).isdisjoint(gone)]

    def adapter(self, version: str) -> Artifact | None:
        """The adapter of a version, the newest that was registered."""
        own = (one for one in reversed(self.things) if one.kind == "adapter")
        return next((one for one in own if one.version == version), None)


def registry_of(store: Store) -> Registry:
    """What was made from a memory."""
    data = json.loads(store.facts.get(REGISTRY) or "{}")
    things = ({**one, "path": Path(one["path"])} for one in data.get("things", ()))
    return Registry(
        things=tuple(Artifact(**{**one, "facts": tuple(one["facts"])}) for one in things),
        events=tuple(Event(**one) for one in data.get("events", ())),
    )


def _keep(store: Store, registry: Registry) -> None:
    """Write it; inside `writing()`, so that it holds with what else is written there."""
    store.facts.put(REGISTRY, json.dumps(asdict(registry), default=str))


def note_rollback(live: Live, seq: int, to: int) -> None:
    """Write down a rollback that was just committed, where anything was ever trained."""
    registry = registry_of(live.store)
    if registry.events:
        event = Event(seq=seq, branch=live.store.branch, kind="rollback", to=to)
        _keep(live.store, replace(registry, events=(*registry.events, event)))


def version_in_use(store: Store, registry: Registry, seq: int) -> str:
    """The version that answers on the branch of a store, at a sequence of its journal."""
    if not registry.events:
        return ""
    return version_at(registry.events, sight(store.facts.branches(), store.branch), seq)


def in_use(store: Store, seq: int) -> Artifact | None:
    """The adapter that answers at a sequence, unless it holds what was forgotten."""
    registry = registry_of(store)
    adapter = registry.adapter(version_in_use(store, registry, seq))
    if adapter is None or set(adapter.facts).isdisjoint(store.facts.forgotten().tolist()):
        return adapter
    return None


def sweep(
    live: Live, artifacts: ArtifactStore | None, gone: Collection[int] | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Delete whatever holds a fact that was forgotten; what was deleted, and what could not be.

    `gone`: facts that would be forgotten: nothing is deleted, and what would be is told. Until it
    is deleted a thing stays listed, so that it is tried again and never used; one that somebody
    else has removed is told once.
    """
    registry = registry_of(live.store)
    if not registry.things:
        return (), ()
    erased = live.store.facts.forgotten().tolist() if gone is None else gone
    deleted, kept, done = [], [], set()
    for one in registry.holding(erased):
        why = "nothing here can delete it"
        if artifacts is not None:
            why = artifacts.delete(one.path, dry_run=gone is not None)
        deleted += [] if why else [str(one.path)]
        kept += [f"{one.path}: {why}"] if why else []
        done |= {one} if why in ("", MISSING) else set()
    if done and gone is None:
        with live.writing():
            registry = registry_of(live.store)  # others may have written it meanwhile
            left = tuple(one for one in registry.things if one not in done)
            _keep(live.store, replace(registry, things=left))
    return tuple(deleted), tuple(kept)


# -- what the laboratory calls, and what is shown -------------------------------------


def begun(memory: Memory, version: str, base: str, facts: Sequence[TaughtFact]) -> Card:
    """The card of a version that is taught some facts as the memory now stands."""
    live = memory._live
    with live.reading() as state:
        return Card(
            version=version,
            base=base,
            branch=live.store.branch,
            seq=state.seq,
            made_at=live.clock(),
            facts=tuple(facts),
        )


def register(memory: Memory, thing: Artifact) -> None:
    """List something that holds taught facts, before it is written: `forget` deletes it then.

    One of the same path is replaced. Raises InvalidInput where one of its facts was forgotten,
    ConfigurationError for an encrypted memory.
    """
    live = memory._live
    if live.store.facts.size().get("encrypted") and not memory._parts.weights.clear:
        raise errors.ConfigurationError(
            "this memory is encrypted, and what is taught would lie in the clear: set clear = true "
            "of [weights] if that may be",
            key="weights.clear",
        )
    thing = replace(thing, path=thing.path.expanduser().resolve())
    with live.writing():
        registry = registry_of(live.store)
        if not set(thing.facts).isdisjoint(live.store.facts.forgotten().tolist()):
            raise errors.InvalidInput(
                f"{thing.path} holds what was forgotten meanwhile: delete it, and make it anew",
                path=str(thing.path),
            )
        left = (one for one in registry.things if one.path != thing.path)
        _keep(live.store, replace(registry, things=(*left, thing)))


def release(memory: Memory, *paths: Path) -> None:
    """Take things that were deleted off the list."""
    live, gone = memory._live, {path.expanduser().resolve() for path in paths}
    with live.writing():
        registry = registry_of(live.store)
        left = tuple(one for one in registry.things if one.path not in gone)
        _keep(live.store, replace(registry, things=left))


def things(memory: Memory) -> tuple[Artifact, ...]:
    """What was made from a memory, oldest first."""
    return registry_of(memory._live.store).things


def commit_training(memory: Memory, card: Card, folder: Path) -> Delta:
    """Have an adapter answer from now on; the journal tells of it, and `rollback` takes it back.

    What its folder was listed with before stays listed: an adapter that went on from another one
    may still hold what only that one was taught.

    Raises as `register` does, and InvalidInput for a card of another branch.
    """
    live = memory._live
    if card.branch != live.store.branch:
        raise errors.InvalidInput(
            f"{card.version} was taught from the branch {card.branch!r}, and this is "
            f"{live.store.branch!r}",
            branch=card.branch,
        )
    thing = Artifact(
        kind="adapter",
        path=folder.expanduser().resolve(),
        facts=card.ids,
        version=card.version,
        branch=card.branch,
        seq=card.seq,
    )
    with live.writing() as state:
        held = {
            i for one in registry_of(live.store).things if one.path == thing.path for i in one.facts
        }
        register(memory, replace(thing, facts=tuple(sorted(held.union(card.ids)))))
        draft = Draft(state.graph)
        draft.reason("train", version=card.version, facts=len(card.ids), seq=card.seq)
        delta = live.commit_draft(draft, "train")
        registry = registry_of(live.store)
        event = Event(seq=state.seq, branch=card.branch, kind="train", version=card.version)
        _keep(live.store, replace(registry, events=(*registry.events, event)))
    return delta


def adapter_in_use(memory: Memory) -> Artifact | None:
    """The adapter that answers now; None where there is none."""
    live = memory._live
    with live.reading() as state:
        return in_use(live.store, state.seq)


def taught_now(live: Live, artifacts: ArtifactStore | None) -> views.Taught | None:
    """The version in use, what it was taught and what of that is stale; None without one."""
    with live.reading() as state:
        adapter = in_use(live.store, state.seq)
        if adapter is None or artifacts is None:
            return None
        told = recitals_of(live.store)
        made = views.Taught(version=adapter.version, facts=adapter.facts, recitals=told)
        try:
            card = artifacts.card(adapter.path)
        except (errors.CorruptFile, errors.NotFound) as failure:
            return replace(made, why=str(failure))
        old = stale(state, card, live.present())
        return replace(
            made, facts=card.ids, stale=tuple(sorted(i for fact in old for i in fact.ids))
        )


def changed_since(
    live: Live, artifacts: ArtifactStore | None, seq: int
) -> views.TaughtChange | None:
    """What was taught more and less since a sequence of the journal; None where nothing ever."""
    registry = registry_of(live.store)
    if not registry.events:
        return None
    now = taught_now(live, artifacts)
    before = version_in_use(live.store, registry, seq)
    then = registry.adapter(before)
    old, new = set(_ids(then, artifacts)), set(now.facts if now else ())
    return views.TaughtChange(
        before=before,
        now=now.version if now else "",
        more=tuple(sorted(new - old)),
        less=tuple(sorted(old - new)),
        stale=now.stale if now else (),
    )


def _ids(adapter: Artifact | None, artifacts: ArtifactStore | None) -> tuple[int, ...]:
    """The facts an adapter was taught; where its card is gone, all that it may hold."""
    if adapter is None or artifacts is None:
        return () if adapter is None else adapter.facts
    with suppress(errors.CorruptFile, errors.NotFound):
        return artifacts.card(adapter.path).ids
    return adapter.facts


# -- answering -----------------------------------------------------------------------


def recitals_of(store: Store) -> views.Recitals:
    """How paths that stand were answered so far."""
    return views.Recitals(**json.loads(store.facts.get(RECITALS) or "{}"))


def count_recitals(store: Store, more: views.Recitals) -> None:
    """Count more of them; inside `writing()`."""
    sums = asdict(more)
    for name, number in asdict(recitals_of(store)).items():
        sums[name] += number
    store.facts.put(RECITALS, json.dumps(sums))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recital:
    """What came of asking the weights first.

    `answer`: None where they have none that stands; then `path`, the slots it leads over, is empty.
    """

    answer: Answer | None = None
    taught: TaughtFrom | None = None
    path: tuple[TaughtFact, ...] = ()
    usage: Usage = field(default_factory=Usage)
    warnings: tuple[str, ...] = ()

    def agrees(self, answer: Answer) -> bool:
        """Whether what was recalled says nothing else: it has no answer, or names the same."""
        said = set(words(answer.text))
        return answer.outcome != "answered" or all(
            said.issuperset(words(one)) for one in self.path[-1].objects
        )


class Weights:
    """The adapter in use, asked; what holds what was forgotten goes before."""

    def __init__(self, live: Live, parts: Parts) -> None:
        self._live = live
        self._parts = parts
        self._swept = -1
        """Up to which erasure everything was looked at."""
        with suppress(errors.StoreError):  # a writer has the lock: the next question tries again
            self._sweep()

    def _sweep(self) -> None:
        if self._live.generation != self._swept and not self._live.read_only:
            generation = self._live.generation
            sweep(self._live, self._parts.artifacts)
            self._swept = generation

    def recite(self, question: Turn, options: ReadOptions) -> Recital:
        """What the adapter in use recites, checked; nothing of the past."""
        reciter, artifacts, live = self._parts.reciter, self._parts.artifacts, self._live
        if reciter is None or artifacts is None:
            return Recital()
        if options.of_the_past or asks_past(question.text):
            return Recital()
        try:
            with live.reading() as state:
                adapter = in_use(live.store, state.seq)
            self._sweep()
            if adapter is None:
                return Recital()
            card = artifacts.card(adapter.path)
            with span("answer"):
                message = recital_of(question.text, question.speaker)
                said = reciter.recite(adapter.path, card.base, message)
        except (
            errors.CorruptFile,
            errors.ModelError,
            errors.NotFound,
            errors.StoreBusy,
        ) as failure:
            return Recital(warnings=(f"the weights were not asked: {failure}",))
        lines, made = recited(said.text), Recital(usage=said.usage)
        with live.reading() as state:
            # It may have been rolled back meanwhile, or what it holds forgotten.
            if not lines or in_use(live.store, state.seq) != adapter:
                return made
            facts = verified(state, card, lines, question, live.present())
            return _answered(made, state, card, facts, reciter.name) if facts else made


def _answered(
    made: Recital, state: State, card: Card, facts: Sequence[TaughtFact], name: str
) -> Recital:
    """With the answer of verified facts: the last one's objects, and each in its own words."""
    ids = tuple(i for fact in facts for i in fact.ids)
    quotes = (
        f"\u201c{' '.join(one.text.split()).replace('[m', '(m')}\u201d [m{one.node}]"
        for one in state.words(ids)
    )
    return replace(
        made,
        path=tuple(facts),
        taught=TaughtFrom(version=card.version, facts=ids, seq=card.seq, made_at=card.made_at),
        answer=Answer(
            text=f"{', '.join(facts[-1].objects)} \u2014 {' '.join(quotes)}",
            citations=ids,
            support=min(float(state.graph.view(i)[0]["confidence"]) for i in ids),
            links=tuple((min(pair), max(pair)) for pair in pairwise(ids)),
            by=f"weights {card.version} ({name})",
        ),
    )
