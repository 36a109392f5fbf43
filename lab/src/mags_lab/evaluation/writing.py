"""How well a policy writes: compared with the facts of real passages, and with readers' notes.

**Passages.** Two triples are the same if their folded names and the meanings of their relations are
the same. Tense, the direction of a fact, finer names of one relation ("studied at", "was educated
at") and ADD against UPDATE do not matter. An operation counts against precision only if the set's
annotators looked for its relation, and if it is not a fact that may be told but need not be. Dates
are compared as dates.

**Conversations.** How much of a conversation a policy keeps, and how much of that is junk. LoCoMo
has notes on each session: observations by GPT about each speaker, each with the turns it is drawn
from, events, a summary, and questions with answers and evidence. None of them uses the words of a
memory, so the rule compares content words: stems, without function words, dates, the names of the
two speakers and words that tell nothing by themselves (`VAGUE`: "likes" is as good as "loves", and
notes say "mentioned", "finds it"). It was fixed before any model was compared.

**Covered.** The content words of an observation count if its turns say them, too: a policy that
copies cannot be asked for a paraphrase. The observation is covered if the operations of those turns
together have at least 60% of these words, one of these operations names the observation's person
(as subject, object or in a note), and none of them denies something that the observation does not.
Together, since notes join what a turn says in two clauses. 60%, since of two to five words that is
all but one or two. Fewer than two such words are no evidence: the observation is left out, and
counted.

**Junk.** An operation is *confirmed* by a line of the notes (an observation, an event, a sentence
of a summary, a question with its answer) if the line has at least 60% of the content words of its
subject and object, names the speaker it is about, and denies if and only if the operation denies (a
retraction is confirmed by a denial or an end: lost, left, sold). If the object is a speaker, or the
relation is between people (mother, boss, married to), names alone would say little: the line must
tell the relation, too, by one of its content words or a phrase that the table of relations reads as
it. An operation is *junk* if no line of its session confirms it and it is faulty: it has only vague
words (between people its relation counts), refers to something it does not name ("escaping to that
world", a note with "you"), names what was not said, was only asked about, or breaks off. All others
that no line of the whole conversation confirms are *unconfirmed*. Notes leave out much that is true
and worth keeping, so their silence proves nothing; it is an upper bound of junk.

docs/reference/metrics.md says how often the rule agrees with a judgement by hand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
import snowballstemmer

from mags.caches import cached
from mags.errors import InvalidInput, ModelReplyError
from mags.models.grammar import FREE_WORDS, STOP_WORDS, check_invented
from mags.models.policy.rules.tokens import WORD
from mags.ports.policy import Act, Operation
from mags.ports.relations import canonical, normalise, relations
from mags_lab.evaluation.metrics import Interval
from mags_lab.training.real.passage import Passage, PassageFact, folded

# Relations of the table that tell one fact in more or less detail. The sets do not separate them.
SAME = {
    "was educated at": "studied at",
    "is studying at": "studied at",
    "child": "is parent of",
    "is mother of": "is parent of",
    "is father of": "is parent of",
    "mother": "is child of",
    "father": "is child of",
    "occupation": "works as",
}
Key: TypeAlias = tuple[bool, str, str, str]
"""False for a retraction; the relation; and the folded ends in the relation's direction."""
_DATES = ("%d %B %Y", "%B %d %Y", "%d %b %Y", "%b %d %Y", "%Y %m %d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of a passage: operations right, operations that count, facts wanted."""

    right: int
    made: int
    wanted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A passage scored by whole triples, and by pairs of names alone (of all operations)."""

    triples: Tally
    pairs: Tally


def score(passage: Passage, operations: Sequence[Operation]) -> Scored:
    """Compare the operations for a passage with its facts; notes do not count."""
    said = {key_of(op): op for op in operations if op.act is not Act.NOTE}
    wanted = [keys(fact) for fact in passage.facts if fact.wanted]
    free = {key for fact in passage.facts if not fact.wanted for key in keys(fact)}
    right = sum(any(key in said for key in names) for names in wanted)
    named = {key for names in wanted for key in names}
    asked = None if passage.asked is None else {_meaning(name)[0] for name in passage.asked}
    # A set annotates some relations only: about all others its silence says nothing.
    wrong = sum(
        key not in named and key not in free and (asked is None or key[1] in asked) for key in said
    )
    return Scored(
        triples=Tally(right=right, made=right + wrong, wanted=len(wanted)),
        pairs=_pairs(passage, said),
    )


def _pairs(passage: Passage, said: Iterable[Key]) -> Tally:
    """The tally of pairs of names, whatever the relation and its direction."""
    made = {frozenset(key[2:]) for key in said}
    wanted = {
        frozenset(frozenset(key[2:]) for key in keys(fact)) for fact in passage.facts if fact.wanted
    }
    free = {frozenset(key[2:]) for fact in passage.facts if not fact.wanted for key in keys(fact)}
    named = {pair for names in wanted for pair in names}
    right = sum(bool(names & made) for names in wanted)
    wrong = len(made - named - free)
    return Tally(right=right, made=right + wrong, wanted=len(wanted))


def keys(fact: PassageFact) -> frozenset[Key]:
    """The keys of a fact under all its names."""
    return frozenset(
        _key(fact.act is not Act.RETRACT, subject, fact.relation, thing)
        for subject in fact.subject
        for thing in fact.object
    )


def key_of(operation: Operation) -> Key:
    """The key of an operation, by which it is compared."""
    holds = operation.act is not Act.RETRACT
    return _key(holds, operation.subject, operation.relation, operation.object)


def _key(holds: bool, subject: str, relation: str, thing: str) -> Key:
    name, turned = _meaning(relation)
    ends = (_name(subject), _name(thing))
    # A symmetric relation has no direction: its ends are sorted.
    if turned is None:
        ends = (min(ends), max(ends))
    elif turned:
        ends = (ends[1], ends[0])
    return holds, name, *ends


@cached(16384)
def _meaning(relation: str) -> tuple[str, bool | None]:
    """A relation's name for comparison, and whether its ends are swapped (None: no order)."""
    name = normalise(relation).name
    name = _present().get(name, name)
    name = SAME.get(name, name)
    known = relations().get(name)
    if known is not None and known.symmetric:
        return name, None
    back = _inverse().get(name, "")
    back = SAME.get(back, back)
    # Of a relation and its inverse, the first by alphabet stands for both.
    return (back, True) if back and back < name else (name, False)


@cache
def _present() -> dict[str, str]:
    """Names in the past tense, each with the present one."""
    return {one.past: one.name for one in relations().values() if one.past}


@cache
def _inverse() -> dict[str, str]:
    """Each name of the table with that of its inverse, in both directions."""
    forward = {one.name: one.inverse for one in relations().values() if one.inverse}
    backward = {inverse: name for name, inverse in forward.items()}
    return {**backward, **forward}


def _name(words: str) -> str:
    """A folded name; a date as an ISO day, whatever its form."""
    plain = folded(words)
    if not re.search(r"\d{4}", plain):
        return plain
    for form in _DATES:
        try:
            return datetime.strptime(plain, form).date().isoformat()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    return plain


def micro(tallies: Sequence[Tally], *, seed: int = 0, draws: int = 2000) -> dict[str, Interval]:
    """Precision, recall and F1 over all counts, with 95% bootstrap intervals over passages.

    A figure without a denominator in a draw is 0. Raises InvalidInput if there is no passage.
    """
    if not tallies:
        raise InvalidInput("there is no passage to score; check the folder of the data")
    counts = np.array([(t.right, t.made, t.wanted) for t in tallies], dtype=np.float64)
    # Passages are drawn, not facts: the facts of one passage depend on each other.
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=draws)
    sums = np.vstack([counts.sum(axis=0), drawn @ counts])
    right, made, wanted = sums.T
    figures = {
        "precision": right / np.maximum(made, 1),
        "recall": right / np.maximum(wanted, 1),
        "F1": 2 * right / np.maximum(made + wanted, 1),
    }
    return {
        name: Interval(
            mean=float(values[0]),
            low=float(np.percentile(values[1:], 2.5)),
            high=float(np.percentile(values[1:], 97.5)),
            n=len(counts),
        )
        for name, values in figures.items()
    }


