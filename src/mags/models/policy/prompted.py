"""The three decisions of a memory, made by any chat model with a few-shot prompt.

Several turns are written in one call, the lines of the reply marked by turn. Where the server has
structured output the reply is held to a schema, else it is the tagged text that the prompt shows;
one grammar reads both. A line that it or a guardrail refuses is left out, and the warnings say
which and why. A reply in no known form is a ModelReplyError, for the next policy to take.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from mags.errors import ModelReplyError
from mags.models import grammar, rendering
from mags.models.policy.rules.tokens import WORD, is_name, stems
from mags.models.prompts import Prompt
from mags.ports.chat import ChatModel
from mags.ports.english import FIRST_PERSON, THIRD_PERSON, forms, is_time, third_person
from mags.ports.policy import (
    ASSISTANTS,
    Act,
    Operation,
    Plan,
    Recalled,
    Route,
    Turn,
    Writing,
    asks,
)
from mags.ports.relations import normalise

Json = Mapping[str, Any]
Read = TypeVar("Read")

MOST_RECALLED, MOST_RECENT, MOST_CHARACTERS = 16, 3, 200
"""Memories shown beside turns to write, turns said before them, and characters of each of those."""
OURS = frozenset({"my", "our"})
DECODER = json.JSONDecoder()
IS_JSON = re.compile(r"\{|\[\s*\{")
NAME = re.compile(r"(?<=[^\W_]\s)[^\W\d_a-z][\w-]+(?:\s+[^\W\d_a-z][\w-]+)*")


class PromptedPolicy:
    """A `Policy` over a chat model.

    `prompts`: at least "router", "ask" and "write". `language`: the memory's, as an ISO 639-1
    code. `grounded`: refuse names and objects that nobody said. `together`: turns written by one
    call. `failures` counts by role the replies in no known form.
    """

    def __init__(
        self,
        chat: ChatModel,
        prompts: Mapping[str, Prompt],
        *,
        language: str = "en",
        grounded: bool = True,
        together: int = 6,
    ) -> None:
        self._chat = chat
        self._together = together
        self._prompts = prompts
        self._language = language
        self._grounded = grounded
        self.failures: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """What to show the user, e.g. "prompted (qwen3-8b at localhost:8000)"."""
        return f"prompted ({self._chat.name})"

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs; raises ModelError."""
        values = prompt_values(turn, recent, language=self._language)
        return self._decide("router", values, grammar.read_route)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall; raises ModelError."""
        values = prompt_values(question, recent, language=self._language)
        return self._decide("ask", values, lambda reply: grammar.read_plan(reply, question.text))

    @property
    def together(self) -> int:
        """Turns that it writes in one call."""
        return self._together

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """The speaker; the names in the turn that are known are looked for in any case."""
        return (turn.speaker,)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations; raises ModelError."""
        return self.write_many([turn], recent, recalled)[0]

    def write_many(
        self, turns: Sequence[Turn], recent: Sequence[Turn], recalled: Sequence[Recalled]
    ) -> list[Writing]:
        """Propose operations of each turn, by one call; raises ModelError."""
        held: list[Recalled | Operation] = [*recalled]
        recalled = nearest(turns, recalled)
        source = words_of(turns, recent, recalled)
        refused: list[str] = []

        def check(operation: Operation) -> None:
            if operation.subject.casefold() in THIRD_PERSON:
                raise grammar.refuse("it is not said who is meant", operation.subject)
            grammar.check_language((operation,), self._language, source)
            if self._grounded:
                grammar.check_invented((operation,), source, self._language)

        def read(reply: str) -> list[list[Operation]]:
            return _by_turn(grammar.kept(grammar.read_engram(reply, refused), check, refused))

        def _by_turn(found: Sequence[tuple[int, Operation]]) -> list[list[Operation]]:
            alone = len(turns) == 1
            written: list[list[Operation]] = [[] for _ in turns]
            for number, said in found:
                if alone or 1 <= number <= len(turns):
                    place = 0 if alone else number - 1
                    operation = in_person(said, turns[place].speaker)
                    place = next(_told_by_subject(operation, turns, place), place)
                    written[place] += map(in_own_words, parted(operation, held))
                else:
                    refused.append(f"{_line(said)!r}: marked with no turn")
            if found and not any(written):
                raise grammar.refuse("no line is marked with its turn", _line(found[0][1]))
            return written

        values = prompt_values(turns[0], recent, recalled, turns=turns, language=self._language)
        written = self._decide("write", values, read, refused)
        why = tuple(f"{self.name}, left out {line}" for line in refused)
        return [
            Writing(
                operations=tuple(operations),
                mentions=_mentions(operations, turn),
                is_question=asks(turn.text),
                warnings=why if turn is turns[0] else (),
                says_ends=True,
            )
            for turn, operations in zip(turns, written, strict=True)
        ]

    def _decide(
        self,
        role: str,
        values: Mapping[str, str],
        read: Callable[[str], Read],
        refused: list[str] | None = None,
    ) -> Read:
        """What is read of a reply. `refused`: takes what a reply that was cut off ends with."""
        messages = self._prompts[role].messages(values)
        try:
            completion = self._chat.complete(messages, schema=SCHEMAS[role])
            block = as_block(role, completion.text)
            if completion.finish == "length" and refused is not None:
                block, _, half = block.rpartition("\n")
                refused.append(f"{half[-120:]!r}: the reply was cut off here")
            return read(block)
        except ModelReplyError:
            self.failures[role] += 1
            raise


