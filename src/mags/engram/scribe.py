"""Scribe: one inscription at work - episode, entities, facts, notes, arcs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.engram import salience
from mags.engram.arbiter import Arbiter
from mags.engram.attention import AttentionWeights, FirstEdges, candidates
from mags.engram.claim import (
    Claim,
    Evidence,
    content_of,
    read_relation,
    sentence,
    slot_of,
    span_of,
    valued,
)
from mags.engram.conflict import contradicted, may_contradict, successor
from mags.engram.link import Linker
from mags.engram.moment import Inscribed, Moment
from mags.engram.novelty import confirm, session_of
from mags.engram.settings import EngramSettings
from mags.engram.surroundings import Surroundings
from mags.engram.tentative import Guesses
from mags.engram.validity import Span
from mags.engram.view import View
from mags.graph.records import NEVER, NOBODY, ArcKind, NodeFlag, NodeKind
from mags.index.tokens import fold as fold_text
from mags.ports.policy import OUTCOME, Act, Operation, Turn, Writing

ONE = int(NodeFlag.ONE)
Near = tuple[list[int], NDArray[np.float32]]


class Scribe:
    """State of one inscription. `said_at`: event time of saying, seconds since the epoch."""

    def __init__(
        self,
        view: View,
        settings: EngramSettings,
        weights: AttentionWeights | None,
        moment: Moment,
    ) -> None:
        """Write to the draft of `view`."""
        self.view = view
        self.settings = settings
        self.weights = weights
        self.moment = moment
        self.done = Inscribed()
        self.said_at = 0.0
        self.evidence = Evidence()
        self.around = Surroundings(view, settings.attention.candidates)
        self.linker = Linker(view, moment)
        self.arbiter = Arbiter(view, settings, tick=moment.tick, done=self.done)
        self.guesses = Guesses(view, settings, tick=moment.tick)
        self._emphasis = 0.0
        self._marked = ""
        self._reports = False
        self._near: dict[int, list[int]] = {}
        self._mentioned: list[int] = []
        self._named: list[int] = []
        self._subjects: list[int] = []

    # -- the turn ------------------------------------------------------------------

    def episode(self, turn: Turn, writing: Writing) -> None:
        """The EPISODE node, exactly as said, chained to the one before it."""
        self.said_at = turn.at
        self.linker = Linker(self.view, self.moment, turn.speaker)
        speaker = self.linker.entity(turn.speaker) or NOBODY
        self._emphasis = writing.importance
        self._marked = turn.attrs.get("mark", "")
        self._reports = OUTCOME in turn.attrs
        echo = bool(turn.attrs.get("recalled"))
        session = self.view.state.hash("session", turn.session) if turn.session else 0
        flags = int(NodeFlag.QUESTION) if writing.is_question else 0
        flags |= int(NodeFlag.RECALLED) if echo else 0
        episode = self._node(
            NodeKind.EPISODE,
            turn.text,
            _meta(turn),
            nll=self.moment.nll,
            flags=flags,
            subject=speaker,
            session=session,
            valid_from=turn.at,
        )
        self.done.episode = episode
        self.evidence = Evidence(
            episode=episode, speaker=speaker, session=session_of(session, turn.at), echo=echo
        )
        previous = self.moment.previous
        if previous is not None and previous in self.view.draft.graph:
            self.view.join(previous, episode, ArcKind.NEXT)
        for name in writing.mentions:
            entity = self.linker.entity(name)
            self._mention(entity)
            if entity and entity != speaker:
                self._named.append(entity)

    def _mention(self, entity: int | None) -> None:
        if not entity or entity == self.evidence.speaker or entity in self._mentioned:
            return
        self._mentioned.append(entity)
        if self.done.episode is not None:
            self.view.join(self.done.episode, entity, ArcKind.MENTIONS)

    # -- its operations --------------------------------------------------------------

    def operation(self, index: int, operation: Operation) -> None:
        """Judge one operation; what is sure must be judged before what is a guess."""
        if not operation.tentative:
            self.linker.learn(operation.aliases)
        if operation.act is Act.NOTE:
            self._note(index, operation)
            return
        claim = self._claim(index, operation)
        if claim is None:
            return
        if operation.tentative:
            self._guess(index, claim)
        elif claim.act is Act.RETRACT:
            if not claim.evidence.echo or self.settings.echoes:
                self._retract(claim, operation)
                self.guesses.give_way(claim, None, whole=not operation.relation)
        else:
            fact = self.arbiter.repeat(claim) or self._fact(index, claim)
            self.guesses.give_way(claim, fact)

    def _guess(self, index: int, claim: Claim) -> None:
        why = self.guesses.refused(claim)
        if claim.evidence.echo and not self.settings.echoes:
            why = "made from memory"
        if why:
            self._ignore(index, why)
        elif self.guesses.repeat(claim) is None:
            fact = self._fact_node(claim, claim.span, flags=int(NodeFlag.GUESS))
            self.guesses.done.facts.append(fact)
            self.view.draft.reason("guess", fact=fact, slot=claim.slot)

    def _retract(self, claim: Claim, operation: Operation) -> None:
        if operation.relation:
            self.arbiter.retract(claim)
        else:
            self.arbiter.part(claim)

    def _ignore(self, index: int, why: str) -> None:
        self.done.ignored.append((index, why))
        self.view.draft.reason("ignored", operation=index, why=why)

    def _claim(self, index: int, operation: Operation) -> Claim | None:
        subject = self.linker.entity(operation.subject)
        if subject is None:
            self._ignore(index, "subject unknown")
            return None
        object_ = self.linker.entity(operation.object)
        if object_ is None and (operation.act is not Act.RETRACT or operation.object.strip()):
            self._ignore(index, "object unknown")
            return None
        self._mention(subject)
        self._mention(object_)
        if not operation.tentative:
            self._subjects.append(subject)
        relation, kind, change = read_relation(operation)
        slot = slot_of(self.view.state, relation.name, kind)
        one, lasting = valued(operation, relation, change=change)
        if operation.one is None and not relation.known and self._holds_one(subject, slot):
            one = lasting = True
        return Claim(
            act=operation.act,
            subject=subject,
            object=object_ or NOBODY,
            relation=relation,
            kind=kind,
            slot=slot,
            one=one,
            lasting=lasting,
            shared=operation.one is False and operation.act is not Act.UPDATE,
            text=sentence(operation),
            meta=content_of(operation, relation, kind),
            span=span_of(
                operation, said_at=self.said_at, recorded_at=self.moment.now_s, change=change
            ),
            evidence=self.evidence,
        )

    def _holds_one(self, subject: int, slot: int) -> bool:
        facts = self.view.open(subject, slot)
        return any(int(self.view.node(i)["flags"]) & ONE for i in facts)

    def _fact(self, index: int, claim: Claim) -> int | None:
        if claim.evidence.echo and not self.settings.echoes:
            self._ignore(index, "made from memory")
            return None
        span, heir = self.arbiter.span(claim)
        fact = self._fact_node(claim, span)
        if heir:
            self.view.join(heir, fact, ArcKind.SUPERSEDES)
            self.view.draft.reason("history", fact=fact, by=heir, valid_to=span.end)
        self.done.facts.append(fact)
        self.view.draft.reason("add", fact=fact, slot=claim.slot, one=claim.one)
        self.arbiter.settle(claim, fact)
        return fact

    def _fact_node(self, claim: Claim, span: Span, *, flags: int = 0) -> int:
        fact = self._node(
            NodeKind.FACT,
            claim.text,
            claim.meta,
            subject=claim.subject,
            object=claim.object,
            slot=claim.slot,
            confidence=claim.span.confidence,
            flags=flags | (int(NodeFlag.STATED) if span.stated else 0),
            **self._held(span),
        )
        self.view.join(fact, claim.subject, ArcKind.SUBJECT)
        self.view.join(fact, claim.object, ArcKind.OBJECT)
        self._source(fact)
        return fact

    def _held(self, span: Span) -> dict[str, Any]:
        return {
            "valid_from": span.start,
            "valid_to": span.end,
            "closed_at": self.moment.now_s if span.end < NEVER else NEVER,
        }

    def _note(self, index: int, operation: Operation) -> None:
        text = sentence(operation).strip()
        if not text:
            self._ignore(index, "empty note")
            return
        known = self._same_note(text) if self.settings.novelty else None
        if known is not None:
            confirm(
                self.view,
                known,
                self.evidence,
                operation.confidence,
                salience=self.settings.salience,
                tick=self.moment.tick,
            )
            self.done.confirmed.append(known)
            self.view.draft.reason("confirm", fact=known)
            return
        if self.evidence.echo and not self.settings.echoes:
            self._ignore(index, "made from memory")
            return
        span = span_of(operation, said_at=self.said_at, recorded_at=self.moment.now_s, change=False)
        note = self._node(
            NodeKind.NOTE,
            text,
            {"qualifiers": dict(operation.qualifiers)},
            confidence=operation.confidence,
            flags=int(NodeFlag.STATED) if span.stated else 0,
            **self._held(span),
        )
        self._source(note)
        for name in (operation.subject, operation.object):
            entity = self.linker.entity(name)
            self._mention(entity)
            if entity:
                self.view.join(note, entity, ArcKind.MENTIONS)
        self.done.notes.append(note)
        self.view.draft.reason("note", note=note)

    def _same_note(self, text: str) -> int | None:
        form = fold_text(text)
        near, _ = self.view.nearest(self.moment.vectors.get(text), 3, (NodeKind.NOTE,))
        for note in [*near, *self.done.notes]:
            open_ = self.view.node(note)["valid_to"] == NEVER
            if open_ and fold_text(self.view.words(note).text) == form:
                return note
        return None

    def _source(self, node: int) -> None:
        if self.done.episode is not None:
            self.view.join(node, self.done.episode, ArcKind.SOURCE)

    def contradict(self, writing: Writing) -> None:
        """Close what the turn contradicts although no slot says so.

        What came of one act says nothing of what is so in general, and contradicts nothing.
        """
        episode = self.done.episode
        barred = not self.settings.arbiter or self.evidence.echo or self._reports
        if episode is None or barred or not may_contradict(writing, self.settings.conflict):
            return
        span = Span(start=self.said_at, said_at=self.said_at, recorded_at=self.moment.now_s)
        done = self.done
        rivals = contradicted(
            self.view,
            episode,
            self._near[episode],
            settings=self.settings.conflict,
            shared=frozenset([*self._named, *self._subjects]),
            said=[*done.facts, *done.notes, *done.confirmed],
        )
        for fact, probability in rivals:
            by = successor(self.view, fact, [*done.facts, *done.notes], episode)
            self.arbiter.replace(fact, span=span, by=by, probability=probability)

    # -- nodes and first edges -----------------------------------------------------------

    def _node(
        self,
        kind: NodeKind,
        text: str,
        meta: Mapping[str, object],
        *,
        nll: float | None = None,
        flags: int = 0,
        **values: Any,
    ) -> int:
        content = self.moment.content(text, meta)
        if kind == NodeKind.EPISODE:
            self.around.centre(content.vector)
        near, cosines = self.around.look(content.vector)
        worth = salience.importance(
            self.settings.salience,
            surprised=salience.surprise(cosines, nll),
            emphasis=self._emphasis,
        )
        if self._marked in salience.MARKED:
            worth = 1.0
        if self._marked == "pinned":
            flags |= int(NodeFlag.PINNED)
        node = self.view.add(
            content,
            kind=kind,
            flags=flags,
            importance=worth,
            strength=salience.strength(self.settings.salience, worth),
            strength_tick=self.moment.tick,
            last_used_tick=self.moment.tick,
            recorded_at=self.moment.now_s,
            **values,
        )
        self._near[node] = near
        return node

    def wire(self) -> None:
        """First edges of every new node, once the turn is judged; and what became of guesses."""
        self.done.add(self.guesses.done)
        settings = self.settings.attention
        recent = self.around.before(self.moment.previous, settings.recent)
        edges = FirstEdges(self.view, settings, self.weights)
        for node, near in self._near.items():
            own = [i for i in (self.done.episode,) if i is not None and i != node]
            others = candidates(
                near, self._mentioned, [*own, *recent], settings=self.settings.attention
            )
            others = [i for i in others if i != node]
            count = edges.attend(node, others)
            self.view.draft.reason("first-edges", node=node, count=count)
        edges.draft(self.moment.tick)


def _meta(turn: Turn) -> dict[str, object]:
    meta: dict[str, object] = {"speaker": turn.speaker, "session": turn.session, "at": turn.at}
    if turn.key is not None:
        meta["key"] = turn.key
    if turn.attrs:
        meta["attrs"] = dict(turn.attrs)
    return meta
