"""The write role: a turn read sentence by sentence into operations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mags.models.policy.rules.casing import cased, known_names
from mags.models.policy.rules.claims import Manner
from mags.models.policy.rules.clause import Clause, clause_at, clauses
from mags.models.policy.rules.contrasts import contrasted, left_out
from mags.models.policy.rules.corrections import (
    claimed,
    corrected,
    dated,
    is_correction,
    kept_whole,
    restated,
)
from mags.models.policy.rules.earlier import facts_of
from mags.models.policy.rules.facts import read_clause
from mags.models.policy.rules.guards import bounded, guarded
from mags.models.policy.rules.lexicon import (
    BE,
    EVALUATIVE,
    GONE,
    GREETINGS,
    HEDGES,
    QUESTION_WORDS,
    word_set,
)
from mags.models.policy.rules.looking_back import Past, read_back
from mags.models.policy.rules.names import mentions, name_end
from mags.models.policy.rules.naming import acquired
from mags.models.policy.rules.newer import displaced
from mags.models.policy.rules.notes import note_of, plain_note
from mags.models.policy.rules.openings import opened
from mags.models.policy.rules.plain import turned
from mags.models.policy.rules.replies import completed
from mags.models.policy.rules.scene import Scene, scene_of
from mags.models.policy.rules.tokens import Token, join, own_words, sentences, starts_with, tokenise
from mags.ports.english import BASE, GERUND, PAST, forms
from mags.ports.policy import Act, Operation, Recalled, Turn, Writing
from mags.ports.relations import normalise

_MOST_SENTENCES = 60
_MOST_NOTED = 3
"""Sentences of a turn up to which plain statements are noted; documents keep their episodes."""
_EMPHASIS = re.compile(
    r"\b(important|never forget|always remember|remember this|urgent|must)\b", re.I
)
_FEELING = re.compile(
    r"\b(love|hate|thrilled|devastated|heartbroken|terrified|ecstatic|died|passed away|engaged"
    r"|married|pregnant|proud|miss|afraid|cried|dream|amazing|best day|worst)\b",
    re.I,
)
_SIDE_LINKS = frozenset({"if", "when", "unless", "before", "after", "until", "since"})
_REQUESTS = {(verb, whom) for verb in ("tell", "remind", "show", "give") for whom in ("me", "us")}
_STARTS = word_set("a an the my our some this another to up into two three new")
_REPORTS = frozenset({"tell", "say", "mention", "claim", "report", "announce", "hear", "reveal"})
_ASKING = word_set("do does did is are was were am can could will would should have has had")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    operations: tuple[Operation, ...] = ()
    why: str = ""


def write(turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
    """Return what a turn asks to be stored, by rules."""
    heard = cased(turn.text, known_names(recent, recalled))
    text, pairs = contrasted(own_words(heard))
    turn = replace(turn, text=text)
    scene = scene_of(turn, recent, recalled)
    if _CALLS_BACK.search(turn.text):
        scene.known = (*scene.known, *(op.text for op in _before(recent)))
    if _NAMES.search(turn.text):
        for op in _before(recent[-1:]):
            acquired(op, scene)
    past = Past(facts=facts_of(recalled))
    operations: list[Operation] = []
    whys: list[str] = []
    asks = False
    said = sentences(completed(turn, recent).text)[:_MOST_SENTENCES]
    for sentence in said:
        tokens = tokenise(guarded(sentence))
        if is_question(tokens):
            asks = True
            continue
        back, sentence = read_back(sentence, scene, past)
        operations += back
        if back and not sentence:
            continue
        tokens = tokenise(guarded(sentence)) if back else tokens
        noting = len(said) <= _MOST_NOTED
        read = _correction(tokens, turn, recent, past.facts) or _read(
            turned(tokens), scene, noting=noting
        )
        operations += (*displaced(sentence, read.operations, past.facts), *read.operations)
        if read.why:
            whys.append(read.why)
    operations = bounded(operations, turn)
    operations += left_out(operations, pairs)
    return Writing(
        operations=_once(_replaced(operations)),
        mentions=_mentioned(heard, operations),
        understood=not whys,
        why="; ".join(dict.fromkeys(whys)),
        importance=importance(turn.text),
        is_question=asks,
    )


_CALLS_BACK = re.compile(
    r"\b(?:swap|trad|exchang|replac|switch|the )\w*.*\b(?:for|with|to|until)\b"
    r"|\b(?:died|passed away|to sleep)\b",
    re.I,
)
"""A turn that may speak of something by "the" or by an old name, or tells of a pet that died."""
_NEAR = 6
_NAMES = re.compile(r"\b(?:is|'s|are|was) (?:called|named)\b|\b(?:its|his|her) name\b", re.I)
"""A turn that may name what the last one told of."""


def _before(recent: Sequence[Turn]) -> tuple[Operation, ...]:
    """What the last turns call for, but what they take back."""
    read = [write(turn, (), ()) for turn in list(recent)[-_NEAR:]]
    return tuple(op for one in read for op in one.operations if op.act is not Act.RETRACT)


def _mentioned(text: str, operations: Sequence[Operation]) -> tuple[str, ...]:
    """Return the names in a text, and those read out of it ("Alice's sister")."""
    found = dict.fromkeys(mentions(text))
    for op in operations:
        if "'s " in op.subject:
            found.setdefault(op.subject, None)
        if op.object_is_name:
            found.setdefault(op.object, None)
    return tuple(found)


def is_question(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence asks."""
    if any(t.text == "?" for t in tokens[-2:]):
        return True
    words = [t for t in opened(tokens)[0] if t.is_word]
    if len(words) < 2:
        return False
    first, second = words[0].low, words[1].low
    if (first, second) in _REQUESTS:
        return True
    if first in QUESTION_WORDS - {"when", "where", "which", "how"} and second in _ASKING | {
        "'s",
        "'re",
    }:
        return True
    if first in {"when", "where", "how"} and second in _ASKING:
        return True
    return first in _ASKING - {"have", "had"} and second in {
        "you",
        "i",
        "we",
        "he",
        "she",
        "they",
        "it",
    }


