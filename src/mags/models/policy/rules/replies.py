"""Bare answers: "Oslo." after "Where do you live?" is read as "I live in Oslo."."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from mags.models.policy.rules.clause import clauses
from mags.models.policy.rules.lexicon import JOBS, KIN, PETS, word_set
from mags.models.policy.rules.slots import slot_of
from mags.models.policy.rules.tokens import sentences, tokenise
from mags.ports.policy import Turn

_MOST_WORDS = 8
_LED = re.compile(
    r"^(?:(?:oh|well|um|hmm|so|just|it's|it is|that's|mine is|mine's|probably)\b,? )*", re.I
)
_AGREED = re.compile(
    r"^(?P<word>yes|yeah|yep|yup|sure|of course|no|nope|nah|not really)\b"
    r"(?:,? (?:i|we) (?:do|am|have|don't|do not|haven't|are|'m not|aren't))?[,.!]* *(?P<rest>.*)$",
    re.I,
)
_DENIED = frozenset({"no", "nope", "nah", "not really"})
_NO_ANSWER = re.compile(
    r"^(?:nothing|nowhere|nobody|none|never|why|what|sure|maybe|thanks|thank|not|no|yes|ok|okay|hi|"
    r"hello|good|great|fine|it depends|depends|guess|i don't|don't|who|how|where|cool|nice|wow|"
    r"exactly|same|here|there|everything|anything|something|lots|a lot|many|still|both)\b",
    re.I,
)
_PLACED = re.compile(r"^(?:in|at|on|from|near|to|for|with|as|since)\b", re.I)
_ASKED = re.compile(r"[^.!?\n]*\?")
_START = re.compile(r"^(?:(?:and|so|but|oh|ok|okay|well|nice|great|by the way)\b[,!]? )*", re.I)
_SLOTS = word_set(
    "name nickname job profession email birthday address age height salary rent budget wedding"
    " appointment flight exam interview"
)
_PREPOSITION = {"live": "in", "work": "at", "study": "at", "grow up": "in", "stay": "at"}

Answer = Callable[[re.Match[str], str], str]
"""Makes a statement of the match of a question and the words of its answer; "" for none."""


def completed(turn: Turn, recent: Sequence[Turn]) -> Turn:
    """Return a turn whose first sentence only answers what it was asked as one that says it."""
    asked = recent[-1] if recent else None
    if asked is None or asked.speaker == turn.speaker:
        return turn
    questions = _ASKED.findall(asked.text)
    said = sentences(turn.text)
    if not questions or not said or said[0].endswith("?"):
        return turn
    told = _statement(_START.sub("", questions[-1].strip().rstrip("?").strip()), said[0])
    return replace(turn, text=" ".join([told, *said[1:]])) if told else turn


def _statement(question: str, answer: str) -> str:
    """What an answer says in full, "" where that is not certain."""
    asked = _YES_OR_NO.match(question)
    if asked is not None:
        return _affirmed(asked, answer)
    words = _LED.sub("", answer).strip(" .!")
    if not words or len(words.split()) > _MOST_WORDS or _NO_ANSWER.match(words):
        return ""
    if clauses(tokenise(words)):
        return ""
    for pattern, make in _QUESTIONS:
        match = pattern.match(question)
        if match is not None:
            told = make(match, words)
            return f"{told}." if told else ""
    return ""


_YES_OR_NO = re.compile(
    r"^(?P<aux>do|are|have) you (?:still |also |really )?(?P<rest>(?:got )?[\w' -]+)$", re.I
)


def _affirmed(asked: re.Match[str], answer: str) -> str:
    """Read "Yes, a parrot called Kiwi" after "Do you have any pets", "No" after "Do you smoke"."""
    agreed = _AGREED.match(answer.strip())
    rest = asked["rest"].removeprefix("got ")
    if agreed is None or " or " in f" {rest} ":
        return ""
    more = agreed["rest"].strip(" .!")
    had = _verb_of(rest, asked) == "have" and more.lower().startswith(("a ", "an ", "two ", "one "))
    if more and not had and (clauses(tokenise(more)) or len(more.split()) > _MOST_WORDS):
        return f"{more}."
    no = agreed["word"].lower() in _DENIED
    verb = _verb_of(rest, asked)
    if asked["aux"].lower() == "are":
        return f"I am {'not ' if no else ''}{rest}." if not more else ""
    if asked["aux"].lower() == "have":
        rest = f"have {rest}"
    if verb == "have" and more:
        return "" if no else f"I have {more}."
    if more:
        return ""
    if not no:
        return "" if " any " in f" {rest} " else f"I {rest}."
    return f"I don't {rest.replace(' any ', ' a ') if rest.endswith(('car', 'dog')) else rest}."


def _verb_of(rest: str, asked: re.Match[str]) -> str:
    """The verb of a yes-or-no question."""
    return "have" if asked["aux"].lower() == "have" else rest.split()[0].lower()


def _slot(match: re.Match[str], words: str) -> str:
    """Read an answer to "what is your favourite colour", "who is your boss"."""
    noun = match["noun"].strip()
    head = noun.split()[-1].lower()
    if head == "name":
        return f"My {noun} is {words}"
    slot = slot_of(noun.lower())
    named = slot is not None and (slot.noun or slot.answers == "person")
    if (
        not named
        and head not in _SLOTS | KIN | PETS
        and not noun.lower().startswith(("favourite", "favorite"))
    ):
        return ""
    return f"My {noun} is {words}"


def _dated(match: re.Match[str], words: str) -> str:
    lead = "" if _PLACED.match(words) else "on "
    return f"My {match['noun'].strip()} is {lead}{words}"


def _placed(match: re.Match[str], words: str) -> str:
    verb = match["verb"].lower()
    lead = "" if _PLACED.match(words) else f"{_PREPOSITION[verb]} "
    return f"I {verb} {lead}{words}"


def _trade(match: re.Match[str], words: str) -> str:
    last = words.split()[-1].lower()
    if words.lower().startswith(("a ", "an ")):
        return f"I'm {words}"
    return f"I work as {'an' if words[0] in 'aeiouAEIOU' else 'a'} {words}" if last in JOBS else ""


def _aged(match: re.Match[str], words: str) -> str:
    who = match["who"].lower()
    subject = "I am" if who == "you" else f"My {who.removeprefix('your ')} is"
    years = words.removesuffix(" years old")
    return f"{subject} {years} years old" if len(years.split()) == 1 else ""


def _from(match: re.Match[str], words: str) -> str:
    return f"I am from {words.removeprefix('from ').removeprefix('From ')}"


def _done(match: re.Match[str], words: str) -> str:
    return f"I {match['verb']} {words}"


_BE = r"(?:is|'s|are)"
_QUESTIONS: tuple[tuple[re.Pattern[str], Answer], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), make)
    for pattern, make in (
        (r"where do you (?P<verb>live|work|study|stay)(?: now| these days)?$", _placed),
        (r"where (?:are you|do you come) from$", _from),
        (r"where were you (?P<verb>born)$", lambda _, a: f"I was born in {a.removeprefix('In ')}"),
        (r"what do you do(?: for (?:work|a living))?$", _trade),
        (rf"(?:what|who|which) ?{_BE} your (?P<noun>[\w' -]+?)(?: called)?$", _slot),
        (rf"when ?{_BE} your (?P<noun>[\w' -]+)$", _dated),
        (r"how old (?:are|is) (?P<who>you|your [a-z-]+)$", _aged),
        (r"what do you (?P<verb>study|drive|play|teach|drink|prefer)$", _done),
        (r"(?:what|which) (?:languages|instruments?) do you (?P<verb>speak|play)$", _done),
    )
)
