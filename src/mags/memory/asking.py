"""Asking: recall, answer, and the Delta of what the answer used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mags.errors import InvalidInput, ModelError, StoreError
from mags.graph.delta import Delta, Draft
from mags.graph.records import ArcKind
from mags.memory.given import real
from mags.memory.learning import Learner
from mags.memory.live import Live
from mags.memory.offering import Offer, items, offered
from mags.memory.parts import Parts
from mags.memory.reading import Look, Reader
from mags.memory.views import Reply
from mags.memory.working import session_hash
from mags.plasticity.hebbian import Credit, Hebb, Moment, recharge
from mags.ports.answer import Answer, ContextItem
from mags.ports.policy import Turn
from mags.recall.found import Found, HitTrace, Trace

ACTIVE = 1.0
"""Activation of a cited node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How to ask: the look, where pieces of the answer go, whether what the model wants
    remembered is stored at once.
    """

    look: Look
    on_text: Callable[[str], None] | None = None
    learn: bool = True


class Asker:
    """Questions in, replies out; what was cited is strengthened."""

    def __init__(self, live: Live, parts: Parts, reader: Reader, learner: Learner) -> None:
        """Answers with the answerer of `parts` from what `reader` finds."""
        self._learner = learner
        self._live = live
        self._parts = parts
        self._reader = reader

    def ask(self, question: Turn, asking: Asking) -> tuple[Reply, Delta | None]:
        """Recall, answer, wire together what was cited, learn what the model says; one tick.

        Returns the reply and the Delta, None where it could not be written.
        """
        recent = self._reader.recent(question.session)
        plan = self._reader.plan(question, recent, asking.look)
        found = self._reader.find(plan, asking.look)
        offers = self._offered(found)
        seen = {offer.hit.id: offer for offer in offers}
        later: list[HitTrace] = []

        def recall_again(query: str) -> list[ContextItem]:
            again = replace(plan, queries=(query,), entities=(), hops=())
            found_again = self._reader.find(again, asking.look)
            later.extend(found_again.trace.hits)
            more = self._offered(found_again)
            seen.update({offer.hit.id: offer for offer in more if offer.hit.id not in seen})
            return items(more)

        answer = self._parts.answerer.answer(
            question,
            items(offers),
            recent=recent,
            recall_again=recall_again,
            on_text=asking.on_text,
        )
        cited = tuple(i for i in answer.citations if i in seen)
        trace = _with_later(found.trace, later, cited, answer.queries)
        delta, warnings = self._strengthened(question, cited, answer)
        reply = Reply(
            text=answer.text,
            citations=tuple(seen[i].citation for i in cited),
            trace=trace,
            usage=answer.usage if self._parts.spent is None else self._parts.spent(),
            support=answer.support,
            answerer=answer.by or self._parts.answerer.name,
            fallback=answer.fallback,
            found=found,
            warnings=warnings,
            operations=answer.operations,
        )
        if asking.learn and answer.operations:
            reply = self.learnt(question, reply, past=asking.look.of_the_past)
        return reply, delta

    def learnt(
        self,
        question: Turn,
        reply: Reply,
        *,
        past: bool = False,
        key: str | None = None,
        ticks: int = 0,
    ) -> Reply:
        """The reply, with what its model wants remembered stored; see `Learner.learn`.

        What is said of the past as it was known is not stored; the warnings tell, as they do
        of what could not be.
        """
        why = "it was asked of the past" if past else ""
        if self._live.read_only:
            why = "the memory is read_only"
        try:
            learnt = None if why else self._learner.learn(question, reply, key=key, ticks=ticks)
        except (StoreError, ModelError) as failure:
            learnt, why = None, str(failure)
        if not why:
            return replace(reply, learnt=learnt)
        told = f"what the model wants remembered was not stored: {why}"
        return replace(reply, warnings=(*reply.warnings, told))

    def _offered(self, found: Found) -> list[Offer]:
        with self._live.reading() as state:
            return offered(state, found, self._reader.present(state))

    def _strengthened(
        self, question: Turn, cited: Sequence[int], answer: Answer
    ) -> tuple[Delta | None, tuple[str, ...]]:
        """The answer is there: that nothing can be written now must not take it away."""
        if self._live.read_only:
            return None, ("the memory is read_only: what was cited was not strengthened",)
        try:
            return self._strengthen(question, cited, answer), ()
        except StoreError as failure:
            return None, (f"what was cited was not strengthened: {failure}",)

    def _strengthen(self, question: Turn, cited: Sequence[int], answer: Answer) -> Delta:
        """Count the turn; recharge and wire what was cited and what the answer connected."""
        with self._live.writing() as state:
            draft = Draft(state.graph)
            tick = state.graph.tick + 1
            alive = [i for i in cited if i in state.graph]
            recharge(draft, alive, tick=tick)
            if self._parts.settings.hebb and len(alive) > 1:
                moment = Moment(tick=tick, day=self._day(question))
                Hebb()(draft, dict.fromkeys(alive, ACTIVE), moment=moment)
            for a, b in answer.links:
                if self._parts.settings.hebb and a in state.graph and b in state.graph:
                    moment = Moment(tick=tick, day=self._day(question))
                    Hebb()(draft, {a: ACTIVE, b: ACTIVE}, moment=moment)
            delta = draft.delta(
                "ask", base=state.seq, recorded_at=self._live.clock(), tick_after=tick
            )
            self._live.commit(delta)
            return delta

    def _day(self, question: Turn) -> int:
        if question.session:
            return session_hash(self._live.state, question.session) >> 1
        return int(question.at // 86_400)

    def credit(self, trace: Trace, reward: float | None) -> bool:
        """Strengthen or weaken the associations that led to what was cited; once a trace.

        Without a reward: 1 if the answer cited anything, else 0. Returns whether it counted.
        """
        trace = _trace(trace)
        value = (1.0 if trace.cited else 0.0) if reward is None else reward
        if not (real(value) and -1.0 <= value <= 1.0):
            raise InvalidInput(f"a reward lies in [-1, 1], not {value!r}", reward=value)
        payload = self._live.payload(trace=trace.key)
        key = f"feedback:{trace.key}"
        if self._live.earlier(key, payload) is not None:
            return False
        with self._live.writing() as state:
            if self._live.earlier(key, payload) is not None:
                return False
            draft = Draft(state.graph)
            shares = path_shares(trace)
            Credit()(draft, shares, reward=value, tick=state.graph.tick)
            if value > 0:
                used = [i for i in trace.cited if i in state.graph]
                recharge(draft, used, tick=state.graph.tick, share=0.5 * value)
            delta = draft.delta(
                "feedback",
                base=state.seq,
                recorded_at=self._live.clock(),
                key=self._live.hashed("key", key),
                payload=payload,
            )
            self._live.commit(delta)
        return True


def _trace(given: object) -> Trace:
    """What was given, if it is a trace; raises InvalidInput."""
    if isinstance(given, Trace):
        return given
    kind = type(given).__name__
    raise InvalidInput(f"feedback takes a trace, as reply.trace or found.trace, not {kind}")


def _with_later(
    trace: Trace, later: Sequence[HitTrace], cited: tuple[int, ...], queries: tuple[str, ...]
) -> Trace:
    """A trace with what was cited of the hits that were recalled again, and by which queries."""
    known = {hit.id for hit in trace.hits}
    fresh = {hit.id: hit for hit in reversed(later) if hit.id in cited and hit.id not in known}
    hits = (*trace.hits, *(fresh[i] for i in cited if i in fresh))
    return replace(trace, hits=hits, cited=cited, again=queries)


def path_shares(trace: Trace) -> dict[tuple[int, int], float]:
    """Share of each association in the paths of the cited hits (of all hits if none cited).

    An arc that lies on every one of those paths has share 1.
    """
    wanted = [h for h in trace.hits if not trace.cited or h.id in trace.cited]
    counts: dict[tuple[int, int], int] = {}
    for hit in wanted:
        for step in hit.path:
            if step.kind == ArcKind.ASSOCIATION:
                counts[(step.src, step.dst)] = counts.get((step.src, step.dst), 0) + 1
    return {arc: n / len(wanted) for arc, n in counts.items()}
