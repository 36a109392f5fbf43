"""Grades: whose word a statement is, and which one may end which.

What a person says of themself > what is asserted by hand > what is said of another > what somebody
is said to have said > what a tool or an assistant says. What rests on other facts is worth no more
than the least of them. A lower grade ends nothing of a higher one: the arbiter opens it as
*disputed* beside that.

Where one person alone has ever spoken (and where nobody is named as the speaker), there is nobody
to tell apart: every statement but those of tools and assistants has one grade.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mags.engram.view import View
from mags.graph.records import NOBODY, Grade, NodeFlag, NodeKind, grade_in
from mags.ports.policy import ASSISTANTS

SOURCE = "source"
"""The qualifier that names who is said to have said something."""


Teller = tuple[int, Grade]
"""Who says something, an entity or NOBODY, and the grade of all they say where that does not depend
on whom they tell of, else UNKNOWN."""


class Grades:
    """The grades of what one turn says, and of what it meets."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._alone: bool | None = None

    def told(
        self,
        teller: Teller,
        ends: tuple[int, int],
        qualifiers: Mapping[str, object],
        *,
        symmetric: bool = False,
        rests_on: Iterable[int] = (),
    ) -> Grade:
        """The grade of a statement about `ends` (subject, object); `symmetric`: as much of both."""
        speaker, stated = teller
        own = self._is_own(speaker, ends[0]) or (symmetric and ends[1] == speaker)
        # A program knows of itself, and of nobody else.
        if stated is Grade.TOOL:
            grade = Grade.SELF if own and speaker != NOBODY else Grade.TOOL
        elif stated is not Grade.UNKNOWN:
            grade = stated
        elif qualifiers.get(SOURCE):
            grade = Grade.REPORTED
        else:
            grade = Grade.SELF if own else Grade.THIRD
        graph = self._view.draft.graph
        return min([grade, *(self.of(i) for i in rests_on if i in graph)])

    def of(self, fact: int) -> Grade:
        """The grade of a fact or note as it is held."""
        node = self._view.node(fact)
        known = grade_in(int(node["flags"]))
        return self._from_sources(fact) if known is Grade.UNKNOWN else known

    def reaches(self, grade: Grade, fact: int) -> bool:
        """Whether a statement of that grade may end a fact."""
        held = self.of(fact)
        return grade >= held or (self.alone and grade > Grade.TOOL)

    def is_above(self, grade: Grade, fact: int) -> bool:
        """Whether a statement is of a higher grade than a fact, which may not end it."""
        held = self.of(fact)
        return grade > held and not (self.alone and held > Grade.TOOL)

    @property
    def alone(self) -> bool:
        """Whether at most one person has ever spoken."""
        if self._alone is None:
            self._alone = self._view.state.alone(self._programs(), self._view.heard)
        return self._alone

    def _programs(self) -> set[int]:
        return {i for name in ASSISTANTS for i in self._view.find(name)}

    def _is_own(self, speaker: int, subject: int) -> bool:
        """Whether somebody tells of themself, or of what is named as theirs: "Ana's dog"."""
        if speaker in (subject, NOBODY):
            return speaker == subject
        name, whose = self._view.words(subject).text, self._view.words(speaker).text
        return name.startswith((f"{whose}'s ", f"{whose}' "))

    def _from_sources(self, fact: int) -> Grade:
        """The grade of a fact of an older file: the highest of those who said so."""
        view, node = self._view, self._view.node(fact)
        ends = int(node["subject"]), int(node["object"])
        qualifiers = view.words(fact).meta.get("qualifiers", {})
        given = bool(int(node["flags"]) & NodeFlag.GIVEN)
        grades = [Grade.OWNER] if given else []
        tools = self._programs()
        for episode in view.sources(fact):
            said = view.node(episode)
            speaker = int(said["subject"])
            echo = int(said["flags"]) & NodeFlag.RECALLED or speaker in tools
            if int(node["kind"]) == NodeKind.NOTE:
                ends = speaker, NOBODY
            teller = speaker, Grade.TOOL if echo else Grade.UNKNOWN
            grades.append(self.told(teller, ends, qualifiers))
        return max(grades, default=Grade.THIRD)
