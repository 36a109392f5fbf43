"""Asking: recall, answer, and what the answer changes.

What was cited is recharged and wired together. A model may also say what it wants remembered: that
is written as an engram of the turn. A reward strengthens the paths that led to what was cited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mags.errors import InvalidInput, ModelError, StoreError
from mags.graph.delta import Delta, Draft
from mags.graph.records import NEVER, ArcKind, Grade, NodeFlag, NodeKind
from mags.index.state import State, date_words
from mags.memory.inputs import real
from mags.memory.live import Live
from mags.memory.meant import is_meant, is_said
from mags.memory.observing import Observer
from mags.memory.reading import ReadOptions, Recaller, session_hash
from mags.memory.settings import Parts
from mags.memory.views import Citation, Recitals, Reply
from mags.memory.weights import Recital, Weights, count_recitals
from mags.plasticity.hebbian import Credit, Hebb, recharge
from mags.ports.answer import Answer, Budgeted, ContextItem, OnText
from mags.ports.english import FIRST_PERSON
from mags.ports.pausing import span
from mags.ports.policy import ASSISTANTS, Operation, Plan, Turn, Writing
from mags.recall.found import Found, Hit, HitTrace, TaughtFrom, Trace, moment_of
from mags.recall.recall import fact_view, sources

ANSWERS_AS = "mags"
"""Speaker of remembered answers."""
MADE_FROM_MEMORY = {"recalled": "yes"}
"""Attributes of a turn that was made from memory."""
ONLY_ASKS = {"asks": "yes"}
"""Attributes of a turn that surely asks, and tells nothing."""
TRUST = 0.5
"""Factor of the confidence of what the assistant says: less than what a user says as surely."""
SAID = ("fact", "note")
"""Kinds of hits that are said in an episode."""
UNLED = Hit(id=0, text="", score=1.0, kind="fact", episode_ids=(), fact=None)
"""What stands for the hit that a recited fact came out with: nothing led to it."""
RECITED = ("text", "outcome", "citations", "support", "links", "by")
"""Of an answer, what comes from weights where recall agrees with them; the rest is recall's."""
MOST_OTHERWISE = 3
"""How many who say otherwise an answer names, the first first."""


