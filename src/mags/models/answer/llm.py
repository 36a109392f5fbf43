"""A language model answers from recalled memories, and may recall again while it thinks.

Two modes. In a *chat* the conversation goes along and grows by what is recalled. In *manager*
mode there is no history: every call meets a fresh model, whose one prompt holds the latest turns,
all memories found so far and the question. Where the model fails, `FallbackAnswerer` asks another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from mags.errors import ModelReplyError, ModelUnavailable
from mags.models import grammar, rendering
from mags.models.answer import context
from mags.models.answer.topics import pairs
from mags.models.prompts import Prompt
from mags.ports.answer import (
    Answer,
    Answerer,
    Budgeted,
    ContextItem,
    OnText,
    Outcome,
    RecallAgain,
)
from mags.ports.chat import ChatModel, Completion, Message, Tool, Usage, estimate, present
from mags.ports.policy import Turn

RECALL = Tool(
    name="recall",
    description="Search the memory once more; gives memories with their marks.",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string", "description": "what to look for, short"}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
NOT_KNOWN = re.compile(
    r"^\W*(?:i(?: do not|['\N{RIGHT SINGLE QUOTATION MARK}]?m not"
    r"| don['\N{RIGHT SINGLE QUOTATION MARK}]?t)"
    r" (?:know|sure)|(?:the )?(?:memor(?:y|ies)|conversation) (?:do(?:es)?(?: not|n't)) "
    r"|(?:that|it|this) (?:is|was) not (?:known|told))",
    re.I,
)
"""How an answer begins that does not know."""
TIMES = ("no time", "once", "twice", "three times", "four times", "five times")
OWN = ("assistant", "mags")
"""Speakers that are the model itself: what it is called in a chat, and as what it is remembered."""
HITS = 64
"""Hits that a prompt is filled from; of short turns some sixty fit the budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBudget:
    """Bounds of one answer.

    `context_tokens`: memories in the first prompt, with what was just said (which leaves them half
    at least); `again_tokens`: those of each later round.
    `rounds`: calls of the model in all, the last of which must answer; `queries`: a round.
    """

    context_tokens: int = 1600
    again_tokens: int = 600
    rounds: int = 2
    queries: int = 3


