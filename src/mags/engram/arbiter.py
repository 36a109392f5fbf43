"""Arbiter: decides what a claim closes, confirms or adds; a model proposes, this disposes.

The rules, in the order they are tried (after KEDKG):

1. RETRACT closes: with an object that fact, without one the whole slot, without a relation all
   that joins the two. Taking back a symmetric fact takes back its mirror image too. "No longer"
   and an end that is stated tell of a fact that was true; only what is denied ("it is not so") is
   marked RETRACTED, and then the past does not show it either.
2. The open fact of the same slot and object is confirmed; a closed one is not.
3. In a `one` slot the newer of two rivals ends the other where it begins; the older gets
   an interval that ends where the newer begins. What does not overlap is left alone, and what has
   no topic in common (`topics`): a budget for groceries and one for gifts.
4. A relation and its opposite (likes, dislikes) do not both hold of one object.
5. What no slot decides is compared sentence with sentence (`conflict`), facts of relations
   that the table holds to be many-valued only where the new sentence carries a cue.
6. None of this ends a fact of a higher grade (`grades`): what would have ended it is *disputed*
   beside it, until the higher word is over, or somebody of its grade says the same, or two
   speakers do who are independent of one another. One who says it twice counts once.

A fact that is closed for a rival draws its mirror image of a symmetric relation with it;
inverse relations ("author", "wrote") are left alone: each fact holds as it was said, and a
model that means both says both.

What is surely told is judged as if there were no guesses (`View` shows none). Then the same rules
are applied to the guesses alone, so that what is sure ends those that do not hold beside it.
"""

from __future__ import annotations

from dataclasses import replace

from mags.engram.claim import Claim, Evidence, Span, apart, differ, opposites, session_of, slot_of
from mags.engram.grades import Grades
from mags.engram.settings import EngramSettings
from mags.engram.view import Inscribed, View, WriteMoment
from mags.graph.records import (
    NEVER,
    NOBODY,
    ArcKind,
    Grade,
    NodeFlag,
    NodeKind,
    graded,
    node_charge,
)
from mags.index.tokens import fold as fold_text
from mags.index.tokens import fold_name
from mags.ports.policy import Act

ONE = int(NodeFlag.ONE)
DISPUTED = int(NodeFlag.DISPUTED)
ENOUGH = 2
"""How many independent speakers bear out what is disputed."""


