"""Observing: turns and bare facts become Deltas.

`reminded` finds the open facts that a turn may refer to, for the policy that reads it: what its
speaker told last, and what is known about the names in it. It needs no embedding.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice, zip_longest
from typing import Any

import numpy as np

from mags.engram.claim import Correction
from mags.engram.engram import Engram
from mags.engram.view import Inscribed, WriteMoment
from mags.errors import InvalidInput, ModelError, ModelReplyError
from mags.graph.delta import Delta, Draft
from mags.graph.graph import REVERSE
from mags.graph.records import (
    NEVER,
    NOBODY,
    ArcKind,
    Content,
    Grade,
    NodeFlag,
    NodeKind,
    node_charge,
)
from mags.index.state import State, Waiting
from mags.memory.inputs import check, prose, readable
from mags.memory.live import Live
from mags.memory.reading import Recaller, recent_turns, session_hash
from mags.memory.settings import Parts
from mags.memory.views import Seen
from mags.ports.pausing import pause, span, taken
from mags.ports.policy import (
    CLAIMED,
    Operation,
    Recalled,
    Reminded,
    Together,
    Turn,
    Writing,
    asks,
)
from mags.recall.spread import peers, peers_each

RECENT = 24
"""Episodes of the memory, of all speakers, among which what was told last is looked for."""
OF_ONE, MANY = 16, 8
"""Facts of one name, the newest first; how many times as many a policy may choose from that reads
several turns at once."""
_SLANDER = re.compile(
    r"\b(?:liars?|lying|l(?:ies|ied) (?:about|to)|always lies|dishonest|untrustworthy"
    r"|mak(?:es|ing) (?:it|this|that|things|stuff) up"
    r"|(?:don't|do not|never|can't|cannot) (?:be )?(?:believed?|trust(?:ed)?))\b",
    re.IGNORECASE,
)
LATER = "it is read later, with other turns of its session"
"""Why nothing was made yet of a turn that waits."""
KEPT = ("facts", "notes", "closed", "confirmed", "disputed")
"""What a Delta keeps of its result, in ids, for a key that comes again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One turn to be written, at a cost of `ticks`.

    `writing`: what the policy made of it; None where it can only be read once the turns before it
    are written, with the facts about `names`. `recent`: the turns before it in its session.
    `later`: it is only kept. `episode`: it was kept as this one, and is read now.
    """

    turn: Turn
    payload: str
    ticks: int
    recent: tuple[Turn, ...] = ()
    names: tuple[str, ...] = ()
    writing: Writing | None = None
    later: bool = False
    episode: int | None = None


class Observer:
    """Turns in, Deltas out."""

    def __init__(self, live: Live, parts: Parts, recaller: Recaller) -> None:
        self._live = live
        self._parts = parts
        self._recaller = recaller
        self._settings = parts.settings
        self._engram = Engram(parts.settings.engram, parts.linker)
        self._late = threading.Lock()
        self._learning = Engram(replace(parts.settings.engram, echoes=True), parts.linker)

    def observe(self, turns: Iterable[tuple[Turn, str]]) -> list[Seen]:
        """Observe turns in order, each read with what the turns before it left; a tick a session.

        Each batch is embedded together and is one transaction: on failure the batches before it
        stand. Where the write model sees what a recall finds, each turn is a batch; where it reads
        several turns of a session at once, those are.
        """
        begun = set[str]()
        seen: list[Seen] = []
        for batch in self._batches(iter(turns)):
            seen.extend(self._kept(self._jobs(batch, begun), self._engram))
        return seen

    def keep(self, turn: Turn, payload: str) -> Seen:
        """Keep a turn that is read later, by `read_waiting`; costs a tick.

        What was made from memory is not read, so that it need not wait.
        """
        writing = Writing(is_question=asks(turn.text), why=LATER)
        job = Job(turn=turn, payload=payload, ticks=1, writing=writing, later=True)
        if echo(turn):
            job = replace(job, writing=Writing(), later=False)
        return self._kept([job], self._engram)[0]

    def waiting(self) -> int:
        """How many turns wait."""
        with self._live.reading() as state:
            return len(state.following(Waiting).ids())

    def begins(self, session: str) -> bool:
        """Whether nothing was said yet in a session."""
        with self._live.reading() as state:
            return not state.episodes.recent(1, session_hash(state, session))

    def read_waiting(self, *, patient: bool = True) -> Iterator[Seen]:
        """Read the turns that wait, in order, in batches as `observe` does; costs no tick.

        For a policy that reads several turns of a session at once, session by session. Each batch
        is one transaction. Raises ModelError where no model answers: the batches before stand, the
        rest goes on waiting. Not `patient`: nothing is read where another thread is at it already.
        """
        if not taken(self._late, -1.0 if patient else 0.0):
            return
        try:
            with self._live.reading() as state:
                ids = state.following(Waiting).ids()
                said = [_kept_turn(content) for content in state.words(ids)]
            pairs = list(zip(ids, said, strict=True))
            if self._together is not None:
                first = {turn.session: place for place, turn in reversed(list(enumerate(said)))}
                pairs.sort(key=lambda pair: first[pair[1].session])
            left = iter([i for i, _ in pairs])
            for batch in self._batches((turn, "") for _, turn in pairs):
                begun = {turn.session for turn, _ in batch}
                jobs = self._jobs(batch, begun, list(islice(left, len(batch))))
                yield from self._kept(jobs, self._engram)
        finally:
            self._late.release()

    @property
    def _together(self) -> Together | None:
        policy = self._parts.policy
        if self._settings.recalled_for_write or not isinstance(policy, Together):
            return None
        return policy if policy.together > 1 else None

    def _batches(self, turns: Iterator[tuple[Turn, str]]) -> Iterator[list[tuple[Turn, str]]]:
        together = self._together
        if together is None:
            size = 1 if self._settings.recalled_for_write else self._settings.batch
            while batch := list(islice(turns, size)):
                yield batch
            return
        for _, said in groupby(turns, key=lambda pair: pair[0].session):
            while batch := list(islice(said, together.together)):
                yield batch

    def learn(self, turn: Turn, writing: Writing, *, payload: str, ticks: int) -> Seen:
        """Keep an answer with what its model wants remembered; costs `ticks`.

        Judged as a turn made from memory is, but what it says may be new.
        """
        check(turn)
        job = Job(turn=turn, payload=payload, ticks=ticks, writing=writing)
        return self._kept([job], self._learning)[0]

    def _jobs(
        self, batch: Sequence[tuple[Turn, str]], begun: set[str], kept: Sequence[int] = ()
    ) -> list[Job]:
        """A batch, read as far as possible before any of it is written.

        No lock is held, because a model may take long. `begun`: sessions that had their tick.
        `kept`: the episodes of turns that waited.
        """
        jobs: list[Job] = []
        fresh: list[Turn] = []
        unread: list[int] = []
        history: dict[str, list[Turn]] = {}
        for (turn, payload), episode in zip_longest(batch, kept):
            ticks = int(turn.session not in begun)
            job = Job(turn=turn, payload=payload, ticks=ticks, episode=episode)
            begun.add(turn.session)
            again = turn.key is not None and turn.key in [one.key for one in fresh]
            # A turn that is known already need not be read again: the model may cost.
            if not again and self._repeated(turn.key, payload) is None:
                past = history.get(turn.session)
                if past is None:
                    with self._live.reading() as state:
                        past = recent_turns(state, self._settings.window, turn.session, episode)
                    history[turn.session] = past
                job = replace(job, recent=tuple(past))
                if self._together is None:
                    job = self._read(job, alone=not fresh)
                else:
                    unread.append(len(jobs))
                fresh.append(turn)
                past.append(replace(turn, key=None, attrs={}))
                del past[: -self._settings.window]
            jobs.append(job)
            pause()
        for place, job in zip(unread, self._read_together([jobs[i] for i in unread]), strict=True):
            jobs[place] = job
        return jobs

    def _read_together(self, jobs: Sequence[Job]) -> list[Job]:
        """Jobs of one session, their turns read at once with what is known of who and what.

        What was made from memory is not read.
        """
        policy, told = self._together, [job for job in jobs if not echo(job.turn)]
        if policy is None or not told:
            return [replace(job, writing=Writing()) for job in jobs]
        turns = [readable(job.turn) for job in told]
        first = told[0]
        names = dict.fromkeys(name for job in told for name in policy.wants(job.turn, first.recent))
        every = replace(first.turn, text="\n".join(turn.text for turn in turns))
        with self._live.reading() as state:
            speakers = tuple(dict.fromkeys(turn.speaker for turn in turns))
            most = MANY * self._settings.reminded
            recalled = reminded(state, every, tuple(names), most, speakers=speakers)
        try:
            with span("policy") as facts:
                facts["role"] = "write"
                read = policy.write_many(turns, tuple(map(readable, first.recent)), recalled)
        except ModelError as failure:
            read = [_not_read(first, failure)] * len(told)
        writings = iter(read)
        return [
            replace(job, writing=Writing() if echo(job.turn) else next(writings)) for job in jobs
        ]

    def _read(self, job: Job, *, alone: bool) -> Job:
        """The job with its turn read, unless the turns before it have to be written first."""
        recalled = self._recaller.recalled_for_writer(job.turn)
        job = job if recalled else replace(job, names=self._wanted(job))
        if job.names and not alone:
            return job
        if job.names:
            with self._live.reading() as state:
                recalled = self._reminded(state, job)
        return replace(job, writing=self._write(job, recalled))

    def _kept(self, jobs: Sequence[Job], engram: Engram) -> list[Seen]:
        """Write turns in one transaction, but for those whose key was seen before.

        Of turns that waited those are left out that another has read, or that are gone.
        """
        known = [self._repeated(job.turn.key, job.payload) for job in jobs]
        if all(known):
            return [seen for seen in known if seen is not None]
        embedder = self._live.embedder
        fresh = [job for job, seen in zip(jobs, known, strict=True) if seen is None]
        with self._live.reading() as state:
            ahead = [
                text
                for job in fresh
                for text in engram.texts(state, job.turn, job.writing or Writing())
            ]
            held = _vectors_held(state, fresh)
        vectors = held | self._live.embed([text for text in ahead if text not in held])
        with self._live.writing() as state:
            if self._live.embedder is not embedder:  # re-embedded while the policy was reading
                vectors = {}
            return [
                self._repeated(job.turn.key, job.payload) or self._one(state, job, vectors, engram)
                for job in jobs
                if job.episode is None or job.episode in state.following(Waiting)
            ]

    def _one(self, state: State, job: Job, vectors: Mapping[str, Any], engram: Engram) -> Seen:
        """Write one turn; `vectors`: of texts that are embedded already."""
        pause()
        writing = job.writing or self._write(job, self._reminded(state, job))
        texts = engram.texts(state, job.turn, writing)
        made = self._live.embed([text for text in texts if text not in vectors])
        own = {text: made[text] if text in made else vectors[text] for text in texts}
        draft = Draft(state.graph)
        tick = state.graph.tick + job.ticks
        session = session_hash(state, job.turn.session)
        previous = state.episodes.recent(1, session, job.episode)
        moment = self._moment(own, tick, previous[0] if previous else None)
        if job.episode is not None:
            done = engram.inscribe(draft, state, job.turn, writing, moment, kept=job.episode)
            seen = self._keep(draft, "read", done, writing)
            return replace(seen, warnings=(*writing.warnings, *unused(writing, done)))
        if self._settings.working:
            leave_window(draft, state, self._settings.window)
        inscribe = engram.keep if job.later else engram.inscribe
        done = inscribe(draft, state, job.turn, writing, moment)
        known = {"key": job.turn.key, "payload": job.payload, "tick_after": tick}
        doubts = (*not_believed(job.turn.attrs), *doubted(state, job.turn))
        seen = self._keep(draft, "observe", done, writing, **known)
        return replace(seen, warnings=(*writing.warnings, *unused(writing, done), *doubts))

    def fact(
        self, operation: Operation, *, at: float, key: str | None, payload: str, grade: Grade
    ) -> Seen:
        """Assert a triple on the word of somebody of that grade; no tick, no episode."""
        repeated = self._repeated(key, payload)
        if repeated is not None:
            return repeated
        with self._live.reading() as state:
            texts = self._engram.assertion_texts(state, operation)
        vectors = self._live.embed(texts)
        with self._live.writing() as state:
            repeated = self._repeated(key, payload)
            if repeated is not None:
                return repeated
            draft = Draft(state.graph)
            moment = self._moment(vectors, state.graph.tick, None)
            done = self._engram.assert_fact(draft, state, operation, moment, at=at, grade=grade)
            if done.ignored:
                raise InvalidInput(f"cannot assert this: {done.ignored[0][1]}")
            seen = self._keep(draft, "assert", done, Writing(), key=key, payload=payload)
            return replace(seen, warnings=not_believed(operation.qualifiers))

    def correct(self, read: Callable[[], Correction], turn: Turn, *, payload: str) -> Seen:
        """Deny a fact, as `read` says it is meant, and hold what is right instead; no tick."""
        repeated = self._repeated(turn.key, payload)
        if repeated is not None:
            return repeated
        told = read()
        turn = replace(turn, text=told.text)
        writing = Writing(operations=() if told.right is None else (told.right,))
        with self._live.reading() as state:
            texts = self._engram.texts(state, turn, writing)
        vectors = self._live.embed(texts)
        with self._live.writing() as state:
            repeated = self._repeated(turn.key, payload)
            if repeated is not None:
                return repeated
            draft = Draft(state.graph)
            tick = state.graph.tick
            previous = state.episodes.recent(1, session_hash(state, turn.session))
            moment = self._moment(vectors, tick, previous[0] if previous else None)
            done = self._engram.correct(draft, state, turn, told, moment)
            if done.ignored:
                raise InvalidInput(f"cannot correct this: {done.ignored[0][1]}")
            known = {"key": turn.key, "payload": payload, "tick_after": tick}
            return self._keep(draft, "observe", done, writing, **known)

    def _wanted(self, job: Job) -> tuple[str, ...]:
        """Names about which the policy wants to know the open facts."""
        policy = self._parts.policy
        if self._settings.reminded <= 0 or echo(job.turn) or not isinstance(policy, Reminded):
            return ()
        return policy.wants(readable(job.turn), tuple(map(readable, job.recent)))

    def _reminded(self, state: State, job: Job) -> Sequence[Recalled]:
        """Open facts about the names of a job."""
        return reminded(state, job.turn, job.names, self._settings.reminded) if job.names else ()

    def _write(self, job: Job, recalled: Sequence[Recalled]) -> Writing:
        """What the write model makes of a turn; where it fails the turn stays an episode."""
        if echo(job.turn):
            return Writing()
        near = tuple(map(readable, job.recent))
        try:
            with span("policy") as facts:
                facts["role"] = "write"
                return self._parts.policy.write(readable(prose(job.turn)), near, recalled)
        except ModelError as failure:
            return _not_read(job, failure)

    def _keep(
        self, draft: Draft, kind: str, done: Inscribed, writing: Writing, **fields: Any
    ) -> Seen:
        """Commit what was inscribed; its result is what a repeated key gives back."""
        result: dict[str, Any] = {"episode": done.episode or NOBODY}
        result |= {name: list(getattr(done, name)) for name in KEPT}
        delta = self._live.commit_draft(draft, kind, result=result, **fields)
        seen = replace(_seen(delta), understood=writing.understood, why=writing.why)
        return replace(seen, seq=self._live.state.seq, repeated=False)

    def _moment(self, vectors: Mapping[str, Any], tick: int, previous: int | None) -> WriteMoment:
        return WriteMoment(
            ids=self._live.ids,
            now_s=self._live.clock(),
            tick=tick,
            vectors=vectors,
            previous=previous,
        )

    def _repeated(self, key: str | None, payload: str) -> Seen | None:
        found = self._live.earlier(key, payload)
        return None if found is None else _seen(found)


def _seen(delta: Delta) -> Seen:
    """What a Delta that was written before did."""
    kept: dict[str, Any] = {name: tuple(delta.result.get(name, ())) for name in KEPT}
    return Seen(
        episode_id=int(delta.result.get("episode", NOBODY)), delta=delta, repeated=True, **kept
    )


def _not_read(job: Job, failure: ModelError) -> Writing:
    """What a turn tells whose model failed: nothing. One that waited goes on waiting (it raises).

    A reply in no known form would come again, so that it is taken as one that tells nothing.
    """
    if job.episode is not None and not isinstance(failure, ModelReplyError):
        raise failure
    return Writing(understood=False, why=str(failure))


def _kept_turn(content: Content) -> Turn:
    """The turn that an episode was made of, but for its key."""
    meta = content.meta
    return Turn(
        text=content.text,
        speaker=str(meta.get("speaker", "")),
        at=float(meta["at"]),
        session=str(meta.get("session", "")),
        attrs={str(name): str(value) for name, value in meta.get("attrs", {}).items()},
    )


def _vectors_held(state: State, jobs: Iterable[Job]) -> dict[str, Any]:
    """Vectors of the turns that waited, by text: they were embedded when they were kept."""
    kept = [(job.episode, job.turn.text) for job in jobs if job.episode is not None]
    kept = [(episode, text) for episode, text in kept if episode in state.graph]
    vectors = state.vectors.get(state.graph.rows([episode for episode, _ in kept]))
    pairs = zip(kept, vectors.astype(np.float16), strict=True)
    return {text: vector for (_, text), vector in pairs if vector.any()}


def echo(turn: Turn) -> bool:
    """Whether a turn was made from memory (an answer), so that nothing new is read from it."""
    return bool(turn.attrs.get("recalled"))


def reminded(
    state: State, turn: Turn, names: Sequence[str], most: int, *, speakers: Sequence[str] = ()
) -> list[Recalled]:
    """The newest `most` open facts that a turn may refer to, oldest first; guesses fill up.

    `names`: as the turn writes them; they are found by exact name or alias, never by likeness.
    `speakers`: of several turns that are read as one.
    """
    found = dict.fromkeys(_told(state, speakers or (turn.speaker,)))
    entities = [*(i for name in names for i in state.names.find(name)), *_named(state, turn)]
    each = OF_ONE * MANY if speakers else OF_ONE
    for entity in dict.fromkeys(entities):
        found.update(dict.fromkeys(state.slots.of(entity)[-each:]))
        found.update(dict.fromkeys(state.slots.about(entity)[-each:]))
    held = sorted(_open(state, found), key=lambda fact: (not fact[2], *fact))[-most:]
    kept = sorted(held, key=lambda fact: fact[:2])
    rows = state.graph.rows([i for _, i, _ in kept])
    told_in = peers_each(state.graph, rows, int(ArcKind.SOURCE))
    ids = state.graph.nodes["id"]
    first = [min((int(ids[row]) for row in some), default=None) for some in told_in]
    return [
        _recalled(state, content, guess, told)
        for (*_, guess), content, told in zip(
            kept, state.words([i for _, i, _ in kept]), first, strict=True
        )
    ]


def _recalled(state: State, fact: Content, guess: bool, told: int | None) -> Recalled:
    """A fact by the first turn that told it (`told`); of what nobody told, when it was recorded."""
    node = state.graph.view(fact.node if told is None else told)[0]
    source = {} if told is None else state.words([told])[0].meta
    meta = fact.meta
    return Recalled(
        id=fact.node,
        text=fact.text,
        speaker=str(source.get("speaker", "")),
        at=float(node["recorded_at" if told is None else "valid_from"]),
        subject=str(meta.get("subject", "")),
        relation=str(meta.get("relation", "")),
        object=str(meta.get("object", "")),
        qualifiers=dict(meta.get("qualifiers", {})),
        tentative=guess,
    )


def _named(state: State, turn: Turn) -> Iterable[int]:
    speaker = state.names.find(turn.speaker)
    return (i for i in state.names.scan(turn.text) if i not in speaker)


def _told(state: State, speakers: Iterable[str]) -> Iterable[int]:
    """Facts from the newest turns of those who speak."""
    graph, who = state.graph, {i for speaker in speakers for i in state.names.find(speaker)}
    for row in graph.rows(state.episodes.recent(RECENT)).tolist():
        if int(graph.nodes["subject"][row]) in who:
            rows = peers(graph, row, int(ArcKind.SOURCE) | REVERSE)
            yield from graph.nodes["id"][rows].tolist()


def _open(state: State, ids: Iterable[int]) -> list[tuple[float, int, bool]]:
    """Those that hold, each with the time at which it was recorded and whether it is a guess."""
    graph = state.graph
    rows = graph.rows([i for i in ids if i in graph])
    nodes = graph.nodes[rows]
    held = (nodes["kind"] == NodeKind.FACT) & (nodes["valid_to"] == NEVER)
    times, ids = nodes["recorded_at"][held].tolist(), nodes["id"][held].tolist()
    guesses = ((nodes["flags"][held] & NodeFlag.GUESS) != 0).tolist()
    return list(zip(times, ids, guesses, strict=True))


def unused(writing: Writing, done: Inscribed) -> tuple[str, ...]:
    """A warning for each operation of a language model that could not be used, and why."""
    lines = writing.operations if writing.says_ends else ()
    return tuple(
        f"left out '{lines[i].subject} {lines[i].relation} {lines[i].object}': {why}"
        for i, why in done.ignored
        if lines
    )


def not_believed(words: Mapping[str, str]) -> tuple[str, ...]:
    """A warning where the time that was given was not taken."""
    if CLAIMED not in words:
        return ()
    return (f"at lies ahead of now and was brought back; {words[CLAIMED]} is kept beside it",)


def doubted(state: State, turn: Turn) -> tuple[str, ...]:
    """A warning for each of those who speak here whose word somebody else runs down.

    Nothing follows from it: what people say of themselves is theirs to say.
    """
    if not _SLANDER.search(turn.text):
        return ()
    said = state.names.find(turn.speaker)
    whom = dict.fromkeys(state.names.scan(turn.text))
    return tuple(
        f"{turn.speaker or 'somebody'} doubts the word of {state.content(i).text}, who may still "
        "say of themself what is so"
        for i in whom
        if i in state.speakers and i not in said
    )


def leave_window(draft: Draft, state: State, window: int) -> None:
    """Give the episode that leaves the window its strength for the long term.

    Called in the draft of the turn that pushes it out. strength = what is left of its charge,
    but at least the greatest of its importance (which holds surprise and emphasis) and its
    usage u / (u + 2).
    """
    leaving = state.episodes.recent(window)
    if len(leaving) < window or leaving[0] == NOBODY:
        return
    node = draft.node(leaving[0])
    uses = float(node["uses"][0])
    floor = max(float(node["importance"][0]), uses / (uses + 2.0))
    now = float(node_charge(node, state.graph.tick)[0])
    node["strength"] = min(1.0, max(now, floor))
    node["strength_tick"] = state.graph.tick
