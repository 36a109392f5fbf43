"""The policy that needs no model: a turn read sentence by sentence, a question planned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.changes import changed
from mags.models.policy.rules.claims import Manner
from mags.models.policy.rules.clauses import Clause, clause_at, clauses
from mags.models.policy.rules.fitting import fits
from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.names import mentions, name_end
from mags.models.policy.rules.phrases import subjects_of
from mags.models.policy.rules.questions import answer_kind, ask
from mags.models.policy.rules.sentences import importance, is_question, opened, told
from mags.models.policy.rules.statements import being, by_table, case_of, introduced
from mags.models.policy.rules.tokens import Token, join, sentences, starts_with, tokenise
from mags.ports.english import PAST, THIRD, forms
from mags.ports.policy import Act, Operation, Plan, Recalled, Route, Turn, Writing
from mags.ports.relations import normalise


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
                asks, kind = True, kind or answer_kind(tokens)
            elif words and not (len(words) < 4 and words[0].low in lex.GREETINGS):
                states = states or len(words) > 4 or bool(clauses(tokens))
        weights = {"time": (1.0, 0.83), "reason": (1.0, 0.83), "person": (0.83, 1.0),
                   "place": (0.83, 1.0), "number": (0.83, 1.0)}  # fmt: skip
        episodic, semantic = weights.get(kind, (1.0, 1.0))
        states = states or (asks and any(one.words for one in told(turn.text)))
        return Route(recall=asks or states, write=states, episodic=episodic, semantic=semantic)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""
        return ask(question)

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """Name whose facts could tell what a turn leaves open."""
        things = _MINE.findall(turn.text)[:_MOST_WANTED]
        if len(turn.text) > _LONGEST or turn.text.rstrip().endswith("?") or not things:
            return ()
        nouns = (noun for thing in things for noun in (thing, thing.split()[0]))
        return tuple(dict.fromkeys([turn.speaker, *(f"{turn.speaker}'s {n}" for n in nouns)]))

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn, which is read by itself."""
        said = told(turn.text)
        operations: list[Operation] = []
        for one in said:
            tokens = one.words
            if not tokens:
                continue
            words, hedged = opened(tokens)
            read = _statement(words, turn, Manner(hedged=hedged))
            operations += read
            if len(said) == 1 and len(read) < max(1, len(clauses(words))):
                operations += _noted(tokens)
        kept = _once(_replaced([op for op in operations if _holds(op)]))
        names = dict.fromkeys(mentions(turn.text)[:_MOST_NAMES])
        for op in kept:
            names |= dict.fromkeys(n for n in (op.subject,) if "'s " in n)
            names |= dict.fromkeys(n for n in (op.object,) if op.object_is_name)
        return Writing(
            operations=kept,
            mentions=tuple(names),
            importance=importance(turn.text),
            is_question=any(one.asks for one in said),
        )


_MINE = re.compile(r"\b(?:my|our) ([a-z-]+(?: [a-z-]+)?)", re.IGNORECASE)
_MOST_WANTED, _MOST_NAMES = 8, 60
"""Things of the speaker that are looked up for a turn, and names of it that are kept in mind."""
_LONGEST = 600
"""Letters of a turn up to which it is one thing said; longer ones are documents."""
_SIDE_LINKS = word_set("if when unless before after until since")
_CONDITIONS = frozenset({"if", "unless"})
_REPORTS = word_set("tell say mention claim report announce hear reveal")


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


def _statement(words: Sequence[Token], turn: Turn, manner: Manner) -> list[Operation]:
    found = clauses(words)
    operations: list[Operation] = []
    for i, clause in enumerate(found):
        after = found[i + 1].link if i + 1 < len(found) else ""
        if clause.link in _SIDE_LINKS or after in _CONDITIONS or "last" in clause.verb.shades:
            continue
        heard = _told(clause, turn, manner)
        if heard is not None:
            operations += _statement(heard[0], turn, heard[1])
            continue
        shaded = replace(manner, hedged=manner.hedged or bool(clause.verb.shades & lex.HEDGES))
        operations += _clause(_stripped(clause), turn, shaded)
    return operations


def _clause(clause: Clause, turn: Turn, manner: Manner) -> list[Operation]:
    """Return the operations of one clause."""
    case, verb = case_of(clause, turn, manner), clause.verb
    if case is None:
        return []
    found = introduced(case)
    if verb.tense in {"future", "modal"}:
        read: list[Operation] = []  # "will", "might", "would": nothing is so
    elif verb.base == "be" and not verb.passive and verb.tense in {"present", "past", "used"}:
        read = being(case)
    else:
        read = changed(case) or by_table(case)
    return [*found, *read]


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


def _told(clause: Clause, turn: Turn, manner: Manner) -> tuple[tuple[Token, ...], Manner] | None:
    """Read "Carol told me that Dan lost his job": what is said, and on whose word."""
    verb, words = clause.verb, clause.rest
    if verb.base not in _REPORTS or verb.negated or verb.passive:
        return None
    whom = {"me", "us", "him", "her", "them", "you"}
    if verb.base == "tell" and words and (words[0].low in whom or words[0].is_capital):
        words = words[1:]
    words = words[1:] if words and words[0].low == "that" else words
    names = subjects_of(clause.subject, turn.speaker)
    if not words or clause_at(words, 0) is None or names is None:
        return None
    if names[0] == turn.speaker:
        return words, replace(manner, hedged=manner.hedged or verb.base == "hear")
    return words, replace(manner, source=names[0])


# -- notes -------------------------------------------------------------------------------

_PRESENT = word_set("i me my mine we us our you your yours let")
_FEWEST = 6


def _noted(tokens: Sequence[Token]) -> tuple[Operation, ...]:
    """Return a note of a plain statement about somebody by name that gave no triple.

    So that what contradicts it later can close it: "Lori and Kara graduated from the same
    university." Talk to somebody present, moods and exclamations are left alone, and so is a lone
    capitalised word, which may only start a sentence.
    """
    words = [t.low for t in tokens if t.is_word]
    end = name_end(tokens, 0)
    if len(words) < _FEWEST or end < 2 or tokens[-1].text in {"!", "?"}:
        return ()
    silent = lex.GREETINGS | lex.EVALUATIVE | {"dear", "poor", "cousin"}
    if tokens[0].low in silent or not _PRESENT.isdisjoint(words):
        return ()
    verbs = any(form in {PAST, THIRD} for t in tokens[end:] for _, form in forms(t.low))
    guessed = not {"could", "might", "may", "maybe", "perhaps"}.isdisjoint(words)
    if clause_at(tokens, 0) is None and not verbs:
        return ()
    text = join(tokens)
    note = Operation(
        act=Act.NOTE,
        text=text[:1].upper() + text[1:],
        qualifiers={"kind": "statement"},
        confidence=0.36 if guessed else 0.6,
        subject_is_name=False,
    )
    return (note,)