def parted(operation: Operation, held: list[Recalled | Operation]) -> list[Operation]:
    """An UPDATE as what ends and what begins, where several can be so at once.

    An UPDATE leaves nothing else of its relation. So it stands where one alone can be so: by the
    table, of one kind, or where the relation is a noun that the table does not know ("dentist").
    Else it ends what is `held` of its matter (see `_of_one_matter`): facts that are remembered, or
    of the same reply. `held` grows by what the operation says.
    """
    before, relation = tuple(held), normalise(operation.relation)
    if operation.act in (Act.ADD, Act.UPDATE):
        held.append(operation)
    words = operation.relation.casefold().split()
    verb = relation.known or any(forms(word) or word.endswith("s") for word in words)
    timed = is_time(operation.object)
    alone = not verb or "kind" in operation.qualifiers or (relation.one and not timed)
    if operation.act is not Act.UPDATE or alone:
        return [operation]
    ended = [
        replace(operation, act=Act.RETRACT, object=old.object, qualifiers={}, text="")
        for old in before
        if _fact(old) != _fact(operation)
        and old.subject.casefold() == operation.subject.casefold()
        and normalise(old.relation).name == relation.name
        and _of_one_matter(old.object, operation.object)
    ]
    return [*ended, replace(operation, act=Act.ADD, one=None, change=False)]


def _fact(said: Recalled | Operation) -> tuple[object, ...]:
    return said.subject, said.relation, said.object, said.qualifiers


def _of_one_matter(old: str, new: str) -> bool:
    """Whether two objects share words; of numbers all words are the same ("5 films", "4 films")."""
    ours, theirs = _content(new), _content(old)
    if grammar.numbers(new) or grammar.numbers(old):
        return ours == theirs
    return bool(ours & theirs)


def _content(words: str) -> frozenset[str]:
    """What a phrase is about: stems of its words, but for numbers and what tells nothing."""
    idle = grammar.STOP_WORDS | grammar.FREE_WORDS | grammar.UNITS.keys() | grammar.TENS.keys()
    said = (word.casefold() for word in WORD.findall(words))
    return frozenset(
        min(stems(word), key=len) for word in said if word not in idle and not word.isdigit()
    )


def in_person(operation: Operation, speaker: str) -> Operation:
    """An operation with the speaker's name for "I", and "Ana's sister" for "my sister"."""

    def named(field: str) -> str:
        first, space, rest = field.partition(" ")
        if not space:
            return speaker if first.casefold() in FIRST_PERSON else field
        return f"{speaker}'s {rest}" if first.casefold() in OURS else field

    if not speaker:
        return operation
    subject, object, relation = (
        named(operation.subject),
        named(operation.object),
        operation.relation,
    )
    verb, space, rest = relation.partition(" ")
    bare = "base" in {form for _, form in forms(verb.casefold())}
    if operation.subject.casefold() in FIRST_PERSON and bare:
        relation = f"{third_person(verb.casefold())}{space}{rest}"
    return replace(
        operation,
        subject=subject,
        relation=relation,
        object=object,
        subject_is_name=is_name(subject),
        object_is_name=is_name(object),
    )