class Arbiter:
    """Judges the claims of one turn, one after another, and writes what follows."""

    def __init__(
        self,
        view: View,
        settings: EngramSettings,
        moment: WriteMoment,
        done: Inscribed,
        grades: Grades | None = None,
    ) -> None:
        """Judge what `view` shows; ids of what happens go to `done`.

        `grades`: None where every word ends what it meets, as every sure one ends guesses.
        """
        self.view = view
        self.grades = grades
        self.settings = settings
        self.moment = moment
        self.done = done

    # -- what is taken back --------------------------------------------------------

    def retract(self, claim: Claim) -> list[int]:
        """Close what a claim takes back; returns what it may not close, of a higher grade.

        A fact that was observed after this was said is not meant; one whose stated start
        still lies ahead is.
        """
        if claim.slot == NOBODY:
            return self._part(claim)
        if not self.settings.arbiter:
            self.view.draft.reason("append-only", slot=claim.slot)
            return []
        stays: list[int] = []
        at = claim.span.end if claim.span.end < NEVER else claim.span.start
        closed = False
        for fact in self._meant(claim):
            span = span_at(self.view, fact)
            if span.start > claim.span.said_at and not span.stated:
                continue  # told after this was said: out of order, and not meant
            if not self.may_end(claim, fact):
                stays.append(fact)
                continue
            self._close(claim, fact, at=at, rule="retract", by=NOBODY)
            if claim.denies:
                self.mark(fact, NodeFlag.RETRACTED)
            closed = True
        if not closed and not stays:
            self.view.draft.reason("retract-nothing", subject=claim.subject, slot=claim.slot)
        return stays

    def _meant(self, claim: Claim) -> list[int]:
        """The open facts that a claim takes back.

        Those of its object; of a symmetric relation also the one told from the other end. Where
        none is, the only one whose object ends on the words of the claim's: who sold "the
        Toyota" has the "red Toyota" no more.
        """
        held = self.view.open(claim.subject, claim.slot)
        if claim.object == NOBODY:
            return [i for i in held if not self._is_of_another_topic(claim, i)]
        exact = [i for i in held if int(self.view.node(i)["object"]) == claim.object]
        if claim.relation.symmetric:
            back = self.view.open(claim.object, claim.slot)
            exact += [i for i in back if int(self.view.node(i)["object"]) == claim.subject]
        if exact or not claim.span.change:
            return exact
        ending = f" {fold_name(str(claim.meta.get('object', '')))}"
        named = {i: fold_name(str(self.view.words(i).meta.get("object", ""))) for i in held}
        longer = [i for i, name in named.items() if name.endswith(ending)]
        return longer if len(longer) == 1 else []

    def _part(self, claim: Claim) -> list[int]:
        """Close every open fact that joins subject and object of a claim, whichever way round.

        What the same turn has said of them stays, and what was observed after it was said. Returns
        what may not be closed.
        """
        if not self.settings.arbiter or claim.object == NOBODY:
            return []
        stays = {*self.done.facts, *self.done.confirmed}
        outranking: list[int] = []
        for fact in dict.fromkeys(self.view.about(claim.subject)):
            node = self.view.node(fact)
            joins = {int(node["subject"]), int(node["object"])} == {claim.subject, claim.object}
            if not joins or fact in stays or float(node["valid_from"]) > claim.span.said_at:
                continue
            if self.may_end(claim, fact):
                self.end(fact, at=claim.span.start, rule="part", by=NOBODY)
            elif node["valid_to"] == NEVER:
                outranking.append(fact)
        return outranking

    # -- what is said again --------------------------------------------------------

    def repeat(self, claim: Claim) -> int | None:
        """Confirm the open fact that a claim says again; returns its id, or None."""
        fact = self.confirmed(claim)
        if fact is not None and self.settings.arbiter and not claim.evidence.echo:
            if self.may_end(claim, fact):
                self._refine(fact, claim.span)
            self.settle(self._borne_out(claim, fact), fact)
        return fact

    def confirmed(self, claim: Claim) -> int | None:
        """The open fact that a claim says again, held the more surely for it, or None."""
        fact = self.held(claim) if self.settings.novelty else None
        if fact is None:
            return None
        before = float(self.view.node(fact)["confidence"])
        after = self.confirm(fact, claim.evidence, claim.span.confidence)
        self.view.draft.reason("confirm", fact=fact, before=before, after=after)
        if fact not in self.done.confirmed:
            self.done.confirmed.append(fact)
        return fact

    def held(self, claim: Claim) -> int | None:
        """The open fact of the same slot and object, or None; closed ones never count.

        In a one-valued slot a statement that reaches back beyond a rival speaks of another
        period, and so is no confirmation of the fact that is open now. Nor is a statement that
        gives a qualifier another value ("a degree from Oslo", "a degree from Rome"), but that
        it gives another time matters to events only. What is disputed is said again by who is
        of the same grade, or of a grade that settles it: hearsay bears out nobody's word.
        """
        ours = claim.meta.get("qualifiers", {})
        for fact in self.view.open(claim.subject, claim.slot):
            if int(self.view.node(fact)["object"]) != claim.object:
                continue
            if not self._is_of_one_kind(claim, fact) or self._is_of_another_topic(claim, fact):
                continue
            if claim.one and self._is_another_period(claim, fact):
                continue
            theirs = self.view.words(fact).meta.get("qualifiers", {})
            if not differ(ours, theirs, timeless=claim.one):
                return fact
        return None

    def _is_of_one_kind(self, claim: Claim, fact: int) -> bool:
        """Whether a claim can bear out a fact that is disputed, or the fact is not."""
        if self.grades is None or not self.is_disputed(fact):
            return True
        if self.grades.of(fact) == claim.grade:
            return True
        return all(self.may_end(claim, other) for other in self._contested(fact))

    def _is_another_period(self, claim: Claim, fact: int) -> bool:
        start = float(self.view.node(fact)["valid_from"])
        rivals = (span_at(self.view, i) for i in self._rivals(claim, fact))
        return any(claim.span.start < r.start < start and r.start < r.end for r in rivals)

    def confirm(self, fact: int, evidence: Evidence, confidence: float) -> float:
        """Say a fact or note again: charge, use, source, confidence. Returns the new confidence.

        Confidence combines as 1 - (1 - a)(1 - b), once per (speaker, session); a bare assertion
        has neither and only lifts it to its own; an echo of the memory lifts nothing.
        """
        counted = self._is_counted(fact, evidence)
        node = self.view.draft.node(fact)
        charge = float(node_charge(node, self.moment.tick)[0])
        node["strength"] = charge + self.settings.salience.recharge * (1.0 - charge)
        node["strength_tick"] = node["last_used_tick"] = self.moment.tick
        node["uses"] += 1
        before = float(node["confidence"][0])
        if evidence.episode == NOBODY:
            node["confidence"] = max(before, confidence)
            return float(node["confidence"][0])
        self.view.join(fact, evidence.episode, ArcKind.SOURCE)
        if not counted and not evidence.echo:
            node["confidence"] = 1.0 - (1.0 - before) * (1.0 - confidence)
        return float(node["confidence"][0])

    def _is_counted(self, fact: int, evidence: Evidence) -> bool:
        once = self.is_disputed(fact)  # however often one says it, it is one word
        for episode in self.view.sources(fact):
            node = self.view.node(episode)
            session = session_of(int(node["session"]), float(node["valid_from"]))
            if int(node["subject"]) == evidence.speaker and (once or session == evidence.session):
                return True
        return False

    def _refine(self, fact: int, new: Span) -> None:
        """Take a better time from a confirmation.

        An earlier start is better, but an observed one never beats a stated one; a later start
        is none, for the fact was seen to hold before. A stated end closes.
        """
        old = span_at(self.view, fact)
        earlier = new.start < old.start and (new.stated or not old.stated)
        named = new.stated and not old.stated and new.start <= old.start
        if not earlier and not named and new.end == NEVER:
            return
        node = self.view.draft.node(fact)
        if earlier:
            node["valid_from"] = new.start
        if named:
            node["flags"] |= int(NodeFlag.STATED)
        if new.end < NEVER:
            node["valid_to"] = max(new.end, float(node["valid_from"][0]))
            node["closed_at"] = self.moment.now_s
        now = span_at(self.view, fact)
        self.view.draft.reason("refine", fact=fact, valid_from=now.start, valid_to=now.end)
        if old.end == NEVER and now.end < NEVER:
            self._note_closed(fact)

    # -- what is new ---------------------------------------------------------------

    def place(self, claim: Claim) -> tuple[Span, int]:
        """When the new fact holds, and the newer fact that ends it (or NOBODY)."""
        span, heir = claim.span, NOBODY
        if not self.settings.arbiter or not claim.one:
            return span, heir
        for rival in self._rivals(claim):
            other = span_at(self.view, rival)
            if _is_apart(span, other) or self._is_newer(span, other) or self._yields(claim, rival):
                continue
            if max(other.start, span.start) < span.end:
                span, heir = replace(span, end=max(other.start, span.start)), rival
        return span, heir

    def settle(self, claim: Claim, fact: int) -> None:
        """Close what the fact of a claim replaces."""
        if not self.settings.arbiter:
            return
        if claim.one:
            for rival in self._displaced(claim, fact):
                self._replace(claim, rival, rule="supersede", by=fact)
            for rival in self._rivals(claim, fact):
                if self._yields(claim, rival):
                    self.dispute(rival, fact)
        for opposite in opposites(claim.relation):
            self._deny(claim, fact, opposite)
        if claim.shared:
            self._share(claim, fact)
        elif claim.lasting:
            self.mark(fact, NodeFlag.ONE)

    def _displaced(self, claim: Claim, fact: int) -> list[int]:
        """The rivals that a claim, as stated, replaces from its start on.

        What was over when it was said replaces nothing that goes on.
        """
        span, out = claim.span, []
        for rival in self._rivals(claim, fact):
            other = span_at(self.view, rival)
            if _is_apart(span, other) or not self._is_newer(span, other):
                continue
            if not (span.is_over and other.end > span.end):
                out.append(rival)
        return out

    def _rivals(self, claim: Claim, fact: int = NOBODY) -> list[int]:
        """The other facts of a claim's slot, on a topic that it shares."""
        held = self.view.facts(claim.subject, claim.slot)
        return [i for i in held if i != fact and not self._is_of_another_topic(claim, i)]

    def _is_of_another_topic(self, claim: Claim, fact: int) -> bool:
        if claim.act is Act.UPDATE or claim.span.change:
            relation = replace(claim.relation, topics=False)
        else:
            relation = claim.relation
        theirs = self.view.words(fact).meta
        own = claim.evidence.speaker == claim.subject
        return apart(
            claim.meta.get("qualifiers", {}),
            theirs.get("qualifiers", {}),
            relation,
            str(theirs.get("subject", "")),
            own=own,
        )

    def _is_newer(self, span: Span, other: Span) -> bool:
        return span.is_newer(other, history_s=self.settings.history_s)

    def _deny(self, claim: Claim, fact: int, opposite: str) -> None:
        slot = slot_of(self.view.state, opposite, claim.kind)
        for rival in self.view.open(claim.subject, slot):
            node = self.view.node(rival)
            begun = float(node["valid_from"]) <= claim.span.start
            if (
                int(node["object"]) == claim.object
                and begun
                and not self._is_of_another_topic(claim, rival)
            ):
                self._replace(claim, rival, rule="opposite", by=fact)

    def _share(self, claim: Claim, fact: int) -> None:
        """Let a slot hold several from now on."""
        held = [i for i in self.view.open(claim.subject, claim.slot) if i != fact]
        above = [i for i in held if not self.may_end(claim, i)]
        if claim.relation.one and above:
            for other in above:
                self.dispute(fact, other)
            return
        for other in self.view.open(claim.subject, claim.slot):
            if int(self.view.node(other)["flags"]) & ONE:
                # Masked: ~ of a Python int is negative, and the field a uint16.
                self.view.draft.node(other)["flags"] &= ~ONE & 0xFFFF
                self.view.draft.reason("shared-slot", fact=other, by=fact)

    # -- whose word counts -----------------------------------------------------------

    def may_end(self, claim: Claim, fact: int) -> bool:
        """Whether a claim's grade allows it to end a fact."""
        return self.grades is None or self.grades.reaches(claim.grade, fact)

    def _yields(self, claim: Claim, rival: int) -> bool:
        """Whether a newer rival ends nothing: its grade is lower, and it is disputed or to come."""
        if self.grades is None or not self.grades.is_above(claim.grade, rival):
            return False
        node = self.view.node(rival)
        ahead = float(node["valid_from"]) > claim.span.said_at
        return node["valid_to"] == NEVER and (ahead or self.is_disputed(rival))

    def is_disputed(self, fact: int) -> bool:
        """Whether a fact is marked as disputed."""
        return bool(int(self.view.node(fact)["flags"]) & DISPUTED)

    def dispute(self, fact: int, of: int) -> None:
        """Mark a fact, and the turn it comes from, as saying otherwise than one that stays."""
        for node_id in (fact, *self.view.sources(fact)):
            self.view.draft.node(node_id)["flags"] |= DISPUTED
            self.view.join(node_id, of, ArcKind.DISPUTES)
        if fact not in self.done.disputed:
            self.done.disputed.append(fact)
        self.view.draft.reason("dispute", fact=fact, of=of)

    def _contested(self, fact: int) -> list[int]:
        """The open facts of a higher grade that one says otherwise than."""
        found = self.view.disputes(fact)
        return [i for i in found if self.view.node(i)["valid_to"] == NEVER]

    def _borne_out(self, claim: Claim, fact: int) -> Claim:
        """The claim, as sure as a person's own word where another speaker has said it before.

        The fact takes the higher grade, and is disputed no more by what the claim may end.
        """
        if self.grades is None:
            return claim
        held, disputed = self.grades.of(fact), self.is_disputed(fact)
        if disputed and claim.grade >= Grade.THIRD and self._speakers(claim, fact) >= ENOUGH:
            claim = replace(claim, grade=Grade.SELF)
        node = self.view.draft.node(fact)
        if claim.grade > held:
            node["flags"] = graded(int(node["flags"][0]), claim.grade)
        if disputed and all(self.may_end(claim, other) for other in self._contested(fact)):
            self._agree(fact)
        return claim

    def _speakers(self, claim: Claim, fact: int) -> int:
        """How many have said a fact: speakers, and whoever asserts it by hand."""
        said = {int(self.view.node(episode)["subject"]) for episode in self.view.sources(fact)}
        by_hand = claim.evidence.episode == NOBODY or bool(
            int(self.view.node(fact)["flags"]) & NodeFlag.GIVEN
        )
        return len(said - {NOBODY}) + by_hand

    def _agree(self, fact: int) -> None:
        """Mark a fact, and the turns it comes from, as disputed no more."""
        of = self.view.disputes(fact)
        for node_id in (fact, *self.view.sources(fact)):
            for other in of:
                self.view.agree(node_id, other)
            if not self.view.disputes(node_id):
                self.view.draft.node(node_id)["flags"] &= ~DISPUTED & 0xFFFF
        self.view.draft.reason("settled", fact=fact)

    # -- closing -------------------------------------------------------------------

    def replace(self, fact: int, evidence: Evidence, *, by: int, probability: float) -> None:
        """Close what the conflict rule holds to be contradicted, unless it is the newer.

        What is of a higher grade than the speaker's word stays, and the turn disputes it.
        """
        node, said_at = self.view.node(fact), evidence.said_at
        if float(node["valid_from"]) > said_at:
            return
        ends = int(node["subject"]), int(node["object"])
        if int(node["kind"]) == NodeKind.NOTE:
            said = [int(self.view.node(episode)["subject"]) for episode in self.view.sources(fact)]
            # Of the speaker where they said the note, or it names them; else of another who said.
            speaker = evidence.speaker
            own = speaker in said or speaker in self.view.ends(fact, ArcKind.MENTIONS)
            ends = speaker if own else next(iter(said), NOBODY), NOBODY
        if self.grades is not None and node["valid_to"] == NEVER:
            grade = self.grades.told(evidence.teller, ends, {})
            if not self.grades.reaches(grade, fact):
                self.view.draft.node(evidence.episode)["flags"] |= DISPUTED
                self.view.join(evidence.episode, fact, ArcKind.DISPUTES)
                self.view.draft.reason("dispute", fact=evidence.episode, of=fact)
                return
        if self.end(fact, at=said_at, rule="conflict", by=by):
            self.view.draft.reason("contradicted", fact=fact, probability=round(probability, 3))

    def _replace(self, claim: Claim, fact: int, *, rule: str, by: int) -> None:
        """End a fact where the claim that is held as `by` begins, or leave it and be disputed."""
        if self.may_end(claim, fact):
            self._close(claim, fact, at=claim.span.start, rule=rule, by=by)
        elif float(self.view.node(fact)["valid_to"]) > claim.span.said_at:
            self.dispute(by, fact)

    def _close(self, claim: Claim, fact: int, *, at: float, rule: str, by: int) -> None:
        """End a fact, and its mirror image with it."""
        closed = self.end(fact, at=at, rule=rule, by=by)
        if not (closed and claim.relation.symmetric and self.settings.mirror):
            return
        node = self.view.node(fact)
        for mirror in self.view.open(int(node["object"]), claim.slot):
            if int(self.view.node(mirror)["object"]) != int(node["subject"]):
                continue
            if not self.may_end(claim, mirror):
                continue
            if self.end(mirror, at=at, rule="mirror", by=by) and claim.denies:
                self.mark(mirror, NodeFlag.RETRACTED)

    def end(self, fact: int, *, at: float, rule: str, by: int) -> bool:
        """End a fact or note at `at`, never before its start; returns whether it was open.

        `by`: the node that closes it, or NOBODY. One that had ended already may only end sooner.
        """
        node = self.view.draft.node(fact)
        start, end = float(node["valid_from"][0]), float(node["valid_to"][0])
        end_now = max(start, at)
        if end_now >= end:
            return False
        node["valid_to"] = end_now
        if by:
            self.view.join(by, fact, ArcKind.SUPERSEDES)
        was_open = end == NEVER
        self.view.draft.reason(rule, fact=fact, by=by, valid_to=end_now, was_open=was_open)
        if was_open:
            node["closed_at"] = self.moment.now_s
            self._note_closed(fact)
        return was_open

    def _note_closed(self, fact: int) -> None:
        if fact not in self.done.closed:
            self.done.closed.append(fact)

    def mark(self, fact: int, flag: NodeFlag) -> None:
        """Put a mark on a fact."""
        self.view.draft.node(fact)["flags"] |= int(flag)


