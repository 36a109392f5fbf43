"""Guesses: what was not surely read closes nothing and stands in the way of nothing.

A guess is a fact of its own, marked as one. What is surely told is judged as if there were none
(`View` shows none); then the same rules are asked once more of the guesses alone, so that what is
sure ends those that do not hold beside it, itself told as a guess among them.
"""

from __future__ import annotations

from dataclasses import replace

from mags.engram.arbiter import Arbiter
from mags.engram.claim import Claim
from mags.engram.moment import Inscribed
from mags.engram.novelty import held
from mags.engram.settings import EngramSettings
from mags.engram.timeline import close
from mags.engram.view import View
from mags.graph.records import NOBODY
from mags.index.tokens import fold
from mags.ports.policy import Act


class Guesses:
    """The guesses of one turn and of those before it. `done`: what became of them."""

    def __init__(self, view: View, settings: EngramSettings, *, tick: int) -> None:
        """Guesses of a view that shows what is surely held."""
        self._settings = settings
        self._sure = view
        self._view = view.guesses()
        self.done = Inscribed()
        self._arbiter = Arbiter(self._view, settings, tick=tick, done=self.done)

    def refused(self, claim: Claim) -> str:
        """Why a guess is left out, its turn staying an episode; "" where it is stored."""
        if claim.act is Act.RETRACT:
            return "a guess takes nothing back"
        return "held surely already" if held(self._sure, claim) is not None else ""

    def repeat(self, claim: Claim) -> int | None:
        """Confirm the guess that another one says again; returns its id, or None."""
        return self._arbiter.confirmed(claim)

    def give_way(self, claim: Claim, fact: int | None, *, whole: bool = False) -> None:
        """End the guesses that do not hold beside what is surely told.

        `fact`: the one that it is held as. `whole`: what is taken back is all that joins two.
        """
        echo = claim.evidence.echo and not self._settings.echoes
        if echo or not self._settings.arbiter:
            return
        if not any(self._view.about(end) for end in {claim.subject, claim.object} - {NOBODY}):
            return
        if claim.act is Act.RETRACT and claim.one and not self._is_named(claim):
            claim = replace(claim, object=NOBODY)  # "I was fired" is meant of any job
        if claim.act is not Act.RETRACT:
            self._replace(claim, fact)
        elif whole:
            self._arbiter.part(claim)
        else:
            self._arbiter.retract(claim)

    def _is_named(self, claim: Claim) -> bool:
        """Whether the turn names its object, rather than that memory has told which is meant."""
        if NOBODY in (claim.object, claim.evidence.episode):
            return True
        said = self._view.words(claim.evidence.episode).text
        return fold(self._view.words(claim.object).text) in fold(said)

    def _replace(self, claim: Claim, fact: int | None) -> None:
        if fact is None:
            return
        guess = held(self._view, claim)
        if guess is not None:
            at, recorded_at = claim.span.start, claim.span.recorded_at
            if close(self._view, guess, at=at, recorded_at=recorded_at, rule="sure", by=fact):
                self.done.closed.append(guess)
        self._arbiter.settle(claim, fact)