class Asker:
    """Questions in, replies out; what was cited is strengthened."""

    def __init__(self, live: Live, parts: Parts, recaller: Recaller, observer: Observer) -> None:
        self._live = live
        self._parts = parts
        self._recaller = recaller
        self._observer = observer
        self._weights = Weights(live, parts)

    def ask(
        self,
        question: Turn,
        options: ReadOptions,
        on_text: OnText | None = None,
        *,
        learn: bool = True,
        recite: bool = True,
    ) -> tuple[Reply, Delta | None]:
        """Recall, answer, wire together what was cited, learn what the model says; one tick.

        Without `learn` what the model wants remembered is only told in the reply; with `recite` a
        model's weights are asked first, where they are used. Returns the reply and the Delta, None
        where it could not be written.
        """
        with self._parts.counting() as used:
            recital = self._weights.recite(question, options) if recite else Recital()
            reply, delta = self._ask(question, options, on_text, recital, learn=learn)
            # A model that nobody meters tells itself what it cost.
            return (replace(reply, usage=used()) if used().calls else reply), delta

    @property
    def hits(self) -> int:
        """Hits to answer from where nobody says how many."""
        return self._wished or self._parts.settings.answer_k

    @property
    def _wished(self) -> int:
        """Hits that a language model wishes for; 0 where none answers."""
        answerer = self._parts.answerer
        return answerer.hits if isinstance(answerer, Budgeted) else 0

    def _ask(
        self,
        question: Turn,
        options: ReadOptions,
        on_text: OnText | None,
        recital: Recital,
        *,
        learn: bool,
    ) -> tuple[Reply, Delta | None]:
        said = recital.answer
        got = self._got(question, options, on_text, recital)
        answer, seen = got.answer, got.seen
        if said is not None and on_text is not None:
            on_text(answer.text)
        cited = tuple(i for i in answer.citations if i in seen)
        others = (*self._otherwise(cited, options), *_added(cited, seen))
        told = "".join(f"\n{_contradicting(one)}" for one in others)
        if told and on_text is not None:
            on_text(told)
        delta: Delta | None = None
        warning = "the memory is read_only: what was cited was not strengthened"
        if not self._live.read_only:
            try:
                delta = self._strengthen(question, answer, got.recitals)
            except StoreError as failure:  # the answer is there, and is given all the same
                warning = f"what was cited was not strengthened: {failure}"
        # With what was cited of the hits that were recalled again, and by which queries.
        trace = got.found.trace
        fresh = {hit.id: hit for hit in reversed(got.later)}
        for hit in trace.hits:
            fresh.pop(hit.id, None)
        hits = (*trace.hits, *(fresh[i] for i in cited if i in fresh))
        trace = replace(trace, hits=hits, cited=cited, again=answer.queries)
        reply = Reply(
            text=answer.text + told,
            citations=tuple(seen[i].citation for i in cited),
            trace=replace(trace, weights=got.weights),
            usage=answer.usage + recital.usage,
            support=answer.support,
            answerer=answer.by or self._parts.answerer.name,
            fallback=answer.fallback,
            found=got.found,
            warnings=(
                *recital.warnings,
                *got.warnings,
                *answer.warnings,
                *([answer.fallback] if answer.fallback else ()),
                *([warning] if delta is None else ()),
            ),
            operations=answer.operations,
            otherwise=others,
            outcome=answer.outcome,
            weights=got.weights,
        )
        if learn and answer.operations:
            reply = self.learnt(question, reply, past=options.of_the_past)
        return reply, delta

    def _got(
        self, question: Turn, options: ReadOptions, on_text: OnText | None, recital: Recital
    ) -> _Answered:
        """What was recited where recall may be left out, else what was recalled, both compared."""
        said, how = recital.answer, self._parts.weights.recall
        # A turn that waits to be read may say otherwise: recall finds it.
        waits = self._observer.waiting()
        if said is not None and how == "skip" and not waits:
            return self._recited(question, recital, said)
        recent = self._recaller.recent(question.session)
        plan = self._recaller.plan(question, options, recent)
        if said is None:
            return self._recalled(question, options, on_text, plan, recent)
        if how == "auto" and not waits:
            with self._live.reading() as state:
                there = all(i in state.graph for one in recital.path for i in one.ids)
                meant = there and is_meant(state, recital.path, question, plan)
            if meant:
                return replace(self._recited(question, recital, said), warnings=plan.warnings)
        # What is to be compared first is not streamed.
        got = self._recalled(question, options, None, plan, recent)
        return self._settled(question, got, recital, said)

    def _recalled(
        self,
        question: Turn,
        options: ReadOptions,
        on_text: OnText | None,
        plan: Plan,
        recent: Sequence[Turn],
    ) -> _Answered:
        found = self._recaller.find(plan, options)
        shown = self.context_hits(found, plan)
        seen = {one.hit.id: one for one in shown}
        later: list[HitTrace] = []

        def recall_again(query: str) -> list[ContextItem]:
            again = replace(plan, queries=(query,), entities=(), hops=(), members=None)
            found_again = self._recaller.find(again, options)
            later.extend(found_again.trace.hits)
            more = self.context_hits(found_again, plan)
            seen.update({one.hit.id: one for one in more if one.hit.id not in seen})
            return [one.item for one in more]

        with span("answer"):
            answer = self._parts.answerer.answer(
                question,
                [one.item for one in shown],
                recent=recent,
                recall_again=recall_again,
                on_text=on_text,
            )
        return _Answered(answer=answer, found=found, seen=seen, later=later, warnings=plan.warnings)

    def _recited(self, question: Turn, recital: Recital, said: Answer) -> _Answered:
        """An answer from weights, with what was recited in the place of what is recalled."""
        with self._live.reading() as state:
            there = [i for i in said.citations if i in state.graph]
            present = self._live.present()
            hits = tuple(_fact_beside(state, UNLED, i, present, None) for i in there)
            trace = Trace(
                tick=state.graph.tick,
                seq=state.seq,
                queries=(question.text,),
                anchors=(),
                chain=tuple(there),
                key=self._live.hashed("trace", question.text, repr(self._live.clock())),
                hits=tuple(
                    HitTrace(
                        id=hit.id,
                        score=hit.score,
                        anchor=0,
                        path=(),
                        features={},
                        shares={},
                        sources=hit.episode_ids,
                        valid_from=float(state.graph.view(hit.id)["valid_from"][0]),
                        valid_to=float(state.graph.view(hit.id)["valid_to"][0]),
                    )
                    for hit in hits
                ),
            )
            seen = {hit.id: _context_hit(state, hit, None, None) for hit in hits}
        return _Answered(
            answer=said,
            found=Found(hits=hits, trace=trace),
            seen=seen,
            weights=recital.taught,
            recitals=Recitals(skipped=1),
        )

    def _settled(
        self, question: Turn, recalled: _Answered, recital: Recital, said: Answer
    ) -> _Answered:
        """What was recited, if recall does not disagree; else what was recalled, and says so.

        Where recall has no answer a path must at least be of what the question speaks of.
        """
        answer, cost = recalled.answer, recalled.answer.usage
        if answer.outcome != "answered" and not is_said(question.text, recital.path):
            return recalled
        tokens = cost.prompt_tokens + cost.completion_tokens
        if not recital.agrees(answer):
            told = f"The weights said otherwise: {said.text.replace('[m', '(m').replace(']', ')')}"
            answer = replace(answer, text=f"{answer.text}\n{told}")
            counted = Recitals(disagreed=1, tokens=tokens)
            return replace(recalled, answer=answer, recitals=counted)
        own = self._recited(question, recital, said)
        return replace(
            recalled,
            answer=replace(answer, **{name: getattr(said, name) for name in RECITED}),
            seen={**own.seen, **recalled.seen},
            weights=recital.taught,
            recitals=Recitals(agreed=1, tokens=tokens),
        )

    def credit(self, trace: object, reward: float | None) -> bool:
        """Strengthen or weaken the associations that led to what was cited; once a trace.

        Without a reward: 1 if the answer cited anything, else 0. Returns whether it counted.
        """
        if not isinstance(trace, Trace):
            kind = type(trace).__name__
            raise InvalidInput(
                f"feedback takes a trace, as reply.trace or found.trace, not {kind}",
                field="trace",
                given=trace,
            )
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
            Credit()(draft, path_shares(trace), reward=value, tick=state.graph.tick)
            if value > 0:
                used = [i for i in trace.cited if i in state.graph]
                recharge(draft, used, tick=state.graph.tick, share=0.5 * value)
            self._live.commit_draft(draft, "feedback", key=key, payload=payload)
        return True

    def context_hits(self, found: Found, plan: Plan) -> list[ContextHit]:
        """What is shown of what was found; of those whom the question names, whatever they say."""
        named = frozenset(name.casefold() for name in plan.entities)
        with self._live.reading() as state:
            present = self._live.present()
            shown = context_hits(state, found, present, named)
            moment = present if found.trace.as_of is None else found.trace.as_of
            return with_neighbours(state, shown, moment) if self._wished else shown

    def cited(self, ids: Sequence[int]) -> tuple[Citation, ...]:
        """Memories as an answer cites them, by the first who said each."""
        with self._live.reading() as state:
            return tuple(_citation(state, i) for i in ids if i in state.graph)

    def _otherwise(self, cited: Sequence[int], options: ReadOptions) -> tuple[Citation, ...]:
        """What others say against what is cited, and has not been settled, the first first."""
        with self._live.reading() as state:
            present = self._live.present() if options.as_of is None else options.as_of
            facts = dict.fromkeys(fact for i in cited for fact in _facts_of(state, i))
            against = (
                i
                for fact in facts
                for i in state.slots.disputing(fact, present, options.recorded_as_of)
            )
            found = [replace(_citation(state, i), disputed=True) for i in dict.fromkeys(against)]
        return tuple(sorted(found, key=lambda one: (one.at is None, one.at, one.id)))[
            :MOST_OTHERWISE
        ]

    # -- what an answer changes -----------------------------------------------------

    def _strengthen(self, question: Turn, answer: Answer, recitals: Recitals) -> Delta:
        """Count the turn and its recital; recharge and wire what was cited and what it connected.

        What is only shown as closest has answered nothing: it gets no charge.
        """
        cited = answer.citations if answer.outcome == "answered" else ()
        links = answer.links if answer.outcome == "answered" else ()
        with self._live.writing() as state:
            draft = Draft(state.graph)
            tick = state.graph.tick + 1
            alive = [i for i in cited if i in state.graph]
            recharge(draft, alive, tick=tick)
            pairs = [link for link in links if all(i in state.graph for i in link)]
            day = int(question.at // 86_400)
            if question.session:
                day = session_hash(state, question.session) >> 1
            for together in (alive, *pairs) if self._parts.settings.hebb else ():
                if len(together) > 1:
                    Hebb()(draft, dict.fromkeys(together, 1.0), tick=tick, day=day)
            if recitals != Recitals():
                count_recitals(self._live.store, recitals)
            return self._live.commit_draft(draft, "ask", tick_after=tick)

    def learnt(
        self,
        question: Turn,
        reply: Reply,
        *,
        past: bool = False,
        key: str | None = None,
        ticks: int = 0,
    ) -> Reply:
        """The reply, with what its model wants remembered stored; its text is the episode.

        The arbiter judges it as what anybody says. What was recalled and is only said again
        is confirmed and no surer for it. What is said of the `past` as it was known is not
        stored; the warnings tell, as they do of what could not be.
        """
        turn = replace(
            question, text=reply.text, speaker=ANSWERS_AS, key=key, attrs=MADE_FROM_MEMORY
        )
        writing = Writing(operations=distrusted(reply.operations, question.speaker))
        payload = self._live.payload(learnt=key or "")
        why = "it was asked of the past" if past else ""
        if self._live.read_only:
            why = "the memory is read_only"
        if not why:
            try:
                seen = self._observer.learn(turn, writing, payload=payload, ticks=ticks)
                return replace(reply, learnt=seen)
            except (StoreError, ModelError) as failure:
                why = str(failure)
        told = f"what the model wants remembered was not stored: {why}"
        return replace(reply, warnings=(*reply.warnings, told))


def distrusted(operations: Sequence[Operation], asker: str) -> tuple[Operation, ...]:
    """Operations of the assistant, less sure than a user's; its "I" in them is who asked."""

    def of(one: Operation) -> Operation:
        ends = (
            asker if name.strip().casefold() in FIRST_PERSON else name
            for name in (one.subject, one.object)
        )
        subject, object_ = ends
        return replace(one, subject=subject, object=object_, confidence=TRUST * one.confidence)

    return tuple(map(of, operations))


def path_shares(trace: Trace) -> dict[tuple[int, int], float]:
    """Share of each association in the paths of the cited hits (of all hits if none cited).

    An arc that lies on every one of those paths has share 1.
    """
    wanted = [h for h in trace.hits if not trace.cited or h.id in trace.cited]
    counts = Counter(
        (step.src, step.dst)
        for hit in wanted
        for step in hit.path
        if step.kind == ArcKind.ASSOCIATION
    )
    return {arc: n / len(wanted) for arc, n in counts.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """An answer, what it was made from by id, and what was recalled once more for it.

    `recitals`: what is counted of it.
    """

    answer: Answer
    found: Found
    seen: dict[int, ContextHit]
    later: Sequence[HitTrace] = ()
    warnings: tuple[str, ...] = ()
    weights: TaughtFrom | None = None
    recitals: Recitals = field(default_factory=Recitals)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextHit:
    """A hit, and what the answerer sees of it."""

    hit: Hit
    item: ContextItem

    @property
    def citation(self) -> Citation:
        """It as a citation."""
        return Citation(
            id=self.hit.id,
            text=self.hit.text,
            speaker=self.item.speaker,
            at=moment_of(self.item.at) if self.item.at != NEVER else None,
            episode_ids=self.hit.episode_ids,
            since=None if self.item.valid_from is None else moment_of(self.item.valid_from),
            until=None if self.item.valid_to is None else moment_of(self.item.valid_to),
            tentative=self.item.tentative,
            disputed=self.item.disputed,
        )


def context_hits(
    state: State, found: Found, now_s: float, named: frozenset[str] = frozenset()
) -> list[ContextHit]:
    """Hits best first, each followed by the facts that came out as one with it.

    What was forgotten meanwhile is left out, and so is a guess where something is surely held in
    its place; the turn it came from stands for itself. In the place of what is disputed, fact or
    turn, stands what is held of a higher grade, unless the question names who said it (`named`,
    folded). Facts of a followed chain carry their step, those of a class whom they are of.
    """
    known = found.trace.recorded_as_of
    moment = now_s if found.trace.as_of is None else found.trace.as_of
    context = _Context(state, found, (moment, known), named)
    for hit in found.hits:
        if hit.id not in state.graph:
            continue
        within = hit.id if context.add(hit, hit, None) else None
        for i in hit.members:
            if i not in state.graph:
                continue
            kind = state.kind(i)
            if kind == NodeKind.FACT:
                member = _fact_beside(state, hit, i, moment, known)
            elif kind == NodeKind.EPISODE and hit.fact is not None:
                member = _turn_of(state, hit, i)
            else:
                continue
            member = replace(member, members=(), anchor=i in found.trace.anchors)
            context.add(member, hit, within)
    for i in context.members:  # a class is shown whole, however few hits are
        if i in state.graph:
            context.add(_fact_beside(state, UNLED, i, moment, known), UNLED, None)
    return context.shown


def with_neighbours(state: State, shown: Sequence[ContextHit], moment: float) -> list[ContextHit]:
    """The same, each turn followed by the turn that it answers, or that answers it.

    Two turns answer each other where one follows the other, by somebody else, and the first asks.
    A turn is no longer true where news ended all that it told, not where that ended as it said.
    """
    there = {one.hit.id for one in shown}
    out: list[ContextHit] = []
    for one in shown:
        if one.hit.kind != "episode":
            out.append(one)
            continue
        true = one.item.current or not _ended_by_news(state, one.hit.id, moment)
        out.append(replace(one, item=replace(one.item, current=true)))
        for turn in _answering(state, one.hit.id):
            if turn not in there:
                there.add(turn)
                made = _context_hit(state, _turn_of(state, one.hit, turn), None, None)
                true = not _ended_by_news(state, turn, moment)
                out.append(replace(made, item=replace(made.item, beside=one.hit.id, current=true)))
    return out


def _ended_by_news(state: State, episode: int, moment: float) -> bool:
    """Whether all facts of a turn are over, and not all of them as they were told to be."""
    facts = [(fact, state.graph.view(fact)[0]) for fact in _facts_of(state, episode)]
    return all(float(node["valid_to"]) <= moment for _, node in facts) and any(
        float(node["closed_at"]) > float(node["recorded_at"])
        or state.graph.origins(fact, ArcKind.SUPERSEDES)
        for fact, node in facts
    )


def _answering(state: State, episode: int) -> list[int]:
    """The turn before, where that asks, and the turn after, where this one asks."""
    graph = state.graph
    pairs = [(before, episode) for before in graph.origins(episode, ArcKind.NEXT)]
    pairs += [(episode, after) for after in graph.targets(episode, ArcKind.NEXT)]
    return [
        first if second == episode else second
        for first, second in pairs
        if int(graph.view(first)["flags"][0]) & NodeFlag.QUESTION
        and int(graph.view(first)["subject"][0]) != int(graph.view(second)["subject"][0])
    ]


class _Context:
    """Collects what an answerer sees, each once."""

    def __init__(
        self,
        state: State,
        found: Found,
        when: tuple[float, float | None],
        named: frozenset[str],
    ) -> None:
        """`when`: the event time, and the record time, that is asked about; `named`: folded."""
        self.shown: list[ContextHit] = []
        self._state, self._when, self._named = state, when, named
        self._order = {fact: step for step, fact in enumerate(found.trace.chain)}
        self.members: dict[int, tuple[str, ...]] = {}
        for member, *facts in found.trace.members:
            name = state.content(member).text if member in state.graph else ""
            for fact in facts if name else ():
                self.members[fact] = (*self.members.get(fact, ()), name)
        self._there: set[int] = set()
        self._alone = state.alone({i for name in ASSISTANTS for i in state.names.find(name)})

    def add(self, hit: Hit, lead: Hit, within: int | None) -> bool:
        """Add a hit, or what stands in its place; returns whether it was added."""
        slots, rows = self._state.slots, self._state.graph.rows([hit.id])
        if hit.id in self._there or slots.outdone(rows, *self._when)[0]:
            return False
        asked = hit.disputed and hit.speaker.casefold() in self._named
        instead = [] if asked else slots.outranked(hit.id, *self._when)
        for fact in instead:
            if fact not in self._there:
                beside = replace(_fact_beside(self._state, lead, fact, *self._when), members=())
                self._put(beside, None)
        if not instead:
            self._put(hit, within)
        return not instead

    def _put(self, hit: Hit, within: int | None) -> None:
        self._there.add(hit.id)
        one = _context_hit(self._state, hit, self._order.get(hit.id), within)
        grade = int(Grade[hit.fact.grade.upper()]) if hit.fact and hit.fact.grade else 0
        if grade and not self._alone:
            one = replace(one, item=replace(one.item, grade=grade))
        if self.members:
            told = _facts_of(self._state, hit.id) if hit.kind == "episode" else []
            over = any(float(self._state.graph.view(i)["valid_to"][0]) < NEVER for i in told)
            named = self.members.get(hit.id, ())
            one = replace(one, item=replace(one.item, members=named, ended=over))
        self.shown.append(one)


def _fact_beside(state: State, lead: Hit, fact: int, moment: float, known: float | None) -> Hit:
    """A fact as a hit of its own, at the score of the one it came out with."""
    node = state.graph.node(fact)[0]
    ends = float(node["valid_to"])
    if known is not None and float(node["closed_at"]) > known:
        ends = NEVER
    view = fact_view(state, fact, ends)
    begins = float(node["valid_from"])
    return replace(
        lead,
        id=fact,
        text=view.text,
        kind="fact",
        episode_ids=tuple(sources(state.graph, fact)),
        fact=view,
        speaker=view.speaker,
        disputed=view.disputed,
        at=begins if abs(begins) < NEVER else float(node["recorded_at"]),
        current=ends > moment,
    )


def _turn_of(state: State, lead: Hit, episode: int) -> Hit:
    """The turn a fact came from as a hit of its own; as current as the fact."""
    content = state.content(episode)
    return replace(
        lead,
        id=episode,
        text=content.text,
        kind="episode",
        episode_ids=(episode,),
        fact=None,
        speaker=str(content.meta.get("speaker", "")),
        session=str(content.meta.get("session", "")),
        at=float(state.graph.node(episode)["valid_from"][0]),
        disputed=bool(int(state.graph.view(episode)["flags"][0]) & NodeFlag.DISPUTED),
    )


def _context_hit(state: State, hit: Hit, step: int | None, within: int | None) -> ContextHit:
    fact, begins = hit.fact, None
    speaker, at = hit.speaker, hit.at
    if hit.kind in SAID:
        speaker, at = _first_said(state, hit)
        node = state.graph.node(hit.id)[0]
        if int(node["flags"]) & NodeFlag.STATED:
            begins = float(node["valid_from"])
    return ContextHit(
        hit=hit,
        item=ContextItem(
            id=hit.id,
            text=hit.text,
            kind=hit.kind,
            at=at,
            speaker=speaker,
            current=hit.current,
            tentative=hit.tentative,
            disputed=hit.disputed,
            score=hit.score,
            fact=None if fact is None else (fact.subject, fact.relation, fact.object),
            valid_from=begins,
            valid_to=fact.valid_to.timestamp() if fact and fact.valid_to else None,
            step=step,
            within=within,
            qualifiers=() if fact is None else fact.qualifiers,
            echoes=hit.kind == "episode" and _echoes(state, hit.id),
        ),
    )


def _echoes(state: State, episode: int) -> bool:
    """Whether a turn tells nothing that is not held elsewhere: a question, or an answer to one."""
    if int(state.graph.view(episode)["flags"][0]) & NodeFlag.RECALLED:
        return True
    attrs = state.content(episode).meta.get("attrs")
    return isinstance(attrs, Mapping) and ONLY_ASKS.items() <= attrs.items()


def _facts_of(state: State, node_id: int) -> list[int]:
    """A fact itself, or the facts that a turn told."""
    if node_id not in state.graph:
        return []
    if state.kind(node_id) == NodeKind.FACT:
        return [node_id]
    return state.graph.origins(node_id, ArcKind.SOURCE)


def _citation(state: State, node_id: int) -> Citation:
    """A fact or episode, by the first who said it."""
    said = sorted(state.graph.targets(node_id, ArcKind.SOURCE)) or [node_id]
    first = state.content(said[0])
    node = state.graph.view(said[0])[0]
    return Citation(
        id=node_id,
        text=state.content(node_id).text,
        speaker=str(first.meta.get("speaker", "")),
        at=moment_of(float(node["valid_from"])),
        episode_ids=tuple(i for i in said if state.kind(i) == NodeKind.EPISODE),
    )


def _added(cited: Sequence[int], seen: Mapping[int, ContextHit]) -> list[Citation]:
    """What others say beside somebody's own word, of the same subject and relation."""
    own: dict[tuple[str, ...], int] = {}
    for i in cited:
        item = seen[i].item
        if item.fact is not None and item.current:
            own[item.fact[:2]] = max(own.get(item.fact[:2], 0), item.grade)
    return [
        one.citation
        for i, one in seen.items()
        if i not in cited
        and one.item.current
        and one.item.fact is not None
        and one.item.grade < own.get(one.item.fact[:2], 0)
    ][:MOST_OTHERWISE]


def _contradicting(other: Citation) -> str:
    """Who says otherwise or more, when, and what: a line below an answer."""
    day = "" if other.at is None else f" on {date_words(other.at.timestamp())}"
    text = " ".join(other.text.split()).replace("[m", "(m")  # words must not look like a citation
    how = "said otherwise" if other.disputed else "added"
    who = f"{other.speaker} {how}" if other.speaker else f"It was {how}"
    return f"{who}{day}: \u201c{text}\u201d [m{other.id}]"


def _first_said(state: State, hit: Hit) -> tuple[str, float]:
    """Who said it first and when; of what nobody said, when it began."""
    said = [
        (float(state.graph.node(i)["valid_from"][0]), i)
        for i in state.graph.targets(hit.id, ArcKind.SOURCE)
        if i in state.graph
    ]
    if not said:
        return hit.speaker, hit.at
    at, episode = min(said)
    return str(state.content(episode).meta.get("speaker", "")), at
