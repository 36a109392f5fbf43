"""What of a turn its speaker tells: questions, requests, quotations and pasted matter left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mags.models.policy.rules import lexicon as lex
from mags.models.policy.rules.clauses import clause_at
from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.tokens import Token, own_words, sentences, starts_with, tokenise
from mags.ports.intent import QUESTION_MARKS

_MOST = 60
"""Sentences of a turn that are read; what comes after is kept with the turn."""
_LONG, _LINES = 1_500, 12
"""Letters and lines up to which a turn is talk; of a longer one only what is told in the first
person is read."""
_LONGEST = 600
"""Letters of the longest sentence that is taken for talk."""
_FIRST = re.compile(r"\b(?:i|i'm|im|my|we|our|me)\b", re.IGNORECASE)
_CODE = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*(?:>|[-*\u2022] |\d+[.)] ).*$", re.DOTALL | re.MULTILINE
)
"""Code, quoted lines and the points of a list."""
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d]*)[\"\u201d]?")
_MOST_QUOTED = 6
"""Words of a title in quotation marks; more are a quotation."""
_JOKES = re.compile(
    r"(?:^|\s)/s\b|\U0001f644|\b(?:yeah,? right|just kidding|only joking|jk|as if|lmao|not!"
    r"|in (?:my|the|this|our|a) (?:video ?)?(?:game|dream|story|novel|campaign|book|film|movie))"
    r"(?!\w)",
    re.IGNORECASE,
)
"""What marks a sentence as a joke, as sarcasm or as fiction."""
_ASKING = word_set("do does did is are was were am can could will would should shall may has")
_ASKED = word_set("you i we he she they it there that this these those the my your our anyone")
_WISHES = re.compile(
    r"(?:please|pls|plz|(?:help|tell|give|show|remind) me|let me know|recommend|suggest"
    r"|any (?:ideas?|tips?|advice|suggestions?|recommendations?|thoughts)|make me|draft"
    r"|(?:re)?write (?:me|a|an|it)|summari[sz]e|explain|translate|calculate|thoughts\b|what about"
    r"|how about|how to|can u|could u|how do|how can|how should|what should|which one|what would)"
    r"\b",
    re.IGNORECASE,
)
_KEEP = re.compile(
    r"^(?:so |hey |ok |also )*(?:(?:can|could|will|would) you(?: please)?|please)"
    r" (?:remember|note|save|keep in mind|write down|make a note)(?: for me)?(?: that)?:? "
    r"(?P<told>.+?)\s*(?:,? please)?[?.!]*$",
    re.IGNORECASE,
)
"""A request to keep something is no question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A sentence as far as it tells something, and whether the turn asks, too."""

    words: tuple[Token, ...]
    asks: bool = False


def told(text: str) -> tuple[Told, ...]:
    """Return the sentences of a turn, each without the request or question that ends it."""
    if len(text) > _LONG or text.count("\n") > _LINES:
        kept = _CODE.sub("", text[:_MOST_READ]).split("\n")
        text = "\n".join(line for line in kept if _FIRST.search(line))
    found = []
    for sentence in sentences(_unquoted(own_words(text)))[:_MOST]:
        asked = _KEEP.match(sentence) if len(sentence) <= _LONGEST else None
        sentence = f"{asked['told']}." if asked else sentence
        if len(sentence) > _LONGEST:
            continue
        tokens = tokenise(sentence)
        cut = len(tokens) if asked else _request_at(tokens)
        words = () if _JOKES.search(sentence) else tokens[:cut]
        found.append(Told(words=words, asks=cut < len(tokens) or is_question(tokens)))
    return tuple(found)


_MOST_READ = 20_000
"""Letters of a pasted text in which something told in the first person is looked for."""


def _unquoted(text: str) -> str:
    """Take quotations out; a title of a few words stays."""

    def left(match: re.Match[str]) -> str:
        speaks = _FIRST.search(match[1]) or match[1].rstrip().endswith((".", "!", "?"))
        return " " if speaks or len(match[1].split()) > _MOST_QUOTED else match[0]

    return _QUOTED.sub(left, text)


def _request_at(tokens: Sequence[Token]) -> int:
    """Return where a request or question begins that a sentence ends in; its end if nowhere.

    "I'm 42 and earn 65k, can you help me make a budget?": before the comma. A few beginnings need
    no mark before them: "i have mono how do i tell him".
    """
    for i in range(len(tokens)):
        loose = " ".join(t.low for t in tokens[i : i + 2]) in _LOOSE
        if (i == 0 or loose or _ties(tokens[i - 1])) and _asks(tokens[i:]):
            while i and _ties(tokens[i - 1]):
                i -= 1
            return i
    return 0 if any(t.text in QUESTION_MARKS for t in tokens[-2:]) else len(tokens)


def _ties(token: Token) -> bool:
    return token.text in _APART or token.low in {"and", "so", "but"}


_APART = word_set(", ; - \u2013 \u2014 : ( ... \u2026 . !")
_LOOSE = lex.parts(
    "can you|could you|would you|can i|should i|do you|how do|how can|how should|what do"
    "|what should|what would|what is|what 's|which one|is it|is that|are there|is there|any tips"
    "|any ideas|any advice|help me|tell me|can u|could u|pls help|please help|how much|how many"
)


def is_question(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence asks, or asks for something."""
    return any(t.text in QUESTION_MARKS for t in tokens[-2:]) or _asks(opened(tokens)[0])