class LlmAnswerer:
    """An `Answerer` over a chat model. `prompts`: "answer" and "answer_manager"."""

    def __init__(
        self,
        chat: ChatModel,
        prompts: Mapping[str, Prompt],
        *,
        manager: bool = False,
        budget: AnswerBudget | None = None,
    ) -> None:
        self._chat = chat
        self._prompt = prompts["answer_manager" if manager else "answer"]
        self._manager = manager
        self._budget = budget or AnswerBudget()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.name

    @property
    def hits(self) -> int:
        """See `Budgeted`."""
        return HITS

    def answer(
        self,
        question: Turn,
        items: Sequence[ContextItem],
        *,
        recent: Sequence[Turn],
        recall_again: RecallAgain,
        on_text: OnText | None = None,
    ) -> Answer:
        """Answer with citations; raises ModelUnavailable, ModelReplyError.

        Calls that the turn has taken before this one (a plan) count among its rounds.
        """
        talk = _Talk(
            prompt=self._prompt,
            question=question,
            recent=rendering.just_said(question, recent),
            recall_again=recall_again,
            budget=self._budget,
            manager=self._manager,
            by_tool=self._chat.takes_tools,
            left=max(1, self._budget.rounds - present().calls),
        )
        tokens = self._budget.context_tokens
        talk.show(items, max(tokens // 2, tokens - estimate(rendering.said_before(talk.recent))))
        while True:
            talk.rounds += 1
            last = talk.rounds >= talk.left
            tools = (RECALL,) if talk.by_tool and not last else ()
            messages = talk.messages()
            block_filter = None if on_text is None else context.BlockFilter(on_text)
            completion = self._chat.complete(
                messages, tools=tools, on_text=None if block_filter is None else block_filter.feed
            )
            if block_filter is not None:
                block_filter.finish()
            talk.usage += completion.usage
            wanted = () if last else talk.wanted(completion)
            if last or (not wanted and context.visible(completion.text)):
                return talk.answer(completion, self._chat.name)
            talk.go_on(completion, wanted)
            if on_text is not None and context.visible(completion.text):
                on_text("\n")


class FallbackAnswerer:
    """Asks `first`; when its model fails, `second` answers and `Answer.fallback` says why.

    `second` is shown the first `most` memories, with what came out as one with them.
    """

    def __init__(self, first: Answerer, second: Answerer, *, most: int = 12) -> None:
        self._first = first
        self._second = second
        self._most = most

    @property
    def name(self) -> str:
        """Both names, in the order in which they are asked."""
        return f"{self._first.name}, else {self._second.name}"

    @property
    def hits(self) -> int:
        """See `Budgeted`: as many as the first wants."""
        return self._first.hits if isinstance(self._first, Budgeted) else 0

    def answer(
        self,
        question: Turn,
        items: Sequence[ContextItem],
        *,
        recent: Sequence[Turn],
        recall_again: RecallAgain,
        on_text: OnText | None = None,
    ) -> Answer:
        """Answer by the first that can. What was streamed before a failure ends with a newline."""
        pieces = 0

        def count(piece: str) -> None:
            nonlocal pieces
            pieces += 1
            if on_text is not None:
                on_text(piece)

        try:
            answer = self._first.answer(
                question,
                items,
                recent=recent,
                recall_again=recall_again,
                on_text=None if on_text is None else count,
            )
            return replace(answer, by=self._first.name)
        except (ModelUnavailable, ModelReplyError) as failure:
            why = f"{failure} Answered by {self._second.name} instead."
        if pieces and on_text is not None:
            on_text("\n")
        answer = self._second.answer(
            question,
            self._fewer(items),
            recent=recent,
            recall_again=lambda query: self._fewer(recall_again(query)),
            on_text=on_text,
        )
        return replace(answer, fallback=why, by=self._second.name)

    def _fewer(self, items: Sequence[ContextItem]) -> list[ContextItem]:
        own = [item for item in items if item.beside is None]
        leads = [place for place, item in enumerate(own) if item.within is None]
        return own[: leads[self._most]] if len(leads) > self._most else own


@dataclass(slots=True, kw_only=True)
class _Talk:
    """One answer in the making. `left`: calls it may take; `shown`: what the model saw, by id."""

    prompt: Prompt
    question: Turn
    recent: Sequence[Turn]
    recall_again: RecallAgain
    budget: AnswerBudget
    manager: bool
    by_tool: bool
    left: int
    shown: dict[int, ContextItem] = field(default_factory=dict)
    marks: dict[tuple[str, str], int] = field(default_factory=dict)
    first: list[str] = field(default_factory=list)
    later: list[Message] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    rounds: int = 0

    def show(self, items: Sequence[ContextItem], tokens: int) -> list[str]:
        """Take in what is new and fits; the lines of it.

        What was just said stands in the conversation, and has its mark there.
        """
        just = {(turn.speaker, turn.text) for turn in self.recent}
        fresh = [one for one in items if (one.speaker, one.text) not in just]
        if not self.rounds:
            said = [one for one in items if (one.speaker, one.text) in just]
            self.marks.update({(one.speaker, one.text): one.id for one in said})
            self.shown.update({one.id: one for one in said})
        new = context.fill(self.question.text, fresh, tokens, self.shown)
        self.shown.update({one.item.id: one.item for one in new})
        lines = context.by_day(new)
        if self.manager or not self.rounds:
            self.first += lines
        return lines

    def messages(self) -> tuple[Message, ...]:
        """The call of this round. What the calls before it held comes first, letter by letter.

        A server that keeps what it has read then reads only what is new.
        """
        kind = "tool" if self.by_tool else "token"
        values = {
            "recall": self.prompt.render(f"recall by {kind}", {}),
            "now": rendering.now(self.question.at),
            "memories": rendering.lines(self.first),
            "recent": rendering.said_before(self.recent, self.marks),
            "asked": rendering.lines([rendering.quote(query) for query in self.queries]),
            "speaker": rendering.quote(self.question.speaker),
            "question": self.question.text,
            "left": self._left(self.rounds if self.manager else 1),
        }
        system, *shown, user = self.prompt.messages(values)
        if self.manager:
            return (system, *shown, user)
        return _merged((system, *shown, *_history(self.recent, self.marks), user, *self.later))

    def _left(self, rounds: int) -> str:
        """What the model is told of how often it may recall after so many rounds."""
        left = self.left - rounds
        if left < 1:
            return self.prompt.render("no recall", {})
        times = TIMES[left] if left < len(TIMES) else f"{left} times"
        return self.prompt.render("recalls left", {"times": times})

    def wanted(self, completion: Completion) -> tuple[str, ...]:
        """New queries of a reply, from its tool calls and from `<recall>` in its text.

        Some servers leave a tool call in the text, as the model wrote it.
        """
        asked = [str(call.arguments.get("query", "")) for call in completion.tool_calls]
        for block in grammar.blocks(completion.text, "tool_call"):
            with suppress(ValueError, KeyError, TypeError):
                asked.append(str(json.loads(block)["arguments"]["query"]))
        for block in grammar.blocks(completion.text, "recall"):
            with suppress(ModelReplyError):
                asked += grammar.recall_lines(block)[0]
        fresh = (query for query in asked if query.strip() and query not in self.queries)
        return tuple(dict.fromkeys(fresh))[: self.budget.queries]

    def go_on(self, completion: Completion, wanted: Sequence[str]) -> None:
        """Recall what is wanted and put it where the next call finds it."""
        room = self.budget.again_tokens // max(1, len(wanted))
        found = {query: self.show(self.recall_again(query), room) for query in wanted}
        self.queries += wanted
        if self.manager:
            return
        self.later.append(
            Message(role="assistant", content=completion.text, tool_calls=completion.tool_calls)
        )
        told = {query: rendering.lines(lines) for query, lines in found.items()}
        for call in completion.tool_calls:
            content = told.get(str(call.arguments.get("query", "")), rendering.NOTHING)
            self.later.append(Message(role="tool", content=content, tool_call_id=call.id))
        if not completion.tool_calls:
            body = "\n".join(f"{query}:\n{lines}" for query, lines in told.items())
            said = self.prompt.render("again", {"found": body})
            self.later.append(Message(role="user", content=said))
        last, left = self.later[-1], self._left(self.rounds + 1)
        self.later[-1] = replace(last, content=f"{last.content}\n\n{left}")

    def answer(self, completion: Completion, name: str) -> Answer:
        """The answer that a last reply holds; raises ModelReplyError when it says nothing."""
        text, citations, unseen = context.settle(context.visible(completion.text), self.shown)
        if not text:
            raise ModelReplyError(
                f"{name} gave no answer within {self.rounds} calls: it only recalled. "
                "Raise answer.rounds, or take another model.",
                endpoint=name,
                reason="no answer",
            )
        warnings = [f"{name} cites [m{one}], which it was not shown" for one in unseen]
        if completion.finish == "length":
            warnings.append(f"the answer of {name} was cut off: raise chat.max_tokens")
        engram = self._engram(completion.text, warnings, name)
        drawn = [link for link in engram.links if set(link) <= self.shown.keys()]
        return Answer(
            text=text,
            outcome=outcome_of(text, citations),
            citations=citations,
            support=context.share_cited(text),
            links=tuple(dict.fromkeys((*drawn, *pairs(citations)))),
            usage=self.usage,
            rounds=self.rounds,
            queries=tuple(self.queries),
            operations=engram.operations,
            warnings=tuple(warnings),
        )

    def _engram(self, text: str, warnings: list[str], name: str) -> grammar.EngramBlock:
        """What the model wants remembered; lines that are unreadable or invented are left out."""
        found = grammar.EngramBlock()
        source = "\n".join(
            (self.question.speaker, self.question.text, *(i.text for i in self.shown.values()))
        )
        refused: list[str] = []
        for block in grammar.blocks(text, "engram"):
            with suppress(ModelReplyError):  # nobody asked for it: the answer does not depend on it
                read = grammar.engram_lines(block, refused)
                good = grammar.kept(
                    read, lambda one: grammar.check_invented((one,), source), refused
                )
                found = grammar.EngramBlock(
                    operations=(*found.operations, *(one for _, one in good)),
                    links=found.links + read.links,
                )
        warnings += [f"{name}, left out {line}" for line in refused]
        return found


def outcome_of(text: str, citations: Sequence[int]) -> Outcome:
    """What a model's answer is, by the words that the prompt asks for where it does not know."""
    if not NOT_KNOWN.search(text):
        return "answered"
    return "closest" if citations else "unknown"


def _history(recent: Sequence[Turn], marks: rendering.Marks) -> list[Message]:
    """Turns as messages; the model's own hold no marks, which it would cite again unseen."""
    return [
        Message(role="assistant", content=rendering.MARK.sub(r"(\1)", turn.text))
        if turn.speaker in OWN
        else Message(role="user", content=line)
        for turn, line in rendering.dated(recent, marks)
    ]


def _merged(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Neighbouring messages of one role as one: many chat templates want roles to alternate."""
    merged: list[Message] = []
    for message in messages:
        before = merged[-1] if merged else None
        if before and before.role == message.role and message.role in ("user", "assistant"):
            merged[-1] = Message(
                role=message.role,
                content=f"{before.content}\n\n{message.content}",
                tool_calls=message.tool_calls,
            )
        else:
            merged.append(message)
    return tuple(merged)