Verdict: TypeAlias = Literal["confirmed", "unconfirmed", "junk"]
SHARE = 0.6
LEAST = 2
_VAGUE = """
like love enjoy favorite favourite fan find feel think thing stuff lot way bit kind sort really
very recently currently always also much many more most good great nice cool awesome amazing fun
mention express share say tell describe explain talk believe consider mean get go come make do have
take give keep know see look want plan hope try need help use work about into out up some any all
just still even too such other another both each own something someone anything everyone well
own self one ones new few several due because through after before during while how what when where
why
"""
# Words that say nothing about an object either. The list is short, since objects are short.
_EMPTY = """
i me my you your it its he him his she her they them their we us our this that these those who
some any all thing stuff lot way bit one ones something anything everything nothing just so too very
"""
# A field that begins with such a word, or has one after a preposition, names nothing.
_POINTING = re.compile(
    r"(?:^|\b(?:to|of|in|on|at|for|with|from|about|like|as|something) )"
    r"(?:that|this|these|those|it|them|him|her|here|there|such|same|similar|usual|another)\b",
    re.I,
)
# A note is read alone: a reader does not know who "you" was.
_SPOKEN = re.compile(r"\b(?:i|i'm|me|my|mine|we|us|our|you|your|yours)\b", re.I)
_BROKEN = re.compile(
    r"^(?:and|or|but|because|so|than|to)\b|"
    r"\b(?:a|an|the|and|or|but|because|of|than|my|your|his|her|their|is|are|was|were)$",
    re.I,
)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
LONGEST = 20
PHRASE = 3
"""Words of the longest phrase of a line that is looked up in the table of relations."""
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|nor|without|stopped|quit)\b|n['\N{RIGHT SINGLE QUOTATION MARK}]t\b", re.I
)
_ENDING = re.compile(
    r"\b(?:lost|losing|left|leaving|sold|ended|gave up|broke up|former|formerly|ex|divorced|"
    r"cancell?ed|moved|replaced|previous(?:ly)?|anymore)\b",
    re.I,
)
_POSSESSIVE = re.compile("['\N{RIGHT SINGLE QUOTATION MARK}]s$")


