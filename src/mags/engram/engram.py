"""Engram: from a turn and what the write model made of it to changes in a Draft.

A turn becomes an episode, word for word. Then its operations are judged one by one, what is sure
before what is a guess; what no slot decides is compared with earlier sentences; and every new node
gets its first edges. `Inscription` does these steps in that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.engram.arbiter import Arbiter, Guesses
from mags.engram.attention import AttentionWeights, attend, candidates
from mags.engram.claim import (
    Claim,
    Correction,
    Evidence,
    Linker,
    Span,
    claim_of,
    names_in,
    sentence,
    session_of,
    slot_of,
    span_of,
)
from mags.engram.conflict import contradicted, may_contradict, successor
from mags.engram.grades import Grades
from mags.engram.settings import EngramSettings
from mags.engram.view import Inscribed, Surroundings, View, WriteMoment
from mags.graph.delta import Draft
from mags.graph.records import NEVER, NOBODY, ArcKind, Grade, NodeFlag, NodeKind, graded
from mags.index.state import State
from mags.index.tokens import fold, fold_name
from mags.ports.english import REFLEXIVE, THIRD_PERSON
from mags.ports.policy import ASSISTANTS, NO_LONGER, OUTCOME, Act, Operation, Turn, Writing
from mags.ports.relations import normalise

MARKED = frozenset({"important", "pinned"})
"""Values of a turn's attribute `mark` by which the user marks it."""
FROM_MEMORY = "made from memory"
"""Why an operation of a turn that repeats what was recalled is left out."""


class Engram:
    """Writes turns and bare assertions into a Draft; holds nothing but its settings.

    One turn to a draft: what it writes is seen by its own later operations.
    """

    def __init__(
        self, settings: EngramSettings | None = None, weights: AttentionWeights | None = None
    ) -> None:
        """`weights`: of a trained linker; without them first edges are by scaled cosine."""
        self.settings = settings or EngramSettings()
        self.weights = weights

    def texts(self, state: State, turn: Turn, writing: Writing) -> list[str]:
        """Texts that need a vector before `inscribe`, once each, the turn's own first."""
        names = [turn.speaker, *writing.mentions, *names_in(writing.operations)]
        return [*dict.fromkeys([turn.text, *_said(writing.operations), *_unknown(state, names)])]

    def assertion_texts(self, state: State, operation: Operation) -> list[str]:
        """Texts that need a vector before `assert_fact`, once each."""
        return [*dict.fromkeys([*_said([operation]), *_unknown(state, names_in([operation]))])]

    def inscribe(
        self,
        draft: Draft,
        state: State,
        turn: Turn,
        writing: Writing,
        moment: WriteMoment,
        *,
        kept: int | None = None,
    ) -> Inscribed:
        """Store a turn as an episode, word for word, and judge its operations, guesses last.

        `turn.at` is event time and the time of saying. Operations that cannot be used are
        in `ignored`; the episode is kept whatever they are. `kept`: the episode of a turn that was
        kept before; it sees no turn that waits after it.
        """
        inscription = Inscription(View(state, draft), self.settings, moment, turn.at, turn.speaker)
        if kept is None:
            kept = inscription.episode(turn, writing)
        else:
            inscription.resume(kept, turn, writing)
        for index, operation in sorted(
            enumerate(writing.operations), key=lambda pair: pair[1].tentative
        ):
            inscription.operation(index, operation)
        # What came of one act says nothing of what is so in general, and contradicts nothing.
        if OUTCOME not in turn.attrs and may_contradict(writing, self.settings.conflict):
            inscription.contradict(kept)
        return inscription.finish(self.weights)

    def keep(
        self, draft: Draft, state: State, turn: Turn, writing: Writing, moment: WriteMoment
    ) -> Inscribed:
        """Store a turn as an episode that waits for `inscribe`."""
        inscription = Inscription(View(state, draft), self.settings, moment, turn.at, turn.speaker)
        episode = inscription.episode(turn, writing)
        draft.node(episode)["flags"] |= int(NodeFlag.WAITING)
        return inscription.done

    def assert_fact(
        self,
        draft: Draft,
        state: State,
        operation: Operation,
        moment: WriteMoment,
        *,
        at: float,
        grade: Grade = Grade.OWNER,
    ) -> Inscribed:
        """Store a triple without an episode, by the same arbiter; `at`: event time, observed.

        `grade`: whose word it is; the owner's, who asserts it by hand.
        """
        if operation.one and operation.act is Act.ADD:
            # Who gives a triple knows how many values the slot holds; the table only guesses at
            # what a phrase means. What a write model says of `one` the table may still overrule.
            operation = replace(operation, act=Act.UPDATE)
        inscription = Inscription(View(state, draft), self.settings, moment, at, grade=grade)
        inscription.operation(0, operation)
        done = inscription.done
        for node_id in (*done.facts, *done.notes, *done.confirmed):
            draft.node(node_id)["flags"] |= int(NodeFlag.GIVEN)
        return inscription.finish(self.weights)

    def correct(
        self,
        draft: Draft,
        state: State,
        turn: Turn,
        correction: Correction,
        moment: WriteMoment,
    ) -> Inscribed:
        """Deny a fact, and hold what is right in its place: the word of whom it tells, or as good.

        What is right holds from when the wrong fact was held to begin, unless it says when. A word
        that may not end the fact is judged as any other is.
        """
        view = View(state, draft)
        fact, right, grade = correction.fact, correction.right, correction.grade
        inscription = Inscription(view, self.settings, moment, turn.at, turn.speaker, grade=grade)
        inscription.episode(turn, Writing())
        began = float(view.node(fact)["valid_from"])
        if not inscription.may_deny(fact):
            meta = view.words(fact).meta
            subject, relation, end = (str(meta[i]) for i in ("subject", "relation", "object"))
            old = Operation(act=Act.RETRACT, subject=subject, relation=relation, object=end)
            inscription.operation(0, right or old)
            return inscription.finish(self.weights)
        # What is right first, so that the wrong fact can be said to be ended by it.
        if right is not None:
            inscription.operation(0, right)
        inscription.deny(fact)
        for made in inscription.done.facts if right and right.valid_from is None else ():
            draft.node(made)["valid_from"] = min(began, float(view.node(made)["valid_from"]))
        return inscription.finish(self.weights)