def in_own_words(operation: Operation) -> Operation:
    """An operation whose sentence is what the model wrote, whatever the table calls the relation.

    What is worded as a noun ("sister") has no sentence but the table's.
    """
    if operation.text or operation.act is Act.RETRACT:
        return operation
    verb = {form for _, form in forms(operation.relation.casefold().partition(" ")[0])}
    if normalise(operation.relation).noun and not verb & {"third", "past"}:
        return operation
    words = f"{operation.subject} {operation.relation} {operation.object}"
    return replace(operation, text=f"{words}.")


def nearest(turns: Sequence[Turn], recalled: Sequence[Recalled]) -> list[Recalled]:
    """The memories shown beside turns, in order: some that share their words, then the newest."""
    wanted = stems(" ".join(turn.text for turn in turns)) - grammar.STOP_WORDS
    shared = {one.id: len(stems(f"{one.relation} {one.object}") & wanted) for one in recalled}
    by_words = sorted((one for one in recalled if shared[one.id]), key=lambda one: -shared[one.id])
    newest = reversed(recalled)
    chosen = {one.id: one for one in (*by_words[: MOST_RECALLED // 2], *newest)}
    kept = set(list(chosen)[:MOST_RECALLED])
    return [one for one in recalled if one.id in kept]


def words_of(turns: Sequence[Turn], recent: Sequence[Turn], recalled: Sequence[Recalled]) -> str:
    """All that was said: what a policy may write comes from here (see `check_invented`)."""
    said: tuple[Turn | Recalled, ...] = (*turns, *recent, *recalled)
    return "\n".join(f"{one.speaker} {one.text}" for one in said)


def prompt_values(
    turn: Turn,
    recent: Sequence[Turn] = (),
    recalled: Sequence[Recalled] = (),
    *,
    turns: Sequence[Turn] = (),
    language: str = "en",
) -> dict[str, str]:
    """What fills the slots of the prompts of all three roles; training words it the same.

    `turns`: those to write, where they are several.
    """
    before = rendering.just_said(turn, recent)[-MOST_RECENT:]
    near = [replace(one, text=rendering.cut(one.text, MOST_CHARACTERS)) for one in before]
    numbered = [_brief(one) for one in turns or [turn]]
    return {
        "language": grammar.language_name(language),
        "now": rendering.now(turn.at),
        "recent": rendering.said_before(near),
        "recalled": rendering.lines([rendering.memory(one) for one in recalled]),
        "turn": rendering.said([turn]),
        "turns": rendering.numbered(numbered),
    }


def _told_by_subject(operation: Operation, turns: Sequence[Turn], place: int) -> Iterator[int]:
    """The places of turns that an operation is of, rather than of the one it is marked with.

    Its subject says all of its object there, and the turn at `place`, by another, nothing of it.
    """
    subject, words = operation.subject.casefold(), stems(operation.object) - grammar.STOP_WORDS
    marked = turns[place]
    if words & stems(marked.text) or subject == marked.speaker.casefold():
        return
    for other, turn in enumerate(turns):
        if words and subject == turn.speaker.casefold() and words <= stems(turn.text):
            yield other


def _line(operation: Operation) -> str:
    """What an operation says, to name it in a warning."""
    return operation.text or f"{operation.subject} {operation.relation} {operation.object}"


def _brief(turn: Turn) -> Turn:
    """A turn to write; what a program says is shown only for what people answer to it."""
    if turn.speaker.casefold() not in ASSISTANTS:
        return turn
    return replace(turn, text=rendering.cut(turn.text, MOST_CHARACTERS))


def _mentions(operations: Sequence[Operation], turn: Turn) -> tuple[str, ...]:
    """Names the operations use, then capitalised words of the turn that begin no sentence."""
    used = [
        name
        for operation in operations
        for name in (operation.subject, operation.object)
        if name and is_name(name)
    ]
    return tuple(dict.fromkeys((*used, *NAME.findall(turn.text))))


# Servers enforce JSON schemas (`response_format`), not the grammar of memory tokens. JSON is
# written as the block that `mags.models.grammar` reads: limits and guardrails are the same for
# both. Every key is required, as OpenAI's strict form wants; "" and [] say that there is nothing.

WORDS: Json = {"type": "string"}


def _object(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _one_of(words: Sequence[str]) -> Json:
    return {"type": "string", "enum": list(words)}


SCHEMAS: Mapping[str, Json] = MappingProxyType(
    {
        "write": _object(
            operations=_list(
                _object(
                    turn={"type": "integer"},
                    act=_one_of(("ADD", "UPDATE", "RETRACT", "NOTE")),
                    subject=WORDS,
                    relation=WORDS,
                    object=WORDS,
                    qualifiers=_list(_object(name=_one_of(grammar.QUALIFIERS), value=WORDS)),
                    when=WORDS,
                    text=WORDS,
                )
            )
        ),
        "ask": _object(
            queries=_list(WORDS),
            entities=_list(WORDS),
            hops=_list(_object(subject=WORDS, relation=WORDS, inverse={"type": "boolean"})),
            since=WORDS,
            until=WORDS,
            kind=_one_of(("", *grammar.ANSWER_KINDS)),
            past={"type": "boolean"},
        ),
        "router": _object(route=_one_of(tuple(grammar.ROUTES))),
    }
)
"""JSON schema of a role's reply. A note has its words in `text`, all else in the other keys."""


def as_block(role: str, reply: str) -> str:
    """A JSON reply as the block of its role; any other reply as it stands.

    Raises ModelReplyError where it is JSON of another form.
    """
    words = grammar.said_aloud(reply)
    if not IS_JSON.match(words):
        return reply
    try:
        return WRITTEN[role](words)
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        raise grammar.refuse(f"JSON of another form ({failure})", words) from failure


def _engram(words: str) -> str:
    """Each operation as a line. One of another form, or that was cut off, stands as it is: the
    grammar refuses that line alone."""
    _, opened, rest = words.partition("[")
    if not opened:
        raise ValueError("no list of operations")
    lines: list[str] = []
    while (rest := rest.lstrip(" \t\r\n,")) and rest[0] != "]":
        try:
            one, end = DECODER.raw_decode(rest)
        except ValueError:
            one, end = {}, len(rest)
        try:
            lines.append(_operation(one))
        except (ValueError, KeyError, TypeError, AttributeError):
            lines.append(" ".join(rest[:end].split()))
        rest = rest[end:]
    return "\n".join(("<engram>", *(lines or ["none"]), "</engram>"))


def _operation(one: Json) -> str:
    mark = f"{int(one['turn'])} | " if one.get("turn") else ""
    if one["act"] == "NOTE":
        return f"{mark}NOTE | {_plain(one.get('text') or one['object'])}"
    pairs = "; ".join(
        f"{pair['name']}={_value(pair['value'])}" for pair in one.get("qualifiers") or ()
    )
    fields = [_plain(one[name]) for name in ("subject", "relation", "object")]
    when = _plain(one.get("when") or "")
    more = [pairs, when] if when else [pairs] if pairs else []
    return mark + " | ".join((one["act"], *fields, *more))


def _plan(words: str) -> str:
    read: Json = json.loads(words)
    lines = [_plain(query) for query in read["queries"]]
    if read["entities"]:
        lines.append("entities: " + "; ".join(_value(name) for name in read["entities"]))
    for hop in read["hops"]:
        fields = [_plain(hop["subject"]) or "^", _plain(hop["relation"])]
        lines.append("hop: " + " | ".join((*fields, *(["inverse"] if hop["inverse"] else []))))
    lines += [f"{name}: {_plain(read[name])}" for name in ("since", "until", "kind") if read[name]]
    if read["past"]:
        lines.append("past: yes")
    return "\n".join(("<recall>", *lines, "</recall>"))


def _route(words: str) -> str:
    return f"<route> {_plain(json.loads(words)['route'])} </route>"


def _plain(words: str | float) -> str:
    """Words of a field on one line, its bars escaped."""
    return " ".join(str(words).split()).replace("\\|", "|").replace("|", "\\|")


def _value(words: str | float) -> str:
    """Words between semicolons: one of theirs would end them."""
    return _plain(words).replace(";", ",")


WRITTEN: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {"write": _engram, "ask": _plan, "router": _route}
)
