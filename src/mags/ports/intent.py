"""What a turn of a conversation wants of the memory, by its form; honest about its doubt.

A question may come without its mark ("whats my wifi password"), a command as a plain sentence
("forget the thing about the dentist"). What has no form of these rows tells something, or may.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from mags.index.tokens import QUESTION_MARKS as QUESTION_MARKS
from mags.index.tokens import asks as asks

IntentKind = Literal["tell", "ask", "correct", "forget", "overview", "small talk"]
_LEAD = (
    r"(?:(?:so|and|but|well|ok|okay|hey|hi|hello|hmm+|oh|uh|um|please|pls|now|sorry|quick one"
    r"|by the way|btw|tell me|remind me|do you (?:know|remember)|d'?you know|can you (?:tell"
    r"|remind)"
    r" me|could you (?:tell|remind) me|any idea|no idea|i forgot|i forget|i(?:'ve| have) forgotten"
    r"|i can'?t (?:remember|recall)|i don'?t (?:remember|recall)|not sure|once more"
    r"|again)[,:.!]*\s+)*"
)
_BE_DO = (
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|isn'?t|aren'?t"
    r"|wasn'?t|don'?t|doesn'?t|didn'?t|hasn'?t|won'?t)"
)
_OWN = r"(?:i|we|my|our|he|she|they|his|her|their|(?-i:[A-Z])[\w'-]*)"
_NO_PRONOUN = r"(?!(?:i|we|you|he|she|they|it|that|this)\b)"
_WH = r"(?:what|who|whom|whose|when|where|why|how|which)"
_ROWS: tuple[tuple[IntentKind, bool, str], ...] = (
    (
        "forget",
        True,
        r"(?:(?:please|pls|can you|could you|i want you to|now)[, ]+)*(?:forget|erase|delete)"
        r"(?! (?:to|how|when|where|why|who)\b)"
        r" (?:(?:about|everything|all|anything|what|that|the (?:thing|things|bit|part|stuff"
        r"|one|turn"
        r"|fact|memory|note)s?)[, ]+)*(?:(?:you know|(?:i|we) (?:said|told you)|is known)[, ]+)?"
        r"(?:(?:about|of|with|on|from|where|that)[, ]+)*(?:(?:my|our|the|a|an) )?"
        r"(?!(?:it|that|this|them|him|her|me)\b)(?P<topic>[^\s,.;!?][^,.;!?]{0,60}?)"
        r"(?:,? (?:please|pls|thanks|again|for good))*\W*$",
    ),
    (
        "correct",
        True,
        r"(?:no|nope|wait|oops|sorry|ah|oh|actually|hang on|hold on|correction|scratch that"
        r"|that(?:'s| is| was) (?:wrong|not right|not true|false|a mistake)|not true|wrong)"
        r"(?:[,:.! -]+(?:no|wait|sorry|actually|typo))*[,:.! -]+"
        r"(?=.*\b(?:meant|mean|wrong|typo|not|it'?s|it is|was|should be|actually|instead|correct\w*"
        r"|make that|rather)\b)(?P<topic>\S.*)$",
    ),
    (
        "overview",
        True,
        rf"{_LEAD}(?:what (?:do|can|did|have) (?:you|we|i) (?:know|remember|got?|have"
        rf"|told you)(?: so far)?"
        r" (?:about|of)|tell me(?: everything| all| more| what you know)? about|who am i\b"
        r"|what(?:'s| is) known (?:about|of)|sum(?:marise|marize| up)\b|(?:an? )?(?:overview"
        r"|summary)"
        r" of) ?(?P<topic>.*)$",
    ),
    ("ask", True, rf"{_LEAD}{_WH}(?:'?s|'re|s)? .*\?\W*$"),
    ("ask", True, rf"{_LEAD}{_WH} (?:{_NO_PRONOUN}\w+ ){{0,3}}{_BE_DO} {_OWN}\b.*$"),
    ("ask", True, rf"{_LEAD}{_WH} (?:is|are|was|were|did|does|do)\b (?!not).*$"),
    ("ask", True, rf"{_LEAD}{_BE_DO} {_OWN}\b.*$"),
    (
        "ask",
        True,
        rf"{_LEAD}(?:whats|what's|wheres|where's|whens|when's|whos|who's|hows|how's) .*$",
    ),
    ("ask", True, rf"{_LEAD}{_BE_DO} \w+.*\?\W*$"),
    (
        "ask",
        True,
        r"(?:(?:please|pls|hey|so|ok|can you|could you) )*(?:remind me|tell me|do you (?:know"
        r"|remember)"
        rf"|d'?you know|any idea|i forgot|i forget|i can'?t (?:remember|recall)"
        rf"|i don'?t remember)\s+{_WH}"
        r"\b.*$",
    ),
    ("ask", False, r".*\?\W*$"),
    (
        "small talk",
        True,
        r"(?:(?:hi+|hey+|hello|yo|good (?:morning|evening|night|afternoon)|morning|thanks?(?: you)?"
        r"|thx|ty|cheers|lol|haha+|ok(?:ay)?|cool|nice|great|perfect|bye|see you|cu|sure|yep"
        r"|yeah|yes"
        r"|no|nope|alright|right|wow|hmm+|how are you|what'?s up|so much|a lot|very|all|then|there"
        r"|later|soon|again|mags|nothing|never mind|nevermind)[\s,.!?\N{HORIZONTAL ELLIPSIS}]*)+$",
    ),
)
NAMES_NOTHING = frozenset({"it", "that", "this", "them", "him", "her", "me"})
MOST_NAMED = 6
"""Words of what is to be forgotten; of more it is no command."""
_WORD = re.compile(r"[^\W_]+")
_SMALL = re.compile(r"(?:a|an|the|my|our|his|her|their|of|to|in|on|at|for|with|about|and|s)")
_FULL_STOPS = frozenset(".!\u2026\u3002\uff01\u0964\u06d4")
_SELF = re.compile(r"\b(?:i|i'm|i've|i'd|we|we're|we've)\b", re.IGNORECASE)
_PLAIN_MARKS = dict.fromkeys(map(ord, QUESTION_MARKS), "?")
_FORMS = tuple((kind, sure, re.compile(form, re.I | re.S)) for kind, sure, form in _ROWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What a turn wants. `sure`: its form leaves no doubt. `topic`: what of, where it names it."""

    kind: IntentKind = "tell"
    sure: bool = False
    topic: str = ""


