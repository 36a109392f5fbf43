"""Conversing: one whole turn - route it, answer it, remember it and the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mags.errors import ModelError
from mags.graph.records import NodeFlag
from mags.memory.asking import Asker, Asking
from mags.memory.learning import ANSWERS_AS, MADE_FROM_MEMORY
from mags.memory.live import Live
from mags.memory.parts import Parts
from mags.memory.reading import Look, Reader
from mags.memory.stretches import readable
from mags.memory.views import Reply, Seen
from mags.ports.chat import Usage
from mags.ports.policy import Turn
from mags.recall.found import Trace


class Converser:
    """Turns in, replies out, both remembered."""

    def __init__(self, live: Live, parts: Parts, reader: Reader, asker: Asker) -> None:
        """Talks from `live`."""
        self._live = live
        self._parts = parts
        self._reader = reader
        self._asker = asker

    def turn(
        self, turn: Turn, observe: Callable[..., Seen], on_text: Callable[[str], None] | None
    ) -> Reply:
        """The reply to a turn, which `observe` has remembered by then, as the answer."""
        try:
            reply = self._answered(turn, on_text)
        except ModelError:
            # What was said is remembered, whoever fails to answer it.
            observe()
            raise
        seen = observe()
        if reply is None or self._only_told(reply, seen):
            return replace(self._noted(seen), fallback=None if reply is None else reply.fallback)
        key = None if turn.key is None else f"{turn.key}:answer"
        if reply.operations:
            reply = self._asker.learnt(turn, reply, key=key, ticks=1)
        elif reply.citations:
            observe(text=reply.text, speaker=ANSWERS_AS, key=key, attrs=MADE_FROM_MEMORY)
        return replace(reply, seen=seen, warnings=(*reply.warnings, *seen.warnings))

    def _answered(self, turn: Turn, on_text: Callable[[str], None] | None) -> Reply | None:
        recent = [readable(other) for other in self._reader.recent(turn.session)]
        route = self._parts.policy.route(readable(turn), recent)
        if not route.recall:
            return None
        look = Look(k=self._parts.settings.answer_k)
        reply, _ = self._asker.ask(turn, Asking(look=look, on_text=on_text, learn=False))
        return reply

    def _only_told(self, reply: Reply, seen: Seen) -> bool:
        """Whether a turn asked nothing, and no model has said anything about it."""
        if reply.usage.calls:
            return False
        with self._live.reading() as state:
            if seen.episode_id not in state.graph:
                return False
            flags = int(state.graph.node(seen.episode_id)["flags"][0])
        return not flags & NodeFlag.QUESTION

    def _noted(self, seen: Seen) -> Reply:
        """The reply to a turn that asked nothing: what was made of it."""
        with self._live.reading() as state:
            made = [i for i in (*seen.facts, *seen.notes, *seen.confirmed) if i in state.graph]
            said = [content.text for content in state.words(made)]
            trace = Trace(tick=state.graph.tick, seq=state.seq, queries=(), anchors=(), hits=())
        if said:
            text = "Noted: " + " ".join(said)
        elif seen.understood:
            text = "I will remember that you said so."
        else:
            text = f"Kept word for word; I could not read a fact from it ({seen.why})."
        return Reply(
            text=text, citations=(), trace=trace, usage=Usage(), seen=seen, warnings=seen.warnings
        )
