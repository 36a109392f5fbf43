"""What the words of a text show of what was told before: one list a meaning.

That it is told anew, that it is over, that it was wrong, that it is not so, or that it only may be.
"""

from __future__ import annotations

import re


def _listed(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.I)


ENDED = _listed(
    r"sold|left|lost|quit|quitting|stopped|gave up|given up|giving up|broke up|split up|ended|over",
    r"died|dead|gone|(?:is|was) off|cancelled|canceled|called off|fell through|got rid of",
    r"no longer|no more|any ?more|used to|instead",
)
"""What may end what was told."""
CORRECTED = _listed(
    r"wrong|typo|correction|mistaken?|mistakes|(?:an?|my) error|i meant|lied|a lie",
    r"made (?:it|that) up|scratch that",
    r"(?:was|is|its|it's)(?: not|n't) [^.!?,;]{1,40}[,;]? (?:it was|it's|its|but)",
)
"""What shows that a text takes something back."""
TAKEN_BACK = re.compile(r"(?:sorry|oops|ups|no,? wait|wait|i mean)\b", re.I)
"""How a turn may begin that takes back what was said before."""
RENEWED = re.compile(
    r"\b(?:now(?! and (?:then|again))|nowadays|these days|chang(?:ed|es)|moved|from now on"
    r"|from then on|after all|switched|swapped|replaced|postponed|delayed|extended|pushed"
    r"|brought forward|rescheduled|raised|lowered|bumped|(?:up|down|back|over) to"
    r"|(?:put|gone?|went|goes|going|cut|came|come) (?:it |them )?(?:up|down|off|back)|actually"
    r"|not [\w' ]+ but|no,? wait|make (?:it|that)|handed|(?:tak(?:en?|es|ing)|took) over"
    r"|it's (?:now )?\d|so it's|since (?:monday|today|yesterday)|in the end|told no"
    r"|(?:was|is|i'm) out|again|a new|new one|i (?:said|told you)|turns out|update)\b|^\*\w"
    rf"|{ENDED.pattern}|{CORRECTED.pattern}",
    re.I,
)
"""What shows that a matter may be told anew: as changed, over or corrected."""
DENIED = re.compile(
    r"\b(?:not|no|never|none|nobody|without|neither|nor|cannot|cant|dont|didnt|wont|isnt|doesnt"
    r"|hasnt|havent)\b|n['\N{RIGHT SINGLE QUOTATION MARK}]t\b"
    rf"|{ENDED.pattern}",
    re.I,
)
"""What shows that something is not so, or no longer."""
HEDGED = re.compile(
    r"\b(?:might|(?<!in )(?<!since )(?<!last )(?<!next )(?-i:may)(?! \d)|maybe|perhaps|probably"
    r"|if|wish|hope|hoping|would|could|should|thinking (?:of|about)|not sure|rumou?r|apparently"
    r"|supposedly|they say|i think|i guess|wants?|wanna|dream\w*|almost|nearly|joking|kidding"
    r"|pretend\w*)\b",
    re.I,
)
"""What shows that something only may be so."""