def _said(operations: Iterable[Operation]) -> list[str]:
    return [sentence(o) for o in operations if o.act is not Act.RETRACT and sentence(o)]


def _unknown(state: State, names: Iterable[str]) -> list[str]:
    return [n.strip() for n in names if n.strip() and not state.names.find(n)]


class Inscription:
    """One turn being written: its episode, entities, facts, notes and arcs."""

    def __init__(
        self,
        view: View,
        settings: EngramSettings,
        moment: WriteMoment,
        said_at: float,
        speaker: str = "",
        grade: Grade = Grade.UNKNOWN,
    ) -> None:
        """Write to the draft of `view`; `said_at`: event time, seconds since the epoch.

        `grade`: of all that is said, where it does not depend on whom it tells of.
        """
        self.done = Inscribed()
        self._view = view
        self._settings = settings
        self._moment = moment
        self._evidence = Evidence(said_at=said_at, recorded_at=moment.now_s, grade=grade)
        self._around = Surroundings(view, settings.attention.candidates)
        self._linker = Linker(view, moment, speaker)
        self._grades = Grades(view)
        self._arbiter = Arbiter(view, settings, moment, self.done, self._grades)
        self._guesses = Guesses(self._arbiter)
        self._emphasis = 0.0
        self._mark = ""
        self._near: dict[int, list[int]] = {}
        self._mentioned: list[int] = []
        self._about: list[int] = []

    # -- the turn ------------------------------------------------------------------

    def episode(self, turn: Turn, writing: Writing) -> int:
        """The EPISODE node, exactly as said, chained to the one before it."""
        speaker = self._spoken(turn, writing)
        echo = bool(turn.attrs.get("recalled"))
        session = self._session(turn)
        flags = int(NodeFlag.QUESTION) if writing.is_question else 0
        flags |= int(NodeFlag.RECALLED) if echo else 0
        episode = self._node(
            NodeKind.EPISODE,
            turn.text,
            _meta(turn),
            flags=flags,
            subject=speaker,
            session=session,
            valid_from=turn.at,
        )
        self._note_evidence(episode, speaker, turn, writing)
        previous = self._moment.previous
        if previous is not None and previous in self._view.draft.graph:
            self._view.join(previous, episode, ArcKind.NEXT)
        return episode

    def resume(self, episode: int, turn: Turn, writing: Writing) -> None:
        """Go on with an episode that was kept to be read later."""
        speaker = self._spoken(turn, writing)
        node = self._view.draft.node(episode)
        asks = int(NodeFlag.QUESTION) if writing.is_question else 0
        kept = int(NodeFlag.WAITING | NodeFlag.QUESTION)
        node["flags"] = (node["flags"] & ~np.uint16(kept)) | asks
        salience = self._settings.salience
        worth = float(node["importance"][0])
        more = min(worth + salience.emphasis * self._emphasis, 1.0) - worth
        node["importance"] += more
        node["strength"] += (1.0 - salience.strength) * more
        vector = self._moment.vectors.get(turn.text)
        self._around.centre(vector)
        self._near[episode], _ = self._around.look(vector)
        self._note_evidence(episode, speaker, turn, writing)

    def _session(self, turn: Turn) -> int:
        return self._view.state.hash("session", turn.session) if turn.session else 0

    def _spoken(self, turn: Turn, writing: Writing) -> int:
        """Take up how a turn is said; returns who says it."""
        self._emphasis = writing.importance
        self._mark = turn.attrs.get("mark", "")
        return self._linker.entity(turn.speaker) or NOBODY

    def _note_evidence(self, episode: int, speaker: int, turn: Turn, writing: Writing) -> None:
        """Take up who tells what follows, in which episode, and whom it mentions."""
        self.done.episode = episode
        echo = bool(turn.attrs.get("recalled"))
        session = self._session(turn)
        occasion = session_of(session, turn.at)
        program = echo or turn.speaker.strip().casefold() in ASSISTANTS
        # What the memory's own model wants remembered rests on what somebody has just said to it.
        told = Grade.REPORTED if echo and self._settings.echoes else Grade.TOOL
        self._evidence = replace(
            self._evidence,
            episode=episode,
            speaker=speaker,
            session=occasion,
            echo=echo,
            grade=told if program else self._evidence.grade,
        )
        self._view.heard.append(speaker)
        for name in writing.mentions:
            entity = self._linker.entity(name)
            self._mention(entity)
            if entity and entity != speaker:
                self._about.append(entity)

    def _mention(self, entity: int | None) -> None:
        if not entity or entity == self._evidence.speaker or entity in self._mentioned:
            return
        self._mentioned.append(entity)
        if self.done.episode is not None:
            self._view.join(self.done.episode, entity, ArcKind.MENTIONS)

    # -- its operations ------------------------------------------------------------

    def operation(self, index: int, operation: Operation) -> None:
        """Judge one operation; what is sure must be judged before what is a guess."""
        if not operation.tentative:  # a guess teaches no names
            self._linker.learn(operation.aliases)
        if operation.act is Act.NOTE:
            self._note(index, operation)
            return
        claim = self._claim(index, operation)
        if claim is None:
            return
        if operation.tentative:
            self._guess(index, claim)
        elif claim.act is not Act.RETRACT:
            fact = self._arbiter.repeat(claim) or self._fact(index, claim)
            self._guesses.give_way(claim, fact)
        elif not self._is_from_memory:
            for fact in self._arbiter.retract(claim):
                self._denial(index, claim, fact)
            self._guesses.give_way(claim, None)

    def _denial(self, index: int, claim: Claim, fact: int) -> None:
        """Keep beside a fact that it is over, as somebody says whose word does not end it."""
        arbiter, words = self._arbiter, self._view.words(fact).meta
        relation = normalise(f"{NO_LONGER}{words['relation']}")
        span = claim.span
        denial = replace(
            claim,
            act=Act.ADD,
            object=int(self._view.node(fact)["object"]),
            relation=relation,
            slot=slot_of(self._view.state, relation.name, claim.kind),
            one=False,
            lasting=False,
            shared=False,
            text=relation.sentence(words["subject"], words["object"], claim.kind),
            meta={**words, **claim.meta, "relation": relation.name, "object": words["object"]},
            span=replace(span, start=min(span.start, span.end), end=NEVER),
        )
        known = arbiter.repeat(denial)
        if known is None:
            made = self._fact(index, denial)
            if made is not None:
                arbiter.dispute(made, fact)
        elif not arbiter.is_disputed(known):
            arbiter.retract(replace(claim, grade=Grade.SELF))

    @property
    def _is_from_memory(self) -> bool:
        return self._evidence.echo and not self._settings.echoes

    def _ignore(self, index: int, why: str) -> None:
        self.done.ignored.append((index, why))
        self._view.draft.reason("ignored", operation=index, why=why)

    def _claim(self, index: int, operation: Operation) -> Claim | None:
        subject = self._linker.entity(operation.subject)
        if subject is None:
            self._ignore(index, "subject unknown")
            return None
        object_ = self._linker.entity(operation.object)
        if object_ == subject and fold_name(operation.object) in THIRD_PERSON - REFLEXIVE:
            object_ = None  # "Ana met her" is not said of Ana twice
        if object_ is None and (operation.act is not Act.RETRACT or operation.object.strip()):
            self._ignore(index, "object unknown")
            return None
        self._mention(subject)
        self._mention(object_)
        if not operation.tentative:
            self._about.append(subject)
        ends = subject, object_ or NOBODY
        return claim_of(self._view, operation, ends, self._evidence, self._grades)

    def _fact(self, index: int, claim: Claim) -> int | None:
        if self._is_from_memory:
            self._ignore(index, FROM_MEMORY)
            return None
        span, heir = self._arbiter.place(claim)
        fact = self._fact_node(claim, span)
        if heir:
            self._view.join(heir, fact, ArcKind.SUPERSEDES)
            self._view.draft.reason("history", fact=fact, by=heir, valid_to=span.end)
        self.done.facts.append(fact)
        self._view.draft.reason("add", fact=fact, slot=claim.slot, one=claim.one)
        self._arbiter.settle(claim, fact)
        return fact

    def _guess(self, index: int, claim: Claim) -> None:
        why = FROM_MEMORY if self._is_from_memory else self._guesses.refused(claim)
        if why:
            self._ignore(index, why)
        elif self._guesses.repeat(claim) is None:
            fact = self._fact_node(claim, claim.span, flags=int(NodeFlag.GUESS))
            self._guesses.done.facts.append(fact)
            self._view.draft.reason("guess", fact=fact, slot=claim.slot)

    def _note(self, index: int, operation: Operation) -> None:
        text = sentence(operation).strip()
        if not text:
            self._ignore(index, "empty note")
            return
        known = self._same_note(text) if self._settings.novelty else None
        if known is not None:
            self._arbiter.confirm(known, self._evidence, operation.confidence)
            self.done.confirmed.append(known)
            self._view.draft.reason("confirm", fact=known)
            return
        if self._is_from_memory:
            self._ignore(index, FROM_MEMORY)
            return
        span = span_of(operation, self._evidence, change=False)
        meta = {"qualifiers": dict(operation.qualifiers)}
        note = self._statement(NodeKind.NOTE, text, meta, span)
        for name in (operation.subject, operation.object):
            entity = self._linker.entity(name)
            self._mention(entity)
            if entity:
                self._view.join(note, entity, ArcKind.MENTIONS)
        self.done.notes.append(note)
        self._view.draft.reason("note", note=note)

    def _same_note(self, text: str) -> int | None:
        near, _ = self._view.nearest(self._moment.vectors.get(text), 3, (NodeKind.NOTE,))
        for note in [*near, *self.done.notes]:
            is_open = self._view.node(note)["valid_to"] == NEVER
            if is_open and fold(self._view.words(note).text) == fold(text):
                return note
        return None

    def may_deny(self, fact: int) -> bool:
        """Whether the word of who speaks may end a fact."""
        node = self._view.node(fact)
        ends = int(node["subject"]), int(node["object"])
        return self._grades.reaches(self._grades.told(self._evidence.teller, ends, {}), fact)

    def deny(self, fact: int) -> None:
        """End a fact as one that never was so, for what this turn tells instead."""
        told = [i for i in (*self.done.facts, *self.done.confirmed) if i != fact]
        began = float(self._view.node(fact)["valid_from"])
        self._arbiter.end(fact, at=began, rule="correct", by=told[0] if told else NOBODY)
        self._arbiter.mark(fact, NodeFlag.RETRACTED)

    # -- once they are judged ------------------------------------------------------

    def contradict(self, episode: int) -> None:
        """Close what the turn contradicts although no slot says so."""
        if not self._settings.arbiter or self._evidence.echo:
            return
        done = self.done
        rivals = contradicted(
            self._view,
            episode,
            self._near[episode],
            settings=self._settings.conflict,
            shared=frozenset(self._about),
            said=[*done.facts, *done.notes, *done.confirmed],
        )
        for fact, probability in rivals:
            by = successor(self._view, fact, [*done.facts, *done.notes], episode)
            self._arbiter.replace(fact, self._evidence, by=by, probability=probability)

    def finish(self, weights: AttentionWeights | None) -> Inscribed:
        """Give every new node its first edges; returns what the turn left behind."""
        self.done.add(self._guesses.done)
        settings = self._settings.attention
        recent = self._around.before(self._moment.previous, settings.recent)
        if self.done.episode is not None:
            recent = [self.done.episode, *recent]
        others = {
            node: candidates(
                near, self._mentioned, [i for i in recent if i != node], settings=settings
            )
            for node, near in self._near.items()
        }
        attend(self._view, others, self._moment.tick, settings=settings, weights=weights)
        return self.done

    # -- nodes ---------------------------------------------------------------------

    def _fact_node(self, claim: Claim, span: Span, *, flags: int = 0) -> int:
        # A guess is worth no more than what is only heard, whoever guesses.
        grade = min(claim.grade, Grade.REPORTED) if flags & NodeFlag.GUESS else claim.grade
        fact = self._statement(
            NodeKind.FACT,
            claim.text,
            claim.meta,
            span,
            flags=graded(flags, grade),
            subject=claim.subject,
            object=claim.object,
            slot=claim.slot,
        )
        self._view.join(fact, claim.subject, ArcKind.SUBJECT)
        self._view.join(fact, claim.object, ArcKind.OBJECT)
        return fact

    def _statement(
        self,
        kind: NodeKind,
        text: str,
        meta: Mapping[str, object],
        span: Span,
        *,
        flags: int = 0,
        **values: Any,
    ) -> int:
        """A fact or note, with the episode it came from."""
        node = self._node(
            kind,
            text,
            meta,
            flags=flags | (int(NodeFlag.STATED) if span.stated else 0),
            confidence=span.confidence,
            valid_from=span.start,
            valid_to=span.end,
            closed_at=self._moment.now_s if span.end < NEVER else NEVER,
            **values,
        )
        if self.done.episode is not None:
            self._view.join(node, self.done.episode, ArcKind.SOURCE)
        return node

    def _node(
        self, kind: NodeKind, text: str, meta: Mapping[str, object], *, flags: int, **values: Any
    ) -> int:
        content = self._moment.content(text, meta)
        # Facts and notes look among what is near their turn: one search for all of them.
        if kind == NodeKind.EPISODE:
            self._around.centre(content.vector)
        near, cosines = self._around.look(content.vector)
        if self._mark == "pinned":
            flags |= int(NodeFlag.PINNED)
        salience = self._settings.salience
        worth = salience.surprise * surprise(cosines)
        worth = min(worth + salience.emphasis * self._emphasis, 1.0)
        if self._mark in MARKED:
            worth = 1.0
        node = self._view.add(
            content,
            kind=kind,
            flags=flags,
            importance=worth,
            strength=salience.strength + (1.0 - salience.strength) * worth,
            strength_tick=self._moment.tick,
            last_used_tick=self._moment.tick,
            recorded_at=self._moment.now_s,
            **values,
        )
        self._near[node] = near
        return node


def _meta(turn: Turn) -> dict[str, object]:
    meta: dict[str, object] = {"speaker": turn.speaker, "session": turn.session, "at": turn.at}
    if turn.key is not None:
        meta["key"] = turn.key
    if turn.attrs:
        meta["attrs"] = dict(turn.attrs)
    return meta


def surprise(cosines: NDArray[np.float32]) -> float:
    """How little a text was to be expected, in [0, 1]: 1 - the first, greatest of `cosines`."""
    if not len(cosines):
        return 1.0
    return min(max(1.0 - float(cosines[0]), 0.0), 1.0)
