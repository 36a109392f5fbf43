"""Reading: a question becomes a plan, a query, hits. Nothing here writes.

Working memory, the last turns of a session, is read here too: a policy is shown it with every
question and every turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count as counting

from mags.errors import NotFound
from mags.index.state import State
from mags.index.tokens import ENGLISH, language
from mags.memory.inputs import Moment, readable, seconds, whole
from mags.memory.live import Live
from mags.memory.settings import Parts
from mags.ports.pausing import pause, span
from mags.ports.policy import Plan, Recalled, Route, Turn
from mags.ports.relations import canonical, normalise
from mags.recall.candidates import RecallRequest, prepare
from mags.recall.found import Found
from mags.recall.recall import first_turns, recall

TRIES = 8
"""How often a recall begins again because something was erased while it ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read: at most k hits; as of an event time and a record time (seconds; None: now).

    `speaker`: who asks, whose "I" the question's is.
    """

    k: int = 10
    speaker: str = ""
    as_of: float | None = None
    recorded_as_of: float | None = None

    @property
    def of_the_past(self) -> bool:
        """Whether another time than now is asked for."""
        return self.as_of is not None or self.recorded_as_of is not None


def read_options(
    as_of: Moment | None, recorded_as_of: Moment | None, k: int, what: str, speaker: str = ""
) -> ReadOptions:
    """The options that a caller gives; `what`: what `k` counts. Raises InvalidInput."""
    times = {"as_of": seconds(as_of), "recorded_as_of": seconds(recorded_as_of)}
    return ReadOptions(k=whole(k, f"k is how many {what}", 1), speaker=speaker, **times)


class Recaller:
    """Questions in, hits out."""

    def __init__(self, live: Live, parts: Parts) -> None:
        self._live = live
        self._parts = parts
        self._asked = counting(1)

    def recent(self, session: str | None) -> list[Turn]:
        """Working memory: the last episodes (of a session), oldest first."""
        window = self._parts.settings.window
        if not self._parts.settings.working:
            return []
        with self._live.reading() as state:
            if session:  # not kept: sessions are as many as whoever asks likes to name
                return recent_turns(state, window, session)
            return list(state.kept(("recent", window), lambda: recent_turns(state, window)))

    def plan(
        self, question: Turn, options: ReadOptions, recent: Sequence[Turn] | None = None
    ) -> Plan:
        """The ask model's plan, with the router's block weights; `as_of` asks for the past.

        `recent`: the turns before the question, those of its session where none are given.
        """
        recent = self.recent(question.session) if recent is None else recent
        question, near = readable(question), [readable(turn) for turn in recent]
        pause()
        with span("policy") as facts:
            facts["role"] = "ask"
            plan = self._parts.policy.ask(question, near)
        pause()
        if options.as_of is not None:
            plan = replace(plan, past=False)
        routed = self._parts.settings.router
        route = self._parts.policy.route(question, near) if routed else Route()
        return replace(
            plan,
            episodic=plan.episodic * route.episodic,
            semantic=plan.semantic * route.semantic,
        )

    def find(self, plan: Plan, options: ReadOptions) -> Found:
        """Recall by a plan."""
        with span("recall"):
            tries = (self._try(plan, options) for _ in range(TRIES))
            found = next((one for one in tries if one is not None), None)
        if found is None:
            raise NotFound("others keep forgetting what is being recalled: try again")
        asked = str(next(self._asked))
        key = self._live.hashed("trace", *plan.queries, str(found.trace.seq), asked)
        key = self._live.hashed(key, repr(self._live.clock()))
        return replace(found, trace=replace(found.trace, key=key))

    def _try(self, plan: Plan, options: ReadOptions) -> Found | None:
        """Recall once; None where what is recalled was erased, or all re-embedded, meanwhile."""
        settings = self._parts.settings.recall
        settings = settings if plan.tier is None else replace(settings, tier=plan.tier)
        embedder = self._live.embedder
        try:
            with self._live.reading() as state:
                query, generation = prepare(state, plan, settings), self._live.generation
            # Outside: a model may take long. The question as it is asked goes along for the look,
            # which was trained on questions of what was told, not on chains.
            looking = self._live.looking if settings.tier != "fast" else None
            told = not (query.statement or query.advice or len(plan.hops) > 1)
            asked = plan.queries[:1] if looking and told else ()
            pause()
            vectors = embedder.embed([*query.texts, *asked])[: len(query.texts)]
            look = looking.tokens(asked)[0] if looking and asked else None
            with self._live.reading(fresh=False) as state:
                if self._live.generation != generation:
                    return None
                reading = RecallRequest(
                    query=query.among(state),
                    vectors=vectors,
                    look=look,
                    k=options.k,
                    now_s=self._live.present(),
                    as_of=options.as_of,
                    recorded_as_of=options.recorded_as_of,
                )
                shows = self._parts.shows if settings.tier == "thorough" and told else None
                if shows is None or language("".join(plan.queries[:1])) != ENGLISH:
                    return recall(state, reading, settings, same_relation)
                turns = first_turns(state, reading, settings, same_relation)
            question = Turn(text=plan.queries[0], speaker=options.speaker)
            likely = zip(turns, shows(question, list(turns.values())), strict=True)
            with self._live.reading(fresh=False) as state:
                if self._live.generation != generation:
                    return None
                shown = {i: p for i, p in likely if p is not None and i in state.graph}
                reading = replace(reading, shown=shown)
                return recall(state, reading, settings, same_relation)
        except NotFound:
            with self._live.reading():
                if self._live.generation == generation:
                    raise
            return None

    def recalled_for_writer(self, turn: Turn) -> Sequence[Recalled]:
        """What the write model sees of the memory; empty unless `recalled_for_write` is set."""
        options = ReadOptions(k=self._parts.settings.recalled_for_write)
        if options.k <= 0:
            return ()
        return [
            Recalled(
                id=h.id,
                text=h.text,
                speaker=h.speaker,
                at=h.at,
                current=h.current,
                tentative=h.tentative,
            )
            for h in self.find(self.plan(turn, options), options).hits
        ]


def same_relation(asked: str, known: str) -> bool:
    """Whether two relation phrases are one relation to the table."""
    a, b = canonical(asked), canonical(known)
    if a is not None and b is not None:
        return a.name == b.name
    return normalise(asked).name == normalise(known).name


def session_hash(state: State, session: str) -> int:
    """The number a session has on its nodes; 0 for none."""
    return state.hash("session", session) if session else 0


def recent_turns(
    state: State, window: int, session: str | None = None, before: int | None = None
) -> list[Turn]:
    """The last episodes as turns, oldest first: of a session ("": of none), or of all.

    `before`: those before this one.
    """
    hashed = None if session is None else session_hash(state, session)
    episodes = state.episodes.recent(window, hashed, before)
    return [
        Turn(
            text=content.text,
            speaker=str(content.meta.get("speaker", "")),
            at=float(state.graph.node(node_id)["valid_from"][0]),
            session=str(content.meta.get("session", "")),
        )
        for node_id, content in zip(episodes, state.words(episodes), strict=True)
    ]