@cached(65536)
def _stem(word: str) -> str:
    return str(snowballstemmer.stemmer("english").stemWord(word))


EMPTY = frozenset(_stem(word) for word in _EMPTY.split())
VAGUE = EMPTY | {_stem(word) for word in _VAGUE.split()}


@cached(16384)
def content(
    words: str, names: frozenset[str] = frozenset(), without: frozenset[str] = VAGUE
) -> frozenset[str]:
    """The stems of a text's content words. `names`: words that do not count, in lower case."""
    plain = (_POSSESSIVE.sub("", word.casefold()) for word in WORD.findall(words))
    kept = (word for word in plain if word not in names and word not in STOP_WORDS | FREE_WORDS)
    return frozenset(stem for word in kept if (stem := _stem(word)) not in without)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenNotes:
    """The notes on a session, and those on the whole conversation."""

    session: Collection[str]
    talk: Collection[str]


def covered(
    observation: str,
    person: str,
    said: str,
    operations: Sequence[Operation],
    names: frozenset[str],
) -> bool | None:
    """Whether operations keep an observation; None if it has too few words to tell.

    `person`: whom it is about; `said`: the text of the turns it is drawn from; `operations`: those
    written for these turns; `names`: the speakers, in lower case.
    """
    wanted = content(observation, names) & content(said, names)
    if len(wanted) < LEAST:
        return None
    found = [(words, content(words, names)) for words in map(words_of, operations)]
    useful = [(words, stems & wanted) for words, stems in found if stems & wanted]
    denies = negative(observation)
    return (
        any(_names(person, words) for words, _ in useful)
        and (denies or not any(negative(words) for words, _ in useful))
        and len(frozenset().union(*(stems for _, stems in useful))) >= SHARE * len(wanted)
    )


