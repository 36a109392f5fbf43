"""Arbiter: decides what a claim closes, confirms or adds; a model proposes, this disposes.

The rules, in the order they are tried (after KEDKG):

1. RETRACT closes: with an object that fact, without one the whole slot, without a relation all
   that joins the two. Taking back a symmetric fact takes back its mirror image too. "No longer"
   and an end that is stated tell of a fact that was true; only what is denied ("it is not so") is
   marked RETRACTED, and then the past does not show it either.
2. The open fact of the same slot and object is confirmed; a closed one is not.
3. In a `one` slot the newer of two rivals ends the other where it begins; the older gets
   an interval that ends where the newer begins. What does not overlap is left alone.
4. A relation and its opposite (likes, dislikes) do not both hold of one object.
5. What no slot decides is compared sentence with sentence (`conflict`), facts of relations
   that the table holds to be many-valued only where the new sentence carries a cue.

A fact that is closed for a rival draws its mirror image of a symmetric relation with it;
inverse relations ("author", "wrote") are left alone: each fact holds as it was said, and a
model that means both says both.
"""

from __future__ import annotations

from mags.engram.claim import Claim, denial, ended, slot_of
from mags.engram.moment import Inscribed
from mags.engram.novelty import confirm, held, refine
from mags.engram.settings import EngramSettings
from mags.engram.timeline import close, displaced, place, span_at
from mags.engram.validity import Span
from mags.engram.view import View
from mags.graph.records import NEVER, NOBODY, NodeFlag
from mags.index.names import fold
from mags.ports.policy import Act

ONE = int(NodeFlag.ONE)