def importance(text: str) -> float:
    """Return emphasis or strong feeling in [0, 1]."""
    value = 0.4 * bool(_EMPHASIS.search(text)) + 0.3 * bool(_FEELING.search(text))
    value += min(0.2, 0.1 * text.count("!"))
    shouted = re.findall(r"\b[A-Z]{4,}\b", text)
    return round(min(1.0, value + 0.1 * bool(shouted)), 3)


def _correction(
    tokens: Sequence[Token], turn: Turn, recent: Sequence[Turn], facts: Sequence[Recalled]
) -> _Sentence | None:
    """Read "Actually, it's Tuesday, not Monday" against what was said before."""
    taken_back = claimed(tokens)
    if taken_back is not None:
        claim, right = taken_back
        read = write(replace(turn, text=claim), recent, ()).operations
        found = corrected(read, right, read[0].object) if read else None
        return _Sentence(operations=(kept_whole(found, claim, facts),)) if found else None
    wrong = is_correction(tokens)
    if wrong is None:
        return None
    for earlier in reversed(list(recent)[-4:]):
        before = write(replace(earlier, at=turn.at), (), ())
        for right, instead_of in (wrong, *dated(*wrong, turn.at)):
            found = corrected(before.operations, right, instead_of)
            if found:
                return _Sentence(operations=(found,))
        anew = restated(before.operations, wrong[0], turn.at) if not wrong[1] else None
        if anew:
            return _Sentence(operations=(anew,))
    return _Sentence(why=f"nothing said before holds '{wrong[1]}'") if wrong[1] else None


def _read(tokens: Sequence[Token], scene: Scene, *, noting: bool) -> _Sentence:
    note = note_of(tokens, scene)
    if note:
        return _Sentence(operations=(note,))
    tokens, source = _according(tokens)
    words, hedged = opened(tokens)
    if words and not clauses(words):
        words = (*_elided(words), *words)
    met = frozenset((*scene.people, *scene.earlier))
    read = _statement(words, scene, Manner(hedged=hedged, source=source))
    if not read.operations and noting:
        kept = plain_note(tokens, scene, met, hedged=hedged or _guessed(words))
        return _Sentence(operations=(kept,)) if kept else read
    return read


def _guessed(words: Sequence[Token]) -> bool:
    return any(t.low in {"could", "might", "may", "maybe", "perhaps"} for t in words)


def _according(tokens: Sequence[Token]) -> tuple[Sequence[Token], str]:
    """Take "According to Bob," off the front; return whose word it is."""
    if not starts_with(tokens, ("according", "to")):
        return tokens, ""
    end = name_end(tokens, 2)
    if end == 2 or end >= len(tokens) or tokens[end].text != ",":
        return tokens, ""
    return tokens[end + 1 :], " ".join(t.text for t in tokens[2:end])


def _elided(words: Sequence[Token]) -> tuple[Token, ...]:
    """Return what was left out: "I" of "Got a tattoo last week", "I am" of "Reading Circe now"."""
    if len(words) < _FEW or not (
        words[1].low in _STARTS or words[1].is_capital or words[1].low.endswith("ing")
    ):
        return ()
    tags = {form for _, form in forms(words[0].low)}
    if PAST in tags and BASE not in tags and words[0].low not in BE:
        return (_I,)
    doing = tags == {GERUND} and words[0].low not in EVALUATIVE  # "Interesting wedding."
    return (_I, Token("am", "am", 0, 0)) if doing else ()


_FEW = 3
_I = Token("I", "i", 0, 0)


def _statement(words: Sequence[Token], scene: Scene, manner: Manner) -> _Sentence:
    found = clauses(words)
    if not found:
        return _Sentence(why=_unread(words))
    operations: list[Operation] = []
    why = ""
    skipped = False
    for i, clause in enumerate(found):
        if clause.link in _SIDE_LINKS or "last" in clause.verb.shades:
            skipped = True
            continue
        if skipped and clause.link == ",":
            skipped = False
        told = _told(clause, scene, manner)
        if told is not None:
            inner = _statement(told[0], scene, told[1])
            operations += inner.operations
            continue
        shaded = replace(manner, hedged=manner.hedged or bool(clause.verb.shades & HEDGES))
        if i + 1 < len(found) and found[i + 1].link == "because":
            shaded = replace(shaded, reason=_because(found[i + 1], scene))
        reading = read_clause(_stripped(clause), scene, shaded)
        operations += reading.operations
        why = why or reading.why
    return _Sentence(operations=tuple(operations), why=why if not operations else "")


