"""How a turn that was recalled answers a question: what is quoted of it, and what it says first.

A turn answers where its passage has everything that is asked about, speaks of who is asked about
and holds the kind of thing that is asked for. A reader, where there is one, finds the very words.
"""

from __future__ import annotations

import re
from dataclasses import replace

from mags.models.answer.cues import CUES, MONEY, STOP, of_nobody_else
from mags.models.answer.cues import NAMED as NAME_TOLD
from mags.models.answer.dates import day_told, since_told
from mags.models.answer.question import ParsedQuestion, content
from mags.models.answer.support import NAMED as SOMEBODY
from mags.models.answer.support import ROLES, contrary, kind_share, name_share
from mags.models.policy.rules.lexicon import FUNCTION_WORDS
from mags.models.words import stems
from mags.ports.answer import ContextItem
from mags.ports.english import forms

SENTENCE_END = re.compile(rf"{STOP}(?=[^a-z])|\n+")
FIRST_PERSON = re.compile(r"\b(?:i|we|my|our|me|us|mine|im|ive|i'm)\b", re.I)
OPENING = re.compile(r"[A-Z][\w-]+(?='s\b| [a-z])")
LASTING = content("since long")
SHORT = 60
"""A sentence of fewer characters is quoted with the one behind it."""
HEDGED = re.compile(
    r"\b(?:might|(?<!in )(?<!since )(?<!last )(?<!next )(?-i:may)(?! \d)|maybe|perhaps|probably"
    r"|if|wish|hope|hoping|would|could|should"
    r"|thinking (?:of|about)|not sure|rumou?r|apparently|supposedly|they say|i think|i guess"
    r"|wants?|wanna|dream\w*|almost|nearly|joking|kidding|pretend\w*)\b",
    re.I,
)
DENIED = re.compile(
    r"\b(?:not|no|never|none|nobody|without|no longer|neither|nor|cannot|cant|dont|didnt|wont|isnt"
    r"|doesnt|hasnt|havent|stopped|quit|quitting|gave up|given up|giving up|sold|left|lost|broke up"
    r"|fell through|called off|cancelled|canceled|instead|used to|over|gone|dead|died|ended)\b"
    r"|n['\N{RIGHT SINGLE QUOTATION MARK}]t\b",
    re.I,
)
COUNTED = (
    r"(?:\d[\d,.]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|a hundred)(?:-\w+)?"
)
CORRECTED = re.compile(
    r"\b(?:wrong|typo|correction|mistaken?|mistakes|(?:an?|my) error|i meant|lied|a lie"
    r"|made (?:it|that) up"
    r"|(?:was|is|its|it's)(?: not|n't) [^.!?,;]{1,40}[,;]? (?:it was|it's|its|but)\b)",
    re.I,
)
"""What shows that a passage takes something back: which of its words hold, cues do not tell."""
NAME_ASKED = re.compile(r"\bwhat(?:'s| is| was| are)? .*\b(?:names?|called|named)\W*$", re.I)
CLAUSE = re.compile(r"[,;:.!?]\s+|\s+(?:but|because|so)\s+")
SINCE = re.compile(r"\bsince when\b|\b(?:for )?how long\b|\bfrom when\b", re.I)
AGE = re.compile(r"\bhow old\b|\bwhat age\b", re.I)
WHICH_MONEY = re.compile(r"\bhow much\b", re.I)
SUM = re.compile(
    r"(?:[$\N{EURO SIGN}\N{POUND SIGN}] ?\d[\d.,]*(?: ?(?:k|thousand|million))?"
    r"|\b\d[\d.,]*(?:k)? ?(?:euros?|dollars?|pounds?|quid|bucks|francs?|kroner|crowns?|z\u0142oty"
    r"|rupees|yen|pence|cents)\b|\b[\w-]+(?: [\w-]+)? (?:euros|dollars|pounds|quid|francs)\b)",
    re.I,
)


def passage(question: ParsedQuestion, text: str, most: int) -> str:
    """The sentence of a text that has most of what is asked, and what it needs to be understood.

    A question in it is left out where something is told. What is short, or lacks the kind of thing
    that is asked for, goes with the sentence behind it.
    """
    sentences = [part for part in SENTENCE_END.split(text.strip()) if part]
    told = [part for part in sentences if not part.endswith("?")] or sentences
    if not told:
        return ""
    at = max(range(len(told)), key=lambda i: len(question.words & content(told[i])))
    cue, best = CUES.get(question.kind), told[at]
    following = "".join(told[at + 1 : at + 2])
    lacks = cue is not None and (cue.search(best) is None or question.kind == "place")
    wanted = lacks and cue is not None and cue.search(following) is not None
    if (wanted or len(best) < SHORT) and following and len(best) + len(following) < most:
        return f"{best} {following}"
    return best


