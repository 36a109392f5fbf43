"""Conversing: a whole turn is routed, answered from memory, and remembered with its answer.

Nothing is erased here: a command to forget is told what it may mean. A correction is made where
what it is of, and what is right, can both be told; else it is an ordinary turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mags.errors import InvalidInput, ModelError
from mags.graph.records import NodeFlag, NodeKind
from mags.memory.asking import ANSWERS_AS, MADE_FROM_MEMORY, ONLY_ASKS, Asker
from mags.memory.correcting import Corrector
from mags.memory.inputs import readable
from mags.memory.live import Live
from mags.memory.reading import ReadOptions, Recaller, session_hash
from mags.memory.settings import Parts
from mags.memory.views import Citation, Reply, Seen
from mags.ports.answer import OnText
from mags.ports.chat import Usage
from mags.ports.policy import (
    ASKING,
    MYSELF,
    Intent,
    IntentKind,
    Turn,
    asked_in,
    named,
    names_all,
    overview_of,
    to_forget,
    wants_all,
)
from mags.recall.found import Trace

MOST_MEANT = 5
"""Memories that a command to forget may mean, shown with their ids."""
LONGEST_ROUTED = 1_000
"""Letters of a turn up to which it is routed; longer ones are documents, which tell."""
LOOKED_AT = 3
"""Turns back to which a correction may refer."""
TELLING: frozenset[IntentKind] = frozenset(("tell", "correct", "small talk"))
NOTHING_NAMED = "Nothing was erased: nothing that I hold names {topic!r}."
TOO_MUCH = (
    "Nothing was erased. I erase one thing at a time: say which, by a name or by its id. "
    "To erase everything, delete the file of this memory."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """How a turn is written. `observe` remembers it, or another turn in its place.

    `correct` denies a fact, by its id, on the word of this turn, and holds what is right instead.
    """

    observe: Callable[..., Seen]
    correct: Callable[[int, str | None], Seen]


class Converser:
    """Turns in, replies out."""

    def __init__(
        self, live: Live, parts: Parts, recaller: Recaller, asker: Asker, corrector: Corrector
    ) -> None:
        self._live = live
        self._parts = parts
        self._recaller = recaller
        self._asker = asker
        self._corrector = corrector

    def converse(self, turn: Turn, writes: Writes, on_text: OnText | None) -> Reply:
        """The reply to a turn, which is remembered by then, as the answer is.

        What surely asks is answered, with or without its mark. A command to forget is neither
        remembered nor obeyed: the reply shows what it may mean and how to erase that.
        """
        intent = self._intent(turn)
        reply = None
        if intent.kind == "forget":
            reply = self._to_forget(turn)
        elif intent.kind == "correct":
            reply = self._corrected(turn, writes)
        if reply is None:
            reply = self._answered(turn, intent, writes, on_text)
        return replace(reply, intent=intent.kind)

    def _intent(self, turn: Turn) -> Intent:
        router = self._parts.router
        if router is None or len(turn.text) > LONGEST_ROUTED:
            return Intent()
        embedder = self._live.embedder  # the turn is embedded in any case, and that is kept
        vector = embedder.embed([turn.text])[0] if embedder.name == router.reads else None
        return router.intent(turn.text, vector)

    def _answered(
        self, turn: Turn, intent: Intent, writes: Writes, on_text: OnText | None
    ) -> Reply:
        asks = intent.kind in ASKING
        quiet = intent.kind == "small talk" and not self._parts.has_model  # no model to chat with
        recent = [readable(other) for other in self._recaller.recent(turn.session)]
        reply = None
        try:
            if asks or (not quiet and self._parts.policy.route(readable(turn), recent).recall):
                options = ReadOptions(k=self._asker.hits, speaker=turn.speaker)
                question = self._question(turn, intent)
                # Only a plain question: of the rest it is not asked what a fact answers.
                recite = intent.kind == "ask"
                reply, _ = self._asker.ask(question, options, on_text, learn=False, recite=recite)
        except ModelError:
            # What was said is remembered, whoever fails to answer it.
            writes.observe()
            raise
        only = intent.sure and asks and intent.kind != "tell and ask"
        seen = writes.observe(attrs=ONLY_ASKS) if only else writes.observe()
        if reply is None or (not asks and self._only_told(reply, seen, intent)):
            noted = self._noted(seen, intent)
            return replace(noted, fallback=None if reply is None else reply.fallback)
        key = None if turn.key is None else f"{turn.key}:answer"
        if reply.operations:
            reply = self._asker.learnt(turn, reply, key=key, ticks=1)
        elif reply.citations and reply.outcome == "answered":
            writes.observe(text=reply.text, speaker=ANSWERS_AS, key=key, attrs=MADE_FROM_MEMORY)
        if intent.kind == "tell and ask" and seen.facts and not reply.usage.calls:
            told = f"\n{self._noted(seen, intent).text}"
            if on_text is not None:
                on_text(told)
            reply = replace(reply, text=reply.text + told)
        return replace(reply, seen=seen, warnings=(*reply.warnings, *seen.warnings))

    def _only_told(self, reply: Reply, seen: Seen, intent: Intent) -> bool:
        """Whether a turn asked nothing, and no model has said anything about it."""
        if reply.usage.calls:
            return False
        if intent.sure and intent.kind in TELLING:
            return True
        with self._live.reading() as state:
            if seen.episode_id not in state.graph:
                return False
            return not int(state.graph.node(seen.episode_id)["flags"][0]) & NodeFlag.QUESTION

    def _noted(self, seen: Seen, intent: Intent) -> Reply:
        """The reply to a turn that asked nothing: what was made of it."""
        said = self._words((*seen.facts, *seen.notes, *seen.confirmed))
        wrong = self._denied(seen.closed)
        if said and wrong:
            text = f"Corrected: {' '.join(said)} It was: {wrong}"
        elif said:
            text = "Noted: " + " ".join(said)
        elif intent.kind == "correct" and not seen.closed:
            text = "Kept word for word; I am not sure what that corrects."
        elif intent.kind == "small talk":
            text = "All right."
        elif seen.understood:
            text = "I will remember that you said so."
        else:
            text = f"Kept word for word; I could not read a fact from it ({seen.why})."
        return self._reply(text, seen)

    def _question(self, turn: Turn, intent: Intent) -> Turn:
        """What is asked: an overview put plainly, and of a turn that also tells its question.

        A model reads the whole turn.
        """
        if intent.kind == "tell and ask" and not self._parts.has_model:
            return replace(turn, text=asked_in(turn.text))
        if intent.kind != "overview":
            return turn
        topic = overview_of(turn.text)
        with self._live.reading() as state:
            own = state.names.find(turn.speaker)
            if topic == MYSELF:
                ids = [i for i in state.names.scan(turn.text) if i not in own] or own
            else:
                ids = state.names.find(topic)
            names = [state.content(i).text for i in ids]
        topic = names[0] if len(names) == 1 else topic
        return replace(turn, text=f"What do you know about {topic}?")

    # -- what is over -------------------------------------------------------------------

    def _to_forget(self, turn: Turn) -> Reply:
        """The reply to a command to forget: what of it is held, at most `MOST_MEANT`."""
        topic, ids = to_forget(turn.text), self._held(named(turn.text))
        found, meant = None, self._asker.cited(ids)
        if not meant and topic:
            options = ReadOptions(k=self._parts.settings.answer_k)
            plan = self._recaller.plan(replace(turn, text=topic), options)
            found = self._recaller.find(plan, options)
            shown = self._asker.context_hits(found, plan)
            found_of_it = [
                one.citation
                for one in shown
                if one.item.within is None and names_all(topic, one.hit.text)
            ]
            meant = tuple(sorted(found_of_it, key=self._only_repeats)[:MOST_MEANT])
        elif not meant and not wants_all(turn.text):
            before = self._before(turn)
            answered = bool(before) and self._told_in(before[-1])[1]
            meant = self._asker.cited(before[-2 if answered else -1 :])
        if meant:
            listed = "; ".join(f"{one.text} [m{one.id}]" for one in meant)
            text = f"Nothing was erased. To forget, by id: {listed}"
        else:
            text = NOTHING_NAMED.format(topic=topic) if topic else TOO_MUCH
        reply = self._reply(text, None, meant)
        if found is None:
            return reply
        return replace(reply, trace=found.trace, found=found)

    def _corrected(self, turn: Turn, writes: Writes) -> Reply | None:
        """The reply to a correction, made; None where it cannot be told what it is of."""
        before = self._before(turn)
        if not before:
            return None
        told, answered = self._told_in(before[-1])
        right = self._corrector.resolve(told, turn.text) if answered else None
        if right is None:
            return None  # what one has told oneself is corrected by what is read of the turn
        old = self._words((right.fact,))
        try:
            seen = writes.correct(right.fact, right.value)
        except InvalidInput:
            return None
        was = f"{' '.join(old)} [m{right.fact}]"
        now = " ".join(self._words((*seen.facts, *seen.confirmed)))
        text = f"Corrected: {now} It was: {was}" if now else f"I hold no longer: {was}"
        if right.fact not in seen.closed:
            text = f"Noted: {now or 'you say otherwise.'} It stands beside: {was}"
        return self._reply(text, seen)

    def _before(self, turn: Turn) -> list[int]:
        """The last turns by who speaks, and answers to them, oldest first.

        None where somebody else has spoken since: it may be them who is answered.
        """
        with self._live.reading() as state:
            ids = state.episodes.recent(LOOKED_AT, session_hash(state, turn.session))
            by = [str(content.meta.get("speaker", "")) for content in state.words(ids)]
        if not by or by[-1] not in (turn.speaker, ANSWERS_AS):
            return []
        return [i for i, who in zip(ids, by, strict=True) if who in (turn.speaker, ANSWERS_AS)]

    def _told_in(self, episode: int) -> tuple[tuple[int, ...], bool]:
        """What a turn told: an answer what it cites, another turn itself; whether it answered."""
        with self._live.reading() as state:
            content = state.content(episode)
        if content.meta.get("speaker") != ANSWERS_AS:
            return (episode,), False
        return self._held(named(content.text)), True

    def _held(self, ids: tuple[int, ...]) -> tuple[int, ...]:
        with self._live.reading() as state:
            kinds = (NodeKind.EPISODE, NodeKind.FACT, NodeKind.NOTE)
            return tuple(i for i in ids if i in state.graph and state.kind(i) in kinds)

    def _denied(self, ids: tuple[int, ...]) -> str:
        """Those of the facts that never were so, in words."""
        with self._live.reading() as state:
            flags = {i: int(state.graph.view(i)["flags"][0]) for i in ids if i in state.graph}
            wrong = [i for i, some in flags.items() if some & NodeFlag.RETRACTED]
            return " ".join(f"{state.content(i).text} [m{i}]" for i in wrong)

    def _only_repeats(self, one: Citation) -> bool:
        """Whether it is a question or an answer, which tell nothing that is not held elsewhere."""
        with self._live.reading() as state:
            flags = int(state.graph.node(one.id)["flags"][0]) if one.id in state.graph else 0
        return bool(flags & (NodeFlag.QUESTION | NodeFlag.RECALLED))

    def _words(self, ids: tuple[int, ...]) -> list[str]:
        with self._live.reading() as state:
            return [one.text for one in state.words([i for i in ids if i in state.graph])]

    def _reply(self, text: str, seen: Seen | None, citations: tuple[Citation, ...] = ()) -> Reply:
        with self._live.reading() as state:
            trace = Trace(tick=state.graph.tick, seq=state.seq, queries=(), anchors=(), hits=())
        return Reply(
            text=text,
            outcome="closest" if citations else "unknown" if seen is None else "",
            citations=citations,
            trace=trace,
            usage=Usage(),
            seen=seen,
            warnings=() if seen is None else seen.warnings,
        )
