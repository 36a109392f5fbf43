"""The policy that needs no model: a turn read sentence by sentence, a question planned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.changes import changed
from mags.models.policy.rules.claims import Manner
from mags.models.policy.rules.clauses import (
    Clause,
    clause_at,
    clauses,
    declaratives,
    importance,
    is_question,
    opened,
)
from mags.models.policy.rules.corrections import corrected
from mags.models.policy.rules.fitting import fits, is_feedback, is_figure
from mags.models.policy.rules.phrases import Scene, names_in, scene_of
from mags.models.policy.rules.questions import answer_kind, ask
from mags.models.policy.rules.statements import (
    EVENTS,
    Case,
    being,
    by_table,
    case_of,
    introduced,
)
from mags.models.policy.rules.tokens import (
    Token,
    join,
    mentions,
    name_end,
    sentences,
    spelled,
    starts_with,
    tokenise,
)
from mags.ports.english import BASE, PAST, THIRD, forms, word_set
from mags.ports.policy import Act, Operation, Plan, Recalled, Route, Turn, Writing
from mags.ports.relations import canonical, normalise


class RulePolicy:
    """Reads plain English by rules and word lists.

    It stores only what it could read: a statement that is beyond the rules is left as an episode.
    It never raises on any text and keeps no state.
    """

    @property
    def name(self) -> str:
        """The name shown to the user."""
        return "rules"

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Questions recall, statements write (and recall), small talk does neither."""
        asks, states, kind = False, False, ""
        for sentence in sentences(turn.text):
            tokens = tokenise(sentence)
            words = [t for t in tokens if t.is_word]
            if is_question(tokens):
                asks, kind = True, kind or answer_kind(sentence)
            elif words and not (len(words) < 4 and words[0].low in lex.GREETINGS):
                states = states or len(words) > 4 or bool(clauses(tokens))
        weights = {"time": (1.0, 0.83), "reason": (1.0, 0.83), "person": (0.83, 1.0),
                   "place": (0.83, 1.0), "number": (0.83, 1.0)}  # fmt: skip
        episodic, semantic = weights.get(kind, (1.0, 1.0))
        states = states or (asks and any(one.words for one in declaratives(turn.text)))
        return Route(recall=asks or states, write=states, episodic=episodic, semantic=semantic)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""
        return ask(question, recent)

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """Name whose facts could tell what a turn leaves open."""
        things = _MINE.findall(turn.text)[:_MOST_WANTED]
        if len(turn.text) > _LONGEST or turn.text.rstrip().endswith("?") or not things:
            return ()
        nouns = (noun for thing in things for noun in (thing, thing.split()[0]))
        return tuple(dict.fromkeys([turn.speaker, *(f"{turn.speaker}'s {n}" for n in nouns)]))

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn, or for what it corrects."""
        return corrected(self._said, turn, recent, recalled)

    def _said(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """What a turn tells, read with what is surely held.

        Where nothing is read so, it is read with the guesses, too: what follows from those takes
        them back, or is a guess itself.
        """
        sure = [item for item in recalled if not item.tentative]
        writing = _write(turn, recent, sure)
        if writing.operations or len(sure) == len(recalled):
            return writing
        writing = _write(turn, recent, recalled)
        guessed = (
            one if one.act is Act.RETRACT else replace(one, tentative=True)
            for one in writing.operations
        )
        return replace(writing, operations=tuple(guessed))


_MINE = re.compile(r"\b(?:my|our) ([a-z-]+(?: [a-z-]+)?)", re.IGNORECASE)
_MOST_WANTED, _MOST_NAMES = 8, 60
"""Things of the speaker that are looked up for a turn, and names of it that are kept in mind."""
_LONGEST = 600
"""Letters of a turn up to which it is one thing said; longer ones are documents."""
_SIDE_LINKS = word_set("if when unless before after until since")
_REPORTS = word_set("tell say mention claim report announce hear reveal")


def _write(turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
    turn = replace(turn, text=spelled(turn.text, names_in(recalled)))
    said, scene = declaratives(turn.text), scene_of(turn, recent, recalled)
    operations: list[Operation] = []
    why = ""
    for one in said:
        tokens = one.words
        if not tokens:
            continue
        read = _read(tokens, scene)
        why = why or ("" if read else _unclear(tokens, scene))
        operations += read
        if len(said) == 1 and len(read) < max(1, len(clauses(opened(tokens)[0]))):
            operations += _noted(tokens, scene)
    held = (op for op in operations if _holds(op) and not is_figure(op, turn.speaker))
    kept = _once(_replaced([op for op in held if not is_feedback(op, recent)]))
    names = dict.fromkeys(mentions(turn.text)[:_MOST_NAMES])
    for op in kept:
        names |= dict.fromkeys(n for n in (op.subject,) if "'s " in n)
        names |= dict.fromkeys(n for n in (op.object,) if op.object_is_name)
    return Writing(
        operations=kept,
        mentions=tuple(names),
        understood=not why,
        why=why,
        importance=importance(turn.text),
        is_question=any(one.asks for one in said),
    )


def _unclear(tokens: Sequence[Token], scene: Scene) -> str:
    """Say whom a sentence leaves open, "" where nobody."""
    subjects = (clause.subject for clause in clauses(opened(tokens)[0])[:1])
    open_ = [s.word for s in subjects if s.word in {"he", "she"} and scene.subjects(s) is None]
    return f"cannot tell who '{open_[0]}' is" if open_ else ""


def _holds(op: Operation) -> bool:
    """Say whether what was read can be so: nobody stands in a relation to themselves."""
    if op.act is Act.NOTE or not op.object:
        return True
    return op.object != op.subject and fits(op.relation, op.object)


def _replaced(operations: Sequence[Operation]) -> list[Operation]:
    """Drop what is taken back where the same turn puts something in its place after it.

    "I quit the aquarium. I work at the opera house now": the new job ends the old one, which
    stays known as what was.
    """
    kept: list[Operation] = []
    for op in operations:
        if op.act is Act.ADD and op.change and normalise(op.relation).one:
            slot = (Act.RETRACT, op.subject, op.relation, True)
            kept = [k for k in kept if (k.act, k.subject, k.relation, k.change) != slot]
        kept.append(op)
    return kept


def _once(operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """Drop an operation that repeats an earlier one."""
    seen: dict[tuple[object, ...], Operation] = {}
    for op in operations:
        key = (op.act, op.subject, op.relation, op.object.lower())
        seen.setdefault((*key, op.text) if op.act is Act.NOTE else key, op)
    return tuple(seen.values())


# -- a sentence --------------------------------------------------------------------------


def _read(tokens: Sequence[Token], scene: Scene) -> list[Operation]:
    rule = _rule(tokens, scene)
    words, hedged = opened(tokens)
    return [rule] if rule else _statement(words, scene, Manner(hedged=hedged))


def _statement(words: Sequence[Token], scene: Scene, manner: Manner) -> list[Operation]:
    found = clauses(words)
    operations: list[Operation] = []
    for i, clause in enumerate(found):
        after = found[i + 1].link if i + 1 < len(found) else ""
        if clause.link in _SIDE_LINKS or after in {"if", "unless"} or "last" in clause.verb.shades:
            continue
        heard = _told(clause, scene, manner)
        if heard is not None:
            operations += _statement(heard[0], scene, heard[1])
            continue
        shaded = replace(manner, hedged=manner.hedged or bool(clause.verb.shades & lex.HEDGES))
        operations += _clause(_stripped(clause), scene, shaded)
    return operations


def _clause(clause: Clause, scene: Scene, manner: Manner) -> list[Operation]:
    """Return the operations of one clause."""
    case, verb = case_of(clause, scene, manner), clause.verb
    if case is None:
        return []
    found = introduced(case)
    read: list[Operation] | None = None
    if verb.tense in {"future", "modal"} or _ahead(case):
        read = []  # "will", "might", "we move in May": nothing is so yet
    elif verb.base == "be" and not verb.passive and verb.tense in {"present", "past", "used"}:
        read = being(case)
    if read is None:
        read = changed(case)
    if read is None:
        read = by_table(case)
    scene.see(clause.subject)
    for op in read:
        known = canonical(op.relation)
        if op.object_is_name and known and known.answers == "person":
            scene.note(op.object)
    return [*found, *read]


def _ahead(case: Case) -> bool:
    """Say whether an event is told of in the present, before its day."""
    verb, later = case.clause.verb, (t.since > case.scene.at for t in case.manner.times)
    return verb.base in EVENTS and verb.tense in {"present", "progressive"} and any(later)


def _stripped(clause: Clause) -> Clause:
    """Take "any more" off the end and mark the verb as over; take "now" and "instead" off."""
    words = tuple(t for t in clause.rest if t.text not in {".", "!"})
    shades = clause.verb.shades
    for i, token in enumerate(words[:-2]):
        if token.low == "now" and words[i + 1].text == ",":  # "at the opera house now, as a cook"
            after = words[i + 2 :] if words[i + 2].low == "as" else ()
            words, shades = words[:i] + after, shades | {"now"}
            break
    for phrase in lex.GONE.get(words[-1].low if words else "", ()):
        at = len(words) - len(phrase)
        if at >= 0 and starts_with(words, phrase, at):
            over = replace(clause.verb, gone=True, negated=True)
            return replace(clause, rest=words[:at], verb=over)
    if words and words[-1].low in {"now", "instead"}:
        shades |= {words[-1].low}
        cut = 2 if len(words) > 1 and words[-2].low in {"right", "just", "until", "for"} else 1
        words = words[:-cut]
    return replace(clause, rest=words, verb=replace(clause.verb, shades=shades))


def _told(clause: Clause, scene: Scene, manner: Manner) -> tuple[tuple[Token, ...], Manner] | None:
    """Read "Carol told me that Dan lost his job": what is said, and on whose word."""
    verb, words = clause.verb, clause.rest
    if verb.base not in _REPORTS or verb.negated or verb.passive:
        return None
    whom = {"me", "us", "him", "her", "them", "you"}
    if verb.base == "tell" and words and (words[0].low in whom or words[0].is_capital):
        words = words[1:]
    words = words[1:] if words and words[0].low == "that" else words
    names = scene.subjects(clause.subject)
    if not words or clause_at(words, 0) is None or names is None:
        return None
    if names[0] == scene.speaker:
        return words, replace(manner, hedged=manner.hedged or verb.base == "hear")
    scene.see(clause.subject)
    return words, replace(manner, source=names[0])


# -- notes -------------------------------------------------------------------------------

_UNCLEAR = word_set("it this that these those he she they him her them his their you your")
_PRESENT = word_set("i me my mine we us our you your yours let")
_WE = word_set("i we my our")
_DUTY = re.compile(
    r"\b(?:(?:is|are) (?:forbidden|not allowed|prohibited|required)|must (?:not|never|be \w+))\b"
)
_CHAT = word_set(
    "remember miss lose worry forget mention think say let thank give stop mind get be"
)


def _rule(tokens: Sequence[Token], scene: Scene) -> Operation | None:
    """Return the note of a sentence that states a rule or a way to do things."""
    words = [t for t in tokens if t.is_word]
    if len(words) < 4 or any(t.low in _UNCLEAR for t in words[words[0].low == "you" :]):
        return None
    first, second, kind = words[0].low, words[1].low, ""
    judged = any(t.low in _PRESENT | lex.EVALUATIVE | lex.FEELINGS for t in words[1:])
    if first in {"never", "always"} and _is_base(second) and second not in _CHAT:
        kind = "rule"
    elif first == "to" and _is_base(second) and second != "be":
        apart = next((i for i, t in enumerate(tokens) if t.text == ","), len(tokens))
        kind = "how-to" if any(_is_base(t.low) for t in tokens[apart + 1 : apart + 2]) else ""
    elif _DUTY.search(" ".join(t.low for t in words)) and not judged and first not in _WE:
        kind = "rule"
    return _note(tokens, scene, kind, 0.8) if kind else None


def _is_base(word: str) -> bool:
    return any(form == BASE for _, form in forms(word))


_FEWEST = 6


def _noted(tokens: Sequence[Token], scene: Scene) -> tuple[Operation, ...]:
    """Return a note of a plain statement about somebody by name that gave no triple.

    So that what contradicts it later can close it: "Lori and Kara graduated from the same
    university." Talk to somebody present, moods and exclamations are left alone, and so is a lone
    capitalised word, which may only start a sentence.
    """
    words = [t.low for t in tokens if t.is_word]
    rest = tokens[{"both": 1, "all": 3}.get(tokens[0].low, 0) :]
    end = name_end(rest, 0)
    if len(words) < _FEWEST or end < 2 or tokens[-1].text in {"!", "?"}:
        return ()
    silent = lex.GREETINGS | lex.EVALUATIVE | {"dear", "poor", "cousin"}
    if rest[0].low in silent or not _PRESENT.isdisjoint(words):
        return ()
    verbs = any(form in {PAST, THIRD} for t in rest[end:] for _, form in forms(t.low))
    guessed = not lex.HEDGES.isdisjoint(words)
    if clause_at(rest, 0) is None and not verbs:
        return ()
    return (_note(tokens, scene, "statement", 0.36 if guessed else 0.6),)


def _note(tokens: Sequence[Token], scene: Scene, kind: str, confidence: float) -> Operation:
    mine = f"{scene.speaker}'s"
    text = join([replace(t, text=mine) if t.low in {"my", "our"} else t for t in tokens])
    return Operation(
        act=Act.NOTE,
        text=text[:1].upper() + text[1:],
        qualifiers={"kind": kind},
        confidence=confidence,
        subject_is_name=False,
    )