class Arbiter:
    """Judges the claims of one turn, one after another, and writes what follows."""

    def __init__(self, view: View, settings: EngramSettings, *, tick: int, done: Inscribed) -> None:
        """Ids of what happens go to `done`."""
        self.view = view
        self.settings = settings
        self.tick = tick
        self.done = done

    # -- before there is a new fact ------------------------------------------------

    def retract(self, claim: Claim) -> bool:
        """Close what a claim takes back; returns whether something was closed.

        A fact that was observed after this was said is not meant; one whose stated start
        still lies ahead is.
        """
        if not self.settings.arbiter:
            self.view.draft.reason("append-only", slot=claim.slot)
            return False
        at = claim.span.end if claim.span.end < NEVER else claim.span.start
        closed = False
        for fact in self._meant(claim):
            span = span_at(self.view, fact)
            if span.start > claim.span.said_at and not span.stated:
                continue
            self._close(claim, fact, at=at, rule="retract", by=NOBODY)
            if denies(claim):
                self._mark(fact, NodeFlag.RETRACTED)
            closed = True
        if not closed:
            self.view.draft.reason("retract-nothing", subject=claim.subject, slot=claim.slot)
        return closed

    def part(self, claim: Claim) -> None:
        """Close every open fact that joins subject and object of a claim, whichever way round.

        What the same turn has said of them stays, and what was observed after it was said.
        """
        if not self.settings.arbiter or claim.object == NOBODY:
            return
        ends = {claim.subject, claim.object}
        at, recorded_at = claim.span.start, claim.span.recorded_at
        for fact in dict.fromkeys(self.view.about(claim.subject)):
            node = self.view.node(fact)
            if {int(node["subject"]), int(node["object"])} != ends:
                continue
            late = float(node["valid_from"]) > claim.span.said_at
            if late or fact in self.done.facts or fact in self.done.confirmed:
                continue
            if close(self.view, fact, at=at, recorded_at=recorded_at, rule="part", by=NOBODY):
                self._note_closed(fact)

    def _meant(self, claim: Claim) -> list[int]:
        """The open facts that a claim takes back.

        Those of its object; of a symmetric relation also the one told from the other end. Where
        none is, the only one whose object ends on the words of the claim's: who sold "the
        Toyota" has the "red Toyota" no more.
        """
        held = self.view.open(claim.subject, claim.slot)
        if claim.object == NOBODY:
            return held
        exact = [i for i in held if int(self.view.node(i)["object"]) == claim.object]
        if claim.relation.symmetric:
            back = self.view.open(claim.object, claim.slot)
            exact += [i for i in back if int(self.view.node(i)["object"]) == claim.subject]
        if exact or not claim.span.change:
            return exact
        ending = f" {fold(str(claim.meta.get('object', '')))}"
        longer = [i for i in held if self._thing(i).endswith(ending)]
        return longer if len(longer) == 1 else []

    def _thing(self, fact: int) -> str:
        return fold(str(self.view.words(fact).meta.get("object", "")))

    def repeat(self, claim: Claim) -> int | None:
        """Confirm the open fact that a claim says again; returns its id, or None."""
        fact = self.confirmed(claim)
        if fact is not None and self.settings.arbiter and not claim.evidence.echo:
            self._refine(claim, fact)
            self.settle(claim, fact)
        return fact

    def confirmed(self, claim: Claim) -> int | None:
        """The open fact that a claim says again, held the more surely for it, or None."""
        if not self.settings.novelty:
            return None
        fact = held(self.view, claim)
        if fact is None:
            return None
        before = float(self.view.node(fact)["confidence"])
        after = confirm(
            self.view,
            fact,
            claim.evidence,
            claim.span.confidence,
            salience=self.settings.salience,
            tick=self.tick,
        )
        self.view.draft.reason("confirm", fact=fact, before=before, after=after)
        if fact not in self.done.confirmed:
            self.done.confirmed.append(fact)
        return fact

    def _refine(self, claim: Claim, fact: int) -> None:
        was_open = self.view.node(fact)["valid_to"] == NEVER
        if not refine(self.view, fact, claim.span):
            return
        span = span_at(self.view, fact)
        self.view.draft.reason("refine", fact=fact, valid_from=span.start, valid_to=span.end)
        if was_open and span.end < NEVER:
            self._note_closed(fact)

    # -- once there is one ---------------------------------------------------------

    def span(self, claim: Claim) -> tuple[Span, int]:
        """When the new fact holds, and the newer fact that ends it (or NOBODY)."""
        heir = NOBODY
        span = claim.span
        if self.settings.arbiter and claim.one:
            rivals = self.view.facts(claim.subject, claim.slot)
            span, heir = place(self.view, span, rivals, history_s=self.settings.history_s)
        return span, heir

    def settle(self, claim: Claim, fact: int) -> None:
        """Close what the fact of a claim replaces."""
        if not self.settings.arbiter:
            return
        if claim.one:
            rivals = [i for i in self.view.facts(claim.subject, claim.slot) if i != fact]
            history_s = self.settings.history_s
            for rival in displaced(self.view, claim.span, rivals, history_s=history_s):
                self._close(claim, rival, at=claim.span.start, rule="supersede", by=fact)
        self._deny_opposite(claim, fact)
        self._flag(claim, fact)

    def _deny_opposite(self, claim: Claim, fact: int) -> None:
        name = claim.relation.name
        for opposite in (claim.relation.opposite or denial(name), ended(name)):
            if opposite:
                self._deny(claim, fact, opposite)

    def _deny(self, claim: Claim, fact: int, opposite: str) -> None:
        slot = slot_of(self.view.state, opposite, claim.kind)
        for rival in self.view.open(claim.subject, slot):
            other = span_at(self.view, rival)
            if int(self.view.node(rival)["object"]) != claim.object:
                continue
            if other.start <= claim.span.start:
                self._close(claim, rival, at=claim.span.start, rule="opposite", by=fact)

    def _flag(self, claim: Claim, fact: int) -> None:
        if claim.shared:
            for other in self.view.open(claim.subject, claim.slot):
                if int(self.view.node(other)["flags"]) & ONE:
                    self.view.draft.node(other)["flags"] &= ~ONE & 0xFFFF
                    self.view.draft.reason("shared-slot", fact=other, by=fact)
        elif claim.lasting:
            self._mark(fact, NodeFlag.ONE)

    # -- what no slot decides ------------------------------------------------------

    def replace(self, fact: int, *, span: Span, by: int, probability: float) -> None:
        """Close what the conflict rule holds to be contradicted, unless it is the newer."""
        if span_at(self.view, fact).start > span.said_at:
            return
        at, recorded_at = span.said_at, span.recorded_at
        if close(self.view, fact, at=at, recorded_at=recorded_at, rule="conflict", by=by):
            self.view.draft.reason("contradicted", fact=fact, probability=round(probability, 3))
            self._note_closed(fact)

    # -- closing -------------------------------------------------------------------

    def _close(self, claim: Claim, fact: int, *, at: float, rule: str, by: int) -> None:
        recorded_at = claim.span.recorded_at
        if close(self.view, fact, at=at, recorded_at=recorded_at, rule=rule, by=by):
            self._note_closed(fact)
            if claim.relation.symmetric and self.settings.mirror:
                self._close_mirror(claim, fact, at=at, by=by)

    def _close_mirror(self, claim: Claim, fact: int, *, at: float, by: int) -> None:
        node = self.view.node(fact)
        for mirror in self.view.open(int(node["object"]), claim.slot):
            if int(self.view.node(mirror)["object"]) != int(node["subject"]):
                continue
            recorded_at = claim.span.recorded_at
            if close(self.view, mirror, at=at, recorded_at=recorded_at, rule="mirror", by=by):
                self._note_closed(mirror)
                if denies(claim):
                    self._mark(mirror, NodeFlag.RETRACTED)

    def _note_closed(self, fact: int) -> None:
        if fact not in self.done.closed:
            self.done.closed.append(fact)

    def _mark(self, fact: int, flag: NodeFlag) -> None:
        self.view.draft.node(fact)["flags"] |= int(flag)


def denies(claim: Claim) -> bool:
    """Whether a claim says that something is not and never was so, rather than that it ended."""
    if claim.act is not Act.RETRACT:
        return False
    return not (claim.span.change or claim.span.stated or claim.span.end < NEVER)
