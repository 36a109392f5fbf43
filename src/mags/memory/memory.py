"""Memory: what MAGS offers, over an open branch and the parts that do its work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO
from warnings import warn

from mags.engram.claim import Correction
from mags.errors import InvalidInput, MagsError, MissingExtra
from mags.graph.delta import Delta
from mags.graph.records import Grade
from mags.memory import history, inputs, lookup, porting
from mags.memory.asking import Asker
from mags.memory.conversing import Converser, Writes
from mags.memory.correcting import Corrector, Wrong
from mags.memory.editing import Edit, Editor
from mags.memory.forgetting import forget
from mags.memory.inputs import Moment, TurnLike
from mags.memory.live import Live, Progress
from mags.memory.observing import Observer
from mags.memory.reading import ReadOptions, Recaller, read_options
from mags.memory.settings import Parts
from mags.memory.sleeping import Sleeper
from mags.memory.views import (
    Diff,
    Explanation,
    Forgotten,
    LogEntry,
    NamedView,
    NeighbourView,
    NodeView,
    PathView,
    Profile,
    Reply,
    Seen,
    Stats,
)
from mags.plasticity.cycle import OnRule, SleepReport
from mags.ports.embedder import Embedder
from mags.ports.policy import Act, Plan, Turn, tells
from mags.ports.store import Mark, Store
from mags.recall.found import FactView, Found, FoundAcross, Trace
from mags.recall.ranking import comparable

if TYPE_CHECKING:
    import networkx as nx

COMPARED = 20
"""Hits of each memory that a recall over several ranks as one, at least."""

_APART = (
    "apart is deprecated: observe_many reads each turn with those before it; where each is to be "
    "a tick and a transaction of its own, call observe for each"
)


@contextmanager
def closed_on_failure(store: Store) -> Iterator[None]:
    """Close a store where the block fails."""
    with ExitStack() as stack:
        stack.callback(store.close)
        yield
        stack.pop_all()


class Memory:
    """A memory that learns: observe, recall, ask, sleep; every change can be taken back.

    Made by `mags.open`. Times are datetimes, ISO texts or seconds; naive ones mean UTC.
    `as_of` asks the past in event time, `recorded_as_of` in record time. Safe to use from
    several threads; a context manager that closes itself. Every method may raise StoreError;
    InvalidInput (or NotFound, KeyConflict) means: nothing changed but as `observe_many` says.
    """

    def __init__(self, store: Store, parts: Parts, *, read_only: bool = False) -> None:
        """Open a branch of a store with its parts; raises EmbedderMismatch, StoreError."""
        self._store = store
        pepper = parts.settings.secret
        self._live = Live(store, parts.embedder, parts.clock, read_only=read_only, pepper=pepper)
        self._assemble(parts)

    def _assemble(self, parts: Parts) -> None:
        self._parts = parts
        self._recaller = Recaller(self._live, parts)
        self._observer = Observer(self._live, parts, self._recaller)
        self._asker = Asker(self._live, parts, self._recaller, self._observer)
        self._sleeper = Sleeper(self._live, parts)
        self._editor = Editor(self._live, parts)
        self._corrector = Corrector(self._live, parts)
        self._converser = Converser(self._live, parts, self._recaller, self._asker, self._corrector)

    def close(self) -> None:
        """Read what waits, then close the store; closing twice is harmless."""
        try:
            done = self._live.closed or self._live.read_only
            for told in () if done else self._read_waiting():
                warn(told, RuntimeWarning, stacklevel=2)
        finally:
            self._live.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    # -- writing -----------------------------------------------------------------

    def observe(
        self,
        text: str,
        *,
        speaker: str = "user",
        at: Moment | None = None,
        session: str = "",
        key: str | None = None,
        attrs: Mapping[str, str] | None = None,
        trusted: bool = True,
        later: bool = False,
    ) -> Seen:
        """Remember one turn, durable on return; costs a tick.

        `at`: when it was said (now). `key` makes it idempotent: with the same turn it returns the
        first result, with another it raises KeyConflict. `attrs`: words with it: `caption` is
        searched, `mark` pins, `outcome` (-1 to 1): how an act went, `led_by`: ids of its grounds.
        Of who is not `trusted` with any `at` one that lies ahead is brought back to now, with a
        warning, and what was claimed kept as the attribute `claimed_at`.
        With `read_every` in the settings it is kept at once and read into facts later: when so many
        turns wait, before the first turn of a session, before a sleep and at `close`. `later`: kept
        so in any case, until `read_waiting`.
        """
        said: dict[str, Any] = {"text": text, "speaker": speaker, "at": at, "session": session}
        said |= {"key": key, "attrs": attrs}
        given = self._prepared(said, trusted=trusted)
        if later or self._parts.settings.read_every > 1:
            return self._observed_later(*given, until_asked=later)
        return self._observed([given])[0]

    def observe_many(
        self, turns: Iterable[TurnLike], *, apart: bool = False, trusted: bool = True
    ) -> list[Seen]:
        """Remember turns in order, each read as by `observe`, embedded together; a tick a session.

        A turn is a `Turn`, a mapping with its fields, a (speaker, text) pair or a text. Each
        batch is one transaction; where one fails, or `turns` does, those before it stand.
        `trusted`: see `observe`. `apart`: deprecated; call `observe` where each is to be a tick and
        a transaction.
        """
        given = (self._prepared(turn, trusted=trusted) for turn in inputs.several(turns, "turns"))
        if apart:
            warn(_APART, DeprecationWarning, stacklevel=2)
            return [self._observed([one])[0] for one in given]
        seen = self._observed(given)
        self._live.tidy()
        return seen

    def assert_fact(
        self,
        subject: str,
        relation: str,
        object: str,
        *,
        at: Moment | None = None,
        until: Moment | None = None,
        qualifiers: Mapping[str, str] | None = None,
        confidence: float = 0.9,
        one: bool | None = None,
        retract: bool = False,
        key: str | None = None,
        trusted: bool = True,
    ) -> Seen:
        """Store a triple given as such, judged by the same arbiter; no episode, no tick.

        `at`, `until`: when it is true, where known. `one`: whether the slot holds one value
        (asked of the relation table when None). `retract` closes it instead. It counts as the word
        of whose memory it is, which ends what others say of somebody, but not what they say of
        themself; of who is not `trusted`, as that of a third party, and `at` as in `observe`.
        """
        operation = inputs.operation_of(
            Act.RETRACT if retract else Act.ADD,
            (subject, relation, object),
            valid=(at, until),
            qualifiers=qualifiers or {},
            one=one,
            confidence=confidence,
        )
        inputs.check_key(key)
        # Of what was given, before its time is brought back to now: a retry has the same hash.
        payload = self._live.payload(operation=repr(operation))
        operation = operation if trusted else inputs.not_ahead(operation, self._live.clock())
        moment = self._live.clock() if at is None else operation.valid_from
        return self._observer.fact(
            operation,
            at=float(moment or 0.0),
            key=key,
            payload=payload,
            grade=Grade.OWNER if trusted else Grade.THIRD,
        )

    # -- reading -----------------------------------------------------------------

    def recall(
        self,
        query: str | Plan,
        k: int = 10,
        as_of: Moment | None = None,
        *,
        recorded_as_of: Moment | None = None,
        speaker: str = "user",
        session: str = "",
    ) -> Found:
        """The k best memories for a query, best first, with their trace. Never writes.

        `as_of`: what was true then; `recorded_as_of`: what was known then. A `Plan` is
        followed as it is; a text is planned by the policy.
        """
        options = read_options(as_of, recorded_as_of, k, "hits to return", speaker)
        if isinstance(query, Plan):
            return self._recaller.find(query, options)
        question = self._question(query, speaker, session, options, "a query")
        return self._recaller.find(self._recaller.plan(question, options), options)

    def search(
        self,
        query: str,
        k: int = 20,
        as_of: Moment | None = None,
        *,
        recorded_as_of: Moment | None = None,
    ) -> list[NamedView]:
        """At most k memories that hold the words, or are near them; what has a name first."""
        found = self.recall(query, k, as_of, recorded_as_of=recorded_as_of)
        options = read_options(as_of, recorded_as_of, k, "memories to find")
        vector = self._live.embed([query])[query]
        with self._live.reading() as state:
            return lookup.search(state, query, found, options, vector)

    def ask(
        self,
        question: str,
        as_of: Moment | None = None,
        *,
        recorded_as_of: Moment | None = None,
        k: int | None = None,
        speaker: str = "user",
        session: str = "",
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Answer from memory, citing what carries the answer; costs a tick.

        What was cited is recharged and wired together; where that cannot be written (the
        memory is read_only, the disk full, another process writing) the answer comes all the
        same and `reply.warnings` tells. `on_text` receives the answer in pieces as a model
        writes it. `reply.outcome` says whether it is answered, whether only the closest memories
        are quoted, or whether nothing is known.
        """
        k = self._asker.hits if k is None else k
        options = read_options(as_of, recorded_as_of, k, "hits to answer from", speaker)
        turn = self._question(question, speaker, session, options, "a question")
        reply, delta = self._asker.ask(turn, options, on_text)
        slept = () if delta is None else self._sleep_if_due(delta)
        return replace(reply, warnings=(*reply.warnings, *slept)) if slept else reply

    def converse(
        self,
        text: str,
        *,
        speaker: str = "user",
        at: Moment | None = None,
        session: str = "",
        key: str | None = None,
        on_text: Callable[[str], None] | None = None,
        trusted: bool = True,
    ) -> Reply:
        """One whole turn: route it, answer it from memory, remember it and the answer.

        A turn that only tells is answered with what was understood of it. One that corrects what
        was told or answered last does so, as the word of `speaker`, where it is clear what it
        means. A command to forget erases nothing: the reply shows what it may mean.
        `reply.intent` says as what the turn was taken. Where the answer fails the turn is
        remembered before the error is raised. `trusted`: see `observe`.
        """
        said = {"text": text, "speaker": speaker, "at": at, "session": session, "key": key}

        def observe(**other: Any) -> Seen:
            return self.observe(**{**said, "trusted": trusted, **other})

        turn, payload = self._prepared(said, trusted=trusted)

        def correct(fact: int, right: str | None) -> Seen:
            def read() -> Correction:  # kept word for word, and worth what who speaks is
                found = self._corrector.read(fact, right, turn.speaker)
                return replace(found, text=turn.text, grade=Grade.UNKNOWN)

            return self._observer.correct(read, turn, payload=payload)

        return self._converser.converse(turn, Writes(observe=observe, correct=correct), on_text)

    def explain(self, trace: Trace, limit: int | None = None) -> Explanation:
        """A trace in words: anchors, paths with weights, shares of the score, sources."""
        with self._live.reading() as state:
            return lookup.explain(state, trace, limit)

    def connect(self, start: int | str, end: int | str) -> PathView | None:
        """The strongest path between two nodes or named things, or None."""
        with self._live.reading() as state:
            return lookup.path(
                state,
                lookup.resolve(state, inputs.id_or_name(start)),
                lookup.resolve(state, inputs.id_or_name(end)),
                now_s=self._live.present(),
                settings=self._parts.settings.recall,
            )

    def neighbours(self, node_id: int | str) -> list[NeighbourView]:
        """Everything one arc away from a node (or a named thing), strongest first."""
        with self._live.reading() as state:
            return lookup.neighbour_views(state, lookup.resolve(state, inputs.id_or_name(node_id)))

    def profile(self, name: int | str) -> Profile:
        """What is known about a person or thing, now and before."""
        with self._live.reading() as state:
            entity = lookup.resolve(state, inputs.id_or_name(name))
            return lookup.profile(state, entity, now_s=self._live.present())

    def facts(
        self,
        subject: int | str | None = None,
        as_of: Moment | None = None,
        *,
        recorded_as_of: Moment | None = None,
        current: bool = False,
    ) -> list[FactView]:
        """Facts (of a subject, or all), oldest first; closed ones have a `valid_to`.

        Without `as_of` the whole history; with it what was true then; `current` for now.
        """
        options = ReadOptions(
            as_of=inputs.seconds(as_of), recorded_as_of=inputs.seconds(recorded_as_of)
        )
        about = None if subject is None else inputs.id_or_name(subject)
        with self._live.reading() as state:
            if current and options.as_of is None:
                options = replace(options, as_of=self._live.present())
            return lookup.facts(state, about, options)

    def get(self, node_id: int) -> NodeView:
        """One node in words; raises NotFound."""
        with self._live.reading() as state:
            return lookup.node_view(state, inputs.known_id(node_id))

    def stats(self) -> Stats:
        """Counts, sizes, and who is at work."""
        return lookup.stats(self._live, self._parts)

    # -- tending -----------------------------------------------------------------

    def sleep(self, on_rule: OnRule | None = None) -> SleepReport:
        """Decay, wire, prune, solidify, consolidate; others may read. `on_rule` hears of each.

        Turns that wait are read first; where no model answers they go on waiting, with a warning.
        """
        for told in self._read_waiting():
            warn(told, RuntimeWarning, stacklevel=2)
        return self._sleeper.sleep(on_rule).report

    def feedback(self, trace: Trace, reward: float | None = None) -> bool:
        """Reward (in [-1, 1]) the paths that led to what was cited; once a trace.

        Without a reward: 1 if the answer cited something, else 0. False: it was credited before.
        """
        return self._asker.credit(trace, reward)

    def correct(
        self,
        wrong: Wrong,
        right: str | None,
        *,
        speaker: str = "user",
        at: Moment | None = None,
        session: str = "",
        key: str | None = None,
        trusted: bool = True,
    ) -> Seen:
        """Say that a fact is wrong and what is right: one is denied, the other held since then.

        `wrong`: a fact, by id or as something shows it, or a reply that cites it. `right`: the
        value ("Bergen") or a sentence; None where it is only known to be wrong. It counts as the
        word of the one it tells of, whoever `speaker` is; "I" in it is the speaker. Of who is not
        `trusted` it counts as what `speaker` says, and denies nothing that others say of themself.
        """
        turn, _ = inputs.turn_of(
            {"text": "-", "speaker": speaker, "at": at, "session": session, "key": key},
            self._live.clock(),
        )

        def read() -> Correction:
            found = self._corrector.read(wrong, right, speaker)
            return found if trusted else replace(found, grade=Grade.UNKNOWN)

        cited = wrong.citations if isinstance(wrong, Reply) else (wrong,)
        ids = [one if isinstance(one, int) else getattr(one, "id", None) for one in cited]
        payload = self._live.payload(correct=ids, right=right, speaker=speaker)
        turn = turn if trusted else inputs.said_by(turn, self._live.clock())
        return self._observer.correct(read, turn, payload=payload)

    def edit(self, node_id: int, **fields: Any) -> NodeView:
        """Change a node by hand, as `mags.Edit` says; raises NotFound, InvalidInput, ModelError."""
        try:
            change = Edit(**fields)
        except TypeError as failure:
            known = ", ".join(Edit.__dataclass_fields__)
            raise InvalidInput(f"edit takes {known}: {failure}", given=fields) from failure
        self._editor.edit(inputs.known_id(node_id), change)
        return self.get(node_id)

    def pin(self, node_id: int, pinned: bool = True) -> NodeView:
        """Mark a node as important for good, or take the mark back.

        Its importance is then what it was before, where the journal still has that.
        """
        self._editor.pin(inputs.known_id(node_id), pinned=pinned)
        return self.get(node_id)

    def forget(self, query_or_id: int | str, *, dry_run: bool = False) -> Forgotten:
        """Erase for good: a node by id, a thing by name, or all that holds a phrase.

        No rollback brings it back. The id of an entity erases what its name does; that of a fact
        leaves the turns that told it. `dry_run` only tells what would go, with its texts.
        """
        wanted = inputs.id_or_name(query_or_id, "what to forget")
        return forget(self._live, wanted, dry_run=dry_run, artifacts=self._parts.artifacts)

    # -- history -----------------------------------------------------------------

    def snapshot(self, name: str, *, move: bool = False) -> Mark:
        """Name this moment, for `diff` and `rollback`.

        Raises InvalidInput where the name is that of another moment, unless it may `move` here:
        the old one has no name then.
        """
        return history.snapshot(self._live, name, move=move)

    def snapshots(self) -> list[Mark]:
        """Every snapshot of this branch and its ancestors, oldest first."""
        return self._store.points.marks()

    def log(self, limit: int | None = None) -> list[LogEntry]:
        """Every change, newest first."""
        return history.log(self._live, limit)

    def diff(self, name: str) -> Diff:
        """What changed since a snapshot."""
        return history.diff(self._live, name, self._parts.artifacts)

    def rollback(self, name: str | int) -> Delta:
        """Go back to a snapshot by a new Delta, so that nothing is lost.

        A number is the `seq` of the last change that stays, as `log` has it.
        """
        return history.rollback(self._live, name)

    def branch(self, name: str) -> Memory:
        """A memory that begins as this one and goes its own way, in the same store."""
        store = self._store.fork(name, self._live.clock())
        with closed_on_failure(store):
            return Memory(store, self._parts)

    def branches(self) -> list[Mark]:
        """Every branch with the point it begins at."""
        return self._store.facts.branches()

    def export(self, path: str | Path | TextIO, *, vectors: bool = True) -> int:
        """Write everything as JSON lines, to a path or an open file; returns how many."""
        to = Path(path) if isinstance(path, str) else path
        return porting.export(self._live, to, vectors=vectors)

    def import_(self, path: str | Path | TextIO, on_progress: Progress | None = None) -> Delta:
        """Add everything in an export to this memory; raises InvalidInput naming the line.

        Added a second time its turns and facts are there twice; a reason of the Delta has the
        number of turns that were there already (`again`). An open file is closed.
        """
        given = Path(path) if isinstance(path, str) else path
        return porting.import_(self._live, given, on_progress)

    def reembed(self, embedder: Embedder, on_progress: Progress | None = None) -> int:
        """Make every vector anew with another embedder; interrupted, it changes nothing."""
        made = self._live.reembed(embedder, on_progress)
        self._assemble(replace(self._parts, embedder=embedder))  # a branch opens with it too
        return made

    # -- the graph as such -------------------------------------------------------

    def to_networkx(self) -> nx.MultiDiGraph:
        """Every node and arc as a NetworkX graph."""
        with self._live.reading() as state:
            return porting.to_networkx(state)

    def to_pyg(self) -> Any:
        """Every node and arc as a PyTorch Geometric `Data`; needs the extra `pyg`."""
        if self._parts.to_pyg is None:
            raise MissingExtra(extra="pyg", needed_for="to_pyg")
        with self._live.reading() as state:
            return self._parts.to_pyg(state)

    # -- inside ------------------------------------------------------------------

    def _prepared(self, given: TurnLike, *, trusted: bool = True) -> tuple[Turn, str]:
        """A turn, and the hash of what was given for it, which its key stands for."""
        now = self._live.clock()
        turn, at = inputs.turn_of(given, now)
        attrs = dict(turn.attrs)
        said = {"text": turn.text, "speaker": turn.speaker, "session": turn.session}
        payload = self._live.payload(**said, at=at, attrs=attrs)
        return turn if trusted else inputs.said_by(turn, now), payload

    def _observed(self, jobs: Iterable[tuple[Turn, str]]) -> list[Seen]:
        """Observe turns in batches, then sleep if that is due. What waits is read before."""
        told = self._read_waiting()
        seen = self._observer.observe(jobs)
        # The first and the last say between which ticks all of them lie.
        fresh = [s.delta for s in seen if not s.repeated]
        told += self._sleep_if_due(*fresh[:1], *fresh[-1:])
        if told and seen:
            seen[-1] = replace(seen[-1], warnings=(*seen[-1].warnings, *told))
        return seen

    def _observed_later(self, turn: Turn, payload: str, *, until_asked: bool) -> Seen:
        """Keep a turn, and read those that wait where it is time, unless `until_asked`."""
        told: tuple[str, ...] = ()
        waiting = 0 if until_asked else self._observer.waiting()
        if waiting and self._observer.begins(turn.session):
            told = self._read_waiting(patient=False)
        seen = self._observer.keep(turn, payload)
        if not seen.repeated:
            # By multiples, so that a model that fails is not asked again at every turn.
            waiting = 0 if until_asked else self._observer.waiting()
            if waiting and waiting % self._parts.settings.read_every == 0:
                told += self._read_waiting(patient=False)
            told += self._sleep_if_due(seen.delta)
        return replace(seen, warnings=(*seen.warnings, *told)) if told else seen

    def _read_waiting(self, *, patient: bool = True) -> tuple[str, ...]:
        """Read the turns that wait; returns what there is to warn of, by turn.

        A failure is among it, and they go on waiting.
        """
        told: list[str] = []
        try:
            if not self._observer.waiting():
                return ()
        except MagsError:
            return ()  # the memory cannot be read: what the caller does next says why
        try:
            for seen in self._observer.read_waiting(patient=patient):
                told += [f"[m{seen.episode_id}] {warning}" for warning in seen.warnings]
        except MagsError as failure:
            told.append(f"turns wait to be read, it will be tried again: {failure}")
        return tuple(told)

    def _question(
        self, text: str, speaker: str, session: str, options: ReadOptions, what: str
    ) -> Turn:
        inputs.words(text, what, longest=inputs.LONGEST_TURN)
        at = self._live.clock() if options.as_of is None else options.as_of
        turn, _ = inputs.turn_of(
            {"text": text, "speaker": speaker, "session": session, "at": at}, at
        )
        return turn

    def _sleep_if_due(self, *deltas: Delta) -> tuple[str, ...]:
        """Sleep where these Deltas passed a multiple of `sleep_every` ticks.

        What came before is durable, so a failure is not raised but returned in words.
        """
        every = self._parts.settings.sleep_every
        if not deltas or every <= 0:
            return ()
        if deltas[0].tick_before // every == deltas[-1].tick_after // every:
            return ()
        try:
            if not self._sleeper.asleep:
                told = self._read_waiting(patient=False)
                self._sleeper.sleep()
                return told
        except MagsError as failure:
            return (f"sleep was due and failed, it will be tried again: {failure}",)
        return ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]:
            """What version 0.1 had as a method and `mags.inspect` has now; gone in 0.3."""
            inspect = import_module("mags.inspect")  # a memory needs nothing else of it
            if name not in inspect.__all__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            warn(f"Memory.{name}: call mags.inspect.{name}", DeprecationWarning, stacklevel=2)
            return partial(getattr(inspect, name), self)