class Guesses:
    """The guesses of one turn and of those before it: they close nothing and block nothing."""

    def __init__(self, sure: Arbiter) -> None:
        """Guesses beside what an arbiter holds for sure; what becomes of them is in `done`."""
        self.done = Inscribed()
        self._sure = sure
        self._view = sure.view.guesses()
        self._arbiter = Arbiter(self._view, sure.settings, sure.moment, self.done)

    def refused(self, claim: Claim) -> str:
        """Why a guess is left out, its turn staying an episode; "" where it is stored."""
        if claim.act is Act.RETRACT:
            return "a guess takes nothing back"
        return "" if self._sure.held(claim) is None else "held surely already"

    def repeat(self, claim: Claim) -> int | None:
        """Confirm the guess that another one says again; returns its id, or None."""
        return self._arbiter.confirmed(claim)

    def give_way(self, claim: Claim, fact: int | None) -> None:
        """End the guesses that do not hold beside what is surely told, held as `fact`."""
        settings = self._sure.settings
        echo = claim.evidence.echo and not settings.echoes
        if echo or not settings.arbiter:
            return
        if not any(self._view.about(end) for end in {claim.subject, claim.object} - {NOBODY}):
            return
        if claim.act is Act.RETRACT:
            if claim.one and not self._is_named(claim):
                claim = replace(claim, object=NOBODY)  # "I was fired" is meant of any job
            self._arbiter.retract(claim)
        elif fact is not None:
            guess = self._arbiter.held(claim)
            if guess is not None:
                self._arbiter.end(guess, at=claim.span.start, rule="sure", by=fact)
            self._arbiter.settle(claim, fact)

    def _is_named(self, claim: Claim) -> bool:
        """Whether the turn names its object, rather than that memory has told which is meant."""
        if NOBODY in (claim.object, claim.evidence.episode):
            return True
        said = self._view.words(claim.evidence.episode).text
        return fold_text(self._view.words(claim.object).text) in fold_text(said)


def span_at(view: View, fact: int) -> Span:
    """The span of a fact as it is held."""
    node = view.node(fact)
    return Span(
        start=float(node["valid_from"]),
        end=float(node["valid_to"]),
        stated=bool(int(node["flags"]) & NodeFlag.STATED),
        recorded_at=float(node["recorded_at"]),
        confidence=float(node["confidence"]),
    )


def _is_apart(span: Span, other: Span) -> bool:
    return other.start >= other.end or not span.overlaps(other)