def _stripped(clause: Clause) -> Clause:
    """Take "any more" off the end and mark the verb as over."""
    words = tuple(t for t in clause.rest if t.text not in {".", "!"})
    clause, words = _now_inside(clause, words)
    for phrase in GONE.get(words[-1].low if words else "", ()):
        at = len(words) - len(phrase)
        if at >= 0 and starts_with(words, phrase, at):
            return replace(
                clause, rest=words[:at], verb=replace(clause.verb, gone=True, negated=True)
            )
    if words and words[-1].low in {"now", "instead"}:
        shades = clause.verb.shades | {words[-1].low}
        cut = 2 if len(words) > 1 and words[-2].low in {"right", "just", "until", "for"} else 1
        return replace(clause, rest=words[:-cut], verb=replace(clause.verb, shades=shades))
    return clause


def _now_inside(clause: Clause, words: tuple[Token, ...]) -> tuple[Clause, tuple[Token, ...]]:
    """Take "now" out of "at the opera house now, as a technician", and the comma before "as"."""
    bare = tuple(
        t
        for i, t in enumerate(words)
        if not (t.low == "now" and i + 1 < len(words) and words[i + 1].text == ",")
    )
    if len(bare) < len(words):
        shades = clause.verb.shades | {"now"}
        clause = replace(clause, verb=replace(clause.verb, shades=shades))
    if clause.verb.base == "work":
        bare = tuple(
            t for i, t in enumerate(bare) if not (t.text == "," and _low(bare, i + 1) == "as")
        )
    return (replace(clause, rest=bare) if bare != words else clause), bare


def _low(words: Sequence[Token], i: int) -> str:
    return words[i].low if i < len(words) else ""


def _told(clause: Clause, scene: Scene, manner: Manner) -> tuple[tuple[Token, ...], Manner] | None:
    """Read "Carol told me that Dan lost his job": what is said, and on whose word."""
    verb = clause.verb
    if verb.base not in _REPORTS or verb.negated or verb.passive:
        return None
    words = clause.rest
    if (
        verb.base == "tell"
        and words
        and (words[0].low in {"me", "us", "him", "her", "them", "you"} or words[0].is_capital)
    ):
        words = words[1:]
    if verb.base == "hear" and words and words[0].low == "from":
        end = name_end(words, 1)
        if end > 1:
            manner = replace(manner, source=" ".join(t.text for t in words[1:end]))
            words = words[end:]
    if words and words[0].low == "that":
        words = words[1:]
    if not words or clause_at(words, 0) is None:
        return None
    names = scene.subjects(clause.subject)
    if names is None:
        return None
    if names[0] == scene.speaker:
        return words, replace(manner, hedged=manner.hedged or verb.base == "hear")
    scene.see(clause.subject)
    return words, replace(manner, source=manner.source or names[0])


def _because(clause: Clause, scene: Scene) -> str:
    names = scene.subjects(clause.subject)
    if not names:
        return ""
    rest = join(clause.rest).rstrip(".! ")
    form = "is" if clause.verb.form in {"'m", "'re", "'s", "am", "are"} else clause.verb.form
    return f"{' and '.join(names)} {form} {rest}".strip()


def _unread(words: Sequence[Token]) -> str:
    """Return why a sentence without a clause looks like a statement, or ""."""
    spoken = [t for t in words if t.is_word]
    if len(spoken) < 3:
        return ""
    first = spoken[0].low
    named = name_end(spoken, 0) > 1 and first not in GREETINGS
    verbs = any(form != BASE for t in spoken[1:6] for _, form in forms(t.low))
    if first in {"i", "my", "we", "our"} or (named and verbs):
        return "no verb found for its subject"
    return ""


def _replaced(operations: Sequence[Operation]) -> list[Operation]:
    """Drop what is taken back where the same turn puts something in its place.

    "I quit the aquarium. I work at the opera house now": the new job ends the old one, which
    stays known as what was.
    """
    filled = {
        (op.subject, op.relation): i
        for i, op in enumerate(operations)
        if op.act is Act.ADD and op.change and normalise(op.relation).one
    }
    return [
        op
        for i, op in enumerate(operations)
        if not (
            op.act is Act.RETRACT and op.change and filled.get((op.subject, op.relation), -1) > i
        )
    ]


def _once(operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """Drop an operation that repeats an earlier one."""
    seen: dict[tuple[object, ...], Operation] = {}
    for op in operations:
        if op.object and op.object == op.subject:
            continue  # nobody stands in a relation to themselves: something was misread
        seen.setdefault((op.act, op.subject, op.relation, op.object.lower()), op)
    return tuple(seen.values())