def judge(
    operation: Operation, lines: WrittenNotes, said: str, heard: str, names: frozenset[str]
) -> Verdict:
    """Whether notes confirm an operation, it is junk, or nothing speaks for or against it.

    `said`: the turn it was written for; `heard`: everything that the policy was shown, with the
    speakers.
    """
    # In this order: a faulty operation can be confirmed by a line of its own session only.
    if _confirmed(operation, lines.session, names):
        return "confirmed"
    if faulty(operation, said, heard, names):
        return "junk"
    return "confirmed" if _confirmed(operation, lines.talk, names) else "unconfirmed"


def faulty(operation: Operation, said: str, heard: str, names: frozenset[str]) -> bool:
    """Whether an operation is of no use to a reader who did not see the conversation."""
    note = operation.act is Act.NOTE
    fields = (operation.text,) if note else (operation.subject, operation.object)
    told = " ".join(fields)
    related = not note and _between_people(operation, names)
    return (
        not content(f"{told} {operation.relation}" if related else told, names)
        or any(_POINTING.search(field) or _BROKEN.search(field) for field in fields)
        or (note and bool(_SPOKEN.search(told)))
        or any(len(field.split()) > LONGEST for field in fields)
        or _invented(operation, heard)
        or _asked(content(fields[-1], names), said, names)
    )


def _invented(operation: Operation, heard: str) -> bool:
    try:
        check_invented((operation,), heard)
    except ModelReplyError:
        return True
    return False


def _asked(stems: frozenset[str], said: str, names: frozenset[str]) -> bool:
    """Whether a question of the turn has most of the words, and no statement has."""
    found = {
        sentence.rstrip().endswith("?")
        for sentence in _SENTENCE.findall(said)
        if stems and len(stems & content(sentence, names)) >= SHARE * len(stems)
    }
    return found == {True}


def _confirmed(operation: Operation, lines: Iterable[str], names: frozenset[str]) -> bool:
    """Whether a line tells the operation: its words, its person, its polarity and its relation."""
    stems = _told(operation, names)
    note = operation.act is Act.NOTE
    about = next((n for n in names if not note and _names(n, operation.subject)), "")
    retracts = operation.act is Act.RETRACT
    denies = not retracts and negative(words_of(operation))
    related = not note and _between_people(operation, names)
    return any(
        len(stems & content(line, names, EMPTY)) >= SHARE * len(stems)
        and (not about or _names(about, line))
        and (negative(line) is denies if not retracts else _ends(line))
        and (not related or _tells(operation.relation, line, names))
        for line in lines
    )


def _ends(line: str) -> bool:
    """Whether a line denies something or tells of an end, as a retraction does."""
    return negative(line) or bool(_ENDING.search(line))


def _between_people(operation: Operation, names: frozenset[str]) -> bool:
    """Whether the object is a speaker, or the relation leads to a person (kin, roles)."""
    known = canonical(operation.relation)
    speaker = operation.object.strip().casefold() in names
    return speaker or bool(known and known.answers == "person")


@cached(65536)
def _tells(relation: str, line: str, names: frozenset[str]) -> bool:
    """Whether a line has a content word of a relation, or a phrase that the table reads as it."""
    if content(relation, names, EMPTY) & content(line, names, EMPTY):
        return True
    known = canonical(relation)
    if known is None:
        return False
    wanted = {known.name, known.inverse, known.past} - {""}
    words = [_POSSESSIVE.sub("", word) for word in WORD.findall(line)]
    phrases = (words[at : at + n] for n in range(1, PHRASE + 1) for at in range(len(words)))
    found = (canonical(" ".join(phrase)) for phrase in phrases)
    return any(one is not None and one.name in wanted for one in found)


def _told(operation: Operation, names: frozenset[str]) -> frozenset[str]:
    """The content words of a note, or of subject and object."""
    note = operation.act is Act.NOTE
    return content(
        operation.text if note else f"{operation.subject} {operation.object}", names, EMPTY
    )


def words_of(operation: Operation) -> str:
    """All words of an operation."""
    fields = (operation.subject, operation.relation, operation.object)
    return " ".join((*fields, *operation.qualifiers.values(), operation.text))


def negative(words: str) -> bool:
    """Whether a text denies something, or tells of an end."""
    return bool(_NEGATIVE.search(words))


def _names(person: str, words: str) -> bool:
    return bool(re.search(rf"\b{re.escape(person)}\b", words, re.I))