def recall_across(
    memories: Mapping[str, Memory],
    query: str,
    k: int = 10,
    as_of: Moment | None = None,
    *,
    recorded_as_of: Moment | None = None,
    speaker: str = "user",
    session: str = "",
) -> FoundAcross:
    """The k best memories for a query out of several, by name; see `Memory.recall`.

    Each is recalled by itself, then their hits are ranked as one. They have one embedder: vectors
    of two cannot be compared. Raises InvalidInput.
    """
    if not memories:
        raise InvalidInput("name one memory at least")
    embedders = {memory._live.embedder.name for memory in memories.values()}
    if len(embedders) > 1:
        raise InvalidInput(
            "these memories have different embedders, so their hits cannot be compared: "
            f"{', '.join(sorted(embedders))}; reembed some of them"
        )
    options = read_options(as_of, recorded_as_of, k, "hits to return", speaker)
    found = {
        name: memory.recall(
            query,
            max(k, COMPARED),
            as_of,
            recorded_as_of=recorded_as_of,
            speaker=speaker,
            session=session,
        )
        for name, memory in memories.items()
    }
    settings = next(iter(memories.values()))._parts.settings.recall
    scores = comparable([one.trace for one in found.values()], settings, statement=tells(query))
    hits = [
        replace(hit, memory=name, score=score)
        for (name, one), own in zip(found.items(), scores, strict=True)
        for hit, score in zip(one.hits, own, strict=True)
    ]
    # Of two alike the one of the first name comes first, in whatever order they were named.
    best = sorted(hits, key=lambda hit: (-round(hit.score, 9), hit.memory, hit.id))[: options.k]
    return FoundAcross(hits=tuple(best), traces={name: one.trace for name, one in found.items()})
