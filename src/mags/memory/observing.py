"""Writing: turns and bare facts become Deltas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mags.engram.engram import Engram
from mags.engram.moment import Inscribed, Moment
from mags.errors import InvalidInput, KeyConflict, ModelError
from mags.graph.delta import Delta
from mags.graph.draft import Draft
from mags.graph.node import NOBODY
from mags.index.state import State
from mags.memory.given import check
from mags.memory.live import Live
from mags.memory.parts import Parts
from mags.memory.reminding import reminded
from mags.memory.stretches import readable
from mags.memory.views import Seen
from mags.memory.working import leave_window, recent_episodes, session_hash, turns
from mags.ports.embedder import Embedder
from mags.ports.policy import Operation, Recalled, Reminded, Turn, Writing


@dataclass(frozen=True, slots=True)
class Ahead:
    """Vectors of texts, by an embedder, before their turns come."""

    embedder: Embedder
    vectors: Mapping[str, Any]

    def by(self, embedder: Embedder) -> dict[str, Any]:
        """Those that this embedder made."""
        return dict(self.vectors) if embedder is self.embedder else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One turn ready to be inscribed, with what the write model made of it."""

    turn: Turn
    writing: Writing
    payload: str


class Observer:
    """Turns in, Deltas out."""

    def __init__(self, live: Live, parts: Parts) -> None:
        """Writes to `live` with the policy, embedder and settings of `parts`."""
        self._live = live
        self._parts = parts
        self._settings = parts.settings
        self._engram = Engram(parts.settings.engram, parts.linker)
        self._learning = Engram(replace(parts.settings.engram, echoes=True), parts.linker)

    def one(
        self,
        turn: Turn,
        *,
        payload: str,
        recalled: Sequence[Recalled] = (),
        ahead: Ahead | None = None,
    ) -> Seen:
        """Observe one turn, durable on return; `ahead`: texts that are embedded already."""
        check(turn)
        known = self._repeated(turn, payload)
        if known is not None:
            return known
        with self._live.reading() as state:
            recent = self._recent(state, turn)
            recalled = recalled or self._reminded(state, turn, recent)
        writing = self._write(turn, recent, recalled)
        with self._live.reading() as state:
            texts = self._engram.texts(state, turn, writing)
        # A memory may be embedded anew while a policy thinks: then what was ahead is stale.
        vectors = ahead.by(self._live.embedder) if ahead else {}
        vectors |= self._live.embed([text for text in texts if text not in vectors])
        with self._live.writing() as state:
            known = self._repeated(turn, payload)
            if known is not None:
                return known
            job = Job(turn=turn, writing=writing, payload=payload)
            return self._inscribe(state, job, vectors, tick=state.graph.tick + 1)

    def ahead(self, jobs: Sequence[tuple[Turn, str]]) -> Ahead:
        """Embed together what turns say that `one` is to observe next, those kept already not."""
        self._live.ensure_open()
        embedder = self._live.embedder
        fresh = [turn.text for turn, payload in jobs if self._new(turn, payload)]
        return Ahead(embedder, self._live.embed(fresh))

    def _new(self, turn: Turn, payload: str) -> bool:
        """Whether a turn is neither kept nor refused for its key, which is told of in its place."""
        try:
            return self._repeated(turn, payload) is None
        except KeyConflict:
            return False

    def many(self, jobs: Iterable[tuple[Turn, str]]) -> list[Seen]:
        """Observe turns in order, embedded in batches; one tick a session.

        Each batch is one transaction: on failure the batches before it stand.
        """
        out: list[Seen] = []
        history: dict[str, list[Turn]] = {}
        waiting: list[tuple[Turn, str]] = []
        for turn, payload in jobs:
            check(turn)
            waiting.append((turn, payload))
            if len(waiting) >= self._settings.batch:
                out.extend(self._batch(waiting, history))
                waiting = []
        if waiting:
            out.extend(self._batch(waiting, history))
        return out

    def _batch(
        self, batch: Sequence[tuple[Turn, str]], history: dict[str, list[Turn]]
    ) -> list[Seen]:
        jobs: list[Job] = []
        started: set[str] = set()
        for turn, payload in batch:
            past = history.get(turn.session)
            if past is None:
                started.add(turn.session)
                with self._live.reading() as state:
                    past = history[turn.session] = self._recent(state, turn)
            # A turn that is known already need not be read again: the model may cost.
            again = self._repeated(turn, payload) is not None
            writing = Writing() if again else self._write(turn, tuple(past), ())
            past.append(turn)
            del past[: -self._settings.window]
            jobs.append(Job(turn=turn, writing=writing, payload=payload))
        fresh = [job for job in jobs if self._repeated(job.turn, job.payload) is None]
        with self._live.reading() as state:
            texts = [t for job in fresh for t in self._engram.texts(state, job.turn, job.writing)]
        vectors = self._live.embed(texts)
        seen: list[Seen] = []
        with self._live.writing() as state:
            for job in jobs:
                known = self._repeated(job.turn, job.payload)
                tick = state.graph.tick + (job.turn.session in started)
                started.discard(job.turn.session)
                seen.append(known or self._inscribe(state, job, vectors, tick=tick))
        return seen

    def learn(self, turn: Turn, writing: Writing, *, payload: str, ticks: int) -> Seen:
        """Keep an answer with what its model wants remembered; costs `ticks`.

        Judged as a turn made from memory is, but what it says may be new.
        """
        check(turn)
        known = self._repeated(turn, payload)
        if known is not None:
            return known
        with self._live.reading() as state:
            texts = self._learning.texts(state, turn, writing)
        vectors = self._live.embed(texts)
        with self._live.writing() as state:
            known = self._repeated(turn, payload)
            if known is not None:
                return known
            job = Job(turn=turn, writing=writing, payload=payload)
            tick = state.graph.tick + ticks
            return self._inscribe(state, job, vectors, tick=tick, engram=self._learning)

    def fact(self, operation: Operation, *, at: float, key: str | None, payload: str) -> Seen:
        """Assert a triple; no tick, no episode."""
        found = self._live.earlier(key, payload)
        if found is not None:
            return _seen_again(found)
        with self._live.reading() as state:
            texts = self._engram.assertion_texts(state, operation)
        vectors = self._live.embed(texts)
        with self._live.writing() as state:
            found = self._live.earlier(key, payload)
            if found is not None:
                return _seen_again(found)
            draft = Draft(state.graph)
            moment = self._moment(vectors, state.graph.tick, None)
            done = self._engram.assert_fact(draft, state, operation, moment, at=at)
            if done.ignored:
                raise InvalidInput(f"cannot assert this: {done.ignored[0][1]}")
            delta = self._delta(draft, "assert", done, key, payload, state.graph.tick)
            return _seen(delta, self._live.commit(delta), done, Writing())

    def _reminded(self, state: State, turn: Turn, recent: Sequence[Turn]) -> Sequence[Recalled]:
        """What was told before, where the policy asks for it."""
        policy, most = self._parts.policy, self._settings.reminded
        if most <= 0 or echo(turn) or not isinstance(policy, Reminded):
            return ()
        names = policy.wants(readable(turn), tuple(map(readable, recent)))
        return reminded(state, turn, names, most) if names else ()

    def _write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """What the write model makes of a turn; where it fails the turn stays an episode."""
        if echo(turn):
            return Writing()
        try:
            near = tuple(map(readable, recent))
            return self._parts.policy.write(readable(turn), near, recalled)
        except ModelError as failure:
            return Writing(understood=False, why=str(failure))

    def _inscribe(
        self,
        state: State,
        job: Job,
        vectors: Mapping[str, Any],
        *,
        tick: int,
        engram: Engram | None = None,
    ) -> Seen:
        draft = Draft(state.graph)
        session = session_hash(state, job.turn.session)
        previous = recent_episodes(state, 1, session)
        if self._settings.working:
            leave_window(draft, state, self._settings.window)
        moment = self._moment(vectors, tick, previous[0] if previous else None)
        engram = engram or self._engram
        done = engram.inscribe(draft, state, job.turn, job.writing, moment)
        delta = self._delta(draft, "observe", done, job.turn.key, job.payload, tick)
        return _seen(delta, self._live.commit(delta), done, job.writing)

    def _moment(self, vectors: Mapping[str, Any], tick: int, previous: int | None) -> Moment:
        return Moment(
            ids=self._live.ids,
            now_s=self._live.clock(),
            tick=tick,
            vectors=vectors,
            previous=previous,
        )

    def _delta(
        self, draft: Draft, kind: str, done: Inscribed, key: str | None, payload: str, tick: int
    ) -> Delta:
        return draft.delta(
            kind,
            base=self._live.state.seq,
            recorded_at=self._live.clock(),
            tick_after=tick,
            key=None if key is None else self._live.hashed("key", key),
            payload=payload,
            result={
                "episode": done.episode or NOBODY,
                "facts": list(done.facts),
                "notes": list(done.notes),
                "closed": list(done.closed),
                "confirmed": list(done.confirmed),
            },
        )

    def _recent(self, state: State, turn: Turn) -> list[Turn]:
        session = session_hash(state, turn.session)
        return turns(state, recent_episodes(state, self._settings.window, session))

    def _repeated(self, turn: Turn, payload: str) -> Seen | None:
        found = self._live.earlier(turn.key, payload)
        return None if found is None else _seen_again(found)


def _seen(delta: Delta, seq: int, done: Inscribed, writing: Writing) -> Seen:
    return Seen(
        episode_id=done.episode or NOBODY,
        delta=delta,
        seq=seq,
        facts=tuple(done.facts),
        notes=tuple(done.notes),
        closed=tuple(done.closed),
        confirmed=tuple(done.confirmed),
        understood=writing.understood,
        why=writing.why,
    )


def _seen_again(delta: Delta) -> Seen:
    result = delta.result
    return Seen(
        episode_id=int(result.get("episode", NOBODY)),
        delta=delta,
        facts=tuple(result.get("facts", ())),
        notes=tuple(result.get("notes", ())),
        closed=tuple(result.get("closed", ())),
        confirmed=tuple(result.get("confirmed", ())),
        repeated=True,
    )


def echo(turn: Turn) -> bool:
    """Whether a turn was made from memory (an answer), so that nothing new is read from it."""
    return bool(turn.attrs.get("recalled"))
