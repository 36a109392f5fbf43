"""Correcting: "That is wrong, it is X", told of a fact or of an answer.

The fact is not edited: it is denied, so that the past does not show it either, and what is right is
held in its place from the same time on, on the word of who corrects it. Both are one change, which
can be taken back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mags.engram.claim import Correction, sentence
from mags.errors import InvalidInput
from mags.graph.records import NEVER, ArcKind, Content, NodeKind
from mags.index.state import State
from mags.index.tokens import marks, stem
from mags.index.tokens import words as words_of
from mags.memory.editing import restated
from mags.memory.inputs import LONGEST_TURN, known_id, readable, words
from mags.memory.live import Live
from mags.memory.settings import Parts
from mags.memory.views import Citation, Reply
from mags.ports.corrections import BEFORE, SHOWN, bare, instead, shown
from mags.ports.policy import Act, Operation, Turn, Writing
from mags.recall.found import FactView, Hit

Wrong = int | FactView | Hit | Citation | Reply
"""What is corrected: a fact, by its id or as something shows it, or an answer that cites it."""
_SHORT = 6
"""Words up to which what nobody can read as a statement is taken for the value that is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """A fact (its id) that a turn corrects, and the value that is right; None: it is only wrong."""

    fact: int
    value: str | None


class Corrector:
    """Finds out what is wrong, and what is right instead."""

    def __init__(self, live: Live, parts: Parts) -> None:
        self._live = live
        self._policy = parts.policy

    def read(self, wrong: Wrong, said: str | None, speaker: str) -> Correction:
        """What a correction means; raises NotFound, InvalidInput and, where it is read, ModelError.

        `said`: the right value ("Bergen"), or a sentence that tells it ("I live in Bergen."); None
        where it is only known that the fact is wrong. "I" is `speaker`.
        """
        with self._live.reading() as state:
            fact = _fact_of(state, wrong)
            held = state.content(fact)
            node = state.graph.node(fact)[0]
        if said is None:
            return Correction(fact=fact, text=f"It is not so: {held.text}", right=None)
        words(said, "a correction", longest=LONGEST_TURN)
        right = self._right(held, said, speaker)
        if float(node["valid_to"]) < NEVER:  # what is corrected of the past was over as well
            right = replace(
                right, valid_from=float(node["valid_from"]), valid_to=float(node["valid_to"])
            )
        return Correction(fact=fact, text=sentence(right), right=right)

    def resolve(self, told: Sequence[int], said: str) -> Right | None:
        """What a turn corrects of what was told before it; None where that is not clear.

        `told`: facts or turns. It must mean one fact, and say no more than that it is wrong, or
        the value that is right, of the kind that is held.
        """
        wrong, value = instead(said)
        with self._live.reading() as state:
            facts = dict.fromkeys(i for one in told for i in _facts(state, one))
            held = {i: str(state.content(i).meta.get("object", "")) for i in facts}
        if wrong:
            held = {i: object_ for i, object_ in held.items() if _same(object_, wrong)}
        if len(held) != 1:
            return None
        ((fact, object_),) = held.items()
        if not value:
            return None if wrong or value is None else Right(fact=fact, value=None)
        return Right(fact=fact, value=value) if _alike(value, object_, bool(wrong)) else None

    def _right(self, held: Content, said: str, speaker: str) -> Operation:
        value = bare(said)

        def read(text: str) -> Writing:
            turn = Turn(text=text, speaker=speaker, at=self._live.clock())
            return self._policy.write(readable(turn), (), ())

        led = bool(value) and not said.startswith(value)  # "no, it is X": what "it" is is known
        try:
            found = restated(held, value if led else said, {}, read)
        except InvalidInput:
            found = None
        if found is not None and (not led or found.relation == held.meta.get("relation")):
            return replace(found, act=Act.ADD)
        if not value or len(value.split()) > _SHORT:
            raise InvalidInput(
                "this could not be read as what is right: give the value alone, or one sentence",
                text=said,
            )
        found = restated(held, None, {"object": value}, read)
        if found is None:
            raise InvalidInput(f"the fact says {value!r} already: {held.text!r}", text=said)
        return found


def _same(held: str, said: str) -> bool:
    a, b = ({stem(word) for word in words_of(BEFORE.sub("", one))} for one in (held, said))
    return bool(a and b) and (a <= b or b <= a)


def _alike(value: str, held: str, named: bool) -> bool:
    """Whether a value may stand in the place of another: both are of one kind, as far as it shows.

    A time or a number takes the place of one alone, and a name that of a name; where the turn
    itself `named` what is wrong it need not be written as that is.
    """
    if _same(held, value) or (marks(value) ^ marks(held)) & SHOWN:
        return False
    return named or shown(value) == shown(held)


def _fact_of(state: State, wrong: Wrong) -> int:
    """The fact that is meant; raises InvalidInput where it is none, or one of several."""
    if isinstance(wrong, Reply):
        found = dict.fromkeys(i for one in wrong.citations for i in _facts(state, one.id))
        cited = [one.id for one in wrong.citations if one.id in found]
        facts = cited[:1] or list(found)
    else:
        facts = _facts(state, known_id(wrong if isinstance(wrong, int) else wrong.id))
    if len(facts) != 1:
        which = ", ".join(f"m{i}" for i in facts) or "none"
        raise InvalidInput(
            f"a correction is of one fact, and here it could be {which}: name it by its id",
            fact_ids=facts,
        )
    return facts[0]


def _facts(state: State, node_id: int) -> list[int]:
    """A fact itself, or the facts that came from a turn and hold."""
    if state.kind(node_id) == NodeKind.FACT:
        return [node_id]
    told = state.graph.origins(node_id, ArcKind.SOURCE)
    return [i for i in told if state.kind(i) == NodeKind.FACT and _holds(state, i)]


def _holds(state: State, fact: int) -> bool:
    return bool(state.graph.view(fact)["valid_to"][0] == NEVER)