def _asks(tokens: Sequence[Token]) -> bool:
    words = [t.low for t in tokens if t.is_word][:4]
    if len(words) < 2:
        return False
    if _WISHES.match(" ".join(words)):
        return True
    first, second = words[:2]
    if first in _ASKING:
        after = words[2] if second == "n't" and len(words) > 2 else second
        return after in _ASKED
    ends = any(t.text in QUESTION_MARKS for t in tokens[-2:])
    asks = second in _ASKING | {"'s", "'re"} and first not in _LINKING
    return first in lex.QUESTION_WORDS - {"that"} and (asks or ends)


_LINKING = word_set("when where which who whom while")
"""Question words that tie a clause to the one before, where no question mark ends the sentence."""


_EMPHASIS = re.compile(
    r"\b(?:important|never forget|always remember|remember this|urgent|must)\b", re.IGNORECASE
)
_FEELING = re.compile(
    r"\b(?:love|hate|thrilled|devastated|heartbroken|terrified|ecstatic|died|passed away|engaged"
    r"|married|pregnant|proud|miss|afraid|cried|dream|amazing|best day|worst)\b",
    re.IGNORECASE,
)


def importance(text: str) -> float:
    """Return emphasis or strong feeling in [0, 1]."""
    value = 0.4 * bool(_EMPHASIS.search(text)) + 0.3 * bool(_FEELING.search(text))
    value += min(0.2, 0.1 * text.count("!"))
    return round(min(1.0, value + 0.1 * bool(re.search(r"\b[A-Z]{4,}\b", text))), 3)


# -- what stands before a statement and adds nothing -------------------------------------


def opened(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], bool]:
    """Take off "Well," "Hey Mel!" "I think" and the like; say whether one was a hedge."""
    words, hedged = tuple(tokens), False
    while True:
        while words and not words[0].is_word and words[0].text not in {'"', "$"}:
            words = words[1:]
        first = words[0].low if words else ""
        frames = (len(p) for p in lex.HEDGED_FRAMES.get(first, ()) if starts_with(words, p))
        frame = next(frames, 0)
        hedges = 0 < frame < len(words) and _goes_on(words, frame)
        cut = frame if hedges else _opener(words, first)
        if cut == 0:
            return words, hedged
        words, hedged = words[cut:], hedged or hedges


def _goes_on(words: Sequence[Token], at: int) -> bool:
    while at < len(words) and words[at].text == ",":
        at += 1
    return clause_at(words, at) is not None


def _opener(words: Sequence[Token], first: str) -> int:
    """Return how many words to take off the front: an opener, or a name called out ("Mel, ...")."""
    for phrase in lex.OPENERS.get(first, ()):
        after = len(phrase)
        if not starts_with(words, phrase) or after >= len(words):
            continue
        if words[after].text in {",", "!", ":", "-", "\u2014", "."} or _goes_on(words, after):
            return after
        end = name_end(words, after) if first in lex.GREETINGS else after
        if after < end < len(words) and words[end].text in {",", "!", "."}:
            return end
    end = name_end(words, 0)
    called = 0 < end < len(words) - 1 and words[end].text in {",", "!"}
    speaks = called and words[end + 1].low in {"i", "we", "my", "you", "it", "that", "this"}
    return end + 1 if speaks and clause_at(words, end + 1) else 0
