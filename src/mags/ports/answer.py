"""Answerer: recalled memories and a question to an answer that cites them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from mags.ports.chat import Usage
from mags.ports.policy import Operation, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One recalled memory as an answerer sees it; cited as `[m<id>]`.

    `at`: when it was said, event time in seconds, `speaker`: by whom. `current`: it holds at
    the time asked about (now, or `as_of`). `tentative`: it is a guess.
    `disputed`: it says otherwise than what somebody says of themself, which is not shown beside it.
    `grade`: of a fact, whose word it is, the higher the nearer (5: of whom it tells themself); 0
    where all are alike, because one person alone has spoken.
    `score`: recall's own, higher is better, comparable within one recall only.
    `fact`: (subject, relation, object) of a FACT, else None. `valid_from`, `valid_to`: event
    time in seconds, where stated. `step`: place in a chain of hops (0 is the first), else None.
    `within`: id of the memory before it that this fact came out as one with, else None.
    `kind`: as of a `Hit`. `qualifiers`: of a fact. `beside`: id of the turn before it that this one
    answers, or is answered by; it was not recalled itself. `members`: those of the
    class asked about of whom this fact tells. `ended`: of a turn, whether a fact it told is over.
    `echoes`: of a turn, whether it only asked, or was an answer made from memory.
    """

    id: int
    text: str
    kind: str = "episode"
    at: float = 0.0
    speaker: str = ""
    current: bool = True
    tentative: bool = False
    disputed: bool = False
    grade: int = 0
    score: float = 0.0
    fact: tuple[str, str, str] | None = None
    valid_from: float | None = None
    valid_to: float | None = None
    step: int | None = None
    within: int | None = None
    qualifiers: tuple[tuple[str, str], ...] = ()
    beside: int | None = None
    members: tuple[str, ...] = ()
    ended: bool = False
    echoes: bool = False


Outcome = Literal["answered", "closest", "unknown"]
"""What came of a question. `answered`: the text answers it. `closest`: it was not sure, and quotes
at most two memories that come closest; the text never begins with a value. `unknown`: nothing that
was recalled shares what is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was answered and what it rests on.

    `outcome`: whether it is an answer, the closest memories or neither.
    `citations`: ids of the items the text cites, in order of their first mention.
    `support`: in [0, 1], how well they carry it.
    `links`: pairs (low, high) of ids the answer connected. `queries`: what was recalled again.
    `operations`: what the model itself wants remembered. `rounds`: calls of the model.
    `fallback`: why another answerer than the configured one spoke, else None. `by`: the name of
    the one that spoke, where there are several. `warnings`: what of a model's reply was not taken.
    """

    text: str
    outcome: Outcome = "answered"
    citations: tuple[int, ...] = ()
    support: float = 0.0
    links: tuple[tuple[int, int], ...] = ()
    usage: Usage = field(default_factory=Usage)
    rounds: int = 0
    fallback: str | None = None
    queries: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    by: str = ""
    warnings: tuple[str, ...] = ()


RecallAgain = Callable[[str], Sequence[ContextItem]]
"""One more query to what it recalls, best first."""

OnText = Callable[[str], None]
"""Receives pieces of the answer as they come; memory tokens never reach it."""


class Answerer(Protocol):
    """A question and what was recalled to an answer."""

    @property
    def name(self) -> str:
        """What to show the user: "extractive", "qwen3-8b at localhost:8000"."""

    def answer(
        self,
        question: Turn,
        items: Sequence[ContextItem],
        *,
        recent: Sequence[Turn],
        recall_again: RecallAgain,
        on_text: OnText | None = None,
    ) -> Answer:
        """Answer from `items` (best first); `recent`, oldest first, is what was just said.

        Raises ModelUnavailable, ModelReplyError.
        """


@runtime_checkable
class Budgeted(Protocol):
    """An answerer that takes as much as fits its budget, however many memories that are."""

    @property
    def hits(self) -> int:
        """Hits that its budget may hold, recalled where nobody says how many; 0: no such wish.

        It is then shown beside them the turns that they answer, and those that answer them.
        """