def _asked(question: ParsedQuestion) -> frozenset[str]:
    """What a passage has to have: the words asked for without names and words for a time."""
    names = frozenset().union(*question.names)
    return question.words - names - question.type_words - LASTING


def covers(question: ParsedQuestion, item: ContextItem, told: str) -> bool:
    """Whether a passage of a turn has all that is asked about, and speaks of who is."""
    asked = _asked(question)
    if not asked <= content(told):
        return False
    return name_share(question, replace(item, text=told)) == 1.0


def covers_shortly(question: ParsedQuestion, item: ContextItem, told: str) -> bool:
    """Whether a passage has all that is asked of who said it, without saying that it is theirs."""
    asked = _asked(question)
    if not asked or not asked <= content(told) or "?" in told:
        return False
    speaker = stems(item.speaker)
    own = bool(question.names) and all(name <= speaker for name in question.names)
    other = contrary(question, item, fits=False)  # "my daughter's birthday"
    return own and not other and of_nobody_else(told, question.words)


def said_first(question: ParsedQuestion, text: str, item: ContextItem, told: str) -> str | None:
    """What a passage says to a question, before it is quoted; "" where the quote says it all.

    None where it does not have what is asked for. `text`: the question.
    """
    if CORRECTED.search(told):
        return None
    if SINCE.search(text):
        return since_told(text, told, item.at, question.words) or None
    if question.kind == "time":
        return day_told(text, told, item.at, question.words) or None
    if question.counts:
        return counted(question, told)
    if question.cue is NAME_TOLD or NAME_ASKED.search(text):
        return name_told(question, text, told)
    if question.kind == "yesno":
        return polarity(question, told)
    if WHICH_MONEY.search(text) and (MONEY.search(told) or SUM.search(told)):
        found = {m[0].strip() for m in SUM.finditer(told)}
        return found.pop() if len(found) == 1 else ""
    if question.kind == "person" and not question.identity:
        return "" if names_somebody(question, item, told) else None
    if question.kind in CUES and not kind_share(question, replace(item, text=told)):
        return None
    return ""


def names_somebody(question: ParsedQuestion, item: ContextItem, told: str) -> bool:
    """Whether a passage names somebody else than who is asked about, or who speaks did it."""
    asked = frozenset().union(question.words, *question.names)
    first = OPENING.match(told)
    names = [*SOMEBODY.findall(told), *([first[0]] if first and _may_name(first[0]) else [])]
    if any(not stems(name) <= asked for name in names) or ROLES.search(told):
        return True
    return FIRST_PERSON.search(told) is not None and not stems(item.speaker) <= asked


def _may_name(word: str) -> bool:
    low = word.casefold()
    return low not in FUNCTION_WORDS and not forms(low) and not low.endswith("ly")


def polarity(question: ParsedQuestion, told: str) -> str:
    """Yes or no, by a passage that has all that is asked; "" where it only hedges.

    What is denied counts in the clause that has most of what is asked.
    """
    if HEDGED.search(told):
        return ""
    clause = max(CLAUSE.split(told), key=lambda part: len(question.words & content(part)))
    return "No" if DENIED.search(clause) else "Yes"


def counted(question: ParsedQuestion, told: str) -> str | None:
    """The number before what is counted: "22 lessons"; None where there is none."""
    found = re.finditer(rf"\b(?P<n>{COUNTED}) (?:[\w'-]+ ){{0,2}}?(?P<noun>[\w'-]+)", told, re.I)
    for one in found:
        if content(one["noun"]) & question.words and one["n"].casefold() not in ("a", "an"):
            return one[0]
    return None


def name_told(question: ParsedQuestion, text: str, told: str) -> str | None:
    """The name of what is asked about, where it stands beside it: "a ferret called Biscuit"."""
    asked = question.words - frozenset().union(*question.names)
    name = r"(?P<name>[A-Z][\w'-]*(?: [A-Z][\w'-]*)*)"
    near = (
        rf"\b(?P<noun>[\w-]+),? (?:is |was |are )?(?:named|called|whose name is) {name}",
        rf"\b(?:named|called|call (?:him|her|it|them)|name (?:is|was)|name's) {name}",
        rf"\b(?P<noun>[a-z-]+),? {name}(?=[,.;!?]|$| (?:is|was|has|and|who))",
        rf"\b{name},? (?:my|our|his|her|the|a) (?:[\w-]+ ){{0,2}}?(?P<noun>[a-z-]+)\b",
    )
    for pattern in near:
        for one in re.finditer(pattern, told):
            noun = one.groupdict().get("noun")
            if (noun is None or content(noun) & asked) and not stems(one["name"]) <= stems(text):
                return one["name"]
    return None