def intent_of(text: str) -> Intent:
    """Return what a turn wants; it tells, and that is not sure, where no form fits."""
    said = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").translate(_PLAIN_MARKS).strip()
    small = _FORMS[-1][2].fullmatch(said)
    if small is not None:
        return Intent(kind="small talk", sure=True)
    for kind, sure, form in _FORMS:
        found = form.match(said)
        if found is not None:
            topic = found.groupdict().get("topic") or ""
            named = topic.casefold().split()
            if kind == "forget" and (len(named) > MOST_NAMED or named[-1] in NAMES_NOTHING):
                continue
            alone = kind != "ask" or len(re.findall(r"[.!?](?:\s|$)", said)) < 2
            return Intent(kind=kind, sure=sure and alone, topic=topic.strip(" .!?"))
    return Intent()


def tells(text: str) -> bool:
    """Whether a text asks and orders nothing, and is no bare list of words either."""
    sentence = text.rstrip()[-1:] in _FULL_STOPS or _SELF.search(text) is not None
    return sentence and intent_of(text).kind == "tell"


def names_all(topic: str, text: str) -> bool:
    """Say whether a text has every word of a topic that is no article or preposition."""
    words = [word for word in _WORD.findall(topic.casefold()) if not _SMALL.fullmatch(word)]
    held = set(_WORD.findall(text.casefold()))
    return bool(words) and all(word in held or word.rstrip("s") in held for word in words)
